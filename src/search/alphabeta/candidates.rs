//! The best moves of a position, each with its evaluation and the line of play that follows.

use super::census::Rank;
use super::field::{Cell, side};
use super::root::{proved, tries_at};
use super::search::{MOST_DEPTH, PROVED, WIN};
use super::{AlphaBeta, Budget, Candidate, Score};
use crate::game::{Board, Mark, Square};
use crate::search::Spent;

/// The most moves of the line that follows a candidate.
const MOST_FOLLOWING: usize = 12;

impl AlphaBeta {
    /// The best moves for `turn`, best first, at most `most` of them. One iterative deepening finds
    /// them all (a multi-PV search): the transposition table makes the later ones cheap.
    pub fn candidates(
        &mut self,
        board: &Board,
        turn: Mark,
        most: usize,
        budget: &mut Budget,
    ) -> Vec<Candidate> {
        self.search_among(board, turn, most, None, budget)
    }

    /// The best move for `turn` among the squares that `is_seen` tells of: among all, where it
    /// tells of none. `None` when the board is full.
    pub fn best_seen(
        &mut self,
        board: &Board,
        turn: Mark,
        is_seen: &dyn Fn(Square) -> bool,
        budget: &mut Budget,
    ) -> Option<Candidate> {
        self.search_among(board, turn, 1, Some(is_seen), budget).into_iter().next()
    }

    fn search_among(
        &mut self,
        board: &Board,
        turn: Mark,
        most: usize,
        is_seen: Option<&dyn Fn(Square) -> bool>,
        budget: &mut Budget,
    ) -> Vec<Candidate> {
        let side = side(turn);
        let mut found = Vec::new();
        if self.set_up(board, budget).is_err() {
            found.extend(board.free().next().map(Candidate::from));
            return found;
        }
        let mut near = self.near(side);
        if let [only] = near[..]
            && most > 1
        {
            near.extend(self.around(only, board));
        }
        if near.is_empty() {
            near.extend(board.free().map(|square| self.field.cell(square)));
        }
        let mut cells = self.order(&near, side, self.fallback(side));
        if let Some(is_seen) = is_seen {
            let seen = |cell: &Cell| is_seen(self.square(*cell));
            let seen: Vec<Cell> = cells.iter().copied().filter(seen).collect();
            cells = if seen.is_empty() { cells } else { seen };
        }
        // A budget that is spent leaves the candidates so far.
        let _ =
            self.deepen_candidates(side, &mut cells, most, is_seen.is_none(), &mut found, budget);
        if found.is_empty() {
            found.extend(cells.first().map(|&cell| Candidate::from(self.square(cell))));
        }
        found
    }

    /// The empty squares at most two steps from `cell`, that one not included. An empty board has
    /// nothing near but its centre.
    fn around(&self, cell: Cell, board: &Board) -> impl Iterator<Item = Cell> {
        let Square { row, col } = self.square(cell);
        let is_around =
            move |square: &Square| square.row.abs_diff(row).max(square.col.abs_diff(col)) <= 2;
        let around = board.free().filter(is_around).map(|square| self.field.cell(square));
        around.filter(move |&other| other != cell)
    }

    /// Iterative deepening of the `most` best of `cells`, where a VCF counts if it `tries_vcf`.
    fn deepen_candidates(
        &mut self,
        side: usize,
        cells: &mut [Cell],
        most: usize,
        tries_vcf: bool,
        found: &mut Vec<Candidate>,
        budget: &mut Budget,
    ) -> Result<(), Spent> {
        let most = most.min(cells.len());
        let no_five = (0..2).all(|side| self.field.ranked(side, Rank::Five).is_empty());
        let mut vcf_is_open = tries_vcf && no_five;
        // The moves that are proved to win by a VCF stay at the front.
        let mut proven = 0;
        for depth in 1..=MOST_DEPTH {
            if vcf_is_open {
                let won = self.short_vcf(side, tries_at(depth), budget)?;
                vcf_is_open = self.vcf.gave_up();
                if let (Some(plies), Some(&first)) = (won, self.vcf.zone.last())
                    && let Some(at) = cells.iter().position(|cell| *cell == first)
                {
                    cells[..=at].rotate_right(1);
                    self.note(found, 0, (first, side), WIN - plies as i32, depth);
                    (proven, vcf_is_open) = (1, false);
                }
            }
            for nth in proven..most {
                let value = self.root(side, depth, &mut cells[nth..], -WIN, budget)?;
                self.note(found, nth, (cells[nth], side), value, depth);
                if nth == 0 {
                    budget.reach(depth as u32);
                    budget.prefer(self.square(cells[0]));
                }
            }
            found.truncate(most);
            if found.iter().all(|candidate| candidate.evaluation.abs() >= PROVED) {
                break;
            }
        }
        Ok(())
    }

    /// Makes a move the `nth` of the candidates.
    fn note(
        &mut self,
        found: &mut Vec<Candidate>,
        nth: usize,
        (cell, side): (Cell, usize),
        value: i32,
        depth: i32,
    ) {
        let square = self.square(cell);
        found.retain(|candidate| candidate.square != square);
        let score = if value.abs() >= PROVED { proved(value) } else { Score::UNKNOWN };
        let line = self.line(cell, side);
        let candidate = Candidate { square, score, evaluation: value, depth: depth as u32, line };
        found.insert(nth.min(found.len()), candidate);
    }

    /// The line of play after the move of `side` to `cell`, that move not included: the forced
    /// answers, and what the transposition table knows.
    fn line(&mut self, cell: Cell, side: usize) -> Vec<Square> {
        let mut line = vec![cell];
        let mut mover = side;
        let mut is_over = self.field.rank(cell, side) == Rank::Five;
        self.field.place(cell, side);
        while !is_over && line.len() <= MOST_FOLLOWING {
            mover = 1 - mover;
            let fives = [mover, 1 - mover].map(|side| self.field.ranked(side, Rank::Five).first());
            let next = match fives {
                [Some(&five), _] => Some(five),
                [None, Some(&block)] => Some(block),
                [None, None] => self.table.get(self.key(mover)).and_then(|known| known.best),
            };
            let Some(next) = next.filter(|&next| self.field.is_empty(next)) else { break };
            is_over = fives[0].is_some();
            self.field.place(next, mover);
            line.push(next);
        }
        for (at, &cell) in line.iter().enumerate().rev() {
            self.field.unplace(cell, if at.is_multiple_of(2) { side } else { 1 - side });
        }
        line.iter().skip(1).map(|&cell| self.square(cell)).collect()
    }
}
