//! A plain minimax on small boards, to check the parts of the solver against.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use super::position::{Position, Turn};
use super::word::Word;
use crate::game::{Run, Shape};
use crate::search::oracle::Dice;

/// The boards, by rows, columns and k.
const SHAPES: [(u64, u64, u64); 7] =
    [(3, 3, 3), (3, 4, 3), (2, 6, 4), (1, 9, 3), (4, 4, 3), (4, 4, 4), (3, 5, 4)];

/// The shapes of small boards; the second ones with lines of exactly k if `exact`.
pub fn shapes(exact: bool) -> impl Iterator<Item = Shape> {
    let kinds = if exact { &[false, true][..] } else { &[false] };
    SHAPES.into_iter().flat_map(move |(rows, cols, k)| {
        kinds.iter().map(move |&exact| Shape::new(rows, cols, k).unwrap().with_exact(exact))
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
        let runs = |len| {
            let bits = move |run: Run| run.squares().map(move |own| 1 << shape.index(own).unwrap());
            shape.runs(len).map(move |run| bits(run).sum::<u64>())
        };
        let ends = |line: u64| {
            let longer = runs(shape.k() + 1).filter(|longer| longer & line == line);
            if shape.is_exact() { longer.fold(0, |ends, longer| ends | longer & !line) } else { 0 }
        };
        let lines = runs(shape.k()).map(|line| (line, ends(line))).collect();
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

    /// So many positions with random marks, empty squares in the range `free` and no line, with
    /// either side to move.
    pub fn positions(
        &self,
        seed: u64,
        free: RangeInclusive<u32>,
        number: usize,
    ) -> Vec<Position<u64>> {
        let mut dice = Dice::new(seed);
        let next = || {
            let turn = if dice.below(2) == 0 { Turn::Attacker } else { Turn::Defender };
            let mut position = Position { turn, ..Position::default() };
            for square in self.all.squares() {
                match dice.below(8) {
                    0 => position.attacker |= 1 << square,
                    1 => position.defender |= 1 << square,
                    _ => position.empty |= 1 << square,
                }
            }
            position
        };
        let fits = |own: &Position<u64>| {
            let lines = self.has_line(own.attacker) || self.has_line(own.defender);
            !lines && free.contains(&own.empty.count())
        };
        std::iter::repeat_with(next).filter(fits).take(number).collect()
    }
}
