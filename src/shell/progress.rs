//! The progress line of a search, and Ctrl-C during one.

use std::cell::Cell;
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use terminal_size::terminal_size_of;

use crate::command::Coords;
use crate::game::Shape;
use crate::limit::Wish;
use crate::search::Progress;
use crate::session::Session;

/// The progress of a search for the person who waits: a line on standard error tells how far it is,
/// and Ctrl-C stops it: the first ends it with its best so far, the second gives it up.
pub(super) struct ProgressLine {
    /// Set by Ctrl-C.
    pub(super) interrupt: Arc<AtomicBool>,
    /// What Ctrl-C asked for since the line was typed.
    wish: Cell<Wish>,
    /// The board of the search, and how its squares are named.
    names: Cell<(Coords, Shape)>,
    /// The time at which the line is written next.
    next: Cell<Instant>,
    is_shown: Cell<bool>,
}

impl ProgressLine {
    /// The time before the first line.
    const PATIENCE: Duration = Duration::from_millis(500);

    /// The time from one line to the next.
    const EVERY: Duration = Duration::from_millis(100);

    pub(super) fn new(session: &Session) -> Self {
        Self {
            interrupt: Arc::default(),
            wish: Cell::new(Wish::GoOn),
            names: Cell::new(names(session)),
            next: Cell::new(Instant::now() + Self::PATIENCE),
            is_shown: Cell::new(false),
        }
    }

    /// Begins anew: a line was typed.
    pub(super) fn begin(&self) {
        self.interrupt.store(false, Ordering::Relaxed);
        self.wish.set(Wish::GoOn);
        self.next.set(Instant::now() + Self::PATIENCE);
    }

    /// Returns what Ctrl-C asked for since the line was typed.
    pub(super) fn wish(&self) -> Wish {
        if self.interrupt.swap(false, Ordering::Relaxed) {
            let is_first = self.wish.get() == Wish::GoOn;
            self.wish.set(if is_first { Wish::AnswerNow } else { Wish::GiveUp });
        }
        self.wish.get()
    }

    /// Hears how far the search is, and says whether it is to go on.
    pub(super) fn hear(&self, progress: Progress) -> Wish {
        let now = Instant::now();
        if now >= self.next.get() && io::stderr().is_terminal() {
            self.next.set(now + Self::EVERY);
            self.is_shown.set(true);
            let mut line = spell(progress, self.names.get());
            // The window may have changed since the last line.
            let cols = terminal_size_of(io::stderr()).map_or(80, |(cols, _)| cols.0.into());
            line.truncate(usize::saturating_sub(cols, ROOM_FOR_CTRL_C));
            overwrite(&line);
        }
        self.wish()
    }

    /// Makes way for a reply: wipes the line, and the `^C` that a terminal shows. The next search
    /// is one of `session` as it stands.
    pub(super) fn end(&self, session: &Session) {
        if self.is_shown.take() || self.wish() != Wish::GoOn {
            overwrite("");
        }
        self.names.set(names(session));
        self.next.set(Instant::now() + Self::PATIENCE);
    }
}

fn names(session: &Session) -> (Coords, Shape) {
    (session.coords(), session.game().board().shape())
}

/// The columns left free: a terminal shows `^C` after the line, and a full line would wrap.
const ROOM_FOR_CTRL_C: usize = 3;

/// Writes `line` on standard error in place of what is on that line.
fn overwrite(line: &str) {
    let mut stderr = io::stderr();
    // The game does not depend on it.
    let _ = write!(stderr, "\r\x1b[K{line}").and_then(|()| stderr.flush());
}

/// `searching (Ctrl-C stops): 7 7 so far, depth 6, 123456 nodes`, as far as it is known, in ASCII.
/// A narrow window cuts off its end.
fn spell(Progress { nodes, depth, best }: Progress, (coords, shape): (Coords, Shape)) -> String {
    let known = [
        best.map(|square| format!("{} so far", coords.name(square, shape))),
        (depth > 0).then(|| format!("depth {depth}")),
        (nodes > 0).then(|| format!("{nodes} nodes")),
    ];
    let known: Vec<String> = known.into_iter().flatten().collect();
    let colon = if known.is_empty() { "" } else { ": " };
    format!("searching (Ctrl-C stops){colon}{}", known.join(", "))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;
    use crate::session::Setup;

    #[test]
    fn the_first_interrupt_of_a_line_wants_the_answer_and_the_second_gives_up() {
        let progress = ProgressLine::new(&Session::new(&Setup::default()).unwrap());
        for _ in 0..2 {
            progress.begin();
            assert_eq!(progress.wish(), Wish::GoOn);
            for wish in [Wish::AnswerNow, Wish::GiveUp, Wish::GiveUp] {
                progress.interrupt.store(true, Ordering::Relaxed);
                assert_eq!(progress.wish(), wish);
                assert_eq!(progress.wish(), wish);
            }
        }
    }
}
