//! The strong player: proofs first, then alpha-beta search.

use std::cmp::Reverse;

use super::{Choice, ChooseError, Player};
use crate::game::{Board, Game, Mark, Shape, Square};
use crate::search::alphabeta::AlphaBeta;
use crate::search::solver::{Solver, solver_for};
use crate::search::{Budget, Candidate, Score, Value};

/// With less memory there is no solver. The solver takes up to 128 MiB, the search up to 80 MiB.
const SHARED_BYTES: usize = 256 << 20;

/// The player that plays as well as it can, on any board.
///
/// Its play is perfect where the solver proves the score of the position within the budget: a win
/// as soon as possible, a loss as late as possible. Elsewhere an alpha-beta search finds the move,
/// and claims only what it has proved.
///
/// The solver's proofs are kept for the next move, in up to 128 MiB, while the shape stays the
/// same.
pub struct Best {
    solver: Option<(Shape, Box<dyn Solver>)>,
    search: Option<AlphaBeta>,
    /// The most memory that both may take together.
    bytes: usize,
}

impl Default for Best {
    fn default() -> Self {
        Self::within(usize::MAX)
    }
}

impl Best {
    /// A board of up to so many squares can often be solved, so that the solver gets most of a
    /// budget.
    pub const MOSTLY_SOLVED: usize = 64;

    /// A player that takes at most `bytes` of memory, but never less than 16 MiB and 96 bytes a
    /// square. With less than 256 MiB it has no solver.
    #[must_use]
    pub const fn within(bytes: usize) -> Self {
        Self { solver: None, search: None, bytes }
    }

    /// The move for `turn` on a board without a line; `None` when the board is full. The marks need
    /// not have come about by turns.
    pub fn choose_on(&mut self, board: &Board, turn: Mark, budget: &mut Budget) -> Option<Choice> {
        let shape = board.shape();
        let solved = self.solve(shape, budget, |solver, part| solver.best(board, turn, part));
        let (square, score) = solved
            .flatten()
            .filter(|(_, score)| score.value != Value::Unknown)
            .or_else(|| self.search(shape).best(board, turn, budget))?;
        Some(Choice { square, score })
    }

    /// The score of a move to each empty square, in row order, as far as the budget proves it.
    ///
    /// # Errors
    ///
    /// [`ChooseError::GameOver`].
    pub fn scores(
        &mut self,
        game: &Game,
        budget: &mut Budget,
    ) -> Result<Vec<(Square, Score)>, ChooseError> {
        let turn = game.turn().ok_or(ChooseError::GameOver)?;
        let board = game.board();
        let shape = board.shape();
        let mut scores = self
            .solve(shape, budget, |solver, part| solver.scores(board, turn, part))
            .unwrap_or_else(|| board.free().map(|square| (square, Score::UNKNOWN)).collect());
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

    /// The best moves, best first, at most `most` of them, by one search: proofs where the budget
    /// has them, else evaluations.
    ///
    /// # Errors
    ///
    /// [`ChooseError::GameOver`].
    pub fn candidates(
        &mut self,
        game: &Game,
        most: usize,
        budget: &mut Budget,
    ) -> Result<Vec<Candidate>, ChooseError> {
        let turn = game.turn().ok_or(ChooseError::GameOver)?;
        let (board, shape) = (game.board(), game.board().shape());
        let solved = self.solve(shape, budget, |solver, part| solver.scores(board, turn, part));
        let solved = solved.unwrap_or_default();
        let is_known = |(_, score): &&(Square, Score)| score.value != Value::Unknown;
        let mut found = Vec::new();
        if solved.is_empty() || !solved.iter().all(|pair| is_known(&pair)) {
            found = self.search(shape).candidates(board, turn, most, budget);
        }
        for &(square, score) in solved.iter().filter(is_known) {
            let old = found.iter().position(|candidate| candidate.square == square);
            let candidate = old.map_or(Candidate::from(square), |old| found.swap_remove(old));
            found.push(candidate.proven(score));
        }
        found.sort_by_key(|candidate| Reverse(candidate.evaluation));
        found.truncate(most);
        Ok(found)
    }

    /// Asks the solver for `shape`, if there can be one and memory for it. What it leaves of the
    /// budget goes to the alpha-beta search.
    fn solve<T>(
        &mut self,
        shape: Shape,
        budget: &mut Budget,
        ask: impl FnOnce(&mut dyn Solver, &mut Budget) -> T,
    ) -> Option<T> {
        if self.bytes < SHARED_BYTES {
            return None;
        }
        if self.solver.as_ref().is_none_or(|(own, _)| *own != shape) {
            self.solver = solver_for(shape).map(|solver| (shape, solver));
        }
        let (_, solver) = self.solver.as_mut()?;
        let eighths = if shape.squares() <= Self::MOSTLY_SOLVED { 7 } else { 1 };
        Some(budget.eighths(eighths, |part| ask(solver.as_mut(), part)))
    }

    fn search(&mut self, shape: Shape) -> &mut AlphaBeta {
        let bytes = self.bytes;
        self.search.get_or_insert_with(|| AlphaBeta::within(shape, bytes))
    }
}

impl Player for Best {
    fn choose(&mut self, game: &Game, budget: &mut Budget) -> Result<Choice, ChooseError> {
        let turn = game.turn().ok_or(ChooseError::GameOver)?;
        self.choose_on(game.board(), turn, budget).ok_or(ChooseError::GameOver)
    }
}
