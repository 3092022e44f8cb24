//! The textbook minimax search, to learn from and to check others against.

use super::{Choice, ChooseError, Player};
use crate::game::{Board, Game, Mark, Square};
use crate::search::{Budget, Score, Value};

/// The player that searches to the end of the game.
///
/// It tries squares in row order and stops at the first win. A position with a line is not entered,
/// since the move that completes it is seen beforehand. The empty 3 × 3 board takes 66,275
/// positions. The time is exponential in the empty squares, of which it takes
/// [`Minimax::MOST_FREE`] at most.
#[derive(Clone, Copy, Debug)]
pub struct Minimax;

impl Minimax {
    /// The most empty squares of a position that it searches.
    pub const MOST_FREE: usize = 12;
}

impl Player for Minimax {
    fn choose(&mut self, game: &Game, budget: &mut Budget<'_>) -> Result<Choice, ChooseError> {
        let turn = game.turn().ok_or(ChooseError::GameOver)?;
        let squares: Vec<Square> = game.board().free().collect();
        let free = squares.len();
        if free > Self::MOST_FREE {
            return Err(ChooseError::TooManyForMinimax(free));
        }
        let depth = u32::try_from(free).ok();
        budget.reach(depth.unwrap_or(u32::MAX));
        let mut search = Search { board: game.board().clone(), squares: &squares, budget };
        let (square, value) = search.best(turn).ok_or(ChooseError::Stopped)?;
        // The first win need not be the quickest, nor a loss the slowest; a draw ends when all is
        // full.
        let (value, plies) = match value {
            1 => (Value::Win, None),
            0 => (Value::Draw, depth),
            _ => (Value::Loss, None),
        };
        Ok(Choice { square, score: Score { value, plies } })
    }
}

/// A search on one board, by `place` and `unplace`.
struct Search<'a, 'b> {
    board: Board,
    /// The squares that were empty at first, in row order.
    squares: &'a [Square],
    budget: &'a mut Budget<'b>,
}

impl Search<'_, '_> {
    /// The first best move for `turn`, and its value: 1 for a win, 0 for a draw, -1 for a loss.
    /// `None` when the budget is spent.
    fn best(&mut self, turn: Mark) -> Option<(Square, i8)> {
        self.budget.spend().ok()?;
        let is_root = self.board.shape().squares() - self.board.marks() == self.squares.len();
        let mut best = None;
        for &square in self.squares {
            if self.board.at(square).is_some() {
                continue;
            }
            let value = if self.board.would_complete(square, turn) {
                1
            } else {
                self.board.place(square, turn).ok()?;
                let value = if self.board.is_full() {
                    self.budget.spend().ok().map(|()| 0)
                } else {
                    self.best(turn.other()).map(|(_, value)| -value)
                };
                self.board.unplace(square);
                value?
            };
            if best.is_none_or(|(_, found)| value > found) {
                best = Some((square, value));
                if is_root {
                    self.budget.prefer(square);
                }
            }
            if value == 1 {
                break;
            }
        }
        best
    }
}
