//! Benchmarks of the searches: the time of proofs from the empty board, the time of the alpha-beta
//! search to a depth, and the speed of counting move sequences.
//!
//! `cargo bench --bench search`. 4 × 8 takes a minute or two.
//! `cargo bench --bench search -- '7 x 7'` runs some of them.
#![allow(clippy::expect_used, reason = "a measurement may panic")]

use std::fmt;
use std::hint::black_box;

use divan::Bencher;
use divan::counter::ItemsCount;
use noughts::game::{Board, Game, Mark, Shape, Square};
use noughts::player::{Best, Player};
use noughts::search::alphabeta::AlphaBeta;
use noughts::search::perft::{perft, walk};
use noughts::search::{Budget, Progress};

fn main() {
    divan::main();
}

/// The rows, the columns and k of a board.
struct Size(u64, u64, u64);

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(rows, cols, k) = self;
        write!(f, "{rows} x {cols}, k = {k}")
    }
}

impl Size {
    fn shape(&self) -> Shape {
        Shape::new(self.0, self.1, self.2).expect("a board")
    }
}

/// The boards in groups: draws by search, wins in 11 moves, wins of three in a row, draws by
/// pairings.
const BOARDS: [Size; 31] = [
    Size(4, 4, 4),
    Size(4, 5, 4),
    Size(4, 6, 4),
    Size(4, 7, 4),
    Size(4, 8, 4),
    Size(5, 5, 4),
    Size(5, 6, 4),
    Size(6, 6, 4),
    Size(7, 7, 4),
    Size(8, 8, 4),
    Size(3, 4, 3),
    Size(3, 5, 3),
    Size(3, 6, 3),
    Size(3, 7, 3),
    Size(3, 8, 3),
    Size(3, 9, 3),
    Size(3, 10, 3),
    Size(4, 4, 3),
    Size(8, 8, 3),
    Size(11, 11, 3),
    Size(5, 5, 5),
    Size(5, 6, 5),
    Size(5, 7, 5),
    Size(5, 8, 5),
    Size(6, 6, 5),
    Size(6, 6, 6),
    Size(5, 9, 5),
    Size(6, 7, 5),
    Size(7, 7, 5),
    Size(6, 8, 5),
    Size(5, 10, 5),
];

/// Measures a proof from the empty board, with nothing kept from the one before.
#[divan::bench(args = BOARDS, sample_count = 10)]
fn proof(bencher: Bencher, size: &Size) {
    let game = Game::new(size.shape());
    bencher.bench_local(|| {
        let mut budget = Budget::nodes(u64::MAX);
        Best::default().choose(black_box(&game), &mut budget)
    });
}

/// A game that is not over, and the depth to search from there.
struct Opening {
    size: Size,
    moves: &'static [(u16, u16)],
    depth: u32,
}

impl fmt::Display for Opening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { size, moves, depth } = self;
        write!(f, "{size}, {} moves, to depth {depth}", moves.len())
    }
}

const OPENINGS: [Opening; 4] = [
    Opening { size: Size(15, 15, 5), moves: &[(7, 7), (6, 8)], depth: 7 },
    Opening { size: Size(15, 15, 5), moves: &MIDDLE_GAME, depth: 7 },
    Opening { size: Size(19, 19, 6), moves: &[(9, 9), (8, 9), (9, 10), (8, 10)], depth: 6 },
    Opening { size: Size(500, 500, 5), moves: &MIDDLE_GAME, depth: 7 },
];
const MIDDLE_GAME: [(u16, u16); 10] =
    [(7, 7), (6, 7), (7, 8), (6, 8), (7, 6), (7, 5), (6, 6), (6, 9), (4, 4), (8, 8)];

/// Measures the alpha-beta search: the time to a depth, and the positions a second until then.
#[divan::bench(args = OPENINGS, sample_count = 10)]
fn alphabeta(bencher: Bencher, opening: &Opening) {
    let mut game = Game::new(opening.size.shape());
    for &(row, col) in opening.moves {
        game.play(Square { row, col }).expect("a legal move");
    }
    let turn = game.turn().expect("a game that goes on");
    let deep_enough = |progress: Progress| progress.depth >= opening.depth;
    let mut searcher = AlphaBeta::new(game.board().shape());
    let mut search = || {
        let mut budget = Budget::nodes(u64::MAX).watched_by(&deep_enough);
        black_box(searcher.best(game.board(), turn, &mut budget));
        budget.spent()
    };
    let positions = search();
    bencher.counter(ItemsCount::new(positions)).bench_local(search);
}

/// The sides and k of a board, and the length of the move sequences to count.
const COUNTS: [(u64, u64); 2] = [(3, 9), (4, 7)];

fn empty(side: u64) -> Board {
    Board::new(Shape::new(side, side, side).expect("a board"))
}

/// Measures perft by fillings: items are move sequences.
#[divan::bench(args = COUNTS)]
fn perft_counted(bencher: Bencher, &(side, depth): &(u64, u64)) {
    let board = empty(side);
    let budget = || Budget::nodes(u64::MAX);
    let count = || perft(black_box(&board), Mark::X, depth, &mut budget()).expect("a count");
    bencher.counter(ItemsCount::new(count())).bench_local(count);
}

/// Measures perft that plays each sequence: items are move sequences.
#[divan::bench(args = COUNTS)]
fn perft_walked(bencher: Bencher, &(side, depth): &(u64, u64)) {
    let mut board = empty(side);
    let budget = || Budget::nodes(u64::MAX);
    let mut count = || walk(black_box(&mut board), Mark::X, depth, &mut budget()).expect("a count");
    bencher.counter(ItemsCount::new(count())).bench_local(count);
}
