//! Alpha-beta search of boards of any size, steered by threats: it proves wins and losses where it
//! can, and plays well elsewhere.
//!
//! `field` keeps the patterns that a mark of either side would make on every square: `patterns`
//! along each line, and a `census` of the four lines. Upon it stand the VCF search (victory by
//! continuous fours) in `vcf`, and the principal variation search in `search`, with its `moves` and
//! its `table`. `root` searches a position by iterative deepening, `candidates` its best
//! moves, `analysis` every move of it.
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
mod candidates;
mod census;
mod field;
mod moves;
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
use super::{Budget, Candidate, Score, Value};
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
