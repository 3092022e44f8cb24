//! Lines folded to the width of the terminal.

use std::io::{self, Write};

use textwrap::Options;
use textwrap::core::display_width;

/// A writer that folds each line which is wider than the terminal, at blanks. What follows is set
/// in, so that it does not look like a line of its own.
///
/// Each call of `write` holds whole lines.
pub(super) struct Fold<W> {
    pub(super) out: W,
    /// The width of the terminal.
    pub(super) cols: usize,
}

impl<W: Write> Write for Fold<W> {
    fn write(&mut self, lines: &[u8]) -> io::Result<usize> {
        for line in lines.split_inclusive(|byte| *byte == b'\n') {
            match str::from_utf8(line) {
                // Bytes are no fewer than columns.
                Ok(line)
                    if line.len() > self.cols && display_width(line.trim_end()) > self.cols =>
                {
                    let indent = line.len() - line.trim_start_matches(' ').len();
                    let indent = " ".repeat((indent + 2).min(self.cols / 2));
                    let options = Options::new(self.cols).subsequent_indent(&indent);
                    self.out.write_all(textwrap::fill(line, options).as_bytes())?;
                }
                _ => self.out.write_all(line)?,
            }
        }
        Ok(lines.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
