//! The errors of requests, each a response.

use std::error::Error;
use std::fmt;

use super::FIVE;
use super::request::Point;
use crate::command::quoted;
use crate::game::Shape;

/// The reason why a request is not carried out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RequestError {
    /// No command has this name.
    Unknown(String),
    /// The arguments differ from this usage.
    Expected(&'static str),
    /// A line of a board is not `x,y,whose`.
    ExpectedWhose,
    /// Another request comes before the end of a list.
    ExpectedDone,
    /// This many marks are no swap2 opening.
    Swap2(usize),
    /// The board would be too small or too large.
    Size,
    /// The rule is not supported.
    Rule(String),
    NoBoard,
    OffBoard(Point),
    Occupied(Point),
    Empty(Point),
    GameOver,
    Full,
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_unknown = matches!(self, Self::Unknown(_));
        f.write_str(if is_unknown { "UNKNOWN " } else { "ERROR " })?;
        match self {
            Self::Unknown(word) => write!(f, "command {}", quoted(word)),
            Self::Expected(usage) => write!(f, "expected \"{usage}\""),
            Self::ExpectedWhose => f.write_str(
                "expected \"x,y,whose\", where 1 is an own mark, 2 the other side's, 3 nobody's",
            ),
            Self::ExpectedDone => f.write_str("expected \"DONE\" at the end of the board"),
            Self::Swap2(marks) => {
                write!(f, "expected none, 3 or 5 marks of a swap2 opening, not {marks}")
            }
            Self::Size => {
                let max = Shape::MAX_SIDE;
                write!(f, "a side of the board must be {FIVE} to {max}")
            }
            Self::Rule(rule) => write!(
                f,
                "rule {} is not supported: 0 is five or more in a row, 1 is exactly five",
                quoted(rule)
            ),
            Self::NoBoard => f.write_str("there is no board yet: \"START size\" makes one"),
            Self::OffBoard(point) => write!(f, "{point} is off the board"),
            Self::Occupied(point) => write!(f, "{point} is taken"),
            Self::Empty(point) => write!(f, "{point} is empty"),
            Self::GameOver => f.write_str("the game is over"),
            Self::Full => f.write_str("the board is full"),
        }
    }
}

impl Error for RequestError {}
