//! Standard input and output that wait where the system would not.
//!
//! A shell or a parent may share them with the program and have made them non-blocking: then reading
//! and writing fail where nothing has come yet, and where the reader is slow.

use std::io::{self, ErrorKind, Read, Write};
#[cfg(unix)]
use std::os::fd::{AsFd, BorrowedFd};

#[cfg(unix)]
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

/// A reader of standard input that waits for it.
pub struct Input<R>(pub R);

impl<R: Read> Read for Input<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        repeat(|| self.0.read(buffer), wait_for_input)
    }
}

/// A writer of standard output that waits for its reader.
pub struct Output<W>(pub W);

impl<W: Write> Write for Output<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        repeat(|| self.0.write(bytes), wait_for_reader)
    }

    fn flush(&mut self) -> io::Result<()> {
        repeat(|| self.0.flush(), wait_for_reader)
    }
}

/// Repeats an operation that would block, after waiting for it each time.
fn repeat<T>(
    mut operation: impl FnMut() -> io::Result<T>,
    wait: fn(io::Error) -> io::Result<()>,
) -> io::Result<T> {
    loop {
        match operation() {
            Err(error) if error.kind() == ErrorKind::WouldBlock => wait(error)?,
            done => return done,
        }
    }
}

#[cfg(unix)]
fn wait_for_input(_: io::Error) -> io::Result<()> {
    wait(io::stdin().as_fd(), PollFlags::POLLIN)
}

#[cfg(unix)]
fn wait_for_reader(_: io::Error) -> io::Result<()> {
    wait(io::stdout().as_fd(), PollFlags::POLLOUT)
}

#[cfg(unix)]
fn wait(stream: BorrowedFd<'_>, event: PollFlags) -> io::Result<()> {
    match poll(&mut [PollFd::new(stream, event)], PollTimeout::NONE) {
        Ok(_) | Err(nix::errno::Errno::EINTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(unix))]
const fn wait_for_input(error: io::Error) -> io::Result<()> {
    Err(error)
}

#[cfg(not(unix))]
const fn wait_for_reader(error: io::Error) -> io::Result<()> {
    Err(error)
}

/// Tells whether the reader of standard output has gone away. Where that cannot be asked, it has
/// not.
#[cfg(unix)]
pub fn has_no_reader() -> bool {
    // `poll` always reports POLLERR and POLLHUP.
    let stdout = io::stdout();
    let mut ends = [PollFd::new(stdout.as_fd(), PollFlags::empty())];
    poll(&mut ends, PollTimeout::ZERO).is_ok_and(|told| told > 0)
}

#[cfg(not(unix))]
pub const fn has_no_reader() -> bool {
    false
}
