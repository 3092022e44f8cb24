//! What the manager has sent and is not answered yet, read while a search goes on.

use std::collections::VecDeque;
use std::io::{self, BufRead, ErrorKind, Read};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::thread;
use std::time::Instant;

use super::request::{ParseRequestError, Request};

/// A line, read at this moment.
pub struct Line {
    /// What it says.
    pub command: Result<Request, ParseRequestError>,
    /// When it was there.
    pub at: Instant,
}

impl Line {
    /// Whether the state of the game is another one after it.
    const fn is_request(&self) -> bool {
        !matches!(self.command, Ok(Request::Info(_) | Request::About) | Err(_))
    }
}

/// The lines in their order, as far as they are read.
pub struct Input {
    sent: Receiver<io::Result<Line>>,
    /// Those that were looked at during a search and left for later.
    waiting: VecDeque<Line>,
    /// Whether `END` or the end of the input has been seen.
    is_ending: bool,
    /// Why the input ended, where it could not be read on.
    failure: Option<io::Error>,
}

/// The longest line that is understood, in bytes. Of a longer one the rest is passed over.
const MAX_LINE: u64 = 4096;

/// So many lines are held at most: far more than a manager sends before it waits for an answer.
const MOST_HELD: usize = 1024;

impl Input {
    /// Reads `input` from now on, on a thread of its own, until it ends or cannot be read. What is
    /// blank is no line.
    pub fn open(input: impl BufRead + Send + 'static) -> Self {
        let (sender, sent) = sync_channel(MOST_HELD);
        // It cannot be waited for: a manager that goes away silently never ends the input.
        thread::spawn(move || read(input, &sender));
        Self {
            sent,
            waiting: VecDeque::new(),
            is_ending: false,
            failure: None,
        }
    }

    /// The next line, waiting for it: `None` at the end of the input.
    pub fn next(&mut self) -> Option<Line> {
        if let Some(line) = self.waiting.pop_front() {
            return Some(line);
        }
        let sent = self.sent.recv().ok()?;
        sent.map_err(|error| self.failure = Some(error)).ok()
    }

    /// Why the input ended, where it could not be read on.
    pub fn failure(self) -> Option<io::Error> {
        self.failure
    }

    /// Puts a line back that is to be the next again.
    pub fn put_back(&mut self, line: Line) {
        self.waiting.push_front(line);
    }

    /// Whether the end is in sight: nobody waits for a good answer any more.
    pub const fn is_ending(&self) -> bool {
        self.is_ending
    }

    /// Looks at the lines that have come since, without waiting. Those of which `take` says that
    /// it has dealt with them are gone; what comes after a request that has to wait is not for now.
    pub fn look(&mut self, mut take: impl FnMut(&Request) -> bool) {
        while self.waiting.len() < MOST_HELD {
            match self.sent.try_recv() {
                Ok(Ok(line)) => {
                    self.is_ending |= line.command == Ok(Request::End);
                    let is_for_now = !self.waiting.iter().any(Line::is_request);
                    if !(is_for_now && line.command.as_ref().is_ok_and(&mut take)) {
                        self.waiting.push_back(line);
                    }
                }
                Ok(Err(error)) => self.failure = Some(error),
                Err(TryRecvError::Empty) => return,
                Err(TryRecvError::Disconnected) => {
                    self.is_ending = true;
                    return;
                }
            }
        }
    }
}

fn read(mut input: impl BufRead, lines: &SyncSender<io::Result<Line>>) {
    while let Some(text) = read_line(&mut input).transpose() {
        let line = text.map(|text| {
            let at = Instant::now();
            let text = String::from_utf8_lossy(&text);
            let command = (!text.trim().is_empty()).then(|| text.parse())?;
            Some(Line { command, at })
        });
        // Input that cannot be read on has ended, and so has one that nobody listens to.
        let is_last = line.is_err();
        let is_over = line
            .transpose()
            .is_some_and(|line| lines.send(line).is_err());
        if is_last || is_over {
            return;
        }
    }
}

/// The next line, or as much of it as is understood: `None` at the end of the input.
fn read_line(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    input.take(MAX_LINE).read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Ok(None);
    }
    let mut is_whole = line.ends_with(b"\n");
    while !is_whole {
        let rest = match input.fill_buf() {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            rest => rest?,
        };
        let end = rest.iter().position(|byte| *byte == b'\n');
        is_whole = end.is_some() || rest.is_empty();
        let passed = end.map_or(rest.len(), |end| end + 1);
        input.consume(passed);
    }
    Ok(Some(line))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    #[test]
    fn lines_come_in_order_whatever_ends_them_and_however_long_they_are() {
        let long = "x".repeat(100_000);
        let input = format!("BEGIN\r\n\n  \n{long}\nDONE {long}\nEND");
        let mut input = Input::open(io::Cursor::new(input));
        let mut commands = Vec::new();
        while let Some(line) = input.next() {
            commands.push(line.command);
        }
        assert_eq!(commands.len(), 4);
        assert_eq!(commands[0], Ok(Request::Begin));
        assert!(
            matches!(&commands[1], Err(ParseRequestError::Unknown(word)) if word.len() == 4096)
        );
        assert_eq!(commands[2], Err(ParseRequestError::Wants("DONE")));
        assert_eq!(commands[3], Ok(Request::End));
    }

    #[test]
    fn what_a_search_leaves_is_next_and_the_end_is_seen_from_afar() {
        let mut input = Input::open(io::Cursor::new("ABOUT\nRESTART\nEND\nBEGIN\n"));
        while !input.is_ending() {
            input.look(|command| *command == Request::About);
        }
        let line = input.next().unwrap();
        assert_eq!(line.command, Ok(Request::Restart));
        input.put_back(line);
        let rest: Vec<_> = std::iter::from_fn(|| input.next())
            .map(|line| line.command.unwrap())
            .collect();
        assert_eq!(rest, [Request::Restart, Request::End, Request::Begin]);
    }
}
