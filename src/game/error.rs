//! The reasons why a change of a game is refused.

use std::fmt;

use thiserror::Error;

use super::{Mark, Outcome, Shape, Square};

/// The error of a refused change, which leaves no trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the sentence of a variant explains its fields")]
pub enum Refusal {
    /// A move after the end of the game, which had this `outcome`.
    #[error("the game is over: {outcome}")]
    GameOver { outcome: Outcome },
    /// A change by a caller who has `seen` another version than the game is at.
    #[error("the game is at version {version}, not {seen}")]
    Stale { seen: u64, version: u64 },
    /// A move for the `mark` that is not on turn.
    #[error("it is not {mark}'s turn: {} to move", mark.other())]
    NotYourTurn { mark: Mark },
    /// A move to a `square` that is not on a board of this `shape`.
    #[error("{square} is off the board: {}", bounds(*shape))]
    OffBoard { square: Square, shape: Shape },
    /// A move to a `square` that is taken `by` this mark.
    #[error("{square} is taken by {by}")]
    Occupied { square: Square, by: Mark },
    /// More moves were to be taken back, `asked`, than were `made`.
    #[error("{}", match made {
        0 => "nothing to take back: no move was made".to_owned(),
        _ => format!("cannot take back {asked} moves: only {} made", MoveCount(*made)),
    })]
    NothingToUndo { asked: u64, made: usize },
    /// More moves were to be played again, `asked`, than were `undone`.
    #[error("{}", match undone {
        0 => "nothing to play again: no move was taken back".to_owned(),
        _ => format!("cannot play {asked} moves again: only {} taken back", MoveCount(*undone)),
    })]
    NothingToRedo { asked: u64, undone: usize },
}

/// A number of moves in words: `1 move`, `2 moves`.
#[derive(Clone, Copy, Debug)]
pub struct MoveCount(pub usize);

impl fmt::Display for MoveCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} move{}", self.0, if self.0 == 1 { "" } else { "s" })
    }
}

/// The coordinates of a board in words: `rows and columns run from 0 to 2`.
pub(crate) fn bounds(shape: Shape) -> String {
    let (rows, cols) = (shape.rows() - 1, shape.cols() - 1);
    if rows == cols {
        format!("rows and columns run from 0 to {rows}")
    } else {
        format!("rows run from 0 to {rows}, columns from 0 to {cols}")
    }
}

/// The error of a replay: one of its moves was refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
#[error("move {}: {refusal}", index + 1)]
pub struct ReplayError {
    /// The number of the moves before it, which were fine.
    pub index: usize,
    /// The reason of the refusal.
    pub refusal: Refusal,
}

/// The error of a board that no game can reach.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the sentence of a variant explains its fields")]
pub enum PositionError {
    /// There are `x` marks of X and `o` of O: X must have as many as O, or one more.
    #[error("{x} X and {o} O: X must have as many marks as O, or one more")]
    Count { x: usize, o: usize },
    /// Both have a line.
    #[error("both have a line: the first one ends the game")]
    BothHaveLines,
    /// This mark has a line, and yet the other one moved last.
    #[error("{mark} has a line, but {} has moved since", .0.other(), mark = .0)]
    WentOn(Mark),
    /// No single last move of this mark can have made its lines.
    #[error("no single move of {0} can have completed all of its line")]
    NotOneMove(Mark),
}
