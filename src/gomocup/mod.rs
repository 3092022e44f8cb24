//! The Gomocup (Piskvork) protocol, by which a manager plays with `best` as an engine.
//!
//! See the [protocol](https://plastovicka.github.io/protocl2en.htm): a request is a line, `x,y` is
//! column and row, and a response is a line, flushed. A thread reads the input while a search goes
//! on, so that the manager can end it.

mod input;
mod request;
mod response;
mod swap2;
mod time_control;

use std::error::Error;
use std::fmt;
use std::io::{self, BufRead, Write};
use std::time::Instant;

use self::input::{Input, Line};
use self::request::{Info, Point, Request};
use self::response::{RequestError, Response};
use self::time_control::TimeControl;
use crate::game::{Board, Mark, Shape, Square};
use crate::player::Best;

/// The error that ended a conversation early.
#[derive(Debug)]
pub enum GomocupError {
    /// The input could not be read on.
    Read(io::Error),
    /// The responses could not be written.
    Write(io::Error),
}

impl fmt::Display for GomocupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(error) | Self::Write(error) => error.fmt(f),
        }
    }
}

impl Error for GomocupError {}

impl From<io::Error> for GomocupError {
    fn from(error: io::Error) -> Self {
        Self::Write(error)
    }
}

/// Plays for the manager that writes `input` and reads `out`, until `END` or until one of them
/// closes. `started` is the start of the process.
///
/// Memory is that of [`Best`], within `INFO max_memory`, and of two boards.
///
/// # Errors
///
/// [`GomocupError`] where reading or writing fails.
pub fn gomocup(
    input: impl BufRead + Send + 'static,
    mut out: impl Write,
    started: Instant,
) -> Result<(), GomocupError> {
    let mut engine = Engine {
        input: Input::open(input),
        board: None,
        is_exact: false,
        time: TimeControl::new(started),
        best: Best::default(),
    };
    while let Some(line) = engine.input.next() {
        match engine.respond(line) {
            Ok(None) => continue,
            Ok(Some(response)) => writeln!(out, "{response}")?,
            Err(error) => writeln!(out, "{error}")?,
        }
        out.flush()?;
    }
    let failure = engine.input.failure();
    failure.map_or(Ok(()), |error| Err(GomocupError::Read(error)))
}

/// The marks in a row that win, and the shortest side of a board.
const FIVE: u64 = 5;

/// The marks of the engine and of its opponent, whoever began.
const OWN: Mark = Mark::X;
const THEIRS: Mark = Mark::O;

/// The state of a conversation.
struct Engine {
    input: Input,
    board: Option<Board>,
    /// The rule that exactly five in a row win, set by `INFO rule`.
    is_exact: bool,
    time: TimeControl,
    best: Best,
}

impl Engine {
    /// Carries out a request. A setting and `END` have no response.
    fn respond(&mut self, line: Line) -> Result<Option<Response>, RequestError> {
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
            Request::Play(point) => Response::Move(self.place(point, OWN)?),
            Request::Suggest => Response::Suggest(self.think(asked)?),
            Request::Takeback(point) => {
                let board = self.board()?;
                let taken = board.unplace(point.on(board.shape())?);
                taken.ok_or(RequestError::Empty(point))?;
                Response::Ok
            }
            Request::Board => self.set_up()?,
            Request::Swap2Board => self.swap2()?,
            Request::Info(info) => return self.set(info).map(|()| None),
            Request::About => Response::About,
            Request::Done => return Err(RequestError::Unknown("DONE".into())),
            Request::Listed(point, whose) => {
                let whose = whose.map_or(String::new(), |whose| format!(",{whose}"));
                return Err(RequestError::Unknown(format!("{point}{whose}")));
            }
            Request::End => return Ok(None),
        }))
    }

    fn start(&mut self, cols: i64, rows: i64) -> Result<Response, RequestError> {
        let side = |side| u64::try_from(side).ok().filter(|side| *side >= FIVE);
        let shape = side(rows).zip(side(cols));
        let shape = shape.and_then(|(rows, cols)| Shape::new(rows, cols, FIVE).ok());
        let shape = shape.ok_or(RequestError::Size)?;
        Ok(self.begin(shape.with_exact(self.is_exact)))
    }

    /// Begins a game on an empty board.
    fn begin(&mut self, shape: Shape) -> Response {
        self.board = Some(Board::new(shape));
        self.time.restart();
        Response::Ok
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
                self.best = Best::within(bytes.unwrap_or(usize::MAX));
            }
            Info::MaxNode(nodes) => self.time.limit_nodes(nodes),
            info => {
                self.time.hear(&info);
            }
        }
        Ok(())
    }

    /// Sets up the listed board and moves. Marks of nobody stand in finished lines and only take up
    /// squares, so they go to one side and the other in turn.
    fn set_up(&mut self) -> Result<Response, RequestError> {
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
    fn go(&mut self, asked: Instant) -> Result<Response, RequestError> {
        let square = self.think(asked)?;
        let placed = self.board()?.place(square, OWN);
        placed.map_err(|_| RequestError::Full)?;
        Ok(Response::Move(square))
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
    let line = board.lines().next();
    line.map_or(Ok(()), |_| Err(RequestError::GameOver))
}

/// The same marks on a board on which five in a row win, exactly five or not.
fn with_exact(board: &Board, is_exact: bool) -> Board {
    let mut changed = Board::new(board.shape().with_exact(is_exact));
    for (square, mark) in board.taken() {
        // The square is empty, so nothing is refused.
        let _ = changed.place(square, mark);
    }
    changed
}
