//! How long a proof takes from the empty board, how far and how fast the search by threats sees, and
//! how fast move sequences are counted.
//!
//! `cargo bench --bench search`. 4 × 8 takes a minute or two; `cargo bench --bench search -- '7 x 7'`
//! runs some of them.
#![allow(missing_docs, reason = "criterion's macros")]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use noughts::game::Game;
use noughts::game::{Board, Mark, Shape, Square};
use noughts::player::{Best, Player};
use noughts::search::alphabeta::AlphaBeta;
use noughts::search::perft::{perft, walk};
use noughts::search::{Budget, Progress};

/// Rows, columns and k, by what is proved and the way there: draws by search, wins in 11, wins of
/// three in a row, draws by pairings.
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

/// Rows, columns, k, the moves made, and how many moves to look ahead.
type Ahead = (u64, u64, u64, &'static [(u16, u16)], u32);

/// Positions that nobody has won yet.
const GAMES: [Ahead; 4] = [
    (15, 15, 5, &[(7, 7), (6, 8)], 7),
    (15, 15, 5, &MIDDLE_GAME, 7),
    (19, 19, 6, &[(9, 9), (8, 9), (9, 10), (8, 10)], 6),
    (500, 500, 5, &MIDDLE_GAME, 7),
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

/// The time to a depth, and the positions a second until then.
fn threats(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("threats");
    group.sample_size(10);
    for (rows, cols, k, moves, depth) in GAMES {
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
        let mut deep = AlphaBeta::new(shape);
        let mut search = || {
            let mut budget = Budget::nodes(u64::MAX).watched_by(&deep_enough);
            black_box(deep.best(game.board(), turn, &mut budget));
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

criterion_group!(benches, proofs, threats, counts);
criterion_main!(benches);
