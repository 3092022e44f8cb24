//! The games of one run, by name, and what each command does to them.

use std::collections::BTreeMap;

use crate::board::{Board, Mark, Shape};
use crate::command::{self, Command, CommandError, Diagram, Name, Place, Size};
use crate::game::{Game, Refusal, ReplayRefusal};
use crate::reply::{Answer, Reply};

/// The games of one run.
#[derive(Clone, Debug)]
pub struct Session {
    /// What games start with.
    shape: Shape,
    name: Name,
    game: Game,
    others: BTreeMap<Name, Game>,
    /// The squares of all games together.
    squares: usize,
}

impl Session {
    /// The most games that a session holds.
    pub const MAX_GAMES: usize = 10_000;

    /// The most squares that all its boards have together.
    pub const MAX_SQUARES: usize = 64 << 20;

    /// A session with one fresh game. Where a line of `shape` is exactly k, it is in every game.
    #[must_use]
    pub fn new(shape: Shape) -> Self {
        Self {
            shape,
            name: Name::default(),
            game: Game::new(shape),
            others: BTreeMap::new(),
            squares: shape.squares(),
        }
    }

    /// Does what `command` asks for, or refuses it and changes nothing.
    pub fn run(&mut self, command: &Command) -> Reply<'_> {
        let answer = match command {
            &Command::Play { mark, place, seen } => self.play(mark, place, seen),
            &Command::Undo { count, seen } => self.undo(count.unwrap_or(1), seen),
            &Command::Redo { count, seen } => self.redo(count.unwrap_or(1), seen),
            &Command::New { size, k, seen } => self.restart(size, k, seen),
            Command::Replay { places, seen } => self.replay(places, *seen),
            Command::Position { diagram, k, seen } => self.position(diagram, *k, *seen),
            Command::Moves => Ok(Answer::Moves),
            Command::Board => Ok(Answer::Board),
            &Command::At(place) => self.at(place),
            Command::Free => Ok(Answer::Free),
            Command::Status => Ok(Answer::Status),
            Command::Game(None) => Ok(Answer::Game),
            Command::Game(Some(name)) => self.go_to(name),
            Command::Games => Ok(Answer::Games(self.names())),
            Command::Drop(name) => self.forget(name),
            Command::Help(None) => Ok(Answer::Help(command::overview())),
            Command::Help(Some(verb)) => Ok(Answer::Help(verb.help())),
            Command::Quit => Ok(Answer::Bye),
        };
        let answer = answer.unwrap_or_else(|refused| refused);
        self.reply(Some(command), answer)
    }

    /// The reply to a line that is no command.
    #[must_use]
    pub fn misunderstood(&self, error: &CommandError) -> Reply<'_> {
        self.reply(None, Answer::Bad(error.to_string()))
    }

    fn reply(&self, command: Option<&Command>, answer: Answer) -> Reply<'_> {
        Reply {
            verb: command.map(Command::verb),
            answer,
            name: &self.name,
            game: &self.game,
        }
    }

    /// The names of all games, in order.
    fn names(&self) -> Vec<Name> {
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
            Ok(verdict) => Ok(Answer::Moved { square, verdict }),
            Err(refusal) => Err(Answer::Refused {
                refusal,
                place: Some(place),
                mark,
                nth: None,
            }),
        }
    }

    fn undo(&mut self, count: u64, seen: Option<u64>) -> Result<Answer, Answer> {
        self.check_version(seen)?;
        let taken = self.game.undo(count).map_err(refused)?;
        Ok(Answer::Undone(taken.len()))
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
            }),
            (Ok(_), None) => Ok(Answer::Started),
            (Err(ReplayRefusal { index, refusal }), _) => Err(Answer::Refused {
                refusal,
                place: places.get(index).copied(),
                mark: Some(if index.is_multiple_of(2) {
                    Mark::X
                } else {
                    Mark::O
                }),
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
            self.squares = self.squares_with(self.shape, 0)?;
            Game::new(self.shape)
        };
        let left = std::mem::replace(&mut self.name, name.clone());
        self.others
            .insert(left, std::mem::replace(&mut self.game, game));
        Ok(Answer::Game)
    }

    /// Forgets the game called `name`. If it is the current one, the game `main` takes its place,
    /// a fresh one where that is not there.
    fn forget(&mut self, name: &Name) -> Result<Answer, Answer> {
        let gone = if let Some(game) = self.others.remove(name) {
            game
        } else if *name == self.name {
            let main = Name::default();
            let next = self.others.remove(&main).unwrap_or_else(|| {
                self.squares += self.shape.squares();
                Game::new(self.shape)
            });
            self.name = main;
            std::mem::replace(&mut self.game, next)
        } else {
            let name = command::quoted(name.as_str());
            return Err(Answer::Bad(format!(
                "there is no game {name}: \"games\" lists them"
            )));
        };
        self.squares -= gone.board().shape().squares();
        Ok(Answer::Dropped(name.clone()))
    }

    fn check_version(&self, seen: Option<u64>) -> Result<(), Answer> {
        self.game.check_version(seen).map_err(refused)
    }

    fn shape_of(&self, size: Size, k: Option<u64>) -> Result<Shape, Answer> {
        let shape = size
            .shape(k)
            .map_err(|error| Answer::Bad(error.to_string()))?;
        Ok(if self.shape.is_exact() {
            shape.exactly()
        } else {
            shape
        })
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
