//! The answer to a command as data, and its spellings: a line for people, JSON for programs.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};
use std::ops::Range;

use anstyle::{AnsiColor, Style};
use serde::{Serialize, Serializer};

use crate::command::{Name, Place, Ragged, Verb};
use crate::game::{Board, Lines, Mark, Run, Shape, Square};
use crate::game::{Game, Outcome, PositionError, Refusal, Verdict};
use crate::player::{ChooseError, Kind};
use crate::search::{Score, Value};

/// How replies are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// A result and a sentence.
    Text,
    /// The same for a person at a terminal: no line numbers, and boards in styles, with what is new
    /// on them set off.
    Screen,
    /// One object a line.
    Json,
}

/// Which line a reply answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Origin<'a> {
    /// The file, if one was named.
    pub source: Option<&'a str>,
    /// The line, 1-based.
    pub line: u64,
}

/// The answer to one command, with the game as it stands after it.
#[derive(Clone, Debug)]
pub struct Reply<'a> {
    /// What was asked: `None` where the line was not understood.
    pub verb: Option<Verb>,
    /// What came of it.
    pub answer: Answer,
    /// The name of the current game.
    pub name: &'a Name,
    /// The current game.
    pub game: &'a Game,
}

/// What came of a command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// A move was made.
    Moved {
        /// Where to.
        square: Square,
        /// What it led to.
        verdict: Verdict,
        /// What the computer player thought that made it, if one did.
        thought: Option<Thought>,
    },
    /// A computer player would move here.
    Hint(Square, Thought),
    /// What every empty square is worth for the side to move, row by row.
    Analysis(Vec<(Square, Score)>),
    /// So many move sequences there are.
    Count(u64),
    /// This player moves for this mark from now on.
    Seated(Mark, Kind),
    /// So many moves were taken back.
    Undone(usize),
    /// So many moves were played again, and the last one led to this.
    Redone(usize, Verdict),
    /// A fresh game has begun.
    Started,
    /// The board was set up.
    SetUp,
    /// The moves so far.
    Moves,
    /// The board.
    Board,
    /// Who occupies this square.
    At(Square),
    /// The empty squares.
    Free,
    /// How the game stands.
    Status,
    /// Which game it is.
    Game,
    /// The session went over to this game.
    WentOver,
    /// The games of the session.
    Games(Vec<Name>),
    /// This game was forgotten.
    Dropped(Name),
    /// A text to read.
    Help(String),
    /// The session ends.
    Bye,
    /// A move or another change was refused.
    Refused {
        /// Why.
        refusal: Refusal,
        /// The square, as it was named.
        place: Option<Place>,
        /// Who was to move.
        mark: Option<Mark>,
        /// Which move of a replay it is, 1-based.
        nth: Option<usize>,
    },
    /// A computer player does not move.
    Declined(ChooseError),
    /// A diagram with rows of different lengths.
    Ragged(Ragged),
    /// A board that no game can reach.
    Unreachable(PositionError),
    /// A line that was not understood, or asks for more than there can be.
    Bad(String),
}

/// What a computer player thought of its move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Thought {
    /// Who thought.
    pub player: Kind,
    /// What the move is worth for the side that makes it.
    pub score: Score,
    /// How many positions were looked at.
    pub nodes: u64,
}

/// The code of a reply, which never changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "each is its own name")]
pub enum Code {
    Ok,
    Win,
    Draw,
    GameOver,
    Stale,
    NotYourTurn,
    InvalidMove,
    InvalidPosition,
    NothingToUndo,
    NothingToRedo,
    BadCommand,
}

impl Code {
    /// The code as replies spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ok => "OK",
            Self::Win => "WIN",
            Self::Draw => "DRAW",
            Self::GameOver => "GAME_OVER",
            Self::Stale => "STALE",
            Self::NotYourTurn => "NOT_YOUR_TURN",
            Self::InvalidMove => "INVALID_MOVE",
            Self::InvalidPosition => "INVALID_POSITION",
            Self::NothingToUndo => "NOTHING_TO_UNDO",
            Self::NothingToRedo => "NOTHING_TO_REDO",
            Self::BadCommand => "BAD_COMMAND",
        }
    }

    /// Whether what was asked was done.
    #[must_use]
    pub const fn is_accepted(self) -> bool {
        matches!(self, Self::Ok | Self::Win | Self::Draw)
    }
}

/// What stands before the value of a member, put together by the compiler: one copy is quicker than
/// four.
macro_rules! key {
    ($name:literal) => {
        concat!(",\"", $name, "\":")
    };
}

impl Reply<'_> {
    /// The code of the reply.
    #[must_use]
    pub const fn code(&self) -> Code {
        match &self.answer {
            Answer::Moved { verdict, .. } | Answer::Redone(_, verdict) => match verdict {
                Verdict::Ongoing => Code::Ok,
                Verdict::Win(_) => Code::Win,
                Verdict::Draw => Code::Draw,
            },
            Answer::SetUp => match self.game.outcome() {
                None => Code::Ok,
                Some(Outcome::Won(_)) => Code::Win,
                Some(Outcome::Drawn) => Code::Draw,
            },
            Answer::Refused { refusal, .. } => match refusal {
                Refusal::GameOver { .. } => Code::GameOver,
                Refusal::Stale { .. } => Code::Stale,
                Refusal::NotYourTurn { .. } => Code::NotYourTurn,
                Refusal::OffBoard { .. } | Refusal::Occupied { .. } => Code::InvalidMove,
                Refusal::NothingToUndo { .. } => Code::NothingToUndo,
                Refusal::NothingToRedo { .. } => Code::NothingToRedo,
            },
            Answer::Ragged(_) | Answer::Unreachable(_) => Code::InvalidPosition,
            Answer::Declined(ChooseError::GameOver) => Code::GameOver,
            Answer::Declined(ChooseError::TooManyFree { .. } | ChooseError::Stopped)
            | Answer::Bad(_) => Code::BadCommand,
            Answer::Hint(..)
            | Answer::Analysis(_)
            | Answer::Count(_)
            | Answer::Seated(..)
            | Answer::Undone(_)
            | Answer::Started
            | Answer::Moves
            | Answer::Board
            | Answer::At(_)
            | Answer::Free
            | Answer::Status
            | Answer::Game
            | Answer::WentOver
            | Answer::Games(_)
            | Answer::Dropped(_)
            | Answer::Help(_)
            | Answer::Bye => Code::Ok,
        }
    }

    /// Appends the reply to `out`, with its line end. Moves, undo and redo allocate nothing.
    ///
    /// # Errors
    ///
    /// None: `out` takes what it is given.
    pub fn write(&self, origin: Origin<'_>, format: Format, out: &mut Vec<u8>) -> io::Result<()> {
        match format {
            Format::Text => self.write_text(Some(origin.line), out)?,
            Format::Screen => self.write_text(None, out)?,
            Format::Json => self.write_json(origin, out)?,
        }
        out.write_all(b"\n")
    }

    /// With the number of the line, or for the screen.
    fn write_text(&self, line: Option<u64>, out: &mut Vec<u8>) -> io::Result<()> {
        out.extend_from_slice(self.code().name().as_bytes());
        if let Some(message) = self.message() {
            // Before the first line only a computer can have been asked.
            if let Some(line) = line.filter(|line| *line > 0) {
                write!(out, ": line {line}")?;
            }
            return write!(out, ": {message}");
        }
        out.extend_from_slice(b": ");
        let game = self.game;
        match &self.answer {
            Answer::Moved {
                square,
                verdict,
                thought,
            } => {
                self.write_move(*square, *verdict, out);
                if let Some(thought) = thought {
                    write!(out, " ({}{})", thought.player, Worthy(": ", thought.score))?;
                }
            }
            Answer::Hint(square, Thought { player, score, .. }) => {
                let turn = game.turn().map_or("", Mark::name);
                write!(
                    out,
                    "{player} would play {turn} at {square}{}",
                    Worthy(", ", *score)
                )?;
            }
            Answer::Analysis(signs) => {
                const LEGEND: &str = "+ wins, = draws, - loses, ? is not known";
                let picture = self.picture(signs, line.is_none());
                write!(out, "{}: {LEGEND}\n{picture}", Standing(game))?;
            }
            Answer::Count(1) => out.write_all(b"1 sequence")?,
            Answer::Count(count) => write!(out, "{count} sequences")?,
            Answer::Seated(mark, player) => write!(out, "{player} plays {mark}")?,
            Answer::Redone(_, verdict @ (Verdict::Win(_) | Verdict::Draw)) => {
                if let Some(&square) = game.moves().last() {
                    self.write_move(square, *verdict, out);
                }
            }
            Answer::Redone(count, _) => self.write_moves("played", " again", *count, out)?,
            Answer::Undone(count) => self.write_moves("took back", "", *count, out)?,
            Answer::Started | Answer::SetUp => {
                write!(out, "{}, {}", ShapeText(game), Standing(game))?;
            }
            Answer::Moves if game.moves().is_empty() => out.write_all(b"no moves yet")?,
            Answer::Moves => write_squares(game.moves().iter().copied(), " ", out),
            Answer::Board => {
                let picture = self.picture(&[], line.is_none());
                write!(out, "{}, {}\n{picture}", ShapeText(game), Standing(game))?;
            }
            Answer::At(square) => match game.board().at(*square) {
                Some(mark) => write!(out, "{square} is taken by {mark}")?,
                None => write!(out, "{square} is empty")?,
            },
            Answer::Free if game.board().is_full() => out.write_all(b"no empty square")?,
            Answer::Free => write_squares(game.board().free(), ", ", out),
            Answer::Status => {
                let (made, version) = (MoveCount(game.moves().len()), game.version());
                write!(
                    out,
                    "{}, {}, {made}, version {version}",
                    Standing(game),
                    ShapeText(game)
                )?;
            }
            Answer::Game | Answer::WentOver => write!(
                out,
                "game {}, {}, {}",
                self.name,
                ShapeText(game),
                Standing(game)
            )?,
            Answer::Games(names) => {
                for (nth, name) in names.iter().enumerate() {
                    write!(out, "{}{name}", if nth > 0 { ", " } else { "" })?;
                }
            }
            Answer::Dropped(name) if name == self.name => {
                write!(out, "dropped {name}, which starts afresh")?;
            }
            Answer::Dropped(name) => write!(out, "dropped {name}, now in {}", self.name)?,
            Answer::Help(text) => out.write_all(text.as_bytes())?,
            Answer::Bye => out.write_all(b"bye")?,
            Answer::Refused { .. }
            | Answer::Declined(_)
            | Answer::Ragged(_)
            | Answer::Unreachable(_)
            | Answer::Bad(_) => {}
        }
        Ok(())
    }

    fn picture<'a>(&'a self, signs: &'a [(Square, Score)], is_styled: bool) -> Picture<'a> {
        if is_styled {
            Picture::styled(self.game, signs)
        } else {
            Picture::plain(self.game.board(), signs)
        }
    }

    /// `X at 0 0, O to move`. No formatting machinery: there are more of these than of all others.
    fn write_move(&self, square: Square, verdict: Verdict, out: &mut Vec<u8>) {
        let mark = self.game.board().at(square).unwrap_or(Mark::X);
        out.extend_from_slice(mark.name().as_bytes());
        out.extend_from_slice(b" at ");
        write_square(square, out);
        match verdict {
            Verdict::Ongoing => {
                out.extend_from_slice(b", ");
                out.extend_from_slice(mark.other().name().as_bytes());
                out.extend_from_slice(b" to move");
            }
            Verdict::Win(lines) => {
                // With k = 1 the same square is a line in every direction: once is enough here.
                let most = if self.game.board().shape().k() > 1 {
                    4
                } else {
                    1
                };
                for (nth, run) in lines.iter().take(most).enumerate() {
                    let before: &[u8] = if nth > 0 { b" and " } else { b" completes " };
                    out.extend_from_slice(before);
                    write_squares(run.squares(), ", ", out);
                }
            }
            Verdict::Draw => out.extend_from_slice(b" fills the board"),
        }
    }

    /// `took back 0 2, X to move`, or `took back 3 moves, X to move`.
    fn write_moves(&self, did: &str, how: &str, count: usize, out: &mut Vec<u8>) -> io::Result<()> {
        out.extend_from_slice(did.as_bytes());
        out.push(b' ');
        match self.moves() {
            [square] => write_square(*square, out),
            _ => write!(out, "{}", MoveCount(count))?,
        }
        out.extend_from_slice(how.as_bytes());
        out.extend_from_slice(b", ");
        match self.game.turn() {
            Some(turn) => {
                out.extend_from_slice(turn.name().as_bytes());
                out.extend_from_slice(b" to move");
                Ok(())
            }
            None => write!(out, "{}", Standing(self.game)),
        }
    }

    /// The members in the order of the contract, those that do not apply left out.
    fn write_json(&self, origin: Origin<'_>, out: &mut Vec<u8>) -> io::Result<()> {
        let game = self.game;
        let shape = game.board().shape();
        let start = out.len();
        let mut members = Members(out);
        if let Some(source) = origin.source {
            members.text(key!("source"), source)?;
        }
        members.number(key!("line"), origin.line);
        if let Some(verb) = self.verb {
            members.word(key!("command"), verb.name());
        }
        members.word(key!("result"), self.code().name());
        if let Some(reason) = self.reason() {
            members.word(key!("reason"), reason);
        }
        if let Some(message) = self.message() {
            members.text(key!("message"), &message)?;
        }
        self.write_answer(&mut members)?;
        members.text(key!("game"), self.name.as_str())?;
        if matches!(
            self.answer,
            Answer::Started | Answer::Status | Answer::SetUp | Answer::Board
        ) {
            members.number(key!("rows"), shape.rows());
            members.number(key!("cols"), shape.cols());
            members.number(key!("k"), shape.k());
            if shape.is_exact() {
                members.flag(key!("exact"), true);
            }
        }
        if self.answer == Answer::Status {
            members.number(key!("moves_made"), game.moves().len());
        }
        members.number(key!("version"), game.version());
        members.mark(key!("turn"), game.turn());
        members.mark(key!("winner"), game.outcome().and_then(Outcome::winner));
        members.flag(key!("over"), game.outcome().is_some());
        if let Some(first) = out.get_mut(start) {
            *first = b'{';
        }
        out.push(b'}');
        Ok(())
    }

    /// The members that the answer alone has.
    fn write_answer(&self, members: &mut Members<'_>) -> io::Result<()> {
        let game = self.game;
        let (board, shape) = (game.board(), game.board().shape());
        match &self.answer {
            Answer::Moved {
                square,
                verdict,
                thought,
            } => {
                members.mark(key!("mark"), board.at(*square));
                members.square(*square);
                if let Some(thought) = thought {
                    members.thought(*thought);
                }
                members.lines(*verdict)?;
            }
            Answer::Hint(square, thought) => {
                members.mark(key!("mark"), game.turn());
                members.square(*square);
                members.thought(*thought);
            }
            Answer::Analysis(squares) => members.value(key!("squares"), &Analysis(squares))?,
            Answer::Count(count) => members.number(key!("count"), *count),
            Answer::At(square) => {
                members.mark(key!("mark"), board.at(*square));
                members.square(*square);
            }
            Answer::Refused {
                place, mark, nth, ..
            } => {
                if let Some(nth) = nth {
                    members.number(key!("move"), *nth);
                }
                let square = place.map(|place| place.on(shape));
                if let Some(square) = square.filter(|square| shape.contains(*square)) {
                    if mark.is_some() {
                        members.mark(key!("mark"), *mark);
                    }
                    members.square(square);
                }
            }
            Answer::Undone(_) | Answer::Moves => {
                members.value(key!("moves"), &Squares(self.moves()))?;
            }
            Answer::Redone(_, verdict) => {
                members.lines(*verdict)?;
                members.value(key!("moves"), &Squares(self.moves()))?;
            }
            Answer::Free => members.value(key!("squares"), &Free(board))?,
            Answer::Board | Answer::SetUp => members.value(key!("board"), &Rows(board))?,
            Answer::Games(names) => {
                let names: Vec<&str> = names.iter().map(Name::as_str).collect();
                members.value(key!("games"), &names)?;
            }
            Answer::Help(text) => members.value(key!("help"), text)?,
            Answer::Seated(..)
            | Answer::Started
            | Answer::Status
            | Answer::Game
            | Answer::WentOver
            | Answer::Dropped(_)
            | Answer::Bye
            | Answer::Declined(_)
            | Answer::Ragged(_)
            | Answer::Unreachable(_)
            | Answer::Bad(_) => {}
        }
        Ok(())
    }

    /// What a refusal says to people: `None` where nothing was refused.
    pub(crate) fn message(&self) -> Option<String> {
        Some(match &self.answer {
            Answer::Ragged(error) => error.to_string(),
            Answer::Unreachable(error) => error.to_string(),
            Answer::Declined(ChooseError::GameOver) => match self.game.outcome() {
                Some(outcome) => format!("the game is over: {outcome}"),
                None => ChooseError::GameOver.to_string(),
            },
            Answer::Declined(reason) => reason.to_string(),
            Answer::Bad(message) => message.clone(),
            Answer::Refused {
                refusal,
                place,
                nth,
                ..
            } => {
                let nth = nth.map(|nth| format!("move {nth}: ")).unwrap_or_default();
                let refused = Refused {
                    refusal: *refusal,
                    place: *place,
                };
                let turn = match (refusal, self.verb, self.game.turn()) {
                    (
                        Refusal::OffBoard { .. } | Refusal::Occupied { .. },
                        Some(Verb::Play),
                        Some(turn),
                    ) => {
                        format!("; {turn} to move")
                    }
                    _ => String::new(),
                };
                format!("{nth}{refused}{turn}")
            }
            _ => return None,
        })
    }

    /// The code within a code, of those that have several causes.
    const fn reason(&self) -> Option<&'static str> {
        match &self.answer {
            Answer::Refused {
                refusal: Refusal::OffBoard { .. },
                ..
            } => Some("off_board"),
            Answer::Refused {
                refusal: Refusal::Occupied { .. },
                ..
            } => Some("occupied"),
            Answer::Ragged(_) => Some("ragged"),
            Answer::Unreachable(PositionError::Count { .. }) => Some("count"),
            Answer::Unreachable(_) => Some("unreachable"),
            _ => None,
        }
    }

    /// The moves that the answer is about, oldest first.
    fn moves(&self) -> &[Square] {
        let game = self.game;
        match self.answer {
            Answer::Undone(count) => game.undone().get(..count).unwrap_or_default(),
            Answer::Redone(count, _) => {
                let start = game.moves().len() - count.min(game.moves().len());
                game.moves().get(start..).unwrap_or_default()
            }
            Answer::Moves => game.moves(),
            _ => &[],
        }
    }
}

pub(crate) fn write_square(square: Square, out: &mut Vec<u8>) {
    write_number(square.row, out);
    out.push(b' ');
    write_number(square.col, out);
}

/// One digit is a byte, and most numbers here have one.
#[inline]
fn write_number(number: u16, out: &mut Vec<u8>) {
    match u8::try_from(number) {
        Ok(digit @ 0..10) => out.push(b'0' + digit),
        _ => out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes()),
    }
}

fn write_squares(squares: impl Iterator<Item = Square>, between: &str, out: &mut Vec<u8>) {
    for (nth, square) in squares.enumerate() {
        if nth > 0 {
            out.extend_from_slice(between.as_bytes());
        }
        write_square(square, out);
    }
}

/// `3 x 3, 3 in a row`.
struct ShapeText<'a>(&'a Game);

impl fmt::Display for ShapeText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shape = self.0.board().shape();
        let exactly = if shape.is_exact() { "exactly " } else { "" };
        write!(
            f,
            "{} x {}, {exactly}{} in a row",
            shape.rows(),
            shape.cols(),
            shape.k()
        )
    }
}

/// `X to move`, or how the game ended.
struct Standing<'a>(&'a Game);

impl fmt::Display for Standing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0.outcome(), self.0.turn()) {
            (Some(outcome), _) => write!(f, "{outcome}"),
            (None, Some(turn)) => write!(f, "{turn} to move"),
            (None, None) => Ok(()),
        }
    }
}

/// `1 move`, `2 moves`.
pub(crate) struct MoveCount(pub(crate) usize);

impl fmt::Display for MoveCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} move{}", self.0, if self.0 == 1 { "" } else { "s" })
    }
}

/// A refusal with the square as it was named.
struct Refused {
    refusal: Refusal,
    place: Option<Place>,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.refusal, self.place) {
            (Refusal::GameOver { outcome }, _) => write!(f, "the game is over: {outcome}"),
            (Refusal::Stale { seen, version }, _) => {
                write!(f, "the game is at version {version}, not {seen}")
            }
            (Refusal::NotYourTurn { mark }, _) => {
                write!(f, "it is not {mark}'s turn: {} to move", mark.other())
            }
            (Refusal::Occupied { by, .. }, Some(place)) => write!(f, "{place} is taken by {by}"),
            (Refusal::Occupied { square, by }, None) => write!(f, "{square} is taken by {by}"),
            (Refusal::OffBoard { shape, .. }, Some(place @ Place::Nth(_))) => {
                write!(
                    f,
                    "{place} is off the board: numbers run from 1 to {}",
                    shape.squares()
                )
            }
            (Refusal::OffBoard { shape, .. }, Some(place)) => {
                write!(f, "{place} is off the board: {}", Bounds(shape))
            }
            (Refusal::OffBoard { square, shape }, None) => {
                write!(f, "{square} is off the board: {}", Bounds(shape))
            }
            (Refusal::NothingToUndo { made: 0, .. }, _) => {
                f.write_str("nothing to take back: no move was made")
            }
            (Refusal::NothingToRedo { undone: 0, .. }, _) => {
                f.write_str("nothing to play again: no move was taken back")
            }
            (Refusal::NothingToUndo { asked, made }, _) => {
                write!(
                    f,
                    "cannot take back {asked} moves: only {} made",
                    MoveCount(made)
                )
            }
            (Refusal::NothingToRedo { asked, undone }, _) => {
                write!(
                    f,
                    "cannot play {asked} moves again: only {} taken back",
                    MoveCount(undone)
                )
            }
        }
    }
}

/// `rows and columns run from 0 to 2`.
struct Bounds(Shape);

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rows, cols) = (self.0.rows() - 1, self.0.cols() - 1);
        if rows == cols {
            write!(f, "rows and columns run from 0 to {rows}")
        } else {
            write!(f, "rows run from 0 to {rows}, columns from 0 to {cols}")
        }
    }
}

/// What a worth adds to a sentence, after a word between: `a win in 5 moves`; nothing where it is
/// not known.
struct Worthy(&'static str, Score);

impl fmt::Display for Worthy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(between, Score { value, plies }) = *self;
        let value = match value {
            Value::Win => "a win",
            Value::Draw => return write!(f, "{between}a draw"),
            Value::Loss => "a loss",
            Value::Unknown => return Ok(()),
        };
        write!(f, "{between}{value}")?;
        plies.map_or(Ok(()), |plies| {
            write!(f, " in {}", MoveCount(plies as usize))
        })
    }
}

/// The board with its coordinates along two edges, and on empty squares what they are worth.
#[derive(Clone, Debug)]
pub struct Picture<'a> {
    board: &'a Board,
    /// In board order; none where the board alone is drawn.
    signs: &'a [(Square, Score)],
    /// The squares in brackets, in board order: `None` where nothing is styled either.
    set_off: Option<Vec<Square>>,
    rows: Range<u16>,
    cols: Range<u16>,
}

impl<'a> Picture<'a> {
    const fn plain(board: &'a Board, signs: &'a [(Square, Score)]) -> Self {
        Self {
            board,
            signs,
            set_off: None,
            rows: 0..board.shape().rows(),
            cols: 0..board.shape().cols(),
        }
    }

    fn styled(game: &'a Game, signs: &'a [(Square, Score)]) -> Self {
        let mut set_off: Vec<Square> = match game.outcome() {
            Some(Outcome::Won(_)) => game
                .board()
                .lines()
                .flat_map(|(_, run)| run.squares())
                .collect(),
            _ => game.moves().last().copied().into_iter().collect(),
        };
        set_off.sort_unstable();
        Self {
            set_off: Some(set_off),
            ..Self::plain(game.board(), signs)
        }
    }

    /// The board of `game` with the last move or the winning lines set off. What does not fit into
    /// so many rows and columns of text is left out, as far as possible from the last move, and the
    /// last row of text says so.
    #[must_use]
    pub fn within(game: &'a Game, (rows, cols): (usize, usize)) -> Self {
        let picture = Self::around(game, (rows, cols));
        if picture.is_whole() {
            picture
        } else {
            Self::around(game, (rows.saturating_sub(1), cols))
        }
    }

    /// Whether nothing is left out.
    fn is_whole(&self) -> bool {
        let shape = self.board.shape();
        (&self.rows, &self.cols) == (&(0..shape.rows()), &(0..shape.cols()))
    }

    /// The part of the board around the last move for which there is room.
    fn around(game: &'a Game, (rows, cols): (usize, usize)) -> Self {
        let picture = Self::styled(game, &[]);
        let shape = game.board().shape();
        let cols = cols.saturating_sub(picture.left() + 1) / picture.width();
        let middle = Square {
            row: shape.rows() / 2,
            col: shape.cols() / 2,
        };
        let at = game.moves().last().copied().unwrap_or(middle);
        Self {
            rows: around(at.row, shape.rows(), rows.saturating_sub(1)),
            cols: around(at.col, shape.cols(), cols),
            ..picture
        }
    }

    /// How many columns of text stand before the board.
    fn left(&self) -> usize {
        2 + digits(self.board.shape().rows())
    }

    /// How many columns of text a square takes, the gap before it included.
    fn width(&self) -> usize {
        let longest = self.signs.iter().map(|(_, score)| sign(*score).len()).max();
        1 + digits(self.board.shape().cols()).max(longest.unwrap_or(1))
    }

    /// `text` in `style`, where the picture is styled.
    fn write(
        &self,
        f: &mut fmt::Formatter<'_>,
        style: Style,
        text: impl fmt::Display,
    ) -> fmt::Result {
        match self.set_off {
            Some(_) => write!(f, "{style}{text}{style:#}"),
            None => write!(f, "{text}"),
        }
    }

    fn write_row(&self, f: &mut fmt::Formatter<'_>, row: u16, width: usize) -> fmt::Result {
        let set_off = self.set_off.as_deref().unwrap_or_default();
        let mut was_set_off = false;
        for col in self.cols.clone() {
            let square = Square { row, col };
            let is_set_off = set_off.binary_search(&square).is_ok();
            let mark = self.board.at(square);
            let score = self.signs.binary_search_by_key(&square, |(at, _)| *at);
            let score = score.ok().and_then(|nth| self.signs.get(nth));
            let (text, style) = match (mark, score) {
                (Some(Mark::X), _) => (Cow::Borrowed("X"), OF_X),
                (Some(Mark::O), _) => (Cow::Borrowed("O"), Style::new()),
                (None, Some((_, score))) => (Cow::Owned(sign(*score)), style_of(score.value)),
                (None, None) => (Cow::Borrowed("."), FAINT),
            };
            let blanks = width.saturating_sub(text.len());
            match (was_set_off, is_set_off, blanks) {
                (true, true, 2..) => write!(f, "]{:>1$}", "[", blanks - 1)?,
                (true, false, _) => write!(f, "{:blanks$}", "]")?,
                (false, true, _) => write!(f, "{:>blanks$}", "[")?,
                _ => write!(f, "{:blanks$}", "")?,
            }
            self.write(f, if is_set_off { style.bold() } else { style }, text)?;
            was_set_off = is_set_off;
        }
        f.write_str(if was_set_off { "]" } else { "" })
    }
}

/// Readable on light and on dark.
const OF_X: Style = AnsiColor::Magenta.on_default();
const FAINT: Style = Style::new().dimmed();

impl fmt::Display for Picture<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (left, width) = (self.left(), self.width());
        write!(f, "{:left$}", "")?;
        for col in self.cols.clone() {
            self.write(f, FAINT, format_args!("{col:width$}"))?;
        }
        for row in self.rows.clone() {
            f.write_str("\n")?;
            self.write(f, FAINT, format_args!("{row:left$}"))?;
            self.write_row(f, row, width)?;
        }
        if self.is_whole() {
            return Ok(());
        }
        f.write_str("\n\"board\" draws all of it")
    }
}

/// How many digits the last coordinate of a side has.
fn digits(side: u16) -> usize {
    (side - 1).to_string().len()
}

/// As many of a side's rows or columns as there is room for, with `at` as near the middle as can be.
fn around(at: u16, side: u16, room: usize) -> Range<u16> {
    let room = u16::try_from(room).unwrap_or(u16::MAX).clamp(1, side);
    let start = at.saturating_sub(room / 2).min(side - room);
    start..start + room
}

/// What a worth looks like on the board.
fn sign(Score { value, plies }: Score) -> String {
    let sign = match value {
        Value::Win => "+",
        Value::Draw => return "=".to_owned(),
        Value::Loss => "-",
        Value::Unknown => "?",
    };
    plies.map_or(sign.to_owned(), |plies| format!("{sign}{plies}"))
}

/// What is known stands out from what is not, and a win from the rest.
const fn style_of(value: Value) -> Style {
    match value {
        Value::Win => Style::new().bold(),
        Value::Draw | Value::Loss => Style::new(),
        Value::Unknown => FAINT,
    }
}

/// The members of a JSON object, appended one by one, each after a comma: plain bytes where nothing
/// can need an escape, which is most of them, `serde_json` for the rest.
struct Members<'a>(&'a mut Vec<u8>);

impl Members<'_> {
    #[inline]
    fn number(&mut self, key: &str, number: impl itoa::Integer) {
        self.0.extend_from_slice(key.as_bytes());
        self.0
            .extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
    }

    /// A word of our own, without anything to escape.
    #[inline]
    fn word(&mut self, key: &str, word: &str) {
        self.0.extend_from_slice(key.as_bytes());
        self.0.push(b'"');
        self.0.extend_from_slice(word.as_bytes());
        self.0.push(b'"');
    }

    /// A mark, or null for nobody.
    #[inline]
    fn mark(&mut self, key: &str, mark: Option<Mark>) {
        self.0.extend_from_slice(key.as_bytes());
        self.0.extend_from_slice(match mark {
            Some(Mark::X) => b"\"X\"",
            Some(Mark::O) => b"\"O\"",
            None => b"null",
        });
    }

    #[inline]
    fn flag(&mut self, key: &str, flag: bool) {
        self.0.extend_from_slice(key.as_bytes());
        self.0
            .extend_from_slice(if flag { b"true" } else { b"false" });
    }

    #[inline]
    fn square(&mut self, square: Square) {
        self.number(key!("row"), square.row);
        self.number(key!("col"), square.col);
    }

    fn thought(&mut self, thought: Thought) {
        self.word(key!("player"), thought.player.name());
        self.word(key!("value"), value_name(thought.score.value));
        if let Some(plies) = thought.score.plies {
            self.number(key!("plies"), plies);
        } else {
            self.0.extend_from_slice(b",\"plies\":null");
        }
        self.number(key!("nodes"), thought.nodes);
    }

    fn lines(&mut self, verdict: Verdict) -> io::Result<()> {
        match verdict {
            Verdict::Win(lines) => self.value(key!("winning_lines"), &Runs(lines)),
            Verdict::Ongoing | Verdict::Draw => Ok(()),
        }
    }

    /// A text of somebody else's, which seldom has anything to escape.
    fn text(&mut self, key: &str, text: &str) -> io::Result<()> {
        if text.contains(|c: char| c.is_control() || matches!(c, '"' | '\\')) {
            return self.value(key, text);
        }
        self.word(key, text);
        Ok(())
    }

    fn value(&mut self, key: &str, value: &(impl Serialize + ?Sized)) -> io::Result<()> {
        self.0.extend_from_slice(key.as_bytes());
        Ok(serde_json::to_writer(&mut *self.0, value)?)
    }
}

const fn pair(square: Square) -> [u16; 2] {
    [square.row, square.col]
}

struct Squares<'a>(&'a [Square]);

impl Serialize for Squares<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_seq(self.0.iter().copied().map(pair))
    }
}

const fn value_name(value: Value) -> &'static str {
    match value {
        Value::Win => "win",
        Value::Draw => "draw",
        Value::Loss => "loss",
        Value::Unknown => "unknown",
    }
}

/// What each empty square is worth.
struct Analysis<'a>(&'a [(Square, Score)]);

impl Serialize for Analysis<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Entry {
            row: u16,
            col: u16,
            value: &'static str,
            plies: Option<u32>,
        }
        out.collect_seq(self.0.iter().map(|(square, score)| Entry {
            row: square.row,
            col: square.col,
            value: value_name(score.value),
            plies: score.plies,
        }))
    }
}

/// The empty squares of a board.
struct Free<'a>(&'a Board);

impl Serialize for Free<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_seq(self.0.free().map(pair))
    }
}

struct Runs(Lines);

impl Serialize for Runs {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        struct OneRun(Run);
        impl Serialize for OneRun {
            fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
                out.collect_seq(self.0.squares().map(pair))
            }
        }
        out.collect_seq(self.0.iter().map(OneRun))
    }
}

/// A board as an array of strings, one a row.
struct Rows<'a>(&'a Board);

impl Serialize for Rows<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let board = self.0;
        let shape = board.shape();
        let text = |row| {
            let squares = (0..shape.cols()).map(move |col| Square { row, col });
            let marks = squares.map(|square| board.at(square).map_or(".", Mark::name));
            marks.collect::<String>()
        };
        out.collect_seq((0..shape.rows()).map(text))
    }
}
