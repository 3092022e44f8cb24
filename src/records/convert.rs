//! The conversion: games from one input after the other into one output, none of them kept.

use std::fmt::Display;
use std::fs;
use std::io::{self, BufRead, BufWriter, IsTerminal, Write};
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
    progress: Progress,
}

impl<W: Write> Converter<W> {
    /// Makes a conversion.
    pub fn new(to: Format, defaults: Defaults, target: Target<W>) -> Self {
        let writer = Writer::new(to, defaults.row_one);
        Self { to, defaults, writer, target, picture: None, progress: Progress::new() }
    }

    /// Reads the games of one input and writes them. `log` hears of what cannot be read or written,
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
        input: impl BufRead,
        log: &mut dyn FnMut(&dyn Display),
    ) -> Result<bool, ConvertError> {
        let mut is_clean = true;
        for found in from.read(input, self.defaults) {
            let found = found.map_err(ConvertError::Read)?;
            self.progress.count();
            let mut say = |text: &dyn Display| {
                self.progress.wipe();
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
                    if self.writer.lacks_columns_of(&record) {
                        say(&Note::Columns);
                    }
                    match write(
                        &mut self.writer,
                        &mut self.target,
                        &mut self.picture,
                        self.to,
                        record,
                    ) {
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
            let failed = |error| Failed::Output(ConvertError::File { path: path.clone(), error });
            fs::write(&path, file).map_err(failed)
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
