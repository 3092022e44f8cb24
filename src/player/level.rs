//! The players of eight strengths, between one that overlooks lines and the strong player.

use super::{Choice, ChooseError, Player};
use crate::game::{Game, Square};
use crate::search::alphabeta::AlphaBeta;
use crate::search::{Budget, mix};

/// The strength of a [`Level`], from 1 to 8.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Strength(u8);

impl Strength {
    /// The weakest.
    pub const LOWEST: Self = Self(1);

    /// Every strength, the weakest first.
    pub const ALL: [Self; 8] =
        [Self(1), Self(2), Self(3), Self(4), Self(5), Self(6), Self(7), Self(8)];

    /// Returns the name of the player: `level1` to `level8`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self.0 {
            ..=1 => "level1",
            2 => "level2",
            3 => "level3",
            4 => "level4",
            5 => "level5",
            6 => "level6",
            7 => "level7",
            8.. => "level8",
        }
    }

    /// Returns how many of 1,000 squares are overlooked, and how many positions are searched. The
    /// numbers are calibrated by matches, which `docs/players.md` lists: each strength scores some
    /// two thirds against the one below.
    const fn limits(self) -> (u32, u64) {
        match self.0 {
            ..=1 => (850, 50),
            2 => (775, 50),
            3 => (682, 50),
            4 => (568, 60),
            5 => (437, 90),
            6 => (292, 160),
            7 => (152, 350),
            8.. => (0, 600),
        }
    }
}

/// The player that overlooks squares, the weaker it is the more, and searches few positions. What
/// it sees it plays as well as it can.
///
/// What it overlooks follows from its seed, the square and the number of marks, so that the same
/// position gets the same move. A move takes some milliseconds.
pub struct Level {
    strength: Strength,
    seed: u64,
    search: Option<AlphaBeta>,
}

/// The most memory of the search, but for the squares: little, since it searches little.
const BYTES: usize = 17 << 20;

impl Level {
    /// Makes a player of this strength, which overlooks what follows from `seed`.
    #[must_use]
    pub const fn new(strength: Strength, seed: u64) -> Self {
        Self { strength, seed, search: None }
    }

    /// Changes the strength, and keeps seed and memory.
    #[must_use]
    pub const fn of(&mut self, strength: Strength) -> &mut Self {
        self.strength = strength;
        self
    }
}

impl Player for Level {
    fn choose(&mut self, game: &Game, budget: &mut Budget<'_>) -> Result<Choice, ChooseError> {
        let turn = game.turn().ok_or(ChooseError::GameOver)?;
        let board = game.board();
        let (overlooked, nodes) = self.strength.limits();
        let seed = mix(mix(self.seed) ^ board.marks() as u64);
        let is_seen = |Square { row, col }: Square| {
            let place = u64::from(row) << 16 | u64::from(col);
            mix(seed ^ place) % 1000 >= u64::from(overlooked)
        };
        let bytes = BYTES + board.shape().squares() * 96;
        let search = self.search.get_or_insert_with(|| AlphaBeta::within(board.shape(), bytes));
        let found = budget.at_most(nodes, |budget| search.best_seen(board, turn, &is_seen, budget));
        let candidate = found.ok_or(ChooseError::GameOver)?;
        Ok(Choice { square: candidate.square, score: candidate.score })
    }
}
