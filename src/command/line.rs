//! One line of input, from bytes to words. Nothing else in the program reads a line.

use std::fmt::{self, Write};

use super::{Command, CommandError};

/// The longest line that is read, in bytes. A longer one is skipped without being held.
pub const MAX_LINE: usize = 16 << 20;

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// A line that asks for something: not blank, and without its end, comment and byte order mark.
/// One that is longer than [`MAX_LINE`] is there as it came.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a>(&'a [u8]);

impl<'a> Line<'a> {
    /// The line of `bytes`, which end before the `\n`; of more than [`MAX_LINE`] the start is
    /// enough. `None` for a blank line or a comment. A byte order mark is skipped where the line
    /// `is_first` in the input.
    pub fn new(bytes: &'a [u8], is_first: bool) -> Option<Self> {
        if bytes.len() > MAX_LINE {
            return Some(Self(bytes));
        }
        let mark = if is_first { BYTE_ORDER_MARK } else { &[] };
        let bytes = bytes.strip_prefix(mark).unwrap_or(bytes);
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        let bytes = without_comment(bytes);
        let is_blank = bytes.iter().all(|byte| is_separator((*byte).into()));
        (!is_blank).then_some(Self(bytes))
    }

    /// The words of the line: none where it is not UTF-8.
    pub fn words(self) -> Words<'a> {
        Words(str::from_utf8(self.0).unwrap_or_default())
    }

    pub fn parse(self) -> Result<Command, CommandError> {
        if self.is_too_long() { Err(CommandError::TooLong) } else { parse(self.0) }
    }

    const fn is_too_long(self) -> bool {
        self.0.len() > MAX_LINE
    }
}

/// Parses a line without its end and comment, and with a word at least.
pub fn parse(line: &[u8]) -> Result<Command, CommandError> {
    let text = str::from_utf8(line).map_err(|error| {
        let at = error.valid_up_to();
        let byte = line.get(at).copied().unwrap_or_default();
        CommandError::NotUtf8 { byte, column: at + 1 }
    });
    text?.parse()
}

/// Writes the line as one line of printable text, whatever is in it. A line that is too long is cut
/// to its start.
impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const START: usize = 64;
        let (bytes, end) = match self.0.get(..START) {
            Some(start) if self.is_too_long() => (start, "..."),
            _ => (self.0, ""),
        };
        for char in String::from_utf8_lossy(bytes.trim_ascii()).chars() {
            if char.is_control() && char != '\t' {
                write!(f, "{}", char.escape_debug())?;
            } else {
                f.write_char(char)?;
            }
        }
        f.write_str(end)
    }
}

/// The line up to a `#` at its start or after a blank.
pub fn without_comment(line: &[u8]) -> &[u8] {
    let mut from = 0;
    while let Some(hash) = line.get(from..).and_then(|rest| rest.iter().position(|b| *b == b'#')) {
        let at = from + hash;
        let before = at.checked_sub(1).and_then(|before| line.get(before));
        if matches!(before, None | Some(b' ' | b'\t')) {
            return line.get(..at).unwrap_or(line);
        }
        from = at + 1;
    }
    line
}

/// True for the characters that stand between words: blank, tab and comma.
pub const fn is_separator(c: char) -> bool {
    matches!(c, ' ' | '\t' | ',')
}

/// The words of a line without its comment, in order.
#[derive(Clone, Debug)]
pub struct Words<'a>(&'a str);

impl<'a> Words<'a> {
    /// The words of `text`, which has no comment.
    #[must_use]
    pub const fn new(text: &'a str) -> Self {
        Self(text)
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let separator = |byte: &u8| is_separator(char::from(*byte));
        let start = self.0.bytes().position(|byte| !separator(&byte))?;
        let rest = self.0.get(start..)?;
        let end = rest.bytes().position(|byte| separator(&byte));
        let (word, rest) = rest.split_at_checked(end.unwrap_or(rest.len()))?;
        self.0 = rest;
        Some(word)
    }
}
