//! The journal of a session: every accepted change, as the command that makes it again.
//!
//! ```text
//! # noughts journal 1 --size 3x3 --win 3
//! # seat O best
//! play X 0 0 @0
//! play O 1 1 @1
//! undo 2 @2
//! game second
//! new 15x15 5 @0
//! ```
//!
//! The first line names the format and, as flags, the shape of a new game. With these flags the
//! rest is a script that makes the same games. A computer's moves are there as plain moves, and the
//! seats as comments, so that nothing is searched for again.
//!
//! A change names its mark, its numbers in full, and the version that it was made at. A line is
//! right when running it would write the same line again, so that one that is missing, doubled or
//! altered shows at once or at the next one, unless it has become another change that might have
//! been made there. A write that did not end leaves a last line without its line end.

use std::error::Error;
use std::fmt;
use std::io::{self, BufRead, Read, Write};

use super::repl::BLOCK;
use crate::command::{Action, MAX_LINE, Verb, parse, quoted};
use crate::game::{Shape, ShapeError};
use crate::reply::Reply;
use crate::session::{Session, Setup};

/// The changes of a session, on their way to where they are kept.
pub struct Journal {
    /// The lines that are noted, and not yet kept.
    lines: String,
    out: Box<dyn Write>,
}

impl fmt::Debug for Journal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Journal").field("lines", &self.lines).finish_non_exhaustive()
    }
}

impl Journal {
    /// A journal that goes on from what is kept already. What `out` has flushed is kept.
    #[must_use]
    pub const fn new(out: Box<dyn Write>) -> Self {
        let lines = String::new();
        Self { lines, out }
    }

    /// A journal that begins with its first line, for a session of fresh games of `shape`.
    #[must_use]
    pub fn begin(shape: Shape, out: Box<dyn Write>) -> Self {
        let mut journal = Self::new(out);
        journal.lines = first_line(shape) + "\n";
        journal
    }

    /// Notes the change that a reply tells of, if it tells of one. Linear in what changes, and
    /// allocates nothing for a move.
    pub fn note(&mut self, reply: &Reply<'_>) {
        write_change(reply, &mut self.lines);
    }

    /// Notes a change that is nothing without the next one: a journal that ends between the two ends
    /// before both.
    pub(super) fn note_first_of_two(&mut self, reply: &Reply<'_>) {
        self.note(reply);
        if self.lines.pop().is_some() {
            self.lines.push_str(FIRST_OF_TWO);
            self.lines.push('\n');
        }
    }

    /// True where so much is noted that it should be kept, for the sake of memory.
    #[must_use]
    pub const fn is_full(&self) -> bool {
        self.lines.len() >= BLOCK
    }

    /// Keeps what is noted. Only then may the replies be seen.
    ///
    /// # Errors
    ///
    /// An error of writing or flushing. Then it is not known how much is kept, and nothing may
    /// follow.
    pub fn commit(&mut self) -> io::Result<()> {
        if self.lines.is_empty() {
            return Ok(());
        }
        let written = self.out.write_all(self.lines.as_bytes());
        self.lines.clear();
        written.and_then(|()| self.out.flush())
    }
}

/// Stands before a command that a script is not to run: a computer on a seat would move where the
/// journal has its moves already.
const SILENT: &str = "# ";

/// Ends a `new` that was written together with the `replay` after it. A script reads a comment.
const FIRST_OF_TWO: &str = " # load";

/// Appends the change that a reply tells of, as a line. Nothing where it tells of none.
fn write_change(reply: &Reply<'_>, lines: &mut String) {
    if let Some(command) = reply.change() {
        if let Action::Seat(..) | Action::Swap = command.action {
            lines.push_str(SILENT);
        }
        // A string takes what it is given.
        let _ = command.write(lines);
        lines.push('\n');
    }
}

/// The start of a first line, before the format.
const NAME: &str = "# noughts journal ";

/// The format. Another number is for lines that this program could not read.
const FORMAT: &str = "1 ";

/// The first line of a journal of this shape: `# noughts journal 1 --size 3x3 --win 3`.
fn first_line(shape: Shape) -> String {
    format!("{NAME}{FORMAT}{}", setup_of(shape).shape_flags())
}

/// The setup of fresh games of `shape` between humans.
fn setup_of(shape: Shape) -> Setup {
    Setup {
        size: Some(shape.into()),
        win: Some(shape.k().into()),
        exact: shape.is_exact(),
        ..Setup::default()
    }
}

/// The shape that a first line names.
fn read_first_line(line: &[u8]) -> Result<Shape, JournalError> {
    let flags = line.strip_prefix(format!("{NAME}{FORMAT}").as_bytes());
    let shape = flags.and_then(|flags| shape_of(str::from_utf8(flags).ok()?));
    // In one way only, so that damage shows.
    let shape = shape.filter(|shape| first_line(*shape).as_bytes() == line);
    shape.ok_or_else(|| refuse(line))
}

/// The error of a line that is not the first of a journal.
fn refuse(line: &[u8]) -> JournalError {
    let text = String::from_utf8_lossy(line);
    let found = quoted(&text);
    match text.strip_prefix(NAME) {
        Some(rest) if !rest.starts_with(FORMAT) => JournalError::OtherFormat(found),
        _ => JournalError::NotAJournal(found),
    }
}

/// The shape of `--size 3x3 --win 3`, and ` --exact` where it is.
fn shape_of(flags: &str) -> Option<Shape> {
    let mut words = flags.split(' ');
    let setup = Setup {
        size: Some(words.nth(1)?.parse().ok()?),
        win: Some(words.nth(1)?.parse().ok()?),
        exact: words.next().is_some(),
        ..Setup::default()
    };
    setup.shape().ok()
}

/// True where `torn` may be the start of a first line that was not written to its end.
fn may_begin(torn: &[u8]) -> bool {
    let start = format!("{NAME}{FORMAT}--size ");
    // After a power cut a file system may have the length of a file and none of its bytes.
    if torn.iter().all(|byte| *byte == 0) {
        return true;
    }
    match torn.strip_prefix(start.as_bytes()) {
        // Digits, an `x`, and ` --win ` and ` --exact`.
        Some(rest) => rest.iter().all(|byte| b"0123456789 -aceintwx".contains(byte)),
        None => start.as_bytes().starts_with(torn),
    }
}

/// The contents of a journal.
#[derive(Debug)]
pub struct Found {
    /// The session, as it was after the last whole line.
    pub session: Session,
    /// The length of the whole lines, in bytes. Zero where there was not even the first.
    pub whole: u64,
    /// The length of the torn line after them, in bytes.
    pub torn: u64,
}

/// The error of what cannot be the journal of a session.
#[derive(Debug)]
#[non_exhaustive]
pub enum JournalError {
    /// It could not be opened, locked, read or written.
    Io(io::Error),
    /// It is no file, but a directory, a pipe or a device.
    NotAFile,
    /// Another process has it as its journal.
    Held,
    /// The first line, quoted, is not that of a journal.
    NotAJournal(String),
    /// The first line, quoted, names a format that is not known here.
    OtherFormat(String),
    /// The setup has another shape than the journal.
    OtherShape {
        /// The flags of the journal.
        found: String,
        /// The flags of the setup.
        asked: String,
    },
    /// There is nothing yet, and the setup has no shape.
    Shape(ShapeError),
    /// A line is not one that a journal has there.
    Damaged {
        /// The number of the line, from 1.
        line: u64,
        /// The line, quoted.
        found: String,
        /// The fault of the line.
        why: String,
    },
}

impl fmt::Display for JournalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const LEFT: &str = "it is left as it is";
        match self {
            Self::Io(error) => error.fmt(f),
            Self::Shape(error) => error.fmt(f),
            Self::NotAFile => f.write_str("a directory, pipe or device cannot be a journal"),
            Self::Held => f.write_str("another process has it as its journal"),
            Self::NotAJournal(found) => {
                let expected = first_line(Shape::TIC_TAC_TOE);
                write!(
                    f,
                    "line 1: found {found}, expected {expected:?} or another shape: \
                     this is not a journal, {LEFT}"
                )
            }
            Self::OtherFormat(found) => {
                let format = FORMAT.trim_end();
                write!(f, "line 1: found {found}, expected format {format}: {LEFT}")
            }
            Self::OtherShape { found, asked } => {
                write!(f, "line 1: the journal has {found}, the flags say {asked}: leave them out")
            }
            Self::Damaged { line, found, why } => {
                let (good, s) = (line - 1, if *line == 2 { "" } else { "s" });
                write!(
                    f,
                    "line {line}: found {found}: {why}: the journal is damaged, {LEFT}; \
                     {good} line{s} before it can be gone on from"
                )
            }
        }
    }
}

impl Error for JournalError {}

impl From<io::Error> for JournalError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Reads a journal to its end. The session has the shape and the seats that are found there, or the
/// shape of `setup` where nothing is found; of `setup` it has the limit and the seed. A computer
/// whose turn it was moves next, and not before. Linear in the length of the journal, at the price
/// of a command a line.
///
/// # Errors
///
/// [`JournalError`]: among others, where `setup` contradicts the shape of the journal.
pub fn read(mut input: impl BufRead, setup: &Setup) -> Result<Found, JournalError> {
    let mut session = None;
    let (mut whole, mut torn) = (0, 0);
    let (mut line, mut again) = (Vec::new(), String::new());
    // The first line of two that belong together, with its line end.
    let mut first = Vec::new();
    for number in 1.. {
        line.clear();
        let most = MAX_LINE as u64 + 1;
        let length = input.by_ref().take(most).read_until(b'\n', &mut line)? as u64;
        let is_whole = line.pop_if(|byte| *byte == b'\n').is_some();
        let damaged = |why| JournalError::Damaged {
            line: number,
            found: quoted(&String::from_utf8_lossy(&line)),
            why,
        };
        match (is_whole, &mut session) {
            (false, _) if length == 0 => {
                torn = first.len() as u64;
                break;
            }
            (false, _) if length == most => {
                return Err(damaged(format!("it is longer than {MAX_LINE} bytes")));
            }
            (false, None) if !may_begin(&line) => return Err(refuse(&line)),
            (false, _) => {
                torn = first.len() as u64 + length;
                break;
            }
            (true, Some(_)) if first.is_empty() && line.ends_with(FIRST_OF_TWO.as_bytes()) => {
                first.clone_from(&line);
                first.push(b'\n');
                continue;
            }
            (true, None) => session = Some(begin(read_first_line(&line)?, setup)?),
            (true, Some(session)) => {
                if !first.is_empty() {
                    redo_first(session, &first, &line, &mut again).map_err(damaged)?;
                    whole += first.len() as u64;
                    first.clear();
                }
                redo(session, &line, &mut again).map_err(damaged)?;
            }
        }
        whole += length;
    }
    let session = match session {
        Some(session) => session,
        None => begin(setup.shape().map_err(JournalError::Shape)?, setup)?,
    };
    Ok(Found { session, whole, torn })
}

/// The session of a journal of `shape`, before its first change.
fn begin(shape: Shape, setup: &Setup) -> Result<Session, JournalError> {
    let found = Setup { limit: setup.limit, seed: setup.seed, ..setup_of(shape) };
    let is_other = setup.size.is_some_and(|_| setup.size != found.size)
        || setup.win.is_some_and(|_| setup.win != found.win)
        || setup.exact && !found.exact;
    if is_other {
        return Err(JournalError::OtherShape {
            found: found.shape_flags(),
            asked: setup.shape_flags(),
        });
    }
    Session::new(&found).map_err(JournalError::Shape)
}

/// Makes the `new` again that belongs to the line after it, and says what is wrong with the two.
fn redo_first(
    session: &mut Session,
    first: &[u8],
    second: &[u8],
    again: &mut String,
) -> Result<(), String> {
    let new = first.strip_suffix(b"\n").and_then(|line| line.strip_suffix(FIRST_OF_TWO.as_bytes()));
    let new = new.filter(|line| line.starts_with(b"new ") && second.starts_with(b"replay "));
    let new = new.ok_or_else(|| {
        format!("the line before it, \"...{FIRST_OF_TWO}\", is a \"new\" that a \"replay\" follows")
    })?;
    redo(session, new, again).map_err(|why| format!("the line before it: {why}"))
}

/// Makes the change again that a line tells of, and says what is wrong with one that does not.
/// `again` is for the line as it would be written.
fn redo(session: &mut Session, line: &[u8], again: &mut String) -> Result<(), String> {
    use Verb::{Drop, Game, New, Play, Position, Redo, Replay, Seat, Undo};
    if line.is_empty() {
        return Err("no journal has an empty line".to_owned());
    }
    let silent = line.strip_prefix(SILENT.as_bytes());
    let command = parse(silent.unwrap_or(line)).map_err(|error| error.to_string())?;
    let is_kept = match command.action.verb() {
        Seat => silent.is_some(),
        // A computer's move is there as `play`, not as `go`.
        Play | Undo | Redo | New | Replay | Position | Game | Drop => silent.is_none(),
        _ => false,
    };
    if !is_kept {
        return Err("no journal has that".to_owned());
    }
    let reply = session.run(&command);
    if let Err(error) = &reply.answer {
        return Err(error.to_string());
    }
    again.clear();
    write_change(&reply, again);
    match again.strip_suffix('\n') {
        Some(again) if again.as_bytes() == line => {
            if let Action::Play(Some(mark), _) = command.action {
                session.moved_before(mark);
            }
            Ok(())
        }
        Some(again) => Err(format!("expected {}", quoted(again))),
        None => Err("that changes nothing".to_owned()),
    }
}
