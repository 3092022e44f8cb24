//! One line of input, from bytes to words. Nothing else in the program reads a line.

use std::fmt::{self, Write};
use std::mem;

use super::{Command, CommandError};

/// The longest line that is read, in bytes. A longer one is skipped without being held.
pub const MAX_LINE: usize = 16 << 20;

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// A line that asks for something: not blank, and without its end and byte order mark. One that is
/// longer than [`MAX_LINE`] is there as it came.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// The line before its comment.
    command: &'a [u8],
    /// The comment with its `#`, or nothing.
    comment: &'a [u8],
}

impl<'a> Line<'a> {
    /// The line of `bytes`, which end before the `\n`; of more than [`MAX_LINE`] the start is
    /// enough. `None` for a blank line or a comment. A byte order mark is skipped where the line
    /// `is_first` in the input.
    pub fn new(bytes: &'a [u8], is_first: bool) -> Option<Self> {
        if bytes.len() > MAX_LINE {
            return Some(Self { command: bytes, comment: &[] });
        }
        let mark = if is_first { BYTE_ORDER_MARK } else { &[] };
        let bytes = bytes.strip_prefix(mark).unwrap_or(bytes);
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        let command = without_comment(bytes);
        let is_blank = command.iter().all(|byte| is_separator((*byte).into()));
        let comment = bytes.get(command.len()..).unwrap_or_default();
        (!is_blank).then_some(Self { command, comment })
    }

    /// Returns the comment without its `#` and the blanks around it, if that leaves anything. Its
    /// bytes may be any.
    #[must_use]
    pub fn comment(self) -> Option<&'a [u8]> {
        let comment = self.comment.strip_prefix(b"#")?.trim_ascii();
        (!comment.is_empty()).then_some(comment)
    }

    /// The words of the line: none where it is not UTF-8.
    pub fn words(self) -> Words<'a> {
        Words(str::from_utf8(self.command).unwrap_or_default())
    }

    pub fn parse(self) -> Result<Command, CommandError> {
        if self.is_too_long() { Err(CommandError::TooLong) } else { parse(self.command) }
    }

    const fn is_too_long(self) -> bool {
        self.command.len() > MAX_LINE
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
        let (bytes, end) = match self.command.get(..START) {
            Some(start) if self.is_too_long() => (start, "..."),
            _ => (self.command, ""),
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

    /// All that is left, as one piece without the blanks around it.
    pub(super) fn rest(&mut self) -> &'a str {
        mem::take(&mut self.0).trim_start_matches(is_separator).trim_end_matches([' ', '\t'])
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
