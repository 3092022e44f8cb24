//! Alpha-beta over the moves near the marks, with wins by fours at every node.
//!
//! Principal variation search (Marsland and Campbell 1982) with a transposition table, killer moves, the history
//! heuristic (Schaeffer 1983) and late-move reductions. A value of [`PROVED`] or more is a proof, whatever was
//! left out on the way, and up to two positions with the same 64-bit hash: a win needs one move for each answer, and only positions where every answer was considered,
//! or shown to be no better by a relevance zone, pass a loss on as proved.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "squares, plies and packed fields are far below 2^31"
)]

use super::Budget;
use super::census::{EVAL_DOUBLE_THREE, EVAL_MOVE, EVAL_OPEN_THREE, Rank};
use super::field::{Cell, Field};
use super::moves::{Candidate, HISTORIES, WIDTH};
use super::table::{Bound, Known, Table};
use super::vcf::{Vcf, Zone};
use crate::search::Spent;

/// A win, less the number of moves until it.
pub const WIN: i32 = 30_000;
/// From here on a value is a proof.
pub const PROVED: i32 = 29_000;
/// A loss against all moves that were looked at, others having been left out, is this much less of a loss.
const DOUBT: i32 = 9_000;
/// From here on a value counts moves until a win, proved or not.
const DECISIVE: i32 = PROVED - DOUBT;
/// What no evaluation exceeds.
const EVAL_LIMIT: i32 = DECISIVE - 1;
/// How many moves from the root a search may go: with the longest row of fours after them a proof takes less than
/// [`WIN`] less [`PROVED`], and the stack holds them.
pub const MOST_PLIES: usize = 250;
/// The deepest search: what fits the table's eight bits, and is never reached where it matters.
pub const MOST_DEPTH: i32 = 100;

/// Added to the hash where the second side is to move: any odd number without a pattern.
const SECOND_TO_MOVE: u64 = 0xd1b5_4a32_d192_ed03;
/// What one move may change the evaluation by, as a rule: somewhat less than the worth of having the move, which passes
/// to and fro. Half of it made no difference in a match of 200 games.
const MARGIN: i32 = 300;
/// How far beyond the last ply an open three is still answered: once, since an evaluation just before the answer is far
/// off. Three times lost a match of 200 games, 92 to 108.
const QUIET_PLIES: i32 = 1;

/// Everything a search works on.
pub struct Searcher {
    /// The position; as it was whenever a search returns.
    pub field: Field,
    /// Rows of fours that failed.
    pub vcf: Vcf,
    /// What was found before.
    pub table: Table,
    /// By square and side; squares of large boards share entries with others, far away.
    pub history: Vec<[i32; 2]>,
    pub killers: Vec<[Cell; 2]>,
}

/// No square.
const NOWHERE: Cell = Cell::MAX;

impl Searcher {
    /// Works on this position.
    pub const fn new(field: Field) -> Self {
        Self {
            field,
            vcf: Vcf::new(),
            table: Table::new(),
            history: Vec::new(),
            killers: Vec::new(),
        }
    }

    /// Forgets what earlier positions taught, so that the same position gets the same answer.
    pub fn forget(&mut self) {
        self.table.forget();
        self.vcf.forget();
        self.history.clear();
        self.history.resize(HISTORIES, [0; 2]);
        self.killers.clear();
        self.killers.resize(MOST_PLIES + 1, [NOWHERE; 2]);
    }

    /// What `side`, who is to move `ply` moves after the root, gets when looking `depth` moves ahead.
    pub fn value(
        &mut self,
        side: usize,
        depth: i32,
        ply: usize,
        window: (i32, i32),
        budget: &mut Budget,
    ) -> Result<i32, Spent> {
        let (alpha, beta) = window;
        self.field.pay(budget)?;
        let (other, now) = (1 - side, ply as i32);
        if let Some(value) = self.settled(side, now) {
            return Ok(value);
        }
        if ply >= MOST_PLIES {
            return Ok(self.evaluation(side));
        }
        if let [five] = *self.field.ranked(other, Rank::Five) {
            return Ok(-self.after(five, side, depth, ply, (-beta, -alpha), budget)?);
        }
        let key = self.field.hash() ^ (SECOND_TO_MOVE * side as u64);
        let (value, remembered) = self.recall(key, depth, now, window);
        if let Some(value) = value {
            return Ok(value);
        }
        if let Some(plies) =
            self.vcf
                .win_in_line(&mut self.field, side, &mut Zone::new(), budget)?
        {
            let value = WIN - now - plies as i32;
            self.note(key, value, Bound::Lower, depth, None, now);
            return Ok(value);
        }
        let threatened = !self.field.ranked(other, Rank::OpenFour).is_empty();
        if depth <= 0 && !(threatened && depth > -QUIET_PLIES) {
            return Ok(self.evaluation(side));
        }
        let margin = MARGIN * depth;
        if depth <= 4
            && !threatened
            && beta.abs() < DECISIVE
            && self.evaluation(side) - margin >= beta
        {
            return Ok(self.evaluation(side) - margin);
        }
        let (mut moves, complete, elsewhere) = self.moves(side, now, budget)?;
        self.order(&mut moves, side, ply, remembered);
        if !complete {
            moves.truncate(WIDTH);
        }
        let (mut best, mut best_cell, mut bar) = (elsewhere, None, alpha.max(elsewhere));
        for (tried, &Candidate { cell, .. }) in moves.iter().enumerate() {
            if bar >= beta {
                break;
            }
            let quiet = self.field.rank(cell, side) < Rank::OpenThree
                && self.field.rank(cell, other) < Rank::OpenThree;
            if quiet && !complete && tried >= most_tried(depth) && best > -DECISIVE {
                continue;
            }
            let less = if quiet && !complete && depth >= 2 {
                reduction(depth, tried)
            } else {
                0
            };
            let mut value = -WIN;
            if tried > 0 {
                value = -self.after(cell, side, depth - 1 - less, ply, (-bar - 1, -bar), budget)?;
                if value > bar && less > 0 {
                    value = -self.after(cell, side, depth - 1, ply, (-bar - 1, -bar), budget)?;
                }
            }
            if tried == 0 || (value > bar && value < beta) {
                value = -self.after(cell, side, depth - 1, ply, (-beta, -bar), budget)?;
            }
            if value > best {
                (best, best_cell) = (value, Some(cell));
            }
            if value > bar {
                bar = value;
                if value >= beta {
                    self.reward(cell, side, depth, ply);
                }
            }
        }
        if !complete && best <= -PROVED {
            best += DOUBT;
        }
        let bound = match best {
            _ if best >= beta => Bound::Lower,
            _ if best <= alpha => Bound::Upper,
            _ => Bound::Exact,
        };
        self.note(key, best, bound, depth, best_cell, now);
        Ok(best)
    }

    /// The value for the other side after a move of `side`.
    pub fn after(
        &mut self,
        cell: Cell,
        side: usize,
        depth: i32,
        ply: usize,
        window: (i32, i32),
        budget: &mut Budget,
    ) -> Result<i32, Spent> {
        self.field.place(cell, side);
        let value = self.value(1 - side, depth, ply + 1, window, budget);
        self.field.unplace(cell, side);
        value
    }

    /// The value where it needs no search: a win in one or three, a loss in two, a draw that is certain.
    pub fn settled(&self, side: usize, ply: i32) -> Option<i32> {
        let field = &self.field;
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

    /// What an earlier visit found: the value, if it is good enough for this window, and the best move.
    fn recall(
        &self,
        key: u64,
        depth: i32,
        ply: i32,
        (alpha, beta): (i32, i32),
    ) -> (Option<i32>, Option<Cell>) {
        let Some(known) = self.table.get(key) else {
            return (None, None);
        };
        let value = from_table(known.value, ply);
        let enough = known.depth >= depth || value.abs() >= PROVED;
        let settles = match known.bound {
            Bound::Exact => true,
            Bound::Lower => value >= beta,
            Bound::Upper => value <= alpha,
        };
        ((enough && settles).then_some(value), known.best)
    }

    fn note(
        &mut self,
        key: u64,
        value: i32,
        bound: Bound,
        depth: i32,
        best: Option<Cell>,
        ply: i32,
    ) {
        self.table.put(
            key,
            Known {
                value: to_table(value, ply),
                bound,
                depth,
                best,
            },
        );
    }

    /// What the position is worth to the side to move, from the patterns alone.
    pub fn evaluation(&self, side: usize) -> i32 {
        let (mine, theirs) = (self.field.evaluation(side), self.field.evaluation(1 - side));
        let has = |rank| !self.field.ranked(side, rank).is_empty();
        let threes = if has(Rank::DoubleThree) {
            EVAL_DOUBLE_THREE
        } else if has(Rank::OpenThree) {
            EVAL_OPEN_THREE
        } else {
            0
        };
        (mine - theirs + EVAL_MOVE + threes).clamp(-EVAL_LIMIT, EVAL_LIMIT)
    }
}

/// How much less deep a late quiet move is searched: the later it comes in order and the deeper the search is, the less,
/// both by their logarithms. Half as much again lost a match of 200 games, 94 to 106.
fn reduction(depth: i32, tried: usize) -> i32 {
    let late = (tried as u32 + 1).ilog2() as i32;
    (late * (depth.max(1).ilog2() as i32 + 1) / 3).min(depth - 1)
}

/// How many moves are tried at all so near to the leaves: about half as many again for each ply more, up to all.
fn most_tried(depth: i32) -> usize {
    match depth {
        ..=1 => 4,
        2 => 7,
        3 => 11,
        4 => 16,
        _ => WIDTH,
    }
}

// A table entry counts the moves to a win from its own position, not from the root.
const fn to_table(value: i32, ply: i32) -> i32 {
    match value {
        DECISIVE.. => value + ply,
        _ if value <= -DECISIVE => value - ply,
        _ => value,
    }
}

const fn from_table(value: i32, ply: i32) -> i32 {
    match value {
        DECISIVE.. => value - ply,
        _ if value <= -DECISIVE => value + ply,
        _ => value,
    }
}

#[cfg(test)]
#[allow(
    clippy::expect_used,
    clippy::items_after_statements,
    reason = "a test may panic"
)]
mod tests {
    use super::super::field::side;
    use super::super::oracle::{below, random_board, random_shape, slow, slow_move};
    use super::*;
    use crate::game::{Mark, Square};

    #[test]
    fn proofs_and_zones_hold_on_small_boards() {
        let mut state = 521_288_629;
        let sizes = [
            (4, 4, 3),
            (4, 4, 4),
            (5, 5, 4),
            (5, 5, 3),
            (6, 6, 4),
            (4, 6, 3),
            (2, 9, 4),
            (1, 12, 3),
            (6, 6, 5),
        ];
        let (mut proofs, mut zones) = (0, 0);
        for _ in 0..200 {
            let shape = random_shape(&sizes, &mut state);
            let empty = 5 + below(&mut state, 4);
            let Some(mut board) = random_board(shape, empty, &mut state) else {
                continue;
            };
            let mut searcher = Searcher::new(Field::new(shape));
            let mut no_clock = Budget::nodes(0);
            searcher
                .field
                .set_up(&board, &mut no_clock)
                .expect("no clock");
            for turn in [Mark::X, Mark::O] {
                searcher.forget();
                let (us, truth) = (side(turn), slow(&mut board, turn, 1));
                for depth in 0..6 {
                    let mut budget = Budget::nodes(50_000);
                    let value = searcher
                        .value(us, depth, 0, (-WIN, WIN), &mut budget)
                        .expect("enough positions");
                    assert!(
                        value < PROVED || truth >= 1000 - (WIN - value),
                        "{board:?} {turn:?} {value} {truth}"
                    );
                    assert!(
                        value > -PROVED || truth <= WIN + value - 1000 && truth < 0,
                        "{board:?} {turn:?} {value} {truth}"
                    );
                    proofs += u32::from(value.abs() >= PROVED);
                }
                if !searcher.field.ranked(us, Rank::Five).is_empty()
                    || !searcher.field.ranked(1 - us, Rank::Five).is_empty()
                {
                    continue;
                }
                let (moves, complete, elsewhere) = searcher
                    .moves(us, 0, &mut Budget::nodes(5_000))
                    .expect("enough positions");
                if complete && elsewhere > -WIN {
                    zones += 1;
                    for square in board.free().collect::<Vec<_>>() {
                        let Square { row, col } = square;
                        let cell = Cell::from(row) * Cell::from(shape.cols()) + Cell::from(col);
                        if moves.iter().all(|candidate| candidate.cell != cell) {
                            let value = slow_move(&mut board, square, turn, 1);
                            assert!(
                                value < 0 && -value >= 1000 - (WIN + elsewhere),
                                "{board:?} {turn:?} {square:?} {value}"
                            );
                        }
                    }
                }
            }
        }
        assert!(proofs > 250 && zones > 10, "{proofs} {zones}");
    }
}
