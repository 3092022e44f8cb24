//! The player that plays as well as it can.

use super::{Choice, Declined, Player};
use crate::board::Square;
use crate::game::Game;
use crate::search::{Budget, Value, Worth, alphabeta};

/// Strong where it cannot prove the value of a move within its budget.
#[derive(Debug, Default)]
pub struct Best {}

impl Best {
    /// What every empty square is worth for the side to move, row by row, as far as the budget
    /// proves it.
    ///
    /// # Errors
    ///
    /// [`Declined::GameOver`].
    pub fn worths(
        &mut self,
        game: &Game,
        _: &mut Budget<'_>,
    ) -> Result<Vec<(Square, Worth)>, Declined> {
        let turn = game.turn().ok_or(Declined::GameOver)?;
        let board = game.board();
        let worth = |square| {
            let completes = board.would_complete(square, turn);
            let win = Worth {
                value: Value::Win,
                plies: Some(1),
            };
            (square, if completes { win } else { Worth::UNKNOWN })
        };
        Ok(board.free().map(worth).collect())
    }
}

impl Player for Best {
    fn choose(&mut self, game: &Game, budget: &mut Budget<'_>) -> Result<Choice, Declined> {
        let turn = game.turn().ok_or(Declined::GameOver)?;
        let square = alphabeta::best(game.board(), turn, budget).ok_or(Declined::GameOver)?;
        Ok(Choice {
            square,
            worth: Worth::UNKNOWN,
        })
    }
}
