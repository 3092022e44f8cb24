//! Tokens: what a client shows to take its seat back.

use std::str::FromStr;

use sha2::{Digest, Sha256};

use crate::command::CommandError;

/// A token, as its SHA-256: the token itself is kept nowhere, and comparing sums tells nobody how
/// much of a guess is right.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Token([u8; 32]);

impl Token {
    const EXPECTED: &'static str = "a token of 16 to 64 letters, digits and .-_";
}

impl FromStr for Token {
    type Err = CommandError;

    /// Reads a token. An error does not quote it.
    fn from_str(word: &str) -> Result<Self, CommandError> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        if (16..=64).contains(&word.len()) && word.bytes().all(is_plain) {
            return Ok(Self(Sha256::digest(word).into()));
        }
        let word = format!("a word of length {}", word.len());
        Err(CommandError::Malformed { word, expected: Self::EXPECTED })
    }
}
