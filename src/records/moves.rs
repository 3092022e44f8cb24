//! `moves`: a noughts script. `new` says the shape, and each `replay` line is a game.
//!
//! Scripts that play move by move are read as well: a game ends where the next one begins.

use std::io::{self, BufRead};
use std::mem;

use super::input::Lines;
use super::{Defaults, Found, Place, ReadError, Record, push_number};
use crate::command::{Action, Line, MAX_LINE, quoted};
use crate::game::{Shape, Square};

/// What a line of a script asks for.
pub(super) enum Step {
    /// A fresh game of this shape.
    New(Shape),
    /// A whole game.
    Game(Vec<Square>),
    /// A move in the game that has begun.
    Play(Square),
    /// So many moves taken back.
    Undo(u64),
}

/// A reader of one line. `None` is one that no game depends on.
type ReadLine = fn(Line<'_>, Shape, &Defaults) -> Result<Option<Step>, ReadError>;

/// The games of a script.
pub(super) struct Script<R> {
    lines: Lines<R>,
    defaults: Defaults,
    step: ReadLine,
    /// The shape of the next game, or why there is none.
    shape: Option<Shape>,
    /// The game that the last lines were about.
    begun: Option<Begun>,
}

/// A game that more lines may belong to.
struct Begun {
    line: u64,
    shape: Shape,
    moves: Result<Vec<Square>, ReadError>,
    /// True where single moves have made it, and a bad line spoils it.
    is_open: bool,
}

impl Begun {
    fn found(self) -> Found {
        let mut notes = Vec::new();
        let record =
            self.moves.and_then(|moves| Ok(Record::replay(self.shape, moves, &mut notes)?));
        Found { place: Place::Line(self.line), record, notes }
    }

    /// Tells whether this is a `new` line alone, which says the shape of a game that follows.
    fn is_shape_alone(&self) -> bool {
        self.moves.as_ref().is_ok_and(Vec::is_empty)
    }
}

impl<R: BufRead> Script<R> {
    pub(super) const fn new(input: R, defaults: Defaults, step: ReadLine) -> Self {
        Self { lines: Lines::new(input), defaults, step, shape: None, begun: None }
    }

    /// Reads lines until a game is whole.
    fn read(&mut self) -> io::Result<Option<Found>> {
        loop {
            let Some((bytes, number)) = self.lines.next()? else {
                return Ok(self.begun.take().map(Begun::found));
            };
            let Some(line) = Line::new(bytes, false) else { continue };
            let shape = self.shape.map_or_else(|| self.defaults.shape(None, None), Ok);
            let step = match shape {
                _ if bytes.len() > MAX_LINE => Err(ReadError::TooLong),
                Ok(shape) => (self.step)(line, shape, &self.defaults).map(|step| (step, shape)),
                Err(error) => Err(error.into()),
            };
            let begun = |shape, moves, is_open| Begun { line: number, shape, moves, is_open };
            let next = match step {
                Ok((None, _)) => continue,
                Ok((Some(Step::New(shape)), _)) => {
                    self.shape = Some(shape);
                    begun(shape, Ok(Vec::new()), true)
                }
                Ok((Some(Step::Game(moves)), shape)) => {
                    self.begun.take_if(|begun| begun.is_shape_alone());
                    begun(shape, Ok(moves), false)
                }
                Ok((Some(step), shape)) => {
                    self.begun.get_or_insert(begun(shape, Ok(Vec::new()), true)).apply(&step);
                    continue;
                }
                Err(error) => {
                    self.begun.take_if(|begun| begun.is_open);
                    begun(self.shape.unwrap_or(Shape::TIC_TAC_TOE), Err(error), false)
                }
            };
            if let Some(done) = self.begun.replace(next) {
                return Ok(Some(done.found()));
            }
        }
    }
}

impl Begun {
    /// Makes or takes back a move. Nothing mends a game that a line has spoilt.
    fn apply(&mut self, step: &Step) {
        let Ok(moves) = &mut self.moves else { return };
        self.is_open = true;
        match *step {
            // A game is over before it has a move more than its board has squares.
            Step::Play(square) if moves.len() <= self.shape.squares() => moves.push(square),
            Step::Undo(count) if count <= moves.len() as u64 => {
                moves.truncate(moves.len() - usize::try_from(count).unwrap_or_default());
            }
            Step::Undo(count) => {
                let found = format!("undo {count}");
                let expected = "as many as there are moves, or fewer";
                self.moves = Err(ReadError::malformed(&found, expected));
            }
            _ => {}
        }
    }
}

impl<R: BufRead> Iterator for Script<R> {
    type Item = io::Result<Found>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

/// Reads a line as a command.
pub(super) fn step(
    line: Line<'_>,
    shape: Shape,
    defaults: &Defaults,
) -> Result<Option<Step>, ReadError> {
    let action = line.parse()?.action;
    Ok(Some(match action {
        Action::New { size: Some(size), k } => Step::New(size.shape(k)?.with_exact(defaults.exact)),
        Action::New { .. } => Step::New(shape),
        Action::Replay(places) => {
            Step::Game(places.into_iter().map(|place| place.on(shape, defaults.row_one)).collect())
        }
        Action::Play(_, place) => Step::Play(place.on(shape, defaults.row_one)),
        Action::Undo(count) => Step::Undo(count.unwrap_or(1)),
        Action::Redo(_)
        | Action::Position { .. }
        | Action::Seat(..)
        | Action::Swap
        | Action::Go(_)
        | Action::Game(Some(_))
        | Action::Load(_) => {
            let found = quoted(action.verb().name());
            let expected = "new, replay, play or undo, of one game after the other";
            return Err(ReadError::Malformed { found, expected });
        }
        _ => return Ok(None),
    }))
}

/// Writes a game as a line of a script, after `new` where its shape is another one. A game without
/// moves is a `new` line alone.
pub(super) fn write(
    record: &Record,
    shape: &mut Option<Shape>,
    squares: impl Fn(&Record, &mut Vec<u8>),
    out: &mut Vec<u8>,
) {
    let own = record.shape();
    let is_empty = record.game().moves().is_empty();
    // `new` keeps the rule of a longer run.
    if mem::replace(shape, (!is_empty).then_some(own)).is_none_or(|last| last != own) || is_empty {
        out.extend_from_slice(b"new ");
        push_number(own.rows(), out);
        out.push(b'x');
        push_number(own.cols(), out);
        out.push(b' ');
        push_number(own.k(), out);
        out.push(b'\n');
    }
    if !is_empty {
        out.extend_from_slice(b"replay ");
        squares(record, out);
        out.push(b'\n');
    }
}

/// Writes the moves as rows and columns.
pub(super) fn squares(record: &Record, out: &mut Vec<u8>) {
    for (nth, square) in record.game().moves().iter().enumerate() {
        if nth > 0 {
            out.push(b' ');
        }
        push_number(square.row, out);
        out.push(b' ');
        push_number(square.col, out);
    }
}
