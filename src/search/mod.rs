//! The searches: for the players `minimax` and `best`, and for counting move sequences.

pub mod alphabeta;
mod budget;
#[cfg(test)]
#[path = "../../tests/all/oracle.rs"]
#[allow(dead_code, clippy::expect_used, clippy::unwrap_used, reason = "the tests share it")]
mod oracle;
pub mod perft;
pub mod solver;

pub use self::budget::{Budget, Spent};
use crate::game::Square;

/// The finalizer of splitmix64 (Steele, Lea and Flood 2014): spreads what differs over all bits.
pub(crate) const fn mix(word: u64) -> u64 {
    let word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}

/// The outcome for the side to move with best play on both sides.
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

/// A proven value, and the distance to the end of the game with best play: a win as soon as
/// possible, a loss as late as possible, a draw on the full board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Score {
    /// The value, which is proved unless it is [`Value::Unknown`].
    pub value: Value,
    /// The moves of both sides until the end, if their number is proved too.
    pub plies: Option<u32>,
}

impl Score {
    /// The score of which nothing is proved.
    pub const UNKNOWN: Self = Self { value: Value::Unknown, plies: None };
}

/// A move that a search thinks well of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// The square of the move.
    pub square: Square,
    /// The score of the move for the side that makes it, as far as it is proved.
    pub score: Score,
    /// The evaluation of the move for the side that makes it: 500 more is a factor of e in the odds
    /// of winning.
    pub evaluation: i32,
    /// The depth in plies to which the move was searched.
    pub depth: u32,
    /// The line of play that follows the move.
    pub line: Vec<Square>,
}

impl Candidate {
    /// The evaluation of a win, less the moves until it.
    const WIN: i32 = 30_000;

    /// The candidate with a proven score, by which it is evaluated too.
    #[must_use]
    pub fn proven(self, score: Score) -> Self {
        let plies = score.plies.and_then(|plies| i32::try_from(plies).ok());
        let distance = plies.unwrap_or(500).min(1000);
        let evaluation = match score.value {
            Value::Win => Self::WIN - distance,
            Value::Loss => distance - Self::WIN,
            Value::Draw => 0,
            Value::Unknown => self.evaluation,
        };
        Self { score, evaluation, ..self }
    }
}

impl From<Square> for Candidate {
    /// The move to `square`, which was not searched.
    fn from(square: Square) -> Self {
        Self { square, score: Score::UNKNOWN, evaluation: 0, depth: 0, line: Vec::new() }
    }
}

/// The progress of a search.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Progress {
    /// The positions that it has paid for.
    pub nodes: u64,
    /// The depth in plies that it has reached; 0 before the first.
    pub depth: u32,
    /// The best move so far.
    pub best: Option<Square>,
}
