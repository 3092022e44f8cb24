//! What a move costs: `place` with `unplace`, and whole random games, each beside a plain scan of
//! the last move's lines.
//!
//! `cargo bench --bench rules`. Throughput is in moves; the figures of one run are to be compared
//! with each other, not with those of another machine or hour.
#![allow(missing_docs, reason = "criterion's macros")]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use noughts::game::Game;
use noughts::game::{Board, Mark, Shape, Square};

const SHAPES: [(u64, u64); 8] = [
    (3, 3),
    (15, 5),
    (19, 5),
    (100, 100),
    (500, 500),
    (500, 5),
    (1024, 1024),
    (1024, 5),
];

fn shape((n, k): (u64, u64)) -> Option<Shape> {
    Shape::new(n, n, k).ok()
}

/// The squares in an order fixed by a multiplicative generator (splitmix64).
fn shuffled(shape: Shape) -> Vec<Square> {
    let mut squares: Vec<Square> = shape.iter().collect();
    let mut state: u64 = 1;
    for last in (1..squares.len()).rev() {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let random = usize::try_from((mixed ^ (mixed >> 31)) >> 32).unwrap_or_default();
        squares.swap(last, random % (last + 1));
    }
    squares
}

/// The plain way to judge a move, to compare with: from the new mark outward, in four directions.
struct PlainScan {
    grid: Vec<Option<Mark>>,
    side: i32,
    k: i32,
}

impl PlainScan {
    fn new(shape: Shape) -> Self {
        let (side, k) = (shape.rows().into(), shape.k().into());
        Self {
            grid: vec![None; shape.squares()],
            side,
            k,
        }
    }

    fn at(&self, row: i32, col: i32) -> Option<Mark> {
        let on = (0..self.side).contains(&row) && (0..self.side).contains(&col);
        let index = usize::try_from(row * self.side + col).ok()?;
        if on { *self.grid.get(index)? } else { None }
    }

    fn place(&mut self, square: Square, mark: Mark) -> bool {
        let (row, col) = (i32::from(square.row), i32::from(square.col));
        if let Some(cell) = usize::try_from(row * self.side + col)
            .ok()
            .and_then(|index| self.grid.get_mut(index))
        {
            *cell = Some(mark);
        }
        [(0, 1), (1, 0), (1, 1), (1, -1)]
            .into_iter()
            .any(|(down, right)| {
                let reach = |sign: i32| {
                    (1..self.k)
                        .take_while(|n| {
                            self.at(row + sign * n * down, col + sign * n * right) == Some(mark)
                        })
                        .count()
                };
                reach(1) + reach(-1) + 1 >= usize::try_from(self.k).unwrap_or_default()
            })
    }

    fn unplace(&mut self, square: Square) {
        let index = i32::from(square.row) * self.side + i32::from(square.col);
        if let Some(cell) = usize::try_from(index)
            .ok()
            .and_then(|index| self.grid.get_mut(index))
        {
            *cell = None;
        }
    }
}

fn place_and_unplace(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("place and unplace");
    for (n, k) in SHAPES {
        let Some(shape) = shape((n, k)) else { continue };
        // Half of the board is filled, without regard to lines; the other half is tried.
        let squares = shuffled(shape);
        let (filled, tried) = squares.split_at(squares.len() / 2);
        let tried = &tried[..tried.len().min(1000)];
        let mark = Mark::after;
        let mut board = Board::new(shape);
        let mut plain = PlainScan::new(shape);
        for (n, &square) in filled.iter().enumerate() {
            let _ = board.place(square, mark(n));
            plain.place(square, mark(n));
        }
        group.throughput(Throughput::Elements(tried.len() as u64));
        group.bench_function(format!("{n} x {n}, k = {k}"), |bencher| {
            bencher.iter(|| {
                for (n, &square) in tried.iter().enumerate() {
                    let _ = black_box(board.place(black_box(square), mark(n)));
                    board.unplace(square);
                }
            });
        });
        group.bench_function(format!("{n} x {n}, k = {k}, plain scan"), |bencher| {
            bencher.iter(|| {
                for (n, &square) in tried.iter().enumerate() {
                    black_box(plain.place(black_box(square), mark(n)));
                    plain.unplace(square);
                }
            });
        });
    }
    group.finish();
}

fn random_game(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("random game");
    for (n, k) in SHAPES {
        let Some(shape) = shape((n, k)) else { continue };
        let squares = shuffled(shape);
        let mut game = Game::new(shape);
        let moves = squares
            .iter()
            .take_while(|square| game.play(**square).is_ok())
            .count();
        group.throughput(Throughput::Elements(moves as u64));
        let mut game = Game::new(shape);
        group.bench_function(format!("{n} x {n}, k = {k}"), |bencher| {
            bencher.iter(|| {
                for &square in &squares[..moves] {
                    let _ = black_box(game.play(black_box(square)));
                }
                let _ = black_box(game.undo(moves as u64));
            });
        });
        let mut plain = PlainScan::new(shape);
        group.bench_function(format!("{n} x {n}, k = {k}, plain scan"), |bencher| {
            bencher.iter(|| {
                for (n, &square) in squares[..moves].iter().enumerate() {
                    let mark = Mark::after(n);
                    black_box(plain.place(black_box(square), mark));
                }
                for &square in &squares[..moves] {
                    plain.unplace(square);
                }
            });
        });
    }
    group.finish();
}

criterion_group!(benches, place_and_unplace, random_game);
criterion_main!(benches);
