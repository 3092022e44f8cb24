//! The values of all empty squares.

use super::census::Rank;
use super::field::{Cell, side};
use super::root::proved;
use super::search::{MOST_DEPTH, PROVED, WIN};
use super::{AlphaBeta, Budget, Score, Value};
use crate::game::{Board, Mark, Square};
use crate::search::Spent;

/// How many squares are judged at a glance from one check of the budget to the next.
const SQUARES_A_CHECK: usize = 4_096;

impl AlphaBeta {
    /// What every empty square is worth to `turn`, in the order of the board, as far as the budget proves it.
    pub fn scores(
        &mut self,
        board: &Board,
        turn: Mark,
        budget: &mut Budget,
    ) -> Vec<(Square, Score)> {
        let free = board.free().map(|square| (square, Score::UNKNOWN));
        let mut scores: Vec<_> = free.collect();
        if self.set_up(board, budget).is_ok() {
            // A budget that is spent leaves the rest unknown.
            let _ = self.analyze(side(turn), &mut scores, budget);
        }
        scores
    }

    /// First what a look at the position tells of all squares at once, then a search of each that is still unknown,
    /// deeper and deeper.
    fn analyze(
        &mut self,
        side: usize,
        scores: &mut [(Square, Score)],
        budget: &mut Budget,
    ) -> Result<(), Spent> {
        let other = 1 - side;
        let field = &self.search.field;
        for (at, (square, score)) in scores.iter_mut().enumerate() {
            if at.is_multiple_of(SQUARES_A_CHECK) {
                budget.check()?;
            }
            *score = self.at_a_glance(self.cell(*square), side);
        }
        let unknown = |pair: &(Square, Score)| pair.1.value == Value::Unknown;
        let mut elsewhere_known = None;
        if field.ranked(side, Rank::Five).is_empty()
            && field.ranked(other, Rank::Five).is_empty()
            && scores.iter().any(unknown)
        {
            let (moves, complete, elsewhere) = self.search.moves(side, 0, budget)?;
            if complete && elsewhere > -WIN {
                let mut answers: Vec<_> = moves.iter().map(|candidate| candidate.cell).collect();
                answers.sort_unstable();
                elsewhere_known = Some((answers, proved(elsewhere)));
            }
        }
        if let Some((answers, elsewhere)) = elsewhere_known {
            let unknown = scores.iter_mut().filter(|pair| unknown(pair));
            for (at, (square, score)) in unknown.enumerate() {
                if at.is_multiple_of(SQUARES_A_CHECK) {
                    budget.check()?;
                }
                if answers.binary_search(&self.cell(*square)).is_err() {
                    *score = elsewhere;
                }
            }
        }
        let mut near = self.search.near(side);
        near.sort_unstable();
        let mut open: Vec<_> = scores
            .iter_mut()
            .filter(|pair| unknown(pair))
            .map(|(square, score)| (self.cell(*square), score))
            .filter(|(cell, _)| near.binary_search(cell).is_ok())
            .collect();
        for depth in 0..MOST_DEPTH {
            for (cell, score) in &mut open {
                let value = -self
                    .search
                    .after(*cell, side, depth, 0, (-WIN, WIN), budget)?;
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

    /// What a move to an empty square is worth where no search is needed.
    fn at_a_glance(&self, cell: Cell, side: usize) -> Score {
        let field = &self.search.field;
        let at_once = |value, plies| Score {
            value,
            plies: Some(plies),
        };
        if field.is_dead() {
            return at_once(Value::Draw, field.empty() as u32);
        }
        let rank = field.rank(cell, side);
        if rank == Rank::Five {
            return at_once(Value::Win, 1);
        }
        let mut fives = field.ranked(1 - side, Rank::Five).iter();
        if !fives.all(|&five| five == cell) {
            return at_once(Value::Loss, 2);
        }
        // Two fives at once cannot both be blocked, but where longer lines do not win, another mark may spoil both.
        let twice = field.ranked(side, Rank::Five).len() > 1 && !field.shape().is_exact();
        if rank == Rank::OpenFour || twice {
            return at_once(Value::Win, 3);
        }
        Score::UNKNOWN
    }
}
