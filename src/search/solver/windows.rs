//! The windows of a board, in every direction at once.
//!
//! A *window* is k squares next to each other; a side's window is *open* while the opponent has no mark in it (and, where
//! a line is exactly k marks, while the side has none of its own right before or after it). A set of windows of one
//! direction is a word as well: the bit of a window is that of its first square. So a few shifts look at all of them.

use super::position::Position;
use super::word::Word;
use crate::game::Shape;

/// The windows that run one way.
struct Direction<W> {
    /// The distance between neighbours.
    step: u32,
    /// Every window.
    all: W,
    /// The squares of a window that starts at square 0 (were it on the board).
    pattern: W,
    /// The windows that have a square before their first, and those that have one behind their last. Both are empty
    /// where a longer run wins as well, since then the neighbours do not matter.
    before: W,
    after: W,
}

/// How many squares are missing in each window of one direction, as a bit-sliced counter. Windows that are not open are
/// in none of the counts.
#[derive(Clone, Copy)]
pub struct Missing<W> {
    open: W,
    ones: W,
    twos: W,
    fours: W,
    /// Eight or more.
    many: W,
}

impl<W: Word> Missing<W> {
    /// The windows with exactly `count` squares missing; `count` is at most 7.
    pub fn exactly(self, count: u32) -> W {
        let side = |plane: W, bit: u32| if count & bit == 0 { !plane } else { plane };
        self.open & !self.many & side(self.ones, 1) & side(self.twos, 2) & side(self.fours, 4)
    }

    /// The open windows with at most `count` squares missing.
    pub fn at_most(self, count: u32) -> W {
        if count >= 8 {
            // The counter does not tell 8 from 9; more than needed is never wrong, only slower.
            return self.open;
        }
        (0..=count).fold(W::ZERO, |windows, count| windows | self.exactly(count))
    }
}

/// A full window in the units of [`Lines::potential`].
pub const ONE: u32 = 1 << 16;

/// The windows of a shape.
pub struct Lines<W> {
    k: u32,
    exact: bool,
    directions: Vec<Direction<W>>,
}

impl<W: Word> Lines<W> {
    /// The windows of `shape`, whose squares must fit into `W`; a longer run wins as well unless `exact`.
    pub fn new(shape: Shape, exact: bool) -> Self {
        let [rows, cols, k] = [shape.rows(), shape.cols(), shape.k()].map(i64::from);
        let on_board = |row: i64, col: i64| (0..rows).contains(&row) && (0..cols).contains(&col);
        let direction = |(down, right): (i64, i64)| {
            let [mut all, mut before, mut after] = [W::ZERO; 3];
            for square in shape.iter() {
                let (row, col) = (i64::from(square.row), i64::from(square.col));
                if !on_board(row + down * (k - 1), col + right * (k - 1)) {
                    continue;
                }
                let bit =
                    W::bit(u32::from(square.row) * u32::from(shape.cols()) + u32::from(square.col));
                all |= bit;
                if exact && on_board(row - down, col - right) {
                    before |= bit;
                }
                if exact && on_board(row + down * k, col + right * k) {
                    after |= bit;
                }
            }
            let step = u32::try_from(down * cols + right).unwrap_or(0);
            let pattern = (0..u32::from(shape.k())).fold(W::ZERO, |pattern, place| {
                pattern | W::bit(place * step % W::BITS)
            });
            Direction {
                step,
                all,
                pattern,
                before,
                after,
            }
        };
        // One mark in a row is the same line in every direction.
        let ways = if shape.k() == 1 { 1 } else { 4 };
        let directions = [(0, 1), (1, 0), (1, 1), (1, -1)]
            .into_iter()
            .take(ways)
            .map(direction)
            .filter(|way| !way.all.is_empty())
            .collect();
        Self {
            k: u32::from(shape.k()),
            exact,
            directions,
        }
    }

    /// Whether a longer run does not win.
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// The position without what no longer matters: a mark that is in no open window of its side only blocks, and an empty
    /// square that is in no open window at all might as well be blocked. Many positions become one.
    ///
    /// Where a longer run does not win, marks matter as neighbours too, and the position stays as it is.
    pub fn reduced(&self, position: Position<W>) -> Position<W> {
        if self.exact {
            return position;
        }
        let Position {
            attacker,
            defender,
            empty,
        } = position;
        let [attackers, defenders] = [attacker, defender].map(|own| self.open_squares(own, empty));
        Position {
            attacker: attacker & attackers,
            defender: defender & defenders,
            empty: empty & (attackers | defenders),
        }
    }

    /// The empty squares that complete a window of `own`.
    pub fn threats(&self, own: W, empty: W) -> W {
        let mut squares = W::ZERO;
        for way in &self.directions {
            let [mut none, mut one] = [way.all, W::ZERO];
            for place in 0..self.k {
                let [marked, free] = [own, empty].map(|set| set >> (place * way.step));
                one = (one & marked) | (none & free);
                none &= marked;
            }
            squares |= self.spread(way, one & !self.overlong(way, own));
        }
        squares & empty
    }

    /// The squares of the open windows of `own` with at most `missing` squares missing, counting only `counted` ones.
    pub fn within(&self, own: W, empty: W, counted: W, missing: u32) -> W {
        self.directions.iter().fold(W::ZERO, |squares, way| {
            squares | self.spread(way, self.missing(way, own, empty, counted).at_most(missing))
        })
    }

    /// The squares of the open windows of `own`.
    pub fn open_squares(&self, own: W, empty: W) -> W {
        self.directions.iter().fold(W::ZERO, |squares, way| {
            squares | self.spread(way, self.open(way, own, empty))
        })
    }

    /// The empty squares that lie in one and in two or more windows with exactly two squares missing.
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

    /// The empty squares of each open window of `own`, appended to `windows`.
    pub fn windows(&self, own: W, empty: W, windows: &mut Vec<W>) {
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

    /// The potential of Erdős and Selfridge (1973): the open windows of `own`, each counting 2 to the minus of its missing
    /// squares, in units of [`ONE`] (a window with more than 7 missing squares counts as with 8).
    pub fn potential(&self, own: W, empty: W) -> u32 {
        self.directions.iter().fold(0, |potential, way| {
            let missing = self.missing(way, own, empty, empty);
            (1..8).fold(
                potential + (missing.open & missing.many).count() * (ONE >> 8),
                |potential, count| potential + missing.exactly(count).count() * (ONE >> count),
            )
        })
    }

    /// Whether `own` has a line.
    pub fn has_line(&self, own: W) -> bool {
        self.directions
            .iter()
            .any(|way| !self.open(way, own, W::ZERO).is_empty())
    }

    /// The squares missing in each window of `way`.
    fn missing(&self, way: &Direction<W>, own: W, empty: W, counted: W) -> Missing<W> {
        let open = self.open(way, own, empty);
        let [mut ones, mut twos, mut fours, mut many] = [W::ZERO; 4];
        if !open.is_empty() {
            for place in 0..self.k {
                let free = counted >> (place * way.step);
                let carry = ones & free;
                ones ^= free;
                let carry_twos = twos & carry;
                twos ^= carry;
                many |= fours & carry_twos;
                fours ^= carry_twos;
            }
        }
        Missing {
            open,
            ones,
            twos,
            fours,
            many,
        }
    }

    /// The windows of `way` that `own` marks and empty squares fill, but for overlong runs.
    fn open(&self, way: &Direction<W>, own: W, empty: W) -> W {
        let usable = own | empty;
        let mut open = way.all;
        for place in 0..self.k {
            open &= usable >> (place * way.step);
        }
        open & !self.overlong(way, own)
    }

    /// The windows of `way` that `own` marks have a neighbour of.
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

    /// The squares of `windows`.
    fn spread(&self, way: &Direction<W>, windows: W) -> W {
        (0..self.k).fold(W::ZERO, |squares, place| {
            squares | windows << (place * way.step)
        })
    }
}
