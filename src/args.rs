//! The command line: its flags, what they ask for, and the pages written from them.

use std::env;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anstream::ColorChoice;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{CommandFactory, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, italic, roman};
use noughts::Mark;
use noughts::command::{Seat, Size, overview};
use noughts::limit::Limit;
use noughts::reply::Format;
use noughts::session::Setup;
use noughts::shell::repl::Options;

/// Play and judge tic-tac-toe, gomoku and every game of k in a row
///
/// Reads commands from the FILEs, or from standard input, and answers each
/// with one reply. At a terminal it is a prompt: `help` lists the commands.
#[derive(Parser)]
#[command(version = env!("NOUGHTS_VERSION"), max_term_width = 80, verbatim_doc_comment)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = format!("Exit status:\n{EXIT_STATUS}\n\nExamples:\n{EXAMPLES}"))]
#[command(mut_arg("color", |arg| {
    arg.help("Colours at the prompt: auto, always, never; NO_COLOR is honoured")
        .hide_possible_values(true)
        .global(false)
}))]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag")]
pub struct Arguments {
    #[command(subcommand)]
    task: Option<Task>,

    /// Scripts to run, each as a session of its own; `-` is standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    files: Vec<PathBuf>,

    /// How replies are written
    #[arg(short, long, value_name = "text|json", value_enum, default_value_t = Spelling::Text)]
    #[arg(hide_possible_values = true)]
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

    #[arg(long, value_name = "PLAYER", value_parser = player(), ignore_case = true)]
    #[arg(help = who(Mark::X), hide_possible_values = true)]
    x: Option<Seat>,

    #[arg(long, value_name = "PLAYER", value_parser = player(), ignore_case = true)]
    #[arg(help = who(Mark::O), hide_possible_values = true)]
    o: Option<Seat>,

    /// Positions that a computer may search for a move [default: 500000]
    #[arg(long, value_name = "N", value_parser = whole, allow_negative_numbers = true)]
    #[arg(conflicts_with = "time")]
    nodes: Option<u64>,

    /// Seconds that a computer may take for a move
    #[arg(long, value_name = "SECS", value_parser = seconds, allow_negative_numbers = true)]
    time: Option<Duration>,

    /// The number that the moves of `random` follow from
    #[arg(long, value_name = "N", value_parser = whole, allow_negative_numbers = true)]
    #[arg(default_value_t = 0)]
    seed: u64,

    /// Stop at the first reply that is not OK, WIN or DRAW
    #[arg(long)]
    strict: bool,

    /// Write each command before its reply, as `> play 0 2`
    #[arg(long)]
    echo: bool,

    /// Keep the games in FILE, and go on from it; for one script at most
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub journal: Option<PathBuf>,

    /// Wait for the disk before a change is answered; with --journal
    #[arg(long, requires = "journal")]
    pub sync: bool,

    #[command(flatten)]
    color: colorchoice_clap::Color,

    /// Leave the history of the prompt alone
    #[arg(long)]
    pub no_history: bool,
}

#[derive(Clone, Subcommand)]
pub enum Task {
    /// Search fixed positions, to compare builds and machines
    ///
    /// Writes the nodes and the nodes a second of each position, then the totals.
    /// The total of nodes is the same on every machine.
    #[command(verbatim_doc_comment)]
    Bench,

    /// Play for a gomoku manager by the Gomocup (Piskvork) protocol
    ///
    /// Reads commands on standard input and answers with moves on standard output.
    /// Five in a row win. A copy of the program that is called pbrain-noughts and
    /// gets no arguments does the same.
    #[command(verbatim_doc_comment)]
    Gomocup,

    /// Write completions for a shell
    ///
    /// Writes on standard output what a shell needs to complete the command line.
    #[command(verbatim_doc_comment)]
    Completions {
        /// One of bash, elvish, fish, powershell, zsh
        #[arg(value_name = "SHELL", hide_possible_values = true)]
        shell: Shell,
    },

    /// Write a page of the manual
    ///
    /// Writes noughts(1) on standard output or, with COMMAND, the page of that one,
    /// such as noughts-gomocup(1). `noughts man | man -l -` shows it.
    #[command(verbatim_doc_comment)]
    Man {
        /// The subcommand whose page is written
        #[arg(value_name = "COMMAND", value_parser = subcommand)]
        command: Option<String>,
    },
}

const EXIT_STATUS: &str = "\
\x20 0  every line was understood, or a person left the prompt
  1  some line was not understood, or --strict stopped
  2  wrong usage, or reading or writing failed";

const FILES: &str = "\
\x20 $XDG_STATE_HOME/noughts/history  what was typed at the prompt
  ~/.local/state/noughts/history   the same, where XDG_STATE_HOME is not set";

const EXAMPLES: &str = "\
\x20 noughts                          play at the prompt
  noughts --o best                 play X against the computer
  noughts --size 15 --win 5        gomoku
  noughts --journal game.log       play, and go on another time
  noughts --format json game.txt   judge a script, one JSON object a reply
  printf '0 0\\n1 1\\n' | noughts    judge moves from a pipe";

#[derive(Clone, Copy, ValueEnum)]
enum Spelling {
    Text,
    Json,
}

/// The players by name, so that completions list them.
fn player() -> impl TypedValueParser<Value = Seat> {
    let names = PossibleValuesParser::new(Seat::ALL.iter().map(|seat| seat.name()));
    names.try_map(|name| name.parse::<Seat>())
}

fn who(mark: Mark) -> String {
    let names: Vec<&str> = Seat::ALL.iter().map(|seat| seat.name()).collect();
    let names = names.join(", ");
    format!("Who moves for {mark}: {names} [default: human]")
}

fn whole(word: &str) -> Result<u64, &'static str> {
    word.parse().map_err(|_| "expected a whole number from 0, of at most 64 bits")
}

fn seconds(word: &str) -> Result<Duration, &'static str> {
    let seconds = word.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or("expected seconds, such as 0.5")
}

fn subcommand(name: &str) -> Result<String, String> {
    let program = Arguments::command();
    let names: Vec<&str> = program.get_subcommands().map(clap::Command::get_name).collect();
    if names.contains(&name) {
        return Ok(name.to_owned());
    }
    Err(format!("expected one of {}", names.join(", ")))
}

impl Arguments {
    /// The task that is named, by a subcommand or by the name of the program.
    pub fn task(&self) -> Option<Task> {
        self.task.clone().or(is_called_as_a_brain().then_some(Task::Gomocup))
    }

    /// The scripts to run, in order. `None` is standard input because no FILE was named.
    pub fn scripts(&self) -> Vec<Option<&Path>> {
        match self.files.as_slice() {
            [] => vec![None],
            files => files.iter().map(PathBuf::as_path).map(Some).collect(),
        }
    }

    /// The options of each conversation.
    pub fn options(&self) -> Options {
        Options {
            format: match self.format {
                Spelling::Text => Format::Text,
                Spelling::Json => Format::Json,
            },
            strict: self.strict,
            echo: self.echo,
        }
    }

    /// What each session starts with.
    pub fn setup(&self) -> Setup {
        Setup {
            size: self.size,
            win: self.win,
            exact: self.exact,
            x: self.x,
            o: self.o,
            limit: match (self.time, self.nodes) {
                (Some(time), _) => Limit::Time(time),
                (None, nodes) => nodes.map_or(Limit::default(), Limit::Nodes),
            },
            seed: self.seed,
        }
    }

    /// The choice of colour at the prompt.
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

/// The day on which the manual last changed.
const MANUAL_DATE: &str = "2026-11-30";

/// Writes the manual page of the program, or of a subcommand, on standard output.
pub fn man(subcommand: Option<&str>) -> io::Result<()> {
    let mut program = Arguments::command();
    program = program.bin_name("noughts").display_name("noughts");
    program.build();
    let tasks = program.get_subcommands();
    let tasks: Vec<_> = tasks.filter(|task| task.get_name() != "help").collect();
    let found = tasks.iter().copied().find(|task| Some(task.get_name()) == subcommand);
    let command = found.unwrap_or(&program);

    let mut synopsis = Roff::new();
    synopsis.control("SH", ["SYNOPSIS"]);
    usage(command, &mut synopsis);
    let mut rest = Roff::new();
    if found.is_none() {
        for task in &tasks {
            synopsis.control("br", []);
            usage(task, &mut synopsis);
        }
        let pages = tasks.iter().map(|task| {
            let about = task.get_about().cloned().unwrap_or_default();
            format!("  {}(1)  {about}", shown_name(task))
        });
        let pages: Vec<String> = pages.collect();
        section("COMMANDS", &overview(), &mut rest);
        section("SUBCOMMANDS", &pages.join("\n"), &mut rest);
        section("FILES", FILES, &mut rest);
        section("EXIT STATUS", EXIT_STATUS, &mut rest);
        section("EXAMPLES", EXAMPLES, &mut rest);
    } else {
        let program = [bold("noughts"), roman("(1)")];
        rest.control("SH", ["SEE ALSO"]).text(program);
    }

    let page = Man::new(command.clone())
        .title(shown_name(command).to_uppercase())
        .date(MANUAL_DATE)
        .source(concat!("noughts ", env!("CARGO_PKG_VERSION")))
        .manual("Games");
    let mut out = Vec::new();
    page.render_title(&mut out)?;
    page.render_name_section(&mut out)?;
    synopsis.to_writer(&mut out)?;
    page.render_description_section(&mut out)?;
    page.render_options_section(&mut out)?;
    rest.to_writer(&mut out)?;
    io::stdout().write_all(&out)
}

/// The name of a command as one word: `noughts-gomocup`.
fn shown_name(command: &clap::Command) -> &str {
    command.get_display_name().unwrap_or_default()
}

/// Writes a command and its arguments, one a line, with their values where these are few.
fn usage(command: &clap::Command, roff: &mut Roff) {
    const FEW: usize = 3;
    roff.text([bold(command.get_bin_name().unwrap_or_default())]);
    let (last, first): (Vec<_>, Vec<_>) = command
        .get_arguments()
        .filter(|arg| !["help", "version"].contains(&arg.get_id().as_str()))
        .partition(|arg| arg.is_positional());
    for arg in first.into_iter().chain(last) {
        let short = arg.get_short().map(|short| format!("-{short}"));
        let long = arg.get_long().map(|long| format!("--{long}"));
        let flags: Vec<String> = short.into_iter().chain(long).collect();
        let has_values = arg.get_num_args().is_some_and(|count| count.takes_values());
        let choices = arg.get_possible_values();
        let values = match choices.len() {
            1..=FEW => {
                let choices: Vec<&str> = choices.iter().map(PossibleValue::get_name).collect();
                choices.join("|")
            }
            _ => arg.get_value_names().unwrap_or_default().join(" "),
        };
        let (open, close) = match arg.get_id().as_str() {
            _ if arg.is_required_set() => ("", ""),
            "files" => ("[", "]..."),
            _ => ("[", "]"),
        };
        let (flags, values) = (bold(flags.join("|")), italic(values));
        let shown = match (arg.is_positional(), has_values) {
            (true, _) => vec![values],
            (false, true) => vec![flags, roman(" "), values],
            (false, false) => vec![flags],
        };
        roff.text([vec![roman(open)], shown, vec![roman(close)]].concat());
    }
}

/// Writes a section. A line such as `  undo [N]  take back a move` becomes a term with its meaning,
/// and any other line a paragraph, which is broken up since lines of a page are to be short.
fn section(title: &str, text: &str, roff: &mut Roff) {
    roff.control("SH", [title]);
    for (number, line) in text.lines().enumerate() {
        let term = line.strip_prefix("  ").and_then(|line| line.split_once("  "));
        if let Some((term, meaning)) = term {
            roff.control("TP", []).text([bold(term)]).text([roman(meaning.trim_start())]);
            continue;
        }
        if number > 0 {
            roff.control("PP", []);
        }
        for part in line.split_inclusive("; ") {
            roff.text([roman(part.trim_end())]);
        }
    }
}
