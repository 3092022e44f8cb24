//! Principal variation search (Marsland and Campbell 1982), with a VCF search at every node.
//!
//! It uses a transposition table, killer moves, the history heuristic (Schaeffer 1983), reverse
//! futility pruning, late-move pruning and late-move reductions; quiescence goes one ply beyond the
//! last.
//!
//! A value of [`PROVED`] or more is a proven win, barring a hash collision: pruning can only hide
//! wins. A loss is proven only where every reply was searched or excluded by a relevance zone.

use super::census::{EVAL_DOUBLE_THREE, EVAL_MOVE, EVAL_OPEN_THREE, Rank};
use super::field::Cell;
use super::moves::{Moves, WIDTH};
use super::table::{Bound, Known};
use super::{AlphaBeta, Budget};
use crate::search::Spent;

/// The value of a win, from which the moves until it are subtracted.
pub const WIN: i32 = 30_000;
/// The least value of a proven win; a proven loss is at most its negative.
pub const PROVED: i32 = 29_000;
/// The discount on a loss that is not proven, since some replies were left out.
const DOUBT: i32 = 9_000;
/// The least value that counts moves until a win, proven or not.
const DECISIVE: i32 = PROVED - DOUBT;
/// The limit of evaluations.
const EVAL_LIMIT: i32 = DECISIVE - 1;
/// The most moves from the root. With the longest VCF after them a win takes fewer than [`WIN`]
/// less [`PROVED`], and the stack holds them.
pub const MOST_PLIES: usize = 250;
/// The deepest search: what fits the table's eight bits, and is never reached where it matters.
pub const MOST_DEPTH: i32 = 100;

/// Hash key of the second side to move: any odd number without a pattern.
const SECOND_TO_MOVE: u64 = 0xd1b5_4a32_d192_ed03;
/// The deepest search to which reverse futility pruning applies.
const FUTILITY_DEPTH: i32 = 4;
/// The margin of reverse futility pruning for each ply of depth: somewhat less than [`EVAL_MOVE`],
/// which passes to and fro. Half of it made no difference in a match of 200 games.
const FUTILITY_MARGIN: i32 = 300;
/// The plies of quiescence, in which an open three of the other side is answered: an evaluation
/// just before the answer is far off. Three of them lost a match of 200 games, 92 to 108.
const QUIET_PLIES: i32 = 1;

impl AlphaBeta {
    /// The value for `side`, who is to move, by a search of `depth` moves: a proven score, or the
    /// evaluation at its end. Outside `window` it is a bound.
    fn value(
        &mut self,
        side: usize,
        depth: i32,
        window: (i32, i32),
        budget: &mut Budget,
    ) -> Result<i32, Spent> {
        let (mut alpha, beta) = window;
        self.field.pay(budget)?;
        let (other, ply) = (1 - side, self.field.placed() as i32);
        if let Some(value) = self.settled(side) {
            return Ok(value);
        }
        if ply >= MOST_PLIES as i32 {
            return Ok(self.evaluation(side));
        }
        // Extension: the forced answer to a four costs no depth.
        if let [five] = *self.field.ranked(other, Rank::Five) {
            return self.after(five, side, depth, window, budget);
        }
        let key = self.key(side);
        let known = self.table.get(key);
        if let Some(Known { value, bound, depth: searched, .. }) = known {
            let value = shifted(value, -ply);
            let settles = match bound {
                Bound::Exact => true,
                Bound::Lower => value >= beta,
                Bound::Upper => value <= alpha,
            };
            if settles && (searched >= depth || value.abs() >= PROVED) {
                return Ok(value);
            }
        }
        if let Some(plies) = self.vcf_in_line(side, budget)? {
            let value = WIN - plies as i32;
            self.table.put(key, Known { value, bound: Bound::Lower, depth, best: None });
            return Ok(value - ply);
        }
        let threatened = !self.field.ranked(other, Rank::OpenFour).is_empty();
        if depth <= 0 && !(threatened && depth > -QUIET_PLIES) {
            return Ok(self.evaluation(side));
        }
        // Reverse futility pruning: a side so far ahead is taken to stay so. It may miss an attack
        // of the other side that is no open three yet.
        let margin = FUTILITY_MARGIN * depth;
        if depth <= FUTILITY_DEPTH
            && !threatened
            && beta.abs() < DECISIVE
            && self.evaluation(side) - margin >= beta
        {
            return Ok(self.evaluation(side) - margin);
        }
        let Moves { cells, complete, elsewhere } = self.moves(side, budget)?;
        let mut cells = self.order(&cells, side, known.and_then(|known| known.best));
        // Late-move pruning by rank, at every depth: see WIDTH.
        if !complete {
            cells.truncate(WIDTH);
        }
        let (mut best, mut best_cell) = (elsewhere, None);
        alpha = alpha.max(elsewhere);
        for (tried, cell) in cells.into_iter().enumerate() {
            if alpha >= beta {
                break;
            }
            let quiet = self.field.rank(cell, side) < Rank::OpenThree
                && self.field.rank(cell, other) < Rank::OpenThree;
            // Late-move pruning: near the leaves late quiet moves are left out, and what only they
            // would find is lost.
            if quiet && !complete && tried >= most_tried(depth) && best > -DECISIVE {
                continue;
            }
            let less = if quiet && !complete && depth >= 2 { reduction(depth, tried) } else { 0 };
            let mut value = -WIN;
            // A null window shows whether a later move is better than the best so far.
            if tried > 0 {
                let null = (alpha, alpha + 1);
                value = self.after(cell, side, depth - 1 - less, null, budget)?;
                if value > alpha && less > 0 {
                    value = self.after(cell, side, depth - 1, null, budget)?;
                }
            }
            if tried == 0 || (value > alpha && value < beta) {
                value = self.after(cell, side, depth - 1, (alpha, beta), budget)?;
            }
            if value > best {
                (best, best_cell) = (value, Some(cell));
            }
            if value > alpha {
                alpha = value;
                if value >= beta {
                    self.reward(cell, side, depth);
                }
            }
        }
        if !complete && best <= -PROVED {
            best += DOUBT;
        }
        let bound = match best {
            _ if best >= beta => Bound::Lower,
            _ if best <= window.0 => Bound::Upper,
            _ => Bound::Exact,
        };
        let value = shifted(best, ply);
        self.table.put(key, Known { value, bound, depth, best: best_cell });
        Ok(best)
    }

    /// The key of the position in the table, with `side` to move.
    pub(super) const fn key(&self, side: usize) -> u64 {
        self.field.hash ^ (SECOND_TO_MOVE * side as u64)
    }

    /// The value for `side` of its move to `cell`, by a search of `depth` moves from there. Where
    /// the budget ends the search, the position is still the same as before.
    pub(super) fn after(
        &mut self,
        cell: Cell,
        side: usize,
        depth: i32,
        (alpha, beta): (i32, i32),
        budget: &mut Budget,
    ) -> Result<i32, Spent> {
        self.field.place(cell, side);
        let theirs = self.value(1 - side, depth, (-beta, -alpha), budget);
        self.field.unplace(cell, side);
        Ok(-theirs?)
    }

    /// The proven value where it needs no search: a win in one or three moves, a loss in two, or a
    /// draw since nobody can complete a line.
    pub(super) fn settled(&self, side: usize) -> Option<i32> {
        let field = &self.field;
        let ply = field.placed() as i32;
        let has = |side, rank| !field.ranked(side, rank).is_empty();
        if has(side, Rank::Five) {
            return Some(WIN - ply - 1);
        }
        match field.ranked(1 - side, Rank::Five) {
            [] if has(side, Rank::OpenFour) => Some(WIN - ply - 3),
            [] | [_] => field.is_dead().then_some(0),
            _ => Some(ply + 2 - WIN),
        }
    }

    /// The evaluation for the side to move, from the patterns alone: 500 is a factor of e in the
    /// odds of winning.
    fn evaluation(&self, side: usize) -> i32 {
        let squares = self.field.evaluation(side) - self.field.evaluation(1 - side);
        let has = |rank| !self.field.ranked(side, rank).is_empty();
        let threes = if has(Rank::DoubleThree) {
            EVAL_DOUBLE_THREE
        } else if has(Rank::OpenThree) {
            EVAL_OPEN_THREE
        } else {
            0
        };
        (squares + EVAL_MOVE + threes).clamp(-EVAL_LIMIT, EVAL_LIMIT)
    }
}

/// The late-move reduction of a quiet move in plies, by the logarithms of its place in the order
/// and of the depth. What only a full search of the move finds is seen late. Half as much
/// again lost a match of 200 games, 94 to 106.
fn reduction(depth: i32, tried: usize) -> i32 {
    let late = (tried as u32 + 1).ilog2() as i32;
    (late * (depth.max(1).ilog2() as i32 + 1) / 3).min(depth - 1)
}

/// The number of moves before late-move pruning: about half as many again for each ply more, up to
/// all.
fn most_tried(depth: i32) -> usize {
    [4, 4, 7, 11, 16].get(depth.max(0) as usize).copied().unwrap_or(WIDTH)
}

/// Adds plies to the distance of a win or loss: the table counts from the position, a search from
/// the root.
const fn shifted(value: i32, plies: i32) -> i32 {
    match value {
        DECISIVE.. => value + plies,
        _ if value <= -DECISIVE => value - plies,
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use super::super::field::side;
    use super::*;
    use crate::game::Mark;
    use crate::search::oracle::{Dice, Textbook};
    use crate::search::{Score, Value};

    #[rustfmt::skip]
    const SIZES: [(u64, u64, u64); 9] = [
        (4, 4, 3), (4, 4, 4), (5, 5, 4), (5, 5, 3), (6, 6, 4), (4, 6, 3), (2, 9, 4), (1, 12, 3),
        (6, 6, 5),
    ];

    /// A proven score as a value of a search from the root.
    fn value(Score { value, plies }: Score) -> i32 {
        let plies = plies.map_or(0, |plies| plies as i32);
        match value {
            Value::Win => WIN - plies,
            Value::Loss => plies - WIN,
            Value::Draw | Value::Unknown => 0,
        }
    }

    #[test]
    fn proofs_and_zones_hold_on_small_boards() {
        let mut dice = Dice::new(4);
        let (mut proofs, mut zones) = (0, 0);
        for _ in 0..200 {
            let shape = dice.shape(&SIZES);
            let moves = shape.squares() - 5 - dice.below(4);
            let mut board = dice.game(shape, moves).board().clone();
            if board.free().count() > 9 {
                continue;
            }
            let mut searcher = AlphaBeta::new(shape);
            for turn in [Mark::X, Mark::O] {
                searcher.set_up(&board, &mut Budget::nodes(0)).expect("no clock");
                let truths = Textbook::default().scores(&mut board, turn);
                let (us, truth) = (side(turn), value(Textbook::best_of(&truths)));
                for depth in 0..6 {
                    let budget = &mut Budget::nodes(50_000);
                    let found = searcher.value(us, depth, (-WIN, WIN), budget);
                    let found = found.expect("enough positions");
                    let case = format!("{board:?} {turn:?} {found} {truth}");
                    assert!(found < PROVED || truth >= found, "{case}");
                    assert!(found > -PROVED || truth <= found, "{case}");
                    proofs += u32::from(found.abs() >= PROVED);
                }
                if (0..2).any(|side| !searcher.field.ranked(side, Rank::Five).is_empty()) {
                    continue;
                }
                let budget = &mut Budget::nodes(5_000);
                let moves = searcher.moves(us, budget).expect("enough positions");
                if moves.complete && moves.elsewhere > -WIN {
                    zones += 1;
                    for (square, score) in truths {
                        let inside = moves.cells.contains(&searcher.field.cell(square));
                        let holds = inside || value(score) <= moves.elsewhere;
                        assert!(holds, "{board:?} {turn:?} {square:?} {score:?}");
                    }
                }
            }
        }
        assert!(proofs > 250 && zones > 10, "{proofs} {zones}");
    }
}
