//! The conversion: games from one input after the other into one output, none of them kept.

use std::cell::{Cell, RefCell};
use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, ErrorKind, IsTerminal, Read, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::{ConvertError, Defaults, Format, Note, Place, Record, WriteError, Writer};

/// Where the games go.
pub enum Target<W: Write> {
    /// All of them into one output.
    One(BufWriter<W>),
    /// Each into a file of its own in this folder, by its number.
    Folder(PathBuf),
}

/// A conversion into one format.
pub struct Converter<W: Write> {
    to: Format,
    defaults: Defaults,
    writer: Writer,
    target: Target<W>,
    /// A picture waits until it is known to be the only one.
    picture: Option<Record>,
    /// The rules that the format has no room for, each of which is told once.
    lost_rules: Vec<Note>,
    progress: Progress,
}

/// The bytes that are read at once.
const BLOCK: usize = 64 << 10;

impl<W: Write> Converter<W> {
    /// Makes a conversion.
    pub fn new(to: Format, defaults: Defaults, target: Target<W>) -> Self {
        let writer = Writer::new(to, defaults.row_one);
        let (picture, lost_rules) = (None, Vec::new());
        Self { to, defaults, writer, target, picture, lost_rules, progress: Progress::new() }
    }

    /// Reads the games of one input and writes them. What is written is flushed before a read, which
    /// may have to wait. `log` hears of what cannot be read or written,
    /// and of what is otherwise than it says. Returns true where every game was written.
    ///
    /// # Errors
    ///
    /// [`ConvertError::Read`] where the input fails; what was read before is written. Any other
    /// error is one of the output.
    pub fn convert(
        &mut self,
        name: Option<&str>,
        from: Format,
        input: impl Read,
        log: &mut dyn FnMut(&dyn Display),
    ) -> Result<bool, ConvertError> {
        let mut is_clean = true;
        let Self { to, defaults, writer, target, picture, lost_rules, progress } = self;
        let (target, failed) = (RefCell::new(target), Cell::new(None));
        let input = Flushing { input, target: &target, failed: &failed };
        for found in from.read(BufReader::with_capacity(BLOCK, input), *defaults) {
            let found = found.map_err(|error| match failed.take() {
                Some(error) => ConvertError::Write(error),
                None => ConvertError::Read(error),
            })?;
            progress.count();
            let mut say = |text: &dyn Display| {
                progress.wipe();
                match (name, found.place) {
                    (Some(name), Place::Line(line)) => log(&format_args!("{name}:{line}: {text}")),
                    (Some(name), place) => log(&format_args!("{name}: {place}: {text}")),
                    (None, place) => log(&format_args!("{place}: {text}")),
                }
            };
            for note in &found.notes {
                say(note);
            }
            match found.record {
                Ok(record) => {
                    if writer.lacks_columns_of(&record) {
                        say(&Note::Columns);
                    }
                    let rule = to.lost_rule(record.shape());
                    if let Some(rule) = rule.filter(|rule| !lost_rules.contains(rule)) {
                        say(&rule);
                        lost_rules.push(rule);
                    }
                    match write(writer, &mut target.borrow_mut(), picture, *to, record) {
                        Ok(()) => {}
                        Err(Failed::Game(error)) => {
                            say(&error);
                            is_clean = false;
                        }
                        Err(Failed::Output(error)) => return Err(error),
                    }
                }
                Err(error) => {
                    say(&error);
                    is_clean = false;
                }
            }
        }
        Ok(is_clean)
    }

    /// Writes what is left.
    ///
    /// # Errors
    ///
    /// Those of the output.
    pub fn finish(&mut self) -> Result<(), ConvertError> {
        self.progress.wipe();
        let Target::One(out) = &mut self.target else { return Ok(()) };
        if let Some(record) = self.picture.take() {
            self.writer.write(&record, out).map_err(|error| match error {
                WriteError::Io(error) => ConvertError::Write(error),
                error => ConvertError::Write(io::Error::other(error)),
            })?;
        }
        out.flush().map_err(ConvertError::Write)
    }
}

/// An input that may have to wait for what it reads: what is written is flushed before.
struct Flushing<'a, 'b, R, W: Write> {
    input: R,
    target: &'a RefCell<&'b mut Target<W>>,
    /// The error of the output, which is none of the input.
    failed: &'a Cell<Option<io::Error>>,
}

impl<R: Read, W: Write> Read for Flushing<'_, '_, R, W> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Target::One(out) = &mut **self.target.borrow_mut()
            && let Err(error) = out.flush()
        {
            self.failed.set(Some(error));
            return Err(ErrorKind::Other.into());
        }
        self.input.read(buffer)
    }
}

/// The failure of one game, or of the whole output.
enum Failed {
    Game(WriteError),
    Output(ConvertError),
}

fn write<W: Write>(
    writer: &mut Writer,
    target: &mut Target<W>,
    picture: &mut Option<Record>,
    to: Format,
    record: Record,
) -> Result<(), Failed> {
    match target {
        Target::One(_) if to == Format::Svg => match picture.replace(record) {
            Some(_) => Err(Failed::Output(ConvertError::SeveralPictures)),
            None => Ok(()),
        },
        Target::One(out) => writer.write(&record, out).map_err(|error| match error {
            WriteError::Io(error) => Failed::Output(ConvertError::Write(error)),
            error => Failed::Game(error),
        }),
        Target::Folder(folder) => {
            let ending = to.endings().first().copied().unwrap_or_default();
            let mut file = Vec::new();
            // A file has all that it needs, so each has a writer of its own.
            let mut one = Writer::new(to, writer.row_one);
            one.write(&record, &mut file).map_err(Failed::Game)?;
            writer.written += 1;
            let path = folder.join(format!("{:06}.{ending}", writer.written));
            // Nobody's file is overwritten, nor one of an earlier conversion.
            let written = match File::create_new(&path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                    let text = "it is there already: --out DIR overwrites no file";
                    Err(io::Error::new(ErrorKind::AlreadyExists, text))
                }
                made => made.and_then(|mut made| made.write_all(&file)),
            };
            written.map_err(|error| Failed::Output(ConvertError::File { path, error }))
        }
    }
}

/// The progress for the person who waits: a line on standard error where that is a terminal.
struct Progress {
    games: u64,
    /// The time at which the line is written next; `None` where nobody looks.
    next: Option<Instant>,
    is_shown: bool,
}

impl Progress {
    /// The time from one line to the next.
    const EVERY: Duration = Duration::from_millis(200);

    fn new() -> Self {
        let next = io::stderr().is_terminal().then(|| Instant::now() + Self::EVERY);
        Self { games: 0, next, is_shown: false }
    }

    /// Counts a game, and tells so from time to time.
    fn count(&mut self) {
        self.games += 1;
        let Some(next) = self.next.filter(|_| self.games.is_multiple_of(256)) else { return };
        let now = Instant::now();
        if now >= next {
            self.next = Some(now + Self::EVERY);
            self.is_shown = true;
            // The games do not depend on it.
            let _ = write!(io::stderr(), "\r\x1b[K{} games", self.games);
        }
    }

    /// Makes way for a message.
    fn wipe(&mut self) {
        if self.is_shown {
            self.is_shown = false;
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}
