//! The search of one position from the root.

use super::census::Rank;
use super::field::Cell;
use super::moves::Candidate;
use super::search::{MOST_DEPTH, PROVED, WIN};
use super::vcf::{MOST_FOURS, Zone};
use super::{AlphaBeta, Budget, Score, Value};
use crate::game::Square;
use crate::search::Spent;

/// What a search for fours from the root may visit beside a search of this depth: twice as much
/// each time, up to a million positions.
const fn allowance_at(depth: i32) -> u32 {
    if depth < 13 { 128 << depth } else { 1 << 20 }
}

impl AlphaBeta {
    /// The move and its worth where no search is needed.
    pub(super) fn at_once(&self, side: usize) -> Option<(Cell, Score)> {
        let field = &self.search.field;
        let value = self.search.settled(side, 0)?;
        let proved = |cell, value, plies| {
            Some((
                cell,
                Score {
                    value,
                    plies: Some(plies),
                },
            ))
        };
        match (
            field.ranked(side, Rank::Five),
            field.ranked(1 - side, Rank::Five),
        ) {
            ([first, ..], _) => proved(*first, Value::Win, 1),
            ([], costs @ [_, _, ..]) => proved(self.most_promising(costs, side)?, Value::Loss, 2),
            _ if value > 0 => proved(
                self.most_promising(field.ranked(side, Rank::OpenFour), side)?,
                Value::Win,
                3,
            ),
            _ => proved(
                self.most_promising(field.ranked(side, Rank::Dead), side)?,
                Value::Draw,
                field.empty() as u32,
            ),
        }
    }

    /// A sensible move without any search: the block of a five, or else what looks best, nearest to the centre.
    pub(super) fn fallback(&self, side: usize) -> Option<Cell> {
        let field = &self.search.field;
        let candidates = match field.ranked(1 - side, Rank::Five) {
            [] => self.search.near(side),
            fives => fives.to_vec(),
        };
        self.most_promising(&candidates, side)
    }

    fn most_promising(&self, cells: &[Cell], side: usize) -> Option<Cell> {
        let shape = self.search.field.shape();
        let off_centre = |cell| {
            let Square { row, col } = self.square(cell);
            (2 * row + 1)
                .abs_diff(shape.rows())
                .max((2 * col + 1).abs_diff(shape.cols()))
        };
        let key = |cell| (-self.search.looks(cell, side), off_centre(cell), cell);
        cells.iter().copied().min_by_key(|&cell| key(cell))
    }

    /// Looks for a row of fours and deeper and deeper ahead, and keeps the best move so far in `best`; ends when the
    /// value is proved, or when the budget is spent.
    pub(super) fn deepen(
        &mut self,
        side: usize,
        best: &mut (Cell, Score),
        budget: &mut Budget,
    ) -> Result<(), Spent> {
        let (mut moves, complete, elsewhere) = self.root_moves(side, budget)?;
        self.search.order(&mut moves, side, 0, Some(best.0));
        let mut vcf_open = true;
        for depth in 1..=MOST_DEPTH {
            if vcf_open {
                match self.vcf(side, allowance_at(depth), budget)? {
                    Some((first, plies)) => {
                        *best = (first, proved(WIN - plies as i32));
                        return Ok(());
                    }
                    None => vcf_open = self.search.vcf.gave_up(),
                }
            }
            let value = self.root(side, depth, elsewhere, &mut moves, best, budget)?;
            budget.reach(depth as u32);
            budget.prefer(self.square(best.0));
            if value >= PROVED || value <= -PROVED && complete {
                best.1 = proved(value);
                return Ok(());
            }
        }
        Ok(())
    }

    /// The first move and the length of a win by fours alone, the shortest first.
    fn vcf(
        &mut self,
        side: usize,
        allowance: u32,
        budget: &mut Budget,
    ) -> Result<Option<(Cell, u32)>, Spent> {
        let mut zone = Zone::new();
        for fours in [2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 26, 32, 45, MOST_FOURS] {
            let field = &mut self.search.field;
            if let Some(plies) = self
                .search
                .vcf
                .win(field, side, fours, allowance, &mut zone, budget)?
            {
                return Ok(zone.last().map(|&first| (first, plies)));
            }
            if self.search.vcf.gave_up() {
                return Ok(None);
            }
        }
        Ok(None)
    }

    fn root_moves(
        &mut self,
        side: usize,
        budget: &mut Budget,
    ) -> Result<(Vec<Candidate>, bool, i32), Spent> {
        match *self.search.field.ranked(1 - side, Rank::Five) {
            [five] => Ok((
                vec![Candidate {
                    cell: five,
                    order: 0,
                }],
                true,
                2 - WIN,
            )),
            _ => self.search.moves(side, 0, budget),
        }
    }

    /// One depth: the value of the best move, which goes to the front of the moves.
    fn root(
        &mut self,
        side: usize,
        depth: i32,
        elsewhere: i32,
        moves: &mut [Candidate],
        best: &mut (Cell, Score),
        budget: &mut Budget,
    ) -> Result<i32, Spent> {
        let mut bar = elsewhere;
        for at in 0..moves.len() {
            let cell = moves[at].cell;
            let mut value = bar + 1;
            if at > 0 {
                value = -self
                    .search
                    .after(cell, side, depth - 1, 0, (-bar - 1, -bar), budget)?;
            }
            if value > bar {
                value = -self
                    .search
                    .after(cell, side, depth - 1, 0, (-WIN, -bar), budget)?;
            }
            if value > bar || at == 0 {
                bar = bar.max(value);
                best.0 = cell;
                moves[..=at].rotate_right(1);
            }
        }
        Ok(bar)
    }
}

/// What a proof says at the root, where nothing shorter than a win in three or a loss in two was overlooked. So a win
/// in five is the shortest, and a loss in six is the longest: after the best defence there is no win in three.
pub fn proved(value: i32) -> Score {
    let plies = WIN.abs_diff(value.abs());
    let (value, exact) = if value > 0 {
        (Value::Win, plies <= 5)
    } else {
        (Value::Loss, plies <= 6)
    };
    Score {
        value,
        plies: exact.then_some(plies),
    }
}
