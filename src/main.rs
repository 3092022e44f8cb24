//! The program: picks the task, gives it standard input and output, and ends with a status.

mod args;
#[cfg(feature = "net")]
mod online;
mod stdio;

use std::cell::Cell;
use std::env;
use std::error::Error;
use std::fmt::Display;
use std::fs;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, ErrorKind, IsTerminal, Read, Write};
#[cfg(unix)]
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicUsize};
#[cfg(unix)]
use std::thread;
use std::time::Instant;

use anstream::{AutoStream, ColorChoice};
use clap::Parser;
use noughts::Mark;
use noughts::bench::bench;
use noughts::check::{Request, Tally, check};
use noughts::contest::{Ending, Openings, Processes, RecordFile, Who, trial};
use noughts::gomocup::gomocup;
#[cfg(feature = "net")]
use noughts::net::JoinError;
use noughts::prove::{Part, Progress, prove, verify, write as write_certificate};
use noughts::records::{ConvertError, Converter, Format as RecordFormat, Target};
use noughts::reply::Format;
use noughts::session::Session;
use noughts::shell::journal::Journal;
use noughts::shell::journal_file;
use noughts::shell::printable;
use noughts::shell::prompt::{history_file, plain_prompt, prompt};
use noughts::shell::repl::{BLOCK, ReplError, Status, repl};
#[cfg(unix)]
use noughts::shell::terminal::{is_ignored, restore_at_signals};
#[cfg(unix)]
use signal_hook::consts::{SIGHUP, SIGQUIT};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
#[cfg(unix)]
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use crate::args::{Arguments, Contest, Conversion, Proof, Task};
#[cfg(feature = "net")]
use crate::online::Visit;
use crate::stdio::{Input, Output};

/// The exit status. A later one is graver.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Exit {
    /// The whole input was read and every line understood.
    Clean,
    /// Some line was not understood, or `--strict` stopped.
    Refused,
    /// The usage was wrong, or reading or writing failed.
    Failed,
}

fn main() -> ExitCode {
    let started = Instant::now();
    let exit = match Arguments::try_parse() {
        Ok(arguments) => match arguments.task() {
            Some(task) => run(task, started),
            None => play(&arguments),
        },
        Err(text) => show(&text),
    };
    ExitCode::from(exit as u8)
}

/// Runs a task that is not a game at this program's own prompt.
fn run(task: Task, started: Instant) -> Exit {
    let written = match task {
        Task::Bench => bench(io::stdout().lock()),
        Task::Gomocup => {
            let input = BufReader::with_capacity(BLOCK, Input(io::stdin()));
            match gomocup(input, Output(io::stdout().lock()), has_no_reader(), started) {
                Ok(Some(error)) => return cannot_read(None, &error),
                written => written.map(|_| ()),
            }
        }
        Task::Convert(conversion) => return convert(&conversion),
        Task::Test(tests) => return test(&tests.into()),
        Task::Match(flags) => return contest(&flags),
        #[cfg(feature = "net")]
        Task::Serve(service) => {
            return match service.run(warn) {
                Ok(()) => Exit::Clean,
                Err(error) => fail(&error),
            };
        }
        #[cfg(feature = "net")]
        Task::Join(visit) => return self::join(&visit),
        Task::Prove(flags) => return proof(&flags),
        Task::Completions { shell } => args::completions(shell),
        Task::Man { command } => args::man(command.as_deref()),
    };
    match written.and_then(|()| io::stdout().flush()) {
        Ok(()) => Exit::Clean,
        Err(error) => cannot_write(&error),
    }
}

/// Talks to a server for standard input and output.
#[cfg(feature = "net")]
fn join(visit: &Visit) -> Exit {
    match visit.run(Input(io::stdin()), Output(io::stdout().lock())) {
        Ok(Status::Clean) => Exit::Clean,
        Ok(Status::Misunderstood | Status::Stopped) => Exit::Refused,
        Err(JoinError::Write(error)) => cannot_write(&error),
        Err(error) => fail(&error),
    }
}

/// Converts the records in the files, or those of standard input, one file after the other.
fn convert(conversion: &Conversion) -> Exit {
    let stdin = [PathBuf::from("-")];
    let files = if conversion.files.is_empty() { &stdin } else { conversion.files.as_slice() };
    let format = |path: &PathBuf| conversion.from.or_else(|| RecordFormat::of_path(path));
    // Before anything is written.
    for path in files {
        if !format(path).is_some_and(RecordFormat::is_read) {
            let name =
                if path.as_os_str() == "-" { "standard input".into() } else { printable(path) };
            return fail(&format_args!(
                "{name}: its ending names no format to read: use --from FMT"
            ));
        }
    }
    let target = match &conversion.out {
        None => Target::One(BufWriter::with_capacity(BLOCK, Output(io::stdout().lock()))),
        Some(folder) => match fs::create_dir_all(folder) {
            Ok(()) => Target::Folder(folder.clone()),
            Err(error) => return cannot_read(Some(folder), &error),
        },
    };
    let mut converter = Converter::new(conversion.to, conversion.defaults(), target);
    let mut exit = Exit::Clean;
    let failed = |error: ConvertError| match error {
        ConvertError::Write(error) => cannot_write(&error),
        ConvertError::File { path, error } => cannot_read(Some(&path), &error),
        error => fail(&error),
    };
    for path in files {
        let Some(from) = format(path) else { continue };
        let file = Some(path.as_path()).filter(|path| path.as_os_str() != "-");
        let input: Box<dyn Read> = match file.map(File::open).transpose() {
            Ok(Some(file)) => Box::new(file),
            Ok(None) => Box::new(Input(io::stdin().lock())),
            Err(error) => {
                exit = cannot_read(file, &error);
                continue;
            }
        };
        let name = file.map(printable);
        match converter.convert(name.as_deref(), from, input, &mut |text| warn(text)) {
            Ok(true) => {}
            Ok(false) => exit = exit.max(Exit::Refused),
            Err(ConvertError::Read(error)) => exit = cannot_read(file, &error),
            Err(error) => return exit.max(failed(error)),
        }
    }
    match converter.finish() {
        Ok(()) => exit,
        Err(error) => exit.max(failed(error)),
    }
}

/// Runs golden tests. An interrupt says in which scripts it stops a search.
fn test(request: &Request) -> Exit {
    if request.bless && env::var_os("CI").is_some_and(|value| !value.is_empty()) {
        return fail(&"--bless accepts what a person has looked at: found CI set");
    }
    let signals = [SIGINT, SIGTERM].map(|signal| (signal, Arc::new(AtomicBool::new(false))));
    for (signal, is_sent) in &signals {
        // A second Ctrl-C ends the program. A second SIGTERM does not: `timeout` sends two at once.
        let kept = match *signal {
            SIGINT => flag::register_conditional_default(SIGINT, Arc::clone(is_sent)).map(|_| ()),
            _ => Ok(()),
        };
        if let Err(error) = kept.and_then(|()| flag::register(*signal, Arc::clone(is_sent))) {
            return fail(&error);
        }
    }
    let (sent, is_alone) = (signals.clone(), has_no_reader());
    let stops = move || is_alone() || sent.iter().any(|(_, is_sent)| is_sent.load(Relaxed));
    let tally = match check(request, args::flags_of_script, stops, Output(io::stdout())) {
        Ok(tally) => tally,
        Err(error) => return fail(&error),
    };
    if let Some((signal, _)) = signals.iter().find(|(_, is_sent)| is_sent.load(Relaxed)) {
        for script in &tally.stopped {
            warn(&format_args!(
                "{script}: stopped: a first line \"# noughts --nodes N\" limits its searches"
            ));
        }
        // Whoever sent it is to see that the program ended by it.
        let _ = emulate_default_handler(*signal);
    }
    match tally {
        Tally { is_broken: true, .. } => Exit::Failed,
        Tally { failed: 0, .. } => Exit::Clean,
        _ => Exit::Refused,
    }
}

/// Plays a match. A signal stops it, and ends the program after the table of what was played.
fn contest(flags: &Contest) -> Exit {
    let processes = Processes::default();
    let sent = match stop_with_signals(&processes) {
        Ok(sent) => sent,
        Err(error) => return fail(&error),
    };
    let (signal, is_alone) = (Arc::clone(&sent), has_no_reader());
    let stops = move || is_alone() || signal.load(Relaxed) != 0;
    let exit = match play_match(flags, &processes, stops) {
        Ok(Ending::Forfeited) => Exit::Refused,
        Ok(Ending::Played | Ending::Stopped) => Exit::Clean,
        Err(error) => fail(&error),
    };
    if let signal @ 1.. = sent.load(Relaxed) {
        // Whoever sent it is to see that the program ended by it.
        let _ = emulate_default_handler(i32::try_from(signal).unwrap_or(SIGTERM));
    }
    exit
}

/// Proves a value, or checks a proof. A signal or a limit ends it with what is known.
fn proof(flags: &Proof) -> Exit {
    let mut out = Output(io::stdout().lock());
    let mut say = |text: &dyn Display, json: serde_json::Value| match flags.format {
        Format::Json => writeln!(out, "{json}"),
        _ => writeln!(out, "{text}"),
    };
    if let Some(path) = &flags.verify {
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) => return cannot_read(Some(path), &error),
        };
        return match verify(BufReader::with_capacity(BLOCK, file)) {
            Ok(claim) => {
                say(&claim, claim.json()).map_or_else(|e| cannot_write(&e), |()| Exit::Clean)
            }
            Err(error) => fail(&format_args!("{}: {error}", printable(path))),
        };
    }
    match prove_game(flags, &mut say) {
        Ok(exit) => exit,
        Err(error) => fail(&error),
    }
}

fn prove_game(
    flags: &Proof,
    say: &mut impl FnMut(&dyn Display, serde_json::Value) -> io::Result<()>,
) -> Result<Exit, Box<dyn Error>> {
    let game = flags.game()?;
    if game.turn().is_none() {
        return Err("expected a position of a game that goes on: found one that is over".into());
    }
    let is_sent = Arc::new(AtomicBool::new(false));
    // A second Ctrl-C ends the program.
    flag::register_conditional_default(SIGINT, Arc::clone(&is_sent))?;
    for signal in [SIGINT, SIGTERM] {
        flag::register(signal, Arc::clone(&is_sent))?;
    }
    let named = |path: &PathBuf, error: io::Error| format!("{}: {error}", printable(path));
    let create = |path: &PathBuf| File::create_new(path).map_err(|error| named(path, error));
    let file = flags.certificate.as_ref().map(create).transpose()?;
    let (is_terminal, mut told) = (io::stderr().is_terminal(), Instant::now());
    let is_alone = has_no_reader();
    let watch = |progress: &Progress| {
        let pause = if is_terminal { 1 } else { 10 };
        if told.elapsed().as_secs() >= pause {
            told = Instant::now();
            let _ = if is_terminal {
                write!(io::stderr(), "\r{progress}\x1b[K")
            } else {
                writeln!(io::stderr(), "{progress}")
            };
        }
        is_sent.load(Relaxed) || is_alone()
    };
    let proved = prove(&game, flags.limits(), file.is_some(), watch);
    if is_terminal {
        let _ = write!(io::stderr(), "\r\x1b[K");
    }
    let Some((report, parts)) = proved else {
        let shape = game.board().shape();
        let [rows, cols] = [shape.rows(), shape.cols()];
        return Err(format!(
            "cannot prove {rows} x {cols}: expected at most 128 squares, and not exactly 1 in a row"
        )
        .into());
    };
    let mut json = report.json();
    let mut exit = if report.value.is_some() { Exit::Clean } else { Exit::Refused };
    let mut written = None;
    if let (Some(path), Some(file)) = (&flags.certificate, file) {
        match parts {
            Ok(parts) => {
                let out = BufWriter::with_capacity(BLOCK, &file);
                write_certificate(out, &report, &parts).map_err(|error| named(path, error))?;
                let entries = parts.iter().map(Part::entries).sum::<usize>();
                let bytes = file.metadata().map_err(|error| named(path, error))?.len();
                json["certificate"] = serde_json::json!({ "entries": entries, "bytes": bytes });
                written = Some(format!("\ncertificate: {entries} entries, {bytes} bytes"));
            }
            Err(why) => {
                fs::remove_file(path)?;
                warn(&format_args!("{}: {why}", printable(path)));
                exit = Exit::Refused;
            }
        }
    }
    say(&format_args!("{report}{}", written.unwrap_or_default()), json)?;
    Ok(exit)
}

fn play_match(
    flags: &Contest,
    processes: &Processes,
    stops: impl Fn() -> bool + Clone + Send + 'static,
) -> Result<Ending, Box<dyn Error>> {
    let (openings, shape) = match &flags.openings {
        Some(path) => Openings::read(path, flags.defaults())?,
        None => flags.random_openings()?,
    };
    let request = flags.request(openings, shape)?;
    if flags.check {
        return Ok(trial(&request, processes, stops, Output(io::stdout()))?);
    }
    request.check(processes, &stops)?;
    let open = |path: &PathBuf| RecordFile::open(path, flags.resume, &request);
    let record = flags.record.as_ref().map(open).transpose()?;
    if let (Some(record), Some(path)) = (&record, &flags.record)
        && flags.resume
    {
        let (path, found) = (printable(path), record.found());
        warn(&format_args!("{path}: goes on after {found} games"));
    }
    Ok(request.run(record, processes, stops, Output(io::stdout()))?)
}

/// Lets the first signal be told by the number that is returned, which is 0 before, and a second
/// Ctrl-C end this program and those of the players at once. A second SIGTERM does not: `timeout`
/// sends two.
#[cfg(unix)]
fn stop_with_signals(processes: &Processes) -> io::Result<Arc<AtomicUsize>> {
    let signals = [SIGHUP, SIGINT, SIGQUIT, SIGTERM].into_iter().filter(|s| !is_ignored(*s));
    let mut signals = Signals::new(signals)?;
    let sent = Arc::new(AtomicUsize::new(0));
    let (first, processes) = (Arc::clone(&sent), processes.clone());
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        for signal in signals.forever() {
            let number = usize::try_from(signal).unwrap_or_default();
            let is_first = first.compare_exchange(0, number, Relaxed, Relaxed).is_ok();
            if !is_first && signal != SIGTERM {
                processes.end_all();
                let _ = emulate_default_handler(signal);
            }
        }
    })?;
    Ok(sent)
}

#[cfg(not(unix))]
fn stop_with_signals(_: &Processes) -> io::Result<Arc<AtomicUsize>> {
    let sent = Arc::new(AtomicUsize::new(0));
    for signal in [SIGINT, SIGTERM] {
        let number = usize::try_from(signal).unwrap_or_default();
        flag::register_usize(signal, Arc::clone(&sent), number)?;
    }
    Ok(sent)
}

/// Writes what clap has to say: help on standard output, or what is wrong with the usage.
fn show(text: &clap::Error) -> Exit {
    match text.print().and_then(|()| io::stdout().flush()) {
        Ok(()) if text.use_stderr() => Exit::Failed,
        Ok(()) => Exit::Clean,
        Err(error) => cannot_write(&error),
    }
}

/// Runs the scripts, or standard input, each as a session of its own.
fn play(arguments: &Arguments) -> Exit {
    let scripts = arguments.scripts();
    let journal_name = arguments.journal.as_deref().map(printable);
    if let (Some(name), 2..) = (&journal_name, scripts.len()) {
        let count = scripts.len();
        return fail(&format_args!(
            "{name}: a journal keeps one session: found {count} scripts, expected one at most"
        ));
    }
    // A limit of a file's size is an error of writing, and no silent death.
    #[cfg(unix)]
    if let Err(error) = flag::register(signal_hook::consts::SIGXFSZ, Arc::default()) {
        return fail(&error);
    }
    let processes = Processes::default();
    #[cfg(unix)]
    let reads_stdin = scripts.iter().any(|path| path.is_none_or(|path| path.as_os_str() == "-"));
    #[cfg(unix)]
    let has_prompt = reads_stdin && is_at_terminal() && can_edit();
    #[cfg(unix)]
    if arguments.programs().next().is_some()
        && let Err(error) = end_with_signals(&processes, has_prompt)
    {
        return fail(&error);
    }
    let exit = play_all(arguments, &scripts, &processes);
    #[cfg(unix)]
    if processes.is_over() {
        // The thread that ends them ends this program by its signal.
        loop {
            thread::park();
        }
    }
    exit
}

/// Runs the scripts in order.
fn play_all(arguments: &Arguments, scripts: &[Option<&Path>], processes: &Processes) -> Exit {
    let journal_name = arguments.journal.as_deref().map(printable);
    let mut exit = Exit::Clean;
    for source in scripts.iter().copied() {
        let file = source.filter(|path| path.as_os_str() != "-");
        // Before a journal is begun for it.
        let script = match file.map(File::open).transpose() {
            Ok(script) => script,
            Err(error) => {
                exit = cannot_read(file, &error);
                continue;
            }
        };
        let started = start(arguments, file).and_then(|(mut session, journal)| {
            seat_programs(arguments, &mut session, processes)?;
            Ok((session, journal))
        });
        let (mut session, mut journal) = match started {
            Ok(started) => started,
            Err(error) => {
                let journal = arguments.journal.as_deref();
                if journal.is_some_and(|path| is_same(path, Path::new("/dev/stderr"))) {
                    // A message on standard error would damage the journal.
                    let _ = writeln!(io::stdout(), "noughts: {error}");
                    return Exit::Failed;
                }
                return fail(&error);
            }
        };
        let is_alone = has_no_reader();
        session.watched_by(move |_| is_alone());
        let name = source.map(|path| match arguments.options().format {
            // JSON escapes it anyway.
            Format::Json => path.to_string_lossy().into_owned(),
            _ => printable(path),
        });
        match talk(arguments, script, name.as_deref(), journal.as_mut(), &mut session, processes) {
            Ok(Status::Clean) => {}
            Ok(Status::Misunderstood | Status::Stopped) => exit = exit.max(Exit::Refused),
            Err(ReplError::Read(error)) => exit = cannot_read(file, &error),
            Err(ReplError::Write(error)) => return exit.max(cannot_write(&error)),
            Err(ReplError::Keep(error)) => {
                let name = journal_name.map(|name| format!("{name}: ")).unwrap_or_default();
                return fail(&format_args!("{name}{error}: changes that got no reply may be lost"));
            }
        }
    }
    exit
}

/// The session that the flags ask for, and its journal if it has one.
fn start(
    arguments: &Arguments,
    source: Option<&Path>,
) -> Result<(Session, Option<Journal>), Box<dyn Error>> {
    let setup = arguments.setup();
    let Some(path) = &arguments.journal else {
        let session = Session::new(&setup)?;
        session.check_seats()?;
        return Ok((session, None));
    };
    let name = printable(path);
    let script = source.unwrap_or(Path::new("/dev/stdin"));
    let [out, err] = ["/dev/stdout", "/dev/stderr"].map(Path::new);
    for (other, used) in [(script, "read"), (out, "written"), (err, "written")] {
        if is_same(path, other) {
            return Err(format!("{name}: the journal cannot be what is {used} as well").into());
        }
    }
    let (session, journal) = journal_file::open_by_name(path, &setup, arguments.sync, warn)?;
    Ok((session, Some(journal)))
}

/// Starts the programs that flags put on the seats.
fn seat_programs(
    arguments: &Arguments,
    session: &mut Session,
    processes: &Processes,
) -> Result<(), Box<dyn Error>> {
    for (mark, entrant) in arguments.programs() {
        let Who::Program(program) = &entrant.who else { continue };
        let shape = session.game().board().shape();
        let started =
            program.start(entrant.name(), shape, arguments.terms(entrant), processes, || false);
        let flag = if mark == Mark::X { "--x" } else { "--o" };
        let player = started.map_err(|error| format!("{flag}: {error}"))?;
        session.seat_program(mark, entrant.name(), player);
    }
    Ok(())
}

/// Lets a signal that ends this program end those on the seats first. At the prompt Ctrl-C ends
/// nothing.
#[cfg(unix)]
fn end_with_signals(processes: &Processes, is_prompt: bool) -> io::Result<()> {
    let stays = |signal| is_ignored(signal) || is_prompt && signal == SIGINT;
    let signals = [SIGHUP, SIGINT, SIGQUIT, SIGTERM].into_iter().filter(|signal| !stays(*signal));
    let mut signals = Signals::new(signals)?;
    let processes = processes.clone();
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        for signal in signals.forever() {
            processes.end_all();
            let _ = emulate_default_handler(signal);
        }
    })?;
    Ok(())
}

/// Tells whether two paths lead to the same file. A session that read its own journal, or wrote its
/// replies there, would never end.
fn is_same(one: &Path, other: &Path) -> bool {
    #[cfg(unix)]
    let identity = |path: &Path| path.metadata().map(|file| (file.dev(), file.ino()));
    #[cfg(not(unix))]
    let identity = |path: &Path| path.canonicalize();
    matches!((identity(one), identity(other)), (Ok(one), Ok(other)) if one == other)
}

/// Holds the session with a script, with a person at the terminal, or with standard input.
fn talk(
    arguments: &Arguments,
    script: Option<File>,
    name: Option<&str>,
    journal: Option<&mut Journal>,
    session: &mut Session,
    processes: &Processes,
) -> Result<Status, ReplError> {
    let (out, options) = (Output(io::stdout().lock()), arguments.options());
    if let Some(script) = script {
        let input = BufReader::with_capacity(BLOCK, script);
        return repl(input, out, options, name, journal, session);
    }
    if !is_at_terminal() {
        let input = BufReader::with_capacity(BLOCK, Input(io::stdin().lock()));
        return repl(input, out, options, name, journal, session);
    }
    if !can_edit() {
        let input = BufReader::new(Input(io::stdin().lock()));
        return plain_prompt(input, Output(AutoStream::never(out.0)), options, journal, session);
    }
    let out = AutoStream::new(out.0, arguments.color.as_choice());
    let is_styled = out.current_choice() != ColorChoice::Never;
    let out = Output(out);
    let history = history_file(env::var_os("XDG_STATE_HOME"), env::home_dir());
    let history = history.filter(|_| !arguments.no_history);
    #[cfg(not(unix))]
    let _ = processes;
    #[cfg(unix)]
    let processes = processes.clone();
    #[cfg(unix)]
    restore_at_signals(move || processes.end_all()).map_err(ReplError::Read)?;
    prompt(out, is_styled, options, history.as_deref(), has_no_reader(), journal, session)
}

/// Tells whether a person types and reads on a terminal.
fn is_at_terminal() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// Tells whether the line editor can edit on the terminal.
fn can_edit() -> bool {
    let term = env::var_os("TERM").unwrap_or_default();
    !["dumb", "emacs", "cons25"].iter().any(|plain| term.eq_ignore_ascii_case(plain))
}

/// Returns a function that tells whether the reader of the replies has gone away. It looks once in
/// 64 calls, since a search asks more often than a system call is worth.
fn has_no_reader() -> impl Fn() -> bool + Clone {
    const SELDOM: u32 = 64;
    let asked = Cell::new(0_u32);
    move || {
        asked.set(asked.get().wrapping_add(1));
        asked.get().is_multiple_of(SELDOM) && stdio::has_no_reader()
    }
}

/// Says why a script could not be read, or not to its end.
fn cannot_read(file: Option<&Path>, error: &io::Error) -> Exit {
    let name = file.map_or("standard input".into(), printable);
    fail(&format_args!("{name}: {error}"))
}

/// Says why replies could not be written. A reader that has gone away has what it wanted, so that
/// is no failure and nothing is said.
fn cannot_write(error: &io::Error) -> Exit {
    if error.kind() == ErrorKind::BrokenPipe {
        return Exit::Clean;
    }
    fail(&format_args!("standard output: {error}"))
}

/// Says on standard error what went wrong with the process itself.
fn fail(error: &dyn Display) -> Exit {
    warn(error);
    Exit::Failed
}

fn warn(text: &dyn Display) {
    // Nothing is left to do where not even this can be written.
    let _ = writeln!(io::stderr(), "noughts: {text}");
}
