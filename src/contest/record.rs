//! The record of a match: a noughts script, a game a line with its end as a comment, from which an
//! interrupted match goes on.

use std::error::Error;
use std::fmt;
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::mem;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::report::line;
use super::tournament::Played;
use super::{Match, Openings};
use crate::game::{Game, Shape, Square};
use crate::player::{Cause, Forfeit};
use crate::shell::printable;

/// The error of a record that cannot be begun, or not be resumed. The file is left as it is.
#[derive(Debug)]
pub enum RecordError {
    /// There is a file already, and it is not to be resumed.
    Exists(PathBuf),
    /// It is no record of a match.
    NoRecord(PathBuf),
    /// The record is of a match with another setup: the name, its value there and that here.
    Other {
        path: PathBuf,
        name: String,
        found: String,
        expected: String,
    },
    /// The line holds no game that this match has at this place.
    Line {
        path: PathBuf,
        number: usize,
        expected: String,
    },
    /// Another process holds it.
    Held(PathBuf),
    Io(PathBuf, io::Error),
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exists(path) => {
                let path = printable(path);
                write!(f, "{path}: the file exists: --resume goes on from it")
            }
            Self::NoRecord(path) => {
                let path = printable(path);
                write!(f, "{path}: expected the record of a match, which begins with \"{START}\"")
            }
            Self::Other { path, name, found, expected } => {
                let path = printable(path);
                write!(f, "{path}: another match: found \"{name}\" {found}, expected {expected}")
            }
            Self::Line { path, number, expected } => {
                let path = printable(path);
                write!(f, "{path}:{number}: another game than this match has here: {expected}")
            }
            Self::Held(path) => write!(f, "{}: another process has it", printable(path)),
            Self::Io(path, error) => write!(f, "{}: {error}", printable(path)),
        }
    }
}

impl Error for RecordError {}

/// The start of a record. The setup follows as JSON.
const START: &str = "# noughts match ";

/// The file of a record, which this process holds.
#[derive(Debug)]
pub struct RecordFile {
    file: File,
    path: PathBuf,
    names: Vec<String>,
    games: Vec<Played>,
}

impl RecordFile {
    /// Begins a record of `contest`, or resumes it where that is asked for and the file is there. A
    /// last line that is not whole is dropped.
    ///
    /// # Errors
    ///
    /// [`RecordError`].
    pub fn open(path: &Path, resume: bool, contest: &Match) -> Result<Self, RecordError> {
        let failed = |error| RecordError::Io(path.to_owned(), error);
        match fs::metadata(path) {
            Ok(_) if !resume => return Err(RecordError::Exists(path.to_owned())),
            // Opening a pipe would wait for its other end.
            Ok(metadata) if !metadata.is_file() => {
                return Err(RecordError::NoRecord(path.to_owned()));
            }
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
        let mut file =
            File::options().read(true).append(true).create(true).open(path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(RecordError::Held(path.to_owned())),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let head = head(contest);
        let text = bytes.get(..whole).and_then(|bytes| str::from_utf8(bytes).ok());
        let mut lines = text.unwrap_or_default().lines();
        let names = contest.names();
        let mut record = Self { file, path: path.to_owned(), names, games: Vec::new() };
        match lines.next() {
            Some(first) => {
                record.compare(first, contest)?;
                // The line that sets the board up was written with the first one.
                if let Some(second) = lines.next() {
                    if head.lines().nth(1) != Some(second) {
                        return Err(RecordError::NoRecord(path.to_owned()));
                    }
                    for (number, text) in (3..).zip(lines) {
                        let index = record.games.len() as u64;
                        let game = record.read(index, text, contest).map_err(|expected| {
                            RecordError::Line { path: path.to_owned(), number, expected }
                        })?;
                        record.games.push(game);
                    }
                    record.file.set_len(whole as u64).map_err(failed)?;
                    return Ok(record);
                }
            }
            None if head.as_bytes().starts_with(&bytes) => {}
            None => return Err(RecordError::NoRecord(path.to_owned())),
        }
        record.file.set_len(0).map_err(failed)?;
        record.file.write_all(head.as_bytes()).map_err(failed)?;
        Ok(record)
    }

    /// Returns the number of games that it was found with.
    #[must_use]
    pub const fn found(&self) -> usize {
        self.games.len()
    }

    /// Takes out the games that it was found with.
    pub(super) fn take_games(&mut self) -> Vec<Played> {
        mem::take(&mut self.games)
    }

    /// Adds a game. After that no crash of the program loses it.
    pub(super) fn append(&mut self, played: &Played) -> Result<(), RecordError> {
        let text = self.line(played) + "\n";
        let written = self.file.write_all(text.as_bytes());
        written.map_err(|error| RecordError::Io(self.path.clone(), error))
    }

    /// Returns the line of a game: a command that replays it, and how it ended.
    fn line(&self, played: &Played) -> String {
        let game = &played.game;
        let command = match game.moves() {
            [] => new(game.board().shape()),
            moves => format!("replay {}", squares(moves)),
        };
        format!("{command} # {}", line(played, &self.names))
    }

    /// Checks that the first line has the setup of `contest`.
    fn compare(&self, first: &str, contest: &Match) -> Result<(), RecordError> {
        let found = first.strip_prefix(START).and_then(|text| serde_json::from_str(text).ok());
        let found: Map<String, Value> =
            found.ok_or_else(|| RecordError::NoRecord(self.path.clone()))?;
        let none = Value::Null;
        for (name, expected) in setup(contest) {
            let found = found.get(&name).unwrap_or(&none);
            if *found != expected {
                let (path, found) = (self.path.clone(), found.to_string());
                let expected = expected.to_string();
                return Err(RecordError::Other { path, name, found, expected });
            }
        }
        Ok(())
    }

    /// Reads the line of a game: what this process would have written, had it played the game. The
    /// error says what was expected.
    fn read(&self, index: u64, text: &str, contest: &Match) -> Result<Played, String> {
        let Some(fixture) = contest.fixture(index) else {
            return Err(format!("expected {} games at most", contest.total()));
        };
        let given = contest.openings.nth(contest.shape, fixture.opening);
        let given = given.map_err(|error| error.to_string())?;
        let (moves, comment) = text.split_once(" # ").unwrap_or((text, ""));
        let numbers = moves.strip_prefix("replay ").unwrap_or_default().split(' ');
        let numbers: Option<Vec<u16>> = numbers.map(|word| word.parse().ok()).collect();
        let numbers = numbers.unwrap_or_default();
        let moves = numbers.as_chunks().0.iter().map(|&[row, col]| Square { row, col });
        let mut game = Game::new(contest.shape);
        game.replay(moves).map_err(|error| error.to_string())?;
        let forfeit = comment.split_once(" wins by forfeit (").and_then(|(_, rest)| {
            let (cause, rest) = rest.split_once(')')?;
            let cause = Cause::ALL.iter().copied().find(|other| other.name() == cause)?;
            let (_, message) = rest.split_once(": ")?;
            Some(Forfeit { cause, message: message.to_owned() })
        });
        let opening = given.moves().len();
        let begins = game.moves().starts_with(given.moves());
        let played = Played { fixture, game, opening, forfeit };
        let is_ended = played.game.turn().is_some() == played.forfeit.is_some();
        if !begins {
            Err(format!("expected the opening {}", squares(given.moves())))
        } else if is_ended && text == self.line(&played) {
            Ok(played)
        } else {
            Err(format!("expected game {} with its end", index + 1))
        }
    }
}

/// Returns the first lines of a record: the setup, and the command for the board.
fn head(contest: &Match) -> String {
    let setup = Value::Object(setup(contest));
    format!("{START}{setup}\n{}\n", new(contest.shape))
}

fn new(shape: Shape) -> String {
    format!("new {}x{} {}", shape.rows(), shape.cols(), shape.k())
}

/// Returns what all games of a record have in common. The number of games is not part of it, so
/// that a match can be made longer.
fn setup(contest: &Match) -> Map<String, Value> {
    let shape = contest.shape;
    let seconds = |time: Option<Duration>| time.map(|time| time.as_secs_f64());
    let openings = match &contest.openings {
        Openings::Random { marks, .. } => json!({ "random": marks }),
        Openings::Games(games) => json!({ "games": games.len() }),
    };
    let players: Vec<String> = contest.players.iter().map(ToString::to_string).collect();
    let entries = [
        ("size", json!(format!("{}x{}", shape.rows(), shape.cols()))),
        ("win", json!(shape.k())),
        ("exact", json!(shape.is_exact())),
        ("openings", openings),
        ("seed", json!(contest.seed)),
        ("nodes", json!(contest.nodes)),
        ("time", json!(seconds(contest.terms.time))),
        ("match_time", json!(seconds(contest.terms.game_time))),
        ("margin", json!(contest.terms.margin.as_secs_f64())),
        ("sprt", json!(contest.sprt.map(|sprt| sprt.to_string()))),
        ("players", json!(players)),
    ];
    entries.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn squares(moves: &[Square]) -> String {
    let squares: Vec<String> = moves.iter().map(ToString::to_string).collect();
    squares.join(" ")
}
