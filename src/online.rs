//! `noughts serve` and `noughts join`: their flags, and what they start.

use std::error::Error;
use std::io::{self, IsTerminal, Read, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

use clap::ValueHint;
use noughts::command::{Name, Size};
use noughts::hall::{Hall, MAX_SIDE};
use noughts::limit::Limit;
use noughts::net::{self, Address, JoinError, ServeError, join, serve};
use noughts::reply::Format;
use noughts::session::{Session, Setup};
use noughts::shell::repl::{Options, Status};
use noughts::shell::{journal_file, printable};

use crate::args::{format, positive, seconds, whole};

/// The flags of `serve`.
#[derive(Clone, clap::Args)]
pub struct Service {
    /// Keep the games in FILE, and go on from it
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    journal: Option<PathBuf>,

    /// Wait for the disk before a change is answered; with --journal
    #[arg(long, requires = "journal")]
    sync: bool,

    /// The board of a new game, to 32 x 32: 15, 6x7 [default: 3]
    #[arg(short, long, value_name = "N|ROWSxCOLS", value_hint = ValueHint::Other, allow_negative_numbers = true)]
    size: Option<Size>,

    /// Marks in a row that win [default: the shorter side]
    #[arg(short = 'k', long, value_name = "K", value_hint = ValueHint::Other, value_parser = whole, allow_negative_numbers = true)]
    win: Option<u64>,

    /// A line is exactly K: a longer run does not win
    #[arg(long)]
    exact: bool,

    /// Positions that a computer may search for a move
    #[arg(long, value_name = "N", value_hint = ValueHint::Other, value_parser = whole, allow_negative_numbers = true)]
    #[arg(default_value_t = Limit::DEFAULT_NODES)]
    nodes: u64,

    /// The number that the moves of `random` and of levels follow from
    #[arg(long, value_name = "N", value_hint = ValueHint::Other, value_parser = whole, allow_negative_numbers = true)]
    #[arg(default_value_t = 0)]
    seed: u64,

    /// The most connections at once
    #[arg(long, value_name = "N", value_hint = ValueHint::Other, value_parser = positive, default_value = "1000")]
    connections: NonZeroUsize,

    /// Threads that search for computers [default: a core less than there are]
    #[arg(long, value_name = "N", value_hint = ValueHint::Other, value_parser = positive)]
    threads: Option<NonZeroUsize>,

    /// Seconds that an absent player keeps a seat
    #[arg(long, value_name = "SECS", value_hint = ValueHint::Other, value_parser = seconds, default_value = "3600")]
    hold: Duration,

    /// Write numbers on standard error every so many seconds
    #[arg(long, value_name = "SECS", value_hint = ValueHint::Other, value_parser = seconds)]
    stats: Option<Duration>,

    /// Tell of connections on standard error
    #[arg(short, long)]
    verbose: bool,

    #[arg(
        help = "HOST:PORT, or the path of a Unix socket [default: $XDG_RUNTIME_DIR/noughts.sock]"
    )]
    #[arg(value_name = "ADDR", value_hint = ValueHint::AnyPath)]
    address: Option<Address>,
}

/// The flags of `join`.
#[derive(Clone, clap::Args)]
pub struct Visit {
    /// Take a seat first: X, O or any, or none to watch
    #[arg(long = "as", value_name = "X|O|any|watch", value_parser = ["X", "O", "any", "watch"], ignore_case = true)]
    #[arg(default_value = "watch", hide_possible_values = true)]
    seat: String,

    /// Format of the replies
    #[arg(short, long, value_name = "text|json", value_parser = format(), default_value = "text")]
    #[arg(hide_possible_values = true)]
    format: Format,

    /// Write each command before its reply, as `> play 0 2`
    #[arg(long)]
    echo: bool,

    /// Stop at the first reply that is not OK, WIN or DRAW
    #[arg(long)]
    strict: bool,

    /// HOST:PORT, or the path of a Unix socket
    #[arg(value_name = "ADDR", value_hint = ValueHint::AnyPath)]
    address: Address,

    /// The game to go to [default: main]
    #[arg(value_name = "GAME", value_hint = ValueHint::Other)]
    game: Option<Name>,
}

impl Visit {
    /// Talks to the server, for standard input and output.
    pub fn run(
        &self,
        input: impl Read + Send + 'static,
        out: impl Write,
    ) -> Result<Status, JoinError> {
        let seat = match self.seat.to_ascii_lowercase().as_str() {
            "watch" => None,
            "any" => Some("sit".to_owned()),
            mark => Some(format!("sit {mark}")),
        };
        let first = [
            // The first line may tell a balancer which server has the game.
            self.game.as_ref().map(|game| format!("game {game}")),
            (self.format == Format::Json).then(|| "format json".to_owned()),
            seat,
        ];
        let first: Vec<String> = first.into_iter().flatten().collect();
        let options = Options { format: self.format, strict: self.strict, echo: self.echo };
        join(&self.address, &first, input, out, io::stdout().is_terminal(), options)
    }
}

/// The address that is named, or the usual one.
fn address(named: Option<&Address>) -> Result<Address, &'static str> {
    let missing = "XDG_RUNTIME_DIR is not set: expected HOST:PORT or the path of a Unix socket";
    named.cloned().or_else(Address::usual).ok_or(missing)
}

impl Service {
    /// Serves games until a signal ends it. `warn` says what is worth knowing.
    pub fn run(&self, warn: fn(&dyn std::fmt::Display)) -> Result<(), Box<dyn Error>> {
        let address = address(self.address.as_ref())?;
        let limit = Limit::Nodes(self.nodes);
        let setup = Setup {
            size: self.size,
            win: self.win,
            exact: self.exact,
            limit,
            seed: self.seed,
            ..Setup::default()
        };
        let shape = setup.shape()?;
        if u64::from(shape.rows().max(shape.cols())) > MAX_SIDE {
            let size = Size::from(shape);
            return Err(format!("found --size {size}, expected sides to {MAX_SIDE}").into());
        }
        let (session, journal) = match &self.journal {
            None => (Session::new(&setup)?, None),
            Some(path) => {
                // A limit of the file's size is an error of writing, and no silent death.
                #[cfg(unix)]
                signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default())?;
                let (session, journal) = journal_file::open_by_name(path, &setup, self.sync, warn)?;
                (session, Some(journal))
            }
        };
        let cores = available_parallelism().map_or(1, NonZeroUsize::get);
        let options = net::Options {
            address,
            connections: self.connections.get(),
            threads: self.threads.map_or(cores.saturating_sub(1).max(1), NonZeroUsize::get),
            limit,
            seed: self.seed,
            stats: self.stats,
            is_verbose: self.verbose,
            journal: self.journal.clone(),
        };
        serve(Hall::new(session, journal, self.hold), &options).map_err(|error| match error {
            ServeError::Keep(_) => {
                let name = self.journal.as_ref().map(printable).unwrap_or_default();
                format!("{name}: {error}").into()
            }
            error => error.into(),
        })
    }
}
