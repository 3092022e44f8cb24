//! `save` and `load`: the game in a file, for a person who types at the prompt.

use std::env;
use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, BufReader, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process;

use thiserror::Error;

use super::journal::Journal;
use super::printable;
use super::repl::BLOCK;
use crate::command::{Action, Command};
use crate::game::Game;
use crate::records::{Defaults, Format, Found, Note, Place, ReadError, Record, WriteError};
use crate::reply::{Answer, Reply, RunError};
use crate::session::Session;

/// The formats of `save` and `load`.
const FORMATS: [Format; 3] = [Format::Moves, Format::Psq, Format::Sgf];

/// The error of a game that was not saved. Nothing was written.
#[derive(Debug, Error)]
enum SaveError {
    #[error(transparent)]
    Ending(#[from] EndingError),
    #[error("it is there already: take another name, or remove it first")]
    Exists,
    #[error("a game that began with \"position\" has no first moves, which a record needs")]
    SetUp,
    #[error("a .{0} file does not say that {1} in a row win, and {2} are assumed: .sgf says it")]
    K(&'static str, u16, u16),
    #[error("a .{0} file does not say that a line is exactly {1}: .sgf says it")]
    Exact(&'static str, u16),
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// The error of a file that was not loaded. The old game stands.
#[derive(Debug, Error)]
enum LoadError {
    #[error(transparent)]
    Ending(#[from] EndingError),
    #[error("a directory, pipe or device holds no game")]
    NotAFile,
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("found no game, expected one")]
    NoGame,
    #[error("found a second game, expected one")]
    Several(Place),
    #[error("its lines are exactly {1} long: a session with --exact loads it")]
    Exact(Place, u16),
    #[error("its lines are {1} or more long: a session without --exact loads it")]
    NotExact(Place, u16),
    #[error("{1}")]
    Game(Place, ReadError),
}

impl LoadError {
    /// Returns the place of the fault in the file, where it has one.
    const fn place(&self) -> Option<Place> {
        match self {
            Self::Several(place)
            | Self::Exact(place, _)
            | Self::NotExact(place, _)
            | Self::Game(place, _) => Some(*place),
            Self::Ending(_) | Self::NotAFile | Self::Io(_) | Self::NoGame => None,
        }
    }
}

/// The error of a name whose ending tells no format.
#[derive(Debug, Error)]
#[error("the ending says the format, and none is known here: expected .noughts, .psq or .sgf")]
pub(super) struct EndingError;

/// Carries out `command`, where `save` and `load` reach files.
pub(super) fn run<'a>(
    command: &Command,
    session: &'a mut Session,
    journal: Option<&mut Journal>,
) -> Reply<'a> {
    let answer = match &command.action {
        Action::Save(name) => save(name, session),
        Action::Load(name) => load(name, session, journal),
        _ => return session.run(command),
    };
    session.reply(Some(command.action.verb()), answer)
}

/// Writes the game that is played into a new file, all of it or nothing.
fn save(name: &str, session: &Session) -> Result<Answer, RunError> {
    let path = path_of(name);
    let file = printable(name);
    let save = || {
        let bytes = written(session.game(), format_of(&path)?)?;
        create(&path, &bytes).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => SaveError::Exists,
            _ => WriteError::from(error).into(),
        })
    };
    match save() {
        Ok(()) => Ok(Answer::Saved(file)),
        Err(error) => Err(RunError::File(format!("{file}: {error}"))),
    }
}

/// Goes over to the only game of a file, by the commands `new` and `replay`, which `journal` takes
/// as one.
fn load(
    name: &str,
    session: &mut Session,
    journal: Option<&mut Journal>,
) -> Result<Answer, RunError> {
    let file = printable(name);
    let fault = |error: LoadError| RunError::File(placed(&file, error.place(), &error));
    let (place, record, notes) = read(&path_of(name), session).map_err(fault)?;
    take_over(record.game(), session, journal)?;
    let stated = record
        .stated
        .map(|stated| format!("the record says that {stated}, but its moves do not end the game"));
    let notes = notes.iter().map(ToString::to_string).chain(stated);
    let notes = notes.map(|note| placed(&file, Some(place), &note)).collect();
    Ok(Answer::Loaded { file, notes })
}

/// Reads the only game of a file, with its place and what is to be known of it.
fn read(path: &Path, session: &Session) -> Result<(Place, Record, Vec<Note>), LoadError> {
    let format = format_of(path)?;
    let shape = session.game().board().shape();
    let (exact, row_one) = (shape.is_exact(), session.coords().row_one);
    let defaults = match format {
        // A script without `new` is about a board like the one that is there.
        Format::Moves => {
            Defaults { size: Some(shape.into()), k: Some(shape.k().into()), exact, row_one }
        }
        _ => Defaults { exact, row_one, ..Defaults::default() },
    };
    // Opening a pipe would wait for its other end.
    if path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
        return Err(LoadError::NotAFile);
    }
    let input = BufReader::with_capacity(BLOCK, File::open(path)?);
    let mut games = format.read(input, defaults);
    let Found { place, record, notes } = games.next().transpose()?.ok_or(LoadError::NoGame)?;
    let record = record.map_err(|error| LoadError::Game(place, error))?;
    if let Some(Found { place, record, .. }) = games.next().transpose()? {
        return Err(match record {
            Ok(_) => LoadError::Several(place),
            Err(error) => LoadError::Game(place, error),
        });
    }
    let own = record.game().board().shape();
    match (own.is_exact(), exact) {
        (true, false) => Err(LoadError::Exact(place, own.k())),
        (false, true) => Err(LoadError::NotExact(place, own.k())),
        _ => Ok((place, record, notes)),
    }
}

/// Puts the place in a file before a text.
fn placed(file: &str, place: Option<Place>, text: &dyn Display) -> String {
    match place {
        Some(Place::Line(line)) => format!("{file}:{line}: {text}"),
        Some(place) => format!("{file}: {place}: {text}"),
        None => format!("{file}: {text}"),
    }
}

/// Makes `game` the game of the session. The game is one by the rules of the session, so that
/// nothing but a limit of the session can refuse it, and that before anything changes.
fn take_over(
    game: &Game,
    session: &mut Session,
    mut journal: Option<&mut Journal>,
) -> Result<(), RunError> {
    let shape = game.board().shape();
    let moves: Vec<_> = game.moves().iter().map(|&square| square.into()).collect();
    if moves.is_empty() || shape != session.game().board().shape() {
        let new = Action::New { size: Some(shape.into()), k: Some(shape.k().into()) };
        let reply = session.run(&new.into());
        match &mut journal {
            Some(journal) if moves.is_empty() => journal.note(&reply),
            Some(journal) if reply.answer.is_ok() => journal.note_first_of_two(&reply),
            _ => {}
        }
        reply.answer?;
    }
    if !moves.is_empty() {
        let reply = session.run(&Action::Replay(moves).into());
        if let Some(journal) = journal {
            journal.note(&reply);
        }
        reply.answer?;
    }
    Ok(())
}

/// Returns the file that a person means: `~/` is the home directory.
pub(super) fn path_of(name: &str) -> PathBuf {
    match (name.strip_prefix("~/"), env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => name.into(),
    }
}

/// Returns the format that the ending of a name says.
pub(super) fn format_of(path: &Path) -> Result<Format, EndingError> {
    let format = Format::of_path(path).filter(|format| FORMATS.contains(format));
    format.ok_or(EndingError)
}

/// Writes a game in a format which says all that tells it.
fn written(game: &Game, format: Format) -> Result<Vec<u8>, SaveError> {
    let record = Record::of(game).ok_or(SaveError::SetUp)?;
    let mut bytes = Vec::new();
    format.write(&record, &mut bytes)?;
    let mut found = format.read(bytes.as_slice(), Defaults::default());
    let read = found.next().transpose().map_err(WriteError::from)?;
    drop(found);
    let shape = game.board().shape();
    let ending = format.endings().first().copied().unwrap_or_default();
    match read.and_then(|found| found.record.ok()).map(|record| record.game().board().shape()) {
        Some(read) if read.k() != shape.k() => Err(SaveError::K(ending, shape.k(), read.k())),
        Some(read) if read != shape => Err(SaveError::Exact(ending, shape.k())),
        _ => Ok(bytes),
    }
}

/// Writes a file under a name that is still free. The name is taken once all is written.
fn create(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // A link of any kind is there too, whatever it leads to.
    if path.symlink_metadata().is_ok() {
        return Err(ErrorKind::AlreadyExists.into());
    }
    let unfinished = path.with_file_name(format!(".noughts-{}.tmp", process::id()));
    write(&unfinished, bytes)?;
    let linked = fs::hard_link(&unfinished, path).or_else(|error| match error.kind() {
        ErrorKind::AlreadyExists => Err(error),
        // Some file systems have no hard links.
        _ => write(path, bytes),
    });
    let _ = fs::remove_file(&unfinished);
    linked
}

/// Writes a new file to the disk, and leaves none where that fails.
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    if written.is_err() {
        let _ = fs::remove_file(path);
    }
    written
}
