//! The set-up of a field from a board, at a cost that grows with the marks more than with the
//! squares.

use super::super::Budget;
use super::super::patterns::{EMPTY, Pair, WALL, code};
use super::grid::Grid;
use super::squares::Point;
use super::{Cell, Field, side, zobrist};
use crate::game::Board;
use crate::search::Spent;

/// The most squares of a board on which every square is listed, within a millisecond. On larger
/// boards squares out of reach of all marks are not.
const SMALL: usize = 4_096;
/// The least k with which squares can be left out: with a shorter one a square can be a four
/// without any mark near it.
const LEAST_K_WITH_FAR: u16 = 3;
/// The steps of the set-up from one check of the budget to the next: about 50 µs.
const STEPS_A_CHECK: usize = 1_024;

/// The squares and sides of all marks.
type Marks = Vec<(usize, usize)>;

impl Field {
    /// Takes over the marks of a board, which has the field's shape, and pays for nothing. Linear
    /// in the marks, apart from a look at each square of the board. Where the budget ends
    /// meanwhile, the field has all the marks, or none of them, and a part of the empty squares.
    pub fn set_up(&mut self, board: &Board, budget: &mut Budget) -> Result<(), Spent> {
        self.clear();
        let squares = self.shape().squares();
        if squares <= SMALL || self.shape().k() < LEAST_K_WITH_FAR {
            for at in 0..squares {
                check_each(STEPS_A_CHECK, at, budget)?;
                self.add(at);
            }
        }
        let marks = self.add_marks(board, budget).inspect_err(|_| self.clear())?;
        // Each mark touches as many squares as it reaches.
        let marks_a_check = 1 + STEPS_A_CHECK / (1 + self.grid.reach);
        for (done, &(at, side)) in marks.iter().enumerate() {
            check_each(marks_a_check, done, budget)?;
            self.surround(at);
            if self.scan.has_memo() {
                let change = u32::from(code(side));
                self.grid.each_neighbour(at, |direction, at, shift| {
                    let number = self.squares.number(at);
                    self.squares.points[number].neighbours[direction] ^= change << shift;
                });
            }
        }
        if !self.scan.has_memo() {
            self.scan_lines(&marks, budget)?;
        }
        for number in 1..self.squares.points.len() {
            check_each(STEPS_A_CHECK, number, budget)?;
            let point = &mut self.squares.points[number];
            if self.scan.has_memo() {
                point.pairs = point.neighbours.map(|neighbours| self.scan.pair(neighbours));
            }
            if point.code == EMPTY {
                self.squares.list_new(number);
            }
        }
        Ok(())
    }

    fn clear(&mut self) {
        self.squares.clear();
        self.hash = 0;
    }

    /// Adds the marks of a board without their patterns.
    fn add_marks(&mut self, board: &Board, budget: &mut Budget) -> Result<Marks, Spent> {
        let mut marks = Vec::with_capacity(board.marks());
        for (square, mark) in board.taken() {
            check_each(STEPS_A_CHECK, marks.len(), budget)?;
            let (at, side) = (self.cell(square) as usize, side(mark));
            let number = self.add(at);
            self.squares.points[number].code = code(side);
            self.squares.empty -= 1;
            self.hash ^= zobrist(at as Cell, side);
            marks.push((at, side));
        }
        Ok(marks)
    }

    /// Scans every line with a mark, once.
    fn scan_lines(&mut self, marks: &Marks, budget: &mut Budget) -> Result<(), Spent> {
        let longest = usize::from(self.shape().rows().max(self.shape().cols()));
        let lines_a_check = 1 + STEPS_A_CHECK / longest;
        for direction in 0..4 {
            let line = |&(at, _): &(usize, usize)| self.grid.lines(at, longest)[direction];
            let mut lines: Vec<_> = marks.iter().map(line).collect();
            lines.sort_unstable_by_key(|line| line.first);
            lines.dedup_by_key(|line| line.first);
            for (done, line) in lines.into_iter().enumerate() {
                check_each(lines_a_check, done, budget)?;
                let pairs = self.scan.line(line.cells().map(|at| self.squares.at(at).code));
                for (at, &pair) in line.cells().zip(pairs) {
                    let number = self.squares.number(at);
                    if number > 0 {
                        self.squares.points[number].pairs[direction] = pair;
                    }
                }
            }
        }
        Ok(())
    }

    /// Gives a square a point, as if there were no mark in reach, if it has none. Returns its
    /// number.
    fn add(&mut self, at: usize) -> usize {
        let number = self.squares.number(at);
        if number > 0 {
            return number;
        }
        let mut point = Point { cell: at as Cell, ..Point::default() };
        let Grid { shape, reach } = self.grid;
        for (direction, line) in self.grid.lines(at, reach).into_iter().enumerate() {
            if self.scan.has_memo() {
                let neighbours = edges(reach, line.before, line.after);
                point.neighbours[direction] = neighbours;
                point.pairs[direction] = self.scan.pair(neighbours);
            } else if line.cells().len() >= usize::from(shape.k()) {
                point.pairs[direction] = Pair::ALIVE;
            }
        }
        self.squares.add(point)
    }

    /// Gives a square and all squares in its reach a point, and returns the number of its own.
    fn surround(&mut self, at: usize) -> usize {
        let number = self.add(at);
        if !self.squares.points[number].surrounded {
            self.squares.points[number].surrounded = true;
            for line in self.grid.lines(at, self.grid.reach) {
                for at in line.cells() {
                    self.add(at);
                }
            }
        }
        number
    }

    /// Surrounds a square during a search, and lists the new points.
    #[cold]
    pub(super) fn surround_listed(&mut self, at: usize) -> usize {
        let old = self.squares.points.len();
        let number = self.surround(at);
        for number in old..self.squares.points.len() {
            self.squares.list_new(number);
        }
        number
    }
}

/// Checks the budget once in every `steps` of a loop that has `done` so many. A small board is set
/// up without a check, so that even a spent budget gives a sensible move.
fn check_each(steps: usize, done: usize, budget: &mut Budget) -> Result<(), Spent> {
    if (done + 1).is_multiple_of(steps) { budget.check() } else { Ok(()) }
}

/// The neighbourhood of a square with no mark in reach, `before` and `after` squares from the
/// edges: the farthest neighbour on the left is in the lowest bits.
fn edges(reach: usize, before: usize, after: usize) -> u32 {
    let walls = |away, end| if away > end { u32::from(WALL) } else { 0 };
    let right = (1..=reach).rev().fold(0, |bits, away| bits << 2 | walls(away, after));
    (1..=reach).fold(right, |bits, away| bits << 2 | walls(away, before))
}
