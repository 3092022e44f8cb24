//! A connection: its lines go to the hall, its replies come back.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::io;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use tokio::task::yield_now;
use tokio::time::timeout;

use super::listener::Stream;
use super::serve::Server;
use crate::hall::{Closed, Id, MAX_LINE};

/// A connection with so many bytes of replies that it has not read is not read from.
const MOST_UNREAD: usize = 64 << 10;

/// The lines of a connection that are answered before it is the turn of others.
const LINES: usize = 32;

/// The number of bytes that are read at a time.
pub(super) const BLOCK: usize = 8 << 10;

/// The longest that a line may take from its first byte, and replies that nobody reads.
const SLOW: Duration = Duration::from_secs(30);

/// The longest time without a line.
const IDLE: Duration = Duration::from_mins(10);

/// The time in which a client may read the last reply, and the most bytes that are read meanwhile:
/// a socket that is closed with something unread loses what was written.
const LINGER: Duration = Duration::from_secs(1);
const MOST_LINGERED: usize = 1 << 20;

/// What others know of a connection.
pub(super) struct Peer {
    waker: RefCell<Option<Waker>>,
    is_woken: Cell<bool>,
    /// When the last bytes were read.
    heard: Cell<Instant>,
    /// When the first byte of a line was read that is not whole.
    begun: Cell<Option<Instant>>,
    /// Since when replies could not be written.
    stuck: Cell<Option<Instant>>,
    /// True where it ends without its last replies.
    is_given_up: Cell<bool>,
}

impl Peer {
    pub(super) const fn new(now: Instant) -> Self {
        Self {
            waker: RefCell::new(None),
            is_woken: Cell::new(false),
            heard: Cell::new(now),
            begun: Cell::new(None),
            stuck: Cell::new(None),
            is_given_up: Cell::new(false),
        }
    }

    /// Lets the connection look at its replies.
    pub(super) fn wake(&self) {
        self.is_woken.set(true);
        if let Some(waker) = &*self.waker.borrow() {
            waker.wake_by_ref();
        }
    }

    /// The reason to close the connection, if it has been too slow or silent. One that
    /// `is_waiting` may be silent. One that reads nothing does not read the reason either.
    pub(super) fn fault(&self, now: Instant, is_waiting: bool) -> Option<Closed> {
        if is_waiting {
            self.heard.set(now);
        }
        let since = |start: Instant| now.saturating_duration_since(start);
        let is_slow = |start: Option<Instant>| start.is_some_and(|start| since(start) >= SLOW);
        if is_slow(self.stuck.get()) {
            self.is_given_up.set(true);
            return Some(Closed::Slow);
        }
        if is_slow(self.begun.get()) {
            return Some(Closed::Slow);
        }
        (since(self.heard.get()) >= IDLE).then_some(Closed::Idle)
    }
}

/// What happened on a connection.
enum Event {
    /// There may be something to do.
    Woken,
    /// So many bytes were read: none at the end of the input.
    Read(usize),
    /// All is written, and the connection ends.
    Written,
}

/// Holds the conversation with a client, from its first byte to its last.
pub(super) async fn converse(server: &Rc<Server>, id: Id, peer: &Peer, mut stream: Stream) {
    let mut input = Input::default();
    let mut is_over = false;
    loop {
        let has_more = server.answer(id, &mut input);
        if !has_more && (is_over || server.is_ending.get()) && !server.hall.borrow().is_paused(id) {
            // The last line needs no end.
            if let Some(line) = input.rest() {
                server.hall.borrow_mut().line(id, line);
                input = Input::default();
            }
            server.hall.borrow_mut().end(id);
            if server.is_ending.get() {
                server.hall.borrow_mut().close(id, Closed::Shutdown);
            }
        }
        peer.begun.set(if input.is_empty() || has_more {
            None
        } else {
            peer.begun.get().or(Some(server.now.get()))
        });
        server.spread();
        if server.hall.borrow().is_dirty() {
            // Whoever is ready as well has its changes kept by the same write.
            yield_now().await;
            if !server.commit() {
                return;
            }
        } else if has_more {
            yield_now().await;
        }
        let event =
            poll_fn(|context| poll(server, id, peer, &mut stream, context, (is_over, has_more)));
        match event.await {
            Ok(Event::Woken) => {}
            Ok(Event::Read(0)) => is_over = true,
            Ok(Event::Read(count)) => {
                peer.heard.set(server.now.get());
                if let Some(bytes) = server.block.borrow().get(..count) {
                    input.push(bytes);
                }
            }
            Ok(Event::Written) => break,
            Err(_) => return,
        }
    }
    // What is left is a courtesy.
    let _ = timeout(LINGER, linger(server, &mut stream)).await;
}

/// Writes what is there and reads what may be read, or waits until something happens.
fn poll(
    server: &Server,
    id: Id,
    peer: &Peer,
    stream: &mut Stream,
    context: &mut Context<'_>,
    (is_over, has_more): (bool, bool),
) -> Poll<io::Result<Event>> {
    {
        let mut waker = peer.waker.borrow_mut();
        if waker.as_ref().is_none_or(|waker| !waker.will_wake(context.waker())) {
            *waker = Some(context.waker().clone());
        }
    }
    if peer.is_given_up.get() {
        return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
    }
    if peer.is_woken.take() {
        return Poll::Ready(Ok(Event::Woken));
    }
    let mut hall = server.hall.borrow_mut();
    let (is_closing, is_waiting) = (hall.is_closing(id), hall.is_waiting(id));
    let is_paused = hall.is_paused(id);
    let is_dirty = hall.is_dirty();
    let Some(replies) = hall.replies(id) else {
        return Poll::Ready(Ok(Event::Written));
    };
    if is_dirty && !replies.is_empty() {
        // What others have changed meanwhile may be in these replies.
        return Poll::Ready(Ok(Event::Woken));
    }
    while !replies.is_empty() {
        match stream.poll_write(context, replies) {
            Poll::Ready(Ok(0)) => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
            Poll::Ready(Ok(count)) => {
                replies.drain(..count);
                peer.stuck.set(None);
            }
            Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
            Poll::Pending => {
                peer.stuck.set(peer.stuck.get().or(Some(server.now.get())));
                break;
            }
        }
    }
    if replies.is_empty() {
        if replies.capacity() > BLOCK {
            *replies = Vec::new();
        }
        if is_closing || is_over && !is_waiting && !has_more {
            return Poll::Ready(Ok(Event::Written));
        }
    }
    let is_full = replies.len() >= MOST_UNREAD;
    drop(hall);
    if has_more && !is_full && !is_closing {
        return Poll::Ready(Ok(Event::Woken));
    }
    if is_over || is_closing || is_paused || is_full || server.is_ending.get() {
        return Poll::Pending;
    }
    stream.poll_read(context, &mut server.block.borrow_mut()).map_ok(Event::Read)
}

/// Ends the writing, and reads on until the client has read all and closes.
async fn linger(server: &Server, stream: &mut Stream) -> io::Result<()> {
    poll_fn(|context| stream.poll_shutdown(context)).await?;
    let mut read = 0;
    while read < MOST_LINGERED {
        match poll_fn(|context| stream.poll_read(context, &mut server.block.borrow_mut())).await? {
            0 => break,
            count => read += count,
        }
    }
    Ok(())
}

/// What a client has sent and the hall has not answered.
#[derive(Default)]
pub(super) struct Input {
    bytes: Vec<u8>,
    /// The start of the first line in `bytes`.
    start: usize,
}

impl Input {
    /// Enough of a line to see that it is too long, its `\r` included.
    const ENOUGH: usize = MAX_LINE + 2;

    /// Adds what was read, but of a line that is too long only the start.
    fn push(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.start);
        self.start = 0;
        let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
        let (first, rest) = bytes.split_at(end);
        let room = if self.bytes.contains(&b'\n') {
            first.len()
        } else {
            Self::ENOUGH.saturating_sub(self.bytes.len())
        };
        self.bytes.extend_from_slice(first.get(..room).unwrap_or(first));
        self.bytes.extend_from_slice(rest);
    }

    /// The next whole line, without its end.
    pub(super) fn line(&mut self) -> Option<&[u8]> {
        let start = self.start;
        let rest = self.bytes.get(start..)?;
        let Some(end) = rest.iter().position(|byte| *byte == b'\n') else {
            if rest.is_empty() {
                // Most connections have nothing here most of the time.
                *self = Self::default();
            }
            return None;
        };
        self.start += end + 1;
        self.bytes.get(start..start + end)
    }

    /// The line that has no end.
    fn rest(&self) -> Option<&[u8]> {
        self.bytes.get(self.start..).filter(|rest| !rest.is_empty())
    }

    fn is_empty(&self) -> bool {
        self.rest().is_none()
    }
}

impl Server {
    /// Has the hall answer the lines that are there, as many as are a turn's. True where more may
    /// be answered in the next one.
    fn answer(&self, id: Id, input: &mut Input) -> bool {
        let mut hall = self.hall.borrow_mut();
        for _ in 0..LINES {
            let is_full = hall.replies(id).is_none_or(|replies| replies.len() >= MOST_UNREAD);
            if is_full || hall.is_closing(id) || hall.is_paused(id) {
                return false;
            }
            match input.line() {
                Some(line) => hall.line(id, line),
                None => return false,
            }
            self.lines.set(self.lines.get() + 1);
        }
        true
    }
}
