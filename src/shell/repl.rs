//! The loop: reads a line, answers it, and goes on to the next.

use std::error::Error;
use std::fmt;
use std::io::{self, BufRead, ErrorKind, Write};

use super::files;
use super::journal::Journal;
use super::score::Score;
use crate::command::{Action, Line, MAX_LINE, Seat, Verb};
use crate::reply::{Code, Format, Origin};
use crate::session::Session;

/// The number of bytes that are read and written at a time.
pub const BLOCK: usize = 1 << 16;

/// The options of a conversation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// The format of the replies.
    pub format: Format,
    /// Stops at the first reply that is not `OK`, `WIN` or `DRAW`.
    pub strict: bool,
    /// Writes each command before its reply.
    pub echo: bool,
}

/// The end of a conversation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// Every line was understood.
    Clean,
    /// Some line was not understood.
    Misunderstood,
    /// A strict conversation ended at a refusal.
    Stopped,
}

/// The error that ended a conversation early.
#[derive(Debug)]
pub enum ReplError {
    /// The input could not be read on.
    Read(io::Error),
    /// The replies could not be written.
    Write(io::Error),
    /// The changes could not be kept, so their replies were not written.
    Keep(io::Error),
}

impl fmt::Display for ReplError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(error) | Self::Write(error) | Self::Keep(error) => error.fmt(f),
        }
    }
}

impl Error for ReplError {}

impl From<io::Error> for ReplError {
    fn from(error: io::Error) -> Self {
        Self::Write(error)
    }
}

/// Answers every line of `input` on `out` until the input ends, `quit` is read, or a strict
/// conversation meets a refusal. `source` is the name of the file, if it has one. With a `journal`,
/// a change is kept there before its reply is written.
///
/// A reply is flushed before a read that may block, and otherwise written in large blocks. Memory
/// is bounded by [`MAX_LINE`], the longest reply, and what the session holds.
///
/// # Errors
///
/// [`ReplError`] where reading, writing or keeping fails.
pub fn repl(
    mut input: impl BufRead,
    out: impl Write,
    options: Options,
    source: Option<&str>,
    journal: Option<&mut Journal>,
    session: &mut Session,
) -> Result<Status, ReplError> {
    let mut talk = Conversation::new(out, options, source, journal, session);
    talk.read_all(&mut input, None)?;
    talk.end()
}

/// Appends `part` to a line, as far as it takes to see that the line is too long.
fn append(line: &mut Vec<u8>, part: &[u8]) {
    let room = (MAX_LINE + 1).saturating_sub(line.len());
    line.extend_from_slice(part.get(..room).unwrap_or(part));
}

/// The state of a conversation from one line to the next.
pub(super) struct Conversation<'a, W> {
    pub(super) out: W,
    /// The replies that are not written yet.
    replies: Vec<u8>,
    options: Options,
    origin: Origin<'a>,
    journal: Option<&'a mut Journal>,
    pub(super) session: &'a mut Session,
    /// The score, where a person is told it.
    pub(super) score: Option<Score>,
    /// The code of the last reply.
    pub(super) last: Code,
    status: Status,
    /// True where `save` and `load` reach files.
    has_files: bool,
}

impl<'a, W: Write> Conversation<'a, W> {
    pub(super) const fn new(
        out: W,
        options: Options,
        source: Option<&'a str>,
        journal: Option<&'a mut Journal>,
        session: &'a mut Session,
    ) -> Self {
        Self {
            out,
            replies: Vec::new(),
            options,
            origin: Origin { source, line: 0, comment: None },
            journal,
            session,
            score: None,
            last: Code::Ok,
            status: Status::Clean,
            has_files: false,
        }
    }

    /// Lets `save` and `load` reach files from now on: a person types them.
    #[cfg(feature = "cli")]
    pub(super) const fn allow_files(&mut self) {
        self.has_files = true;
    }

    /// Answers every line of `input`, up to its end or that of the conversation. Before each read
    /// that may block, what is answered is flushed, and after it the `sign` to type at, if any, whose
    /// line ends with the input.
    pub(super) fn read_all(
        &mut self,
        input: &mut impl BufRead,
        sign: Option<fn(&Session) -> String>,
    ) -> Result<(), ReplError> {
        if self.let_computers_move()? {
            return Ok(());
        }
        // The start of a line whose end has not been read yet.
        let mut partial = Vec::new();
        loop {
            if let Some(sign) = sign {
                self.replies.extend_from_slice(sign(self.session).as_bytes());
            }
            self.flush()?;
            let block = match input.fill_buf() {
                Ok(block) => block,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(ReplError::Read(error)),
            };
            if block.is_empty() {
                if sign.is_some() {
                    self.replies.push(b'\n');
                }
                break;
            }
            let mut rest = block;
            while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
                let (line, after) = rest.split_at(end);
                rest = after.get(1..).unwrap_or_default();
                let ended = if partial.is_empty() {
                    self.answer(line)?
                } else {
                    append(&mut partial, line);
                    self.answer(&partial)?
                };
                partial.clear();
                if ended || self.let_computers_move()? {
                    return Ok(());
                }
            }
            append(&mut partial, rest);
            let read = block.len();
            input.consume(read);
        }
        if !partial.is_empty() && !self.answer(&partial)? {
            self.let_computers_move()?;
        }
        Ok(())
    }

    /// Answers one line, unless it is blank; the computers have not moved yet. True at the end of
    /// the conversation.
    pub(super) fn answer(&mut self, line: &[u8]) -> Result<bool, ReplError> {
        self.origin.line += 1;
        let Some(line) = Line::new(line, self.origin.line == 1) else {
            return Ok(false);
        };
        if self.options.echo {
            writeln!(self.replies, "> {line}")?;
        }
        let command = line.parse();
        let quits = matches!(&command, Ok(command) if matches!(command.action, Action::Quit));
        let reply = match command {
            Ok(command) if self.has_files => {
                files::run(&command, self.session, self.journal.as_deref_mut())
            }
            Ok(command) => self.session.run(&command),
            Err(error) => self.session.misunderstood(error),
        };
        if let Some(journal) = &mut self.journal {
            journal.note(&reply);
        }
        let origin = Origin { comment: line.comment(), ..self.origin };
        let code = reply.write(origin, self.options.format, &mut self.replies)?;
        if let Some(score) = &mut self.score {
            score.note(&reply);
            let is_asked =
                reply.verb == Some(Verb::Status) && self.options.format == Format::Screen;
            if let Some(line) = score.tell().filter(|_| is_asked) {
                writeln!(self.replies, "{line}")?;
            }
        }
        Ok(self.follow(code)? || quits)
    }

    /// Answers for the computer whose turn it is: `None` where it is nobody's, true at the end of
    /// the conversation.
    pub(super) fn let_computer_move(&mut self) -> Result<Option<bool>, ReplError> {
        if self.session.computer_due().is_some_and(Seat::takes_long) {
            self.flush()?;
        }
        let Some(reply) = self.session.move_by_computer() else {
            return Ok(None);
        };
        if let Some(journal) = &mut self.journal {
            journal.note(&reply);
        }
        if let Some(score) = &mut self.score {
            score.note(&reply);
        }
        let code = reply.write(self.origin, self.options.format, &mut self.replies)?;
        self.follow(code).map(Some)
    }

    /// Does what follows from the code of a reply. True where a strict conversation ends.
    fn follow(&mut self, code: Code) -> Result<bool, ReplError> {
        self.last = code;
        if code == Code::BadCommand {
            self.status = Status::Misunderstood;
        }
        let is_journal_full = self.journal.as_ref().is_some_and(|journal| journal.is_full());
        if self.replies.len() >= BLOCK || is_journal_full {
            self.write()?;
        }
        let ends = self.options.strict && !code.is_accepted();
        if ends {
            self.status = Status::Stopped;
        }
        Ok(ends)
    }

    /// Answers for the computers whose turn it is. True at the end of the conversation.
    fn let_computers_move(&mut self) -> Result<bool, ReplError> {
        while let Some(ended) = self.let_computer_move()? {
            if ended {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Writes what is no reply, but belongs between them.
    #[cfg(feature = "cli")]
    pub(super) fn say(&mut self, text: impl fmt::Display) -> io::Result<()> {
        writeln!(self.replies, "{text}")
    }

    /// Keeps the changes, then writes their replies.
    fn write(&mut self) -> Result<(), ReplError> {
        if let Some(journal) = &mut self.journal {
            journal.commit().map_err(ReplError::Keep)?;
        }
        let written = self.out.write_all(&self.replies);
        self.replies.clear();
        Ok(written?)
    }

    pub(super) fn flush(&mut self) -> Result<(), ReplError> {
        self.write()?;
        Ok(self.out.flush()?)
    }

    pub(super) fn end(mut self) -> Result<Status, ReplError> {
        self.flush()?;
        Ok(self.status)
    }
}
