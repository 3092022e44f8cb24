//! Golden tests: scripts whose replies are known are run, and compared with them.

mod diff;
mod report;
mod script;

use std::collections::{BTreeMap, HashSet};
use std::error::Error;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::{self, DirEntry, File, FileType};
use std::io::{self, ErrorKind, Read, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Instant;

pub use self::report::ReportFormat;
use self::report::{JUnit, Report};
use self::script::Finding;
use crate::command::quoted;
use crate::session::Setup;
use crate::shell::printable;
use crate::shell::repl::Options;

/// A request to run tests.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag")]
pub struct Request {
    /// The scripts, and the folders of scripts.
    pub paths: Vec<PathBuf>,
    /// The text that the path of a test must contain to be run.
    pub filter: Option<String>,
    /// The scripts that run at once [default: as many as the machine runs].
    pub jobs: Option<NonZeroUsize>,
    /// Writes what a test got where something else was expected.
    pub bless: bool,
    /// Ends the run at the first test that fails.
    pub fail_fast: bool,
    /// Lists the tests, and runs none.
    pub list: bool,
    /// The format of the report.
    pub format: ReportFormat,
    /// The file for a report in `JUnit`'s XML.
    pub junit: Option<PathBuf>,
    /// True where the report goes to a terminal, which control characters from files would drive.
    pub is_terminal: bool,
}

/// A parser of the flags in the first line of a script. Its error is one line.
pub type Flags = fn(&str) -> Result<(Setup, Options), String>;

/// The count of a run.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Tally {
    /// The tests that passed.
    pub passed: usize,
    /// The tests that failed.
    pub failed: usize,
    /// The tests that were not run to their end, or not at all.
    pub left: usize,
    /// True where a file could not be read or written.
    pub is_broken: bool,
    /// The scripts in which a search was stopped.
    pub stopped: Vec<String>,
}

/// `198 passed, 2 failed`
impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)?;
        if self.left > 0 { write!(f, ", {} not run", self.left) } else { Ok(()) }
    }
}

/// The error that kept tests from being run or reported.
#[derive(Debug)]
pub enum CheckError {
    /// There is no test, or none with this text in its path.
    NoTest {
        /// The text that was asked for.
        filter: Option<String>,
    },
    /// The path is a file, but no script.
    NoScript(PathBuf),
    /// The file cannot be read or written.
    File(PathBuf, io::Error),
    /// The report cannot be written.
    Write(io::Error),
    /// A thread cannot be started.
    Thread(io::Error),
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoTest { filter: Some(filter) } => {
                write!(f, "found no test with {} in its path", quoted(filter))
            }
            Self::NoTest { filter: None } => f.write_str("found no test: expected NAME.noughts"),
            Self::NoScript(path) => {
                let path = printable(path);
                write!(f, "{path}: expected a folder, or a script NAME.noughts")
            }
            Self::File(path, error) => write!(f, "{}: {error}", printable(path)),
            Self::Write(error) => write!(f, "standard output: {error}"),
            Self::Thread(error) => write!(f, "cannot start a thread: {error}"),
        }
    }
}

impl Error for CheckError {}

/// A file that is a test by itself.
#[derive(Debug)]
struct Test {
    path: PathBuf,
    kind: TestKind,
}

#[derive(Debug)]
enum TestKind {
    Script,
    /// Expected replies without their script.
    Orphan,
    /// A folder that cannot be read.
    Unreadable(io::Error),
}

/// The stack of a thread that runs scripts, as large as that of the program.
const STACK: usize = 8 << 20;

/// The most bytes of a script, of expected replies and of replies: all three are held in memory.
const MAX_BYTES: usize = 64 << 20;

/// Runs the tests of `request` and reports them on `out` in order. Searches go on until `stops`
/// answers true; then the run ends.
///
/// # Errors
///
/// [`CheckError`] where there is nothing to run, or no way to report it. A reader of `out` that
/// goes away ends the run and is no error.
pub fn check(
    request: &Request,
    flags: Flags,
    stops: impl Fn() -> bool + Clone + Send + 'static,
    mut out: impl Write,
) -> Result<Tally, CheckError> {
    let tests = find(request)?;
    if request.list {
        let names: String = tests.iter().map(|test| printable(&test.path) + "\n").collect();
        let written = out.write_all(names.as_bytes()).and_then(|()| out.flush());
        is_still_read(written).map_err(CheckError::Write)?;
        return Ok(Tally::default());
    }
    // Made before the run, which may be long.
    let junit = request.junit.as_deref().map(|path| {
        let file = File::create(path).map_err(|error| CheckError::File(path.to_owned(), error))?;
        Ok((path, file, JUnit::default()))
    });
    let mut junit = junit.transpose()?;

    let jobs = request.jobs.or_else(|| thread::available_parallelism().ok());
    let jobs = jobs.map_or(1, NonZeroUsize::get).min(tests.len());
    let is_over = Arc::new(AtomicBool::new(false));
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    let tally = thread::scope(|scope| {
        for _ in 0..jobs {
            let (sender, tests, next) = (sender.clone(), &tests, &next);
            let (ends, stops) = (Arc::clone(&is_over), stops.clone());
            let stops = move || ends.load(Relaxed) || stops();
            let work = move || {
                while !stops() {
                    let index = next.fetch_add(1, Relaxed);
                    let Some(test) = tests.get(index) else { break };
                    let start = Instant::now();
                    let mut finding = test.run(request.bless, flags, stops.clone());
                    finding.time = start.elapsed();
                    if sender.send((index, finding)).is_err() {
                        break;
                    }
                }
            };
            if let Err(error) = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work) {
                is_over.store(true, Relaxed);
                return Err(CheckError::Thread(error));
            }
        }
        drop(sender);
        let report = Report::new(request.format, request.is_terminal, out);
        let junit = junit.as_mut().map(|(_, _, junit)| junit);
        let tally = collect(&tests, receiver, report, junit, request.fail_fast, &is_over);
        tally.map_err(|error| {
            is_over.store(true, Relaxed);
            CheckError::Write(error)
        })
    })?;

    if let Some((path, mut file, junit)) = junit {
        let written = file.write_all(junit.end().as_bytes());
        written.map_err(|error| CheckError::File(path.to_owned(), error))?;
    }
    Ok(tally)
}

/// Reports the tests in order, while they come in as they end. Those that ended before a search was
/// stopped are reported too.
fn collect(
    tests: &[Test],
    findings: Receiver<(usize, Finding)>,
    mut report: Report<impl Write>,
    mut junit: Option<&mut JUnit>,
    fail_fast: bool,
    is_over: &AtomicBool,
) -> io::Result<Tally> {
    let mut tally = Tally { left: tests.len(), ..Tally::default() };
    let mut is_read = true;
    let mut add = |index: usize, finding: &Finding| -> io::Result<()> {
        let Some(test) = tests.get(index).filter(|_| !is_over.load(Relaxed)) else {
            return Ok(());
        };
        if finding.is_stopped {
            tally.stopped.push(printable(&test.path));
            return Ok(());
        }
        tally.left -= 1;
        *if finding.is_passed() { &mut tally.passed } else { &mut tally.failed } += 1;
        tally.is_broken |= finding.is_broken;
        if let Some(junit) = &mut junit {
            junit.add(&test.path, finding);
        }
        is_read = is_still_read(report.add(&test.path, finding))?;
        let ends = !is_read || fail_fast && !finding.is_passed();
        is_over.fetch_or(ends, Relaxed);
        Ok(())
    };
    let mut early = BTreeMap::new();
    let mut next = 0;
    for (index, finding) in findings {
        early.insert(index, finding);
        while let Some(finding) = early.remove(&next) {
            add(next, &finding)?;
            next += 1;
        }
    }
    early.iter().try_for_each(|(index, finding)| add(*index, finding))?;
    if is_read {
        is_still_read(report.end(&tally))?;
    }
    Ok(tally)
}

/// Tells whether the reader of a report is still there. That it went away is no error.
fn is_still_read(written: io::Result<()>) -> io::Result<bool> {
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        written => written.map(|()| true),
    }
}

/// Finds the tests of a request: those of each path in turn, those of a folder sorted by name.
fn find(request: &Request) -> Result<Vec<Test>, CheckError> {
    let mut tests = Vec::new();
    let mut seen = HashSet::new();
    for path in &request.paths {
        let found = path.metadata().map_err(|error| CheckError::File(path.clone(), error))?;
        if found.is_dir() {
            find_in(path, &mut seen, &mut tests);
        } else if is_script(path) {
            tests.push(Test { path: path.clone(), kind: TestKind::Script });
        } else {
            return Err(CheckError::NoScript(path.clone()));
        }
    }
    if let Some(filter) = &request.filter {
        tests.retain(|test| {
            let is_unreadable = matches!(test.kind, TestKind::Unreadable(_));
            is_unreadable || test.path.to_string_lossy().contains(filter)
        });
    }
    if tests.is_empty() {
        return Err(CheckError::NoTest { filter: request.filter.clone() });
    }
    Ok(tests)
}

/// Adds the tests of a folder and of those within it. Hidden ones are left out, and a folder that
/// was `seen` before is, since links may lead around in a circle.
fn find_in(folder: &Path, seen: &mut HashSet<PathBuf>, tests: &mut Vec<Test>) {
    let mut list = || -> io::Result<Vec<(OsString, FileType)>> {
        if !seen.insert(folder.canonicalize()?) {
            return Ok(Vec::new());
        }
        let entry = |entry: io::Result<DirEntry>| {
            let entry = entry?;
            Ok((entry.file_name(), entry.file_type()?))
        };
        fs::read_dir(folder)?.map(entry).collect()
    };
    let mut entries = match list() {
        Ok(entries) => entries,
        Err(error) => {
            let kind = TestKind::Unreadable(error);
            return tests.push(Test { path: folder.to_owned(), kind });
        }
    };
    entries.sort_by(|(one, _), (other, _)| one.cmp(other));
    let is_here = |path: &Path| {
        let name = path.file_name().unwrap_or_default();
        entries.binary_search_by(|(other, _)| other.as_os_str().cmp(name)).is_ok()
    };
    for (name, file_type) in &entries {
        if name.as_encoded_bytes().starts_with(b".") {
            continue;
        }
        let path = if folder == Path::new(".") { name.into() } else { folder.join(name) };
        if is_script(&path) {
            tests.push(Test { path, kind: TestKind::Script });
        } else if file_type.is_dir() || file_type.is_symlink() && path.is_dir() {
            find_in(&path, seen, tests);
        } else if holds_replies(&path) && !is_here(&path.with_extension(SCRIPT)) {
            tests.push(Test { path, kind: TestKind::Orphan });
        }
    }
}

/// The ending of a script's name.
const SCRIPT: &str = "noughts";

fn is_script(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == SCRIPT)
}

/// Tells whether a file holds expected replies by its ending and, since other programs have JSON
/// too, by its start.
fn holds_replies(path: &Path) -> bool {
    let starts = |start: &[u8]| {
        let mut found = Vec::new();
        let file = File::open(path);
        let read = file.and_then(|file| file.take(start.len() as u64).read_to_end(&mut found));
        read.is_ok() && found == start
    };
    match path.extension().and_then(OsStr::to_str) {
        Some("text") => true,
        Some("json") => starts(b"{\"line\":") || starts(b"> "),
        _ => false,
    }
}
