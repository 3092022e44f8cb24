//! The server: listens, lets connections in, and ends in order.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, Instant};

use thiserror::Error;
use tokio::runtime::Builder;
use tokio::sync::Notify;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::{LocalSet, spawn_local};
use tokio::time::{sleep, timeout};

use super::Address;
use super::connection::{BLOCK, Peer, converse};
use super::listener::{Listener, Stream};
use super::log::Log;
use super::workers::{Found, Workers};
use crate::hall::{Closed, Hall, Id};
use crate::limit::Limit;

/// How often the time is looked at.
const TICK: Duration = Duration::from_millis(50);

/// How long to wait when no connection can be accepted, such as without a free descriptor.
const PATIENCE: Duration = Duration::from_millis(100);

/// How long clients may take for their last replies when the server ends.
const GRACE: Duration = Duration::from_secs(2);

/// The descriptors that the server has for other things than connections.
const OWN_FILES: u64 = 32;

/// The options of a server.
#[derive(Clone, Debug)]
pub struct Options {
    pub address: Address,
    /// The most connections at once.
    pub connections: usize,
    /// The threads that search.
    pub threads: usize,
    pub limit: Limit,
    pub seed: u64,
    /// The time from one line of numbers on standard error to the next, if there are any.
    pub stats: Option<Duration>,
    /// True where connections are told of on standard error.
    pub is_verbose: bool,
    /// The file of the journal, which is on the disk at the end.
    pub journal: Option<PathBuf>,
}

/// The error that ends a server.
#[derive(Debug, Error)]
pub enum ServeError {
    #[error("{0}: {1}")]
    Listen(Address, io::Error),
    #[error(
        "found --connections {found}, expected at most {most}: the system allows no more open files"
    )]
    TooMany { found: usize, most: u64 },
    #[error("{0}: changes that got no reply may be lost")]
    Keep(io::Error),
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// What all tasks of a server share.
pub(super) struct Server {
    pub(super) hall: RefCell<Hall>,
    pub(super) peers: RefCell<BTreeMap<Id, Rc<Peer>>>,
    pub(super) workers: RefCell<Workers>,
    log: RefCell<Log>,
    is_verbose: bool,
    /// Where bytes are read to.
    pub(super) block: RefCell<Box<[u8]>>,
    /// The time at the last tick.
    pub(super) now: Cell<Instant>,
    /// The lines that were answered.
    pub(super) lines: Cell<u64>,
    pub(super) is_ending: Cell<bool>,
    /// The error of the journal, after which nothing may be answered.
    error: RefCell<Option<io::Error>>,
    /// Told when a connection has ended or the journal has failed.
    changed: Notify,
}

/// Serves the games of `hall` until SIGTERM or SIGINT.
///
/// # Errors
///
/// [`ServeError`]: the server cannot begin, or the journal failed.
pub fn serve(hall: Hall, options: &Options) -> Result<(), ServeError> {
    raise_limit(options.connections)?;
    let runtime = Builder::new_current_thread().enable_io().enable_time().build()?;
    LocalSet::new().block_on(&runtime, run(hall, options))
}

async fn run(hall: Hall, options: &Options) -> Result<(), ServeError> {
    let mut signals = Signals::new()?;
    let failed = |error| ServeError::Listen(options.address.clone(), error);
    let listener = Rc::new(Listener::bind(&options.address).map_err(failed)?);
    let (workers, found) = Workers::start(options.threads, options.limit, options.seed)?;
    let mut log = Log::new();
    match listener.local_addr() {
        Some(address) => {
            log.say(format_args!("listening on {address}"));
            if !address.ip().is_loopback() {
                log.say("whoever reaches this address can read and play: use ssh, stunnel or HAProxy over a network");
            }
        }
        None => log.say(format_args!("listening on {}", options.address)),
    }
    let server = Rc::new(Server {
        hall: RefCell::new(hall),
        peers: RefCell::default(),
        workers: RefCell::new(workers),
        log: RefCell::new(log),
        is_verbose: options.is_verbose,
        block: RefCell::new(vec![0; BLOCK].into()),
        now: Cell::new(Instant::now()),
        lines: Cell::new(0),
        is_ending: Cell::new(false),
        error: RefCell::new(None),
        changed: Notify::new(),
    });
    let most = options.connections;
    let accepting = spawn_local(Rc::clone(&server).accept(Rc::clone(&listener), most));
    spawn_local(Rc::clone(&server).hear_searches(found));
    spawn_local(Rc::clone(&server).tick(options.stats));

    let failing = async {
        while server.error.borrow().is_none() {
            server.changed.notified().await;
        }
    };
    first_of(signals.wait(), failing).await;
    accepting.abort();
    server.is_ending.set(true);
    server.wake_all();
    // Whoever reads nothing is not waited for.
    let _ = timeout(GRACE, async {
        while server.error.borrow().is_none() && !server.peers.borrow().is_empty() {
            server.changed.notified().await;
        }
    })
    .await;
    server.commit();
    if let Some(error) = server.error.take() {
        return Err(ServeError::Keep(error));
    }
    if let Some(path) = &options.journal {
        File::open(path)?.sync_all().map_err(ServeError::Keep)?;
    }
    Ok(())
}

impl Server {
    /// Lets connections in, as many as there may be.
    async fn accept(self: Rc<Self>, listener: Rc<Listener>, most: usize) {
        loop {
            match listener.accept().await {
                Ok((stream, _)) if self.peers.borrow().len() >= most => {
                    let (name, text) = (Closed::Full.name(), Closed::Full.text());
                    // It is a courtesy.
                    let _ = stream.try_write(format!("CLOSED: {name}: {text}\n").as_bytes());
                    self.tell("a connection is refused: there are as many as there may be");
                }
                Ok((stream, from)) => {
                    let id = self.hall.borrow_mut().enter();
                    self.tell(format_args!("connection {id} from {from}"));
                    spawn_local(Rc::clone(&self).keep(id, stream));
                }
                Err(error) => {
                    self.log.borrow_mut().say(format_args!("cannot accept: {error}"));
                    sleep(PATIENCE).await;
                }
            }
        }
    }

    /// Keeps a connection from its beginning to its end.
    async fn keep(self: Rc<Self>, id: Id, stream: Stream) {
        let peer = Rc::new(Peer::new(self.now.get()));
        self.peers.borrow_mut().insert(id, Rc::clone(&peer));
        converse(&self, id, &peer, stream).await;
        self.hall.borrow_mut().leave(id);
        self.peers.borrow_mut().remove(&id);
        self.spread();
        self.tell(format_args!("connection {id} has ended"));
        self.changed.notify_one();
    }

    /// Lets computers make the moves that were found for them.
    async fn hear_searches(self: Rc<Self>, mut found: UnboundedReceiver<Found>) {
        while let Some((search, square)) = found.recv().await {
            self.workers.borrow_mut().idle += 1;
            self.hall.borrow_mut().found(&search, square);
            self.spread();
            self.commit();
        }
    }

    /// Looks at the time again and again.
    async fn tick(self: Rc<Self>, stats: Option<Duration>) {
        let started = Instant::now();
        let (mut looked, mut told) = (started, started);
        loop {
            sleep(TICK).await;
            let now = Instant::now();
            self.now.set(now);
            self.hall.borrow_mut().tick(now.duration_since(started));
            if now.duration_since(looked) >= Duration::from_secs(1) {
                looked = now;
                self.close_faulty(now);
            }
            self.spread();
            if let Some(every) = stats.filter(|every| now.duration_since(told) >= *every) {
                told = now;
                let (people, games, changes) = self.hall.borrow().counts();
                let lines = self.lines.get();
                self.log.borrow_mut().say(format_args!(
                    "{people} connections, {games} games, {changes} changes, {lines} lines, every {every:?}"
                ));
            }
        }
    }

    /// Closes the connections that are too slow or silent.
    fn close_faulty(&self, now: Instant) {
        let mut hall = self.hall.borrow_mut();
        for (&id, peer) in &*self.peers.borrow() {
            if let Some(why) = peer.fault(now, hall.is_waiting(id)) {
                hall.close(id, why);
                peer.wake();
            }
        }
    }

    /// Wakes the connections that have got replies, and gives searches to idle threads.
    pub(super) fn spread(&self) {
        let mut hall = self.hall.borrow_mut();
        for id in hall.take_woken() {
            if let Some(peer) = self.peers.borrow().get(&id) {
                peer.wake();
            }
        }
        let mut workers = self.workers.borrow_mut();
        while workers.idle > 0
            && let Some(search) = hall.next_search()
        {
            workers.give(search);
        }
    }

    fn wake_all(&self) {
        for peer in self.peers.borrow().values() {
            peer.wake();
        }
    }

    /// Keeps the changes in the journal. False where that failed, now or before.
    pub(super) fn commit(&self) -> bool {
        let mut hall = self.hall.borrow_mut();
        if self.error.borrow().is_none()
            && hall.is_dirty()
            && let Err(error) = hall.commit()
        {
            self.error.replace(Some(error));
            self.changed.notify_one();
        }
        self.error.borrow().is_none()
    }

    /// Says something about connections, if that is wanted.
    fn tell(&self, text: impl std::fmt::Display) {
        if self.is_verbose {
            self.log.borrow_mut().say(text);
        }
    }
}

/// Waits for the first of two.
async fn first_of(one: impl Future<Output = ()>, other: impl Future<Output = ()>) {
    use std::future::poll_fn;
    use std::pin::pin;
    use std::task::Poll;

    let (mut one, mut other) = (pin!(one), pin!(other));
    poll_fn(|context| {
        let is_done =
            one.as_mut().poll(context).is_ready() || other.as_mut().poll(context).is_ready();
        if is_done { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

/// The signals that end the server.
#[cfg(unix)]
struct Signals([tokio::signal::unix::Signal; 2]);

#[cfg(unix)]
impl Signals {
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self([signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?]))
    }

    async fn wait(&mut self) {
        let [terminate, interrupt] = &mut self.0;
        let wait = async |signal: &mut tokio::signal::unix::Signal| {
            signal.recv().await;
        };
        first_of(wait(terminate), wait(interrupt)).await;
    }
}

/// The signal that ends the server.
#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> io::Result<Self> {
        Ok(Self)
    }

    async fn wait(&mut self) {
        let _ = tokio::signal::ctrl_c().await;
    }
}

/// Raises the limit of open files, if it is too low for so many connections.
#[cfg(unix)]
fn raise_limit(connections: usize) -> Result<(), ServeError> {
    use nix::sys::resource::{Resource, getrlimit, setrlimit};

    let wanted = connections as u64 + OWN_FILES;
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE).map_err(io::Error::from)?;
    if wanted > hard {
        let most = hard.saturating_sub(OWN_FILES);
        return Err(ServeError::TooMany { found: connections, most });
    }
    if wanted > soft {
        setrlimit(Resource::RLIMIT_NOFILE, wanted, hard).map_err(io::Error::from)?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn raise_limit(_: usize) -> Result<(), ServeError> {
    Ok(())
}
