//! The board of the search, with the patterns that a mark of either side would make on every empty
//! square, kept up to date by `place` and `unplace`. Squares out of reach of all marks cost
//! nothing.

mod grid;
mod setup;
mod squares;

use self::grid::Grid;
use self::squares::Squares;
use super::Budget;
use super::census::Rank;
use super::patterns::{Class, EMPTY, Scan, code};
use crate::game::{Mark, Shape, Square};
use crate::search::{Spent, mix};

/// The index of a square, row by row.
pub type Cell = u32;

/// The seed of the Zobrist keys: any number.
const ZOBRIST_SEED: u64 = 0x6e6f_7567_6874_7321;

/// The hash key of a mark (Zobrist 1970), computed by splitmix64: a table of the keys would not fit
/// the cache on large boards.
fn zobrist(cell: Cell, side: usize) -> u64 {
    let n = u64::from(cell) * 2 + side as u64 + 1;
    mix(ZOBRIST_SEED.wrapping_add(n.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
}

/// Board, patterns and evaluation. `place` costs 8 (k - 1) look-ups, or for large k a scan of four
/// lines of 4k squares; `unplace` undoes the changes that `place` noted.
pub struct Field {
    grid: Grid,
    squares: Squares,
    /// The hash of the marks; the side to move is not in it.
    pub hash: u64,
    scan: Scan,
}

/// The index of the side that has `mark`: 0 for X, 1 for O.
pub const fn side(mark: Mark) -> usize {
    mark as usize
}

impl Field {
    /// An empty field for boards of `shape`.
    pub fn new(shape: Shape) -> Self {
        let reach = usize::from(shape.k()) - usize::from(!shape.is_exact());
        Self {
            grid: Grid { shape, reach },
            squares: Squares::new(shape.squares()),
            hash: 0,
            scan: Scan::new(shape, reach),
        }
    }

    /// Puts a mark of `side` on an empty square.
    pub fn place(&mut self, cell: Cell, side: usize) {
        let at = cell as usize;
        let mut number = self.squares.number(at);
        if !self.squares.points[number].surrounded {
            number = self.surround_listed(at);
        }
        self.squares.take(number, code(side));
        let (squares, scan, reach) = (&mut self.squares, &mut self.scan, self.grid.reach);
        if scan.has_memo() {
            let change = u32::from(code(side));
            self.grid.each_neighbour(at, |direction, at, shift| {
                let number = squares.number(at);
                let point = &squares.points[number];
                if point.code == EMPTY {
                    let neighbours = point.neighbours[direction] ^ change << shift;
                    squares.change(number, direction, neighbours, scan.pair(neighbours));
                }
            });
        } else {
            for (direction, line) in self.grid.lines(at, 2 * reach).into_iter().enumerate() {
                let pairs = scan.line(line.cells().map(|at| squares.at(at).code));
                let first = line.before.saturating_sub(reach);
                let last = line.before + line.after.min(reach);
                for (at, &pair) in line.cells().zip(pairs).take(last + 1).skip(first) {
                    let number = squares.number(at);
                    if squares.points[number].code == EMPTY {
                        squares.change(number, direction, 0, pair);
                    }
                }
            }
        }
        self.hash ^= zobrist(cell, side);
    }

    /// Takes the newest mark away again, which must be the one of `side` on `cell`.
    pub fn unplace(&mut self, cell: Cell, side: usize) {
        self.hash ^= zobrist(cell, side);
        let number = self.squares.number(cell as usize);
        self.squares.untake(number);
    }

    pub const fn shape(&self) -> Shape {
        self.grid.shape
    }

    /// The number of marks that were placed since the set-up.
    pub const fn placed(&self) -> usize {
        self.squares.begins.len()
    }

    pub fn cell(&self, square: Square) -> Cell {
        self.shape().index(square).unwrap_or_default() as Cell
    }

    /// Spends what one position costs: 1, or k / 2 without a memo, where `place` takes time in
    /// proportion to k.
    pub fn pay(&self, budget: &mut Budget) -> Result<(), Spent> {
        let price = if self.scan.has_memo() { 1 } else { self.shape().k() / 2 };
        (0..price).try_for_each(|_| budget.spend())
    }

    pub const fn empty(&self) -> usize {
        self.squares.empty
    }

    pub fn is_empty(&self, cell: Cell) -> bool {
        self.squares.at(cell as usize).code == EMPTY
    }

    /// The empty squares of one rank for `side`, in no order.
    pub fn ranked(&self, side: usize, rank: Rank) -> &[Cell] {
        &self.squares.lists[side][rank as usize]
    }

    /// The rank of an empty square for `side`.
    pub fn rank(&self, cell: Cell, side: usize) -> Rank {
        self.squares.at(cell as usize).rank[side]
    }

    /// Returns true if nobody can complete a line any more: the game is a draw.
    pub fn is_dead(&self) -> bool {
        (0..2).all(|side| self.ranked(side, Rank::Dead).len() == self.empty())
    }

    /// Some empty square that is not [`ranked`](Self::ranked), since no mark is in reach.
    pub fn some_far(&self) -> Option<Cell> {
        self.squares.numbers.iter().position(|&number| number == 0).map(|at| at as Cell)
    }

    /// The score for move ordering of a move of `side`, from the patterns alone.
    pub fn appeal(&self, cell: Cell, side: usize) -> i32 {
        let census = self.squares.at(cell as usize).summary.census;
        census[side].appeal(census[1 - side])
    }

    /// The sum of the evaluation terms of all empty squares for `side`.
    pub const fn evaluation(&self, side: usize) -> i32 {
        self.squares.evaluation[side]
    }

    /// Calls `found` for each square in line with `cell` on which `side` makes a four or better
    /// along that line.
    pub fn fours_around(&self, cell: Cell, side: usize, mut found: impl FnMut(Cell)) {
        let lines = self.grid.lines(cell as usize, self.grid.reach);
        for (direction, line) in lines.into_iter().enumerate() {
            let makes_four = |at: &usize| {
                let point = self.squares.at(*at);
                point.code == EMPTY
                    && point.pairs[direction].side(side).class() >= Class::ClosedFour as usize
            };
            line.cells().filter(makes_four).for_each(|at| found(at as Cell));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::game::{Board, Run};
    use crate::search::oracle::Dice;

    fn set_up(field: &mut Field, board: &Board) {
        field.set_up(board, &mut Budget::nodes(0)).expect("no clock");
    }

    fn empty(rows: u64, cols: u64, k: u64) -> Field {
        let shape = Shape::new(rows, cols, k).expect("a shape");
        let mut field = Field::new(shape);
        set_up(&mut field, &Board::new(shape));
        field
    }

    /// The class of an empty square along a line, window by window, from the definitions.
    fn slow_class(board: &Board, square: Square, mark: Mark, (down, right): (i8, i8)) -> Class {
        let shape = board.shape();
        let k = i32::from(shape.k());
        // The square `away` steps along the line, if there is one.
        let cell = |away: i32| {
            let along =
                |from: u16, step: i8| u16::try_from(i32::from(from) + i32::from(step) * away);
            let square =
                Square { row: along(square.row, down).ok()?, col: along(square.col, right).ok()? };
            shape.contains(square).then(|| board.at(square))
        };
        let ours = |away| cell(away) == Some(Some(mark));
        let empty = |away| cell(away) == Some(None);
        let open = |start: i32| {
            (start..start + k).all(|away| ours(away) || empty(away))
                && !(shape.is_exact() && (ours(start - 1) || ours(start + k)))
        };
        let gaps = |start: i32| (start..start + k).filter(|&away| empty(away)).collect::<Vec<_>>();
        let windows: Vec<_> = (1 - k..=0).filter(|&start| open(start)).collect();
        let Some(missing) = windows.iter().map(|&start| gaps(start).len()).min() else {
            return Class::Dead;
        };
        let twos = windows.iter().map(|&start| gaps(start)).filter(|gaps| gaps.len() == 2);
        let costs: BTreeSet<_> = twos.flatten().filter(|&away| away != 0).collect();
        let open_missing = (1 - k..0)
            .filter(|&start| open(start) && open(start + 1) && empty(start) && empty(start + k))
            .map(|start| gaps(start).len() - 1)
            .min();
        match (missing, open_missing) {
            (1, _) => Class::Five,
            (2, _) if costs.len() > 1 => Class::OpenFour,
            (2, _) => Class::ClosedFour,
            (_, Some(2)) => Class::OpenThree,
            (3, _) => Class::ClosedThree,
            (_, Some(3)) => Class::OpenTwo,
            (4, _) => Class::ClosedTwo,
            _ => Class::Alive,
        }
    }

    fn shapes() -> Vec<Shape> {
        #[rustfmt::skip]
        let sizes = [
            (15, 15, 5), (1, 1, 1), (3, 3, 1), (3, 4, 2), (1, 9, 4), (9, 1, 3), (1, 20, 5),
            (5, 7, 3), (6, 6, 4), (2, 12, 5), (12, 9, 6), (10, 14, 7), (20, 11, 8), (13, 13, 13),
            (4, 30, 20), (7, 7, 5), (3, 5, 5), (70, 80, 5), (2, 900, 20),
        ];
        let free = sizes.iter().map(|&(rows, cols, k)| Shape::new(rows, cols, k).expect("a shape"));
        free.clone().chain(free.map(|shape| shape.with_exact(true))).collect()
    }

    #[test]
    fn threats_stay_as_their_definitions_say_while_marks_come_and_go() {
        let mut dice = Dice::new(1);
        for shape in shapes() {
            let (mut board, mut field, mut fresh) =
                (Board::new(shape), Field::new(shape), Field::new(shape));
            set_up(&mut field, &board);
            let mut placed = Vec::new();
            for step in 0..300 {
                let square = Square {
                    row: dice.below(usize::from(shape.rows())) as u16,
                    col: dice.below(usize::from(shape.cols())) as u16,
                };
                let cell = field.cell(square);
                let mark = if dice.below(3) > 0 { Mark::X } else { Mark::O };
                if board.at(square).is_none() && dice.below(5) > 0 {
                    board.place(square, mark).expect("an empty square");
                    field.place(cell, side(mark));
                    placed.push((cell, square, mark));
                } else if !placed.is_empty() {
                    for _ in 0..=dice.below(placed.len().min(3)) {
                        let (cell, square, mark) = placed.pop().expect("a mark");
                        board.unplace(square);
                        field.unplace(cell, side(mark));
                    }
                }
                // What goes wrong stays wrong for a while: a look at every other step sees it.
                if step % 2 == 0 {
                    set_up(&mut fresh, &board);
                    assert_same(&field, &fresh);
                }
            }
            for square in board.free() {
                let point = field.squares.at(field.cell(square) as usize);
                if field.squares.number(field.cell(square) as usize) == 0 {
                    continue;
                }
                for (direction, step) in Run::DIRECTIONS.into_iter().enumerate() {
                    for mark in [Mark::X, Mark::O] {
                        let class = point.pairs[direction].side(side(mark)).class();
                        let slow = slow_class(&board, square, mark, step);
                        let case = format!("{board:?} {square:?} {mark:?} {step:?} {slow:?}");
                        assert_eq!(class, slow as usize, "{case}");
                    }
                }
            }
        }
    }

    fn assert_same(field: &Field, fresh: &Field) {
        let sums = |field: &Field| (field.hash, field.squares.evaluation, field.squares.empty);
        assert_eq!(sums(field), sums(fresh));
        for at in 0..field.shape().squares() {
            let (point, other) = (field.squares.at(at), fresh.squares.at(at));
            assert_eq!(point.code, other.code);
            if point.code != EMPTY || fresh.squares.number(at) == 0 {
                continue;
            }
            assert_eq!((point.pairs, point.rank), (other.pairs, other.rank));
            let (ours, theirs) = (point.summary, other.summary);
            assert_eq!((ours.census, ours.evaluation), (theirs.census, theirs.evaluation));
            for side in 0..2 {
                let list = &field.squares.lists[side][point.rank[side] as usize];
                assert_eq!(list[ours.slot[side] as usize], at as Cell);
            }
        }
        let far = (0..field.shape().squares()).filter(|&at| field.squares.number(at) == 0).count();
        for side in 0..2 {
            let listed = field.squares.lists[side].iter().map(Vec::len).sum::<usize>();
            assert_eq!(listed + far, field.empty());
        }
    }

    #[test]
    fn taking_marks_back_leaves_no_trace() {
        let mut field = empty(15, 15, 5);
        let mut dice = Dice::new(2);
        let mut trail = Vec::new();
        while trail.len() < 60 {
            let cell = dice.below(225) as Cell;
            if field.is_empty(cell) {
                let Squares { lists, evaluation, .. } = &field.squares;
                trail.push((cell, lists.clone(), *evaluation, field.hash));
                field.place(cell, trail.len() % 2);
            }
        }
        while let Some((cell, lists, evaluation, hash)) = trail.pop() {
            field.unplace(cell, (trail.len() + 1) % 2);
            let Squares { lists: now, evaluation: sums, .. } = &field.squares;
            assert_eq!((now, *sums, field.hash), (&lists, evaluation, hash));
        }
    }

    #[test]
    fn fours_around_are_those_of_the_lines_through_a_square() {
        let mut field = empty(9, 9, 5);
        for cell in [30, 31, 32, 44] {
            field.place(cell, 0);
        }
        let mut found = Vec::new();
        field.fours_around(31, 0, |cell| found.push(cell));
        found.sort_unstable();
        assert_eq!(found, [28, 29, 33, 34]);
    }
}
