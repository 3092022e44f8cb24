//! The file that a session is kept in: every accepted change, as the command that makes it again.
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
//! rest is a script that makes the same games. What a computer played is there as plain moves, and
//! who has which seat as comments, so that nothing is searched for again.
//!
//! A change names its mark, its numbers in full, and the version that it was made at. A line is
//! right when running it would write the same line again, so that one that is missing, doubled or
//! altered shows at once or at the next one, unless it has become another change that might have
//! been made there. A write that did not end leaves a last line without its line end.

use std::fmt;
use std::fs::{self, File, TryLockError};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::path::Path;

use crate::command::{Command, Size, Verb, quoted};
use crate::game::{Mark, Shape, ShapeError};
use crate::player::Kind;
use crate::reply::{Answer, Reply, write_square};
use crate::session::{Session, Setup};
use crate::shell::repl::{BLOCK, MAX_LINE, parse};

/// Appends lines to where they are kept, and returns once they are there.
pub type Keep = Box<dyn FnMut(&[u8]) -> io::Result<()>>;

/// Where the changes of a session are kept.
pub struct Journal {
    /// Noted, and not yet kept.
    lines: Vec<u8>,
    keep: Keep,
}

impl fmt::Debug for Journal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = String::from_utf8_lossy(&self.lines);
        f.debug_struct("Journal")
            .field("lines", &lines)
            .finish_non_exhaustive()
    }
}

impl Journal {
    /// A journal that starts with its first line, for a session of fresh games of `shape`.
    #[must_use]
    pub fn new(shape: Shape, keep: Keep) -> Self {
        let mut journal = Self::continued(keep);
        journal.lines = format!("{}\n", Header(shape)).into_bytes();
        journal
    }

    /// A journal that goes on from what is kept already.
    #[must_use]
    pub const fn continued(keep: Keep) -> Self {
        let lines = Vec::new();
        Self { lines, keep }
    }

    /// Notes the change that a reply tells of, if it tells of one. Linear in what changes, and
    /// allocates nothing for a move.
    pub fn note(&mut self, reply: &Reply<'_>) {
        write_change(reply, &mut self.lines);
    }

    /// Whether so much is noted that it should be kept, for the sake of memory.
    #[must_use]
    pub const fn is_full(&self) -> bool {
        self.lines.len() >= BLOCK
    }

    /// Keeps what is noted. Only then may the replies be seen.
    ///
    /// # Errors
    ///
    /// What keeping came upon. Then it is not known how much is kept, and nothing may follow.
    pub fn commit(&mut self) -> io::Result<()> {
        if self.lines.is_empty() {
            return Ok(());
        }
        let kept = (self.keep)(&self.lines);
        self.lines.clear();
        kept
    }
}

/// Appends the command, as a line, that makes the change again which `reply` tells of. Nothing
/// where it tells of none.
fn write_change(reply: &Reply<'_>, out: &mut Vec<u8>) {
    let game = reply.game;
    let (board, shape) = (game.board(), game.board().shape());
    let mut digits = itoa::Buffer::new();
    match &reply.answer {
        Answer::Moved { .. } if reply.verb == Some(Verb::Replay) => {
            out.extend_from_slice(b"replay");
            for &square in game.moves() {
                out.push(b' ');
                write_square(square, out);
            }
        }
        Answer::Moved { square, .. } => {
            let mark = board.at(*square).unwrap_or(Mark::X);
            out.extend_from_slice(b"play ");
            out.extend_from_slice(mark.name().as_bytes());
            out.push(b' ');
            write_square(*square, out);
        }
        Answer::Undone(count) => {
            out.extend_from_slice(b"undo ");
            out.extend_from_slice(digits.format(*count).as_bytes());
        }
        Answer::Redone(count, _) => {
            out.extend_from_slice(b"redo ");
            out.extend_from_slice(digits.format(*count).as_bytes());
        }
        Answer::Started => {
            let size = size_of(shape);
            out.extend_from_slice(format!("new {size} {}", shape.k()).as_bytes());
        }
        Answer::SetUp => {
            out.extend_from_slice(b"position");
            for square in shape.iter() {
                if square.col == 0 {
                    out.push(if square.row == 0 { b' ' } else { b'/' });
                }
                out.extend_from_slice(board.at(square).map_or(".", Mark::name).as_bytes());
            }
            out.push(b' ');
            out.extend_from_slice(digits.format(shape.k()).as_bytes());
        }
        Answer::Seated(mark, player) => {
            let line = format!("{SILENT}{}\n", Command::Seat(*mark, *player));
            return out.extend_from_slice(line.as_bytes());
        }
        Answer::WentOver => {
            let line = format!("game {}\n", reply.name);
            return out.extend_from_slice(line.as_bytes());
        }
        Answer::Dropped(name) => {
            return out.extend_from_slice(format!("drop {name}\n").as_bytes());
        }
        Answer::Hint(..)
        | Answer::Analysis(_)
        | Answer::Count(_)
        | Answer::Moves
        | Answer::Board
        | Answer::At(_)
        | Answer::Free
        | Answer::Status
        | Answer::Game
        | Answer::Games(_)
        | Answer::Help(_)
        | Answer::Bye
        | Answer::Refused { .. }
        | Answer::Declined(_)
        | Answer::Ragged(_)
        | Answer::Unreachable(_)
        | Answer::Bad(_) => return,
    }
    // These are the changes that the version counts.
    out.extend_from_slice(b" @");
    out.extend_from_slice(digits.format(game.version() - 1).as_bytes());
    out.push(b'\n');
}

/// Stands before a command that a script is not to run: a computer on a seat would move where the
/// journal has its moves already.
const SILENT: &str = "# ";

/// The first line: `# noughts journal 1 --size 3x3 --win 3`, and ` --exact` where it is.
struct Header(Shape);

impl Header {
    const NAME: &str = "# noughts journal ";

    /// The format. Another number is for lines that this one could not read.
    const FORMAT: &str = "1 ";

    fn read(line: &[u8]) -> Option<Shape> {
        let text = str::from_utf8(line).ok()?;
        let flags = text.strip_prefix(Self::NAME)?;
        let shape = Self::shape(flags.strip_prefix(Self::FORMAT)?)?;
        // In one way only, so that damage shows.
        (Self(shape).to_string() == text).then_some(shape)
    }

    /// Why a line cannot be read as this one.
    fn refuse(line: &[u8]) -> ReadError {
        let text = String::from_utf8_lossy(line);
        let found = quoted(&text);
        match text.strip_prefix(Self::NAME) {
            Some(format) if !format.starts_with(Self::FORMAT) => ReadError::OtherFormat { found },
            _ => ReadError::NotAJournal { found },
        }
    }

    fn shape(flags: &str) -> Option<Shape> {
        let mut words = flags.split(' ');
        let size: Size = words.nth(1)?.parse().ok()?;
        let k = words.nth(1)?.parse().ok()?;
        let shape = size.shape(Some(k)).ok()?;
        Some(match words.next() {
            Some(_) => shape.with_exact(true),
            None => shape,
        })
    }

    /// Whether this may be the start of a first line that was not written to its end.
    fn may_start_with(torn: &[u8]) -> bool {
        let start = format!("{}{}--size ", Self::NAME, Self::FORMAT);
        let start = start.as_bytes();
        match torn.strip_prefix(start) {
            // Digits, an `x`, and ` --win ` and ` --exact`.
            Some(rest) => rest
                .iter()
                .all(|byte| b"0123456789 -aceintwx".contains(byte)),
            None => start.starts_with(torn),
        }
    }
}

impl fmt::Display for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}{}", Self::NAME, Self::FORMAT, Flags(self.0))
    }
}

/// A shape as flags: `--size 3x3 --win 3`, and ` --exact` where it is.
struct Flags(Shape);

impl fmt::Display for Flags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let exact = if self.0.is_exact() { " --exact" } else { "" };
        write!(f, "--size {} --win {}{exact}", size_of(self.0), self.0.k())
    }
}

fn size_of(shape: Shape) -> Size {
    Size {
        rows: shape.rows().into(),
        cols: shape.cols().into(),
    }
}

/// What is asked of a session, whether or not it has a journal to go on from.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Asked {
    /// The size of a new game.
    pub size: Option<Size>,
    /// How many in a row win.
    pub win: Option<u64>,
    /// Whether a longer run does not win.
    pub exact: bool,
    /// Who moves for X: takes the seat.
    pub x: Option<Kind>,
    /// Who moves for O: takes the seat.
    pub o: Option<Kind>,
}

impl Asked {
    /// The shape of a new session: 3 x 3 where no size is asked for.
    ///
    /// # Errors
    ///
    /// [`ShapeError`] where there is no such shape.
    pub fn shape(&self) -> Result<Shape, ShapeError> {
        let size = self.size.unwrap_or(size_of(Shape::TIC_TAC_TOE));
        let shape = size.shape(self.win)?;
        Ok(shape.with_exact(self.exact))
    }

    /// Whether a journal of this shape is what is asked for, as far as anything is.
    fn fits(&self, shape: Shape) -> bool {
        self.size.is_none_or(|size| size == size_of(shape))
            && self.win.is_none_or(|win| win == u64::from(shape.k()))
            && (shape.is_exact() || !self.exact)
    }
}

/// The flags for the shape, as far as there are any.
impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flags = [
            self.size.map(|size| format!("--size {size}")),
            self.win.map(|win| format!("--win {win}")),
            self.exact.then(|| "--exact".to_owned()),
        ];
        let flags: Vec<String> = flags.into_iter().flatten().collect();
        f.write_str(&flags.join(" "))
    }
}

/// What was found in a journal.
#[derive(Debug)]
pub struct Found {
    /// The session, as it was after the last whole line.
    pub session: Session,
    /// The length of the whole lines, in bytes. Zero where there was not even the first.
    pub whole: u64,
    /// The length of the torn line after them, in bytes.
    pub torn: u64,
}

/// Why something is not read as a journal.
#[derive(Debug)]
pub enum ReadError {
    /// It could not be read on.
    Io(io::Error),
    /// The first line is not that of a journal.
    NotAJournal {
        /// The line, quoted.
        found: String,
    },
    /// A journal in a format that is not known here.
    OtherFormat {
        /// The line, quoted.
        found: String,
    },
    /// The session was asked to have another shape than the journal.
    OtherShape {
        /// What the journal has.
        found: Shape,
        /// What was asked for.
        asked: Asked,
    },
    /// There is nothing yet, and what is asked for is no shape.
    Shape(ShapeError),
    /// A line that no journal has there.
    Damaged {
        /// Which, 1-based.
        line: u64,
        /// The line, quoted.
        found: String,
        /// What is wrong with it.
        why: String,
    },
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const LEFT: &str = "it is left as it is";
        match self {
            Self::Io(error) => error.fmt(f),
            Self::Shape(error) => error.fmt(f),
            Self::NotAJournal { found } => {
                let expected = Header(Shape::TIC_TAC_TOE).to_string();
                write!(
                    f,
                    "line 1: found {found}, expected {expected:?} or another shape: \
                     this is not a journal, {LEFT}"
                )
            }
            Self::OtherFormat { found } => {
                write!(
                    f,
                    "line 1: found {found}, expected format {}: {LEFT}",
                    Header::FORMAT.trim_end()
                )
            }
            Self::OtherShape { found, asked } => {
                let found = Flags(*found);
                write!(
                    f,
                    "line 1: the journal has {found}, the flags say {asked}: leave them out"
                )
            }
            Self::Damaged { line, found, why } => {
                write!(
                    f,
                    "line {line}: found {found}: {why}: the journal is damaged, {LEFT}"
                )
            }
        }
    }
}

impl std::error::Error for ReadError {}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Reads a journal to its end. The session has the shape and the seats that are found there, or the
/// shape that is `asked` where nothing is found; of `setup` it has the limit and the seed alone. A
/// computer whose turn it was moves next, and not before. Linear in the length of the journal, at
/// the price of a command a line.
///
/// # Errors
///
/// [`ReadError`]: among others, where the journal has another shape than what is `asked`.
pub fn read(mut input: impl BufRead, setup: Setup, asked: Asked) -> Result<Found, ReadError> {
    let fresh = |shape| {
        Session::new(Setup {
            shape,
            x: Kind::Human,
            o: Kind::Human,
            ..setup
        })
    };
    let mut found = Found {
        session: fresh(Shape::TIC_TAC_TOE),
        whole: 0,
        torn: 0,
    };
    let (mut line, mut again) = (Vec::new(), Vec::new());
    for number in 1.. {
        line.clear();
        let most = MAX_LINE as u64 + 1;
        let length = input.by_ref().take(most).read_until(b'\n', &mut line)? as u64;
        let is_whole = line.pop_if(|byte| *byte == b'\n').is_some();
        let damaged = |why| ReadError::Damaged {
            line: number,
            found: quoted(&String::from_utf8_lossy(&line)),
            why,
        };
        match (is_whole, number) {
            (false, _) if length == 0 => break,
            (false, _) if length == most => {
                return Err(damaged(format!("it is longer than {MAX_LINE} bytes")));
            }
            (false, 1) if !Header::may_start_with(&line) => return Err(Header::refuse(&line)),
            (false, _) => {
                found.torn = length;
                break;
            }
            (true, 1) => {
                let shape = Header::read(&line).ok_or_else(|| Header::refuse(&line))?;
                if !asked.fits(shape) {
                    return Err(ReadError::OtherShape {
                        found: shape,
                        asked,
                    });
                }
                found.session = fresh(shape);
            }
            (true, _) => change(&mut found.session, &line, &mut again).map_err(damaged)?,
        }
        found.whole += length;
    }
    if found.whole == 0 {
        found.session = fresh(asked.shape().map_err(ReadError::Shape)?);
    }
    Ok(found)
}

/// Makes the change again that a line tells of, and says what is wrong with one that does not.
/// `again` is for the line as it would be written.
fn change(session: &mut Session, line: &[u8], again: &mut Vec<u8>) -> Result<(), String> {
    if line.is_empty() {
        return Err("no journal has an empty line".to_owned());
    }
    let silent = line.strip_prefix(SILENT.as_bytes());
    let command = parse(silent.unwrap_or(line)).map_err(|error| error.to_string())?;
    let is_known = match command.verb() {
        Verb::Seat => silent.is_some(),
        Verb::Play
        | Verb::Undo
        | Verb::Redo
        | Verb::New
        | Verb::Replay
        | Verb::Position
        | Verb::Game
        | Verb::Drop => silent.is_none(),
        // `go` among them: what a computer played is there as a move.
        _ => false,
    };
    if !is_known {
        return Err("no journal has that".to_owned());
    }
    let reply = session.run(&command);
    if let Some(message) = reply.message() {
        return Err(message);
    }
    again.clear();
    write_change(&reply, again);
    match again.strip_suffix(b"\n") {
        Some(again) if again == line => Ok(()),
        Some(again) => Err(format!(
            "expected {}",
            quoted(&String::from_utf8_lossy(again))
        )),
        None => Err("that changes nothing".to_owned()),
    }
}

/// A session that goes on, and its journal.
#[derive(Debug)]
pub struct Opened {
    /// The session.
    pub session: Session,
    /// Holds the file, locked, until it is dropped.
    pub journal: Journal,
    /// The length of the torn last line that was dropped, in bytes.
    pub torn: u64,
}

/// Why a file cannot be the journal of a session. It is left as it is.
#[derive(Debug)]
pub enum OpenError {
    /// Something that is no file: a directory, a pipe, a device.
    NotAFile,
    /// Another process has it as its journal.
    Held {
        /// Which one, where the system tells.
        by: Option<u32>,
    },
    /// What is in the file is not what is asked for, or could not be read.
    Read(ReadError),
    /// The file could not be opened, locked or written.
    Io(io::Error),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAFile => f.write_str("a directory, pipe or device cannot be a journal"),
            Self::Held { by } => {
                match by {
                    Some(pid) => write!(f, "process {pid}")?,
                    None => f.write_str("another process")?,
                }
                f.write_str(" has it as its journal")
            }
            Self::Read(error) => error.fmt(f),
            Self::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for OpenError {}

impl From<io::Error> for OpenError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Opens the file at `path` as a journal, which it becomes if it is new or empty, and goes on from
/// what is in it. A torn last line is cut off. With `sync`, what is kept is on the disk.
///
/// # Errors
///
/// [`OpenError`].
pub fn open(path: &Path, setup: Setup, asked: Asked, sync: bool) -> Result<Opened, OpenError> {
    match fs::metadata(path) {
        // Opening a pipe would wait for its other end.
        Ok(metadata) if !metadata.is_file() => return Err(OpenError::NotAFile),
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(OpenError::Io(error)),
        _ => {}
    }
    let mut file = File::options()
        .read(true)
        .append(true)
        .create(true)
        .open(path)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let by = holder(&file);
            return Err(OpenError::Held { by });
        }
        Err(TryLockError::Error(error)) => return Err(OpenError::Io(error)),
    }
    let input = BufReader::with_capacity(BLOCK, &file);
    let Found {
        mut session,
        whole,
        torn,
    } = read(input, setup, asked).map_err(OpenError::Read)?;
    if torn > 0 {
        file.set_len(whole)?;
    }
    if sync {
        // Also what an earlier session kept without.
        file.sync_all()?;
        sync_entry(path)?;
    }
    let mut length = whole;
    let keep: Keep = Box::new(move |lines| {
        let kept = file.write_all(lines);
        let kept = kept.and_then(|()| if sync { file.sync_data() } else { Ok(()) });
        match kept {
            Ok(()) => length += lines.len() as u64,
            // What will not be answered need not stay. If it does, it is as after a crash.
            Err(_) => drop(file.set_len(length)),
        }
        kept
    });
    let mut journal = if whole == 0 {
        Journal::new(session.game().board().shape(), keep)
    } else {
        Journal::continued(keep)
    };
    for (mark, player) in [(Mark::X, asked.x), (Mark::O, asked.o)] {
        if let Some(player) = player.filter(|player| *player != session.seat_of(mark)) {
            journal.note(&session.run(&Command::Seat(mark, player)));
        }
    }
    journal.commit()?;
    Ok(Opened {
        session,
        journal,
        torn,
    })
}

/// Makes sure that the directory of the file at `path` has it on the disk.
fn sync_entry(path: &Path) -> io::Result<()> {
    if cfg!(unix)
        && let Some(directory) = fs::canonicalize(path)?.parent()
    {
        File::open(directory)?.sync_all()?;
    }
    Ok(())
}

/// The process that has locked `file`, where the system tells and it can be seen from here.
#[cfg(target_os = "linux")]
fn holder(file: &File) -> Option<u32> {
    use std::os::linux::fs::MetadataExt;
    let metadata = file.metadata().ok()?;
    let (device, inode) = (metadata.st_dev(), metadata.st_ino());
    // As the C library takes a device number apart.
    let major = (device >> 8) & 0xfff | (device >> 32) & 0xffff_f000;
    let minor = device & 0xff | (device >> 12) & 0xffff_ff00;
    let wanted = format!("{major:02x}:{minor:02x}:{inode}");
    // `3: FLOCK  ADVISORY  WRITE 14359 fe:00:10021101 0 EOF`
    let locks = fs::read_to_string("/proc/locks").ok()?;
    let pid = locks.lines().find_map(|line| {
        let mut words = line.split_whitespace().skip(4);
        let pid = words.next()?;
        words.next().filter(|file| *file == wanted)?;
        pid.parse().ok()
    });
    // A process of another container has no number here.
    pid.filter(|pid| *pid != 0)
}

#[cfg(not(target_os = "linux"))]
const fn holder(_: &File) -> Option<u32> {
    None
}
