//! The player of four rules, which looks no move ahead.

use super::{Choice, ChooseError, Player};
use crate::game::{Game, Square};
use crate::search::{Budget, Score, Value};

/// The player that wins if it can, else blocks, else takes the centre, a corner, or any square. It
/// tries squares in row order. The time is linear in the empty squares.
#[derive(Clone, Copy, Debug)]
pub struct Rules;

impl Player for Rules {
    fn choose(&mut self, game: &Game, _: &mut Budget<'_>) -> Result<Choice, ChooseError> {
        let turn = game.turn().ok_or(ChooseError::GameOver)?;
        let board = game.board();
        if let Some(square) = board.free().find(|square| board.would_complete(*square, turn)) {
            let score = Score { value: Value::Win, plies: Some(1) };
            return Ok(Choice { square, score });
        }
        let blocks = |square: &Square| board.would_complete(*square, turn.other());
        let (bottom, right) = (board.shape().rows() - 1, board.shape().cols() - 1);
        // An even side has two middles.
        let central = |at: u16, last: u16| at == last / 2 || at == last.div_ceil(2);
        let centre = |square: &Square| central(square.row, bottom) && central(square.col, right);
        let corner = |own: &Square| [0, bottom].contains(&own.row) && [0, right].contains(&own.col);
        let square = board
            .free()
            .find(blocks)
            .or_else(|| board.free().find(centre))
            .or_else(|| board.free().find(corner))
            .or_else(|| board.free().next());
        square.map(Choice::from).ok_or(ChooseError::GameOver)
    }
}
