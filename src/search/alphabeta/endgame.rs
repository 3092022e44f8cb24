//! Positions with so few squares left that they are searched to the end, for the exact value.

use super::Budget;
use super::census::Rank;
use super::field::Cell;
use super::search::{Candidate, Searcher, WIN};
use super::table::{Bound, Known};
use crate::search::Spent;

/// With more live squares than this a search to the end is not begun: it would not end within its allowance.
const MOST_LIVE: usize = 22;
/// With more dead squares than this it is not begun either: each position looks at all of them, and is to cost no more
/// than another.
const MOST_DEAD: usize = 256;
/// Keeps these positions apart from those of the other search, for whose values depth counts.
const TO_THE_END: u64 = 0x2545_f491_4f6c_dd1d;

impl Searcher {
    /// Whether so few squares still matter that [`play_out`](Self::play_out) has a chance.
    pub fn nears_the_end(&self) -> bool {
        if self.field.far() > 0 || self.field.empty() > MOST_LIVE + MOST_DEAD {
            return false;
        }
        let dead = self.field.ranked(0, Rank::Dead);
        let both = dead
            .iter()
            .filter(|&&cell| self.field.rank(cell, 1) == Rank::Dead)
            .count();
        self.field.empty() - both <= MOST_LIVE
    }

    /// The exact value for `side`, who is to move `ply` moves after the root, and the best move unless the value was
    /// plain: a draw is 0, a win [`WIN`] less the moves until it. Gives up by `None` when `allowance` positions
    /// were visited.
    pub fn play_out(
        &mut self,
        side: usize,
        ply: i32,
        window: (i32, i32),
        allowance: &mut u32,
        budget: &mut Budget,
    ) -> Result<Option<(i32, Option<Cell>)>, Spent> {
        let (mut alpha, beta) = window;
        if *allowance == 0 {
            return Ok(None);
        }
        *allowance -= 1;
        self.field.pay(budget)?;
        if let Some(value) = self.settled(side, ply) {
            return Ok(Some((value, None)));
        }
        let key = self.field.hash() ^ TO_THE_END.rotate_left(side as u32);
        let known = self.table.get(key);
        if let Some(Known {
            value, bound, best, ..
        }) = known
        {
            let value = value - value.signum() * ply;
            let settles = match bound {
                Bound::Solver => true,
                Bound::Lower => value >= beta,
                Bound::Upper => value <= alpha,
            };
            if settles {
                return Ok(Some((value, best)));
            }
        }
        let (mut best, mut best_cell) = (-WIN, None);
        for Candidate { cell, .. } in self.live(side, known.and_then(|known| known.best)) {
            self.field.place(cell, side);
            let found = self.play_out(1 - side, ply + 1, (-beta, -alpha), allowance, budget);
            self.field.unplace(cell, side);
            let Some((value, _)) = found? else {
                return Ok(None);
            };
            if -value > best {
                (best, best_cell) = (-value, Some(cell));
            }
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
        }
        let bound = match best {
            _ if best >= beta => Bound::Lower,
            _ if best <= window.0 => Bound::Upper,
            _ => Bound::Solver,
        };
        let value = best + best.signum() * ply;
        self.table.put(
            key,
            Known {
                value,
                bound,
                depth: 0,
                best: best_cell,
            },
        );
        Ok(Some((best, best_cell)))
    }

    /// The block of a five, or every square that matters to somebody, and one that matters to nobody, as a way to pass.
    fn live(&self, side: usize, first: Option<Cell>) -> Vec<Candidate> {
        let field = &self.field;
        let mut cells = field.ranked(1 - side, Rank::Five).to_vec();
        if cells.is_empty() {
            for rank in &Rank::ALL[1..] {
                cells.extend_from_slice(field.ranked(side, *rank));
            }
            let (live, dead): (Vec<_>, Vec<_>) = field
                .ranked(side, Rank::Dead)
                .iter()
                .partition(|&&cell| field.rank(cell, 1 - side) > Rank::Dead);
            cells.extend(live);
            // The lowest, so that boards on which everybody passed are the same.
            cells.extend(dead.iter().min());
        }
        let order = |cell| {
            if first == Some(cell) {
                i32::MAX
            } else {
                self.looks(cell, side)
            }
        };
        let mut moves: Vec<_> = cells
            .into_iter()
            .map(|cell| Candidate {
                cell,
                order: order(cell),
            })
            .collect();
        moves.sort_unstable_by_key(|candidate| (-candidate.order, candidate.cell));
        moves
    }
}
