//! The textbook minimax search, to learn from and to check others against.

use super::{Choice, ChooseError, Player};
use crate::game::Game;
use crate::game::{Board, Mark, Square};
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
        let (free, most) = (game.board().free().count(), Self::MOST_FREE);
        if free > most {
            return Err(ChooseError::TooManyFree { free, most });
        }
        let squares: Vec<Square> = game.board().free().collect();
        budget.reach(u32::try_from(free).unwrap_or(u32::MAX));
        let mut search = Search { board: game.board().clone(), squares, played: 0, budget };
        let (square, value) = search.best(turn).ok_or(ChooseError::Stopped)?;
        // The first win need not be the quickest, nor a loss the slowest; a draw ends when all is
        // full.
        let plies = match value {
            Value::Draw => u32::try_from(free).ok(),
            _ => None,
        };
        Ok(Choice { square, score: Score { value, plies } })
    }
}

/// A search on one board, by `place` and `unplace`.
struct Search<'a, 'b> {
    board: Board,
    /// The squares that were empty at first, in row order.
    squares: Vec<Square>,
    /// The number of moves of the search on the board.
    played: usize,
    budget: &'a mut Budget<'b>,
}

impl Search<'_, '_> {
    /// The first best move for `turn`, and its value; `None` when the budget is spent.
    fn best(&mut self, turn: Mark) -> Option<(Square, Value)> {
        self.budget.spend().ok()?;
        let mut best = None;
        for index in 0..self.squares.len() {
            let square = *self.squares.get(index)?;
            if self.board.at(square).is_some() {
                continue;
            }
            let value = self.value(square, turn)?;
            if best.is_none_or(|(_, found)| rank(value) > rank(found)) {
                best = Some((square, value));
                if self.played == 0 {
                    self.budget.prefer(square);
                }
            }
            if value == Value::Win {
                break;
            }
        }
        best
    }

    /// The value of the move of `turn` to the empty `square`; `None` when the budget is spent.
    fn value(&mut self, square: Square, turn: Mark) -> Option<Value> {
        if self.board.would_complete(square, turn) {
            return Some(Value::Win);
        }
        self.board.place(square, turn).ok()?;
        self.played += 1;
        let value = if self.board.is_full() {
            self.budget.spend().ok().map(|()| Value::Draw)
        } else {
            self.best(turn.other()).map(|(_, value)| value.other())
        };
        self.board.unplace(square);
        self.played -= 1;
        value
    }
}

/// The order of values, by which the best move is chosen.
const fn rank(value: Value) -> u8 {
    match value {
        Value::Win => 2,
        Value::Draw | Value::Unknown => 1,
        Value::Loss => 0,
    }
}
