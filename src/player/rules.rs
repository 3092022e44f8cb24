//! The player of four rules, which looks no move ahead.

use super::{Choice, ChooseError, Player};
use crate::game::{Game, Square};
use crate::search::{Budget, Score, Value};

/// The player that wins if it can, else blocks, else takes the centre, a corner, or any square; where
/// a line is shorter than a side, the square nearest to the centre. Of equal squares it takes the
/// first in row order. The time is linear in the empty squares.
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
        let shape = board.shape();
        let (bottom, right) = (shape.rows() - 1, shape.cols() - 1);
        // Twice the distance, since the centre of an even side is between two squares.
        let off_centre = |Square { row, col }: &Square| {
            let [down, across] = [(2 * row).abs_diff(bottom), (2 * col).abs_diff(right)];
            (down.max(across), down + across)
        };
        let is_full_side = [shape.rows(), shape.cols()] == [shape.k(); 2];
        let rank = |square: &Square| {
            let off_centre = off_centre(square);
            let is_corner = [0, bottom].contains(&square.row) && [0, right].contains(&square.col);
            match off_centre.0 {
                _ if !is_full_side => (0, off_centre),
                0 | 1 => (0, (0, 0)),
                _ if is_corner => (1, (0, 0)),
                _ => (2, (0, 0)),
            }
        };
        let square = board.free().find(blocks).or_else(|| board.free().min_by_key(rank));
        square.map(Choice::from).ok_or(ChooseError::GameOver)
    }
}
