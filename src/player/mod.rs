//! The players: whoever can move for a side, behind one trait, and the computer players by name.

mod best;
mod level;
mod minimax;
mod random;
mod rules;

use std::fmt;
use std::str::FromStr;

pub use self::best::Best;
pub use self::level::{Level, Strength};
pub use self::minimax::Minimax;
pub use self::random::Random;
pub use self::rules::Rules;
use crate::game::{Game, Square};
use crate::search::{Budget, Score};

/// A player: chooses a move for the side to move.
pub trait Player {
    /// Chooses a legal move, and leaves the game as it is. A player that searches spends at most
    /// `budget`; one that does not may ignore it, and returns a square as `Ok(square.into())`.
    ///
    /// # Errors
    ///
    /// [`ChooseError::GameOver`] exactly when the game is over; others as the player has them.
    fn choose(&mut self, game: &Game, budget: &mut Budget<'_>) -> Result<Choice, ChooseError>;
}

/// A move that a player would make.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choice {
    /// The square of the move.
    pub square: Square,
    /// The score of the move for the side that makes it.
    pub score: Score,
}

impl From<Square> for Choice {
    /// The move to `square`, about which nothing is claimed.
    fn from(square: Square) -> Self {
        Self { square, score: Score::UNKNOWN }
    }
}

/// The error of a player that does not move.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ChooseError {
    /// The game has ended.
    GameOver,
    /// So many squares are empty, more than [`Minimax::MOST_FREE`].
    TooManyForMinimax(usize),
    /// The search was stopped before it had an answer.
    Stopped,
    /// The player lost the game by not moving as it must.
    Forfeit(Forfeit),
    /// The player does not play on such a board, as it said in a sentence.
    Unfit(String),
}

/// The loss of a game by a player that did not move as it must.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Forfeit {
    pub cause: Cause,
    /// A sentence for the author of the player: what was found, and what would be right.
    pub message: String,
}

/// The cause of a [`Forfeit`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum Cause {
    /// The move came later than allowed.
    Time,
    /// No answer came at all.
    Stalled,
    /// The player ended before it moved.
    Crash,
    /// The move is taken or off the board.
    Illegal,
    /// The answer is no move.
    Garbled,
}

impl Cause {
    /// Every cause.
    pub const ALL: &'static [Self] =
        &[Self::Time, Self::Stalled, Self::Crash, Self::Illegal, Self::Garbled];

    /// The word for it, as records and JSON have it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Stalled => "stalled",
            Self::Crash => "crash",
            Self::Illegal => "illegal",
            Self::Garbled => "garbled",
        }
    }
}

impl fmt::Display for ChooseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let most = Minimax::MOST_FREE;
        match self {
            Self::GameOver => f.write_str("the game is over"),
            Self::TooManyForMinimax(free) => write!(
                f,
                "minimax searches to the end, from at most {most} empty squares: {free} are empty"
            ),
            Self::Stopped => f.write_str("stopped before there was an answer"),
            Self::Forfeit(Forfeit { message, .. }) | Self::Unfit(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for ChooseError {}

/// The computer players by name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Kind {
    /// Plays any empty square.
    Random,
    /// Wins if it can, else blocks, else takes the middle.
    Rules,
    /// Searches to the end, as textbooks do.
    Minimax,
    /// Overlooks squares, the weaker it is the more.
    Level(Strength),
    /// Plays perfectly where it can prove the value, and strongly elsewhere.
    Best,
}

impl Kind {
    /// Every computer player.
    pub const ALL: &'static [Self] = {
        let [l1, l2, l3, l4, l5, l6, l7, l8] = Strength::ALL;
        &[
            Self::Random,
            Self::Rules,
            Self::Minimax,
            Self::Level(l1),
            Self::Level(l2),
            Self::Level(l3),
            Self::Level(l4),
            Self::Level(l5),
            Self::Level(l6),
            Self::Level(l7),
            Self::Level(l8),
            Self::Best,
        ]
    };

    /// True for the players that search, which may take long.
    #[must_use]
    pub const fn searches(self) -> bool {
        matches!(self, Self::Minimax | Self::Best)
    }

    /// The name as it is typed.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Rules => "rules",
            Self::Minimax => "minimax",
            Self::Level(strength) => strength.name(),
            Self::Best => "best",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The error of a word that names no computer player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ParseKindError;

impl fmt::Display for ParseKindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected random, rules, minimax, level1 to level8 or best")
    }
}

impl std::error::Error for ParseKindError {}

impl FromStr for Kind {
    type Err = ParseKindError;

    /// Reads a name in any case.
    fn from_str(word: &str) -> Result<Self, ParseKindError> {
        let named = |kind: &&Self| kind.name().eq_ignore_ascii_case(word);
        Self::ALL.iter().find(named).copied().ok_or(ParseKindError)
    }
}
