//! The file of a journal: opened, locked, mended, and on the disk if that is wanted.

use std::error::Error;
use std::fmt;
use std::fs::{self, File, TryLockError};
use std::io::{self, BufReader, ErrorKind, Write};
use std::path::Path;

use super::journal::{Found, Journal, ReadError, read};
use super::repl::BLOCK;
use crate::command::Action;
use crate::game::Mark;
use crate::session::{Session, Setup};

/// A session that goes on, and its journal.
#[derive(Debug)]
pub struct Opened {
    /// The session.
    pub session: Session,
    /// The journal. It holds the file, locked, until it is dropped.
    pub journal: Journal,
    /// The length of the torn last line that was dropped, in bytes.
    pub torn: u64,
}

/// The error of a file that cannot be the journal of a session. The file is left as it is.
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenError {
    /// It is no file, but a directory, a pipe or a device.
    NotAFile,
    /// Another process has it as its journal.
    Held,
    /// Its contents are not what is asked for, or could not be read.
    Read(ReadError),
    /// It could not be opened, locked or written.
    Io(io::Error),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAFile => f.write_str("a directory, pipe or device cannot be a journal"),
            Self::Held => f.write_str("another process has it as its journal"),
            Self::Read(error) => error.fmt(f),
            Self::Io(error) => error.fmt(f),
        }
    }
}

impl Error for OpenError {}

impl From<io::Error> for OpenError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Opens the file at `path` as a journal, which it becomes if it is new or empty, and goes on from
/// its last whole line. A torn line after that is cut off. With `sync`, the changes are on the disk
/// before they are answered.
///
/// # Errors
///
/// [`OpenError`].
pub fn open(path: &Path, setup: &Setup, sync: bool) -> Result<Opened, OpenError> {
    match fs::metadata(path) {
        // Opening a pipe would wait for its other end.
        Ok(metadata) if !metadata.is_file() => return Err(OpenError::NotAFile),
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(OpenError::Io(error)),
        _ => {}
    }
    let file = File::options().read(true).append(true).create(true).open(path)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(OpenError::Held),
        Err(TryLockError::Error(error)) => return Err(OpenError::Io(error)),
    }
    let input = BufReader::with_capacity(BLOCK, &file);
    let found = read(input, setup).map_err(OpenError::Read)?;
    let Found { mut session, whole, torn } = found;
    if torn > 0 {
        file.set_len(whole)?;
    }
    if sync {
        // An earlier session may have kept its changes without.
        file.sync_all()?;
        sync_entry(path)?;
    }
    let out = Box::new(JournalFile { file, kept: whole, written: 0, sync });
    let mut journal = if whole == 0 {
        Journal::begin(session.game().board().shape(), out)
    } else {
        Journal::new(out)
    };
    for (mark, seat) in [(Mark::X, setup.x), (Mark::O, setup.o)] {
        if let Some(seat) = seat.filter(|seat| *seat != session.seat_of(mark)) {
            journal.note(&session.run(&Action::Seat(mark, seat).into()));
        }
    }
    journal.commit()?;
    Ok(Opened { session, journal, torn })
}

/// The file of a journal. What is written between two flushes is kept whole, or not at all.
struct JournalFile {
    file: File,
    /// The length of what is kept.
    kept: u64,
    /// The length of what was written since.
    written: u64,
    sync: bool,
}

impl JournalFile {
    /// Cuts off what failed to be kept: it will not be answered, so it need not stay. Where this
    /// fails too, it is as after a crash.
    fn cut_if_failed<T>(&self, done: io::Result<T>) -> io::Result<T> {
        if done.is_err() {
            let _ = self.file.set_len(self.kept);
        }
        done
    }
}

impl Write for JournalFile {
    fn write(&mut self, lines: &[u8]) -> io::Result<usize> {
        let done = self.file.write_all(lines);
        self.cut_if_failed(done)?;
        self.written += lines.len() as u64;
        Ok(lines.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.sync {
            let done = self.file.sync_data();
            self.cut_if_failed(done)?;
        }
        self.kept += self.written;
        self.written = 0;
        Ok(())
    }
}

/// Brings the directory entry of the file at `path` to the disk.
fn sync_entry(path: &Path) -> io::Result<()> {
    if cfg!(unix)
        && let Some(directory) = fs::canonicalize(path)?.parent()
    {
        File::open(directory)?.sync_all()?;
    }
    Ok(())
}
