//! Why a line is no command, in words.

use thiserror::Error;

use super::{MAX_LINE, Verb};
use crate::game::{Mark, ParseMarkError, Shape};

/// The error of a line that is no command. Its words are quoted as [`quoted`] does.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum CommandError {
    /// The first word is no verb. It may have been meant for the `nearest`.
    #[error("unknown command {word}: {}", match nearest {
        Some(nearest) => format!("did you mean \"{nearest}\"?"),
        None => "\"help\" lists the commands".to_owned(),
    })]
    Unknown { word: String, nearest: Option<&'static str> },
    #[error("\"{name}\" needs more: it is written \"{}\"", .0.usage(), name = .0.name())]
    Missing(Verb),
    /// There is a word too many.
    #[error("{word} is too much for \"{}\": it is written \"{}\"", verb.name(), verb.usage())]
    Extra { verb: Verb, word: String },
    /// A word is not of the kind that belongs there.
    #[error("found {word}, expected {expected}")]
    Malformed { word: String, expected: &'static str },
    #[error("{0} has no column: \"replay\" takes rows and columns in pairs")]
    Unpaired(String),
    #[error("the diagram is too large: rows and columns must be 1 to {}", Shape::MAX_SIDE)]
    TooLarge,
    /// A byte that is not UTF-8, and its place in the line, from 1.
    #[error("byte {byte:#04x} at column {column} is not UTF-8: a line is UTF-8 text")]
    NotUtf8 { byte: u8, column: usize },
    #[error("the line is longer than {MAX_LINE} bytes: it was skipped")]
    TooLong,
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

    pub(super) fn malformed(word: &str, expected: &'static str) -> Self {
        Self::Malformed { word: quoted(word), expected }
    }
}

/// Quotes `word` for a message: in double quotes, 64 bytes at most, control characters escaped.
pub fn quoted(word: &str) -> String {
    const MOST: usize = 64;
    let (start, rest) = word.split_at(word.floor_char_boundary(MOST));
    format!("{start:?}{}", if rest.is_empty() { "" } else { "..." })
}
