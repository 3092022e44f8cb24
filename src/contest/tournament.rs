//! The match: which game is whose, and the games, several at once, told in their order.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use super::openings::NoOpening;
use super::record::{RecordError, RecordFile};
use super::report::Report;
use super::{Entrant, Openings, Processes, Sprt, StartError, Terms, Who};
use crate::game::{Game, Mark, Outcome, Refusal, Shape};
use crate::limit::Limit;
use crate::player::{Best, ChooseError, Forfeit, Kind, Level, Minimax, Player, Random, Rules};
use crate::search::mix;
use crate::shell::printable;

/// A match: every two of the players play as many games, in pairs of games, both with the same
/// opening and with changed marks.
#[derive(Clone, Debug)]
pub struct Match {
    pub shape: Shape,
    /// The players: two at least, each with a name of its own.
    pub players: Vec<Entrant>,
    /// The games of each two players, an even number.
    pub games: u64,
    pub openings: Openings,
    /// The number from which moves by chance of computer players follow.
    pub seed: u64,
    /// The positions that a computer player may search for a move.
    pub nodes: Option<u64>,
    /// The time of a move and of a game.
    pub terms: Terms,
    /// The test that ends the match of two players early.
    pub sprt: Option<Sprt>,
    /// Ends the match at the first forfeit.
    pub strict: bool,
    /// The games that are played at once.
    pub jobs: NonZeroUsize,
    /// The folder for what programs write on standard error, a file a game and player.
    pub stderr: Option<PathBuf>,
    /// Tells of games and of the table as JSON, an object a line.
    pub is_json: bool,
}

/// A game of a match, before it is played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Fixture {
    /// The number of the game, from 0.
    pub index: u64,
    /// The number of the opening, from 0.
    pub opening: u64,
    /// The two players, by the place of their pairing in the list of all, and whether the second of
    /// them has X.
    pub pairing: usize,
    pub is_changed: bool,
    /// The players of X and O, by their places in the match.
    pub players: [usize; 2],
}

impl Fixture {
    pub const fn player_of(&self, mark: Mark) -> usize {
        let [x, o] = self.players;
        if let Mark::X = mark { x } else { o }
    }
}

/// A game that was played.
#[derive(Debug)]
pub(super) struct Played {
    pub fixture: Fixture,
    pub game: Game,
    /// The marks of the opening.
    pub opening: usize,
    /// What the side to move did, where that lost the game.
    pub forfeit: Option<Forfeit>,
}

impl Played {
    /// Returns the end of the game, by its moves or by a forfeit. Every game has one.
    pub fn outcome(&self) -> Outcome {
        let forfeited = self.game.turn().map(|loser| Outcome::Won(loser.other()));
        self.game.outcome().or(forfeited).unwrap_or(Outcome::Drawn)
    }

    /// Returns the halves of a point of the first player of the pairing.
    pub fn halves(&self) -> usize {
        let first = if self.fixture.is_changed { Mark::O } else { Mark::X };
        match self.outcome() {
            Outcome::Drawn => 1,
            Outcome::Won(mark) if mark == first => 2,
            Outcome::Won(_) => 0,
        }
    }
}

/// The end of a match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// All games were played, or a test was decided.
    Played,
    /// A forfeit ended the strict match.
    Forfeited,
    /// It was stopped.
    Stopped,
}

/// The error of a match that cannot be played.
#[derive(Debug)]
pub enum MatchError {
    /// Fewer than two players.
    TooFew(usize),
    /// Two players with this name.
    SameName(String),
    /// So many games, which are no pairs.
    Odd(u64),
    /// A test of so many players.
    SprtOfMany(usize),
    /// The openings are none.
    Opening(NoOpening),
    /// The program cannot be started.
    Start(String, StartError),
    /// A player does not play on the board.
    Choose(ChooseError),
    /// A computer player made a move that the game refuses.
    Refused(String, Refusal),
    /// The record cannot be read or written.
    Record(RecordError),
    /// The file cannot be written.
    File(PathBuf, io::Error),
    /// The report cannot be written.
    Write(io::Error),
    /// A thread cannot be started.
    Thread(io::Error),
}

impl fmt::Display for MatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooFew(count) => write!(f, "found {count} player, expected two or more"),
            Self::SameName(name) => {
                write!(
                    f,
                    "two players are called {name}: expected another name for one of them, "
                )?;
                f.write_str("such as name=NAME,PLAYER")
            }
            Self::Odd(games) => write!(
                f,
                "found {games} games, expected an even number: each opening is played twice, with \
                 changed marks"
            ),
            Self::SprtOfMany(count) => write!(f, "--sprt compares two players: found {count}"),
            Self::Opening(error) => error.fmt(f),
            // Its sentence begins with the name.
            Self::Start(_, error @ StartError::Unfit(_)) => error.fmt(f),
            Self::Start(name, error) => write!(f, "{name}: {error}"),
            Self::Choose(error) => error.fmt(f),
            Self::Refused(name, refusal) => write!(f, "{name}: {refusal}"),
            Self::Record(error) => error.fmt(f),
            Self::File(path, error) => write!(f, "{}: {error}", printable(path)),
            Self::Write(error) => write!(f, "standard output: {error}"),
            Self::Thread(error) => write!(f, "cannot start a thread: {error}"),
        }
    }
}

impl Error for MatchError {}

impl From<RecordError> for MatchError {
    fn from(error: RecordError) -> Self {
        Self::Record(error)
    }
}

/// The most games that wait to be told while an earlier one is played.
const LEAD: u64 = 10_000;

/// The stack of a thread that plays, as large as that of the program.
const STACK: usize = 8 << 20;

impl Match {
    /// Checks that the match can be played: that there are pairs of games of players with names of
    /// their own, openings, and programs that start, unless `stops` answers true meanwhile.
    ///
    /// # Errors
    ///
    /// [`MatchError`].
    pub fn check(&self, processes: &Processes, stops: impl Fn() -> bool) -> Result<(), MatchError> {
        let names = self.names();
        if names.len() < 2 {
            return Err(MatchError::TooFew(names.len()));
        }
        for (at, name) in names.iter().enumerate() {
            if names.iter().skip(at + 1).any(|other| other == name) {
                return Err(MatchError::SameName(name.clone()));
            }
        }
        if !self.games.is_multiple_of(2) {
            return Err(MatchError::Odd(self.games));
        }
        if self.sprt.is_some() && names.len() != 2 {
            return Err(MatchError::SprtOfMany(names.len()));
        }
        let most = self.openings.count().unwrap_or(1).min(self.games / 2);
        for nth in 0..most {
            let board = self.openings.nth(self.shape, nth).map_err(MatchError::Opening)?;
            let free = self.shape.squares() - board.moves().len();
            let searches_all = |player: &Entrant| player.who == Who::Computer(Kind::Minimax);
            if self.players.iter().any(searches_all) && free > Minimax::MOST_FREE {
                return Err(MatchError::Choose(ChooseError::TooManyForMinimax(free)));
            }
        }
        for player in &self.players {
            if let Who::Program(program) = &player.who {
                let terms = self.terms_of(player);
                let started = program.start(player.name(), self.shape, terms, processes, &stops);
                match started {
                    Ok(_) | Err(StartError::Stopped) => {}
                    Err(error) => return Err(MatchError::Start(player.name(), error)),
                }
            }
        }
        Ok(())
    }

    /// Returns the names of the players.
    pub(super) fn names(&self) -> Vec<String> {
        self.players.iter().map(Entrant::name).collect()
    }

    /// Lists each two of the players, by their places.
    pub(super) fn pairings(&self) -> Vec<[usize; 2]> {
        let count = self.players.len();
        (0..count).flat_map(|first| (first + 1..count).map(move |second| [first, second])).collect()
    }

    /// Returns the number of all games.
    pub(super) fn total(&self) -> u64 {
        self.games.saturating_mul(self.pairings().len() as u64)
    }

    /// Returns the game with this number, from 0. In each round every two players play a pair of
    /// games, so that all have played about as much when a match is stopped.
    pub(super) fn fixture(&self, index: u64) -> Option<Fixture> {
        let pairings = self.pairings();
        let pair = index / 2;
        let count = pairings.len().max(1) as u64;
        let pairing = usize::try_from(pair % count).unwrap_or_default();
        let mut players = *pairings.get(pairing).filter(|_| index < self.total())?;
        let is_changed = !index.is_multiple_of(2);
        if is_changed {
            players.reverse();
        }
        Some(Fixture { index, opening: pair / count, pairing, is_changed, players })
    }

    /// Returns the terms on which a program plays.
    fn terms_of(&self, player: &Entrant) -> Terms {
        Terms { time: player.time.or(self.terms.time), ..self.terms.clone() }
    }

    /// Returns the limit of a computer player for a move.
    fn limit_of(&self, player: &Entrant) -> Limit {
        let nodes = self.nodes.map(Limit::Nodes);
        let time = self.terms.time.map(Limit::Time);
        player.time.map(Limit::Time).or(nodes).or(time).unwrap_or_default()
    }

    /// Plays the games after those that the record has, and reports them on `out` in order, then
    /// the table of all. Games go on until `stops` answers true.
    ///
    /// # Errors
    ///
    /// [`MatchError`] where a program cannot be started, or a file not be written. A reader of
    /// `out` that goes away ends the match and is no error.
    pub fn run(
        &self,
        mut record: Option<RecordFile>,
        processes: &Processes,
        stops: impl Fn() -> bool + Clone + Send + 'static,
        out: impl Write,
    ) -> Result<Ending, MatchError> {
        if let Some(folder) = &self.stderr {
            let failed = |error| MatchError::File(folder.clone(), error);
            fs::create_dir_all(folder).map_err(failed)?;
        }
        let mut report = Report::new(self, out);
        let mut ending = None;
        let mut count = 0;
        for played in record.as_mut().map(RecordFile::take_games).unwrap_or_default() {
            if ending.is_some() {
                break;
            }
            report.count(&played);
            ending = self.ending_after(&played, &report);
            count += 1;
        }
        let (next, told) = (AtomicU64::new(count), AtomicU64::new(count));
        let is_over = Arc::new(AtomicBool::new(ending.is_some()));
        let (sender, games) = mpsc::channel();
        let ending = thread::scope(|scope| {
            for _ in 0..self.total().min(self.jobs.get() as u64) {
                let (sender, next, told) = (sender.clone(), &next, &told);
                let ends = Arc::clone(&is_over);
                let stops = stops.clone();
                let stops = move || ends.load(Relaxed) || stops();
                let work = move || {
                    let mut seats = Seats::new(self, processes);
                    while !stops() {
                        let index = next.fetch_add(1, Relaxed);
                        let Some(fixture) = self.fixture(index) else { break };
                        while index >= told.load(Relaxed) + LEAD && !stops() {
                            thread::sleep(Duration::from_millis(1));
                        }
                        let played = seats.play(fixture, &stops);
                        if sender.send((index, played)).is_err() {
                            break;
                        }
                    }
                };
                if let Err(error) =
                    thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work)
                {
                    is_over.store(true, Relaxed);
                    return Err(MatchError::Thread(error));
                }
            }
            drop(sender);
            let ending = self.tell(&told, &games, &mut report, record.as_mut(), ending, &is_over);
            is_over.store(true, Relaxed);
            ending
        })?;
        match report.end().map(|()| ending) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(ending),
            written => written.map_err(MatchError::Write),
        }
    }

    /// Tells of the games in order, while they come in as they end. So many were `told` before.
    fn tell(
        &self,
        told: &AtomicU64,
        games: &Receiver<(u64, Result<Option<Played>, MatchError>)>,
        report: &mut Report<'_, impl Write>,
        mut record: Option<&mut RecordFile>,
        mut ending: Option<Ending>,
        is_over: &AtomicBool,
    ) -> Result<Ending, MatchError> {
        let mut early = BTreeMap::new();
        let mut next = told.load(Relaxed);
        for (index, played) in games {
            early.insert(index, played);
            while ending.is_none()
                && let Some(played) = early.remove(&next)
            {
                // A game that was stopped leaves a gap, which ends the match.
                let Some(played) = played? else { break };
                if let Some(record) = &mut record {
                    record.append(&played)?;
                }
                match report.add(&played) {
                    Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                        ending = Some(Ending::Stopped);
                    }
                    written => written.map_err(MatchError::Write)?,
                }
                ending = ending.or_else(|| self.ending_after(&played, report));
                is_over.fetch_or(ending.is_some(), Relaxed);
                next += 1;
                told.store(next, Relaxed);
            }
        }
        let is_whole = next >= self.total();
        Ok(ending.unwrap_or(if is_whole { Ending::Played } else { Ending::Stopped }))
    }

    /// Returns the end of the match where this game, the last one told, is it.
    fn ending_after(&self, played: &Played, report: &Report<'_, impl Write>) -> Option<Ending> {
        if self.strict && played.forfeit.is_some() {
            Some(Ending::Forfeited)
        } else if report.is_decided() {
            Some(Ending::Played)
        } else {
            None
        }
    }
}

/// A player, and what it may spend on a move.
type Seated = (Limit, Box<dyn Player>);

/// The players of one thread.
pub(super) struct Seats<'a> {
    contest: &'a Match,
    processes: &'a Processes,
    /// The programs that run, by the places of their players. They stay from game to game.
    programs: Vec<Option<Box<dyn Player>>>,
}

impl<'a> Seats<'a> {
    pub fn new(contest: &'a Match, processes: &'a Processes) -> Self {
        let programs = contest.players.iter().map(|_| None).collect();
        Self { contest, processes, programs }
    }

    /// Plays a game: `None` where `stops` ended it.
    pub fn play(
        &mut self,
        fixture: Fixture,
        stops: &impl Fn() -> bool,
    ) -> Result<Option<Played>, MatchError> {
        let Match { shape, openings, .. } = self.contest;
        let mut game = openings.nth(*shape, fixture.opening).map_err(MatchError::Opening)?;
        let opening = game.moves().len();
        let Some(mut x) = self.seat(&fixture, Mark::X, stops)? else { return Ok(None) };
        let Some(mut o) = self.seat(&fixture, Mark::O, stops)? else { return Ok(None) };
        let mut forfeit = None;
        while let Some(turn) = game.turn() {
            let (limit, player) = if turn == Mark::X { &mut x } else { &mut o };
            let chosen = limit.run(|_| stops(), |budget| player.choose(&game, budget));
            match chosen.unwrap_or(Err(ChooseError::Stopped)) {
                Ok(choice) => {
                    game.play(choice.square).map_err(|refusal| {
                        let player = self.contest.players.get(fixture.player_of(turn));
                        let name = player.map(Entrant::name).unwrap_or_default();
                        MatchError::Refused(name, refusal)
                    })?;
                }
                Err(ChooseError::Stopped) => return Ok(None),
                Err(ChooseError::Forfeit(found)) => {
                    forfeit = Some(found);
                    break;
                }
                Err(error) => return Err(MatchError::Choose(error)),
            }
        }
        // A program that forfeited has ended. It is started anew for its next game, and one that
        // cannot be has lost no game by that.
        let lost = forfeit.as_ref().and(game.turn());
        for (mark, (_, player)) in [(Mark::X, x), (Mark::O, o)] {
            let place = fixture.player_of(mark);
            let is_program = |player: &Entrant| matches!(player.who, Who::Program(_));
            if self.contest.stderr.is_none()
                && lost != Some(mark)
                && self.contest.players.get(place).is_some_and(is_program)
                && let Some(program) = self.programs.get_mut(place)
            {
                *program = Some(player);
            }
        }
        Ok(Some(Played { fixture, game, opening, forfeit }))
    }

    /// Seats the player of a mark. Computer players are new for
    /// each game, so that no game depends on which ones were played before. `None` where `stops`
    /// ended the start of a program.
    fn seat(
        &mut self,
        fixture: &Fixture,
        mark: Mark,
        stops: &impl Fn() -> bool,
    ) -> Result<Option<Seated>, MatchError> {
        let place = fixture.player_of(mark);
        let Some(player) = self.contest.players.get(place) else {
            return Err(MatchError::TooFew(self.contest.players.len()));
        };
        let program = match &player.who {
            Who::Computer(kind) => {
                let nth = 2 * fixture.index + u64::from(mark == Mark::O);
                let seed = mix(mix(self.contest.seed) ^ nth);
                return Ok(Some((self.contest.limit_of(player), computer(*kind, seed))));
            }
            Who::Program(program) => program,
        };
        // Its terms limit it, and a budget of positions alone never stops it.
        let limit = Limit::default();
        if let Some(running) = self.programs.get_mut(place).and_then(Option::take) {
            return Ok(Some((limit, running)));
        }
        let mut terms = self.contest.terms_of(player);
        if let Some(folder) = &self.contest.stderr {
            let name = player.name().replace('/', "_");
            let path = folder.join(format!("{:06}-{name}.txt", fixture.index + 1));
            let file = File::create(&path).map_err(|error| MatchError::File(path, error))?;
            terms.log = Some(Arc::new(file));
        }
        let shape = self.contest.shape;
        match program.start(player.name(), shape, terms, self.processes, stops) {
            Ok(started) => Ok(Some((limit, started))),
            Err(StartError::Stopped) => Ok(None),
            Err(error) => Err(MatchError::Start(player.name(), error)),
        }
    }
}

fn computer(kind: Kind, seed: u64) -> Box<dyn Player> {
    match kind {
        Kind::Random => Box::new(Random::new(seed)),
        Kind::Rules => Box::new(Rules),
        Kind::Minimax => Box::new(Minimax),
        Kind::Level(strength) => Box::new(Level::new(strength, seed)),
        Kind::Best => Box::new(Best::default()),
    }
}
