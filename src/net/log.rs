//! What the server says on standard error.

use std::fmt::Display;
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// The most lines a second.
const MOST: u32 = 10;

/// A writer of lines on standard error, of which so many a second are written.
pub(super) struct Log {
    second: Instant,
    written: u32,
    left_out: u64,
}

impl Log {
    pub(super) fn new() -> Self {
        Self { second: Instant::now(), written: 0, left_out: 0 }
    }

    /// Writes a line, unless there were too many in this second. What was left out is told with the
    /// next line.
    pub(super) fn say(&mut self, text: impl Display) {
        if self.second.elapsed() >= Duration::from_secs(1) {
            (self.second, self.written) = (Instant::now(), 0);
        }
        // One line is for those left out.
        if self.written + 1 + u32::from(self.left_out > 0) > MOST {
            self.left_out += 1;
            return;
        }
        // The games go on where it cannot be written.
        if self.left_out > 0 {
            let _ = writeln!(io::stderr(), "noughts: {} messages left out", self.left_out);
            self.left_out = 0;
            self.written += 1;
        }
        let _ = writeln!(io::stderr(), "noughts: {text}");
        self.written += 1;
    }
}
