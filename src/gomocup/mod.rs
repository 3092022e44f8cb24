//! The Gomocup (Piskvork) protocol: a manager names the opponent's moves, and `best` answers them.
//!
//! The [protocol](https://plastovicka.github.io/protocl2en.htm) and what managers make of it: a line a
//! command, `x,y` for column and row, answers of one line, flushed. A thread of its own reads, so that
//! a search hears at once that it is to end.

mod input;
mod request;
mod time_control;

use std::fmt;
use std::io::{BufRead, Write};
use std::time::{Duration, Instant};

use self::input::{Input, Line};
use self::request::{Info, ParseRequestError, Point, Request};
use self::time_control::TimeControl;
use crate::command::quoted;
use crate::game::{Board, Mark, PlaceError, Shape, Square};
use crate::limit::search_within;
use crate::player::Best;
use crate::search::Budget;
use crate::shell::repl::ReplError;

/// Plays for the manager that writes `input` and reads `out`, until `END` or until one of them
/// closes. `started` is when the process did.
///
/// Memory is that of [`Best`], within `INFO max_memory`, and of the largest board.
///
/// # Errors
///
/// What reading or writing came upon.
pub fn gomocup(
    input: impl BufRead + Send + 'static,
    mut out: impl Write,
    started: Instant,
) -> Result<(), ReplError> {
    let mut engine = Engine::new(Input::open(input), started);
    while let Some(line) = engine.input.next() {
        if line.command == Ok(Request::End) {
            break;
        }
        match engine.answer(line) {
            Ok(None) => continue,
            Ok(Some(reply)) => writeln!(out, "{reply}")?,
            Err(fault) => writeln!(out, "{fault}")?,
        }
        out.flush()?;
    }
    engine
        .input
        .failure()
        .map_or(Ok(()), |error| Err(ReplError::Read(error)))
}

/// Marks in a row that win.
const FIVE: u64 = 5;

/// The smallest side of a board, on which five in a row fit each way.
const MIN_SIDE: u64 = FIVE;

/// Whose mark is whose: who began does not matter for a move.
const OWN: Mark = Mark::X;
const THEIRS: Mark = Mark::O;

/// Positions for a move that is to be made at once: some milliseconds, and enough to see a threat.
const AT_ONCE: u64 = 1000;

/// A line that is read so soon after the start of the process may have been waiting since then.
const STARTING: Duration = Duration::from_millis(500);

/// Column and row of the three marks that open a game by the swap2 rule. They stand near a corner,
/// and either side won four of eight games that `best` played from there against itself.
const OPENING: [(u16, u16); 3] = [(2, 2), (3, 3), (3, 1)];

/// Positions for each move of a game that is played on to see who is ahead, which takes some forty
/// moves: a second or less for all of it.
const OUTLOOK: u64 = 4000;

/// What the manager is told.
enum Response {
    Ok,
    /// A move, or the marks of an opening.
    Moves(Vec<Square>),
    /// What would be the move.
    Suggest(Square),
    /// The other mark, please.
    Swap,
    About,
}

impl fmt::Display for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ok => f.write_str("OK"),
            Self::Moves(squares) => {
                for (at, Square { row, col }) in squares.iter().enumerate() {
                    let gap = if at > 0 { " " } else { "" };
                    write!(f, "{gap}{col},{row}")?;
                }
                Ok(())
            }
            Self::Suggest(Square { row, col }) => write!(f, "SUGGEST {col},{row}"),
            Self::Swap => f.write_str("SWAP"),
            Self::About => write!(
                f,
                "name=\"noughts\", version=\"{}\", author=\"The noughts authors\"",
                env!("CARGO_PKG_VERSION")
            ),
        }
    }
}

/// Why a command is not carried out.
enum RequestError {
    ParseRequestError(ParseRequestError),
    Size,
    Rule(String),
    NoBoard,
    OffBoard(Point),
    Occupied(Point),
    Empty(Point),
    GameOver,
    Full,
    Unfinished,
    NoPoint,
    Swap2(usize),
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Self::ParseRequestError(misread) = self {
            return misread.fmt(f);
        }
        f.write_str("ERROR ")?;
        match self {
            Self::ParseRequestError(_) => Ok(()),
            Self::Size => write!(
                f,
                "a side of the board must be {MIN_SIDE} to {}",
                Shape::MAX_SIDE
            ),
            Self::Rule(rule) => write!(
                f,
                "rule {} is not supported: 0 is five or more in a row, 1 is exactly five",
                quoted(rule)
            ),
            Self::NoBoard => f.write_str("there is no board yet: \"START size\" makes one"),
            Self::OffBoard((x, y)) => write!(f, "{x},{y} is off the board"),
            Self::Occupied((x, y)) => write!(f, "{x},{y} is taken"),
            Self::Empty((x, y)) => write!(f, "{x},{y} is empty"),
            Self::GameOver => f.write_str("the game is over"),
            Self::Full => f.write_str("the board is full"),
            Self::Unfinished => f.write_str("expected \"DONE\" at the end of the board"),
            Self::NoPoint => f.write_str(
                "expected \"x,y,whose\", where 1 is an own mark, 2 the other side's, 3 nobody's",
            ),
            Self::Swap2(marks) => {
                write!(
                    f,
                    "expected none, 3 or 5 marks of a swap2 opening, not {marks}"
                )
            }
        }
    }
}

impl From<ParseRequestError> for RequestError {
    fn from(misread: ParseRequestError) -> Self {
        Self::ParseRequestError(misread)
    }
}

/// The state of the conversation.
struct Engine {
    input: Input,
    /// Until the first move.
    started: Option<Instant>,
    board: Option<Board>,
    is_exact: bool,
    limits: TimeControl,
    best: Best,
}

impl Engine {
    fn new(input: Input, started: Instant) -> Self {
        Self {
            input,
            started: Some(started),
            board: None,
            is_exact: false,
            limits: TimeControl::default(),
            best: Best::default(),
        }
    }

    /// Does what a line asks for; there is no reply to a setting.
    fn answer(&mut self, line: Line) -> Result<Option<Response>, RequestError> {
        let at = line.at;
        Ok(Some(match line.command? {
            Request::Start { cols, rows } => self.start(cols, rows)?,
            Request::Restart => {
                let shape = self.board()?.shape();
                self.begin(Board::new(shape));
                Response::Ok
            }
            Request::Begin => self.go(at)?,
            Request::Turn(point) => {
                self.place(point, THEIRS)?;
                self.go(at)?
            }
            Request::Play(point) => {
                let square = self.place(point, OWN)?;
                Response::Moves(vec![square])
            }
            Request::Suggest => Response::Suggest(self.think(at)?),
            Request::Takeback(point) => {
                let square = self.square(point)?;
                let taken = self.board()?.unplace(square);
                taken
                    .map(|_| Response::Ok)
                    .ok_or(RequestError::Empty(point))?
            }
            Request::Board => {
                let (marks, asked) = self.listed(at)?;
                let board = self.set_up(&marks)?;
                self.board = Some(board);
                self.go(asked)?
            }
            Request::Swap2Board => {
                let (marks, asked) = self.listed(at)?;
                self.choose_opening(&marks, asked)?
            }
            Request::Info(info) => {
                self.hear(info)?;
                return Ok(None);
            }
            Request::About => Response::About,
            // These belong to a list, and the end is not answered at all.
            Request::Done => return Err(ParseRequestError::Unknown("DONE".into()).into()),
            Request::Numbers(numbers) => {
                let words: Vec<_> = numbers.iter().map(i64::to_string).collect();
                return Err(ParseRequestError::Unknown(words.join(",")).into());
            }
            Request::End => return Ok(None),
        }))
    }

    fn start(&mut self, cols: i64, rows: i64) -> Result<Response, RequestError> {
        let side = |side| u64::try_from(side).ok().filter(|side| *side >= MIN_SIDE);
        let (cols, rows) = side(cols).zip(side(rows)).ok_or(RequestError::Size)?;
        let shape = Shape::new(rows, cols, FIVE).map_err(|_| RequestError::Size)?;
        let shape = shape.with_exact(self.is_exact);
        self.begin(Board::new(shape));
        Ok(Response::Ok)
    }

    fn begin(&mut self, board: Board) {
        self.board = Some(board);
        self.limits.renew();
    }

    fn board(&mut self) -> Result<&mut Board, RequestError> {
        self.board.as_mut().ok_or(RequestError::NoBoard)
    }

    fn square(&mut self, (x, y): Point) -> Result<Square, RequestError> {
        let shape = self.board()?.shape();
        let square = u16::try_from(y).ok().zip(u16::try_from(x).ok());
        let square = square.map(|(row, col)| Square { row, col });
        let on_board = square.filter(|square| shape.contains(*square));
        on_board.ok_or(RequestError::OffBoard((x, y)))
    }

    fn place(&mut self, point: Point, mark: Mark) -> Result<Square, RequestError> {
        let square = self.square(point)?;
        let board = self.board()?;
        if is_won(board) {
            return Err(RequestError::GameOver);
        }
        match board.place(square, mark) {
            Ok(_) => Ok(square),
            Err(PlaceError::OffBoard) => Err(RequestError::OffBoard(point)),
            Err(PlaceError::Occupied(_)) => Err(RequestError::Occupied(point)),
        }
    }

    fn hear(&mut self, info: Info) -> Result<(), RequestError> {
        match info {
            Info::Rule(rule) => {
                self.is_exact = match rule.as_str() {
                    "0" => false,
                    "1" => true,
                    _ => return Err(RequestError::Rule(rule)),
                };
                if let Some(board) = self.board.take() {
                    self.board = Some(by_rule(&board, self.is_exact));
                }
            }
            Info::MaxMemory(bytes) => {
                self.best = if bytes == 0 {
                    Best::default()
                } else {
                    Best::within(usize::try_from(bytes).unwrap_or(usize::MAX))
                };
            }
            info => self.limits.hear(&info),
        }
        Ok(())
    }

    /// What follows up to `DONE`, and when that was there. A command in between, other than a
    /// setting, means that it never comes.
    fn listed(&mut self, mut at: Instant) -> Result<(Vec<Vec<i64>>, Instant), RequestError> {
        let mut marks = Vec::new();
        let mut fault = self.board().err();
        // What is more than a board can take, or a mark can need, is not held.
        let most = self
            .board
            .as_ref()
            .map_or(0, |board| board.shape().squares());
        loop {
            let Some(line) = self.input.next() else {
                return Err(RequestError::Unfinished);
            };
            at = at.max(line.at);
            match line.command {
                Ok(Request::Numbers(numbers)) if numbers.len() > 3 => {
                    fault.get_or_insert(RequestError::NoPoint);
                }
                Ok(Request::Numbers(numbers)) if marks.len() < most => marks.push(numbers),
                Ok(Request::Numbers(_)) => {
                    fault.get_or_insert(RequestError::Full);
                }
                Ok(Request::Info(info)) => {
                    if let Err(refused) = self.hear(info) {
                        fault.get_or_insert(refused);
                    }
                }
                Ok(Request::Done) => break,
                Ok(command) => {
                    let command = Ok(command);
                    self.input.put_back(Line { command, at });
                    return Err(RequestError::Unfinished);
                }
                Err(_) => {
                    fault.get_or_insert(RequestError::NoPoint);
                }
            }
        }
        fault.map_or(Ok((marks, at)), Err)
    }

    /// A board with these marks. Whose those of a finished line are does not matter any more, so
    /// that they go to one and the other in turn, and only are in the way.
    fn set_up(&mut self, marks: &[Vec<i64>]) -> Result<Board, RequestError> {
        let mut board = Board::new(self.board()?.shape());
        let mut nobodys = [OWN, THEIRS].into_iter().cycle();
        for mark in marks {
            let &[x, y, whose @ 1..=3] = mark.as_slice() else {
                return Err(RequestError::NoPoint);
            };
            let square = self.square((x, y))?;
            let mark = match whose {
                1 => OWN,
                2 => THEIRS,
                _ => nobodys.next().unwrap_or(OWN),
            };
            board
                .place(square, mark)
                .map_err(|_| RequestError::Occupied((x, y)))?;
        }
        if is_won(&board) {
            return Err(RequestError::GameOver);
        }
        Ok(board)
    }

    /// Moves.
    fn go(&mut self, asked: Instant) -> Result<Response, RequestError> {
        let square = self.think(asked)?;
        let board = self.board()?;
        board.place(square, OWN).map_err(|_| RequestError::Full)?;
        Ok(Response::Moves(vec![square]))
    }

    /// Finds a move in the time there is since it was `asked` for.
    fn think(&mut self, asked: Instant) -> Result<Square, RequestError> {
        let asked = self.since(asked);
        let Self {
            input,
            board,
            limits,
            best,
            ..
        } = self;
        let board = board.as_ref().ok_or(RequestError::NoBoard)?;
        if is_won(board) {
            return Err(RequestError::GameOver);
        }
        let square = match obvious(board) {
            Some(square) => Some(square),
            None => within(limits, input, asked, |budget| {
                best.choose_on(board, OWN, budget)
            })
            .map(|choice| choice.square),
        };
        limits.spend(asked.elapsed());
        square.ok_or(RequestError::Full)
    }

    /// When the time for a move began that was `asked` for then: the first one's runs from the start
    /// of the process.
    fn since(&mut self, asked: Instant) -> Instant {
        let started = self.started.take();
        let recent = started.filter(|started| asked.duration_since(*started) < STARTING);
        recent.unwrap_or(asked)
    }

    /// Answers for an opening by the swap2 rule: three marks from one side, the other's choice, and
    /// the choice of the first where the other has added two. The marks are given back by the
    /// manager afterwards, as a board.
    fn choose_opening(
        &mut self,
        marks: &[Vec<i64>],
        asked: Instant,
    ) -> Result<Response, RequestError> {
        let shape = self.board()?.shape();
        if marks.is_empty() {
            let squares = OPENING.map(|(col, row)| Square { row, col });
            return Ok(Response::Moves(squares.to_vec()));
        }
        if !matches!(marks.len(), 3 | 5) {
            return Err(RequestError::Swap2(marks.len()));
        }
        let mut board = Board::new(shape);
        // The second side, whose move is the next, is the own one unless it wants to swap.
        for (mark, whose) in marks.iter().zip([THEIRS, OWN].into_iter().cycle()) {
            let &[x, y] = mark.as_slice() else {
                return Err(ParseRequestError::Wants("x,y").into());
            };
            let square = self.square((x, y))?;
            board
                .place(square, whose)
                .map_err(|_| RequestError::Occupied((x, y)))?;
        }
        if is_won(&board) {
            return Err(RequestError::GameOver);
        }
        let asked = self.since(asked);
        let Self {
            input,
            limits,
            best,
            ..
        } = self;
        let reply = within(limits, input, asked, |budget| {
            let winner = budget.eighths(4, |budget| outlook(best, board.clone(), budget));
            if winner == Some(THEIRS) {
                return Some(Response::Swap);
            }
            let choice = best.choose_on(&board, OWN, budget)?;
            Some(Response::Moves(vec![choice.square]))
        });
        limits.spend(asked.elapsed());
        reply.ok_or(RequestError::Full)
    }
}

/// Calls `search` with what is left of the time since it was `asked` for. Until it has an answer,
/// it hears what the manager sends: to be quick, to have other times, or that it is over.
fn within<T>(
    limits: &mut TimeControl,
    input: &mut Input,
    asked: Instant,
    search: impl FnOnce(&mut Budget<'_>) -> Option<T>,
) -> Option<T> {
    let nodes = limits.nodes();
    let mut look = || {
        input.look(|command| match command {
            Request::Info(info) if info.is_time() => {
                limits.hear(info);
                true
            }
            _ => false,
        });
        if input.is_ending() {
            Duration::ZERO
        } else {
            limits.allowance()
        }
    };
    if look().is_zero() {
        search(&mut Budget::nodes(nodes.min(AT_ONCE)))
    } else {
        search_within(nodes, asked, |_| Some(look()), search).flatten()
    }
}

/// The move where there is nothing to think about: the middle of an empty board, a five, or the one
/// square that keeps the other side from a five.
fn obvious(board: &Board) -> Option<Square> {
    let shape = board.shape();
    if board.marks() == 0 {
        let (row, col) = (shape.rows() / 2, shape.cols() / 2);
        return Some(Square { row, col });
    }
    let fives = |mark| {
        board
            .free()
            .filter(move |square| board.would_complete(*square, mark))
    };
    fives(OWN).next().or_else(|| {
        let mut theirs = fives(THEIRS);
        theirs.next().filter(|_| theirs.next().is_none())
    })
}

/// Plays a game on, a little thought for every move, and says who wins it: `None` where nobody does,
/// or not within the budget.
fn outlook(best: &mut Best, mut board: Board, budget: &mut Budget<'_>) -> Option<Mark> {
    let mut turn = OWN;
    while budget.check().is_ok() {
        let choice = budget.at_most(OUTLOOK, |part| best.choose_on(&board, turn, part))?;
        if board.place(choice.square, turn).ok()?.is_some() {
            return Some(turn);
        }
        turn = turn.other();
    }
    None
}

/// Whether somebody has a line.
fn is_won(board: &Board) -> bool {
    board.lines().next().is_some()
}

/// The same marks, by the rule of exactly five or of five and more.
fn by_rule(board: &Board, is_exact: bool) -> Board {
    let shape = board.shape().with_exact(is_exact);
    let mut changed = Board::new(shape);
    for square in shape.iter() {
        if let Some(mark) = board.at(square) {
            // The square is there, and empty.
            let _ = changed.place(square, mark);
        }
    }
    changed
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use std::io::{self, BufReader};

    use super::*;

    #[test]
    fn a_search_hears_what_is_sent_while_it_goes_on() {
        for (last, was_heard) in [
            ("INFO timeout_turn 0\n", true),
            ("INFO rule 1\nABOUT\nINFO time_left -1\n", true),
            ("END\n", true),
            // What belongs after another request is not for this search.
            ("RESTART\nINFO timeout_turn 0\n", false),
        ] {
            let (input, mut manager) = io::pipe().unwrap();
            let mut input = Input::open(BufReader::new(input));
            let mut limits = TimeControl::default();
            limits.hear(&Info::TimeoutTurn(u64::from(u32::MAX)));
            let most: u64 = if was_heard { 1 << 40 } else { 1 << 16 };
            limits.hear(&Info::MaxNode(most));
            let spent = within(&mut limits, &mut input, Instant::now(), |budget| {
                manager.write_all(last.as_bytes()).unwrap();
                while budget.spend().is_ok() {}
                Some(budget.spent())
            });
            assert_eq!(spent < Some(most), was_heard, "{last:?}");
        }
    }

    #[test]
    fn a_game_played_on_shows_who_is_ahead() {
        // Four in a row with both ends open, and the side to move.
        for (whose, has_four) in [(OWN, OWN), (THEIRS, THEIRS)] {
            let mut board = Board::new(Shape::new(15, 15, 5).unwrap());
            for col in 4..8 {
                board.place(Square { row: 7, col }, whose).unwrap();
            }
            let mut best = Best::within(0);
            let mut budget = Budget::nodes(10_000);
            assert_eq!(
                outlook(&mut best, board.clone(), &mut budget),
                Some(has_four)
            );
            let stopped = |_| true;
            let mut budget = Budget::nodes(10_000).watched_by(&stopped);
            assert_eq!(outlook(&mut best, board, &mut budget), None);
        }
    }

    #[test]
    fn the_first_move_has_the_time_since_the_process_started() {
        let soon = Duration::from_millis(20);
        let started = Instant::now();
        let engine = || Engine::new(Input::open(io::empty()), started);
        let (early, late) = (started + soon, started + STARTING);
        assert_eq!(engine().since(early), started);
        assert_eq!(engine().since(late), late);
        let mut engine = engine();
        engine.since(early);
        assert_eq!(engine.since(early + soon), early + soon);
    }
}
