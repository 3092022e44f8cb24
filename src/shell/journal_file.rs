//! The file of a journal: opened, locked, mended, and on the disk if that is wanted.

use std::fmt::Display;
use std::fs::{self, File, Metadata, TryLockError};
use std::io::{self, BufReader, ErrorKind, Write};
#[cfg(unix)]
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::journal::{Found, Journal, JournalError, read};
use super::printable;
use super::repl::BLOCK;
use crate::command::Action;
use crate::game::Mark;
use crate::session::{Session, Setup};

/// Opens the file at `path` as a journal, which it becomes if it is new or empty, and goes on from
/// its last whole line. A torn line after that is cut off. With `sync`, the changes are on the disk
/// before they are answered. The journal holds the file, locked, until it is dropped.
///
/// # Errors
///
/// [`JournalError`]: the file is left as it is.
pub fn open(path: &Path, setup: &Setup, sync: bool) -> Result<(Found, Journal), JournalError> {
    match fs::metadata(path) {
        // Opening a pipe would wait for its other end.
        Ok(metadata) if !metadata.is_file() => return Err(JournalError::NotAFile),
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(JournalError::Io(error)),
        _ => {}
    }
    let file = File::options().read(true).append(true).create(true).open(path)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(JournalError::Held),
        Err(TryLockError::Error(error)) => return Err(JournalError::Io(error)),
    }
    let mut found = read(BufReader::with_capacity(BLOCK, &file), setup)?;
    let Found { session, whole, torn } = &mut found;
    if *torn > 0 {
        file.set_len(*whole)?;
    }
    if sync {
        // An earlier session may have kept its changes without.
        file.sync_all()?;
        // The entry of the file is in its directory.
        if cfg!(unix)
            && let Some(directory) = fs::canonicalize(path)?.parent()
        {
            File::open(directory)?.sync_all()?;
        }
    }
    let path = path.to_owned();
    let out = Box::new(JournalFile { file, path, kept: *whole, written: 0, sync });
    let mut journal = if *whole == 0 {
        Journal::begin(session.game().board().shape(), out)
    } else {
        Journal::new(out)
    };
    for (mark, seat) in [(Mark::X, &setup.x), (Mark::O, &setup.o)] {
        if let Some(seat) = seat.as_ref().filter(|seat| *seat != session.seat_of(mark)) {
            journal.note(&session.run(&Action::Seat(mark, seat.clone()).into()));
        }
    }
    journal.commit()?;
    Ok((found, journal))
}

/// Opens the file at `path` as [`open`] does. Errors name the file, and so does what `warn` hears:
/// that a torn line was dropped.
///
/// # Errors
///
/// A sentence with the name of the file.
pub fn open_by_name(
    path: &Path,
    setup: &Setup,
    sync: bool,
    warn: impl FnOnce(&dyn Display),
) -> Result<(Session, Journal), String> {
    let name = printable(path);
    let (Found { session, torn, .. }, journal) =
        open(path, setup, sync).map_err(|error| format!("{name}: {error}"))?;
    if torn > 0 {
        warn(&format_args!(
            "{name}: dropped the last line: its end is missing, only {torn} bytes were written"
        ));
    }
    Ok((session, journal))
}

/// The file of a journal. What is written between two flushes is kept whole, or not at all.
struct JournalFile {
    file: File,
    path: PathBuf,
    /// The length of what is kept.
    kept: u64,
    /// The length of what was written since.
    written: u64,
    sync: bool,
}

impl JournalFile {
    /// Cuts off what failed to be kept: it will not be answered, so it need not stay. Where this
    /// fails too, it is as after a crash.
    fn cut(&self) {
        let _ = self.file.set_len(self.kept);
    }

    /// Checks that the file is as it was left: whoever else wrote to it, cut it, removed it or put
    /// another one in its place may have lost changes, or would lose the next ones.
    fn check(&self) -> io::Result<()> {
        let own = self.file.metadata()?;
        if own.len() != self.kept + self.written {
            return Err(io::Error::other("somebody else has cut it or written to it"));
        }
        match fs::metadata(&self.path) {
            Ok(there) if is_same(&own, &there) => Ok(()),
            Ok(_) => Err(io::Error::other("somebody else has put another file in its place")),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Err(io::Error::other("somebody else has removed it"))
            }
            Err(error) => Err(error),
        }
    }
}

#[cfg(unix)]
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// True for any file: the lock keeps it from being replaced.
#[cfg(not(unix))]
const fn is_same(_: &Metadata, _: &Metadata) -> bool {
    true
}

impl Write for JournalFile {
    fn write(&mut self, lines: &[u8]) -> io::Result<usize> {
        self.check()?;
        (&self.file).write_all(lines).inspect_err(|_| self.cut())?;
        self.written += lines.len() as u64;
        Ok(lines.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.sync {
            self.file.sync_data().inspect_err(|_| self.cut())?;
        }
        self.kept += self.written;
        self.written = 0;
        Ok(())
    }
}
