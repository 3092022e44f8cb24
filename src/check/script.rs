//! One test: a script is run, and its replies are held against those expected.

use std::cell::{Cell, RefCell};
use std::fs::{self, File};
use std::io::{self, BufRead, ErrorKind, Read, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use super::{Flags, MAX_BYTES, SCRIPT, Test, TestKind, diff};
use crate::command::without_comment;
use crate::reply::Format;
use crate::session::{Session, Setup};
use crate::shell::printable;
use crate::shell::repl::{Options, ReplError, repl};

/// The finding of a test. It passed where there are neither faults nor differences.
#[derive(Default)]
pub(super) struct Finding {
    /// A line for each fault.
    pub faults: Vec<String>,
    /// Unified diffs from what was expected to what there was.
    pub diff: Vec<u8>,
    /// The files that were written.
    pub wrote: Vec<PathBuf>,
    /// True where a file could not be read or written.
    pub is_broken: bool,
    /// True where a search was stopped: nothing else is known then.
    pub is_stopped: bool,
    /// How long it took.
    pub time: Duration,
}

impl Finding {
    pub fn is_passed(&self) -> bool {
        self.faults.is_empty() && self.diff.is_empty()
    }

    fn fault(fault: String) -> Self {
        Self { faults: vec![fault], ..Self::default() }
    }

    fn broken(path: &Path, error: &io::Error) -> Self {
        let fault = format!("{}: {error}", printable(path));
        Self { is_broken: true, ..Self::fault(fault) }
    }
}

impl Test {
    /// Runs the test. With `bless`, writes what there was where something else was expected.
    pub(super) fn run(
        &self,
        bless: bool,
        flags: Flags,
        stops: impl Fn() -> bool + Clone + 'static,
    ) -> Finding {
        match &self.kind {
            TestKind::Script => run(&self.path, bless, flags, stops),
            TestKind::Orphan => {
                let script = self.path.with_extension(SCRIPT);
                let [path, script] = [&self.path, &script].map(printable);
                Finding::fault(format!("{path}: there is no script {script}"))
            }
            TestKind::Unreadable(error) => Finding::broken(&self.path, error),
        }
    }
}

fn run(
    path: &Path,
    bless: bool,
    flags: Flags,
    stops: impl Fn() -> bool + Clone + 'static,
) -> Finding {
    let name = printable(path);
    let script = match read(path) {
        Ok(script) => script,
        Err(error) => return Finding::broken(path, &error),
    };
    let mut expected = Vec::new();
    for (format, ending) in [(Format::Text, "text"), (Format::Json, "json")] {
        let path = path.with_extension(ending);
        match read(&path) {
            Ok(replies) => expected.push((format, path, Some(replies))),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Finding::broken(&path, &error),
        }
    }
    let inline = expectations(&script);
    if expected.is_empty() && inline.is_empty() {
        if !bless {
            let text = printable(path.with_extension("text"));
            return Finding::fault(format!(
                "{name}: nothing to compare with: expected {text}, or \"#= OK\" after a command"
            ));
        }
        expected.push((Format::Text, path.with_extension("text"), None));
    }
    let (setup, options) = match flags(first_line(&script)) {
        Ok(parsed) => parsed,
        Err(error) => return Finding::fault(format!("{name}:1: {}", printable(error))),
    };
    let is_stopped = Rc::new(Cell::new(false));
    let replies = |format| {
        let (is_stopped, stops) = (Rc::clone(&is_stopped), stops.clone());
        let stops = move || {
            is_stopped.set(is_stopped.get() || stops());
            is_stopped.get()
        };
        Replies::to(&script, &setup, Options { format, ..options }, stops)
    };

    let mut finding = Finding::default();
    let mut texts = Vec::new();
    if !inline.is_empty() {
        match replies(Format::Text) {
            Ok(replies) => {
                let blessed = compare(&name, &script, &inline, &replies, bless, &mut finding);
                texts.push((path.to_owned(), Some(script.clone()), blessed));
            }
            Err(error) => return Finding::fault(format!("{name}: {error}")),
        }
    }
    for (format, path, expected) in expected {
        match replies(format) {
            Ok(replies) => {
                let old = expected.as_deref().unwrap_or_default();
                let actual = diff::with_ends_of(old, replies.bytes);
                texts.push((path, expected, actual));
            }
            Err(error) => return Finding::fault(format!("{name}: {error}")),
        }
    }
    if is_stopped.get() {
        return Finding { is_stopped: true, ..Finding::default() };
    }
    for (path, expected, actual) in texts {
        let old = expected.as_deref().unwrap_or_default();
        if expected.is_some() && diff::is_same(old, &actual) {
            continue;
        }
        if !bless {
            diff::write(&path, old, &actual, &mut finding.diff);
        } else if let Err(error) = replace(&path, &actual) {
            return Finding::broken(&path, &error);
        } else {
            finding.wrote.push(path);
        }
    }
    finding
}

/// The first line of a script, without a byte order mark and its end.
fn first_line(script: &[u8]) -> &str {
    let script = script.strip_prefix(BYTE_ORDER_MARK).unwrap_or(script);
    let line = script.split(|byte| *byte == b'\n').next().unwrap_or_default();
    str::from_utf8(line).unwrap_or_default().trim_end()
}

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// The expectation of a line of a script: `#= WIN`, or a whole reply.
struct Expectation {
    /// The index of the line.
    line: usize,
    /// Where the expected text stands in the script.
    text: Range<usize>,
}

/// Finds the expectations in a script. `#==` begins no expectation but a ruled line.
fn expectations(script: &[u8]) -> Vec<Expectation> {
    let mut found = Vec::new();
    let mut start = script.len() - script.strip_prefix(BYTE_ORDER_MARK).unwrap_or(script).len();
    let (_, rest) = script.split_at(start);
    for (line, bytes) in rest.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let command = without_comment(bytes).len();
        let comment = bytes.get(command..).unwrap_or_default();
        if let Some(text) = comment.strip_prefix(b"#=").filter(|text| !text.starts_with(b"=")) {
            let end = start + command + b"#=".len() + text.trim_ascii_end().len();
            let len = text.trim_ascii().len();
            found.push(Expectation { line, text: end - len..end });
        }
        start += bytes.len();
    }
    found
}

/// Holds replies against the expectations of lines. Returns the script with what they got in place
/// of what they expected.
fn compare(
    name: &str,
    script: &[u8],
    inline: &[Expectation],
    replies: &Replies,
    bless: bool,
    finding: &mut Finding,
) -> Vec<u8> {
    let mut blessed = Vec::new();
    let mut copied = 0;
    for Expectation { line, text } in inline {
        let wanted = script.get(text.clone()).unwrap_or_default();
        let got = replies.to_line(*line);
        let result = got.map(|got| got.split(|byte| *byte == b':').next().unwrap_or(got));
        if got == Some(wanted) || result == Some(wanted) {
            continue;
        }
        if got.is_none() || !bless {
            let [wanted, got] = [Some(wanted), got].map(|text| match text {
                Some(b"") => "nothing".to_owned(),
                Some(text) => printable(String::from_utf8_lossy(text).as_ref()),
                None => "no reply".to_owned(),
            });
            finding.faults.push(format!("{name}:{}: expected {wanted}, got {got}", line + 1));
        }
        let is_result = |byte: &u8| byte.is_ascii_uppercase() || *byte == b'_';
        let is_result = !wanted.is_empty() && wanted.iter().all(is_result);
        if let Some(new) = if is_result { result } else { got } {
            blessed.extend_from_slice(script.get(copied..text.start).unwrap_or_default());
            blessed.extend(wanted.is_empty().then_some(b' '));
            blessed.extend_from_slice(new);
            let rest = script.get(text.end..).unwrap_or_default();
            let blanks = rest.iter().take_while(|byte| b" \t".contains(byte)).count();
            copied = text.end + blanks;
        }
    }
    blessed.extend_from_slice(script.get(copied..).unwrap_or_default());
    blessed
}

/// The replies to a script.
#[derive(Default)]
struct Replies {
    bytes: Vec<u8>,
    /// For each line that was read, where the replies to it begin.
    starts: Vec<usize>,
    /// True where a command stands before its reply.
    echo: bool,
}

impl Replies {
    /// Runs `script` as if it came on standard input.
    fn to(
        script: &[u8],
        setup: &Setup,
        options: Options,
        stops: impl Fn() -> bool + 'static,
    ) -> Result<Self, String> {
        let mut session = Session::new(setup).map_err(|error| error.to_string())?;
        session.check_seats().map_err(|error| error.to_string())?;
        session.watched_by(Box::new(move |_| stops()));
        let replies = RefCell::new(Self { echo: options.echo, ..Self::default() });
        let input = Lines { rest: script, replies: &replies };
        match repl(input, Taken(&replies), options, None, None, &mut session) {
            Ok(_) => Ok(replies.into_inner()),
            Err(ReplError::Read(error) | ReplError::Write(error) | ReplError::Keep(error)) => {
                Err(error.to_string())
            }
        }
    }

    /// The first line of the reply to the line at `index`: `None` where it got none.
    fn to_line(&self, index: usize) -> Option<&[u8]> {
        let start = *self.starts.get(index)?;
        let end = self.starts.get(index + 1).map_or(self.bytes.len(), |end| *end);
        let replies = self.bytes.get(start..end)?;
        let mut lines = replies.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        lines.nth(self.echo.into())
    }
}

/// A script that is read a line at a time, so that it is seen which replies a line gets: those to
/// the lines before are flushed by then.
struct Lines<'a> {
    rest: &'a [u8],
    replies: &'a RefCell<Replies>,
}

impl BufRead for Lines<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let line = self.rest.split_inclusive(|byte| *byte == b'\n').next();
        if line.is_some() {
            let mut replies = self.replies.borrow_mut();
            let start = replies.bytes.len();
            replies.starts.push(start);
        }
        Ok(line.unwrap_or_default())
    }

    fn consume(&mut self, read: usize) {
        self.rest = self.rest.get(read..).unwrap_or_default();
    }
}

impl Read for Lines<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(buffer)?;
        self.consume(read);
        Ok(read)
    }
}

/// The writer that takes the replies, up to a limit.
struct Taken<'a>(&'a RefCell<Replies>);

impl Write for Taken<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = &mut self.0.borrow_mut().bytes;
        if taken.len() + bytes.len() > MAX_BYTES {
            return Err(too_large("the replies are"));
        }
        taken.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn too_large(what: &str) -> io::Error {
    io::Error::other(format!("{what} larger than {} MiB", MAX_BYTES >> 20))
}

/// Reads a whole file. A folder, a device or a pipe is refused: it may have no end.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("expected a plain file"));
    }
    let mut content = Vec::new();
    File::open(path)?.take(MAX_BYTES as u64 + 1).read_to_end(&mut content)?;
    if content.len() > MAX_BYTES { Err(too_large("the file is")) } else { Ok(content) }
}

/// Replaces a file, or makes it, by a rename: whoever reads it meanwhile gets the old content or the
/// new one, whole. A link is replaced and not followed, since it may lead anywhere.
fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut number = 0_u64;
    let (draft, mut file) = loop {
        let draft = path.with_file_name(format!(".noughts-test-{number}"));
        match File::create_new(&draft) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => number += 1,
            file => break (draft, file?),
        }
    };
    let old = fs::metadata(path).map(|file| file.permissions());
    let written = file
        .write_all(content)
        .and_then(|()| old.map_or(Ok(()), |permissions| file.set_permissions(permissions)))
        .and_then(|()| fs::rename(&draft, path));
    if written.is_err() {
        // Where this fails too, the first error says more.
        let _ = fs::remove_file(&draft);
    }
    written
}
