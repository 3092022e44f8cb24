//! One program as a process: lines in, lines out, the end of its standard error, and its end.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

/// The longest line of a program, in bytes. One that goes on is not read to its end.
pub(super) const LONGEST_LINE: usize = 1 << 16;

/// The most bytes of standard error that are held: the last ones.
const TAIL: usize = 4096;

/// The time between two looks at what no file descriptor tells: a caller who gives up, a process
/// that ended while another one holds its output open.
const LOOK: Duration = Duration::from_millis(50);

/// The time that a program has to leave by itself, and then again after `SIGTERM`.
pub(super) const PATIENCE: Duration = Duration::from_secs(1);

/// The programs that run, so that all of them end when a signal ends this one.
#[derive(Clone, Default, Debug)]
pub struct Processes(Arc<Mutex<Running>>);

#[derive(Default, Debug)]
struct Running {
    handles: Vec<Shared>,
    /// True once all are ended: nothing is started any more.
    is_over: bool,
}

/// A process that the thread of the signals can end as well as its player.
type Shared = Arc<Mutex<Handle>>;

#[derive(Debug)]
struct Handle {
    child: Child,
    /// The standard input: `None` once it is closed.
    input: Option<ChildStdin>,
    /// The moment at which the input was closed.
    closed: Option<Instant>,
    /// The last line that the protocol has for it.
    farewell: &'static [u8],
    /// True once the process and its group were ended: others may have their numbers.
    is_over: bool,
}

/// Takes a lock. What it guards is whole at any moment, so that a panic elsewhere is no matter.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Processes {
    /// Ends all programs, and starts none from now on. Takes two seconds at most, or as long as the
    /// system needs to end them.
    pub fn end_all(&self) {
        let handles = {
            let mut running = lock(&self.0);
            running.is_over = true;
            running.handles.clone()
        };
        end(&handles);
    }

    /// True once [`end_all`](Self::end_all) was called.
    pub fn is_over(&self) -> bool {
        lock(&self.0).is_over
    }
}

/// Closes the input of the processes. After a second their groups get `SIGTERM`, and after another
/// one `SIGKILL`. A group whose process has left by itself gets the signals at once: what it left
/// behind is to end with it.
fn end(handles: &[Shared]) {
    let is_left = |handle: &&Shared| !lock(handle).is_over;
    let handles: Vec<Shared> = handles.iter().filter(is_left).cloned().collect();
    let handles = &handles;
    for handle in handles {
        lock(handle).close();
    }
    let closed = handles.iter().filter_map(|handle| lock(handle).closed).max();
    let since = closed.map_or(Duration::ZERO, |closed| closed.elapsed());
    wait_for(handles, PATIENCE.saturating_sub(since), Handle::has_ended);
    signal(handles, Signal::SIGTERM);
    wait_for(handles, PATIENCE, |handle| handle.has_ended() && handle.group_has_ended());
    signal(handles, Signal::SIGKILL);
    wait_for(handles, PATIENCE, Handle::has_ended);
    for handle in handles {
        lock(handle).is_over = true;
    }
}

/// Waits until `is_done` holds for all processes, for this long at most.
fn wait_for(handles: &[Shared], most: Duration, mut is_done: impl FnMut(&mut Handle) -> bool) {
    const LONGEST_NAP: Duration = Duration::from_millis(20);
    let until = Instant::now() + most;
    let mut nap = Duration::from_micros(250);
    while !handles.iter().all(|handle| is_done(&mut lock(handle))) && Instant::now() < until {
        thread::sleep(nap);
        nap = (nap * 2).min(LONGEST_NAP);
    }
}

fn signal(handles: &[Shared], signal: Signal) {
    for handle in handles {
        // A group that is not there any more needs no signal.
        let _ = killpg(lock(handle).group(), signal);
    }
}

impl Handle {
    /// Writes as much as the pipe takes, at once.
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        let closed = || io::Error::from(ErrorKind::BrokenPipe);
        self.input.as_mut().ok_or_else(closed)?.write(text)
    }

    fn close(&mut self) {
        // A program that has ended, or does not read, hears no last line.
        let farewell = self.farewell;
        let _ = self.write(farewell);
        self.input = None;
        self.closed.get_or_insert_with(Instant::now);
    }

    /// The process group, which has the number of the process.
    fn group(&self) -> Pid {
        Pid::from_raw(self.child.id().cast_signed())
    }

    fn status(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().unwrap_or_default()
    }

    /// True once the process has ended. From then on its number is free, unless others of its group
    /// are left.
    fn has_ended(&mut self) -> bool {
        self.status().is_some()
    }

    fn group_has_ended(&self) -> bool {
        killpg(self.group(), None) == Err(Errno::ESRCH)
    }
}

/// The error of a wait for a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NoLine {
    /// None came in time.
    Silent,
    /// The output has ended.
    Ended,
    /// The line is longer than [`LONGEST_LINE`].
    TooLong,
    /// The caller gave up.
    Stopped,
}

/// A running program. It ends when it is dropped.
pub(super) struct Process {
    handle: Shared,
    output: ChildStdout,
    /// The output that was read, from `start` on not yet taken.
    buffer: Vec<u8>,
    start: usize,
    /// True where no output will follow.
    is_closed: bool,
    tail: Arc<Mutex<Vec<u8>>>,
    /// Closed when standard error is.
    tail_end: Receiver<()>,
    processes: Processes,
}

impl Process {
    /// Starts a program in a process group of its own. `farewell` is the last line that it is to
    /// get, and `log` gets a copy of its standard error.
    pub(super) fn start(
        words: &[String],
        farewell: &'static [u8],
        log: Option<Arc<File>>,
        processes: &Processes,
    ) -> io::Result<Self> {
        let (program, arguments) = words.split_first().ok_or(ErrorKind::NotFound)?;
        let mut command = Command::new(program);
        command.args(arguments).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // No signal comes between the start and the list of those that run.
        let mut running = lock(&processes.0);
        if running.is_over {
            return Err(ErrorKind::Interrupted.into());
        }
        let mut child = command.spawn()?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(input), Some(output), Some(errors)) = pipes else {
            return Err(ErrorKind::BrokenPipe.into());
        };
        let flags = fcntl(&input, FcntlArg::F_SETFL(OFlag::O_NONBLOCK));
        let handle = Arc::new(Mutex::new(Handle {
            child,
            input: Some(input),
            closed: None,
            farewell,
            is_over: false,
        }));
        running.handles.push(Arc::clone(&handle));
        drop(running);
        let tail = Arc::default();
        let (end, tail_end) = mpsc::channel();
        let process = Self {
            handle,
            output,
            buffer: Vec::new(),
            start: 0,
            is_closed: false,
            tail: Arc::clone(&tail),
            tail_end,
            processes: processes.clone(),
        };
        flags?;
        let read = move || read_errors(errors, &tail, log.as_deref(), &end);
        thread::Builder::new().name("stderr".to_owned()).spawn(read)?;
        Ok(process)
    }

    /// The next line that has been written already, without its end, if there is one, and if it is
    /// not later than this moment.
    pub(super) fn waiting(&mut self, until: Instant) -> Option<&[u8]> {
        loop {
            if Instant::now() >= until {
                return None;
            }
            if let Some(end) = self.line_end() {
                return Some(self.take(end));
            }
            if self.is_closed || self.is_too_long() || !self.is_readable(Duration::ZERO) {
                return None;
            }
            self.read();
        }
    }

    /// Writes `text`, until it is written, the program does not read any more, or this moment.
    pub(super) fn send(&mut self, mut text: &[u8], until: Instant) {
        while !text.is_empty() {
            let written = lock(&self.handle).write(text);
            match written {
                Ok(written) => text = text.get(written..).unwrap_or_default(),
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    if Instant::now() >= until || self.is_too_long() {
                        return;
                    }
                    self.wait_for_reader();
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // How it ended shows when its answer is read.
                Err(_) => return,
            }
        }
    }

    /// Waits until the program reads, for a moment. What it writes meanwhile is read, so that it
    /// need not wait itself.
    fn wait_for_reader(&mut self) {
        let handle = lock(&self.handle);
        let Some(input) = &handle.input else { return };
        let mut ends = vec![PollFd::new(input.as_fd(), PollFlags::POLLOUT)];
        if !self.is_closed {
            ends.push(PollFd::new(self.output.as_fd(), PollFlags::POLLIN));
        }
        let told = poll(&mut ends, PollTimeout::from(10_u8)).is_ok_and(|told| told > 0);
        let is_output = told && ends.get(1).is_some_and(|end| end.any() == Some(true));
        drop(ends);
        drop(handle);
        if is_output {
            self.read();
        }
    }

    /// Waits for the next line until this moment, and returns it without its end. `stops` answers
    /// true where the caller gives up.
    pub(super) fn line(
        &mut self,
        until: Instant,
        mut stops: impl FnMut() -> bool,
    ) -> Result<&[u8], NoLine> {
        let end = loop {
            // Before what is there already: a flood of lines that are passed over has an end too.
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(NoLine::Silent);
            }
            if let Some(end) = self.line_end() {
                break end;
            }
            if self.is_too_long() {
                return Err(NoLine::TooLong);
            }
            if self.is_closed {
                return Err(NoLine::Ended);
            }
            if self.is_readable(left.min(LOOK)) {
                self.read();
            } else if stops() || self.processes.is_over() {
                return Err(NoLine::Stopped);
            } else if lock(&self.handle).has_ended() {
                // Another process may hold the output open; what was written before is still there.
                if self.is_readable(Duration::ZERO) {
                    self.read();
                } else {
                    self.is_closed = true;
                }
            }
        };
        Ok(self.take(end))
    }

    /// The start of a line whose end has not come.
    pub(super) fn half_line(&self) -> &[u8] {
        self.rest().rsplit(|byte| *byte == b'\n').next().unwrap_or_default()
    }

    /// The output that was read and not yet taken.
    fn rest(&self) -> &[u8] {
        self.buffer.get(self.start..).unwrap_or_default()
    }

    fn line_end(&self) -> Option<usize> {
        let length = self.rest().iter().position(|byte| *byte == b'\n')?;
        Some(self.start + length)
    }

    fn is_too_long(&self) -> bool {
        self.rest().len() > LONGEST_LINE
    }

    /// Takes the line up to its end.
    fn take(&mut self, end: usize) -> &[u8] {
        let start = self.start;
        self.start = end + 1;
        self.buffer.get(start..end).unwrap_or_default()
    }

    /// Tells whether there is output, or its end, within a time.
    fn is_readable(&self, time: Duration) -> bool {
        // Rounded up, so that the wait is not shorter than the time.
        let millis = time.as_nanos().div_ceil(1_000_000);
        let timeout = u16::try_from(millis).unwrap_or(u16::MAX);
        let mut ends = [PollFd::new(self.output.as_fd(), PollFlags::POLLIN)];
        poll(&mut ends, PollTimeout::from(timeout)).is_ok_and(|told| told > 0)
    }

    /// Reads what there is, at least one byte or the end.
    fn read(&mut self) {
        const CHUNK: usize = 1 << 12;
        self.buffer.drain(..self.start);
        self.start = 0;
        let length = self.buffer.len();
        self.buffer.resize(length + CHUNK, 0);
        let room = self.buffer.get_mut(length..).unwrap_or_default();
        let read = match self.output.read(room) {
            Ok(read) => {
                self.is_closed = read == 0;
                read
            }
            Err(error) => {
                self.is_closed = error.kind() != ErrorKind::Interrupted;
                0
            }
        };
        self.buffer.truncate(length + read);
    }

    /// Closes the input, so that the program leaves.
    pub(super) fn close(&self) {
        lock(&self.handle).close();
    }

    /// True where the program has closed its input, or has ended.
    pub(super) fn is_deaf(&self) -> bool {
        let handle = lock(&self.handle);
        let Some(input) = &handle.input else { return true };
        let mut ends = [PollFd::new(input.as_fd(), PollFlags::empty())];
        poll(&mut ends, PollTimeout::ZERO).is_ok_and(|told| told > 0)
    }

    /// Waits for a program that has ended its output to end itself. `None` where it goes on.
    pub(super) fn status(&self) -> Option<ExitStatus> {
        let own = [Arc::clone(&self.handle)];
        wait_for(&own, PATIENCE, Handle::has_ended);
        lock(&self.handle).status()
    }

    /// Ends the program and its group, and returns the last line of its standard error that is not
    /// blank.
    pub(super) fn end(self) -> Option<String> {
        end(&[Arc::clone(&self.handle)]);
        // Only a process that has left the group still holds it open.
        let _ = self.tail_end.recv_timeout(2 * LOOK);
        let tail = lock(&self.tail);
        let text = String::from_utf8_lossy(&tail);
        text.lines().map(str::trim).rfind(|line| !line.is_empty()).map(str::to_owned)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        end(&[Arc::clone(&self.handle)]);
        let mut running = lock(&self.processes.0);
        running.handles.retain(|handle| !Arc::ptr_eq(handle, &self.handle));
    }
}

/// Reads standard error to its end, so that the program never waits, and keeps the last of it.
/// `end` is dropped then.
fn read_errors(mut errors: ChildStderr, tail: &Mutex<Vec<u8>>, log: Option<&File>, _: &Sender<()>) {
    let mut chunk = [0; TAIL];
    loop {
        let read = match errors.read(&mut chunk) {
            Ok(0) => return,
            Ok(read) => chunk.get(..read).unwrap_or_default(),
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) => return,
        };
        if let Some(mut log) = log {
            // The game goes on without it.
            let _ = log.write_all(read);
        }
        let mut tail = lock(tail);
        tail.extend_from_slice(read);
        let gone = tail.len().saturating_sub(TAIL);
        tail.drain(..gone);
    }
}
