//! The command line: its flags, what they ask for, and the pages written from them.

use std::env;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anstream::ColorChoice;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{CommandFactory, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
use noughts::command::{Size, overview};
use noughts::limit::Limit;
use noughts::player::Kind;
use noughts::reply::Format;
use noughts::session::Setup;
use noughts::shell::journal::Asked;
use noughts::shell::repl::Manner;

/// Play and judge tic-tac-toe and every game of k in a row, one command a line.
///
/// Reads commands from the FILEs, or from standard input, and answers each with one reply.
/// Type `help` at it to learn the commands.
#[derive(Parser)]
#[command(version = env!("NOUGHTS_VERSION"), args_conflicts_with_subcommands = true)]
#[command(after_help = format!("Examples:\n{EXAMPLES}\n\nExit status: {EXIT_STATUS}"))]
#[command(mut_arg("color", |arg| {
    arg.help("Whether the prompt is in colour; NO_COLOR is honoured").global(false)
}))]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag")]
pub struct Arguments {
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
    x: Option<Kind>,

    /// Who moves for O [default: human]
    #[arg(long, value_name = "PLAYER", value_parser = player(), ignore_case = true)]
    o: Option<Kind>,

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
    pub journal: Option<PathBuf>,

    /// With a journal, wait for the disk before a change is answered
    #[arg(long, requires = "journal")]
    pub sync: bool,

    #[command(flatten)]
    color: colorchoice_clap::Color,

    /// Leave the history of the prompt alone
    #[arg(long)]
    pub no_history: bool,
}

#[derive(Clone, Copy, Subcommand)]
pub enum Task {
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
fn player() -> impl TypedValueParser<Value = Kind> {
    let names = PossibleValuesParser::new(Kind::ALL.map(Kind::name));
    names.try_map(|name| name.parse::<Kind>())
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

impl Arguments {
    /// The task that is named, by a subcommand or by the name of the program.
    pub fn task(&self) -> Option<Task> {
        self.task
            .or(is_called_as_a_brain().then_some(Task::Gomocup))
    }

    /// The scripts to run, in order. `None` is standard input because no FILE was named.
    pub fn scripts(&self) -> Vec<Option<&Path>> {
        match self.files.as_slice() {
            [] => vec![None],
            files => files.iter().map(PathBuf::as_path).map(Some).collect(),
        }
    }

    /// The way in which replies are written.
    pub fn manner(&self) -> Manner {
        Manner {
            format: match self.format {
                Spelling::Text => Format::Text,
                Spelling::Json => Format::Json,
            },
            strict: self.strict,
            echo: self.echo,
        }
    }

    /// The shape and the players that are asked for.
    pub fn asked(&self) -> Asked {
        Asked {
            size: self.size,
            win: self.win,
            exact: self.exact,
            x: self.x,
            o: self.o,
        }
    }

    /// A session of tic-tac-toe between two people, with the limit and the seed that are asked for.
    pub fn setup(&self) -> Setup {
        let limit = match (self.time, self.nodes) {
            (Some(time), _) => Limit::Time(time),
            (None, nodes) => Limit::Nodes(nodes.unwrap_or(Limit::DEFAULT_NODES)),
        };
        Setup {
            limit,
            seed: self.seed,
            ..Setup::default()
        }
    }

    /// When the prompt is in colour.
    pub fn color(&self) -> ColorChoice {
        self.color.as_choice()
    }
}

/// Tells whether the program is called `pbrain-something` and has no arguments: so gomoku managers
/// start the players that speak their protocol.
fn is_called_as_a_brain() -> bool {
    let mut words = env::args_os();
    let name = words.next().map(PathBuf::from);
    let name = name.as_deref().and_then(Path::file_name);
    let is_brain = name.is_some_and(|name| name.to_string_lossy().starts_with("pbrain-"));
    is_brain && words.next().is_none()
}

/// Writes the completions for a shell on standard output.
pub fn completions(shell: Shell) -> io::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "noughts", &mut script);
    io::stdout().write_all(&script)
}

/// Writes the manual page on standard output.
pub fn man() -> io::Result<()> {
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
