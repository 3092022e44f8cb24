//! The command line: flags in, exit status out.

use std::cell::Cell;
use std::env;
use std::error::Error;
use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufReader, ErrorKind, IsTerminal, Write};
#[cfg(unix)]
use std::os::fd::AsFd;
#[cfg(unix)]
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anstream::{AutoStream, ColorChoice};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{CommandFactory, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
#[cfg(unix)]
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use noughts::bench::bench;
use noughts::command::{Seat, Size, overview};
use noughts::gomocup::gomocup;
use noughts::limit::Limit;
use noughts::reply::Format;
use noughts::search::Progress;
use noughts::session::{Session, Setup};
use noughts::shell::journal::Journal;
use noughts::shell::journal_file::{self, Opened};
use noughts::shell::prompt::{history_file, prompt};
use noughts::shell::repl::{BLOCK, Options, ReplError, Status, repl};

/// Play and judge tic-tac-toe and every game of k in a row, one command a line.
///
/// Reads commands from the FILEs, or from standard input, and answers each with one reply.
/// Type `help` at it to learn the commands.
#[derive(Parser)]
#[command(version = env!("NOUGHTS_VERSION"), after_help = format!("Examples:\n{EXAMPLES}\n\nExit status: {EXIT_STATUS}"), args_conflicts_with_subcommands = true)]
#[command(mut_arg("color", |arg| {
    arg.help("Whether the prompt is in colour; NO_COLOR is honoured").global(false)
}))]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag")]
struct Arguments {
    #[command(subcommand)]
    task: Option<Task>,

    /// Scripts to run, each as a session of its own; `-` is standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    files: Vec<PathBuf>,

    /// How replies are written
    #[arg(short, long, value_enum, default_value_t = Spelling::Text)]
    format: Spelling,

    /// The board: 3 for 3 x 3, 6x7 for 6 rows and 7 columns [default: 3]
    #[arg(short, long, value_name = "N|ROWSxCOLS", allow_negative_numbers = true)]
    size: Option<Size>,

    /// Marks in a row that win [default: the shorter side]
    #[arg(short = 'k', long, value_name = "K", value_parser = whole, allow_negative_numbers = true)]
    win: Option<u64>,

    /// A line is exactly K: a longer run does not win
    #[arg(long)]
    exact: bool,

    /// Who moves for X [default: human]
    #[arg(long, value_name = "PLAYER", value_parser = player(), ignore_case = true)]
    x: Option<Seat>,

    /// Who moves for O [default: human]
    #[arg(long, value_name = "PLAYER", value_parser = player(), ignore_case = true)]
    o: Option<Seat>,

    /// What a computer player may spend on a move, in positions [default: about a second's worth]
    #[arg(long, value_name = "N", conflicts_with = "time", value_parser = whole, allow_negative_numbers = true)]
    nodes: Option<u64>,

    /// What a computer player may spend on a move, in seconds
    #[arg(long, value_name = "SECS", value_parser = seconds, allow_negative_numbers = true)]
    time: Option<Duration>,

    /// What the moves of `random` follow from
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole, allow_negative_numbers = true)]
    seed: u64,

    /// Stop at the first reply that is not OK, WIN or DRAW
    #[arg(long)]
    strict: bool,

    /// Write each command before its reply, as `> play 0 2`
    #[arg(long)]
    echo: bool,

    /// Keep the games in FILE, and go on from them and their players; with one script at most
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    journal: Option<PathBuf>,

    /// With a journal, wait for the disk before a change is answered
    #[arg(long, requires = "journal")]
    sync: bool,

    #[command(flatten)]
    color: colorchoice_clap::Color,

    /// Leave the history of the prompt alone
    #[arg(long)]
    no_history: bool,
}

#[derive(Clone, Copy, Subcommand)]
enum Task {
    /// Search fixed positions: nodes, nodes/s, and a node total that is the same on every machine
    Bench,
    /// Play for a gomoku manager: the Gomocup (Piskvork) protocol on standard input and output
    Gomocup,
    /// Write the completions of the command line for a shell
    Completions {
        /// Which shell
        shell: Shell,
    },
    /// Write the manual page
    Man,
}

const EXAMPLES: &str =
    "  noughts                            play at the prompt; `help` lists the commands
  noughts --o best                   play X against the computer
  noughts --size 15 --win 5          gomoku
  noughts --journal game.log         play, and go on another time
  noughts --format json game.txt     judge a script, one JSON object a reply
  printf '0 0\\n1 1\\n' | noughts      judge moves from a pipe";

const EXIT_STATUS: &str = "\
0 every line was understood, or a person left the prompt; 1 some line was not understood, or \
--strict stopped; 2 wrong usage, or reading or writing failed.";

#[derive(Clone, Copy, ValueEnum)]
enum Spelling {
    Text,
    Json,
}

/// The players by name, so that help and completions list them.
fn player() -> impl TypedValueParser<Value = Seat> {
    let names = PossibleValuesParser::new(Seat::ALL.iter().map(|seat| seat.name()));
    names.try_map(|name| name.parse::<Seat>())
}

fn whole(word: &str) -> Result<u64, &'static str> {
    word.parse()
        .map_err(|_| "expected a whole number from 0, of at most 64 bits")
}

fn seconds(word: &str) -> Result<Duration, &'static str> {
    let seconds = word
        .parse()
        .ok()
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or("expected seconds, such as 0.5")
}

/// The whole input was read and every line understood.
const CLEAN: u8 = 0;
/// Some line was not understood, or `--strict` stopped.
const REFUSED: u8 = 1;
/// Wrong usage, or reading or writing failed.
const FAILED: u8 = 2;

fn main() -> ExitCode {
    let started = Instant::now();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(text) => return ExitCode::from(show(&text)),
    };
    let brain = is_called_as_a_brain().then_some(Task::Gomocup);
    let written = match arguments.task.or(brain) {
        Some(Task::Bench) => bench(io::stdout().lock()),
        Some(Task::Gomocup) => {
            let input = BufReader::with_capacity(BLOCK, io::stdin());
            match gomocup(input, io::stdout().lock(), started) {
                Err(ReplError::Read(error)) => return ExitCode::from(cannot_read(None, &error)),
                Err(ReplError::Write(error) | ReplError::Keep(error)) => Err(error),
                Ok(()) => Ok(()),
            }
        }
        Some(Task::Completions { shell }) => completions(shell),
        Some(Task::Man) => man(),
        None => return ExitCode::from(play(&arguments)),
    };
    let written = written.and_then(|()| io::stdout().flush());
    ExitCode::from(written.map_or_else(|error| cannot_write(&error), |()| CLEAN))
}

/// Whether the program is called `pbrain-something`, and nothing more is said: so gomoku managers tell
/// the players that speak their protocol.
fn is_called_as_a_brain() -> bool {
    let mut words = env::args_os();
    let name = words.next().map(PathBuf::from);
    let name = name.as_deref().and_then(Path::file_name);
    let is_brain = name.is_some_and(|name| name.to_string_lossy().starts_with("pbrain-"));
    is_brain && words.next().is_none()
}

/// Writes what clap has to say: help on standard output, or what is wrong with the usage.
fn show(text: &clap::Error) -> u8 {
    match text.print().and_then(|()| io::stdout().flush()) {
        Ok(()) if text.use_stderr() => FAILED,
        Ok(()) => CLEAN,
        Err(error) => cannot_write(&error),
    }
}

/// Runs the scripts, or standard input, and returns the exit status.
fn play(arguments: &Arguments) -> u8 {
    let options = Options {
        format: match arguments.format {
            Spelling::Text => Format::Text,
            Spelling::Json => Format::Json,
        },
        strict: arguments.strict,
        echo: arguments.echo,
    };
    let sources = match arguments.files.as_slice() {
        [] => vec![None],
        files => files.iter().map(PathBuf::as_path).map(Some).collect(),
    };
    let journal_name = arguments.journal.as_deref().map(Path::display);
    if let (Some(name), 2..) = (&journal_name, sources.len()) {
        let count = sources.len();
        return fail(&format_args!(
            "{name}: a journal keeps one session: found {count} scripts, expected one at most"
        ));
    }
    let mut exit = CLEAN;
    for source in sources {
        let file = source.filter(|path| path.as_os_str() != "-");
        // Before a journal is begun for it.
        let script = match file.map(File::open).transpose() {
            Ok(script) => script,
            Err(error) => {
                exit = cannot_read(file, &error);
                continue;
            }
        };
        let (mut session, mut journal) = match start(arguments, file) {
            Ok(started) => started,
            Err(error) => return fail(&error),
        };
        let journal = journal.as_mut();
        session.watched_by(Box::new(has_no_reader()));
        let name = source.map(|path| path.to_string_lossy());
        let (name, out) = (name.as_deref(), io::stdout().lock());
        let done = match script {
            Some(script) => {
                let input = BufReader::with_capacity(BLOCK, script);
                repl(input, out, options, name, journal, &mut session)
            }
            None if is_at_a_terminal() => talk(arguments, options, journal, &mut session),
            None => {
                let input = BufReader::with_capacity(BLOCK, io::stdin().lock());
                repl(input, out, options, name, journal, &mut session)
            }
        };
        match done {
            Ok(Status::Clean) => {}
            Ok(Status::Misunderstood) => exit = exit.max(REFUSED),
            Ok(Status::Stopped) => return exit.max(REFUSED),
            Err(ReplError::Read(error)) => exit = cannot_read(file, &error),
            Err(ReplError::Write(error)) => return exit.max(cannot_write(&error)),
            Err(ReplError::Keep(error)) => {
                let name = journal_name
                    .map(|name| format!("{name}: "))
                    .unwrap_or_default();
                return fail(&format_args!(
                    "{name}{error}: changes that got no reply may be lost"
                ));
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
    let setup = Setup {
        size: arguments.size,
        win: arguments.win,
        exact: arguments.exact,
        x: arguments.x,
        o: arguments.o,
        limit: match (arguments.time, arguments.nodes) {
            (Some(time), _) => Limit::Time(time),
            (None, nodes) => nodes.map_or(Limit::default(), Limit::Nodes),
        },
        seed: arguments.seed,
    };
    let Some(path) = &arguments.journal else {
        return Ok((Session::new(&setup)?, None));
    };
    let name = path.display();
    let script = source.unwrap_or(Path::new("/dev/stdin"));
    for (other, used) in [(script, "read"), (Path::new("/dev/stdout"), "written")] {
        if is_same(path, other) {
            return Err(format!("{name}: the journal cannot be what is {used} as well").into());
        }
    }
    let opened = journal_file::open(path, &setup, arguments.sync);
    let Opened {
        session,
        journal,
        torn,
    } = opened.map_err(|error| format!("{name}: {error}"))?;
    if torn > 0 {
        warn(&format_args!(
            "{name}: dropped the last line: its end is missing, only {torn} bytes were written"
        ));
    }
    Ok((session, Some(journal)))
}

/// Whether two paths lead to the same file. A session that read its own journal, or wrote its
/// replies there, would never end.
#[cfg(unix)]
fn is_same(one: &Path, other: &Path) -> bool {
    let identity = |path: &Path| path.metadata().map(|file| (file.dev(), file.ino()));
    matches!((identity(one), identity(other)), (Ok(one), Ok(other)) if one == other)
}

#[cfg(not(unix))]
fn is_same(one: &Path, other: &Path) -> bool {
    let identity = |path: &Path| path.canonicalize();
    matches!((identity(one), identity(other)), (Ok(one), Ok(other)) if one == other)
}

/// Tells, now and then when it is asked, whether whoever reads the replies has gone away: then nobody
/// waits for a search any more.
fn has_no_reader() -> impl Fn(Progress) -> bool {
    /// A search of whatever kind asks more often than a system call is worth.
    const SELDOM: u32 = 64;
    let asked = Cell::new(0_u32);
    move |_| {
        asked.set(asked.get().wrapping_add(1));
        asked.get().is_multiple_of(SELDOM) && is_closed(&io::stdout())
    }
}

/// Whether the other end of a pipe is closed. What cannot be asked is open.
#[cfg(unix)]
fn is_closed(out: &io::Stdout) -> bool {
    // An error is told of without being asked for.
    let mut ends = [PollFd::new(out.as_fd(), PollFlags::empty())];
    poll(&mut ends, PollTimeout::ZERO).is_ok_and(|told| told > 0)
}

#[cfg(not(unix))]
const fn is_closed(_: &io::Stdout) -> bool {
    false
}

/// Whether somebody types and reads here, at a terminal that can be edited on.
fn is_at_a_terminal() -> bool {
    let is_dumb = env::var_os("TERM").is_some_and(|term| term == "dumb");
    !is_dumb && io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// Holds the session with whoever sits at the terminal.
fn talk(
    arguments: &Arguments,
    options: Options,
    journal: Option<&mut Journal>,
    session: &mut Session,
) -> Result<Status, ReplError> {
    let out = AutoStream::new(io::stdout().lock(), arguments.color.as_choice());
    let is_styled = out.current_choice() != ColorChoice::Never;
    let history = history_file(env::var_os("XDG_STATE_HOME"), env::home_dir());
    let history = history.filter(|_| !arguments.no_history);
    let history = history.as_deref();
    prompt(out, is_styled, options, history, journal, session)
}

fn completions(shell: Shell) -> io::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "noughts", &mut script);
    io::stdout().write_all(&script)
}

fn man() -> io::Result<()> {
    let command = Arguments::command();
    let about = |task: &clap::Command| task.get_about().map(ToString::to_string);
    let tasks = command.get_subcommands().map(|task| {
        let name = task.get_name();
        format!("noughts {name:<12} {}", about(task).unwrap_or_default())
    });
    let tasks: Vec<String> = tasks.collect();
    // What has lines of its own keeps them.
    let mut kept = Roff::new();
    for (title, text) in [
        ("COMMANDS", overview()),
        ("OTHER TASKS", tasks.join("\n")),
        ("EXAMPLES", EXAMPLES.to_owned()),
    ] {
        kept.control("SH", [title]).control("nf", []);
        for line in text.lines() {
            kept.text([roman(line)]);
        }
        kept.control("fi", []);
    }
    kept.control("SH", ["EXIT STATUS"])
        .text([roman(EXIT_STATUS)]);

    let mut page = Vec::new();
    let man = Man::new(command);
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    kept.to_writer(&mut page)?;
    man.render_version_section(&mut page)?;
    io::stdout().write_all(&page)
}

/// Says why a script could not be read, or not to its end.
fn cannot_read(file: Option<&Path>, error: &io::Error) -> u8 {
    let name = file.map_or("standard input".into(), |path| path.to_string_lossy());
    fail(&format_args!("{name}: {error}"))
}

/// Nothing more can be said: quietly where the reader has gone away, since it has what it wanted.
fn cannot_write(error: &io::Error) -> u8 {
    if error.kind() == ErrorKind::BrokenPipe {
        return CLEAN;
    }
    fail(&format_args!("standard output: {error}"))
}

/// Says on standard error what went wrong with the process itself.
fn fail(error: &dyn Display) -> u8 {
    warn(error);
    FAILED
}

fn warn(text: &dyn Display) {
    // Nothing is left to do where not even this can be written.
    let _ = writeln!(io::stderr(), "noughts: {text}");
}
