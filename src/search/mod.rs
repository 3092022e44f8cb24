//! What the players `minimax` and `best` stand on, and what counts move sequences.

pub mod alphabeta;
mod budget;
pub mod perft;
pub mod solver;

pub use self::budget::{Budget, Spent};
use crate::game::Square;

/// What the side to move gets with best play on both sides.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// The side to move wins.
    Win,
    /// Nobody wins.
    Draw,
    /// The other side wins.
    Loss,
    /// Nothing is proved.
    Unknown,
}

impl Value {
    /// The value for the other side.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Win => Self::Loss,
            Self::Loss => Self::Win,
            Self::Draw | Self::Unknown => self,
        }
    }
}

/// A value, and where it is proved, in how many moves of both sides together the game ends with
/// best play: a win as soon as possible, a loss as late as possible, a draw on the full board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Score {
    /// The value, which is true whenever it is not [`Value::Unknown`].
    pub value: Value,
    /// The moves until the end, where that number is proved too.
    pub plies: Option<u32>,
}

impl Score {
    /// Nothing is proved.
    pub const UNKNOWN: Self = Self {
        value: Value::Unknown,
        plies: None,
    };
}

/// How far a search is.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Progress {
    /// How many positions it has paid for.
    pub nodes: u64,
    /// How many moves deep it has looked: 0 before it says so.
    pub depth: u32,
    /// The move that it likes best, once it has one.
    pub best: Option<Square>,
}
