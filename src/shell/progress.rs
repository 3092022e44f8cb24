//! The progress line of a search, and Ctrl-C during one.

use std::cell::Cell;
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use terminal_size::terminal_size_of;

use crate::search::Progress;

/// The progress of a search for the person who waits: a line on standard error tells how far it is,
/// and Ctrl-C stops it.
pub(super) struct ProgressLine {
    /// Set by Ctrl-C.
    pub(super) is_interrupted: Arc<AtomicBool>,
    /// The time at which the line is written next.
    next: Cell<Instant>,
    is_shown: Cell<bool>,
}

impl ProgressLine {
    /// The time before the first line.
    const PATIENCE: Duration = Duration::from_millis(500);

    /// The time from one line to the next.
    const EVERY: Duration = Duration::from_millis(100);

    pub(super) fn new() -> Self {
        Self {
            is_interrupted: Arc::default(),
            next: Cell::new(Instant::now() + Self::PATIENCE),
            is_shown: Cell::new(false),
        }
    }

    /// Begins anew: a line was typed.
    pub(super) fn begin(&self) {
        self.is_interrupted.store(false, Ordering::Relaxed);
        self.next.set(Instant::now() + Self::PATIENCE);
    }

    /// Hears how far the search is. True where it is to stop.
    pub(super) fn hear(&self, progress: Progress) -> bool {
        let now = Instant::now();
        if now >= self.next.get() && io::stderr().is_terminal() {
            self.next.set(now + Self::EVERY);
            self.is_shown.set(true);
            let mut line = spell(progress);
            // The window may have changed since the last line.
            let cols = terminal_size_of(io::stderr()).map_or(80, |(cols, _)| cols.0.into());
            line.truncate(usize::saturating_sub(cols, ROOM_FOR_CTRL_C));
            overwrite(&line);
        }
        self.is_interrupted.load(Ordering::Relaxed)
    }

    /// Makes way for a reply: wipes the line, and the `^C` that a terminal shows.
    pub(super) fn end(&self) {
        if self.is_shown.take() || self.is_interrupted.load(Ordering::Relaxed) {
            overwrite("");
        }
        self.next.set(Instant::now() + Self::PATIENCE);
    }
}

/// The columns left free: a terminal shows `^C` after the line, and a full line would wrap.
const ROOM_FOR_CTRL_C: usize = 3;

/// Writes `line` on standard error in place of what is on that line.
fn overwrite(line: &str) {
    let mut stderr = io::stderr();
    // The game does not depend on it.
    let _ = write!(stderr, "\r\x1b[K{line}").and_then(|()| stderr.flush());
}

/// `searching: depth 6, 123456 nodes, 7 7 so far (Ctrl-C stops)`, as far as it is known, in ASCII.
fn spell(Progress { nodes, depth, best }: Progress) -> String {
    let known = [
        (depth > 0).then(|| format!("depth {depth}")),
        (nodes > 0).then(|| format!("{nodes} nodes")),
        best.map(|square| format!("{square} so far")),
    ];
    let known: Vec<String> = known.into_iter().flatten().collect();
    let colon = if known.is_empty() { "" } else { ": " };
    format!("searching{colon}{} (Ctrl-C stops)", known.join(", "))
}
