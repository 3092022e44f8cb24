//! The cost of a move: `place` with `unplace`, and whole random games, each beside a plain scan of
//! the last move's lines.
//!
//! `cargo bench --bench rules`. Items are moves; the figures of one run are to be compared
//! with each other, not with those of another machine or hour.
#![allow(clippy::expect_used, reason = "a measurement may panic")]

use std::fmt;
use std::hint::black_box;

use divan::Bencher;
use divan::counter::ItemsCount;
use noughts::game::{Board, Game, Mark, Shape, Square};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

fn main() {
    divan::main();
}

/// A square board, by its side and k.
struct Case(u64, u64);

const CASES: [Case; 8] = [
    Case(3, 3),
    Case(15, 5),
    Case(19, 5),
    Case(100, 100),
    Case(500, 500),
    Case(500, 5),
    Case(1024, 1024),
    Case(1024, 5),
];

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(n, k) = self;
        write!(f, "{n} x {n}, k = {k}")
    }
}

impl Case {
    fn shape(&self) -> Shape {
        Shape::new(self.0, self.0, self.1).expect("a board")
    }
}

/// Returns the squares in a random order, the same in every run.
fn shuffled(shape: Shape) -> Vec<Square> {
    let mut squares: Vec<Square> = shape.iter().collect();
    let mut random = Pcg64Mcg::seed_from_u64(1);
    for end in (1..=squares.len()).rev() {
        let at = usize::try_from(random.next_u64() % end as u64).expect("less than a usize");
        squares.swap(end - 1, at);
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
        Self { grid: vec![None; shape.squares()], side, k }
    }

    fn at(&self, row: i32, col: i32) -> Option<Mark> {
        let on = (0..self.side).contains(&row) && (0..self.side).contains(&col);
        let index = usize::try_from(row * self.side + col).ok()?;
        if on { *self.grid.get(index)? } else { None }
    }

    fn place(&mut self, square: Square, mark: Mark) -> bool {
        let (row, col) = (i32::from(square.row), i32::from(square.col));
        if let Some(cell) =
            usize::try_from(row * self.side + col).ok().and_then(|index| self.grid.get_mut(index))
        {
            *cell = Some(mark);
        }
        [(0, 1), (1, 0), (1, 1), (1, -1)].into_iter().any(|(down, right)| {
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
        if let Some(cell) = usize::try_from(index).ok().and_then(|index| self.grid.get_mut(index)) {
            *cell = None;
        }
    }
}

/// Returns the squares that fill half of the board, without regard to lines, and those to be tried.
fn halves(shape: Shape) -> (Vec<Square>, Vec<Square>) {
    let mut filled = shuffled(shape);
    let mut tried = filled.split_off(filled.len() / 2);
    tried.truncate(1000);
    (filled, tried)
}

#[divan::bench(args = CASES)]
fn place_and_unplace(bencher: Bencher, case: &Case) {
    let shape = case.shape();
    let (filled, tried) = halves(shape);
    let mut board = Board::new(shape);
    for (n, &square) in filled.iter().enumerate() {
        let _ = board.place(square, Mark::after(n));
    }
    bencher.counter(ItemsCount::new(tried.len())).bench_local(|| {
        for (n, &square) in tried.iter().enumerate() {
            let _ = black_box(board.place(black_box(square), Mark::after(n)));
            board.unplace(square);
        }
    });
}

#[divan::bench(args = CASES)]
fn place_and_unplace_by_plain_scan(bencher: Bencher, case: &Case) {
    let shape = case.shape();
    let (filled, tried) = halves(shape);
    let mut plain = PlainScan::new(shape);
    for (n, &square) in filled.iter().enumerate() {
        plain.place(square, Mark::after(n));
    }
    bencher.counter(ItemsCount::new(tried.len())).bench_local(|| {
        for (n, &square) in tried.iter().enumerate() {
            black_box(plain.place(black_box(square), Mark::after(n)));
            plain.unplace(square);
        }
    });
}

/// Returns the moves of a random game to its end.
fn random_moves(shape: Shape) -> Vec<Square> {
    let mut game = Game::new(shape);
    let squares = shuffled(shape).into_iter();
    squares.take_while(|square| game.play(*square).is_ok()).collect()
}

#[divan::bench(args = CASES)]
fn random_game(bencher: Bencher, case: &Case) {
    let shape = case.shape();
    let moves = random_moves(shape);
    let mut game = Game::new(shape);
    bencher.counter(ItemsCount::new(moves.len())).bench_local(|| {
        for &square in &moves {
            let _ = black_box(game.play(black_box(square)));
        }
        let _ = black_box(game.undo(moves.len() as u64));
    });
}

#[divan::bench(args = CASES)]
fn random_game_by_plain_scan(bencher: Bencher, case: &Case) {
    let shape = case.shape();
    let moves = random_moves(shape);
    let mut plain = PlainScan::new(shape);
    bencher.counter(ItemsCount::new(moves.len())).bench_local(|| {
        for (n, &square) in moves.iter().enumerate() {
            black_box(plain.place(black_box(square), Mark::after(n)));
        }
        for &square in &moves {
            plain.unplace(square);
        }
    });
}
