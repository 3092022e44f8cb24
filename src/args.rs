//! The command line: its flags, what they ask for, and the pages written from them.

use std::env;
use std::ffi::OsStr;
use std::io::{self, IsTerminal, Write};
use std::iter;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[cfg(feature = "net")]
use crate::online::{Service, Visit};
use clap::builder::{PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser};
use clap::parser::ValueSource;
use clap::{
    Arg, ArgAction, Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum, ValueHint,
};
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, italic, roman};
use noughts::check::{ReportFormat, Request};
use noughts::command::{Coords, Diagram, RowOne, Seat, Size, overview};
use noughts::contest::{Entrant, Match, Openings, ParseEntrantError, Sprt, Terms, Who};
use noughts::limit::Limit;
use noughts::player::Kind;
use noughts::prove::Limits;
use noughts::records::{Defaults, Format as RecordFormat};
use noughts::reply::Format;
use noughts::session::Setup;
use noughts::shell::repl::Options;
use noughts::{Board, Game, Mark, Shape, ShapeError};

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

    /// Format of the replies
    #[arg(short, long, value_name = "text|json", value_parser = format(), default_value = "text")]
    #[arg(hide_possible_values = true)]
    format: Format,

    /// The board: 3 for 3 x 3, 6x7 for 6 rows and 7 columns [default: 3]
    #[arg(short, long, value_name = "N|ROWSxCOLS", value_hint = ValueHint::Other, allow_negative_numbers = true)]
    size: Option<Size>,

    /// Marks in a row that win [default: the shorter side]
    #[arg(short = 'k', long, value_name = "K", value_hint = ValueHint::Other, value_parser = whole, allow_negative_numbers = true)]
    win: Option<u64>,

    /// A line is exactly K: a longer run does not win
    #[arg(long)]
    exact: bool,

    #[arg(long, value_name = "PLAYER", value_parser = SitterParser, ignore_case = true)]
    #[arg(help = who(Mark::X), hide_possible_values = true)]
    x: Option<Sitter>,

    #[arg(long, value_name = "PLAYER", value_parser = SitterParser, ignore_case = true)]
    #[arg(help = who(Mark::O), hide_possible_values = true)]
    o: Option<Sitter>,

    /// Positions that a computer may search for a move [default: 500000]
    #[arg(long, value_name = "N", value_hint = ValueHint::Other, value_parser = whole, allow_negative_numbers = true)]
    #[arg(conflicts_with = "time")]
    nodes: Option<u64>,

    /// Seconds that a computer may take for a move
    #[arg(long, value_name = "SECS", value_hint = ValueHint::Other, value_parser = seconds, allow_negative_numbers = true)]
    time: Option<Duration>,

    /// The number that the moves of `random` and of levels follow from
    #[arg(long, value_name = "N", value_hint = ValueHint::Other, value_parser = whole, allow_negative_numbers = true)]
    #[arg(default_value_t = 0)]
    seed: u64,

    /// Names of squares in text: row and column, or h8
    #[arg(long, value_name = "numbers|letters", value_parser = coords(), default_value = "numbers")]
    #[arg(action = ArgAction::Set)]
    #[arg(hide_possible_values = true)]
    coords: bool,

    /// The edge where row 1 of letters is
    #[arg(long, value_name = "bottom|top", value_parser = row_one(), default_value = "bottom")]
    #[arg(hide_possible_values = true)]
    rows: RowOne,

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
    pub color: colorchoice_clap::Color,

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

    /// Convert records of games
    ///
    /// Reads games from the FILEs, or from standard input, and writes them in another
    /// format, in their order. What cannot be read is reported and left out.
    #[command(verbatim_doc_comment, after_help = format!("{FORMATS}\n\n{CONVERT_STATUS}"))]
    #[command(override_usage = "noughts convert --to <FMT>\n       [OPTIONS] [FILE]...")]
    Convert(Conversion),
    /// Run scripts and compare their replies with those expected
    ///
    /// Beside NAME.noughts, NAME.text and NAME.json hold the whole output in that
    /// format. In the script, `play 0 2  #= WIN` expects a result, and
    /// `#= OK: X at 0 2, O to move` a reply. A first line `# noughts --exact` sets
    /// flags. What differs is shown as a diff that `patch -p0` takes.
    #[command(verbatim_doc_comment, after_help = format!("Exit status:\n{TEST_STATUS}"))]
    Test(Tests),

    /// Play matches between players, and tell which is stronger
    ///
    /// Every two of the PLAYERs play N games, in pairs: one opening, both marks. Writes
    /// a line a game, then a table: the score, the difference in Elo with its 95 %
    /// error, and the likelihood of superiority (LOS).
    #[command(verbatim_doc_comment, after_help = format!("{PLAYERS}\n\nExit status:\n{MATCH_STATUS}"))]
    #[command(override_usage = "noughts match [OPTIONS]\n       <PLAYER> <PLAYER>...\n       \
                                noughts match --check <PLAYER>")]
    Match(Contest),

    /// Let people play each other over sockets
    ///
    /// Whoever connects types the commands of the prompt, and some more: `sit` takes a
    /// seat, and without one you watch; `help` lists them. Whatever writes lines can be
    /// a client. SIGTERM and Ctrl-C end the server.
    #[cfg(feature = "net")]
    #[command(verbatim_doc_comment, after_help = format!("Exit status:\n{SERVE_STATUS}"))]
    Serve(Service),

    /// Send lines to a server, and write its replies
    ///
    /// Ends once every line is answered. Where the connection is lost before that, the
    /// status is 2. The seat, the format and the game are asked for first, by lines
    /// such as `sit X`.
    #[cfg(feature = "net")]
    #[command(verbatim_doc_comment, after_help = format!("Exit status:\n{JOIN_STATUS}"))]
    #[command(override_usage = "noughts join [OPTIONS]\n       <ADDR> [GAME]")]
    Join(Visit),

    /// Prove the value of a board, or check a certificate
    ///
    /// Says whether X wins, and in how many moves, or whether it is a draw, and how far
    /// it is on standard error. With --certificate it writes what anyone can check.
    #[command(verbatim_doc_comment, after_help = format!("Exit status:\n{PROVE_STATUS}"))]
    #[command(
        override_usage = "noughts prove [OPTIONS] <SIZE> [K]\n       noughts prove --verify <FILE>"
    )]
    Prove(Proof),

    /// Write completions for a shell
    ///
    /// Writes on standard output what a shell needs to complete the command line.
    #[command(verbatim_doc_comment)]
    Completions {
        /// The shell: bash, elvish, fish, powershell or zsh
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

/// The flags of `convert`.
#[derive(Clone, clap::Args)]
pub struct Conversion {
    /// Format of the input, any but svg [default: by the ending of each FILE]
    #[arg(long, value_name = "FMT", value_parser = records(true), hide_possible_values = true)]
    pub from: Option<RecordFormat>,

    /// Format of the output: moves, letters, csv, jsonl, psq, sgf or svg
    #[arg(long, value_name = "FMT", value_parser = records(false), hide_possible_values = true)]
    pub to: RecordFormat,

    /// The board where a record does not say it: 15, 6x7 [default: 15]
    #[arg(short, long, value_name = "N|ROWSxCOLS", value_hint = ValueHint::Other, allow_negative_numbers = true)]
    size: Option<Size>,

    /// Marks in a row where a record does not say it [default: 5]
    #[arg(short = 'k', long, value_name = "K", value_hint = ValueHint::Other, value_parser = whole, allow_negative_numbers = true)]
    win: Option<u64>,

    /// A line is exactly K where a record does not say it
    #[arg(long)]
    exact: bool,

    /// Where row 1 of letters is: bottom or top [default: bottom]
    #[arg(long, value_name = "bottom|top", value_parser = row_one(), default_value = "bottom")]
    #[arg(hide_possible_values = true, hide_default_value = true)]
    rows: RowOne,

    /// Write each game to a file of its own in DIR
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub out: Option<PathBuf>,

    /// Records to read; `-` is standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub files: Vec<PathBuf>,
}

impl Conversion {
    /// The shape that is taken for granted where a record does not say it.
    pub fn defaults(&self) -> Defaults {
        Defaults { size: self.size, k: self.win, exact: self.exact, row_one: self.rows }
    }
}

/// The formats of records by name: those that can be read, or all.
fn records(is_read: bool) -> impl TypedValueParser<Value = RecordFormat> {
    let formats = RecordFormat::ALL.iter().copied().filter(move |f| f.is_read() || !is_read);
    let names = PossibleValuesParser::new(formats.map(RecordFormat::name));
    names.try_map(|name| {
        RecordFormat::ALL.iter().copied().find(|f| f.name() == name).ok_or("expected a format")
    })
}

fn row_one() -> impl TypedValueParser<Value = RowOne> {
    let names = PossibleValuesParser::new(["bottom", "top"]);
    names.map(|name| if name == "top" { RowOne::Top } else { RowOne::Bottom })
}

const FORMATS: &str = "\
Formats:
  moves    a noughts script, .noughts or .moves
  letters  a game a line, such as h8 i9, .letters or .txt
  csv      a game a row, .csv
  jsonl    a JSON object a game, .jsonl or .ndjson
  psq      Piskvork and the Gomocup archives, .psq
  sgf      Smart Game Format, .sgf
  svg      a picture of the final board, which is only written, .svg";

const CONVERT_STATUS: &str = "\
Exit status:
  0  every game was converted
  1  some game could not be, the others were
  2  wrong usage, or reading or writing failed";

/// The arguments of `noughts test`.
#[derive(Args, Clone)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag")]
pub struct Tests {
    /// Scripts, and folders of scripts NAME.noughts
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath, default_value = ".")]
    paths: Vec<PathBuf>,

    /// Write what the scripts got to where something else was expected
    #[arg(long, conflicts_with = "list")]
    bless: bool,

    /// Run the tests with TEXT in their paths alone
    #[arg(long, value_name = "TEXT", value_hint = ValueHint::Other)]
    filter: Option<String>,

    /// Scripts to run at once [default: as many as the machine has processors]
    #[arg(short, long, value_name = "N", value_hint = ValueHint::Other, value_parser = positive, allow_negative_numbers = true)]
    jobs: Option<NonZeroUsize>,

    /// End at the first test that fails
    #[arg(long)]
    fail_fast: bool,

    /// Format of the report
    #[arg(short, long, value_name = "text|tap|json", value_parser = report_format())]
    #[arg(default_value = "text", hide_possible_values = true)]
    format: ReportFormat,

    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    #[arg(help = "Write the report in JUnit's XML to FILE as well")]
    junit: Option<PathBuf>,

    /// List the tests, and run none
    #[arg(long)]
    list: bool,
}

impl From<Tests> for Request {
    fn from(tests: Tests) -> Self {
        let Tests { paths, bless, filter, jobs, fail_fast, format, junit, list } = tests;
        let is_terminal = io::stdout().is_terminal();
        Self { paths, filter, jobs, bless, fail_fast, list, format, junit, is_terminal }
    }
}

/// The arguments of `noughts match`.
#[derive(Args, Clone)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag")]
pub struct Contest {
    /// Computer players, or programs: cmd:COMMAND, gomocup:COMMAND
    #[arg(value_name = "PLAYER", value_hint = ValueHint::Other, required = true, value_parser = EntrantParser, hide_possible_values = true)]
    players: Vec<Entrant>,

    /// Games of each two players, an even number
    #[arg(short = 'n', long, value_name = "N", value_hint = ValueHint::Other, value_parser = whole, allow_negative_numbers = true)]
    #[arg(default_value_t = 100)]
    games: u64,

    /// The board: 3, 6x7 [default: that of the openings, or 3]
    #[arg(short, long, value_name = "N|ROWSxCOLS", value_hint = ValueHint::Other, allow_negative_numbers = true)]
    size: Option<Size>,

    /// Marks in a row that win [default: the shorter side]
    #[arg(short = 'k', long, value_name = "K", value_hint = ValueHint::Other, value_parser = whole, allow_negative_numbers = true)]
    win: Option<u64>,

    /// A line is exactly K: a longer run does not win
    #[arg(long)]
    exact: bool,

    /// Begin with the games of FILE, in order, each twice
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "random_opening")]
    pub openings: Option<PathBuf>,

    /// Begin with N random marks near the centre
    #[arg(long, value_name = "N", value_hint = ValueHint::Other, value_parser = number, allow_negative_numbers = true)]
    #[arg(default_value_t = 0, hide_default_value = true)]
    random_opening: usize,

    /// The number that openings and moves by chance follow from
    #[arg(long, value_name = "N", value_hint = ValueHint::Other, value_parser = whole, allow_negative_numbers = true)]
    #[arg(default_value_t = 0)]
    seed: u64,

    /// Seconds for a move [default: 60 for programs]
    #[arg(long, value_name = "SECS", value_hint = ValueHint::Other, value_parser = seconds, allow_negative_numbers = true)]
    time: Option<Duration>,

    /// Seconds for all moves of a program in a game
    #[arg(long, value_name = "SECS", value_hint = ValueHint::Other, value_parser = seconds, allow_negative_numbers = true)]
    match_time: Option<Duration>,

    /// Seconds by which a move may be late [default: 0]
    #[arg(long, value_name = "SECS", value_hint = ValueHint::Other, value_parser = seconds, allow_negative_numbers = true)]
    margin: Option<Duration>,

    /// Positions that a computer player may search for a move [default: 500000]
    #[arg(long, value_name = "N", value_hint = ValueHint::Other, value_parser = whole, allow_negative_numbers = true)]
    nodes: Option<u64>,

    /// Games to play at once
    #[arg(short, long, value_name = "N", value_hint = ValueHint::Other, value_parser = positive, allow_negative_numbers = true)]
    #[arg(default_value = "1")]
    jobs: NonZeroUsize,

    /// End once the first player is E0 or E1 Elo stronger, alpha = beta = 0.05
    #[arg(long, value_name = "E0,E1", value_hint = ValueHint::Other, allow_hyphen_values = true)]
    sprt: Option<Sprt>,

    /// Keep the games in FILE, a noughts script
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub record: Option<PathBuf>,

    /// Go on from the games that the record has
    #[arg(long, requires = "record")]
    pub resume: bool,

    /// Keep what programs write on standard error in DIR, a file a game
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    stderr: Option<PathBuf>,

    /// Format of the report
    #[arg(short, long, value_name = "text|json", value_parser = format(), default_value = "text")]
    #[arg(hide_possible_values = true)]
    format: Format,

    /// End at the first forfeit, with status 1
    #[arg(long)]
    strict: bool,

    /// Play one game against random, and tell what is wrong with PLAYER
    #[arg(long, conflicts_with_all = ["sprt", "record", "strict", "games", "jobs"])]
    pub check: bool,
}

impl Contest {
    /// The shape that is taken for granted where a record of openings does not say it.
    pub fn defaults(&self) -> Defaults {
        Defaults { size: self.size, k: self.win, exact: self.exact, row_one: RowOne::default() }
    }

    /// The shape of the board, and the openings on it, where no file has them.
    pub fn random_openings(&self) -> Result<(Openings, Shape), ShapeError> {
        let size = self.size.unwrap_or(Size::from(Shape::TIC_TAC_TOE));
        let shape = size.shape(self.win)?.with_exact(self.exact);
        Ok((Openings::Random { marks: self.random_opening, seed: self.seed }, shape))
    }

    /// The match with these openings. A program that is checked gets ten seconds for a move unless
    /// it is said: its author waits.
    pub fn request(&self, openings: Openings, shape: Shape) -> Result<Match, String> {
        let mut players = self.players.clone();
        let mut time = self.time;
        if self.check {
            if let count @ 2.. = players.len() {
                return Err(format!("--check is of one player: found {count}"));
            }
            players.extend("random".parse::<Entrant>());
            time = time.or(Some(Duration::from_secs(10)));
        }
        let terms = Terms {
            time,
            game_time: self.match_time,
            margin: self.margin.unwrap_or_default(),
            ..Terms::default()
        };
        Ok(Match {
            shape,
            players,
            games: self.games,
            openings,
            seed: self.seed,
            nodes: self.nodes,
            terms,
            sprt: self.sprt,
            strict: self.strict,
            jobs: self.jobs,
            stderr: self.stderr.clone(),
            is_json: self.format == Format::Json,
        })
    }
}

/// The arguments of `noughts prove`.
#[derive(Args, Clone)]
pub struct Proof {
    /// The board: 3 for 3 x 3, 6x7 for 6 rows and 7 columns, of up to 128 squares
    #[arg(value_name = "SIZE", value_hint = ValueHint::Other, required_unless_present = "verify")]
    size: Option<Size>,

    /// Marks in a row that win [default: the shorter side]
    #[arg(value_name = "K", value_hint = ValueHint::Other, value_parser = whole)]
    k: Option<u64>,

    /// A line is exactly K: a longer run does not win
    #[arg(long)]
    exact: bool,

    /// The position, such as X../.O./... [default: the empty board]
    #[arg(long, value_name = "DIAGRAM", value_hint = ValueHint::Other, allow_hyphen_values = true)]
    position: Option<Diagram>,

    /// Memory for the tables in GiB
    #[arg(long, value_name = "GIB", value_hint = ValueHint::Other, value_parser = positive, allow_negative_numbers = true)]
    #[arg(default_value = "1")]
    memory: NonZeroUsize,

    /// Seconds after which it ends with what is known
    #[arg(long, value_name = "SECS", value_hint = ValueHint::Other, value_parser = seconds, allow_negative_numbers = true)]
    time: Option<Duration>,

    /// Write the proof to FILE, which must be new
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub certificate: Option<PathBuf>,

    /// Check the certificate in FILE
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    #[arg(conflicts_with_all = ["size", "k", "exact", "position", "memory", "time", "certificate"])]
    pub verify: Option<PathBuf>,

    /// Format of the answer
    #[arg(short, long, value_name = "text|json", value_parser = format(), default_value = "text")]
    #[arg(hide_possible_values = true)]
    pub format: Format,
}

impl Proof {
    /// The game whose value is asked for.
    pub fn game(&self) -> Result<Game, String> {
        let size = self.size.unwrap_or(Size::from(Shape::TIC_TAC_TOE));
        let shape = size.shape(self.k).map_err(|error| error.to_string())?;
        let shape = shape.with_exact(self.exact);
        let mut board = Board::new(shape);
        if let Some(diagram) = &self.position {
            let found = diagram.size().map_err(|error| error.to_string())?;
            if found != size {
                return Err(format!("--position: found {found}, expected {size}"));
            }
            for (square, mark) in diagram.marks() {
                board.place(square, mark).map_err(|error| error.to_string())?;
            }
        }
        Game::from_position(board).map_err(|error| format!("--position: {error}"))
    }

    pub fn limits(&self) -> Limits {
        Limits { bytes: self.memory.get().saturating_mul(1 << 30), time: self.time }
    }
}

const PROVE_STATUS: &str = "\
\x20 0  proved, or verified
  1  not proved within the limits
  2  wrong usage, a file that cannot be used, or a certificate that does not hold";

const PLAYERS: &str = "\
Players:
  random, rules, minimax, level1 to level8, best
  cmd:COMMAND       a program that answers a line with a square
  gomocup:COMMAND   a program that speaks the Gomocup protocol
  name=NAME,PLAYER  a player by this name
  time=SECS,PLAYER  a player with another time for a move";

const MATCH_STATUS: &str = "\
\x20 0  the match was played
  1  a player forfeited a game, with --strict or --check
  2  wrong usage, a program that cannot be started, or reading or writing failed";

/// Parses the flags that a script of `noughts test` has in its first line: `# noughts --exact`. Any
/// other line has none.
pub fn flags_of_script(line: &str) -> Result<(Setup, Options), String> {
    const NEVER: [(&str, &str); 5] = [
        ("format", "--format follows from the file with the expected replies"),
        ("time", "--time is another number of positions on each machine: expected --nodes"),
        ("journal", "a test keeps no --journal"),
        ("files", "expected flags alone"),
        ("sync", "a test keeps no --journal to --sync"),
    ];
    let flags = line.strip_prefix("# noughts").unwrap_or_default();
    let is_flags = flags.starts_with([' ', '\t']) && flags.trim_start().starts_with('-');
    let words = flags.split_whitespace().filter(|_| is_flags);
    // After what is wrong, and what would be right, clap tells of the usage.
    let parsed = Arguments::command().try_get_matches_from(iter::once("noughts").chain(words));
    let matches = parsed.map_err(|error| match error.to_string() {
        text if error.use_stderr() => {
            let (text, _) = text.split_once("\nUsage:").unwrap_or((&text, ""));
            let (text, _) = text.split_once("\nFor more").unwrap_or((text, ""));
            let lines = text.strip_prefix("error: ").unwrap_or(text).lines();
            let lines: Vec<&str> = lines.map(str::trim).filter(|line| !line.is_empty()).collect();
            lines.join("; ")
        }
        _ => "expected flags of a game".to_owned(),
    })?;
    for (id, message) in NEVER {
        if matches.value_source(id) == Some(ValueSource::CommandLine) {
            return Err(message.to_owned());
        }
    }
    let arguments = Arguments::from_arg_matches(&matches).map_err(|error| error.to_string())?;
    if let Some((_, entrant)) = arguments.programs().next() {
        let name = entrant.name();
        return Err(format!(
            "a test starts no program: found {name:?}, expected a computer player"
        ));
    }
    match arguments.task {
        Some(_) => Err("expected flags alone".to_owned()),
        None => Ok((arguments.setup(), arguments.options())),
    }
}

const TEST_STATUS: &str = "\
\x20 0  all tests passed
  1  some test failed
  2  wrong usage, no test, or reading or writing failed";

#[cfg(feature = "net")]
const SERVE_STATUS: &str = "\
\x20 0  a signal ended the server
  2  wrong usage, or listening or keeping the journal failed";

#[cfg(feature = "net")]
const JOIN_STATUS: &str = "\
\x20 0  every line was understood
  1  some line was not understood, or --strict stopped
  2  wrong usage, or the connection was lost";

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
  noughts --o cmd:./bot            play X against a program of your own
  noughts --size 15 --win 5        gomoku
  noughts --journal game.log       play, and go on another time
  noughts --format json game.txt   judge a script, one JSON object a reply
  printf '0 0\\n1 1\\n' | noughts    judge moves from a pipe";

pub fn format() -> impl TypedValueParser<Value = Format> {
    let names = PossibleValuesParser::new(["text", "json"]);
    names.map(|name| if name == "json" { Format::Json } else { Format::Text })
}

fn coords() -> impl TypedValueParser<Value = bool> {
    PossibleValuesParser::new(["numbers", "letters"]).map(|name| name == "letters")
}

/// Whoever a flag puts on a seat.
#[derive(Clone)]
enum Sitter {
    Seat(Seat),
    Program(Box<Entrant>),
}

/// A parser of players, so that completions list those with names.
#[derive(Clone)]
struct SitterParser;

impl TypedValueParser for SitterParser {
    type Value = Sitter;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Sitter, clap::Error> {
        let is_entrant = value.as_encoded_bytes().iter().any(|byte| b":=".contains(byte));
        if is_entrant {
            return StringValueParser::new()
                .try_map(|text| program(&text))
                .parse_ref(command, arg, value);
        }
        let names = PossibleValuesParser::new(names_of_seats());
        let seats = names.try_map(|name| name.parse().map(Sitter::Seat));
        seats.parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(names_of_seats().map(PossibleValue::new)))
    }
}

fn names_of_seats() -> impl Iterator<Item = &'static str> {
    iter::once("human").chain(Kind::ALL.iter().map(|kind| kind.name()))
}

fn program(text: &str) -> Result<Sitter, String> {
    let entrant: Entrant = text.parse().map_err(|error: ParseEntrantError| error.to_string())?;
    match entrant.who {
        Who::Program(_) => Ok(Sitter::Program(Box::new(entrant))),
        Who::Computer(_) => Err("a computer player on a seat takes no options".to_owned()),
    }
}

fn who(mark: Mark) -> String {
    format!("Player {mark}: random, rules, minimax, level1-8, best, cmd:PROGRAM [default: human]")
}

fn report_format() -> impl TypedValueParser<Value = ReportFormat> {
    let names = PossibleValuesParser::new(["text", "tap", "json"]);
    names.map(|name| match name.as_str() {
        "tap" => ReportFormat::Tap,
        "json" => ReportFormat::Json,
        _ => ReportFormat::Text,
    })
}

pub fn positive(word: &str) -> Result<NonZeroUsize, &'static str> {
    word.parse().map_err(|_| "expected a whole number from 1")
}

/// A parser of the players of a match, so that completions list those with names.
#[derive(Clone)]
struct EntrantParser;

impl TypedValueParser for EntrantParser {
    type Value = Entrant;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Entrant, clap::Error> {
        let entrants = StringValueParser::new().try_map(|text| text.parse::<Entrant>());
        entrants.parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(Kind::ALL.iter().map(|kind| PossibleValue::new(kind.name()))))
    }
}

fn number(word: &str) -> Result<usize, &'static str> {
    word.parse().map_err(|_| "expected a whole number from 0")
}

pub fn whole(word: &str) -> Result<u64, &'static str> {
    word.parse().map_err(|_| "expected a whole number from 0, of at most 64 bits")
}

pub fn seconds(word: &str) -> Result<Duration, &'static str> {
    let seconds = word.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or("expected seconds, such as 0.5")
}

fn subcommand(name: &str) -> Result<String, String> {
    let program = Arguments::command();
    let names: Vec<&str> = program.get_subcommands().map(clap::Command::get_name).collect();
    let expected = || format!("expected one of {}", names.join(", "));
    names.contains(&name).then(|| name.to_owned()).ok_or_else(expected)
}

impl Sitter {
    fn seat(&self) -> Option<Seat> {
        match self {
            Self::Seat(seat) => Some(seat.clone()),
            Self::Program(_) => None,
        }
    }
}

impl Arguments {
    /// The task that is named, by a subcommand or by the name of the program.
    pub fn task(&self) -> Option<Task> {
        self.task.clone().or(is_called_as_a_brain().then_some(Task::Gomocup))
    }

    /// The scripts to run, in order. `None` is standard input because no FILE was named.
    pub fn scripts(&self) -> Vec<Option<&Path>> {
        let named = self.files.iter().map(|file| Some(file.as_path()));
        named.chain(self.files.is_empty().then_some(None)).collect()
    }

    /// The options of each conversation.
    pub fn options(&self) -> Options {
        Options { format: self.format, strict: self.strict, echo: self.echo }
    }

    /// The programs to put on the seats.
    pub fn programs(&self) -> impl Iterator<Item = (Mark, &Entrant)> {
        let sitters = [(Mark::X, &self.x), (Mark::O, &self.o)];
        sitters.into_iter().filter_map(|(mark, sitter)| match sitter {
            Some(Sitter::Program(entrant)) => Some((mark, &**entrant)),
            _ => None,
        })
    }

    /// The terms on which a program plays: the time is its own or, without one, that of all.
    pub fn terms(&self, entrant: &Entrant) -> Terms {
        let time = entrant.time.or(self.time);
        Terms { time, row_one: self.rows, ..Terms::default() }
    }

    /// The setup of each session, where the seats of programs are left to humans.
    pub fn setup(&self) -> Setup {
        Setup {
            size: self.size,
            win: self.win,
            exact: self.exact,
            x: self.x.as_ref().and_then(Sitter::seat),
            o: self.o.as_ref().and_then(Sitter::seat),
            limit: self.time.map(Limit::Time).or(self.nodes.map(Limit::Nodes)).unwrap_or_default(),
            seed: self.seed,
            coords: Coords { has_letters: self.coords, row_one: self.rows },
        }
    }
}

/// Tells whether the program is called `pbrain-something` and has no arguments: so gomoku managers
/// start the players that speak their protocol.
fn is_called_as_a_brain() -> bool {
    let mut words = env::args_os().map(PathBuf::from);
    let program = words.next().unwrap_or_default();
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with("pbrain-") && words.next().is_none()
}

/// Writes the completions for a shell on standard output.
pub fn completions(shell: Shell) -> io::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "noughts", &mut script);
    if shell == Shell::Fish {
        // The generator's script knows no values of positionals, and takes a flag whose value is
        // being typed for a subcommand.
        let text = String::from_utf8_lossy(&script).replace("    or return\n", "    or return 0\n");
        let shells: Vec<String> = Shell::value_variants().iter().map(Shell::to_string).collect();
        script = text.into_bytes();
        writeln!(
            script,
            "complete -c noughts -n \"__fish_noughts_using_subcommand completions\" -f -a \"{}\"",
            shells.join(" ")
        )?;
    }
    io::stdout().write_all(&script)
}

/// The day on which the manual last changed.
const MANUAL_DATE: &str = "2026-12-01";

/// Writes the manual page of the program, or of a subcommand, on standard output.
pub fn man(subcommand: Option<&str>) -> io::Result<()> {
    let mut program = Arguments::command().bin_name("noughts").disable_help_subcommand(true);
    program = program.mut_arg("color", |arg| arg.value_name("auto|always|never"));
    program.build();
    let found = subcommand.and_then(|name| program.find_subcommand(name));
    let command = found.unwrap_or(&program);
    let page = Man::new(command.clone())
        .title(command.get_display_name().unwrap_or("noughts").to_uppercase())
        .date(MANUAL_DATE)
        .source(concat!("noughts ", env!("CARGO_PKG_VERSION")))
        .manual("Games");

    let mut synopsis = Roff::new();
    synopsis.control("SH", ["SYNOPSIS"]);
    usage(command, &mut synopsis);
    for task in command.get_subcommands() {
        synopsis.control("br", []);
        usage(task, &mut synopsis);
    }
    let mut out = Vec::new();
    page.render_title(&mut out)?;
    page.render_name_section(&mut out)?;
    synopsis.to_writer(&mut out)?;
    page.render_description_section(&mut out)?;
    page.render_options_section(&mut out)?;
    let mut rest = Roff::new();
    if found.is_none() {
        page.render_subcommands_section(&mut out)?;
        section("COMMANDS", &overview(), &mut rest);
        section("FILES", FILES, &mut rest);
        section("EXIT STATUS", EXIT_STATUS, &mut rest);
        section("EXAMPLES", EXAMPLES, &mut rest);
    } else {
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        for (title, text) in help.split("\n\n").filter_map(|part| part.split_once(":\n")) {
            section(&title.to_uppercase(), text, &mut rest);
        }
        rest.control("SH", ["SEE ALSO"]).text([bold("noughts"), roman("(1)")]);
    }
    rest.to_writer(&mut out)?;
    io::stdout().write_all(&out)
}

/// Writes a command and its arguments, one a line.
fn usage(command: &clap::Command, roff: &mut Roff) {
    roff.text([bold(command.get_bin_name().unwrap_or_default())]);
    for arg in command.get_arguments() {
        let long = arg.get_long().filter(|long| !["help", "version"].contains(long));
        let Some(long) = long else { continue };
        let short = arg.get_short().map(|short| format!("-{short}|")).unwrap_or_default();
        let mut flag = vec![roman("["), bold(format!("{short}--{long}"))];
        if arg.get_action().takes_values() {
            let names = arg.get_value_names().unwrap_or_default();
            flag.extend([roman(" "), italic(names.join(" "))]);
        }
        flag.push(roman("]"));
        roff.text(flag);
    }
    for arg in command.get_positionals() {
        roff.text([italic(arg.to_string())]);
    }
}

/// Writes a section. A line such as `  undo [N]  take back a move` becomes a term with its meaning,
/// and any other line a paragraph, which is broken up since lines of a page are to be short.
fn section(title: &str, text: &str, roff: &mut Roff) {
    roff.control("SH", [title]);
    for (number, line) in text.lines().enumerate() {
        if let Some((term, meaning)) = line.trim_start().split_once("  ") {
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
