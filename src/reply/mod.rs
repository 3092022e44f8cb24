//! The answer to a command as data, and its two spellings: a line for people, JSON for programs.

mod json;
mod picture;
mod text;

use std::borrow::Cow;
use std::io;

use thiserror::Error;

pub use self::json::write_standing;
pub use self::picture::Picture;
use crate::command::{
    Action, Command, CommandError, Coords, Diagram, Name, Place, RaggedError, Seat, Size, Verb,
    quoted,
};
use crate::game::{Game, Mark, Outcome, PositionError, Refusal, ShapeError, Square, Verdict};
use crate::player::ChooseError;
use crate::search::perft::PerftError;
use crate::search::{Candidate, Score};

/// The format of replies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    Text,
    /// Text for a person at a terminal: no line numbers, and boards in styles, with what is new on
    /// them set off.
    Screen,
    Json,
}

/// The line that a reply answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Origin<'a> {
    /// The name of the file, if one was named.
    pub source: Option<&'a str>,
    /// The number of the line, from 1; 0 before the first.
    pub line: u64,
    /// The comment of the line, of any bytes, which JSON brings back.
    pub comment: Option<&'a [u8]>,
}

/// The answer to one command, with the game as it stands after it.
#[derive(Clone, Debug)]
pub struct Reply<'a> {
    /// The verb of the command: `None` where the line was not understood.
    pub verb: Option<Verb>,
    pub answer: Result<Answer, RunError>,
    pub name: &'a Name,
    pub game: &'a Game,
    pub seats: &'a [Seat; 2],
    pub coords: Coords,
}

/// The result of a command that was carried out, as far as the game after it does not tell it: what
/// was done is named, and what was asked for is there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// A move was made, and a computer player that made it thought this of it.
    Moved(Verdict, Option<Thought>),
    /// A fresh game was played as far as the command said, and its last move led to this.
    Replayed(Verdict),
    /// A computer player would make this move for the side to move.
    Hint(Square, Thought),
    /// The score of every empty square for the side to move, row by row.
    Analysis(Vec<(Square, Score)>),
    /// The best moves for the side to move, best first, and the positions that were searched.
    Candidates(Vec<Candidate>, u64),
    Count(u64),
    Seated(Mark),
    Seats,
    Swapped,
    Coords,
    /// So many moves were taken back.
    Undone(usize),
    /// So many moves were played again, and the last one led to this.
    Redone(usize, Verdict),
    Started,
    SetUp,
    Moves,
    Board,
    At(Square),
    Free,
    Status,
    Game,
    WentOver,
    Games(Vec<Name>),
    Dropped(Name),
    /// The game is in the file of this name.
    Saved(String),
    /// The game is that of the file, and this is to be known of it.
    Loaded {
        file: String,
        notes: Vec<String>,
    },
    Help(Option<Verb>),
    Bye,
}

/// The error of a command that was not carried out, or of a line that is no command. It has changed
/// nothing.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum RunError {
    /// A move, the `nth` one of a replay, or a question about a square was refused. `place` is the
    /// square as it was named, `mark` the one that was to move, if one was.
    #[error("{}", text::refused(*nth, *mark, *place, *refusal))]
    Refused { nth: Option<usize>, mark: Option<Mark>, place: Place, refusal: Refusal },
    /// Another change was refused.
    #[error(transparent)]
    Change(#[from] Refusal),
    #[error(transparent)]
    Choose(#[from] ChooseError),
    #[error(transparent)]
    Perft(#[from] PerftError),
    #[error(transparent)]
    Ragged(#[from] RaggedError),
    /// No game can reach the board, which has this size.
    #[error("{error}{}", text::one_row(*.1), error = .0)]
    Position(PositionError, Size),
    #[error(transparent)]
    Shape(#[from] ShapeError),
    #[error("a session holds {0} games: \"drop\" one first")]
    TooManyGames(usize),
    #[error(
        "that would make {squares} squares in all games: at most {most}, \"drop\" a game first"
    )]
    TooManySquares { squares: usize, most: usize },
    #[error("there is no game {}: \"games\" lists them", quoted(.0.as_str()))]
    NoGame(Name),
    /// Nothing but the prompt reaches files.
    #[error("\"{}\" is for the prompt: {}", .0.name(), match .0 {
        Verb::Save => "here \"moves\" tells the game, and \"noughts convert\" makes files of scripts",
        _ => "here \"noughts convert --to moves FILE\" makes commands of a file",
    })]
    PromptOnly(Verb),
    /// A file could not be written or read: why, in the words of the shell.
    #[error("{0}")]
    File(String),
    #[error(transparent)]
    Misunderstood(#[from] CommandError),
}

/// The opinion of a computer player, or of a program, on its move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Thought {
    /// The name of the player.
    pub player: Cow<'static, str>,
    /// The score of the move for the side that makes it.
    pub score: Score,
    pub nodes: u64,
}

/// The code of a reply, which never changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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
    NoAnswer,
    BadCommand,
}

impl Code {
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
            Self::NoAnswer => "NO_ANSWER",
            Self::BadCommand => "BAD_COMMAND",
        }
    }

    pub const fn is_accepted(self) -> bool {
        matches!(self, Self::Ok | Self::Win | Self::Draw)
    }
}

impl Reply<'_> {
    pub const fn code(&self) -> Code {
        match &self.answer {
            Ok(
                Answer::Moved(..) | Answer::Replayed(_) | Answer::Redone(1.., _) | Answer::SetUp,
            ) => match self.game.outcome() {
                None => Code::Ok,
                Some(Outcome::Won(_)) => Code::Win,
                Some(Outcome::Drawn) => Code::Draw,
            },
            Ok(_) => Code::Ok,
            Err(error) => error.code_and_reason().0,
        }
    }

    /// The command that makes the change again which the reply tells of: `None` where it tells of
    /// none. Numbers, mark and version are written out. Allocates for `replay`, `position` and
    /// names alone.
    #[must_use]
    #[inline]
    pub fn change(&self) -> Option<Command> {
        let (game, shape) = (self.game, self.game.board().shape());
        let k = Some(shape.k().into());
        let action = match self.answer.as_ref().ok()? {
            Answer::Moved(..) => {
                let (mark, square) = self.last_move()?;
                Action::Play(Some(mark), square.into())
            }
            Answer::Replayed(_) => {
                Action::Replay(game.moves().iter().map(|&square| square.into()).collect())
            }
            Answer::Undone(count) => Action::Undo(Some(*count as u64)),
            Answer::Redone(count, _) => Action::Redo(Some(*count as u64)),
            Answer::Started => Action::New { size: Some(shape.into()), k },
            Answer::SetUp => Action::Position { diagram: Diagram::of(game.board()), k },
            &Answer::Seated(mark) => {
                return Some(Action::Seat(mark, Seat::of(mark, self.seats).clone()).into());
            }
            Answer::Swapped => return Some(Action::Swap.into()),
            Answer::WentOver => return Some(Action::Game(Some(self.name.clone())).into()),
            Answer::Dropped(name) => return Some(Action::Drop(name.clone()).into()),
            _ => return None,
        };
        // These are the changes that the version counts.
        let seen = game.version().checked_sub(1);
        Some(Command { action, seen })
    }

    /// Appends the reply to `out`, with its line end, and returns its code. Moves, undo and redo
    /// allocate nothing.
    pub fn write(&self, origin: Origin<'_>, format: Format, out: &mut Vec<u8>) -> io::Result<Code> {
        let code = self.code();
        match format {
            Format::Text => text::write(self, code, Some(origin), out)?,
            Format::Screen => text::write(self, code, None, out)?,
            Format::Json => json::write(self, code, origin, out)?,
        }
        out.push(b'\n');
        Ok(code)
    }

    /// The name of `square`, as squares are named.
    fn name_of(&self, square: Square) -> impl std::fmt::Display {
        self.coords.name(square, self.game.board().shape())
    }

    /// The last move of the game, with its mark.
    fn last_move(&self) -> Option<(Mark, Square)> {
        let mark = Mark::after(self.game.board().marks()).other();
        Some((mark, *self.game.moves().last()?))
    }

    /// The moves that the answer is about, oldest first.
    fn moves(&self) -> &[Square] {
        let moves = self.game.moves();
        match self.answer {
            Ok(Answer::Undone(count)) => self.game.undone().get(..count),
            Ok(Answer::Redone(count, _)) => moves.get(moves.len().saturating_sub(count)..),
            _ => Some(moves),
        }
        .unwrap_or_default()
    }
}

impl RunError {
    /// The code of the error, and the reason within the code where that has several.
    const fn code_and_reason(&self) -> (Code, Option<&'static str>) {
        match self {
            Self::Refused { refusal, .. } | Self::Change(refusal) => match refusal {
                Refusal::GameOver { .. } => (Code::GameOver, None),
                Refusal::Stale { .. } => (Code::Stale, None),
                Refusal::NotYourTurn { .. } => (Code::NotYourTurn, None),
                Refusal::OffBoard { .. } => (Code::InvalidMove, Some("off_board")),
                Refusal::Occupied { .. } => (Code::InvalidMove, Some("occupied")),
                Refusal::NothingToUndo { .. } => (Code::NothingToUndo, None),
                Refusal::NothingToRedo { .. } => (Code::NothingToRedo, None),
            },
            Self::Ragged(_) => (Code::InvalidPosition, Some("ragged")),
            Self::Position(PositionError::Count { .. }, _) => {
                (Code::InvalidPosition, Some("count"))
            }
            Self::Position(..) => (Code::InvalidPosition, Some("unreachable")),
            Self::Choose(ChooseError::Stopped) | Self::Perft(PerftError::Stopped) => {
                (Code::NoAnswer, Some("stopped"))
            }
            Self::Choose(ChooseError::Forfeit(forfeit)) => {
                (Code::NoAnswer, Some(forfeit.cause.name()))
            }
            Self::Choose(_) | Self::Perft(_) => (Code::NoAnswer, Some("too_large")),
            _ => (Code::BadCommand, None),
        }
    }
}
