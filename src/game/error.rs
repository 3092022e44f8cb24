//! The reasons why a change of a game is refused.

use std::error::Error;
use std::fmt;

use super::{Mark, Outcome, Shape, Square};

/// The error of a refused change, which leaves no trace.
///
/// ```
/// use noughts::{Game, Shape, Square};
///
/// let mut game = Game::new(Shape::TIC_TAC_TOE);
/// let refusal = game.play(Square { row: 3, col: 0 }).unwrap_err();
/// let message = "3 0 is off the board: rows and columns run from 0 to 2";
/// assert_eq!(refusal.to_string(), message);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Refusal {
    /// A move after the end.
    GameOver {
        /// The end of the game.
        outcome: Outcome,
    },
    /// The caller has not seen the newest change.
    Stale {
        /// The version that the caller named.
        seen: u64,
        /// The version that the game is at.
        version: u64,
    },
    /// A move for the mark that is not on turn.
    NotYourTurn {
        /// The mark that was to move.
        mark: Mark,
    },
    /// A move off the board.
    OffBoard {
        /// The square that was asked for.
        square: Square,
        /// The board that it is not on.
        shape: Shape,
    },
    /// A move to a square that is taken.
    Occupied {
        /// The square that was asked for.
        square: Square,
        /// The mark that is there.
        by: Mark,
    },
    /// More moves were to be taken back than were made.
    NothingToUndo {
        /// The number of moves to take back.
        asked: u64,
        /// The number of moves made.
        made: usize,
    },
    /// More moves were to be played again than were taken back.
    NothingToRedo {
        /// The number of moves to play again.
        asked: u64,
        /// The number of moves taken back.
        undone: usize,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = |count| if count == 1 { "" } else { "s" };
        match *self {
            Self::GameOver { outcome } => write!(f, "the game is over: {outcome}"),
            Self::Stale { seen, version } => {
                write!(f, "the game is at version {version}, not {seen}")
            }
            Self::NotYourTurn { mark } => {
                write!(f, "it is not {mark}'s turn: {} to move", mark.other())
            }
            Self::OffBoard { square, shape } => {
                write!(f, "{square} is off the board: {}", Bounds(shape))
            }
            Self::Occupied { square, by } => write!(f, "{square} is taken by {by}"),
            Self::NothingToUndo { made: 0, .. } => {
                f.write_str("nothing to take back: no move was made")
            }
            Self::NothingToUndo { asked, made } => {
                let s = plural(made);
                write!(
                    f,
                    "cannot take back {asked} moves: only {made} move{s} made"
                )
            }
            Self::NothingToRedo { undone: 0, .. } => {
                f.write_str("nothing to play again: no move was taken back")
            }
            Self::NothingToRedo { asked, undone } => {
                let s = plural(undone);
                write!(
                    f,
                    "cannot play {asked} moves again: only {undone} move{s} taken back"
                )
            }
        }
    }
}

impl Error for Refusal {}

/// The text `rows and columns run from 0 to 2`.
pub(crate) struct Bounds(pub(crate) Shape);

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rows, cols) = (self.0.rows() - 1, self.0.cols() - 1);
        if rows == cols {
            write!(f, "rows and columns run from 0 to {rows}")
        } else {
            write!(f, "rows run from 0 to {rows}, columns from 0 to {cols}")
        }
    }
}

/// The error of a replay: one of its moves was refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ReplayError {
    /// The number of the moves before it, which were fine.
    pub index: usize,
    /// The reason of the refusal.
    pub refusal: Refusal,
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "move {}: {}", self.index + 1, self.refusal)
    }
}

impl Error for ReplayError {}

/// The error of a board that no game can reach.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum PositionError {
    /// X must have as many marks as O, or one more.
    Count {
        /// The marks of X.
        x: usize,
        /// The marks of O.
        o: usize,
    },
    /// Both have a line.
    BothHaveLines,
    /// This mark has a line, and yet the other one moved last.
    WentOn(Mark),
    /// No single last move of this mark can have made its lines.
    NotOneMove(Mark),
}

impl fmt::Display for PositionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count { x, o } => write!(
                f,
                "{x} X and {o} O: X must have as many marks as O, or one more"
            ),
            Self::BothHaveLines => f.write_str("both have a line: the first one ends the game"),
            Self::WentOn(mark) => {
                let other = mark.other();
                write!(f, "{mark} has a line, but {other} has moved since")
            }
            Self::NotOneMove(mark) => {
                write!(
                    f,
                    "no single move of {mark} can have completed all of its line"
                )
            }
        }
    }
}

impl Error for PositionError {}
