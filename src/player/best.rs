//! The player that plays as well as it can.

use super::{Choice, Declined, Player};
use crate::board::{Shape, Square};
use crate::game::Game;
use crate::search::exact::Exact;
use crate::search::threat::Deep;
use crate::search::{Budget, Value, Worth};

/// Up to this many squares a board can often be solved, and most of a budget goes there.
const MOSTLY_SOLVED: usize = 64;

/// Perfect where it can prove the value of the position within its budget: a win as soon as
/// possible, a loss as late as possible. Elsewhere a search that sees threats finds the move, and
/// claims only what it has proved.
///
/// What the solver proves it keeps, up to 128 MiB, until it is asked about a board of another
/// shape.
#[derive(Default)]
pub struct Best {
    solver: Option<(Shape, Exact)>,
    search: Option<Deep>,
}

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
        budget: &mut Budget<'_>,
    ) -> Result<Vec<(Square, Worth)>, Declined> {
        let turn = game.turn().ok_or(Declined::GameOver)?;
        let board = game.board();
        if let Some(solver) = self.solver(board.shape()) {
            return Ok(solver.worths(board, turn, budget));
        }
        let search = self.search.get_or_insert_with(|| Deep::new(board.shape()));
        Ok(search.worths(board, turn, budget))
    }

    /// The solver for boards of `shape`, where there can be one.
    fn solver(&mut self, shape: Shape) -> Option<&mut Exact> {
        if self.solver.as_ref().is_none_or(|(own, _)| *own != shape) {
            self.solver = Exact::new(shape).map(|solver| (shape, solver));
        }
        self.solver.as_mut().map(|(_, solver)| solver)
    }
}

impl Player for Best {
    fn choose(&mut self, game: &Game, budget: &mut Budget<'_>) -> Result<Choice, Declined> {
        let turn = game.turn().ok_or(Declined::GameOver)?;
        let board = game.board();
        if let Some(solver) = self.solver(board.shape()) {
            let share = if board.shape().squares() <= MOSTLY_SOLVED {
                7
            } else {
                1
            };
            let solved = budget.eighths(share, |budget| solver.best(board, turn, budget));
            if let Some((square, worth)) = solved.filter(|(_, worth)| worth.value != Value::Unknown)
            {
                return Ok(Choice { square, worth });
            }
        }
        let search = self.search.get_or_insert_with(|| Deep::new(board.shape()));
        let found = search.best(board, turn, budget);
        let (square, worth) = found.ok_or(Declined::GameOver)?;
        Ok(Choice { square, worth })
    }
}
