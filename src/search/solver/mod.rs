//! The exact solver: it proves win, draw or loss, with the distance, on boards of up to 128
//! squares.
//!
//! It never searches for a value. It asks questions of yes or no in turn, each with a share of the
//! budget that doubles from round to round. Does a side force a line within n moves (`attack`, n =
//! 1, 2, 3 …, which gives the distance)? Does the other side hold for ever in the Maker-Breaker
//! game, or in the real one (`dfpn`)? A win is proved when n is reached, a draw when both sides
//! hold.

mod attack;
mod dfpn;
mod hypergraph;
mod node;
mod pairing;
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod plain;
mod position;
mod prover;
mod questions;
mod strategy;
mod symmetry;
mod table;
mod windows;
mod word;

use self::prover::Prover;
pub use self::questions::{Held, Questions, questions};
pub use self::strategy::{Attacked, Hold, Holds, Reason, Reply};
use super::{Budget, Score};
use crate::game::{Board, Mark, Shape, Square};

/// Proves values of positions of one shape, which every `board` must have, and remembers what it
/// proved.
pub trait Solver: Send + Sync {
    /// The best square for `turn`, and its score as far as it is proved. Where nothing is proved,
    /// the square is only a likely one that wins or blocks at once if need be. `None` when the
    /// game is over.
    fn best(&mut self, board: &Board, turn: Mark, budget: &mut Budget) -> Option<(Square, Score)>;

    /// The score of a move of `turn` to each empty square, in row order. Plies count that move.
    /// Empty when the game is over.
    fn scores(&mut self, board: &Board, turn: Mark, budget: &mut Budget) -> Vec<(Square, Score)>;
}

/// A solver for `shape`; `None` where the board has more than 128 squares, and where exactly one in
/// a row wins, since there a mark can take a line away.
///
/// It takes microseconds and some kilobytes. Its tables grow with use, to 128 MiB in all.
#[must_use]
pub fn solver_for(shape: Shape) -> Option<Box<dyn Solver>> {
    match shape.squares() {
        _ if shape.is_exact() && shape.k() == 1 => None,
        0..=64 => Some(Box::new(Prover::<u64>::new(shape))),
        65..=128 => Some(Box::new(Prover::<u128>::new(shape))),
        _ => None,
    }
}
