//! The windows of a board, in every direction, with a few shifts for all of them at once.
//!
//! A *window* is k neighbouring squares in a line. It is *open* for a side while the opponent has
//! no mark in it. Where a line is exactly k marks, the side must not have a mark right before or
//! after it either. A set of windows of one direction is a word: a window's bit is that of its
//! first square.

use super::position::Position;
use super::word::Word;
use crate::game::{Run, Shape};

/// The windows of one direction.
#[derive(Clone)]
struct Direction<W> {
    /// The distance between neighbours.
    step: u32,
    /// Every window.
    all: W,
    /// The squares of a window whose first square is square 0, were it on the board.
    pattern: W,
    /// The first squares with a square before them. Empty where a longer run wins as well.
    before: W,
    /// The windows with a square behind the last one. Empty where a longer run wins as well.
    after: W,
}

/// The number of missing squares of each open window of one direction, as a bit-sliced counter.
#[derive(Clone, Copy)]
struct Missing<W> {
    open: W,
    /// The bits of the counter: one, two and four.
    planes: [W; 3],
    /// The windows with eight or more.
    many: W,
}

impl<W: Word> Missing<W> {
    /// The windows with exactly `count` squares missing; `count` is at most 7.
    fn exactly(self, count: u32) -> W {
        (0..).zip(self.planes).fold(self.open & !self.many, |windows, (bit, plane)| {
            windows & if count >> bit & 1 == 0 { !plane } else { plane }
        })
    }

    /// The open windows with at most `count` squares missing; all of them where `count` is above 7,
    /// since too many windows cost time alone.
    fn at_most(self, count: u32) -> W {
        if count >= 8 {
            return self.open;
        }
        (0..=count).fold(W::ZERO, |windows, count| windows | self.exactly(count))
    }
}

/// A full window in units of [`Windows::potential`].
pub const FULL: u32 = 1 << 16;

/// The windows of a shape in one of two games. In the Maker-Breaker game a longer run always wins:
/// that is more for the attacker, so that a hold stays one.
#[derive(Clone)]
pub struct Windows<W> {
    k: u32,
    /// True where a longer run does not win.
    pub exact: bool,
    /// True in the real game: the defender wins with a line of its own.
    pub counter: bool,
    directions: Vec<Direction<W>>,
}

impl<W: Word> Windows<W> {
    /// The windows of `shape`, whose squares must fit into `W`, in the real game if `counter`, else
    /// in the Maker-Breaker game.
    pub fn new(shape: Shape, counter: bool) -> Self {
        let k = shape.k();
        let exact = counter && shape.is_exact();
        let direction = |(down, right): (i8, i8)| {
            let [mut all, mut before, mut after] = [W::ZERO; 3];
            for (index, first) in (0..).zip(shape.iter()) {
                let reaches = |step, n| {
                    let on_board = shape.contains(first.moved(step, n));
                    if on_board { W::bit(index) } else { W::ZERO }
                };
                all |= reaches((down, right), k - 1);
                if exact {
                    before |= reaches((-down, -right), 1);
                    after |= reaches((down, right), k);
                }
            }
            let step = i32::from(down) * i32::from(shape.cols()) + i32::from(right);
            let step = u32::try_from(step).unwrap_or(0);
            let pattern = (0..u32::from(k))
                .fold(W::ZERO, |pattern, place| pattern | W::bit(place * step % W::BITS));
            Direction { step, all, pattern, before, after }
        };
        // One mark in a row is the same line in every direction.
        let ways = if k == 1 { 1 } else { 4 };
        let directions = Run::DIRECTIONS.into_iter().take(ways).map(direction);
        let directions = directions.filter(|way| !way.all.is_empty()).collect();
        Self { k: k.into(), exact, counter, directions }
    }

    /// The position without what no longer matters, so that many positions become one. A mark in no
    /// open window of its side only blocks, and an empty square in no open window is useless.
    ///
    /// Nothing is lost, distances included. Where a longer run does not win, marks matter as
    /// neighbours too, and the position stays as it is.
    pub fn reduced(&self, position: Position<W>) -> Position<W> {
        if self.exact {
            return position;
        }
        let Position { attacker, defender, empty, turn } = position;
        let attackers = self.open_squares(attacker, empty);
        let defenders = if self.counter { self.open_squares(defender, empty) } else { W::ZERO };
        let empty = empty & (attackers | defenders);
        Position { attacker: attacker & attackers, defender: defender & defenders, empty, turn }
    }

    /// The empty squares that complete a window of `own`.
    pub fn threats(&self, own: W, empty: W) -> W {
        let squares = self.union(|way| {
            let [mut none, mut one] = [way.all, W::ZERO];
            for place in 0..self.k {
                let [marked, free] = [own, empty].map(|set| set >> (place * way.step));
                one = (one & marked) | (none & free);
                none &= marked;
            }
            one & !self.overlong(way, own)
        });
        squares & empty
    }

    /// The squares of the open windows of `own` that miss at most `missing` squares. Only missing
    /// squares in `counted` count.
    pub fn within(&self, own: W, empty: W, counted: W, missing: u32) -> W {
        self.union(|way| self.missing(way, own, empty, counted).at_most(missing))
    }

    /// The squares of the open windows of `own`.
    pub fn open_squares(&self, own: W, empty: W) -> W {
        self.union(|way| self.open(way, own, empty))
    }

    /// The empty squares in at least one, and in at least two, windows that miss exactly two
    /// squares. A move there makes one threat, or two at once.
    pub fn fours(&self, own: W, empty: W) -> [W; 2] {
        let [mut once, mut twice] = [W::ZERO; 2];
        for way in &self.directions {
            let windows = self.missing(way, own, empty, empty).exactly(2);
            if windows.is_empty() {
                continue;
            }
            for place in 0..self.k {
                let squares = windows << (place * way.step);
                twice |= once & squares;
                once |= squares;
            }
        }
        [once & empty, twice & empty]
    }

    /// Appends the empty squares of each open window of `own` to `windows`. The windows of one line
    /// of the board follow each other.
    pub fn list(&self, own: W, empty: W, windows: &mut Vec<W>) {
        for way in &self.directions {
            let mut open = self.open(way, own, empty);
            while !open.is_empty() {
                let mut start = open.first();
                while start < W::BITS && way.all.meets(W::bit(start)) {
                    let bit = W::bit(start);
                    if open.meets(bit) {
                        windows.push(way.pattern << start & empty);
                        open &= !bit;
                    }
                    start += way.step;
                }
            }
        }
    }

    /// The Erdős-Selfridge potential (1973) of `own`: the sum over its open windows of 2 to the
    /// power of minus the missing squares. A full window counts [`FULL`], and 8 missing squares are
    /// the most.
    pub fn potential(&self, own: W, empty: W) -> u32 {
        self.directions.iter().fold(0, |potential, way| {
            let missing = self.missing(way, own, empty, empty);
            (1..8).fold(
                potential + (missing.open & missing.many).count() * (FULL >> 8),
                |potential, count| potential + missing.exactly(count).count() * (FULL >> count),
            )
        })
    }

    /// True if `own` has a line.
    pub fn has_line(&self, own: W) -> bool {
        self.directions.iter().any(|way| !self.open(way, own, W::ZERO).is_empty())
    }

    /// The missing squares of the windows of `way`, only those in `counted`.
    fn missing(&self, way: &Direction<W>, own: W, empty: W, counted: W) -> Missing<W> {
        let open = self.open(way, own, empty);
        let (mut planes, mut many) = ([W::ZERO; 3], W::ZERO);
        if !open.is_empty() {
            for place in 0..self.k {
                let mut carry = counted >> (place * way.step);
                for plane in &mut planes {
                    (*plane, carry) = (*plane ^ carry, *plane & carry);
                }
                many |= carry;
            }
        }
        Missing { open, planes, many }
    }

    /// The open windows of `way`: own marks and empty squares alone, and no overlong run.
    fn open(&self, way: &Direction<W>, own: W, empty: W) -> W {
        let usable = own | empty;
        let mut open = way.all;
        for place in 0..self.k {
            open &= usable >> (place * way.step);
        }
        open & !self.overlong(way, own)
    }

    /// The windows of `way` with a neighbouring mark of `own`, where that spoils a line.
    fn overlong(&self, way: &Direction<W>, own: W) -> W {
        let mut overlong = W::ZERO;
        if !way.before.is_empty() {
            overlong |= (own << way.step) & way.before;
        }
        if !way.after.is_empty() {
            overlong |= (own >> (self.k * way.step)) & way.after;
        }
        overlong
    }

    /// The squares of the windows that `chosen` gives in each direction.
    fn union(&self, chosen: impl Fn(&Direction<W>) -> W) -> W {
        self.directions.iter().fold(W::ZERO, |squares, way| {
            let windows = chosen(way);
            (0..self.k).fold(squares, |squares, place| squares | windows << (place * way.step))
        })
    }
}
