//! Benchmarks of the searches: the time of proofs from the empty board, the time of the alpha-beta
//! search to a depth, and the speed of counting move sequences.
//!
//! `cargo bench --bench search`. 4 × 8 takes a minute or two; `cargo bench --bench search -- '7 x
//! 7'` runs some of them.
#![allow(missing_docs, reason = "criterion's macros")]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use noughts::game::{Board, Game, Mark, Shape, Square};
use noughts::player::{Best, Player};
use noughts::search::alphabeta::AlphaBeta;
use noughts::search::perft::{perft, walk};
use noughts::search::{Budget, Progress};

/// The boards, as rows, columns and k, in groups: draws by search, wins in 11 moves, wins of three
/// in a row, draws by pairings.
const BOARDS: [(u64, u64, u64); 31] = [
    (4, 4, 4),
    (4, 5, 4),
    (4, 6, 4),
    (4, 7, 4),
    (4, 8, 4),
    (5, 5, 4),
    (5, 6, 4),
    (6, 6, 4),
    (7, 7, 4),
    (8, 8, 4),
    (3, 4, 3),
    (3, 5, 3),
    (3, 6, 3),
    (3, 7, 3),
    (3, 8, 3),
    (3, 9, 3),
    (3, 10, 3),
    (4, 4, 3),
    (8, 8, 3),
    (11, 11, 3),
    (5, 5, 5),
    (5, 6, 5),
    (5, 7, 5),
    (5, 8, 5),
    (6, 6, 5),
    (6, 6, 6),
    (5, 9, 5),
    (6, 7, 5),
    (7, 7, 5),
    (6, 8, 5),
    (5, 10, 5),
];

fn proofs(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("proof");
    group.sample_size(10);
    for (rows, cols, k) in BOARDS {
        let Ok(shape) = Shape::new(rows, cols, k) else {
            continue;
        };
        let game = Game::new(shape);
        group.bench_function(format!("{rows} x {cols}, k = {k}"), |bencher| {
            bencher.iter(|| {
                let mut budget = Budget::nodes(u64::MAX);
                black_box(Best::default().choose(&game, &mut budget))
            });
        });
    }
    group.finish();
}

/// A game that is not over, and the depth to search from there.
struct Opening {
    /// Rows, columns and k.
    size: (u64, u64, u64),
    moves: &'static [(u16, u16)],
    depth: u32,
}

const OPENINGS: [Opening; 4] = [
    Opening {
        size: (15, 15, 5),
        moves: &[(7, 7), (6, 8)],
        depth: 7,
    },
    Opening {
        size: (15, 15, 5),
        moves: &MIDDLE_GAME,
        depth: 7,
    },
    Opening {
        size: (19, 19, 6),
        moves: &[(9, 9), (8, 9), (9, 10), (8, 10)],
        depth: 6,
    },
    Opening {
        size: (500, 500, 5),
        moves: &MIDDLE_GAME,
        depth: 7,
    },
];
const MIDDLE_GAME: [(u16, u16); 10] = [
    (7, 7),
    (6, 7),
    (7, 8),
    (6, 8),
    (7, 6),
    (7, 5),
    (6, 6),
    (6, 9),
    (4, 4),
    (8, 8),
];

/// Measures the alpha-beta search: the time to a depth, and the positions a second until then.
fn alphabeta(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("alphabeta");
    group.sample_size(10);
    for Opening { size, moves, depth } in OPENINGS {
        let (rows, cols, k) = size;
        let Ok(shape) = Shape::new(rows, cols, k) else {
            continue;
        };
        let mut game = Game::new(shape);
        let accepted = moves
            .iter()
            .all(|&(row, col)| game.play(Square { row, col }).is_ok());
        let Some(turn) = game.turn().filter(|_| accepted) else {
            continue;
        };
        let deep_enough = |progress: Progress| progress.depth >= depth;
        let mut searcher = AlphaBeta::new(shape);
        let mut search = || {
            let mut budget = Budget::nodes(u64::MAX).watched_by(&deep_enough);
            black_box(searcher.best(game.board(), turn, &mut budget));
            budget.spent()
        };
        group.throughput(Throughput::Elements(search()));
        let moves = moves.len();
        group.bench_function(
            format!("{rows} x {cols}, k = {k}, {moves} moves, to depth {depth}"),
            |bencher| bencher.iter(&mut search),
        );
    }
    group.finish();
}

fn counts(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("perft");
    for (n, depth) in [(3, 9), (4, 7)] {
        let Ok(shape) = Shape::new(n, n, n) else {
            continue;
        };
        let board = Board::new(shape);
        let budget = || Budget::nodes(u64::MAX);
        let count = perft(&board, Mark::X, depth, &mut budget()).unwrap_or_default();
        group.throughput(Throughput::Elements(count));
        group.bench_function(
            format!("{n} x {n} to depth {depth}, one by one"),
            |bencher| {
                let mut board = board.clone();
                bencher.iter(|| walk(black_box(&mut board), Mark::X, depth, &mut budget()));
            },
        );
        group.bench_function(format!("{n} x {n} to depth {depth}, counted"), |bencher| {
            bencher.iter(|| perft(black_box(&board), Mark::X, depth, &mut budget()));
        });
    }
    group.finish();
}

criterion_group!(benches, proofs, alphabeta, counts);
criterion_main!(benches);
