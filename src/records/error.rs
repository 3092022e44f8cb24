//! The reasons why a game cannot be read or written, and what a reader of records should know.

use std::fmt;
use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::Format;
use crate::command::{CommandError, MAX_LINE, quoted};
use crate::game::{Mark, Outcome, ReplayError, Shape, ShapeError};

/// The error of a game that cannot be read. It says what was found and what would be right.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// A line of a script is no command.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// No board has this shape.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A move is refused.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// A line is no JSON.
    #[error("not JSON: {}", .0.to_string().replace(" at line 1 column", " at column"))]
    Json(#[from] serde_json::Error),
    /// A piece of the input is not of the kind that belongs there.
    #[error("found {found}, expected {expected}")]
    Malformed {
        /// The piece, quoted.
        found: String,
        /// A description of what would be right.
        expected: &'static str,
    },
    /// A piece is not there.
    #[error("{0} is missing")]
    Missing(&'static str),
    /// A square is off the board.
    #[error("{square} is off the board of {} x {}", shape.rows(), shape.cols())]
    OffBoard {
        /// The square, quoted.
        square: String,
        /// The board that it is not on.
        shape: Shape,
    },
    /// A move is not by the mark whose turn it is.
    #[error("move {number} is {}'s, expected {}'s: black is X and moves first", color(*mark), color(mark.other()))]
    NotAlternating {
        /// The number of the move, 1-based.
        number: usize,
        /// The mark of the move.
        mark: Mark,
    },
    /// A move is a pass.
    #[error("move {number} is a pass, expected a point: each move places a stone")]
    Pass {
        /// The number of the move, 1-based.
        number: usize,
    },
    /// The stones that are set up are no start of a game.
    #[error(
        "{black} AB and {white} AW stones are set up: a record needs as many of each, or one black \
         more, and no line of them"
    )]
    Setup {
        /// The number of black stones.
        black: usize,
        /// The number of white stones.
        white: usize,
    },
    /// Stones are set up or taken away in the course of the game.
    #[error("{0} after the first move: stones cannot be set up within a game")]
    LateSetup(&'static str),
    /// The number of moves is another one than the record says.
    #[error("the length is {stated}, but the number of moves is {found}")]
    Length {
        /// The length that is stated.
        stated: u64,
        /// The number of moves.
        found: usize,
    },
    /// A row has another number of fields than there are columns.
    #[error("{found} fields, expected {expected}: one a column")]
    Fields {
        /// The number of fields.
        found: usize,
        /// The number of columns.
        expected: usize,
    },
    /// A game or a line is beyond the limit.
    #[error("longer than {MAX_LINE} bytes: it was skipped")]
    TooLong,
    /// A text is not UTF-8.
    #[error("not UTF-8: expected UTF-8 text")]
    NotUtf8,
}

impl ReadError {
    pub(super) fn malformed(found: &str, expected: &'static str) -> Self {
        Self::Malformed { found: quoted(found), expected }
    }
}

/// The name that SGF has for a mark.
const fn color(mark: Mark) -> &'static str {
    match mark {
        Mark::X => "black",
        Mark::O => "white",
    }
}

/// The error of a game that cannot be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The format has no room for the board.
    #[error("{format} has boards of at most {most} x {most}: found {} x {}", shape.rows(), shape.cols())]
    TooLarge {
        /// The name of the format.
        format: &'static str,
        /// The longest side.
        most: u16,
        /// The board.
        shape: Shape,
    },
    /// The output fails.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// What the reader of a record should know: the record says it otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Note {
    /// Moves after the end of the game were cut off.
    Cut {
        /// The number of these moves.
        count: usize,
        /// The end of the game.
        outcome: Outcome,
    },
    /// The record states another result than its moves have.
    Result {
        /// The result that is stated.
        stated: Outcome,
        /// The result of the moves.
        outcome: Outcome,
    },
    /// There are variations.
    Variations,
    /// Stones that are set up were taken for moves.
    Setup,
    /// The record calls itself a game of go.
    Go,
    /// The record is one of renju.
    Renju,
    /// A game has columns that the first one has not.
    Columns,
    /// The format that is written has no room for how many in a row win.
    Rule {
        /// The format.
        format: Format,
        /// The marks in a row.
        k: u16,
        /// True where a reader knows them all the same.
        is_k_said: bool,
        /// True where a longer run does not win.
        is_exact: bool,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cut { count: 1, outcome } => {
                write!(f, "1 move after the end is cut off: {outcome}")
            }
            Self::Cut { count, outcome } => {
                write!(f, "{count} moves after the end are cut off: {outcome}")
            }
            Self::Result { stated, outcome } => {
                write!(f, "the record says that {stated}, but by its moves {outcome}")
            }
            Self::Variations => f.write_str("the variations are left out: the main line is read"),
            Self::Setup => {
                f.write_str("the stones that are set up are taken for moves, in their order")
            }
            Self::Go => f.write_str("GM[1] is go: it is read as k in a row"),
            Self::Renju => {
                f.write_str("RU[Renju] is read as k in a row: moves that renju forbids count")
            }
            Self::Columns => f.write_str("columns that the first game has not are left out"),
            Self::Rule { format, k, is_k_said, is_exact } => {
                let exactly = if *is_exact { "exactly " } else { "" };
                let flag = if *is_k_said { String::new() } else { format!(" -k {k}") };
                let exact = if *is_exact { " --exact" } else { "" };
                let format = format.name();
                write!(f, "{format} does not say {exactly}{k} in a row: read it with{flag}{exact}")
            }
        }
    }
}

/// The error that ends a conversion.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ConvertError {
    /// The input cannot be read.
    #[error(transparent)]
    Read(io::Error),
    /// Standard output cannot be written.
    #[error(transparent)]
    Write(io::Error),
    /// A file of the folder cannot be written.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        error: io::Error,
    },
    /// More than one picture for one output.
    #[error("svg is one picture a game, and there is more than one: --out DIR takes them all")]
    SeveralPictures,
}
