//! A plain minimax on small boards, to check the parts of the solver against.

use std::collections::HashMap;

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

use super::position::{Position, Turn};
use super::word::Word;
use crate::game::Shape;

/// The boards, by rows, columns and k.
const SHAPES: [(u64, u64, u64); 7] =
    [(3, 3, 3), (3, 4, 3), (2, 6, 4), (1, 9, 3), (4, 4, 3), (4, 4, 4), (3, 5, 4)];

/// The shapes of small boards; the second ones with lines of exactly k if `exact`.
pub fn shapes(exact: bool) -> impl Iterator<Item = Shape> {
    let shape = |(rows, cols, k)| Shape::new(rows, cols, k).unwrap();
    let shapes = SHAPES.into_iter().map(shape);
    shapes.flat_map(move |shape| {
        let exactly = exact.then_some(shape.with_exact(true));
        [Some(shape), exactly].into_iter().flatten()
    })
}

/// A minimax without any pruning. It lists lines square by square, and remembers positions.
pub struct Plain {
    /// The squares of each line, and the neighbours that must not have a mark of the same side.
    lines: Vec<(u64, u64)>,
    all: u64,
    /// True if a line of the defender counts.
    counter: bool,
    known: HashMap<([u64; 3], bool, u32), bool>,
}

impl Plain {
    pub fn new(shape: Shape, counter: bool) -> Self {
        let [rows, cols, k] = [shape.rows(), shape.cols(), shape.k()].map(i32::from);
        let at = |row: i32, col: i32| {
            let on_board = (0..rows).contains(&row) && (0..cols).contains(&col);
            on_board.then(|| 1 << (row * cols + col))
        };
        let mut lines = Vec::new();
        for (row, col) in (0..rows).flat_map(|row| (0..cols).map(move |col| (row, col))) {
            for (down, right) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
                let along = |place: i32| at(row + down * place, col + right * place);
                if let Some(line) = (0..k).map(along).sum::<Option<u64>>() {
                    let ends = along(-1).unwrap_or(0) | along(k).unwrap_or(0);
                    lines.push((line, if shape.is_exact() { ends } else { 0 }));
                }
            }
        }
        Self { lines, all: (1 << shape.squares()) - 1, counter, known: HashMap::new() }
    }

    /// True if `own` has a line.
    pub fn has_line(&self, own: u64) -> bool {
        let is_line = |&(line, ends): &(u64, u64)| own & line == line && own & ends == 0;
        self.lines.iter().any(is_line)
    }

    /// True if the attacker has or gets a line within `moves` of its own.
    pub fn wins(&mut self, position: Position<u64>, moves: u32) -> bool {
        let Position { attacker, defender, empty, turn } = position;
        if self.has_line(attacker) {
            return true;
        }
        if self.counter && self.has_line(defender) || empty == 0 || moves == 0 {
            return false;
        }
        let attacks = turn == Turn::Attacker;
        let key = ([attacker, defender, empty], attacks, moves);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let left = moves - u32::from(attacks);
        let mut after = empty.squares().map(|index| position.after(1 << index));
        let wins = if attacks {
            after.any(|position| self.wins(position, left))
        } else {
            after.all(|position| self.wins(position, left))
        };
        self.known.insert(key, wins);
        wins
    }

    /// Positions with random marks, at most `free` empty squares and no line, with either side to
    /// move.
    pub fn positions(&self, seed: u64, free: u32) -> impl Iterator<Item = Position<u64>> {
        let mut random = Pcg64Mcg::seed_from_u64(seed);
        let mut next = move || {
            let [a, b, c, d] = [(); 4].map(|()| random.next_u64());
            let marks = a & b & self.all;
            Position {
                attacker: marks & c,
                defender: marks & !c,
                empty: self.all & !marks,
                turn: if d % 2 == 0 { Turn::Attacker } else { Turn::Defender },
            }
        };
        std::iter::from_fn(move || Some(next())).filter(move |position| {
            let lines = [position.attacker, position.defender].map(|own| self.has_line(own));
            lines == [false; 2] && (1..=free).contains(&position.empty.count())
        })
    }
}
