//! Why a line is no command, in words.

use std::fmt;

use super::Verb;
use crate::game::{Mark, ParseMarkError, Shape};

/// The error of a line that is no command. Its words are quoted as [`quoted`] does.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum CommandError {
    /// The first word is no verb.
    Unknown {
        /// The word, quoted.
        word: String,
        /// A word that it may have been meant for.
        nearest: Option<&'static str>,
    },
    /// An argument is missing.
    Missing(Verb),
    /// There is a word too many.
    Extra {
        /// The command.
        verb: Verb,
        /// The word, quoted.
        word: String,
    },
    /// A word is not of the kind that belongs there.
    Malformed {
        /// The word, quoted.
        word: String,
        /// A description of what would be right.
        expected: &'static str,
    },
    /// A row without its column.
    Unpaired {
        /// The row, quoted.
        word: String,
    },
    /// A diagram with more rows or columns than a board can have.
    TooLarge,
    /// A byte that is not UTF-8.
    NotUtf8 {
        /// The byte.
        byte: u8,
        /// Its place in the line, 1-based.
        column: usize,
    },
    /// A line of more bytes than are read.
    TooLong {
        /// The most bytes that a line may have.
        most: usize,
    },
}

impl CommandError {
    pub(super) fn unknown(word: &str) -> Self {
        // A mark alone is a move without its verb.
        let nearest = match word.parse() {
            Ok(Mark::X) => Some("play X"),
            Ok(Mark::O) => Some("play O"),
            Err(ParseMarkError) => Verb::nearest(word),
        };
        Self::Unknown { word: quoted(word), nearest }
    }

    /// The verb of a command that was understood, but is beyond a limit.
    #[must_use]
    pub const fn verb(&self) -> Option<Verb> {
        match self {
            Self::TooLarge => Some(Verb::Position),
            _ => None,
        }
    }

    pub(super) fn malformed(word: &str, expected: &'static str) -> Self {
        Self::Malformed { word: quoted(word), expected }
    }
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { word, nearest: Some(nearest) } => {
                write!(f, "unknown command {word}: did you mean \"{nearest}\"?")
            }
            Self::Unknown { word, nearest: None } => {
                write!(f, "unknown command {word}: \"help\" lists the commands")
            }
            Self::Missing(verb) => {
                write!(f, "\"{}\" needs more: it is written \"{}\"", verb.name(), verb.usage())
            }
            Self::Extra { verb, word } => {
                write!(
                    f,
                    "{word} is too much for \"{}\": it is written \"{}\"",
                    verb.name(),
                    verb.usage()
                )
            }
            Self::Malformed { word, expected } => write!(f, "found {word}, expected {expected}"),
            Self::Unpaired { word } => {
                write!(f, "{word} has no column: \"replay\" takes rows and columns in pairs")
            }
            Self::TooLarge => write!(
                f,
                "the diagram is too large: rows and columns must be 1 to {}",
                Shape::MAX_SIDE
            ),
            Self::NotUtf8 { byte, column } => {
                write!(f, "byte {byte:#04x} at column {column} is not UTF-8: a line is UTF-8 text")
            }
            Self::TooLong { most } => {
                write!(f, "the line is longer than {most} bytes: it was skipped")
            }
        }
    }
}

impl std::error::Error for CommandError {}

/// Quotes `word` for a message: in double quotes, 64 bytes at most, control characters escaped.
#[must_use]
pub fn quoted(word: &str) -> String {
    const MOST: usize = 64;
    let end = word.floor_char_boundary(MOST);
    match word.split_at(end) {
        (word, "") => format!("{word:?}"),
        (start, _) => format!("{start:?}..."),
    }
}
