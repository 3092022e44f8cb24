//! The language: one line of text, parsed into a command, and the help that goes with it.

mod error;
mod line;
mod verb;
mod words;

use std::fmt;
use std::str::FromStr;

pub use self::error::{CommandError, quoted};
pub use self::line::{Line, MAX_LINE, Words, is_separator, parse};
pub use self::verb::{Verb, overview};
pub use self::words::{Diagram, Name, Place, RaggedError, Seat, Size};
use self::words::{count, number, whole};
use crate::game::{Mark, Shape};
use crate::player::Kind;

/// A command: what a line asks for, and which version of the game it has seen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Command {
    /// What is asked for.
    pub action: Action,
    /// `@VERSION`: a change is refused unless the game is at it.
    pub seen: Option<u64>,
}

/// What a command asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Action {
    /// Make a move, for a mark or for the side to move.
    Play(Option<Mark>, Place),
    /// Take moves back: so many, or those of a turn.
    Undo(Option<u64>),
    /// Play so many undone moves again, or one.
    Redo(Option<u64>),
    /// Start a fresh game.
    New {
        /// The size of the board, if it is to change.
        size: Option<Size>,
        /// The marks in a row, if they are not to follow from the size.
        k: Option<u64>,
    },
    /// Start a fresh game with these moves: one at least, and at most one more than a board holds.
    Replay(Vec<Place>),
    /// List the moves so far.
    Moves,
    /// Set a board up.
    Position {
        /// The marks on it.
        diagram: Diagram,
        /// The marks in a row, if they are not to follow from the size.
        k: Option<u64>,
    },
    /// Draw the board.
    Board,
    /// Say who occupies a square.
    At(Place),
    /// List the empty squares.
    Free,
    /// Say how the game stands.
    Status,
    /// Put a player on the seat of a mark.
    Seat(Mark, Seat),
    /// Let a computer player move for the side to move.
    Go(Kind),
    /// Say what a computer player would play.
    Hint(Kind),
    /// Say what every move is worth.
    Analyze,
    /// Count the move sequences of this length.
    Perft(u64),
    /// Go over to another game, or say which one this is.
    Game(Option<Name>),
    /// List the games of the session.
    Games,
    /// Forget a game.
    Drop(Name),
    /// Explain one command, or list them all.
    Help(Option<Verb>),
    /// End the session.
    Quit,
}

impl Action {
    /// The verb of the action.
    #[must_use]
    pub const fn verb(&self) -> Verb {
        match self {
            Self::Play(..) => Verb::Play,
            Self::Undo(_) => Verb::Undo,
            Self::Redo(_) => Verb::Redo,
            Self::New { .. } => Verb::New,
            Self::Replay(_) => Verb::Replay,
            Self::Moves => Verb::Moves,
            Self::Position { .. } => Verb::Position,
            Self::Board => Verb::Board,
            Self::At(_) => Verb::At,
            Self::Free => Verb::Free,
            Self::Status => Verb::Status,
            Self::Seat(..) => Verb::Seat,
            Self::Go(_) => Verb::Go,
            Self::Hint(_) => Verb::Hint,
            Self::Analyze => Verb::Analyze,
            Self::Perft(_) => Verb::Perft,
            Self::Game(_) => Verb::Game,
            Self::Games => Verb::Games,
            Self::Drop(_) => Verb::Drop,
            Self::Help(_) => Verb::Help,
            Self::Quit => Verb::Quit,
        }
    }
}

impl From<Action> for Command {
    /// The command that names no version.
    fn from(action: Action) -> Self {
        Self { action, seen: None }
    }
}

impl FromStr for Command {
    type Err = CommandError;

    /// Reads a line without its comment and line end, and with a word at least. Linear in its
    /// length; only `replay`, `position` and names allocate.
    fn from_str(line: &str) -> Result<Self, CommandError> {
        let mut words = Words::new(line);
        let first = words.next().unwrap_or_default();
        let mut bytes = first.bytes();
        let is_move = match bytes.next() {
            Some(b'-') => bytes.next().is_some_and(|byte| byte.is_ascii_digit()),
            byte => byte.is_some_and(|byte| byte.is_ascii_digit()),
        };
        let verb = if is_move { Verb::Play } else { first.parse()? };
        let mut rest = Arguments { verb, words };
        let action = if is_move {
            Action::Play(None, rest.place(number(first)?)?)
        } else {
            rest.action()?
        };
        let seen = rest.version(&action)?;
        Ok(Self { action, seen })
    }
}

/// The words after the verb.
struct Arguments<'a> {
    verb: Verb,
    words: Words<'a>,
}

impl<'a> Arguments<'a> {
    /// The next word, which must be there.
    fn word(&mut self) -> Result<&'a str, CommandError> {
        self.words.next().ok_or(CommandError::Missing(self.verb))
    }

    /// The next word, if there is one that is not the version.
    fn optional(&mut self) -> Option<&'a str> {
        let mut ahead = self.words.clone();
        let word = ahead.next().filter(|word| !word.starts_with('@'))?;
        self.words = ahead;
        Some(word)
    }

    /// The action of the verb, with its arguments.
    fn action(&mut self) -> Result<Action, CommandError> {
        Ok(match self.verb {
            Verb::Play => self.play()?,
            Verb::Undo => Action::Undo(self.count()?),
            Verb::Redo => Action::Redo(self.count()?),
            Verb::New => Action::New {
                size: self.optional().map(Size::from_str).transpose()?,
                k: self.count()?,
            },
            Verb::Replay => self.replay()?,
            Verb::Position => Action::Position {
                diagram: self.word()?.parse()?,
                k: self.count()?,
            },
            Verb::At => {
                let first = number(self.word()?)?;
                Action::At(self.place(first)?)
            }
            Verb::Seat => {
                let mark = self.word()?;
                let expected = "a mark, X or O";
                let mark = mark
                    .parse()
                    .map_err(|_| CommandError::malformed(mark, expected))?;
                Action::Seat(mark, self.word()?.parse()?)
            }
            Verb::Go => Action::Go(self.computer()?),
            Verb::Hint => Action::Hint(self.computer()?),
            Verb::Perft => Action::Perft(count(self.word()?)?),
            Verb::Analyze => Action::Analyze,
            Verb::Game => Action::Game(self.words.next().map(Name::from_str).transpose()?),
            Verb::Drop => Action::Drop(self.word()?.parse()?),
            Verb::Help => Action::Help(self.words.next().map(Verb::from_str).transpose()?),
            Verb::Moves => Action::Moves,
            Verb::Board => Action::Board,
            Verb::Free => Action::Free,
            Verb::Status => Action::Status,
            Verb::Games => Action::Games,
            Verb::Quit => Action::Quit,
        })
    }

    /// `[MARK] ROW COL` or `[MARK] NUMBER`.
    fn play(&mut self) -> Result<Action, CommandError> {
        const EXPECTED: &str = "X, O or a whole number of at most 64 bits";
        let word = self.word()?;
        let mark = word.parse().ok();
        let first = match mark {
            Some(_) => number(self.word()?)?,
            None => number(word).map_err(|_| CommandError::malformed(word, EXPECTED))?,
        };
        Ok(Action::Play(mark, self.place(first)?))
    }

    /// A place that starts with `first`: `ROW COL` or `NUMBER`.
    fn place(&mut self, first: i128) -> Result<Place, CommandError> {
        match self.optional() {
            Some(second) => Ok(Place::At(first, number(second)?)),
            None => Ok(Place::Nth(first)),
        }
    }

    /// `ROW COL ...`
    fn replay(&mut self) -> Result<Action, CommandError> {
        // A game is over before it has a move more than its board has squares.
        let most = usize::from(Shape::MAX_SIDE).pow(2) + 1;
        let mut places = Vec::new();
        while let Some(row) = self.optional() {
            let Some(col) = self.optional() else {
                number(row)?;
                return Err(CommandError::Unpaired { word: quoted(row) });
            };
            let (row, col) = (number(row)?, number(col)?);
            if places.len() < most {
                places.push(Place::At(row, col));
            }
        }
        if places.is_empty() {
            return Err(CommandError::Missing(self.verb));
        }
        Ok(Action::Replay(places))
    }

    /// `[PLAYER]`, a computer.
    fn computer(&mut self) -> Result<Kind, CommandError> {
        const EXPECTED: &str = "a computer player: random, rules, minimax or best";
        let Some(word) = self.optional() else {
            return Ok(Kind::Best);
        };
        word.parse()
            .map_err(|_| CommandError::malformed(word, EXPECTED))
    }

    /// `[N]`
    fn count(&mut self) -> Result<Option<u64>, CommandError> {
        self.optional().map(count).transpose()
    }

    /// The end of the line: after a change `[@VERSION]`, else nothing.
    fn version(mut self, action: &Action) -> Result<Option<u64>, CommandError> {
        let Some(word) = self.words.next() else {
            return Ok(None);
        };
        let is_change = matches!(
            action,
            Action::Play(..)
                | Action::Undo(_)
                | Action::Redo(_)
                | Action::New { .. }
                | Action::Replay(_)
                | Action::Position { .. }
                | Action::Go(_)
        );
        let extra = |verb, word| {
            let word = quoted(word);
            CommandError::Extra { verb, word }
        };
        let Some(digits) = word.strip_prefix('@').filter(|_| is_change) else {
            return Err(extra(self.verb, word));
        };
        let version =
            whole(digits).ok_or_else(|| CommandError::malformed(word, "a version such as @0"))?;
        match self.words.next() {
            Some(word) => Err(extra(self.verb, word)),
            None => Ok(Some(version)),
        }
    }
}

/// Writes the command so that it reads as itself again.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.action.verb().name())?;
        match &self.action {
            Action::Play(mark, place) => {
                write_word(f, mark.as_ref())?;
                write_word(f, Some(place))?;
            }
            Action::Undo(count) | Action::Redo(count) => write_word(f, count.as_ref())?,
            Action::New { size, k } => {
                write_word(f, size.as_ref())?;
                write_word(f, k.as_ref())?;
            }
            Action::Replay(places) => places.iter().try_for_each(|p| write_word(f, Some(p)))?,
            Action::Position { diagram, k } => {
                write_word(f, Some(diagram))?;
                write_word(f, k.as_ref())?;
            }
            Action::At(place) => write_word(f, Some(place))?,
            Action::Seat(mark, seat) => write!(f, " {mark} {seat}")?,
            Action::Go(kind) | Action::Hint(kind) => write_word(f, Some(kind))?,
            Action::Perft(depth) => write_word(f, Some(depth))?,
            Action::Game(name) => write_word(f, name.as_ref())?,
            Action::Drop(name) => write_word(f, Some(name))?,
            Action::Help(verb) => write_word(f, verb.map(Verb::name).as_ref())?,
            Action::Moves
            | Action::Board
            | Action::Free
            | Action::Status
            | Action::Analyze
            | Action::Games
            | Action::Quit => {}
        }
        match self.seen {
            Some(seen) => write!(f, " @{seen}"),
            None => Ok(()),
        }
    }
}

/// Writes a blank and `word`, if there is one.
fn write_word(f: &mut fmt::Formatter<'_>, word: Option<&impl fmt::Display>) -> fmt::Result {
    word.map_or(Ok(()), |word| write!(f, " {word}"))
}
