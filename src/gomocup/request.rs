//! One line from the manager, parsed.

use std::fmt;
use std::str::FromStr;

use crate::command::quoted;

/// Column and row, 0-based from the top left: the other way round than a
/// [`Square`](crate::game::Square). Whether it is on the board is not known yet.
pub type Point = (i64, i64);

/// What a manager asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Request {
    /// A fresh board of so many columns and rows.
    Start { cols: i64, rows: i64 },
    /// A fresh board of the same size.
    Restart,
    /// The first move.
    Begin,
    /// The opponent has moved there: an answer to it.
    Turn(Point),
    /// A whole board follows, and a move on it is asked for.
    Board,
    /// An opening by the swap2 rule follows.
    Swap2Board,
    /// The end of what follows those two.
    Done,
    /// A line of what follows those two.
    Numbers(Vec<i64>),
    /// The mark there goes.
    Takeback(Point),
    /// The engine moves there.
    Play(Point),
    /// A move, without playing it.
    Suggest,
    /// A setting.
    Info(Info),
    /// Who this is.
    About,
    /// The conversation ends.
    End,
}

/// A setting. Times are in milliseconds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Info {
    /// For one move; 0 is at once.
    TimeoutTurn(u64),
    /// For the whole game; 0 is without limit.
    TimeoutMatch(u64),
    /// What is left for the whole game; less than nothing where it is used up.
    TimeLeft(i64),
    /// In bytes; 0 is without limit.
    MaxMemory(u64),
    /// Positions for one move; 0 is without limit.
    MaxNode(u64),
    /// What wins, as the manager put it.
    Rule(String),
    /// A setting that is of no use here, or whose value is no number.
    Other,
}

impl Info {
    /// Whether it says how much time there is.
    pub const fn is_time(&self) -> bool {
        matches!(
            self,
            Self::TimeoutTurn(_) | Self::TimeoutMatch(_) | Self::TimeLeft(_)
        )
    }
}

/// Why a line cannot be carried out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ParseRequestError {
    /// No command is called so.
    Unknown(String),
    /// The command wants to be followed by something else.
    Wants(&'static str),
}

impl fmt::Display for ParseRequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(word) => write!(f, "UNKNOWN command {}", quoted(word)),
            Self::Wants(usage) => write!(f, "ERROR expected \"{usage}\""),
        }
    }
}

impl FromStr for Request {
    type Err = ParseRequestError;

    /// Reads a line, its words in any case.
    fn from_str(line: &str) -> Result<Self, ParseRequestError> {
        let line = line.trim();
        let (word, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
        let rest = rest.trim();
        let alone = |command, usage| {
            let is_alone = rest.is_empty();
            is_alone
                .then_some(command)
                .ok_or(ParseRequestError::Wants(usage))
        };
        let point = |command: fn(Point) -> Self, usage| match numbers(rest).as_deref() {
            Some(&[x, y]) => Ok(command((x, y))),
            _ => Err(ParseRequestError::Wants(usage)),
        };
        match word.to_ascii_uppercase().as_str() {
            "START" => match numbers(rest).as_deref() {
                Some(&[side]) => Ok(Self::Start {
                    cols: side,
                    rows: side,
                }),
                _ => Err(ParseRequestError::Wants("START size")),
            },
            "RECTSTART" => match numbers(rest).as_deref() {
                Some(&[cols, rows]) => Ok(Self::Start { cols, rows }),
                _ => Err(ParseRequestError::Wants("RECTSTART width,height")),
            },
            "RESTART" => alone(Self::Restart, "RESTART"),
            "BEGIN" => alone(Self::Begin, "BEGIN"),
            "TURN" => point(Self::Turn, "TURN x,y"),
            "BOARD" => alone(Self::Board, "BOARD"),
            "SWAP2BOARD" => alone(Self::Swap2Board, "SWAP2BOARD"),
            "DONE" => alone(Self::Done, "DONE"),
            "TAKEBACK" => point(Self::Takeback, "TAKEBACK x,y"),
            "PLAY" => point(Self::Play, "PLAY x,y"),
            "SUGGEST" => alone(Self::Suggest, "SUGGEST"),
            "INFO" => Ok(Self::Info(info(rest))),
            "ABOUT" => alone(Self::About, "ABOUT"),
            "END" => alone(Self::End, "END"),
            _ => match numbers(line) {
                Some(numbers) => Ok(Self::Numbers(numbers)),
                None => Err(ParseRequestError::Unknown(word.to_owned())),
            },
        }
    }
}

/// Whole numbers with commas between them.
fn numbers(text: &str) -> Option<Vec<i64>> {
    let number = |word: &str| word.trim().parse().ok();
    text.split(',').map(number).collect()
}

fn info(text: &str) -> Info {
    let (key, value) = text.split_once([' ', '\t']).unwrap_or((text, ""));
    let value = value.trim();
    let signed: Option<i64> = value.parse().ok();
    let number = signed.and_then(|value| u64::try_from(value).ok());
    let known = match key.to_ascii_lowercase().as_str() {
        "timeout_turn" => number.map(Info::TimeoutTurn),
        "timeout_match" => number.map(Info::TimeoutMatch),
        "time_left" => signed.map(Info::TimeLeft),
        "max_memory" => number.map(Info::MaxMemory),
        "max_node" => number.map(Info::MaxNode),
        "rule" => Some(Info::Rule(value.to_owned())),
        _ => None,
    };
    known.unwrap_or(Info::Other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_read_in_any_case_and_with_any_blanks() {
        let cases = [
            ("START 20", Request::Start { cols: 20, rows: 20 }),
            ("RECTSTART 20,15", Request::Start { cols: 20, rows: 15 }),
            ("rectstart 20 , 15", Request::Start { cols: 20, rows: 15 }),
            ("RESTART", Request::Restart),
            ("begin\t", Request::Begin),
            ("Turn  3,-4 ", Request::Turn((3, -4))),
            ("BOARD", Request::Board),
            ("SWAP2BOARD", Request::Swap2Board),
            ("done", Request::Done),
            ("10,5,1", Request::Numbers(vec![10, 5, 1])),
            ("TAKEBACK 3,4", Request::Takeback((3, 4))),
            ("PLAY 3,4", Request::Play((3, 4))),
            ("SUGGEST", Request::Suggest),
            ("ABOUT", Request::About),
            ("END", Request::End),
        ];
        for (line, command) in cases {
            assert_eq!(line.parse(), Ok(command), "{line}");
        }
    }

    #[test]
    fn a_setting_is_read_or_passed_over() {
        let cases = [
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
        for (line, info) in cases {
            assert_eq!(line.parse(), Ok(Request::Info(info)), "{line}");
        }
    }

    #[test]
    fn what_is_no_command_says_so() {
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
            ("\u{7f}", "UNKNOWN command \"\\u{7f}\""),
        ];
        for (line, said) in cases {
            let error = line.parse::<Request>().map_err(|error| error.to_string());
            assert_eq!(error, Err(said.to_owned()), "{line}");
        }
    }
}
