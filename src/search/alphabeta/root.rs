//! The search of one position from the root: iterative deepening.

use super::census::Rank;
use super::field::Cell;
use super::moves::Moves;
use super::search::{MOST_DEPTH, PROVED, WIN};
use super::vcf::{MOST_FOURS, Won};
use super::{AlphaBeta, Budget, Score, Value};
use crate::game::Square;
use crate::search::Spent;

/// The fours that the VCF search at the root may try beside a search of `depth`: twice as many for
/// each ply, up to a million.
pub const fn tries_at(depth: i32) -> u32 {
    if depth < 13 { 128 << depth } else { 1 << 20 }
}

impl AlphaBeta {
    /// The best move and its score where no search is needed.
    pub(super) fn at_once(&self, side: usize) -> Option<(Cell, Score)> {
        let field = &self.field;
        let value = self.settled(side)?;
        let [mine, theirs] = [side, 1 - side].map(|side| field.ranked(side, Rank::Five));
        let (cells, score) = match (mine, theirs) {
            ([_, ..], _) => (&mine[..1], ends(Value::Win, 1)),
            (_, [_, _, ..]) => (theirs, ends(Value::Loss, 2)),
            _ if value > 0 => (field.ranked(side, Rank::OpenFour), ends(Value::Win, 3)),
            _ => (field.ranked(side, Rank::Dead), ends(Value::Draw, field.empty() as u32)),
        };
        Some((self.most_promising(cells, side)?, score))
    }

    /// A sensible move without any search: the block of a five, or else the first in order.
    pub(super) fn fallback(&self, side: usize) -> Option<Cell> {
        match self.field.ranked(1 - side, Rank::Five) {
            [] => self.most_promising(&self.near(side), side),
            fives => self.most_promising(fives, side),
        }
    }

    /// The first of `cells` in the order of moves; of equal ones that nearest to the centre.
    fn most_promising(&self, cells: &[Cell], side: usize) -> Option<Cell> {
        let shape = self.field.shape();
        let off_centre = |cell| {
            let Square { row, col } = self.square(cell);
            (2 * row + 1).abs_diff(shape.rows()).max((2 * col + 1).abs_diff(shape.cols()))
        };
        let key = |&cell: &Cell| (-self.field.appeal(cell, side), off_centre(cell), cell);
        cells.iter().copied().min_by_key(key)
    }

    /// Iterative deepening: searches for a VCF and one ply deeper each time, and keeps the best
    /// move so far in `best`, until the value is proven.
    pub(super) fn deepen(
        &mut self,
        side: usize,
        best: &mut (Cell, Score),
        budget: &mut Budget,
    ) -> Result<(), Spent> {
        let mut moves = self.root_moves(side, best.0, budget)?;
        let mut vcf_is_open = true;
        for depth in 1..=MOST_DEPTH {
            if vcf_is_open {
                let won = self.short_vcf(side, tries_at(depth), budget)?;
                if let (Some(plies), Some(&first)) = (won, self.vcf.zone.last()) {
                    *best = (first, proved(WIN - plies as i32));
                    return Ok(());
                }
                vcf_is_open = self.vcf.gave_up();
            }
            let value = self.root(side, depth, &mut moves.cells, moves.elsewhere, budget);
            best.0 = moves.cells.first().copied().unwrap_or(best.0);
            let value = value?;
            budget.reach(depth as u32);
            budget.prefer(self.square(best.0));
            if value >= PROVED || value <= -PROVED && moves.complete {
                best.1 = proved(value);
                return Ok(());
            }
        }
        Ok(())
    }

    /// The moves of the root in their order, `first` before all.
    pub(super) fn root_moves(
        &mut self,
        side: usize,
        first: Cell,
        budget: &mut Budget,
    ) -> Result<Moves, Spent> {
        // A five of the other side is not yet blocked at the root.
        let mut moves = match *self.field.ranked(1 - side, Rank::Five) {
            [cell] => Moves { cells: vec![cell], complete: true, elsewhere: 2 - WIN },
            _ => self.moves(side, budget)?,
        };
        moves.cells = self.order(&moves.cells, side, Some(first));
        Ok(moves)
    }

    /// The moves until the end of a VCF, short ones first.
    pub(super) fn short_vcf(&mut self, side: usize, tries: u32, budget: &mut Budget) -> Won {
        for fours in [2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 26, 32, 45, MOST_FOURS] {
            let won = self.vcf(side, fours, tries, budget)?;
            if won.is_some() || self.vcf.gave_up() {
                return Ok(won);
            }
        }
        Ok(None)
    }

    /// The value of the best of `cells` by a principal variation search of `depth` moves, or
    /// `elsewhere` if that is more. The best move so far is always at the front.
    pub(super) fn root(
        &mut self,
        side: usize,
        depth: i32,
        cells: &mut [Cell],
        elsewhere: i32,
        budget: &mut Budget,
    ) -> Result<i32, Spent> {
        let mut alpha = elsewhere;
        for at in 0..cells.len() {
            let cell = cells[at];
            let mut value = alpha + 1;
            if self.field.rank(cell, side) == Rank::Five {
                cells[..=at].rotate_right(1);
                return Ok(WIN - 1);
            }
            if at > 0 {
                value = self.after(cell, side, depth - 1, (alpha, alpha + 1), budget)?;
            }
            if value > alpha {
                value = self.after(cell, side, depth - 1, (alpha, WIN), budget)?;
            }
            if value > alpha {
                alpha = value;
                cells[..=at].rotate_right(1);
            }
        }
        Ok(alpha)
    }
}

/// The score of a game that ends in `plies` moves.
pub const fn ends(value: Value, plies: u32) -> Score {
    Score { value, plies: Some(plies) }
}

/// The score of a proven value at the root. A win in five moves is the shortest, and a loss in six
/// the longest, since a win in three or a loss in two is never overlooked; of longer ones only the
/// value is sure.
pub fn proved(value: i32) -> Score {
    let plies = WIN.abs_diff(value.abs());
    let (value, most) = if value > 0 { (Value::Win, 5) } else { (Value::Loss, 6) };
    Score { value, plies: (plies <= most).then_some(plies) }
}
