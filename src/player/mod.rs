//! Who can move for a side: the players by name, behind one trait.

mod best;
mod minimax;
mod random;
mod rules;

use std::fmt;
use std::str::FromStr;

pub use self::best::Best;
pub use self::minimax::Minimax;
pub use self::random::Random;
pub use self::rules::Rules;
use crate::game::Game;
use crate::game::Square;
use crate::search::{Budget, Score};

/// Somebody who moves for the side to move.
pub trait Player {
    /// Picks a legal move and says what it is worth for the side to move, spending at most
    /// `budget`. The game is left as it is.
    ///
    /// # Errors
    ///
    /// [`ChooseError::GameOver`] exactly when the game is over; other reasons as the player has them.
    fn choose(&mut self, game: &Game, budget: &mut Budget<'_>) -> Result<Choice, ChooseError>;
}

/// A move that a player would make.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choice {
    /// Where to.
    pub square: Square,
    /// What the move is worth for the side that makes it.
    pub score: Score,
}

/// Why a player does not move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChooseError {
    /// The game has ended.
    GameOver,
    /// More squares are empty than the player can search to the end.
    TooManyFree {
        /// The empty squares.
        free: usize,
        /// As many would do.
        most: usize,
    },
    /// The search was stopped before it had an answer.
    Stopped,
}

impl fmt::Display for ChooseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::GameOver => f.write_str("the game is over"),
            Self::TooManyFree { free, most } => {
                write!(
                    f,
                    "minimax searches to the end, from at most {most} empty squares: {free} are empty"
                )
            }
            Self::Stopped => f.write_str("stopped before there was an answer"),
        }
    }
}

impl std::error::Error for ChooseError {}

/// The players by name. A human moves by typing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// Whoever types the moves.
    Human,
    /// Any empty square.
    Random,
    /// Wins if it can, else blocks, else takes the middle.
    Rules,
    /// The textbook search.
    Minimax,
    /// Perfect where it can prove the value, strong elsewhere.
    Best,
}

impl Kind {
    /// Every player.
    pub const ALL: [Self; 5] = [
        Self::Human,
        Self::Random,
        Self::Rules,
        Self::Minimax,
        Self::Best,
    ];

    /// The name as it is typed.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Human => "human",
            Self::Random => "random",
            Self::Rules => "rules",
            Self::Minimax => "minimax",
            Self::Best => "best",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A word that names no player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ParseKindError;

impl fmt::Display for ParseKindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}", Self::EXPECTED)
    }
}

impl std::error::Error for ParseKindError {}

impl ParseKindError {
    /// What would be right.
    pub const EXPECTED: &'static str = "human, random, rules, minimax or best";
}

impl FromStr for Kind {
    type Err = ParseKindError;

    /// Reads a name in any case.
    fn from_str(word: &str) -> Result<Self, ParseKindError> {
        let named = |kind: &Self| kind.name().eq_ignore_ascii_case(word);
        Self::ALL.into_iter().find(named).ok_or(ParseKindError)
    }
}
