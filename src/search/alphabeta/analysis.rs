//! The analysis: the scores of all empty squares.

use super::census::Rank;
use super::field::{Cell, side};
use super::root::{ends, proved};
use super::search::{MOST_DEPTH, PROVED, WIN};
use super::{AlphaBeta, Budget, Score, Value};
use crate::game::{Board, Mark, Square};
use crate::search::Spent;

/// The squares that are judged without a search from one check of the budget to the next.
const SQUARES_A_CHECK: usize = 4_096;

impl AlphaBeta {
    /// The score for `turn` of a move to each empty square, in the order of the board. Those that
    /// the budget does not prove are [`Score::UNKNOWN`].
    pub fn scores(
        &mut self,
        board: &Board,
        turn: Mark,
        budget: &mut Budget,
    ) -> Vec<(Square, Score)> {
        let mut scores: Vec<_> = board.free().map(|square| (square, Score::UNKNOWN)).collect();
        if self.set_up(board, budget).is_ok() {
            // A budget that is spent leaves the rest unknown.
            let _ = self.analyze(side(turn), &mut scores, budget);
        }
        scores
    }

    /// Scores all squares without a search and by the relevance zone of a threat, then searches
    /// each that is still unknown, by iterative deepening.
    fn analyze(
        &mut self,
        side: usize,
        scores: &mut [(Square, Score)],
        budget: &mut Budget,
    ) -> Result<(), Spent> {
        let field = &self.field;
        for (at, (square, score)) in scores.iter_mut().enumerate() {
            if at.is_multiple_of(SQUARES_A_CHECK) {
                budget.check()?;
            }
            *score = self.at_a_glance(self.field.cell(*square), side);
        }
        let unknown = |pair: &(Square, Score)| pair.1.value == Value::Unknown;
        let no_five = (0..2).all(|side| field.ranked(side, Rank::Five).is_empty());
        if no_five && scores.iter().any(unknown) {
            let moves = self.moves(side, budget)?;
            if moves.complete && moves.elsewhere > -WIN {
                let mut zone = moves.cells;
                zone.sort_unstable();
                let unknown = scores.iter_mut().filter(|pair| unknown(pair));
                for (at, (square, score)) in unknown.enumerate() {
                    if at.is_multiple_of(SQUARES_A_CHECK) {
                        budget.check()?;
                    }
                    if zone.binary_search(&self.field.cell(*square)).is_err() {
                        *score = proved(moves.elsewhere);
                    }
                }
            }
        }
        let mut near = self.near(side);
        near.sort_unstable();
        let mut open: Vec<_> = scores
            .iter_mut()
            .filter(|pair| unknown(pair))
            .map(|(square, score)| (self.field.cell(*square), score))
            .filter(|(cell, _)| near.binary_search(cell).is_ok())
            .collect();
        for depth in 0..MOST_DEPTH {
            for (cell, score) in &mut open {
                let value = self.after(*cell, side, depth, (-WIN, WIN), budget)?;
                if value.abs() >= PROVED {
                    **score = proved(value);
                }
            }
            open.retain(|(_, score)| score.value == Value::Unknown);
            if open.is_empty() {
                break;
            }
        }
        Ok(())
    }

    /// The score of a move to an empty square where no search is needed.
    fn at_a_glance(&self, cell: Cell, side: usize) -> Score {
        let field = &self.field;
        if field.is_dead() {
            return ends(Value::Draw, field.empty() as u32);
        }
        let rank = field.rank(cell, side);
        if rank == Rank::Five {
            return ends(Value::Win, 1);
        }
        let mut fives = field.ranked(1 - side, Rank::Five).iter();
        if !fives.all(|&five| five == cell) {
            return ends(Value::Loss, 2);
        }
        // Two fives at once cannot both be blocked. With the rule of exactly k, however, the mark
        // on `cell` may spoil both.
        let twice = field.ranked(side, Rank::Five).len() > 1 && !field.shape().is_exact();
        if rank == Rank::OpenFour || twice {
            return ends(Value::Win, 3);
        }
        Score::UNKNOWN
    }
}
