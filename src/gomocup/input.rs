//! The input from the manager, read on a thread of its own.

use std::collections::VecDeque;
use std::io::{self, BufRead, Read};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::thread;
use std::time::Instant;

use super::request::{Request, RequestError};

/// A line of the input.
pub struct Line {
    pub request: Result<Request, RequestError>,
    /// When it was read.
    pub at: Instant,
}

/// The lines that the manager sends, up to `END` or the end of the input. Blank lines are skipped.
pub struct Input {
    sent: Receiver<io::Result<Line>>,
    /// Lines that [`look`](Self::look) left for later.
    waiting: VecDeque<Line>,
    failure: Option<io::Error>,
    /// Tells whether the manager reads no more.
    is_gone: Box<dyn Fn() -> bool>,
}

/// The longest line in bytes. The rest of a longer one is skipped.
const MAX_LINE: u64 = 4096;

/// The most lines held at a time, far more than a manager sends before it waits for a response.
const MAX_HELD: usize = 1024;

impl Input {
    /// Starts to read `input`, which also ends, for a search, when the manager `is_gone`.
    pub fn open(
        input: impl BufRead + Send + 'static,
        is_gone: impl Fn() -> bool + 'static,
    ) -> Self {
        let (sender, sent) = sync_channel(MAX_HELD);
        // The thread is never joined: where no END comes, it may read for ever.
        let spawned = thread::Builder::new().spawn(move || read(input, &sender));
        // Without the thread nothing is ever sent, and this is why.
        let failure = spawned.err().map(|error| {
            io::Error::new(error.kind(), format!("no thread can be started to read it: {error}"))
        });
        Self { sent, waiting: VecDeque::new(), failure, is_gone: Box::new(is_gone) }
    }

    /// Waits for the next line. `None` is the end of the input.
    pub fn next(&mut self) -> Option<Line> {
        if let Some(line) = self.waiting.pop_front() {
            return Some(line);
        }
        let line = self.sent.recv().ok()?;
        line.map_err(|error| self.failure = Some(error)).ok()
    }

    /// The error that ended the input, if one did.
    pub fn failure(self) -> Option<io::Error> {
        self.failure
    }

    /// Makes `line` the next one again.
    pub fn put_back(&mut self, line: Line) {
        self.waiting.push_front(line);
    }

    /// Offers the lines that have come to `take`, without waiting, and returns whether the input
    /// has ended. A line stays where `take` answers false, or where it comes after a request that
    /// stays: it may depend on what that does.
    pub fn look(&mut self, mut take: impl FnMut(&Request) -> bool) -> bool {
        let keeps_order =
            |line: &Line| matches!(line.request, Ok(Request::Info(_) | Request::About) | Err(_));
        while self.waiting.len() < MAX_HELD {
            match self.sent.try_recv() {
                Ok(Ok(line)) => {
                    let is_offered = self.waiting.iter().all(keeps_order);
                    if !(is_offered && line.request.as_ref().is_ok_and(&mut take)) {
                        self.waiting.push_back(line);
                    }
                }
                Ok(Err(error)) => self.failure = Some(error),
                Err(TryRecvError::Empty) => return (self.is_gone)(),
                Err(TryRecvError::Disconnected) => return true,
            }
        }
        false
    }
}

/// Sends the lines of `input` until `END`, the end, or an error, or until nobody receives them.
fn read(mut input: impl BufRead, lines: &SyncSender<io::Result<Line>>) {
    while let Some(text) = read_line(&mut input).transpose() {
        let at = Instant::now();
        if text.as_ref().is_ok_and(|text| text.trim().is_empty()) {
            continue;
        }
        let line = text.map(|text| Line { request: text.parse(), at });
        let goes_on = line.as_ref().is_ok_and(|line| line.request != Ok(Request::End));
        if lines.send(line).is_err() || !goes_on {
            return;
        }
    }
}

/// Reads a line, or its first [`MAX_LINE`] bytes: `None` at the end of the input.
fn read_line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    input.take(MAX_LINE).read_until(b'\n', &mut line)?;
    if !line.ends_with(b"\n") {
        input.skip_until(b'\n')?;
    }
    Ok((!line.is_empty()).then(|| String::from_utf8_lossy(&line).into_owned()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    #[test]
    fn lines_come_in_order_whatever_ends_them_and_however_long_they_are() {
        let long = "x".repeat(100_000);
        let text = format!("BEGIN\r\n\n  \n{long}\nDONE {long}\nEND");
        let mut input = Input::open(io::Cursor::new(text), || false);
        let requests: Vec<_> =
            std::iter::from_fn(|| input.next()).map(|line| line.request).collect();
        assert_eq!(requests.len(), 4);
        assert_eq!(requests[0], Ok(Request::Begin));
        assert!(matches!(&requests[1], Err(RequestError::Unknown(word)) if word.len() == 4096));
        assert_eq!(requests[2], Err(RequestError::Expected("DONE")));
        assert_eq!(requests[3], Ok(Request::End));
    }

    #[test]
    fn a_look_leaves_the_order_and_sees_the_end() {
        let text = "ABOUT\nRESTART\nABOUT\nEND\nBEGIN\n";
        let mut input = Input::open(io::Cursor::new(text), || false);
        while !input.look(|request| *request == Request::About) {}
        let line = input.next().unwrap();
        assert_eq!(line.request, Ok(Request::Restart));
        input.put_back(line);
        let rest: Vec<_> =
            std::iter::from_fn(|| input.next()).map(|line| line.request.unwrap()).collect();
        assert_eq!(rest, [Request::Restart, Request::About, Request::End]);
    }
}
