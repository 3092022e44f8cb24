//! The random player.

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

use super::{Choice, ChooseError, Player};
use crate::game::Game;
use crate::search::Budget;

/// The player that moves to any empty square, each as likely as the others. The same seed gives the
/// same moves on every machine. The time is linear in the squares of the board.
#[derive(Clone, Debug)]
pub struct Random(Pcg64Mcg);

impl Random {
    /// A player whose moves follow from `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(Pcg64Mcg::seed_from_u64(seed))
    }

    /// Passes over one move, as if it had been chosen here.
    pub fn skip(&mut self) {
        self.0.next_u64();
    }
}

impl Player for Random {
    fn choose(&mut self, game: &Game, _: &mut Budget<'_>) -> Result<Choice, ChooseError> {
        game.turn().ok_or(ChooseError::GameOver)?;
        let board = game.board();
        let free = (board.shape().squares() - board.marks()) as u64;
        // The upper half of the product maps 64 random bits to 0..free. With at most 2^20 squares,
        // no square is likelier than another by more than one in 2^44.
        let nth = (u128::from(self.0.next_u64()) * u128::from(free)) >> 64;
        let square = board.free().nth(usize::try_from(nth).unwrap_or_default());
        square.map(Choice::from).ok_or(ChooseError::GameOver)
    }
}
