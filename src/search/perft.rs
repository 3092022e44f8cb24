//! Perft: the number of move sequences of one length from a position.
//!
//! [`perft`] counts without playing each sequence. The last move may go to any free square,
//! whatever it completes. So the sequences of `depth` moves are the *quiet* ones of one move less,
//! in which nobody completes a line, times the squares that are then free. A move is quiet or not
//! by the marks of its own side alone. So the quiet orders are counted for each set of squares that
//! a side may fill, and multiplied over the disjoint sets of the two sides, by sums over subsets
//! (Yates's algorithm; Knuth, The Art of Computer Programming 2, 4.6.4).
//!
//! [`walk`] plays every sequence on a [`Board`]. It measures raw speed and checks [`perft`], which
//! uses it where the squares are many and the sequences few.

use std::collections::BTreeSet;
use std::fmt;

use super::{Budget, Spent};
use crate::game::{Board, Mark, Square};

/// Three numbers are kept for each set of so many squares: 96 MiB.
const MOST_SQUARES: usize = 22;

/// So many sequences take half a minute to play.
const MOST_PLAYED: u128 = 1 << 30;

/// The reason why there is no count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum PerftError {
    /// The count is 2^64 or more.
    Overflow,
    /// The squares are too many for sets of them, and the sequences for playing them.
    TooWide,
    /// The budget is spent.
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

impl From<Spent> for PerftError {
    fn from(_: Spent) -> Self {
        Self::Stopped
    }
}

/// Counts the sequences of exactly `depth` moves from `board` with `turn` to move. A finished game
/// is not extended: a sequence that ends earlier does not count.
///
/// Up to 22 squares on which a side can make a line cost at most 100 MiB, and 16 of them less than
/// 50 ms. With more, up to 2^30 sequences are played. `budget` pays for each set of squares that a
/// side can fill, or for each position.
///
/// # Errors
///
/// [`PerftError`] where the count does not fit in 64 bits, takes too much memory, or is stopped.
pub fn perft(
    board: &Board,
    turn: Mark,
    depth: u64,
    budget: &mut Budget,
) -> Result<u64, PerftError> {
    let Some(quiet) = depth.checked_sub(1) else {
        return Ok(1);
    };
    let free = board.shape().squares() - board.marks();
    let quiet = usize::try_from(quiet).unwrap_or(usize::MAX);
    if quiet >= free || board.has_line() {
        return Ok(0);
    }
    let moves = [quiet.div_ceil(2), quiet / 2];
    let count = Count { board, free, sides: [turn, turn.other()], moves };
    let last = (free - quiet) as u128;
    if count.at_least().saturating_mul(last) > u64::MAX.into() {
        return Err(PerftError::Overflow);
    }
    match count.contested(budget)? {
        Some(squares) => {
            let sequences = count.quiet(&squares, budget)?;
            u64::try_from(sequences.saturating_mul(last)).map_err(|_| PerftError::Overflow)
        }
        None if arrangements(free, quiet + 1) <= MOST_PLAYED => {
            Ok(walk(&mut board.clone(), turn, depth, budget)?)
        }
        None => Err(PerftError::TooWide),
    }
}

/// Plays every sequence of `depth` moves on `board`, on which nobody has a line, and counts them.
/// `budget` pays for each position that is gone on from.
///
/// # Errors
///
/// [`Spent`] where the budget does not suffice.
pub fn walk(board: &mut Board, turn: Mark, depth: u64, budget: &mut Budget) -> Result<u64, Spent> {
    let Some(rest) = depth.checked_sub(1) else {
        return Ok(1);
    };
    budget.spend()?;
    let mut sequences = 0;
    for square in board.shape().iter() {
        if let Ok(lines) = board.place(square, turn) {
            let further = match lines {
                None => walk(board, turn.other(), rest, budget),
                Some(_) => Ok(u64::from(rest == 0)),
            };
            board.unplace(square);
            sequences += further?;
        }
    }
    Ok(sequences)
}

/// The quiet moves to count: who makes how many of them on which board.
struct Count<'a> {
    board: &'a Board,
    /// The free squares.
    free: usize,
    /// The side that moves first, and the other.
    sides: [Mark; 2],
    moves: [usize; 2],
}

impl Count<'_> {
    /// A lower bound on the quiet sequences, which refuses hopeless counts at once. A move turns
    /// eight squares at most into ones that complete a line: two in each direction.
    fn at_least(&self) -> u128 {
        let lost = self.sides.map(|mark| {
            let completes = |square: &Square| self.board.would_complete(*square, mark);
            self.board.free().filter(completes).count()
        });
        (0..self.moves[0] + self.moves[1])
            .map(|ply| self.free.saturating_sub(ply + lost[ply % 2] + 8 * (ply / 2)) as u128)
            .fold(1, u128::saturating_mul)
    }

    /// Counts the quiet sequences: the orders of disjoint sets of both sides, times the choices of
    /// the moves that go there, times the ways to make the others where no line can be.
    fn quiet(&self, squares: &[Square], budget: &mut Budget) -> Result<u128, Spent> {
        let (own, other) = (self.orders(0, squares, budget)?, self.orders(1, squares, budget)?);
        let elsewhere = self.free - squares.len();
        let everything = own.len() - 1;
        let mut sequences = 0_u128;
        for size in self.moves[1].saturating_sub(elsewhere)..=self.moves[1].min(squares.len()) {
            let of_size = |(set, &orders)| if members(set) == size { orders } else { 0 };
            let mut subsets: Vec<u64> = other.iter().enumerate().map(of_size).collect();
            for bit in 0..squares.len() {
                for set in (0..=everything).filter(|set| set >> bit & 1 == 1) {
                    subsets[set] = subsets[set].saturating_add(subsets[set ^ 1 << bit]);
                }
            }
            let mut pairs = [0_u128; MOST_SQUARES + 1];
            for (set, &orders) in own.iter().enumerate() {
                let ways = u128::from(orders) * u128::from(subsets[everything ^ set]);
                let pairs = &mut pairs[members(set)];
                *pairs = pairs.saturating_add(ways);
            }
            for (own, pairs) in (0..=self.moves[0]).zip(pairs) {
                let others = self.moves[0] - own + self.moves[1] - size;
                let choose = |all, some| arrangements(all, some) / arrangements(some, some);
                let ways = choose(self.moves[0], own)
                    .saturating_mul(choose(self.moves[1], size))
                    .saturating_mul(arrangements(elsewhere, others));
                sequences = sequences.saturating_add(pairs.saturating_mul(ways));
            }
        }
        Ok(sequences)
    }

    /// Lists the free squares of the runs of k that a side can fill with its moves: `None` where
    /// they are more than [`MOST_SQUARES`].
    fn contested(&self, budget: &mut Budget) -> Result<Option<Vec<Square>>, Spent> {
        let mut contested = BTreeSet::new();
        for run in self.board.shape().runs(self.board.shape().k()) {
            budget.spend()?;
            let free = || run.squares().filter(|square| self.board.at(*square).is_none());
            let fills = |(mark, moves): (Mark, usize)| {
                let blocked = |square| self.board.at(square) == Some(mark.other());
                free().take(moves + 1).count() <= moves && !run.squares().any(blocked)
            };
            if self.sides.into_iter().zip(self.moves).any(fills) {
                contested.extend(free());
            }
            if contested.len() > MOST_SQUARES {
                return Ok(None);
            }
        }
        Ok(Some(contested.into_iter().collect()))
    }

    /// Counts the quiet orders in which `side` fills each set of `squares`, a bit a square.
    fn orders(
        &self,
        side: usize,
        squares: &[Square],
        budget: &mut Budget,
    ) -> Result<Vec<u64>, Spent> {
        let (mark, mut board) = (self.sides[side], self.board.clone());
        let mut orders = vec![0_u64; 1 << squares.len()];
        orders[0] = 1;
        for set in 0..orders.len() {
            let ways = orders[set];
            if ways == 0 || members(set) == self.moves[side] {
                continue;
            }
            budget.spend()?;
            let has = |bit: usize| set >> bit & 1 == 1;
            for (bit, &square) in squares.iter().enumerate() {
                if has(bit) {
                    // The error says that the mark is there already.
                    let _ = board.place(square, mark);
                } else {
                    board.unplace(square);
                }
            }
            for (bit, &square) in squares.iter().enumerate() {
                if !has(bit) && !board.would_complete(square, mark) {
                    let more = &mut orders[set | 1 << bit];
                    *more = more.saturating_add(ways);
                }
            }
        }
        Ok(orders)
    }
}

const fn members(set: usize) -> usize {
    set.count_ones() as usize
}

/// The ways to choose `some` out of `all`, one after the other: all! / (all - some)!.
fn arrangements(all: usize, some: usize) -> u128 {
    (0..some).map(|taken| all.saturating_sub(taken) as u128).fold(1, u128::saturating_mul)
}
