//! The player that plays as well as it can.

use super::{Choice, ChooseError, Player};
use crate::game::Game;
use crate::game::{Board, Mark, Shape, Square};
use crate::search::alphabeta::AlphaBeta;
use crate::search::solver::Solver;
use crate::search::{Budget, Score, Value};

/// Up to this many squares a board can often be solved, and most of a budget goes there.
const MOSTLY_SOLVED: usize = 64;

/// How many eighths of a budget the solver has before the search by threats has the rest.
const fn eighths_to_solve(shape: Shape) -> u32 {
    if shape.squares() <= MOSTLY_SOLVED {
        7
    } else {
        1
    }
}

/// Perfect where it can prove the value of the position within its budget: a win as soon as
/// possible, a loss as late as possible. Elsewhere a search that sees threats finds the move, and
/// claims only what it has proved.
///
/// What the solver proves it keeps, up to 128 MiB, until it is asked about a board of another
/// shape.
pub struct Best {
    solver: Option<(Shape, Solver)>,
    search: Option<AlphaBeta>,
    /// The memory for everything.
    bytes: usize,
}

/// Less memory than this the solver and the search do not share: they take up to 128 MiB and 80 MiB.
const SHARED_BYTES: usize = 256 << 20;

impl Default for Best {
    fn default() -> Self {
        Self::within(usize::MAX)
    }
}

impl Best {
    /// A player that takes at most so many bytes. With less than 256 MiB it does without the solver;
    /// the search needs at least 16 MiB, and 96 bytes a square, and takes those where there are fewer.
    #[must_use]
    pub const fn within(bytes: usize) -> Self {
        Self {
            solver: None,
            search: None,
            bytes,
        }
    }

    /// The move for `turn` on a board that need not have come about by turns, but on which nobody has
    /// a line. `None` when the board is full.
    pub fn choose_on(
        &mut self,
        board: &Board,
        turn: Mark,
        budget: &mut Budget<'_>,
    ) -> Option<Choice> {
        let shape = board.shape();
        if let Some(solver) = self.solver(shape) {
            let solved = budget.eighths(eighths_to_solve(shape), |budget| {
                solver.best(board, turn, budget)
            });
            if let Some((square, score)) = solved.filter(|(_, score)| score.value != Value::Unknown)
            {
                return Some(Choice { square, score });
            }
        }
        let (square, score) = self.search(board.shape()).best(board, turn, budget)?;
        Some(Choice { square, score })
    }

    /// What every empty square is worth for the side to move, row by row, as far as the budget
    /// proves it.
    ///
    /// # Errors
    ///
    /// [`ChooseError::GameOver`].
    pub fn scores(
        &mut self,
        game: &Game,
        budget: &mut Budget<'_>,
    ) -> Result<Vec<(Square, Score)>, ChooseError> {
        let turn = game.turn().ok_or(ChooseError::GameOver)?;
        let board = game.board();
        let shape = board.shape();
        let Some(solver) = self.solver(shape) else {
            return Ok(self.search(shape).scores(board, turn, budget));
        };
        let mut scores = budget.eighths(eighths_to_solve(shape), |budget| {
            solver.scores(board, turn, budget)
        });
        if scores.iter().any(|(_, score)| *score == Score::UNKNOWN) {
            let seen = self.search(shape).scores(board, turn, budget);
            for ((_, score), (_, seen)) in scores.iter_mut().zip(seen) {
                if *score == Score::UNKNOWN {
                    *score = seen;
                }
            }
        }
        Ok(scores)
    }

    /// The solver for boards of `shape`, where there can be one.
    fn solver(&mut self, shape: Shape) -> Option<&mut Solver> {
        if self.bytes < SHARED_BYTES {
            return None;
        }
        if self.solver.as_ref().is_none_or(|(own, _)| *own != shape) {
            self.solver = Solver::new(shape).map(|solver| (shape, solver));
        }
        self.solver.as_mut().map(|(_, solver)| solver)
    }

    fn search(&mut self, shape: Shape) -> &mut AlphaBeta {
        let bytes = self.bytes;
        self.search
            .get_or_insert_with(|| AlphaBeta::within(shape, bytes))
    }
}

impl Player for Best {
    fn choose(&mut self, game: &Game, budget: &mut Budget<'_>) -> Result<Choice, ChooseError> {
        let turn = game.turn().ok_or(ChooseError::GameOver)?;
        let choice = self.choose_on(game.board(), turn, budget);
        choice.ok_or(ChooseError::GameOver)
    }
}
