//! Reads a line, answers it, and goes on to the next.

use std::io::{self, BufRead, ErrorKind, Write};

use crate::command::{Command, CommandError, is_separator};
use crate::reply::{Code, Format, Origin};
use crate::session::Session;
use crate::shell::journal::Journal;

/// The longest line that is read, in bytes. A longer one is skipped without being held.
pub const MAX_LINE: usize = 16 << 20;

/// How many bytes are read and written at a time.
pub const BLOCK: usize = 1 << 16;

/// How a conversation is held.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Manner {
    /// How replies are written.
    pub format: Format,
    /// Whether to stop at the first reply that is not `OK`, `WIN` or `DRAW`.
    pub strict: bool,
    /// Whether to write each command before its reply.
    pub echo: bool,
}

/// How a conversation went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// Every line was understood.
    Clean,
    /// Some line was not.
    Misunderstood,
    /// A strict conversation ended at a refusal.
    Stopped,
}

/// What ended a conversation early.
#[derive(Debug)]
pub enum Failure {
    /// The input could not be read on.
    Reading(io::Error),
    /// The replies could not be written.
    Writing(io::Error),
    /// The changes could not be kept, so their replies were not written.
    Keeping(io::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Writing(error)
    }
}

/// Answers every line of `input` on `out` until the input ends, `quit` is read, or a strict
/// conversation meets a refusal. `source` is the file's name, if it has one. With a `journal`, a
/// change is kept there before its reply is written.
///
/// A reply is flushed before a read that may block, and otherwise written in large blocks. Memory
/// is bounded by [`MAX_LINE`], the longest reply, and what the session holds.
///
/// # Errors
///
/// What reading, writing or keeping came upon.
pub fn repl(
    mut input: impl BufRead,
    out: impl Write,
    manner: Manner,
    source: Option<&str>,
    journal: Option<&mut Journal>,
    session: &mut Session,
) -> Result<Status, Failure> {
    let mut talk = Talk::new(out, manner, source, journal, session);
    if talk.let_computers_move()? {
        return talk.end();
    }
    // The start of a line whose end has not been read yet.
    let mut partial = Vec::new();
    loop {
        talk.flush()?;
        let block = match input.fill_buf() {
            Ok(block) => block,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(Failure::Reading(error)),
        };
        if block.is_empty() {
            break;
        }
        let mut rest = block;
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let (line, after) = rest.split_at(end);
            rest = after.get(1..).unwrap_or_default();
            let ended = if partial.is_empty() {
                talk.answer(line)?
            } else {
                keep(&mut partial, line);
                talk.answer(&partial)?
            };
            partial.clear();
            if ended || talk.let_computers_move()? {
                return talk.end();
            }
        }
        keep(&mut partial, rest);
        let read = block.len();
        input.consume(read);
    }
    if !partial.is_empty() && !talk.answer(&partial)? {
        talk.let_computers_move()?;
    }
    talk.end()
}

/// Appends `part` to a line, as far as it takes to see that the line is too long.
fn keep(line: &mut Vec<u8>, part: &[u8]) {
    let room = (MAX_LINE + 1).saturating_sub(line.len());
    line.extend_from_slice(part.get(..room).unwrap_or(part));
}

/// What a conversation needs from one line to the next.
pub(crate) struct Talk<'a, W> {
    out: W,
    /// Not yet written.
    replies: Vec<u8>,
    manner: Manner,
    origin: Origin<'a>,
    journal: Option<&'a mut Journal>,
    pub(crate) session: &'a mut Session,
    status: Status,
}

impl<'a, W: Write> Talk<'a, W> {
    pub(crate) const fn new(
        out: W,
        manner: Manner,
        source: Option<&'a str>,
        journal: Option<&'a mut Journal>,
        session: &'a mut Session,
    ) -> Self {
        Self {
            out,
            replies: Vec::new(),
            manner,
            origin: Origin { source, line: 0 },
            journal,
            session,
            status: Status::Clean,
        }
    }

    /// Answers one line, unless it is blank; the computers have not moved yet. True at the end of
    /// the conversation.
    pub(crate) fn answer(&mut self, line: &[u8]) -> Result<bool, Failure> {
        self.origin.line += 1;
        let is_too_long = line.len() > MAX_LINE;
        let line = match line.strip_prefix(b"\xef\xbb\xbf") {
            Some(after_mark) if self.origin.line == 1 => after_mark,
            _ => line,
        };
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        // A line that is too long is not read, comment or not.
        let line = if is_too_long {
            line
        } else {
            without_comment(line)
        };
        if !is_too_long && line.iter().all(|byte| is_separator(char::from(*byte))) {
            return Ok(false);
        }
        if self.manner.echo {
            self.echo(line, is_too_long);
        }
        let command = if is_too_long {
            Err(CommandError::TooLong { most: MAX_LINE })
        } else {
            parse(line)
        };
        let reply = match &command {
            Ok(command) => self.session.run(command),
            Err(error) => self.session.misunderstood(error),
        };
        let quits = command == Ok(Command::Quit);
        reply.write(self.origin, self.manner.format, &mut self.replies)?;
        if let Some(journal) = &mut self.journal {
            journal.note(&reply);
        }
        let code = reply.code();
        Ok(self.note(code)? || quits)
    }

    /// Answers for the computers whose turn it is. True at the end of the conversation.
    fn let_computers_move(&mut self) -> Result<bool, Failure> {
        while let Some(ended) = self.let_computer_move()? {
            if ended {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Answers for the computer whose turn it is: `None` where it is nobody's, true at the end of
    /// the conversation.
    pub(crate) fn let_computer_move(&mut self) -> Result<Option<bool>, Failure> {
        let Some(reply) = self.session.move_by_computer() else {
            return Ok(None);
        };
        reply.write(self.origin, self.manner.format, &mut self.replies)?;
        if let Some(journal) = &mut self.journal {
            journal.note(&reply);
        }
        let code = reply.code();
        self.note(code).map(Some)
    }

    /// Writes what is no reply, but belongs between them.
    #[cfg(feature = "cli")]
    pub(crate) fn say(&mut self, text: impl std::fmt::Display) -> io::Result<()> {
        writeln!(self.replies, "{text}")
    }

    /// Does what follows from the code of a reply. True where a strict conversation ends.
    fn note(&mut self, code: Code) -> Result<bool, Failure> {
        if code == Code::BadCommand {
            self.status = Status::Misunderstood;
        }
        let is_journal_full = self
            .journal
            .as_ref()
            .is_some_and(|journal| journal.is_full());
        if self.replies.len() >= BLOCK || is_journal_full {
            self.write()?;
        }
        let ends = self.manner.strict && !code.is_accepted();
        if ends {
            self.status = Status::Stopped;
        }
        Ok(ends)
    }

    /// Writes a command as `> play 0 2`, so that it stays one line of text whatever is in it. Of a
    /// line that is too long, the start will do.
    fn echo(&mut self, line: &[u8], is_too_long: bool) {
        const START: usize = 64;
        let start = if is_too_long { line.get(..START) } else { None };
        let text = String::from_utf8_lossy(start.unwrap_or(line).trim_ascii());
        self.replies.extend_from_slice(b"> ");
        for char in text.chars() {
            if char.is_control() && char != '\t' {
                self.replies
                    .extend(char.escape_debug().map(|ascii| ascii as u8));
            } else {
                self.replies
                    .extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
        let end: &[u8] = if start.is_some() { b"...\n" } else { b"\n" };
        self.replies.extend_from_slice(end);
    }

    /// Keeps the changes, then writes their replies.
    fn write(&mut self) -> Result<(), Failure> {
        if let Some(journal) = &mut self.journal {
            journal.commit().map_err(Failure::Keeping)?;
        }
        let written = self.out.write_all(&self.replies);
        self.replies.clear();
        Ok(written?)
    }

    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        self.write()?;
        Ok(self.out.flush()?)
    }

    pub(crate) fn end(mut self) -> Result<Status, Failure> {
        self.flush()?;
        Ok(self.status)
    }
}

/// The line up to a `#` at its start or after a blank.
fn without_comment(line: &[u8]) -> &[u8] {
    let mut before = b' ';
    let comment = line.iter().position(|&byte| {
        let starts = byte == b'#' && matches!(before, b' ' | b'\t');
        before = byte;
        starts
    });
    comment.and_then(|at| line.get(..at)).unwrap_or(line)
}

/// Reads a line without its comment.
pub(crate) fn parse(line: &[u8]) -> Result<Command, CommandError> {
    match str::from_utf8(line) {
        Ok(line) => line.parse(),
        Err(error) => {
            let at = error.valid_up_to();
            let byte = line.get(at).copied().unwrap_or_default();
            Err(CommandError::NotUtf8 {
                byte,
                column: at + 1,
            })
        }
    }
}
