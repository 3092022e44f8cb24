//! The set-up of a field from a board, at a cost that grows with the marks more than with the
//! squares.

use super::super::Budget;
use super::super::patterns::{EMPTY, Pair, WALL, code};
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

impl Field {
    /// Takes over the marks of a board, which has the field's shape, and pays for nothing. Linear
    /// in the marks, apart from a look at each square of the board.
    ///
    /// # Errors
    ///
    /// [`Spent`] where the budget ends meanwhile. The field then has all the marks, or none of
    /// them, and a part of the empty squares.
    pub fn set_up(&mut self, board: &Board, budget: &mut Budget) -> Result<(), Spent> {
        self.squares.clear();
        self.hash = 0;
        let squares = self.shape.squares();
        if squares <= SMALL || self.shape.k() < LEAST_K_WITH_FAR {
            for at in 0..squares {
                check_each(STEPS_A_CHECK, at, budget)?;
                self.add(at);
            }
        }
        let mut marks = Vec::with_capacity(board.marks());
        for (square, mark) in board.taken() {
            check_each(STEPS_A_CHECK, marks.len(), budget)?;
            let at = usize::from(square.row) * self.grid.cols + usize::from(square.col);
            marks.push((at, side(mark)));
        }
        for (done, &(at, side)) in marks.iter().enumerate() {
            if let Err(spent) = check_each(STEPS_A_CHECK, done, budget) {
                self.squares.clear();
                self.hash = 0;
                return Err(spent);
            }
            self.add(at);
            let number = self.squares.number(at);
            self.squares.points[number].code = code(side);
            self.squares.empty -= 1;
            self.hash ^= zobrist(at as Cell, side);
        }
        // Each mark touches as many squares as it reaches.
        let marks_a_check = 1 + STEPS_A_CHECK / (1 + self.reach);
        for (done, &(at, side)) in marks.iter().enumerate() {
            check_each(marks_a_check, done, budget)?;
            self.surround(at);
            self.spread(at, side);
        }
        if self.memo.is_none() {
            self.scan_lines(&marks, budget)?;
        }
        for number in 1..self.squares.points.len() {
            check_each(STEPS_A_CHECK, number, budget)?;
            let point = &mut self.squares.points[number];
            if let Some(memo) = &mut self.memo {
                point.pairs = point.neighbours.map(|neighbours| memo.pair(neighbours));
            }
            if point.code == EMPTY {
                self.squares.list_new(number);
            }
        }
        Ok(())
    }

    /// Enters a mark in the neighbourhoods of the squares in its reach.
    fn spread(&mut self, at: usize, side: usize) {
        if self.memo.is_none() {
            return;
        }
        let (reach, change) = (self.reach, u32::from(code(side)));
        for (direction, (before, after)) in self.grid.steps(at).into_iter().enumerate() {
            let step = self.grid.step(direction);
            let mut flip = |at, bits: u32| {
                let number = self.squares.number(at);
                self.squares.points[number].neighbours[direction] ^= bits;
            };
            for away in 1..=before.min(reach) {
                flip(at - away * step, change << (2 * (reach + away - 1)));
            }
            for away in 1..=after.min(reach) {
                flip(at + away * step, change << (2 * (reach - away)));
            }
        }
    }

    /// Scans every line with a mark, once.
    fn scan_lines(&mut self, marks: &[(usize, usize)], budget: &mut Budget) -> Result<(), Spent> {
        let lines_a_check = 1 + STEPS_A_CHECK / self.grid.rows.max(self.grid.cols);
        for direction in 0..4 {
            let step = self.grid.step(direction);
            let mut firsts: Vec<_> = marks
                .iter()
                .map(|&(at, _)| {
                    let (before, after) = self.grid.steps(at)[direction];
                    (at - before * step, before + 1 + after)
                })
                .collect();
            firsts.sort_unstable();
            firsts.dedup();
            for (done, (first, cells)) in firsts.into_iter().enumerate() {
                check_each(lines_a_check, done, budget)?;
                self.line.clear();
                self.line.extend((0..cells).map(|away| self.squares.at(first + away * step).code));
                self.pairs.resize(cells, Pair::default());
                self.scan.line(&self.line, &mut self.pairs);
                for (away, &pair) in self.pairs.iter().enumerate() {
                    let number = self.squares.number(first + away * step);
                    if number > 0 {
                        self.squares.points[number].pairs[direction] = pair;
                    }
                }
            }
        }
        Ok(())
    }

    /// Gives a square a point, as if there were no mark in reach, if it has none.
    fn add(&mut self, at: usize) {
        let Self { squares, grid, memo, reach, .. } = self;
        let k = usize::from(self.shape.k());
        squares.add(at, || {
            let mut point = Point { cell: at as Cell, ..Point::default() };
            for (direction, (before, after)) in grid.steps(at).into_iter().enumerate() {
                if let Some(memo) = memo {
                    let neighbours = edges(*reach, before, after);
                    point.neighbours[direction] = neighbours;
                    point.pairs[direction] = memo.pair(neighbours);
                } else if before.min(k - 1) + 1 + after.min(k - 1) >= k {
                    point.pairs[direction] = Pair::ALIVE;
                }
            }
            point
        });
    }

    /// Gives a square and all squares in its reach a point, and returns the number of its own.
    fn surround(&mut self, at: usize) -> usize {
        self.add(at);
        let number = self.squares.number(at);
        if !self.squares.points[number].surrounded {
            self.squares.points[number].surrounded = true;
            for (direction, (before, after)) in self.grid.steps(at).into_iter().enumerate() {
                let step = self.grid.step(direction);
                let first = at - before.min(self.reach) * step;
                for away in 0..=before.min(self.reach) + after.min(self.reach) {
                    self.add(first + away * step);
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
    if (done + 1).is_multiple_of(steps) {
        budget.check()?;
    }
    Ok(())
}

/// The neighbourhood of a square with no mark in reach, `before` and `after` squares from the
/// edges: the farthest neighbour on the left is in the lowest bits.
fn edges(reach: usize, before: usize, after: usize) -> u32 {
    let walls = |away, end| if away > end { u32::from(WALL) } else { 0 };
    let right = (1..=reach).rev().fold(0, |bits, away| bits << 2 | walls(away, after));
    (1..=reach).fold(right, |bits, away| bits << 2 | walls(away, before))
}
