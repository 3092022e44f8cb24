//! The search of boards too big to be solved, by threats: it proves what can be proved and plays well elsewhere.
//!
//! `field` keeps what a mark of either side would make on every square, by the `patterns` of the lines through it
//! and their `census`. Upon it stand the search for wins by `fours` alone, an `alphabeta` that has it at every
//! node. This file asks them in turn, from the root.
//!
//! Wins by threes have no search of their own (threat-space search; Allis, van den Herik and Huntjens 1993): the
//! alpha-beta lets the defender answer a threat only where it can be met, and so is one. A separate one, at the root or
//! in the tree, proved no more with as many positions and scored 38 to 50 % in eight matches of 200 to 240 games.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    reason = "squares, plies and packed fields are far below 2^31"
)]

mod census;
mod field;
#[cfg(test)]
#[allow(
    clippy::expect_used,
    clippy::items_after_statements,
    reason = "a test may panic"
)]
mod oracle;
mod patterns;
mod search;
mod table;
mod vcf;

use self::census::Rank;
use self::field::{Cell, Field, side};
use self::search::{Candidate, MOST_DEPTH, PROVED, Searcher, WIN};
use self::table::Table;
use self::vcf::{MOST_FOURS, Zone};
use super::{Budget, Score, Value};
use crate::game::{Board, Mark, Shape, Square};
use crate::search::Spent;

/// Searches positions of one shape; its memory is kept from one to the next, what they taught is not.
pub struct AlphaBeta {
    search: Searcher,
    /// The memory for everything.
    bytes: usize,
}

/// The memory for everything but the table and the squares, and the memory for a square.
const BASE_BYTES: usize = 16 << 20;
const SQUARE_BYTES: usize = 96;

/// What a search for fours from the root may visit beside a search of this depth: twice as much
/// each time, up to a million positions.
const fn allowance_at(depth: i32) -> u32 {
    if depth < 13 { 128 << depth } else { 1 << 20 }
}

/// How many squares are judged at a glance from one check of the budget to the next.
const SQUARES_A_CHECK: usize = 4_096;

impl AlphaBeta {
    /// For boards of this shape. It takes at most 80 MiB, and 96 bytes a square.
    #[must_use]
    pub fn new(shape: Shape) -> Self {
        Self::within(shape, usize::MAX)
    }

    /// The same with at most so many bytes, as far as the board leaves it a choice: it needs 16 MiB
    /// and 96 bytes a square, and the fewer it has, the more it does twice.
    #[must_use]
    pub fn within(shape: Shape, bytes: usize) -> Self {
        let needed = BASE_BYTES + shape.squares() * SQUARE_BYTES;
        let mut search = Searcher::new(Field::new(shape));
        search.table = Table::within(bytes.saturating_sub(needed));
        Self { search, bytes }
    }

    /// The best move for `turn` that the budget finds, and what it is worth as far as that is proved; `None` when the
    /// board is full.
    pub fn best(
        &mut self,
        board: &Board,
        turn: Mark,
        budget: &mut Budget,
    ) -> Option<(Square, Score)> {
        let side = side(turn);
        if self.set_up(board, budget).is_err() {
            let seen = self.fallback(side).map(|cell| self.square(cell));
            let square = seen.filter(|&square| board.at(square).is_none());
            return Some((square.or_else(|| board.free().next())?, Score::UNKNOWN));
        }
        let (cell, score) = if let Some(settled) = self.at_once(side) {
            settled
        } else {
            let mut best = (self.fallback(side)?, Score::UNKNOWN);
            // A budget that is spent leaves the best move so far.
            let _ = self.deepen(side, &mut best, budget);
            best
        };
        Some((self.square(cell), score))
    }

    fn set_up(&mut self, board: &Board, budget: &mut Budget) -> Result<(), Spent> {
        if self.search.field.shape() != board.shape() {
            *self = Self::within(board.shape(), self.bytes);
        }
        self.search.forget();
        self.search.field.set_up(board, budget)
    }

    fn square(&self, cell: Cell) -> Square {
        let cols = Cell::from(self.search.field.shape().cols());
        Square {
            row: (cell / cols) as u16,
            col: (cell % cols) as u16,
        }
    }

    fn cell(&self, square: Square) -> Cell {
        let cols = Cell::from(self.search.field.shape().cols());
        Cell::from(square.row) * cols + Cell::from(square.col)
    }

    /// The move and its worth where no search is needed.
    fn at_once(&self, side: usize) -> Option<(Cell, Score)> {
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
            ([], costs @ [_, _, ..]) => proved(self.best_looking(costs, side)?, Value::Loss, 2),
            _ if value > 0 => proved(
                self.best_looking(field.ranked(side, Rank::Fours), side)?,
                Value::Win,
                3,
            ),
            _ => proved(
                self.best_looking(field.ranked(side, Rank::Dead), side)?,
                Value::Draw,
                field.empty() as u32,
            ),
        }
    }

    /// A sensible move without any search: the block of a five, or else what looks best, nearest to the centre.
    fn fallback(&self, side: usize) -> Option<Cell> {
        let field = &self.search.field;
        let candidates = match field.ranked(1 - side, Rank::Five) {
            [] => self.search.near(side),
            fives => fives.to_vec(),
        };
        self.best_looking(&candidates, side)
    }

    fn best_looking(&self, cells: &[Cell], side: usize) -> Option<Cell> {
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
    fn deepen(
        &mut self,
        side: usize,
        best: &mut (Cell, Score),
        budget: &mut Budget,
    ) -> Result<(), Spent> {
        let (mut moves, complete, elsewhere) = self.root_moves(side, budget)?;
        self.search.order(&mut moves, side, 0, Some(best.0));
        let mut fours_left = true;
        for depth in 1..=MOST_DEPTH {
            if fours_left {
                match self.row_of_fours(side, allowance_at(depth), budget)? {
                    Some((first, plies)) => {
                        *best = (first, proved(WIN - plies as i32));
                        return Ok(());
                    }
                    None => fours_left = self.search.fours.gave_up(),
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
            let _ = self.sift(side(turn), &mut scores, budget);
        }
        scores
    }

    /// First what a look at the position tells of all squares at once, then a search of each that is still unknown,
    /// deeper and deeper.
    fn sift(
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
        if rank == Rank::Fours || twice {
            return at_once(Value::Win, 3);
        }
        Score::UNKNOWN
    }

    /// The first move and the length of a win by fours alone, the shortest first.
    fn row_of_fours(
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
                .fours
                .win(field, side, fours, allowance, &mut zone, budget)?
            {
                return Ok(zone.last().map(|&first| (first, plies)));
            }
            if self.search.fours.gave_up() {
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
fn proved(value: i32) -> Score {
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

#[cfg(test)]
#[allow(
    clippy::expect_used,
    clippy::items_after_statements,
    reason = "a test may panic"
)]
mod tests {
    use super::oracle::{below, random_board, random_shape, slow, slow_move};
    use super::*;

    /// Whether what is claimed is true.
    fn holds(score: Score, value: i32, empty: usize) -> bool {
        let plies = match score.value {
            Value::Unknown => return score.plies.is_none(),
            Value::Draw if value == 0 => empty as u32,
            Value::Win if value > 0 => (1000 - value) as u32,
            Value::Loss if value < 0 => (1000 + value) as u32,
            _ => return false,
        };
        score.plies.is_none_or(|claimed| claimed == plies)
    }

    fn best(deep: &mut AlphaBeta, board: &Board, turn: Mark, nodes: u64) -> (Square, Score) {
        let mut budget = Budget::nodes(nodes);
        let (square, score) = deep.best(board, turn, &mut budget).expect("a move");
        assert!(board.at(square).is_none() && budget.spent() <= nodes);
        (square, score)
    }

    #[test]
    fn what_is_claimed_on_small_boards_is_true() {
        let mut state = 2_463_534_242;
        let sizes = [
            (3, 3, 3),
            (4, 4, 3),
            (4, 4, 4),
            (5, 5, 4),
            (5, 5, 3),
            (6, 6, 4),
            (4, 6, 3),
            (2, 9, 4),
            (1, 12, 3),
            (6, 6, 5),
            (1, 9, 1),
            (1, 12, 2),
            (3, 4, 2),
            (1, 14, 7),
        ];
        let (mut boards, mut claims) = (0, [0; 3]);
        while boards < 150 {
            let shape = random_shape(&sizes, &mut state);
            let empty = 1 + below(&mut state, 7.min(shape.squares()));
            let Some(mut board) = random_board(shape, empty, &mut state) else {
                continue;
            };
            boards += 1;
            let mut deep = AlphaBeta::new(shape);
            for turn in [Mark::X, Mark::O] {
                let truth = slow(&mut board, turn, 1);
                for nodes in [0, 1, 30, 10_000] {
                    let (square, score) = best(&mut deep, &board, turn, nodes);
                    assert!(
                        holds(score, truth, empty),
                        "{board:?} {turn:?} {score:?} {truth}"
                    );
                    let after = slow_move(&mut board, square, turn, 1);
                    let proves = |value: i32| {
                        if score.plies.is_some() {
                            value
                        } else {
                            value.signum()
                        }
                    };
                    if score.value != Value::Unknown {
                        assert_eq!(
                            proves(after),
                            proves(truth),
                            "{board:?} {turn:?} {square:?}"
                        );
                        claims[(truth.signum() + 1) as usize] += 1;
                    }
                    let scores = deep.scores(&board, turn, &mut Budget::nodes(nodes));
                    assert!(scores.iter().map(|pair| pair.0).eq(board.free()));
                    for (square, score) in scores {
                        let value = slow_move(&mut board, square, turn, 1);
                        assert!(
                            holds(score, value, empty),
                            "{board:?} {turn:?} {square:?} {score:?} {value}"
                        );
                    }
                }
            }
        }
        assert!(claims.iter().all(|&count| count > 25), "{claims:?}");
    }

    /// A board with these marks, X first in turn.
    fn board(shape: Shape, moves: &[(u16, u16)]) -> Board {
        let mut board = Board::new(shape);
        for (&(row, col), mark) in moves.iter().zip([Mark::X, Mark::O].into_iter().cycle()) {
            board
                .place(Square { row, col }, mark)
                .expect("an empty square");
        }
        board
    }

    #[test]
    fn gomoku_tactics_are_seen() {
        let shape = Shape::new(15, 15, 5).expect("a shape");
        let win = |plies| Score {
            value: Value::Win,
            plies: Some(plies),
        };
        type Squares = &'static [(u16, u16)];
        let cases: [(&str, Squares, Score, Squares); 5] = [
            (
                "a five",
                &[
                    (7, 3),
                    (0, 0),
                    (7, 4),
                    (0, 2),
                    (7, 5),
                    (0, 4),
                    (7, 6),
                    (7, 2),
                ],
                win(1),
                &[(7, 7)],
            ),
            (
                "an open four",
                &[(7, 5), (0, 0), (7, 6), (0, 14), (7, 7), (14, 0)],
                win(3),
                &[(7, 4), (7, 8)],
            ),
            (
                "a block",
                &[(7, 3), (0, 0), (7, 4), (7, 2), (7, 5), (14, 14), (7, 6)],
                Score::UNKNOWN,
                &[(7, 7)],
            ),
            (
                "two fours",
                &[
                    (7, 4),
                    (7, 3),
                    (7, 5),
                    (3, 7),
                    (7, 6),
                    (0, 0),
                    (4, 7),
                    (0, 14),
                    (5, 7),
                    (14, 0),
                    (6, 7),
                    (14, 14),
                ],
                win(3),
                &[(7, 7)],
            ),
            (
                "lost in two",
                &[(7, 4), (0, 0), (7, 5), (0, 14), (7, 6), (14, 0), (7, 7)],
                Score {
                    value: Value::Loss,
                    plies: Some(2),
                },
                &[(7, 3), (7, 8)],
            ),
        ];
        for (name, moves, score, squares) in cases {
            let board = board(shape, moves);
            let turn = Mark::after(moves.len());
            let (square, found) = best(&mut AlphaBeta::new(shape), &board, turn, 5_000);
            assert!(
                squares.contains(&(square.row, square.col)),
                "{name}: {square}"
            );
            assert_eq!(found, score, "{name}");
        }
    }

    #[test]
    fn where_long_lines_do_not_win_they_are_no_threat() {
        let shape = Shape::new(15, 15, 5).expect("a shape").with_exact(true);
        // Four, a gap and two more: the gap would make seven.
        let moves = [
            (7, 2),
            (0, 0),
            (7, 3),
            (0, 2),
            (7, 4),
            (0, 4),
            (7, 5),
            (7, 1),
            (7, 7),
            (0, 6),
            (7, 8),
            (0, 8),
        ];
        let scores =
            AlphaBeta::new(shape).scores(&board(shape, &moves), Mark::X, &mut Budget::nodes(100));
        let gap = scores
            .iter()
            .find(|pair| pair.0 == Square { row: 7, col: 6 })
            .expect("an empty square");
        assert_ne!(gap.1.value, Value::Win);
    }

    #[test]
    fn a_move_is_found_on_every_shape_even_without_a_budget() {
        let sizes = [
            (1, 1, 1),
            (1, 1024, 5),
            (1024, 1, 1024),
            (300, 200, 4),
            (40, 40, 40),
            (64, 64, 33),
            (2, 2, 2),
        ];
        for (rows, cols, k) in sizes {
            let shape = Shape::new(rows, cols, k).expect("a shape");
            for shape in [shape, shape.with_exact(true)] {
                let mut deep = AlphaBeta::new(shape);
                let mut board = Board::new(shape);
                for turn in [Mark::X, Mark::O]
                    .into_iter()
                    .cycle()
                    .take(4.min(shape.squares()))
                {
                    best(&mut deep, &board, turn, 0);
                    let (square, _) = best(&mut deep, &board, turn, 500);
                    if board.would_complete(square, turn) {
                        break;
                    }
                    board.place(square, turn).expect("an empty square");
                }
            }
        }
    }

    #[test]
    fn the_same_question_gets_the_same_answer() {
        let shape = Shape::new(15, 15, 5).expect("a shape");
        let board = board(shape, &[(7, 7), (6, 8), (8, 8), (6, 6)]);
        let mut deep = AlphaBeta::new(shape);
        let first = best(&mut deep, &board, Mark::X, 3_000);
        deep.scores(&board, Mark::O, &mut Budget::nodes(3_000));
        assert_eq!(best(&mut deep, &board, Mark::X, 3_000), first);
        assert_eq!(
            best(&mut AlphaBeta::new(shape), &board, Mark::X, 3_000),
            first
        );
    }

    #[test]
    fn a_full_board_has_no_move() {
        let shape = Shape::new(1, 2, 2).expect("a shape");
        let board = board(shape, &[(0, 0), (0, 1)]);
        let mut deep = AlphaBeta::new(shape);
        assert_eq!(deep.best(&board, Mark::X, &mut Budget::nodes(10)), None);
        assert_eq!(deep.scores(&board, Mark::X, &mut Budget::nodes(10)), []);
    }
}
