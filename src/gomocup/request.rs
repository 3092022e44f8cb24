//! Requests of a manager, each a line, and the errors that answer them.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use super::FIVE;
use crate::command::quoted;
use crate::game::{Shape, Square};

/// A place as the protocol writes it: column `x` and row `y`, from 0 at the top left. It need not
/// be on the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Point {
    pub x: i64,
    pub y: i64,
}

impl Point {
    /// The square of a board of `shape`.
    ///
    /// # Errors
    ///
    /// [`RequestError::OffBoard`].
    pub fn on(self, shape: Shape) -> Result<Square, RequestError> {
        let square = u16::try_from(self.y).ok().zip(u16::try_from(self.x).ok());
        let square = square.map(|(row, col)| Square { row, col });
        let on_board = square.filter(|square| shape.contains(*square));
        on_board.ok_or(RequestError::OffBoard(self))
    }
}

impl From<Square> for Point {
    fn from(Square { row, col }: Square) -> Self {
        Self { x: col.into(), y: row.into() }
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.x, self.y)
    }
}

/// A request of the manager.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Request {
    /// An empty board of this size.
    Start { cols: i64, rows: i64 },
    /// An empty board of the same size.
    Restart,
    /// The first move of the game.
    Begin,
    /// The opponent's move, to be answered with one.
    Turn(Point),
    /// A list of marks, to be answered with a move.
    Board,
    /// A list of the marks of a swap2 opening, to be answered with a choice.
    Swap2Board,
    /// A line of a list: a mark, and whose it is where that is said.
    Listed(Point, Option<i64>),
    /// The end of a list.
    Done,
    /// A mark to take off the board.
    Takeback(Point),
    /// The engine's own move, as the manager wants it.
    Play(Point),
    /// A move that is not to be made.
    Suggest,
    /// A setting.
    Info(Info),
    /// The name and version of the engine.
    About,
    /// The end of the conversation.
    End,
}

/// A setting. Times are in milliseconds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Info {
    /// The time for a move; 0 asks for a move at once.
    TimeoutTurn(u64),
    /// The time for a game; 0 is unlimited.
    TimeoutMatch(u64),
    /// The time left for the game, negative where it is exceeded.
    TimeLeft(i64),
    /// The memory in bytes; 0 is unlimited.
    MaxMemory(u64),
    /// The positions for a move; 0 is unlimited.
    MaxNode(u64),
    /// The rule of what wins, as sent.
    Rule(String),
    /// A setting that is not used, or whose value is not a number in range.
    Other,
}

/// The reason why a request is not carried out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RequestError {
    /// No command has this name.
    Unknown(String),
    /// The arguments differ from this usage.
    Expected(&'static str),
    /// A line of a board is not `x,y,whose`.
    ExpectedWhose,
    /// Another request comes before the end of a list.
    ExpectedDone,
    /// This many marks are no swap2 opening.
    Swap2(usize),
    /// The board would be too small or too large.
    Size,
    /// The rule is not supported.
    Rule(String),
    NoBoard,
    OffBoard(Point),
    Occupied(Point),
    Empty(Point),
    GameOver,
    Full,
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_unknown = matches!(self, Self::Unknown(_));
        f.write_str(if is_unknown { "UNKNOWN " } else { "ERROR " })?;
        match self {
            Self::Unknown(word) => write!(f, "command {}", quoted(word)),
            Self::Expected(usage) => write!(f, "expected \"{usage}\""),
            Self::ExpectedWhose => f.write_str(
                "expected \"x,y,whose\", where 1 is an own mark, 2 the other side's, 3 nobody's",
            ),
            Self::ExpectedDone => f.write_str("expected \"DONE\" at the end of the board"),
            Self::Swap2(marks) => {
                write!(f, "expected none, 3 or 5 marks of a swap2 opening, not {marks}")
            }
            Self::Size => {
                let max = Shape::MAX_SIDE;
                write!(f, "a side of the board must be {FIVE} to {max}")
            }
            Self::Rule(rule) => write!(
                f,
                "rule {} is not supported: 0 is five or more in a row, 1 is exactly five",
                quoted(rule)
            ),
            Self::NoBoard => f.write_str("there is no board yet: \"START size\" makes one"),
            Self::OffBoard(point) => write!(f, "{point} is off the board"),
            Self::Occupied(point) => write!(f, "{point} is taken"),
            Self::Empty(point) => write!(f, "{point} is empty"),
            Self::GameOver => f.write_str("the game is over"),
            Self::Full => f.write_str("the board is full"),
        }
    }
}

impl Error for RequestError {}

impl FromStr for Request {
    type Err = RequestError;

    /// Reads a line, in any case.
    fn from_str(line: &str) -> Result<Self, RequestError> {
        let line = line.trim();
        let (word, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
        let rest = rest.trim();
        let alone = |request| rest.is_empty().then_some(request);
        let point = || numbers(rest).map(|[x, y]| Point { x, y });
        let start = |cols, rows| Self::Start { cols, rows };
        let (request, usage) = match word.to_ascii_uppercase().as_str() {
            "START" => (numbers(rest).map(|[side]| start(side, side)), "START size"),
            "RECTSTART" => (numbers(rest).map(|[x, y]| start(x, y)), "RECTSTART width,height"),
            "RESTART" => (alone(Self::Restart), "RESTART"),
            "BEGIN" => (alone(Self::Begin), "BEGIN"),
            "TURN" => (point().map(Self::Turn), "TURN x,y"),
            "BOARD" => (alone(Self::Board), "BOARD"),
            "SWAP2BOARD" => (alone(Self::Swap2Board), "SWAP2BOARD"),
            "DONE" => (alone(Self::Done), "DONE"),
            "TAKEBACK" => (point().map(Self::Takeback), "TAKEBACK x,y"),
            "PLAY" => (point().map(Self::Play), "PLAY x,y"),
            "SUGGEST" => (alone(Self::Suggest), "SUGGEST"),
            "INFO" => return Ok(Self::Info(info(rest))),
            "ABOUT" => (alone(Self::About), "ABOUT"),
            "END" => (alone(Self::End), "END"),
            _ => {
                let two = numbers(line).map(|[x, y]| Self::Listed(Point { x, y }, None));
                let three =
                    || numbers(line).map(|[x, y, whose]| Self::Listed(Point { x, y }, Some(whose)));
                return two.or_else(three).ok_or_else(|| RequestError::Unknown(word.to_owned()));
            }
        };
        request.ok_or(RequestError::Expected(usage))
    }
}

/// Reads exactly `N` whole numbers with commas between them.
fn numbers<const N: usize>(text: &str) -> Option<[i64; N]> {
    let mut words = text.split(',');
    let mut numbers = [0; N];
    for number in &mut numbers {
        *number = words.next()?.trim().parse().ok()?;
    }
    words.next().is_none().then_some(numbers)
}

fn info(text: &str) -> Info {
    let (key, value) = text.split_once([' ', '\t']).unwrap_or((text, ""));
    let value = value.trim();
    let signed: Option<i64> = value.parse().ok();
    let number = signed.and_then(|value| u64::try_from(value).ok());
    let info = match key.to_ascii_lowercase().as_str() {
        "timeout_turn" => number.map(Info::TimeoutTurn),
        "timeout_match" => number.map(Info::TimeoutMatch),
        "time_left" => signed.map(Info::TimeLeft),
        "max_memory" => number.map(Info::MaxMemory),
        "max_node" => number.map(Info::MaxNode),
        "rule" => Some(Info::Rule(value.to_owned())),
        _ => None,
    };
    info.unwrap_or(Info::Other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_request_and_setting_is_read_in_any_case_and_with_any_blanks() {
        let at = |x, y| Point { x, y };
        let cases = [
            ("START 20", Request::Start { cols: 20, rows: 20 }),
            ("RECTSTART 20,15", Request::Start { cols: 20, rows: 15 }),
            ("rectstart 20 , 15", Request::Start { cols: 20, rows: 15 }),
            ("RESTART", Request::Restart),
            ("begin\t", Request::Begin),
            ("Turn  3,-4 ", Request::Turn(at(3, -4))),
            ("BOARD", Request::Board),
            ("SWAP2BOARD", Request::Swap2Board),
            ("done", Request::Done),
            ("10,5,1", Request::Listed(at(10, 5), Some(1))),
            (" 10 , 5", Request::Listed(at(10, 5), None)),
            ("TAKEBACK 3,4", Request::Takeback(at(3, 4))),
            ("PLAY 3,4", Request::Play(at(3, 4))),
            ("SUGGEST", Request::Suggest),
            ("ABOUT", Request::About),
            ("END", Request::End),
        ];
        let infos = [
            ("INFO timeout_turn 1000", Info::TimeoutTurn(1000)),
            ("info Timeout_Match 0", Info::TimeoutMatch(0)),
            ("INFO TIME_LEFT -20", Info::TimeLeft(-20)),
            ("INFO max_memory 83886080", Info::MaxMemory(83_886_080)),
            ("INFO max_node 5000", Info::MaxNode(5000)),
            ("INFO rule 1", Info::Rule("1".into())),
            ("INFO rule", Info::Rule(String::new())),
            ("INFO timeout_turn -5", Info::Other),
            ("INFO timeout_turn soon", Info::Other),
            ("INFO time_left 99999999999999999999", Info::Other),
            ("INFO folder C:\\My Folder", Info::Other),
            ("INFO", Info::Other),
        ];
        let infos = infos.map(|(line, info)| (line, Request::Info(info)));
        for (line, request) in cases.into_iter().chain(infos) {
            assert_eq!(line.parse(), Ok(request), "{line}");
        }
    }

    #[test]
    fn a_line_that_is_no_request_says_what_is_wrong() {
        let cases = [
            ("START", "ERROR expected \"START size\""),
            ("START 15 15", "ERROR expected \"START size\""),
            ("START big", "ERROR expected \"START size\""),
            ("RECTSTART 15", "ERROR expected \"RECTSTART width,height\""),
            ("TURN 7", "ERROR expected \"TURN x,y\""),
            ("TURN 7,7,7", "ERROR expected \"TURN x,y\""),
            ("TURN 7,99999999999999999999", "ERROR expected \"TURN x,y\""),
            ("END now", "ERROR expected \"END\""),
            ("FLY 1,1", "UNKNOWN command \"FLY\""),
            ("1,x", "UNKNOWN command \"1,x\""),
            ("1,2,3,4", "UNKNOWN command \"1,2,3,4\""),
            ("\u{7f}", "UNKNOWN command \"\\u{7f}\""),
        ];
        for (line, message) in cases {
            let error = line.parse::<Request>().map_err(|error| error.to_string());
            assert_eq!(error, Err(message.to_owned()), "{line}");
        }
    }
}
