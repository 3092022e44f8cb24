//! The Gomocup (Piskvork) protocol, by which a manager plays with `best` as an engine.
//!
//! See the [protocol](https://plastovicka.github.io/protocl2en.htm): a request is a line, `x,y` is
//! column and row, and a response is a line, flushed. A thread reads the input while a search goes
//! on, so that the manager can end it.

mod input;
mod request;
mod swap2;
mod time_control;

use std::io::{self, BufRead, Write};
use std::time::Instant;

use self::input::{Input, Line};
use self::request::{Info, Point, Request, RequestError};
use self::time_control::TimeControl;
use crate::game::{Board, Mark, Shape, Square};
use crate::player::Best;

/// Plays for the manager that writes `input` and reads `out`, until `END` or until one of them
/// closes; a search ends when the manager `is_gone`. `started` is the start of the process. Returns
/// the error that ended the input, if any.
///
/// Memory is that of [`Best`], within `INFO max_memory`, and of two boards.
///
/// # Errors
///
/// The responses could not be written.
pub fn gomocup(
    input: impl BufRead + Send + 'static,
    mut out: impl Write,
    is_gone: impl Fn() -> bool + 'static,
    started: Instant,
) -> io::Result<Option<io::Error>> {
    let mut engine = Engine::new(Input::open(input, is_gone), started);
    while let Some(line) = engine.input.next() {
        match engine.respond(line) {
            Ok(None) => continue,
            Ok(Some(response)) => writeln!(out, "{response}")?,
            Err(error) => writeln!(out, "{error}")?,
        }
        out.flush()?;
    }
    Ok(engine.input.failure())
}

/// The marks in a row that win, and the shortest side of a board.
const FIVE: u64 = 5;

/// The marks of the engine and of its opponent, whoever began.
const OWN: Mark = Mark::X;
const THEIRS: Mark = Mark::O;

const ABOUT: &str = concat!(
    "name=\"noughts\", version=\"",
    env!("CARGO_PKG_VERSION"),
    "\", author=\"The noughts authors\""
);

/// The state of a conversation.
struct Engine {
    input: Input,
    board: Option<Board>,
    /// The rule that exactly five in a row win, set by `INFO rule`.
    is_exact: bool,
    time: TimeControl,
    best: Best,
    /// The most memory that `best` takes, in bytes.
    memory: usize,
}

impl Engine {
    fn new(input: Input, started: Instant) -> Self {
        Self {
            input,
            board: None,
            is_exact: false,
            time: TimeControl::new(started),
            best: Best::default(),
            memory: usize::MAX,
        }
    }

    /// Carries out a request and returns the response. A setting and `END` have none.
    fn respond(&mut self, line: Line) -> Result<Option<String>, RequestError> {
        let asked = line.at;
        Ok(Some(match line.request? {
            Request::Start { cols, rows } => self.start(cols, rows)?,
            Request::Restart => {
                let shape = self.board()?.shape();
                self.begin(shape)
            }
            Request::Begin => self.go(asked)?,
            Request::Turn(point) => {
                self.place(point, THEIRS)?;
                self.go(asked)?
            }
            Request::Play(point) => Point::from(self.place(point, OWN)?).to_string(),
            Request::Suggest => format!("SUGGEST {}", Point::from(self.think(asked)?)),
            Request::Takeback(point) => {
                let board = self.board()?;
                let taken = board.unplace(point.on(board.shape())?);
                taken.map(|_| "OK".to_owned()).ok_or(RequestError::Empty(point))?
            }
            Request::Board => self.set_up()?,
            Request::Swap2Board => self.swap2()?,
            Request::Info(info) => return self.set(info).map(|()| None),
            Request::About => ABOUT.to_owned(),
            Request::Done => return Err(RequestError::Unknown("DONE".into())),
            Request::Listed(point, None) => return Err(RequestError::Unknown(point.to_string())),
            Request::Listed(point, Some(whose)) => {
                return Err(RequestError::Unknown(format!("{point},{whose}")));
            }
            Request::End => return Ok(None),
        }))
    }

    fn start(&mut self, cols: i64, rows: i64) -> Result<String, RequestError> {
        let side = |side| u64::try_from(side).ok().filter(|side| *side >= FIVE);
        let shape = side(rows).zip(side(cols));
        let shape = shape.and_then(|(rows, cols)| Shape::new(rows, cols, FIVE).ok());
        let shape = shape.ok_or(RequestError::Size)?;
        Ok(self.begin(shape.with_exact(self.is_exact)))
    }

    /// Begins a game on an empty board.
    fn begin(&mut self, shape: Shape) -> String {
        self.board = Some(Board::new(shape));
        self.time.restart();
        "OK".to_owned()
    }

    fn board(&mut self) -> Result<&mut Board, RequestError> {
        self.board.as_mut().ok_or(RequestError::NoBoard)
    }

    fn place(&mut self, point: Point, mark: Mark) -> Result<Square, RequestError> {
        let board = self.board()?;
        point.on(board.shape())?;
        check_ongoing(board)?;
        place(board, point, mark)
    }

    fn set(&mut self, info: Info) -> Result<(), RequestError> {
        match info {
            Info::Rule(rule) => {
                self.is_exact = match rule.as_str() {
                    "0" => false,
                    "1" => true,
                    _ => return Err(RequestError::Rule(rule)),
                };
                let board = self.board.take();
                self.board = board.map(|board| with_exact(&board, self.is_exact));
            }
            Info::MaxMemory(bytes) => {
                let bytes = usize::try_from(bytes).ok().filter(|bytes| *bytes > 0);
                let bytes = bytes.unwrap_or(usize::MAX);
                // The same limit leaves the tables as they are.
                if self.memory != bytes {
                    (self.memory, self.best) = (bytes, Best::within(bytes));
                }
            }
            Info::MaxNode(nodes) => self.time.limit_nodes(nodes),
            info => _ = self.time.hear(&info),
        }
        Ok(())
    }

    /// Sets up the listed board and moves. Marks of nobody stand in finished lines and only take up
    /// squares, so they go to one side and the other in turn.
    fn set_up(&mut self) -> Result<String, RequestError> {
        let mut nobody = THEIRS;
        let (board, asked) = self.list(&RequestError::ExpectedWhose, |whose| match whose {
            Some(1) => Some(OWN),
            Some(2) => Some(THEIRS),
            Some(3) => {
                nobody = nobody.other();
                Some(nobody)
            }
            _ => None,
        })?;
        self.board = Some(board);
        self.go(asked)
    }

    /// Reads marks up to `DONE`, and returns their board and the moment when `DONE` was read.
    /// `owner` names the mark by the third number of a line. The error is the first in the list,
    /// and `expected` where a line is no mark or has no owner.
    fn list(
        &mut self,
        expected: &RequestError,
        mut owner: impl FnMut(Option<i64>) -> Option<Mark>,
    ) -> Result<(Board, Instant), RequestError> {
        let mut board = self.board().map(|board| Board::new(board.shape()));
        loop {
            let line = self.input.next().ok_or(RequestError::ExpectedDone)?;
            let read = match line.request {
                Ok(Request::Done) => {
                    let board = with_exact(&board?, self.is_exact);
                    return check_ongoing(&board).map(|()| (board, line.at));
                }
                Ok(Request::Listed(point, whose)) => board.as_mut().map_or(Ok(()), |board| {
                    let mark = owner(whose).ok_or_else(|| expected.clone())?;
                    place(board, point, mark).map(|_| ())
                }),
                Ok(Request::Info(info)) => self.set(info),
                Ok(_) => {
                    self.input.put_back(line);
                    return Err(RequestError::ExpectedDone);
                }
                Err(_) => Err(expected.clone()),
            };
            board = board.and_then(|board| read.map(|()| board));
        }
    }

    /// Finds a move and makes it.
    fn go(&mut self, asked: Instant) -> Result<String, RequestError> {
        let square = self.think(asked)?;
        self.board()?.place(square, OWN).map_err(|_| RequestError::Full)?;
        Ok(Point::from(square).to_string())
    }

    /// Finds a move, timed from the moment when it was `asked` for.
    fn think(&mut self, asked: Instant) -> Result<Square, RequestError> {
        let board = self.board.as_ref().ok_or(RequestError::NoBoard)?;
        check_ongoing(board)?;
        let best = &mut self.best;
        let square = self.time.run(&mut self.input, asked, |budget| {
            obvious(board).or_else(|| Some(best.choose_on(board, OWN, budget)?.square))
        });
        square.ok_or(RequestError::Full)
    }
}

/// The move that needs no search: the middle of an empty board, a five, or the one square that
/// keeps the opponent from a five.
fn obvious(board: &Board) -> Option<Square> {
    if board.marks() == 0 {
        let (row, col) = (board.shape().rows() / 2, board.shape().cols() / 2);
        return Some(Square { row, col });
    }
    let fives = |mark| {
        let free = board.free();
        free.filter(move |square| board.would_complete(*square, mark))
    };
    fives(OWN).next().or_else(|| {
        let mut theirs = fives(THEIRS);
        theirs.next().filter(|_| theirs.next().is_none())
    })
}

fn place(board: &mut Board, point: Point, mark: Mark) -> Result<Square, RequestError> {
    let square = point.on(board.shape())?;
    let placed = board.place(square, mark);
    placed.map_err(|_| RequestError::Occupied(point))?;
    Ok(square)
}

/// Refuses a board on which somebody has a line.
fn check_ongoing(board: &Board) -> Result<(), RequestError> {
    if board.has_line() { Err(RequestError::GameOver) } else { Ok(()) }
}

/// Copies the marks to a board on which five in a row win, exactly five or not.
fn with_exact(board: &Board, is_exact: bool) -> Board {
    let mut changed = Board::new(board.shape().with_exact(is_exact));
    for (square, mark) in board.taken() {
        // The square is empty, so nothing is refused.
        let _ = changed.place(square, mark);
    }
    changed
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;
    use crate::search::Budget;

    #[test]
    fn the_tables_last_until_the_limit_of_memory_changes() {
        let mut board = Board::new(Shape::new(7, 7, FIVE).unwrap());
        for (row, col) in [(2, 2), (3, 3), (3, 4)] {
            board.place(Square { row, col }, OWN).unwrap();
        }
        let mut engine = Engine::new(Input::open(io::empty(), || false), Instant::now());
        let mut spent_after = |bytes| {
            engine.set(Info::MaxMemory(bytes)).unwrap();
            let mut budget = Budget::nodes(1 << 20);
            engine.best.choose_on(&board, OWN, &mut budget).unwrap();
            budget.spent()
        };
        let first = spent_after(0);
        for (bytes, is_kept) in [(0, true), (1 << 30, false), (1 << 30, true), (0, false)] {
            assert_eq!(spent_after(bytes) < first, is_kept, "{bytes}: {first}");
        }
    }
}
