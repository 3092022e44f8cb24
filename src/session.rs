//! The games of one run, by name, and what each command does to them.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;

use crate::command::{self, Command, CommandError, Diagram, Name, Place, Size, Verb};
use crate::game::{Board, Mark, Shape, Square};
use crate::game::{Game, Refusal, ReplayError};
use crate::limit::Limit;
use crate::player::{Best, Choice, Kind, Minimax, Player, Random, Rules};
use crate::reply::{Answer, Reply, Thought};
use crate::search::perft::perft;
use crate::search::{Budget, Progress};

/// What a session starts with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Setup {
    /// The board of a new game. Where a line of it is exactly k, it is in every game.
    pub shape: Shape,
    /// Who moves for X.
    pub x: Kind,
    /// Who moves for O.
    pub o: Kind,
    /// What a computer player may spend on a move.
    pub limit: Limit,
    /// What the moves of `random` follow from.
    pub seed: u64,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            shape: Shape::TIC_TAC_TOE,
            x: Kind::Human,
            o: Kind::Human,
            limit: Limit::Nodes(Limit::DEFAULT_NODES),
            seed: 0,
        }
    }
}

/// Somebody who waits for searches: hears again and again how far one is, and stops it by
/// answering true. What was asked of the search is then refused.
pub type Watch = Box<dyn Fn(Progress) -> bool>;

/// The games of one run, and who moves in them.
pub struct Session {
    setup: Setup,
    name: Name,
    game: Game,
    others: BTreeMap<Name, Game>,
    /// The squares of all games together.
    squares: usize,
    random: Random,
    best: Best,
    /// Whether a computer on a seat moves now if it is its turn.
    is_due: bool,
    watch: Watch,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("setup", &self.setup)
            .field("name", &self.name)
            .field("game", &self.game)
            .field("others", &self.others)
            .finish_non_exhaustive()
    }
}

impl Session {
    /// The most games that a session holds.
    pub const MAX_GAMES: usize = 10_000;

    /// The most squares that all its boards have together.
    pub const MAX_SQUARES: usize = 64 << 20;

    /// A session with one fresh game.
    #[must_use]
    pub fn new(setup: Setup) -> Self {
        Self {
            setup,
            name: Name::default(),
            game: Game::new(setup.shape),
            others: BTreeMap::new(),
            squares: setup.shape.squares(),
            random: Random::new(setup.seed),
            best: Best::default(),
            is_due: true,
            watch: Box::new(|_| false),
        }
    }

    /// From now on `watch` waits for searches.
    pub fn watched_by(&mut self, watch: Watch) {
        self.watch = watch;
    }

    /// The name of the current game.
    #[must_use]
    pub const fn name(&self) -> &Name {
        &self.name
    }

    /// The current game.
    #[must_use]
    pub const fn game(&self) -> &Game {
        &self.game
    }

    /// Who moves for `mark`.
    #[must_use]
    pub const fn seat_of(&self, mark: Mark) -> Kind {
        match mark {
            Mark::X => self.setup.x,
            Mark::O => self.setup.o,
        }
    }

    /// Whether a computer is on the seat of the side to move.
    #[must_use]
    pub fn is_for_a_computer(&self) -> bool {
        let turn = self.game.turn();
        turn.is_some_and(|turn| self.seat_of(turn) != Kind::Human)
    }

    /// Does what `command` asks for, or refuses it and changes nothing.
    pub fn run(&mut self, command: &Command) -> Reply<'_> {
        let answer = match command {
            &Command::Play { mark, place, seen } => self.play(mark, place, seen),
            &Command::Undo { count, seen } => self.undo(count, seen),
            &Command::Redo { count, seen } => self.redo(count.unwrap_or(1), seen),
            &Command::New { size, k, seen } => self.restart(size, k, seen),
            Command::Replay { places, seen } => self.replay(places, *seen),
            Command::Position { diagram, k, seen } => self.position(diagram, *k, *seen),
            Command::Moves => Ok(Answer::Moves),
            Command::Board => Ok(Answer::Board),
            &Command::At(place) => self.at(place),
            Command::Free => Ok(Answer::Free),
            Command::Status => Ok(Answer::Status),
            &Command::Seat(mark, player) => Ok(self.seat(mark, player)),
            &Command::Go { player, seen } => self.go(player, seen),
            &Command::Hint(player) => self.hint(player),
            Command::Analyze => self.analyze(),
            &Command::Perft(depth) => self.perft(depth),
            Command::Game(None) => Ok(Answer::Game),
            Command::Game(Some(name)) => self.go_to(name),
            Command::Games => Ok(Answer::Games(self.names())),
            Command::Drop(name) => self.forget(name),
            Command::Help(None) => Ok(Answer::Help(command::overview())),
            Command::Help(Some(verb)) => Ok(Answer::Help(verb.help())),
            Command::Quit => Ok(Answer::Bye),
        };
        let moves_on = matches!(command.verb(), Verb::Play | Verb::New | Verb::Seat);
        self.is_due = moves_on && answer.is_ok();
        let answer = answer.unwrap_or_else(|refused| refused);
        self.reply(Some(command.verb()), answer)
    }

    /// Lets the computer on a seat move if it is its turn, after a command that leads to that and
    /// at the start of the session. `None` where nobody moves.
    pub fn move_by_computer(&mut self) -> Option<Reply<'_>> {
        let turn = self.game.turn().filter(|_| self.is_due)?;
        let player = self.seat_of(turn);
        if player == Kind::Human {
            return None;
        }
        let answer = self.go(player, None);
        self.is_due = answer.is_ok();
        let answer = answer.unwrap_or_else(|refused| refused);
        Some(self.reply(Some(Verb::Go), answer))
    }

    /// The reply to a line that is no command.
    #[must_use]
    pub fn misunderstood(&self, error: &CommandError) -> Reply<'_> {
        self.reply(error.verb(), Answer::Bad(error.to_string()))
    }

    fn reply(&self, verb: Option<Verb>, answer: Answer) -> Reply<'_> {
        Reply {
            verb,
            answer,
            name: &self.name,
            game: &self.game,
        }
    }

    /// The names of all games, in order.
    #[must_use]
    pub fn names(&self) -> Vec<Name> {
        let mut names: Vec<Name> = self.others.keys().cloned().collect();
        let here = names.partition_point(|name| *name < self.name);
        names.insert(here, self.name.clone());
        names
    }

    fn play(
        &mut self,
        mark: Option<Mark>,
        place: Place,
        seen: Option<u64>,
    ) -> Result<Answer, Answer> {
        let square = place.on(self.game.board().shape());
        let mark = mark.or(self.game.turn());
        match self.game.play_as(mark, square, seen) {
            Ok(verdict) => Ok(Answer::Moved {
                square,
                verdict,
                thought: None,
            }),
            Err(refusal) => Err(Answer::Refused {
                refusal,
                place: Some(place),
                mark,
                nth: None,
            }),
        }
    }

    fn undo(&mut self, count: Option<u64>, seen: Option<u64>) -> Result<Answer, Answer> {
        self.check_version(seen)?;
        let count = count.unwrap_or_else(|| self.moves_of_a_turn());
        let taken = self.game.undo(count).map_err(refused)?;
        Ok(Answer::Undone(taken.len()))
    }

    /// How many moves go back to the last turn of a human: two where a computer has answered.
    fn moves_of_a_turn(&self) -> u64 {
        let last = self.game.moves().last();
        let mover = last.and_then(|square| self.game.board().at(*square));
        let answered = mover.is_some_and(|mark| {
            self.seat_of(mark) != Kind::Human && self.seat_of(mark.other()) == Kind::Human
        });
        if answered { 2 } else { 1 }
    }

    fn redo(&mut self, count: u64, seen: Option<u64>) -> Result<Answer, Answer> {
        self.check_version(seen)?;
        let (played, verdict) = self.game.redo(count).map_err(refused)?;
        Ok(Answer::Redone(played.len(), verdict))
    }

    fn restart(
        &mut self,
        size: Option<Size>,
        k: Option<u64>,
        seen: Option<u64>,
    ) -> Result<Answer, Answer> {
        self.check_version(seen)?;
        let shape = match size {
            Some(size) => self.shape_of(size, k)?,
            None => self.game.board().shape(),
        };
        self.squares = self.squares_with(shape, self.game.board().shape().squares())?;
        self.game.restart(shape);
        Ok(Answer::Started)
    }

    fn replay(&mut self, places: &[Place], seen: Option<u64>) -> Result<Answer, Answer> {
        self.check_version(seen)?;
        let shape = self.game.board().shape();
        let squares = places.iter().map(|place| place.on(shape));
        match (self.game.replay(squares), places.last()) {
            (Ok(verdict), Some(last)) => Ok(Answer::Moved {
                square: last.on(shape),
                verdict,
                thought: None,
            }),
            (Ok(_), None) => Ok(Answer::Started),
            (Err(ReplayError { index, refusal }), _) => Err(Answer::Refused {
                refusal,
                place: places.get(index).copied(),
                mark: Some(Mark::after(index)),
                nth: Some(index + 1),
            }),
        }
    }

    fn position(
        &mut self,
        diagram: &Diagram,
        k: Option<u64>,
        seen: Option<u64>,
    ) -> Result<Answer, Answer> {
        self.check_version(seen)?;
        let size = diagram.size().map_err(Answer::Ragged)?;
        let old = self.game.board().shape();
        let same = (size.rows, size.cols) == (old.rows().into(), old.cols().into());
        let shape = self.shape_of(size, k.or(same.then_some(old.k().into())))?;
        let squares = self.squares_with(shape, old.squares())?;
        let mut board = Board::new(shape);
        for &(square, mark) in diagram.marks() {
            // A diagram names each square once, and only squares of its own size.
            let _ = board.place(square, mark);
        }
        self.game.set_up(board).map_err(Answer::Unreachable)?;
        self.squares = squares;
        Ok(Answer::SetUp)
    }

    fn at(&self, place: Place) -> Result<Answer, Answer> {
        let shape = self.game.board().shape();
        let square = place.on(shape);
        if shape.contains(square) {
            return Ok(Answer::At(square));
        }
        let refusal = Refusal::OffBoard { square, shape };
        Err(Answer::Refused {
            refusal,
            place: Some(place),
            mark: None,
            nth: None,
        })
    }

    fn seat(&mut self, mark: Mark, player: Kind) -> Answer {
        match mark {
            Mark::X => self.setup.x = player,
            Mark::O => self.setup.o = player,
        }
        Answer::Seated(mark, player)
    }

    fn go(&mut self, player: Kind, seen: Option<u64>) -> Result<Answer, Answer> {
        if self.game.outcome().is_none() {
            self.check_version(seen)?;
        }
        let (square, thought) = self.ask(player)?;
        let verdict = self.game.play(square).map_err(refused)?;
        Ok(Answer::Moved {
            square,
            verdict,
            thought: Some(thought),
        })
    }

    fn hint(&mut self, player: Kind) -> Result<Answer, Answer> {
        let (square, thought) = self.ask(player)?;
        Ok(Answer::Hint(square, thought))
    }

    /// Which move `player` would make.
    fn ask(&mut self, player: Kind) -> Result<(Square, Thought), Answer> {
        let Self {
            setup,
            game,
            random,
            best,
            watch,
            ..
        } = self;
        let asked: &mut dyn Player = match player {
            // Nobody types here, and the rules are the least that a human knows.
            Kind::Human | Kind::Rules => &mut Rules,
            Kind::Random => random,
            Kind::Minimax => &mut Minimax,
            Kind::Best => best,
        };
        let chosen = setup.limit.spend(watch, |budget| {
            let choice = asked.choose(game, budget)?;
            Ok((choice, budget.spent()))
        });
        let (Choice { square, score }, nodes) = chosen.map_err(Answer::Declined)?;
        Ok((
            square,
            Thought {
                player,
                score,
                nodes,
            },
        ))
    }

    fn analyze(&mut self) -> Result<Answer, Answer> {
        let Self {
            setup,
            game,
            best,
            watch,
            ..
        } = self;
        let scores = setup.limit.spend(watch, |budget| best.scores(game, budget));
        scores.map(Answer::Analysis).map_err(Answer::Declined)
    }

    fn perft(&self, depth: u64) -> Result<Answer, Answer> {
        let Some(turn) = self.game.turn() else {
            return Ok(Answer::Count(u64::from(depth == 0)));
        };
        // Whoever waits may stop it; no limit does, since a count is right or it is nothing.
        let budget = RefCell::new(Budget::nodes(u64::MAX).watched_by(&self.watch));
        let stop = || budget.borrow_mut().spend().is_err();
        let count = perft(self.game.board(), turn, depth, &stop);
        count
            .map(Answer::Count)
            .map_err(|error| Answer::Bad(error.to_string()))
    }

    /// Goes over to the game called `name`, made on first use.
    fn go_to(&mut self, name: &Name) -> Result<Answer, Answer> {
        if *name == self.name {
            return Ok(Answer::Game);
        }
        let game = if let Some(game) = self.others.remove(name) {
            game
        } else {
            if self.others.len() + 1 >= Self::MAX_GAMES {
                let most = Self::MAX_GAMES;
                return Err(Answer::Bad(format!(
                    "a session holds {most} games: \"drop\" one first"
                )));
            }
            self.squares = self.squares_with(self.setup.shape, 0)?;
            Game::new(self.setup.shape)
        };
        let left = std::mem::replace(&mut self.name, name.clone());
        self.others
            .insert(left, std::mem::replace(&mut self.game, game));
        Ok(Answer::WentOver)
    }

    /// Forgets the game called `name`. If it is the current one, the game `main` takes its place,
    /// a fresh one where that is not there.
    fn forget(&mut self, name: &Name) -> Result<Answer, Answer> {
        if let Some(gone) = self.others.remove(name) {
            self.squares -= gone.board().shape().squares();
        } else if *name == self.name {
            let gone = self.game.board().shape().squares();
            let main = Name::default();
            self.game = if let Some(game) = self.others.remove(&main) {
                self.squares -= gone;
                game
            } else {
                self.squares = self.squares_with(self.setup.shape, gone)?;
                Game::new(self.setup.shape)
            };
            self.name = main;
        } else {
            let name = command::quoted(name.as_str());
            return Err(Answer::Bad(format!(
                "there is no game {name}: \"games\" lists them"
            )));
        }
        Ok(Answer::Dropped(name.clone()))
    }

    fn check_version(&self, seen: Option<u64>) -> Result<(), Answer> {
        self.game.check_version(seen).map_err(refused)
    }

    fn shape_of(&self, size: Size, k: Option<u64>) -> Result<Shape, Answer> {
        let shape = size
            .shape(k)
            .map_err(|error| Answer::Bad(error.to_string()))?;
        Ok(shape.with_exact(self.setup.shape.is_exact()))
    }

    /// The squares of all games once a board of `shape` has taken the place of one with `old`.
    fn squares_with(&self, shape: Shape, old: usize) -> Result<usize, Answer> {
        let squares = self.squares - old + shape.squares();
        if squares <= Self::MAX_SQUARES {
            return Ok(squares);
        }
        let most = Self::MAX_SQUARES;
        Err(Answer::Bad(format!(
            "that would make {squares} squares in all games: at most {most}, \"drop\" a game first"
        )))
    }
}

/// A refusal of something that is not a move.
const fn refused(refusal: Refusal) -> Answer {
    Answer::Refused {
        refusal,
        place: None,
        mark: None,
        nth: None,
    }
}
