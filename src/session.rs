//! The games of one run, by name, and what each command does to them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::mem;

use crate::command::{
    Action, Command, CommandError, Coords, Diagram, Name, Place, Seat, Size, Verb,
};
use crate::game::{Board, Game, Mark, Refusal, ReplayError, Shape, ShapeError, Square};
use crate::limit::{Limit, Wish};
use crate::player::{
    Best, Choice, ChooseError, Kind, Level, Minimax, Player, Random, Rules, Strength,
};
use crate::reply::{Answer, Reply, RunError, Thought};
use crate::search::perft::perft;
use crate::search::{Budget, Progress, Score};

/// The setup of a session, as far as it is said.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Setup {
    /// The size of a new board [default: 3 x 3].
    pub size: Option<Size>,
    /// The marks in a row that win [default: the shorter side].
    pub win: Option<u64>,
    /// The rule that a longer run does not win. It holds in every game.
    pub exact: bool,
    /// The seat of X [default: human].
    pub x: Option<Seat>,
    /// The seat of O [default: human].
    pub o: Option<Seat>,
    /// The most that a computer player spends on a move.
    pub limit: Limit,
    pub seed: u64,
    pub coords: Coords,
}

impl Setup {
    /// The shape of a new game.
    pub fn shape(&self) -> Result<Shape, ShapeError> {
        let size = self.size.unwrap_or(Size::from(Shape::TIC_TAC_TOE));
        Ok(size.shape(self.win)?.with_exact(self.exact))
    }

    /// The flags for the shape, as far as they are said: `--size 3x3 --win 3 --exact`.
    pub fn shape_flags(&self) -> String {
        let flags = [
            self.size.map(|size| format!("--size {size}")),
            self.win.map(|win| format!("--win {win}")),
            self.exact.then(|| "--exact".to_owned()),
        ];
        let flags: Vec<String> = flags.into_iter().flatten().collect();
        flags.join(" ")
    }
}

/// A watcher of searches: hears again and again how far one is, and says whether it is to go on.
type Watch = Box<dyn Fn(Progress) -> Wish>;

/// Returns the watcher of a search of which a part is no answer: it stops at the first wish.
fn stops(watch: &Watch) -> impl Fn(Progress) -> bool {
    |progress| watch(progress) != Wish::GoOn
}

/// The games of one run, and who moves in them.
pub struct Session {
    /// The shape of a new game.
    shape: Shape,
    seats: [Seat; 2],
    /// The programs on the seats, where these say so.
    programs: [Option<Box<dyn Player>>; 2],
    coords: Coords,
    limit: Limit,
    name: Name,
    game: Game,
    others: BTreeMap<Name, Game>,
    /// The squares of all games together.
    squares: usize,
    random: Random,
    level: Level,
    best: Best,
    /// True where a computer on a seat moves now if it is its turn.
    is_due: bool,
    watch: Watch,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("shape", &self.shape)
            .field("seats", &self.seats)
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
    pub fn new(setup: &Setup) -> Result<Self, ShapeError> {
        let shape = setup.shape()?;
        Ok(Self {
            shape,
            seats: [&setup.x, &setup.o].map(|seat| seat.clone().unwrap_or(Seat::Human)),
            programs: [None, None],
            coords: setup.coords,
            limit: setup.limit,
            name: Name::default(),
            game: Game::new(shape),
            others: BTreeMap::new(),
            squares: shape.squares(),
            random: Random::new(setup.seed),
            level: Level::new(Strength::LOWEST, setup.seed),
            best: Best::default(),
            is_due: true,
            watch: Box::new(|_| Wish::GoOn),
        })
    }

    /// Lets `watch` hear again and again, from now on, how far a search is, and say whether it is
    /// to go on.
    pub fn watched_by<W: Into<Wish>>(&mut self, watch: impl Fn(Progress) -> W + 'static) {
        self.watch = Box::new(move |progress| watch(progress).into());
    }

    /// Puts a program called `name` on the seat of `mark`, in every game.
    pub fn seat_program(&mut self, mark: Mark, name: String, player: Box<dyn Player>) {
        self.seat(mark, Seat::Program(name), Some(player));
    }

    fn seat(&mut self, mark: Mark, seat: Seat, program: Option<Box<dyn Player>>) {
        let at = usize::from(mark == Mark::O);
        if let (Some(seats), Some(programs)) = (self.seats.get_mut(at), self.programs.get_mut(at)) {
            (*seats, *programs) = (seat, program);
        }
    }

    pub const fn name(&self) -> &Name {
        &self.name
    }

    pub const fn coords(&self) -> Coords {
        self.coords
    }

    pub const fn game(&self) -> &Game {
        &self.game
    }

    pub const fn seat_of(&self, mark: Mark) -> &Seat {
        Seat::of(mark, &self.seats)
    }

    /// The game called `name`, if there is one.
    pub fn find(&self, name: &Name) -> Option<&Game> {
        if *name == self.name { Some(&self.game) } else { self.others.get(name) }
    }

    /// Checks that [`run`](Self::run) would carry out `command` on the current game, and changes
    /// nothing. Costs a copy of the game.
    pub fn check(&mut self, command: &Command) -> Result<(), RunError> {
        let (game, squares, is_due) = (self.game.clone(), self.squares, self.is_due);
        let answer = self.run(command).answer;
        (self.game, self.squares, self.is_due) = (game, squares, is_due);
        answer.map(|_| ())
    }

    /// Checks that the computers on the seats can play the current game from where it is: `minimax`
    /// cannot where it would have to search too many squares.
    pub fn check_seats(&self) -> Result<(), ChooseError> {
        let board = self.game.board();
        let empty = board.shape().squares() - board.marks();
        for &mark in Mark::ALL {
            let waits = usize::from(self.game.turn() != Some(mark));
            let free = empty.saturating_sub(waits);
            let searches_all = *self.seat_of(mark) == Seat::Computer(Kind::Minimax);
            if searches_all && free > Minimax::MOST_FREE {
                return Err(ChooseError::TooManyForMinimax(free));
            }
        }
        Ok(())
    }

    /// The seat of the side to move, if a computer or a program is there.
    pub fn computer_to_move(&self) -> Option<&Seat> {
        Some(self.seat_of(self.game.turn()?)).filter(|seat| seat.is_automatic())
    }

    /// The seat that [`move_by_computer`](Self::move_by_computer) lets move, if there is one.
    pub fn computer_due(&self) -> Option<&Seat> {
        if self.is_due { self.computer_to_move() } else { None }
    }

    /// Carries out `command`, or refuses it and changes nothing.
    pub fn run(&mut self, Command { action, seen }: &Command) -> Reply<'_> {
        let answer = self.act(action, *seen);
        let moves_on = matches!(
            action,
            Action::Play(..)
                | Action::Go(_)
                | Action::New { .. }
                | Action::Seat(..)
                | Action::Swap
                | Action::Game(Some(_))
        );
        self.is_due = moves_on && answer.is_ok();
        self.reply(Some(action.verb()), answer)
    }

    /// Lets no computer on a seat move until a command leads to it again.
    pub const fn hold(&mut self) {
        self.is_due = false;
    }

    /// Lets the computer or program on a seat move if it is its turn, after a command that leads to
    /// that and at the start of the session. `None` where nobody moves.
    pub fn move_by_computer(&mut self) -> Option<Reply<'_>> {
        self.computer_due()?;
        let answer = self.go(None, None);
        self.is_due = answer.is_ok();
        Some(self.reply(Some(Verb::Go), answer))
    }

    pub fn misunderstood(&self, error: CommandError) -> Reply<'_> {
        // That command was understood, but is beyond a limit.
        let verb = matches!(error, CommandError::TooLarge).then_some(Verb::Position);
        self.reply(verb, Err(error.into()))
    }

    /// The reply to a command that was carried out, or not, by the session or beside it.
    pub(crate) const fn reply(
        &self,
        verb: Option<Verb>,
        answer: Result<Answer, RunError>,
    ) -> Reply<'_> {
        Reply {
            verb,
            answer,
            name: &self.name,
            game: &self.game,
            seats: &self.seats,
            coords: self.coords,
        }
    }

    /// Tells the session that a computer on a seat made a move that it has just run as a plain one:
    /// `random` goes on from there, and not from its seed.
    pub(crate) fn moved_before(&mut self, mark: Mark) {
        if *self.seat_of(mark) == Seat::Computer(Kind::Random) {
            self.random.skip();
        }
    }

    /// The names of all games, in order.
    pub fn names(&self) -> Vec<Name> {
        let mut names: Vec<Name> = self.others.keys().chain([&self.name]).cloned().collect();
        names.sort();
        names
    }

    fn act(&mut self, action: &Action, seen: Option<u64>) -> Result<Answer, RunError> {
        // A move checks its version itself, after the end of the game.
        if !matches!(action, Action::Play(..) | Action::Go(_)) {
            self.game.check_version(seen)?;
        }
        match action {
            &Action::Play(mark, place) => self.play(mark, place, seen),
            &Action::Go(player) => self.go(player, seen),
            &Action::Undo(count) => self.undo(count),
            &Action::Redo(count) => {
                let (played, verdict) = self.game.redo(count.unwrap_or(1))?;
                Ok(Answer::Redone(played.len(), verdict))
            }
            &Action::New { size, k } => self.restart(size, k),
            Action::Replay(places) => self.replay(places),
            Action::Position { diagram, k } => self.position(diagram, *k),
            Action::Moves => Ok(Answer::Moves),
            Action::Board => Ok(Answer::Board),
            &Action::At(place) => self.at(place),
            Action::Free => Ok(Answer::Free),
            Action::Status => Ok(Answer::Status),
            Action::Seat(mark, seat) => {
                self.seat(*mark, seat.clone(), None);
                Ok(Answer::Seated(*mark))
            }
            Action::Seats => Ok(Answer::Seats),
            Action::Swap => {
                self.seats.reverse();
                self.programs.reverse();
                Ok(Answer::Swapped)
            }
            &Action::Coords(letters) => {
                self.coords.has_letters = letters.unwrap_or(self.coords.has_letters);
                Ok(Answer::Coords)
            }
            &Action::Hint(player) => {
                self.turn()?;
                let (square, thought) = self.ask(player)?;
                Ok(Answer::Hint(square, thought))
            }
            &Action::Candidates(count) => self.candidates(count),
            Action::Analyze => self.analyze(),
            &Action::Perft(depth) => self.perft(depth),
            Action::Game(None) => Ok(Answer::Game),
            Action::Game(Some(name)) => self.go_to(name),
            Action::Games => Ok(Answer::Games(self.names())),
            Action::Drop(name) => self.forget(name),
            // Whoever can reach files does it instead.
            Action::Save(_) | Action::Load(_) => Err(RunError::PromptOnly(action.verb())),
            &Action::Help(verb) => Ok(Answer::Help(verb)),
            Action::Quit => Ok(Answer::Bye),
        }
    }

    fn play(
        &mut self,
        mark: Option<Mark>,
        place: Place,
        seen: Option<u64>,
    ) -> Result<Answer, RunError> {
        let refused = |mark, refusal| RunError::Refused { nth: None, mark, place, refusal };
        let turn = self.turn().map_err(|refusal| refused(mark, refusal))?;
        let mark = mark.unwrap_or(turn);
        let square = place.on(self.game.board().shape(), self.coords.row_one);
        let played = self.game.play_as(Some(mark), square, seen);
        let verdict = played.map_err(|refusal| refused(Some(mark), refusal))?;
        Ok(Answer::Moved(verdict, None))
    }

    fn undo(&mut self, count: Option<u64>) -> Result<Answer, RunError> {
        let count = count.unwrap_or_else(|| self.moves_of_a_turn());
        Ok(Answer::Undone(self.game.undo(count)?.len()))
    }

    /// The number of moves back to the last turn of a human: two where a computer has answered.
    fn moves_of_a_turn(&self) -> u64 {
        let last = self.game.moves().last();
        let mover = last.and_then(|square| self.game.board().at(*square));
        let answered = mover.is_some_and(|mark| {
            self.seat_of(mark).is_automatic() && !self.seat_of(mark.other()).is_automatic()
        });
        if answered { 2 } else { 1 }
    }

    fn restart(&mut self, size: Option<Size>, k: Option<u64>) -> Result<Answer, RunError> {
        let old = self.game.board().shape();
        let shape = size.map_or(Ok(old), |size| self.shape_of(size, k))?;
        self.squares = self.squares_with(shape, old.squares())?;
        self.game.restart(shape);
        Ok(Answer::Started)
    }

    fn replay(&mut self, places: &[Place]) -> Result<Answer, RunError> {
        let shape = self.game.board().shape();
        let row_one = self.coords.row_one;
        let squares = places.iter().map(|place| place.on(shape, row_one));
        let refused = |ReplayError { index, refusal, .. }| RunError::Refused {
            nth: Some(index + 1),
            mark: Some(Mark::after(index)),
            place: places.get(index).copied().unwrap_or(Place::Nth(0)),
            refusal,
        };
        self.game.replay(squares).map(Answer::Replayed).map_err(refused)
    }

    fn position(&mut self, diagram: &Diagram, k: Option<u64>) -> Result<Answer, RunError> {
        let size = diagram.size()?;
        let old = self.game.board().shape();
        let same_size = size == Size::from(old);
        let shape = self.shape_of(size, k.or(same_size.then_some(old.k().into())))?;
        let squares = self.squares_with(shape, old.squares())?;
        let mut board = Board::new(shape);
        for (square, mark) in diagram.marks() {
            // A diagram names each square once, and only squares of its own size.
            let _ = board.place(square, mark);
        }
        self.game.set_up(board).map_err(|error| RunError::Position(error, size))?;
        self.squares = squares;
        Ok(Answer::SetUp)
    }

    fn at(&self, place: Place) -> Result<Answer, RunError> {
        let shape = self.game.board().shape();
        let square = place.on(shape, self.coords.row_one);
        if shape.contains(square) {
            Ok(Answer::At(square))
        } else {
            let refusal = Refusal::OffBoard { square, shape };
            Err(RunError::Refused { nth: None, mark: None, place, refusal })
        }
    }

    fn go(&mut self, player: Option<Kind>, seen: Option<u64>) -> Result<Answer, RunError> {
        let turn = self.turn()?;
        self.game.check_version(seen)?;
        let (square, thought) = match (player, self.seat_of(turn)) {
            (Some(kind), _) | (None, &Seat::Computer(kind)) => self.ask(kind)?,
            (None, Seat::Human) => self.ask(Kind::Best)?,
            (None, Seat::Program(name)) => {
                let player = Cow::Owned(name.clone());
                (self.ask_program(turn)?, Thought { player, score: Score::UNKNOWN, nodes: 0 })
            }
        };
        let verdict = self.game.play(square)?;
        Ok(Answer::Moved(verdict, Some(thought)))
    }

    /// The side to move of a game that is not over.
    fn turn(&self) -> Result<Mark, Refusal> {
        match self.game.outcome() {
            Some(outcome) => Err(Refusal::GameOver { outcome }),
            None => Ok(Mark::after(self.game.board().marks())),
        }
    }

    /// The move that `player` would make, and what it thinks of it.
    fn ask(&mut self, player: Kind) -> Result<(Square, Thought), RunError> {
        let asked: &mut dyn Player = match player {
            Kind::Random => &mut self.random,
            Kind::Rules => &mut Rules,
            Kind::Minimax => &mut Minimax,
            Kind::Level(strength) => self.level.of(strength),
            Kind::Best => &mut self.best,
        };
        let game = &self.game;
        let chosen = self.limit.run(&self.watch, |budget| {
            let choice = asked.choose(game, budget)?;
            Ok((choice, budget.spent()))
        });
        let (Choice { square, score }, nodes) = chosen.unwrap_or(Err(ChooseError::Stopped))?;
        Ok((square, Thought { player: player.name().into(), score, nodes }))
    }

    /// The move of the program on the seat of `mark`. It has a clock of its own.
    fn ask_program(&mut self, mark: Mark) -> Result<Square, ChooseError> {
        let [x, o] = &mut self.programs;
        let program = if mark == Mark::X { x } else { o };
        let stops = stops(&self.watch);
        let mut budget = Budget::nodes(u64::MAX).watched_by(&stops);
        match program {
            Some(program) => Ok(program.choose(&self.game, &mut budget)?.square),
            None => Err(ChooseError::Stopped),
        }
    }

    fn candidates(&mut self, count: u64) -> Result<Answer, RunError> {
        self.turn()?;
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        let (game, best) = (&self.game, &mut self.best);
        let found = self.limit.run(&self.watch, |budget| {
            let found = best.candidates(game, count, budget)?;
            Ok(Answer::Candidates(found, budget.spent()))
        });
        Ok(found.unwrap_or(Err(ChooseError::Stopped))?)
    }

    /// The scores of all squares; where half of the budget proves none, the best moves by the rest.
    fn analyze(&mut self) -> Result<Answer, RunError> {
        const MOST: usize = 10;
        self.turn()?;
        let (game, best) = (&self.game, &mut self.best);
        let found = self.limit.run(stops(&self.watch), |budget| {
            let is_small = game.board().shape().squares() <= Best::MOSTLY_SOLVED;
            let eighths = if is_small { 7 } else { 4 };
            let scores = budget.eighths(eighths, |budget| best.scores(game, budget))?;
            if scores.iter().any(|(_, score)| *score != Score::UNKNOWN) {
                return Ok(Answer::Analysis(scores));
            }
            let found = best.candidates(game, MOST, budget)?;
            Ok(Answer::Candidates(found, budget.spent()))
        });
        Ok(found.unwrap_or(Err(ChooseError::Stopped))?)
    }

    fn perft(&self, depth: u64) -> Result<Answer, RunError> {
        let Some(turn) = self.game.turn() else {
            return Ok(Answer::Count(u64::from(depth == 0)));
        };
        // A watcher may stop it; no limit does, since a count is right or it is nothing.
        let stops = stops(&self.watch);
        let mut budget = Budget::nodes(u64::MAX).watched_by(&stops);
        Ok(Answer::Count(perft(self.game.board(), turn, depth, &mut budget)?))
    }

    /// Goes over to the game called `name`, made on first use.
    fn go_to(&mut self, name: &Name) -> Result<Answer, RunError> {
        if *name == self.name {
            return Ok(Answer::Game);
        }
        let game = match self.others.remove(name) {
            Some(game) => game,
            None if self.others.len() + 1 >= Self::MAX_GAMES => {
                return Err(RunError::TooManyGames(Self::MAX_GAMES));
            }
            None => {
                self.squares = self.squares_with(self.shape, 0)?;
                Game::new(self.shape)
            }
        };
        let left = mem::replace(&mut self.name, name.clone());
        self.others.insert(left, mem::replace(&mut self.game, game));
        Ok(Answer::WentOver)
    }

    /// Forgets the game called `name`. If it is the current one, the game `main` takes its place,
    /// a fresh one where that is not there.
    fn forget(&mut self, name: &Name) -> Result<Answer, RunError> {
        if let Some(gone) = self.others.remove(name) {
            self.squares -= gone.board().shape().squares();
        } else if *name == self.name {
            let gone = self.game.board().shape().squares();
            let main = Name::default();
            self.game = if let Some(game) = self.others.remove(&main) {
                self.squares -= gone;
                game
            } else {
                self.squares = self.squares_with(self.shape, gone)?;
                Game::new(self.shape)
            };
            self.name = main;
        } else {
            return Err(RunError::NoGame(name.clone()));
        }
        Ok(Answer::Dropped(name.clone()))
    }

    fn shape_of(&self, size: Size, k: Option<u64>) -> Result<Shape, RunError> {
        Ok(size.shape(k)?.with_exact(self.shape.is_exact()))
    }

    /// The squares of all games once a board of `shape` has taken the place of one with `old`.
    fn squares_with(&self, shape: Shape, old: usize) -> Result<usize, RunError> {
        let (squares, most) = (self.squares - old + shape.squares(), Self::MAX_SQUARES);
        if squares <= most { Ok(squares) } else { Err(RunError::TooManySquares { squares, most }) }
    }
}
