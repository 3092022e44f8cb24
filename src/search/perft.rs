//! How many games there are: the move sequences of one length from a position.
//!
//! A game of k in a row hardly needs to be played to be counted, for three reasons.
//!
//! - The last move may be any free square, whatever it completes. So the sequences of `depth` moves
//!   are the *quiet* ones of one move less (nobody has completed a line, so that the game goes on)
//!   times the squares then left.
//! - Marks are never taken away. If nobody has a line in the end, nobody had one on the way, and
//!   the marks of each side may have come in any order: quiet sequences are quiet *fillings* (`a`
//!   marks of one side, `b` of the other, no line) times a! · b!. The exact rule breaks this, since
//!   a line of k may end up inside a longer run, but only where such a longer run is possible at
//!   all; there the orders are counted, one side at a time (`Play::disjoint_orders`).
//! - Whether a filling is quiet is a matter of small sets of squares, the *traps* that a side must
//!   not fill, and most of a trap is forgotten as soon as one of its squares is seen to be missing.
//!   Deciding the squares in board order, the state of affairs is the set of traps still open, and
//!   there are few of them at a time: this is the frontier method (Knuth, The Art of Computer
//!   Programming 4A, 7.1.4; Kawahara and others, "Frontier-based search for enumerating all
//!   constrained subgraphs", 2017). Squares that are in no trap are not looked at: on 19 × 19 with
//!   k = 5 nobody can have a line within six moves, and what is left of all this is a falling
//!   factorial.
//!
//! [`walk`] is the plain way, one sequence at a time, as a measure of raw speed.

mod frontier;

use std::fmt;
use std::iter;

use self::frontier::{Tally, Trap, quiet_fillings};
use crate::game::{Board, Mark, Shape, Square};

/// Why there is no count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PerftError {
    /// The count is 2^64 or more.
    Overflow,
    /// The count would take more memory than [`perft`] allows itself; for [`walk`], the board is
    /// beyond 64 bits.
    TooWide,
    /// `stop` answered true.
    Stopped,
}

impl fmt::Display for PerftError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Overflow => "the count does not fit in 64 bits",
            Self::TooWide => "the count takes more memory than is allowed",
            Self::Stopped => "the count was stopped",
        })
    }
}

impl std::error::Error for PerftError {}

/// The number of move sequences of exactly `depth` moves from `board` with `turn` to move. A
/// finished game is not extended, so a sequence that ends earlier does not count, and from a
/// finished game there is none but the empty one.
///
/// The cost depends on how many traps are open at a time, not on the count: less than a millisecond
/// for the whole tree of 4 × 4, k = 4. Memory stays under 128 MiB. `stop` is asked once for each
/// state of affairs that is gone on from, and ends the count when it answers true.
///
/// # Errors
///
/// When the count does not fit in 64 bits, when it takes too much memory, and when `stop` answers
/// true.
pub fn perft(
    board: &Board,
    turn: Mark,
    depth: u64,
    stop: &dyn Fn() -> bool,
) -> Result<u64, PerftError> {
    let free = board.free().count();
    let depth = usize::try_from(depth).unwrap_or(usize::MAX);
    let Some(quiet) = depth.checked_sub(1) else {
        return Ok(1);
    };
    let Some(last) = free.checked_sub(quiet).filter(|&last| last > 0) else {
        return Ok(0);
    };
    if is_over(board) {
        return Ok(0);
    }
    let play = Play {
        board,
        sides: [turn, turn.other()],
        stones: [depth / 2, quiet / 2],
        stop,
    };
    if play.at_least(free).saturating_mul(last as u128) > u128::from(u64::MAX) {
        return Err(PerftError::Overflow);
    }
    let sequences = play.sequences(free)?;
    u64::try_from(sequences.saturating_mul(last as u128)).map_err(|_| PerftError::Overflow)
}

/// The same count without a table, by playing every sequence up to its last move: our test of raw
/// speed.
///
/// # Errors
///
/// When the board does not fit in 64 bits (`rows` times `cols + 1` above 64), and when `stop`
/// answers true.
pub fn walk(
    board: &Board,
    turn: Mark,
    depth: u64,
    stop: &dyn Fn() -> bool,
) -> Result<u64, PerftError> {
    if depth == 0 {
        return Ok(1);
    }
    if is_over(board) {
        return Ok(0);
    }
    let walker = Walker::new(board.shape(), stop).ok_or(PerftError::TooWide)?;
    let (mut own, mut other) = (0, 0);
    for square in board.shape().iter() {
        match board.at(square) {
            Some(mark) if mark == turn => own |= walker.bit(square),
            Some(_) => other |= walker.bit(square),
            None => {}
        }
    }
    if depth == 1 {
        return Ok(board.free().count() as u64);
    }
    walker.count(own, other, depth).ok_or(PerftError::Stopped)
}

/// Bit boards with an empty column between the rows, so that a shift never carries a run around the
/// edge.
struct Walker<'a> {
    squares: u64,
    stride: u32,
    /// The shifts that test for k in a row, for all four directions at once: each lengthens the
    /// runs found so far, at most to the double.
    longer: Vec<[u32; 4]>,
    /// With the exact rule, the shifts to the squares before and behind a run.
    around: Option<[[u32; 4]; 2]>,
    stop: &'a dyn Fn() -> bool,
}

impl<'a> Walker<'a> {
    /// From how many moves to go `stop` is asked: fewer are counted within a millisecond.
    const ASKS_FROM: u64 = 4;

    /// Bit 63 stays free, so that a shift by 63 loses every mark.
    fn new(shape: Shape, stop: &'a dyn Fn() -> bool) -> Option<Self> {
        let stride = u32::from(shape.cols()) + 1;
        if u32::from(shape.rows()) * stride > 64 {
            return None;
        }
        let k = u32::from(shape.k());
        let shifts = |by: u32| [1, stride, stride + 1, stride - 1].map(|step| (by * step).min(63));
        let lengths = iter::successors(Some(1), |&length| {
            Some(k.min(2 * length)).filter(|&longer| longer > length)
        });
        let mut walker = Self {
            squares: 0,
            stride,
            longer: lengths
                .map(|length| shifts(length.min(k - length)))
                .filter(|by| by[0] > 0)
                .collect(),
            around: shape.is_exact().then(|| [shifts(1), shifts(k)]),
            stop,
        };
        walker.squares = shape
            .iter()
            .fold(0, |squares, square| squares | walker.bit(square));
        Some(walker)
    }

    fn bit(&self, square: Square) -> u64 {
        1 << (u32::from(square.row) * self.stride + u32::from(square.col))
    }

    /// The sequences of `depth` moves, at least two, or `None` when stopped.
    fn count(&self, own: u64, other: u64, depth: u64) -> Option<u64> {
        let mut free = self.squares & !(own | other);
        let last = u64::from(free.count_ones()).saturating_sub(1);
        if depth >= Self::ASKS_FROM && (self.stop)() {
            return None;
        }
        let mut sequences = 0;
        while free != 0 {
            let marks = own | (free & free.wrapping_neg());
            free &= free - 1;
            if self.has_line(marks) {
                continue;
            }
            sequences += if depth == 2 {
                last
            } else {
                self.count(other, marks, depth - 1)?
            };
        }
        Some(sequences)
    }

    fn has_line(&self, marks: u64) -> bool {
        let mut runs = [marks; 4];
        for shifts in &self.longer {
            for (runs, shift) in runs.iter_mut().zip(shifts) {
                *runs &= *runs >> shift;
            }
        }
        if let Some([before, behind]) = &self.around {
            for (runs, (before, behind)) in runs.iter_mut().zip(before.iter().zip(behind)) {
                *runs &= !(marks << before) & !(marks >> behind);
            }
        }
        runs != [0; 4]
    }
}

/// So many moves of each side, and how often.
type Moves = ([usize; 2], u128);

/// The moves before the last one: who places how many marks on which board.
struct Play<'a> {
    board: &'a Board,
    /// Who moves first, and the other.
    sides: [Mark; 2],
    /// How many marks each of them places.
    stones: [usize; 2],
    stop: &'a dyn Fn() -> bool,
}

impl Play<'_> {
    /// How many squares the traps may hold in total: under 100 MiB even where each holds but one.
    const MOST_TRAPPED: usize = 1 << 19;

    /// A lower bound on the quiet sequences, so that a count that is far too large is refused at
    /// once. A move makes at most eight squares more into ones that complete a line: the first on
    /// either side of it in four directions.
    fn at_least(&self, free: usize) -> u128 {
        let lost = self.sides.map(|mark| {
            let lost = |&square: &Square| self.board.would_complete(square, mark);
            self.board.free().filter(lost).count()
        });
        (0..self.stones[0] + self.stones[1])
            .map(|ply| free.saturating_sub(ply + lost[ply % 2] + 8 * (ply / 2)) as u128)
            .fold(1, u128::saturating_mul)
    }

    /// What each side must not fill if it is to have no `length` squares in a row, as far as its
    /// marks suffice.
    fn traps(&self, length: usize) -> Result<Vec<Trap>, PerftError> {
        let shape = self.board.shape();
        let mut traps = Vec::new();
        let mut trapped = 0;
        for start in shape.iter() {
            if start.col == 0 && (self.stop)() {
                return Err(PerftError::Stopped);
            }
            for (direction, side) in DIRECTIONS.into_iter().flat_map(|to| [(to, 0), (to, 1)]) {
                let (mut squares, mut seen) = (Vec::new(), 0);
                for square in ray(shape, start, direction).take(length) {
                    match self.board.at(square) {
                        None if squares.len() < self.stones[side] => {
                            squares.push(self.number(square));
                        }
                        Some(mark) if mark == self.sides[side] => {}
                        _ => break,
                    }
                    seen += 1;
                }
                if seen == length && !squares.is_empty() {
                    trapped += squares.len();
                    squares.sort_unstable();
                    traps.push(Trap { side, squares });
                }
            }
            if trapped > Self::MOST_TRAPPED {
                return Err(PerftError::TooWide);
            }
        }
        Ok(traps)
    }

    /// Squares are numbered along the shorter side of the board, which keeps the frontier short.
    fn number(&self, square: Square) -> usize {
        let shape = self.board.shape();
        let (row, col) = (usize::from(square.row), usize::from(square.col));
        if shape.rows() < shape.cols() {
            col * usize::from(shape.rows()) + row
        } else {
            row * usize::from(shape.cols()) + col
        }
    }

    /// The quiet sequences: those of the moves into traps, in any number and at any time, times the
    /// ways to make the other moves elsewhere.
    fn sequences(&self, free: usize) -> Result<u128, PerftError> {
        let shape = self.board.shape();
        let k = usize::from(shape.k());
        let traps = self.traps(k)?;
        let mut squares = traps
            .iter()
            .flat_map(|trap| trap.squares.iter().copied())
            .collect::<Vec<_>>();
        squares.sort_unstable();
        squares.dedup();
        let elsewhere = free - squares.len();
        let into_traps = if shape.is_exact() && !self.traps(k + 1)?.is_empty() {
            self.ordered(&squares, elsewhere)?
        } else {
            self.unordered(&traps, &squares, elsewhere)?
        };
        Ok(into_traps.into_iter().fold(0, |sum: u128, (used, ways)| {
            let others = self.stones[0] - used[0] + self.stones[1] - used[1];
            sum.saturating_add(ways.saturating_mul(arrangements(elsewhere, others)))
        }))
    }

    /// The quiet sequences of so many moves of each side into traps where a line once made stays:
    /// the fillings, times the ways to put some of the moves of each side on their squares.
    fn unordered(
        &self,
        traps: &[Trap],
        squares: &[usize],
        elsewhere: usize,
    ) -> Result<Vec<Moves>, PerftError> {
        let mut moves = quiet_fillings(traps, squares, self.stones, elsewhere, self.stop)?;
        for ([own, other], ways) in &mut moves {
            *ways = ways
                .saturating_mul(arrangements(self.stones[0], *own))
                .saturating_mul(arrangements(self.stones[1], *other));
        }
        Ok(moves)
    }

    /// The same where a line of k may vanish in a longer one: the orders, times the choices of
    /// moves of each side.
    fn ordered(&self, squares: &[usize], elsewhere: usize) -> Result<Vec<Moves>, PerftError> {
        // The sums are taken modulo 2^128, which is enough as long as no count comes near that.
        if arrangements(squares.len() + elsewhere, self.stones[0] + self.stones[1]) == u128::MAX {
            return Err(PerftError::TooWide);
        }
        let choices =
            |side: usize, used| arrangements(self.stones[side], used) / arrangements(used, used);
        let is_trapped = |&square: &Square| squares.binary_search(&self.number(square)).is_ok();
        let trapped = self.board.free().filter(is_trapped).collect::<Vec<_>>();
        let mut moves = Vec::new();
        for (own, other) in
            (0..=self.stones[0]).flat_map(|own| (0..=self.stones[1]).map(move |other| (own, other)))
        {
            if self.stones[0] - own + self.stones[1] - other <= elsewhere {
                let orders = self.disjoint_orders(&trapped, [own, other])?;
                moves.push((
                    [own, other],
                    orders.saturating_mul(choices(0, own) * choices(1, other)),
                ));
            }
        }
        Ok(moves)
    }

    /// The quiet ways for each side to make so many moves into `squares`. Which squares a side's
    /// moves may come in which order depends on its own marks alone. With f(S) and g(T) the quiet
    /// orders of the sets S and T of the two sides, the sum of f(S) g(T) over disjoint S and T is
    /// wanted. With F(U) the sum of f over all S that contain U, and G likewise, it is the sum of
    /// (-1)^|U| F(U) G(U) over all U, by inclusion and exclusion of the squares they share.
    fn disjoint_orders(&self, squares: &[Square], sizes: [usize; 2]) -> Result<u128, PerftError> {
        let mut sums = [
            self.quiet_orders(squares, 0, sizes[0])?,
            self.quiet_orders(squares, 1, sizes[1])?,
        ];
        let most = sizes[0].max(sizes[1]);
        let mut disjoint = 0_u128;
        for shared in (0..=most).rev() {
            for side in [0, 1] {
                if shared < sizes[side] {
                    sums[side] = self.supersets(&sums[side], (sizes[side] - shared) as u128)?;
                }
            }
            if shared <= sizes[0].min(sizes[1]) {
                let terms = sums[0]
                    .iter()
                    .map(|(set, ways)| ways.wrapping_mul(sums[1].ways(set)));
                let sum = terms.fold(0, u128::wrapping_add);
                disjoint = if shared % 2 == 0 {
                    disjoint.wrapping_add(sum)
                } else {
                    disjoint.wrapping_sub(sum)
                };
            }
        }
        Ok(disjoint)
    }

    /// For every set of `count` of the squares: the orders in which `side` places marks on them
    /// without ever making a line. A set is one bit a square.
    fn quiet_orders(
        &self,
        squares: &[Square],
        side: usize,
        count: usize,
    ) -> Result<Tally, PerftError> {
        let mark = self.sides[side];
        let mut key = vec![0_u64; squares.len().div_ceil(64)];
        let mut now = Tally::new(key.len());
        now.add(&key, 1)?;
        let mut board = self.board.clone();
        for _ in 0..count {
            let mut next = Tally::new(key.len());
            for (set, ways) in now.iter() {
                if (self.stop)() {
                    return Err(PerftError::Stopped);
                }
                for at in members(set) {
                    let _ = board.place(squares[at], mark);
                }
                key.copy_from_slice(set);
                for (at, &square) in squares.iter().enumerate() {
                    if board.at(square).is_none() && !board.would_complete(square, mark) {
                        key[at / 64] |= 1 << (at % 64);
                        next.add(&key, ways)?;
                        key[at / 64] = set[at / 64];
                    }
                }
                for at in members(set) {
                    board.unplace(squares[at]);
                }
            }
            now = next;
        }
        Ok(now)
    }

    /// From the sums over supersets of sets of one size to those of the sets one smaller, in which
    /// every superset comes up once for each of its `times` squares more.
    fn supersets(&self, sums: &Tally, times: u128) -> Result<Tally, PerftError> {
        let mut smaller = Tally::new(sums.width());
        let mut key = vec![0; sums.width()];
        for (set, ways) in sums.iter() {
            if (self.stop)() {
                return Err(PerftError::Stopped);
            }
            key.copy_from_slice(set);
            for at in members(set) {
                key[at / 64] &= !(1 << (at % 64));
                smaller.add(&key, ways)?;
                key[at / 64] = set[at / 64];
            }
        }
        smaller.divide(times);
        Ok(smaller)
    }
}

/// The ones among the bits.
fn members(set: &[u64]) -> impl Iterator<Item = usize> {
    (0..64 * set.len()).filter(|at| set[at / 64] >> (at % 64) & 1 == 1)
}

/// The ways to choose `some` out of `all`, one after the other: all! / (all - some)!, or the most
/// that 128 bits hold.
fn arrangements(all: usize, some: usize) -> u128 {
    (0..some)
        .map(|taken| all.saturating_sub(taken) as u128)
        .fold(1, u128::saturating_mul)
}

/// Along a row, a column, a diagonal and an anti-diagonal.
const DIRECTIONS: [(i16, i16); 4] = [(0, 1), (1, 0), (1, 1), (1, -1)];

/// The squares from `start` on in one direction, to the edge.
fn ray(shape: Shape, start: Square, (down, right): (i16, i16)) -> impl Iterator<Item = Square> {
    iter::successors(Some(start), move |square| {
        let row = square
            .row
            .checked_add_signed(down)
            .filter(|&row| row < shape.rows())?;
        let col = square
            .col
            .checked_add_signed(right)
            .filter(|&col| col < shape.cols())?;
        Some(Square { row, col })
    })
}

/// Whether somebody has a line.
fn is_over(board: &Board) -> bool {
    board.lines().next().is_some()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests;
