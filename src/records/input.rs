//! Input: lines of bounded length, and bytes as text.

use std::io::{self, BufRead, Read};

use crate::command::MAX_LINE;

/// The lines of an input, each without its end. The byte order mark of the first is skipped.
pub(super) struct Lines<R> {
    input: R,
    buffer: Vec<u8>,
    number: u64,
}

impl<R: BufRead> Lines<R> {
    pub(super) const fn new(input: R) -> Self {
        Self { input, buffer: Vec::new(), number: 0 }
    }

    /// Returns the next line and its number, 1-based. A line of more than [`MAX_LINE`] bytes is cut
    /// to a start that is longer than that too.
    pub(super) fn next(&mut self) -> io::Result<Option<(&[u8], u64)>> {
        const MOST: u64 = MAX_LINE as u64 + 2;
        self.buffer.clear();
        let read = self.input.by_ref().take(MOST).read_until(b'\n', &mut self.buffer)?;
        if read == 0 {
            return Ok(None);
        }
        if self.buffer.pop_if(|byte| *byte == b'\n').is_none() && read as u64 == MOST {
            self.input.skip_until(b'\n')?;
        }
        self.buffer.pop_if(|byte| *byte == b'\r');
        self.number += 1;
        let line = self.buffer.as_slice();
        let line = if self.number == 1 { without_mark(line) } else { line };
        Ok(Some((line, self.number)))
    }
}

/// Returns the bytes after a byte order mark.
pub(super) fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes)
}

/// Returns the text of `bytes` on one line, without blanks around it.
pub(super) fn line_of_text(bytes: &[u8]) -> String {
    text(bytes).replace(char::is_control, " ").trim().to_owned()
}

/// Returns the text of `bytes`: UTF-8 where they are that, else Windows-1252, in which older
/// programs write names.
pub(super) fn text(bytes: &[u8]) -> String {
    /// The characters 0x80 to 0x9f. The other ones are those of Unicode; five are none.
    const HIGH: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž',
        '\u{8f}', '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}',
        'ž', 'Ÿ',
    ];
    let char = |byte: &u8| match byte {
        0x80..0xa0 => HIGH.get(usize::from(byte - 0x80)).copied().unwrap_or_default(),
        _ => char::from(*byte),
    };
    str::from_utf8(bytes).map_or_else(|_| bytes.iter().map(char).collect(), str::to_owned)
}
