//! Alpha-beta search of boards of any size, steered by threats: it proves wins and losses where it
//! can, and plays well elsewhere.
//!
//! `field` keeps the patterns that a mark of either side would make on every square: `patterns`
//! along each line, and a `census` of the four lines. Upon it stand the VCF search (victory by
//! continuous fours) in `vcf`, and the principal variation search in `search`, with its `moves` and
//! its `table`. `root` searches a position by iterative deepening, `analysis` every move of it.
//!
//! Wins by threes have no threat-space search of their own (Allis, van den Herik and Huntjens
//! 1993): the alpha-beta search answers a threat only inside its relevance zone, and so is one. A
//! separate one, at the root or in the tree, proved no more with as many positions and scored 38 to
//! 50 % in eight matches of 200 to 240 games.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    reason = "squares, plies and packed fields are far below 2^31"
)]
#![cfg_attr(
    test,
    allow(clippy::expect_used, clippy::items_after_statements, reason = "a test may panic")
)]

mod analysis;
mod census;
mod field;
mod moves;
#[cfg(test)]
mod oracle;
mod patterns;
mod root;
mod search;
mod table;
mod vcf;

use self::field::{Cell, Field, side};
use self::moves::HISTORIES;
use self::search::MOST_PLIES;
use self::table::Table;
use self::vcf::Vcf;
use super::{Budget, Score, Value};
use crate::game::{Board, Mark, Shape, Square};
use crate::search::Spent;

/// An alpha-beta searcher. It keeps its memory from one position to the next, but forgets what it
/// found, so that the same position and budget of nodes give the same answer.
pub struct AlphaBeta {
    /// The position, which is the same after a search as before.
    field: Field,
    vcf: Vcf,
    table: Table,
    /// The history heuristic by square and side. Squares of large boards share entries with others,
    /// far away.
    history: Vec<[i32; 2]>,
    /// The killer moves by ply, the newest first; `Cell::MAX` is none.
    killers: Vec<[Cell; 2]>,
    /// The bytes that all memory together may take.
    bytes: usize,
}

/// The bytes for all but the table and the squares.
const BASE_BYTES: usize = 16 << 20;
/// The bytes for each square.
const SQUARE_BYTES: usize = 96;

impl AlphaBeta {
    /// A searcher for boards of `shape`. It takes at most 80 MiB, and 96 bytes a square.
    #[must_use]
    pub fn new(shape: Shape) -> Self {
        Self::within(shape, usize::MAX)
    }

    /// A searcher for boards of `shape` that takes at most `bytes`, but at least 16 MiB and 96
    /// bytes a square. With a smaller table it searches more positions twice.
    #[must_use]
    pub fn within(shape: Shape, bytes: usize) -> Self {
        let needed = BASE_BYTES + shape.squares() * SQUARE_BYTES;
        Self {
            field: Field::new(shape),
            vcf: Vcf::default(),
            table: Table::within(bytes.saturating_sub(needed)),
            history: Vec::new(),
            killers: Vec::new(),
            bytes,
        }
    }

    /// The best move for `turn` that the budget finds, and its score as far as that is proven;
    /// `None` when the board is full. A board of another shape than before is set up from scratch.
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
        let settled = self.at_once(side);
        let mut best = settled.or_else(|| Some((self.fallback(side)?, Score::UNKNOWN)))?;
        if settled.is_none() {
            // A budget that is spent leaves the best move so far.
            let _ = self.deepen(side, &mut best, budget);
        }
        Some((self.square(best.0), best.1))
    }

    /// Takes over `board`, and forgets earlier positions, so that the same gets the same answer.
    fn set_up(&mut self, board: &Board, budget: &mut Budget) -> Result<(), Spent> {
        if self.field.shape() != board.shape() {
            *self = Self::within(board.shape(), self.bytes);
        }
        self.table.forget();
        self.vcf.forget();
        self.history = vec![[0; 2]; HISTORIES];
        self.killers = vec![[Cell::MAX; 2]; MOST_PLIES + 1];
        self.field.set_up(board, budget)
    }

    fn square(&self, cell: Cell) -> Square {
        self.field.shape().square(cell as usize).unwrap_or(Square { row: 0, col: 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::oracle::{SIZES, below, random_board, random_shape, slow, slow_move};
    use super::root::ends;
    use super::*;

    /// Returns true if the claim agrees with the `value` of [`slow`].
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

    fn best(search: &mut AlphaBeta, board: &Board, turn: Mark, nodes: u64) -> (Square, Score) {
        let mut budget = Budget::nodes(nodes);
        let (square, score) = search.best(board, turn, &mut budget).expect("a move");
        assert!(board.at(square).is_none() && budget.spent() <= nodes);
        (square, score)
    }

    #[test]
    fn what_is_claimed_on_small_boards_is_true() {
        let mut state = 2_463_534_242;
        let (mut boards, mut claims) = (0, [0; 3]);
        while boards < 150 {
            let shape = random_shape(&SIZES, &mut state);
            let empty = 1 + below(&mut state, 7.min(shape.squares()));
            let Some(mut board) = random_board(shape, empty, &mut state) else {
                continue;
            };
            boards += 1;
            let mut search = AlphaBeta::new(shape);
            for turn in [Mark::X, Mark::O] {
                let truth = slow(&mut board, turn, 1);
                for nodes in [0, 1, 30, 10_000] {
                    let (square, score) = best(&mut search, &board, turn, nodes);
                    let after = slow_move(&mut board, square, turn, 1);
                    let case = format!("{board:?} {turn:?} {square} {score:?} {truth} {after}");
                    assert!(holds(score, truth, empty), "{case}");
                    if score.value != Value::Unknown {
                        assert!(holds(score, after, empty), "{case}");
                        claims[(truth.signum() + 1) as usize] += 1;
                    }
                    let scores = search.scores(&board, turn, &mut Budget::nodes(nodes));
                    assert!(scores.iter().map(|pair| pair.0).eq(board.free()));
                    for (square, score) in scores {
                        let value = slow_move(&mut board, square, turn, 1);
                        let case = format!("{board:?} {turn:?} {square} {score:?} {value}");
                        assert!(holds(score, value, empty), "{case}");
                    }
                }
            }
        }
        assert!(claims.iter().all(|&count| count > 25), "{claims:?}");
    }

    /// Squares from their rows and columns.
    fn squares(text: &str) -> Vec<Square> {
        let numbers: Vec<_> = text.split_whitespace().flat_map(str::parse).collect();
        let square = |pair: &[u16]| Square { row: pair[0], col: pair[1] };
        numbers.chunks(2).map(square).collect()
    }

    /// A board with marks on `moves`, by turns, X first.
    fn board(shape: Shape, moves: &str) -> Board {
        let mut board = Board::new(shape);
        for (at, square) in squares(moves).into_iter().enumerate() {
            let placed = board.place(square, Mark::after(at));
            placed.expect("an empty square");
        }
        board
    }

    fn gomoku() -> Shape {
        Shape::new(15, 15, 5).expect("a shape")
    }

    /// A four of X with one end open.
    const FOUR: &str = "7 3  0 0  7 4  7 2  7 5  14 14  7 6";

    #[test]
    fn gomoku_tactics_are_seen() {
        let shape = gomoku();
        let [win, loss] = [Value::Win, Value::Loss].map(|value| move |plies| ends(value, plies));
        let two_fours = "7 4  7 3  7 5  3 7  7 6  0 0  4 7  0 14  5 7  14 0  6 7  14 14";
        for (name, moves, score, answers) in [
            ("a five", "7 3  0 0  7 4  0 2  7 5  0 4  7 6  7 2", win(1), "7 7"),
            ("an open four", "7 5  0 0  7 6  0 14  7 7  14 0", win(3), "7 4  7 8"),
            ("a block", FOUR, Score::UNKNOWN, "7 7"),
            ("two fours", two_fours, win(3), "7 7"),
            ("lost in two", "7 4  0 0  7 5  0 14  7 6  14 0  7 7", loss(2), "7 3  7 8"),
        ] {
            let turn = Mark::after(squares(moves).len());
            let board = board(shape, moves);
            let (square, found) = best(&mut AlphaBeta::new(shape), &board, turn, 5_000);
            assert!(squares(answers).contains(&square), "{name}: {square}");
            assert_eq!(found, score, "{name}");
        }
    }

    #[test]
    fn a_five_is_blocked_even_when_the_time_is_up() {
        let shape = gomoku();
        let used_up = || 1.0;
        let mut budget = Budget::nodes(1_000).or_until(&used_up);
        let found = AlphaBeta::new(shape).best(&board(shape, FOUR), Mark::O, &mut budget);
        assert_eq!(found, Some((Square { row: 7, col: 7 }, Score::UNKNOWN)));
    }

    #[test]
    fn where_long_lines_do_not_win_they_are_no_threat() {
        let shape = gomoku().with_exact(true);
        // Four, a gap and two more: the gap would make seven.
        let board = board(shape, "7 2  0 0  7 3  0 2  7 4  0 4  7 5  7 1  7 7  0 6  7 8  0 8");
        let scores = AlphaBeta::new(shape).scores(&board, Mark::X, &mut Budget::nodes(100));
        let gap = scores.iter().find(|pair| pair.0 == Square { row: 7, col: 6 });
        assert_ne!(gap.expect("an empty square").1.value, Value::Win);
    }

    #[test]
    fn a_move_is_found_on_every_shape_even_without_a_budget() {
        #[rustfmt::skip]
        let sizes = [
            (1, 1, 1), (2, 2, 2), (1, 1024, 5), (1024, 1, 1024),
            (300, 200, 4), (40, 40, 40), (64, 64, 33),
        ];
        for (rows, cols, k) in sizes {
            let shape = Shape::new(rows, cols, k).expect("a shape");
            for shape in [shape, shape.with_exact(true)] {
                let mut search = AlphaBeta::new(shape);
                let mut board = Board::new(shape);
                for turn in [Mark::X, Mark::O].into_iter().cycle().take(4.min(shape.squares())) {
                    best(&mut search, &board, turn, 0);
                    let (square, _) = best(&mut search, &board, turn, 500);
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
        let shape = gomoku();
        let board = board(shape, "7 7  6 8  8 8  6 6");
        let mut search = AlphaBeta::new(shape);
        let first = best(&mut search, &board, Mark::X, 3_000);
        search.scores(&board, Mark::O, &mut Budget::nodes(3_000));
        assert_eq!(best(&mut search, &board, Mark::X, 3_000), first);
        assert_eq!(best(&mut AlphaBeta::new(shape), &board, Mark::X, 3_000), first);
    }

    #[test]
    fn a_full_board_has_no_move() {
        let shape = Shape::new(1, 2, 2).expect("a shape");
        let board = board(shape, "0 0  0 1");
        let mut search = AlphaBeta::new(shape);
        assert_eq!(search.best(&board, Mark::X, &mut Budget::nodes(10)), None);
        assert_eq!(search.scores(&board, Mark::X, &mut Budget::nodes(10)), []);
    }
}
