//! The command line: flags in, exit status out.

use std::error::Error;
use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use noughts::command::Size;
use noughts::repl::{BLOCK, Manner, Status, repl};
use noughts::reply::Format;
use noughts::session::Session;

/// Play and judge tic-tac-toe and every game of k in a row, one command a line.
///
/// Reads commands from the FILEs, or from standard input, and answers each with one reply.
/// Type `help` at it to learn the commands.
#[derive(Parser)]
#[command(version, after_help = EXAMPLES)]
struct Arguments {
    /// Scripts to run, each as a session of its own; `-` is standard input
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// How replies are written
    #[arg(short, long, value_enum, default_value_t = Spelling::Text)]
    format: Spelling,

    /// The board: 3 for 3 x 3, 6x7 for 6 rows and 7 columns
    #[arg(short, long, default_value = "3", value_name = "N|ROWSxCOLS")]
    size: Size,

    /// Marks in a row that win [default: the shorter side]
    #[arg(short = 'k', long, value_name = "K")]
    win: Option<u64>,

    /// A line is exactly K: a longer run does not win
    #[arg(long)]
    exact: bool,

    /// Stop at the first reply that is not OK, WIN or DRAW
    #[arg(long)]
    strict: bool,

    /// Write each command before its reply, as `> play 0 2`
    #[arg(long)]
    echo: bool,
}

const EXAMPLES: &str = "\
Examples:
  noughts                            play at the prompt; `help` lists the commands
  noughts --size 15 --win 5          gomoku
  noughts --format json game.txt     judge a script, one JSON object a reply
  printf '0 0\\n1 1\\n' | noughts      judge moves from a pipe

Exit status: 0 every line was understood, 1 some line was not or --strict stopped, 2 wrong usage
or reading or writing failed.";

#[derive(Clone, Copy, ValueEnum)]
enum Spelling {
    Text,
    Json,
}

/// The whole input was read and every line understood.
const CLEAN: u8 = 0;
/// Some line was not understood, or `--strict` stopped.
const REFUSED: u8 = 1;
/// Wrong usage, or reading or writing failed.
const FAILED: u8 = 2;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let shape = match arguments.size.shape(arguments.win) {
        Ok(shape) if arguments.exact => shape.exactly(),
        Ok(shape) => shape,
        Err(error) => return ExitCode::from(fail(&error)),
    };
    let manner = Manner {
        format: match arguments.format {
            Spelling::Text => Format::Text,
            Spelling::Json => Format::Json,
        },
        strict: arguments.strict,
        echo: arguments.echo,
    };
    let sources = match arguments.files.as_slice() {
        [] => vec![None],
        files => files.iter().map(Some).collect(),
    };
    let mut exit = CLEAN;
    for source in sources {
        match run(source, manner, &mut Session::new(shape)) {
            Ok(Status::Clean) => {}
            Ok(Status::Misunderstood) => exit = exit.max(REFUSED),
            Ok(Status::Stopped) => return ExitCode::from(exit.max(REFUSED)),
            // The reader has gone away: it has what it wanted.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => break,
            Err(error) => exit = fail(&error),
        }
    }
    ExitCode::from(exit)
}

/// Runs one script, or standard input, to its end.
fn run(source: Option<&PathBuf>, manner: Manner, session: &mut Session) -> io::Result<Status> {
    let out = io::stdout().lock();
    let name = source.map(|path| path.to_string_lossy());
    let name = name.as_deref();
    match source {
        Some(path) if path.as_os_str() != "-" => {
            let named = |error: io::Error| {
                io::Error::new(error.kind(), format!("{}: {error}", path.display()))
            };
            let file = BufReader::with_capacity(BLOCK, File::open(path).map_err(named)?);
            repl(file, out, manner, name, session)
        }
        _ => {
            let input = BufReader::with_capacity(BLOCK, io::stdin().lock());
            repl(input, out, manner, name, session)
        }
    }
}

/// Says on standard error what went wrong with the process itself.
fn fail(error: &dyn Error) -> u8 {
    // Nothing is left to do where not even this can be written.
    let _ = writeln!(io::stderr(), "noughts: {error}");
    FAILED
}
