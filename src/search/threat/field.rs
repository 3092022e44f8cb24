//! The position of the threat search: the board with what a mark of either side would make on every empty square,
//! kept up to date by `place` and `unplace`.

#![allow(
    clippy::cast_possible_truncation,
    reason = "squares, plies and packed fields are far below 2^31"
)]

use crate::board::{Board, Mark, Shape};

use super::Budget;
use super::census::{Census, Rank};
use super::patterns::{Class, EMPTY, Memo, Pair, Scan, WALL, code};

/// A square of the field, row by row.
pub type Cell = u32;

/// Steps along row, column, diagonal and anti-diagonal: down by the first, right by the second.
const DIRECTIONS: [(usize, isize); 4] = [(0, 1), (1, 0), (1, 1), (1, -1)];

/// Hidden key of the first square; the others follow by splitmix64 (Steele, Lea and Flood 2014).
const ZOBRIST_SEED: u64 = 0x6e6f_7567_6874_7321;

/// A key for each square and side (Zobrist 1970), computed when needed: a table of them would not fit the cache on
/// large boards.
fn zobrist(cell: Cell, side: usize) -> u64 {
    let n = u64::from(cell) * 2 + side as u64 + 1;
    let mut z = ZOBRIST_SEED.wrapping_add(n.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// One square and all that is known of it, in one line of the cache.
#[derive(Clone, Default)]
#[repr(align(64))]
struct Point {
    /// Empty, or whose: as the patterns code it.
    code: u8,
    rank: [u8; 2],
    /// Where the square stands in the list of its rank.
    slot: [u32; 2],
    census: [Census; 2],
    worth: [i32; 2],
    pairs: [Pair; 4],
    /// The neighbours in each direction, where there is a memo to look them up in.
    neighbours: [u32; 4],
}

/// Board, threats and evaluation. `place` and `unplace` cost 8 (k - 1) look-ups, or for large k a scan of four lines
/// of 4k squares.
pub struct Field {
    shape: Shape,
    cols: usize,
    /// How far away a mark can matter along a line.
    reach: usize,
    squares: Squares,
    hash: u64,
    scan: Scan,
    memo: Option<Memo>,
    line: Vec<u8>,
    pairs: Vec<Pair>,
}

/// The budget is spent: unwinds a search by `?`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spent;

/// The side of a mark, as an index.
pub const fn side(mark: Mark) -> usize {
    match mark {
        Mark::X => 0,
        Mark::O => 1,
    }
}

impl Field {
    /// An empty field: all of its memory is claimed by the first [`set_up`](Self::set_up).
    pub fn new(shape: Shape) -> Self {
        let k = usize::from(shape.k());
        let reach = if shape.is_exact() { k } else { k - 1 };
        Self {
            shape,
            cols: usize::from(shape.cols()),
            reach,
            squares: Squares::default(),
            hash: 0,
            scan: Scan::new(k, shape.is_exact()),
            memo: Memo::new(k, shape.is_exact(), reach),
            line: Vec::new(),
            pairs: Vec::new(),
        }
    }

    /// Takes over the marks of a board, which has the field's shape. Linear in its squares.
    pub fn set_up(&mut self, board: &Board) {
        self.squares.clear(self.shape.squares());
        self.hash = 0;
        for (cell, square) in (0..).zip(self.shape.iter()) {
            if let Some(side) = board.at(square).map(side) {
                self.squares.points[cell as usize].code = code(side);
                self.hash ^= zobrist(cell, side);
            }
        }
        if let Some(memo) = self.memo.take() {
            self.memo = Some(self.look_around(memo));
        } else {
            self.scan_all();
        }
        for cell in 0..self.squares.points.len() {
            if self.squares.points[cell].code == EMPTY {
                self.squares.enter(cell);
            }
        }
    }

    /// Looks up every square by its neighbours.
    fn look_around(&mut self, mut memo: Memo) -> Memo {
        let reach = self.reach;
        let codes: Vec<u8> = self.squares.points.iter().map(|point| point.code).collect();
        for at in 0..codes.len() {
            let (row, col) = (at / self.cols, at % self.cols);
            for direction in 0..4 {
                let ((before, after), step) =
                    (self.steps(direction, row, col), self.step(direction));
                let mut neighbours = 0;
                for away in (1..=reach).rev() {
                    let code = if away > after {
                        WALL
                    } else {
                        codes[at + away * step]
                    };
                    neighbours = neighbours << 2 | u32::from(code);
                }
                for away in 1..=reach {
                    let code = if away > before {
                        WALL
                    } else {
                        codes[at - away * step]
                    };
                    neighbours = neighbours << 2 | u32::from(code);
                }
                let point = &mut self.squares.points[at];
                point.neighbours[direction] = neighbours;
                point.pairs[direction] = memo.pair(neighbours);
            }
        }
        memo
    }

    /// Scans every line, each from where it begins: on the upper edge, or on the left one, or for anti-diagonals on the
    /// right one.
    fn scan_all(&mut self) {
        let (rows, cols) = (usize::from(self.shape.rows()), self.cols);
        for direction in 0..4 {
            let upper = (0..cols).map(|col| (0, col));
            let left = (0..rows).map(|row| (row, 0));
            let right = (1..rows).map(|row| (row, cols - 1));
            match direction {
                0 => left.for_each(|from| self.scan_line(direction, from)),
                1 => upper.for_each(|from| self.scan_line(direction, from)),
                2 => upper
                    .chain(left.skip(1))
                    .for_each(|from| self.scan_line(direction, from)),
                _ => upper
                    .chain(right)
                    .for_each(|from| self.scan_line(direction, from)),
            }
        }
    }

    fn scan_line(&mut self, direction: usize, (row, col): (usize, usize)) {
        let (first, step) = (row * self.cols + col, self.step(direction));
        let cells = 1 + self.steps(direction, row, col).1;
        self.line.clear();
        self.line
            .extend((0..cells).map(|at| self.squares.points[first + at * step].code));
        self.pairs.resize(cells, Pair::default());
        self.scan.line(&self.line, &mut self.pairs);
        for (at, &pair) in self.pairs.iter().enumerate() {
            self.squares.points[first + at * step].pairs[direction] = pair;
        }
    }

    /// From one square to the next.
    const fn step(&self, direction: usize) -> usize {
        let (down, right) = DIRECTIONS[direction];
        (down * self.cols).wrapping_add_signed(right)
    }

    /// How many squares there are before and after this one.
    fn steps(&self, direction: usize, row: usize, col: usize) -> (usize, usize) {
        let below = usize::from(self.shape.rows()) - 1 - row;
        let right = self.cols - 1 - col;
        match direction {
            0 => (col, right),
            1 => (row, below),
            2 => (row.min(col), below.min(right)),
            _ => (row.min(right), below.min(col)),
        }
    }

    /// Puts a mark of `side` on an empty square.
    pub fn place(&mut self, cell: Cell, side: usize) {
        let at = cell as usize;
        self.squares.leave(at);
        self.squares.points[at].code = code(side);
        self.refresh(at, code(side), code(side));
        self.hash ^= zobrist(cell, side);
    }

    /// Takes the mark of `side` away again.
    pub fn unplace(&mut self, cell: Cell, side: usize) {
        let at = cell as usize;
        self.hash ^= zobrist(cell, side);
        self.refresh(at, EMPTY, code(side));
        self.squares.points[at].code = EMPTY;
        self.squares.enter(at);
    }

    /// Brings the neighbours of a square up to date, which has become `now` by adding or removing `change`. The square
    /// itself counts as taken meanwhile.
    fn refresh(&mut self, at: usize, now: u8, change: u8) {
        let (row, col) = (at / self.cols, at % self.cols);
        for direction in 0..4 {
            let (before, after) = self.steps(direction, row, col);
            let step = self.step(direction);
            if let Some(memo) = &mut self.memo {
                let (reach, change) = (self.reach, u32::from(change));
                // Seen from a square to the left, this one is to the right, and the nearer it is, the lower are its bits.
                for away in 1..=before.min(reach) {
                    self.squares.flip(
                        at - away * step,
                        direction,
                        change << (2 * (reach + away - 1)),
                        memo,
                    );
                }
                for away in 1..=after.min(reach) {
                    self.squares.flip(
                        at + away * step,
                        direction,
                        change << (2 * (reach - away)),
                        memo,
                    );
                }
            } else {
                self.scan_around(at, direction, step, (before, after), now);
            }
        }
    }

    fn scan_around(
        &mut self,
        at: usize,
        direction: usize,
        step: usize,
        (before, after): (usize, usize),
        now: u8,
    ) {
        let (left, right) = (before.min(2 * self.reach), after.min(2 * self.reach));
        let (mut line, mut pairs) = (
            std::mem::take(&mut self.line),
            std::mem::take(&mut self.pairs),
        );
        line.clear();
        line.extend(
            (0..=left + right).map(|cell| self.squares.points[at + cell * step - left * step].code),
        );
        line[left] = now;
        pairs.resize(line.len(), Pair::default());
        self.scan.line(&line, &mut pairs);
        let (first, last) = (left - left.min(self.reach), left + right.min(self.reach));
        for (away, &pair) in (first..=last).zip(&pairs[first..=last]) {
            self.squares
                .update(at + away * step - left * step, direction, pair);
        }
        (self.line, self.pairs) = (line, pairs);
    }
}

/// All squares, and what they come to.
#[derive(Default)]
struct Squares {
    points: Vec<Point>,
    /// The empty squares by side and rank, in no order.
    lists: [[Vec<Cell>; 10]; 2],
    worth: [i32; 2],
    empty: usize,
}

impl Squares {
    /// Starts again with so many squares, none of them counted in.
    fn clear(&mut self, squares: usize) {
        self.points.clear();
        self.points.resize(squares, Point::default());
        self.lists.iter_mut().flatten().for_each(Vec::clear);
        (self.worth, self.empty) = ([0; 2], 0);
    }

    /// Adds or removes a neighbour, and looks up what that makes of the square.
    fn flip(&mut self, at: usize, direction: usize, bits: u32, memo: &mut Memo) {
        let point = &mut self.points[at];
        point.neighbours[direction] ^= bits;
        let pair = memo.pair(point.neighbours[direction]);
        self.update(at, direction, pair);
    }

    /// Replaces what is known of a square in one direction.
    fn update(&mut self, at: usize, direction: usize, pair: Pair) {
        let point = &mut self.points[at];
        let old = std::mem::replace(&mut point.pairs[direction], pair);
        if old == pair || point.code != EMPTY {
            return;
        }
        for side in 0..2 {
            let (old, new) = (old.side(side), pair.side(side));
            if old == new {
                continue;
            }
            let point = &mut self.points[at];
            let before = point.census[side];
            let census = before.with(old, new);
            point.census[side] = census;
            if census.same_but_for_support(before) {
                let change = census.worth_of_support() - before.worth_of_support();
                point.worth[side] += change;
                self.worth[side] += change;
                continue;
            }
            let (rank, change) = (census.rank() as u8, census.worth() - point.worth[side]);
            point.worth[side] += change;
            self.worth[side] += change;
            if rank != point.rank[side] {
                self.unlist(at, side);
                self.list(at, side, rank);
            }
        }
    }

    /// Counts an empty square in, from what its four directions are.
    fn enter(&mut self, at: usize) {
        for side in 0..2 {
            let point = &mut self.points[at];
            let census = Census::of(point.pairs.map(|pair| pair.side(side)));
            let (rank, worth) = (census.rank() as u8, census.worth());
            (point.census[side], point.worth[side]) = (census, worth);
            self.worth[side] += worth;
            self.list(at, side, rank);
        }
        self.empty += 1;
    }

    /// Counts an empty square out.
    fn leave(&mut self, at: usize) {
        for side in 0..2 {
            self.unlist(at, side);
            let point = &mut self.points[at];
            self.worth[side] -= point.worth[side];
            (point.rank[side], point.census[side], point.worth[side]) = (0, Census::default(), 0);
        }
        self.empty -= 1;
    }

    fn list(&mut self, at: usize, side: usize, rank: u8) {
        let list = &mut self.lists[side][usize::from(rank)];
        let point = &mut self.points[at];
        (point.rank[side], point.slot[side]) = (rank, list.len() as u32);
        list.push(at as Cell);
    }

    fn unlist(&mut self, at: usize, side: usize) {
        let point = &self.points[at];
        let slot = point.slot[side];
        let list = &mut self.lists[side][usize::from(point.rank[side])];
        list.swap_remove(slot as usize);
        if let Some(&moved) = list.get(slot as usize) {
            self.points[moved as usize].slot[side] = slot;
        }
    }
}

/// What is asked of a field.
impl Field {
    /// The shape that it was made for.
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// Pays for one position. Without a memo `place` takes time in proportion to k, so that it costs more, lest a budget
    /// last for minutes on lines of hundreds.
    pub fn pay(&self, budget: &mut Budget) -> Result<(), Spent> {
        let price = if self.memo.is_some() {
            1
        } else {
            self.shape.k() / 2
        };
        (0..price).try_for_each(|_| budget.spend().ok_or(Spent))
    }

    /// How many squares are empty.
    pub const fn empty(&self) -> usize {
        self.squares.empty
    }

    /// Whether a square is.
    pub fn is_empty(&self, cell: Cell) -> bool {
        self.squares.points[cell as usize].code == EMPTY
    }

    /// The position's key; the side to move is not in it.
    pub const fn hash(&self) -> u64 {
        self.hash
    }

    /// The empty squares of one rank for one side, in no order.
    pub fn ranked(&self, side: usize, rank: Rank) -> &[Cell] {
        &self.squares.lists[side][rank as usize]
    }

    /// What a mark there would be to `side`.
    pub fn rank(&self, cell: Cell, side: usize) -> Rank {
        Rank::ALL[usize::from(self.squares.points[cell as usize].rank[side])]
    }

    /// Whether nobody can complete a line any more.
    pub fn is_dead(&self) -> bool {
        (0..2).all(|side| self.squares.lists[side][Rank::Dead as usize].len() == self.squares.empty)
    }

    /// How likely `side` is to move there, to judge by the patterns.
    pub fn appeal(&self, cell: Cell, side: usize) -> i32 {
        let census = self.squares.points[cell as usize].census;
        census[side].appeal(census[1 - side])
    }

    /// What all squares are worth to a side.
    pub const fn worth(&self, side: usize) -> i32 {
        self.squares.worth[side]
    }

    /// The squares in line with this one where `side` could make a four or better along that line.
    pub fn fours_around(&self, cell: Cell, side: usize, mut found: impl FnMut(Cell)) {
        let at = cell as usize;
        let (row, col) = (at / self.cols, at % self.cols);
        for direction in 0..4 {
            let (before, after) = self.steps(direction, row, col);
            let step = self.step(direction);
            let first = at - before.min(self.reach) * step;
            for away in 0..=before.min(self.reach) + after.min(self.reach) {
                let point = &self.squares.points[first + away * step];
                if point.code == EMPTY
                    && point.pairs[direction].side(side).class() >= Class::Four as usize
                {
                    found((first + away * step) as Cell);
                }
            }
        }
    }
}

#[cfg(test)]
#[allow(
    clippy::expect_used,
    clippy::items_after_statements,
    reason = "a test may panic"
)]
mod tests {
    use super::super::oracle::below;
    use super::*;
    use crate::board::Square;

    /// The class of a mark on an empty square along a line, window by window, from the definitions.
    fn slow_class(board: &Board, square: Square, mark: Mark, (down, right): (i32, i32)) -> Class {
        let shape = board.shape();
        let k = i32::from(shape.k());
        // What is `away` steps along the line: ours, empty, or in the way.
        let cell = |away: i32| {
            let (row, col) = (
                i32::from(square.row) + down * away,
                i32::from(square.col) + right * away,
            );
            let inside = (0..i32::from(shape.rows())).contains(&row)
                && (0..i32::from(shape.cols())).contains(&col);
            inside.then(|| {
                board.at(Square {
                    row: row as u16,
                    col: col as u16,
                })
            })
        };
        let ours = |away| cell(away) == Some(Some(mark));
        let empty = |away| cell(away) == Some(None);
        let open = |start: i32| {
            (start..start + k).all(|away| ours(away) || empty(away))
                && !(shape.is_exact() && (ours(start - 1) || ours(start + k)))
        };
        let gaps = |start: i32| {
            (start..start + k)
                .filter(|&away| empty(away))
                .collect::<Vec<_>>()
        };
        let windows: Vec<_> = (1 - k..=0).filter(|&start| open(start)).collect();
        let Some(missing) = windows.iter().map(|&start| gaps(start).len()).min() else {
            return Class::Dead;
        };
        let mut costs: Vec<_> = windows
            .iter()
            .map(|&start| gaps(start))
            .filter(|gaps| gaps.len() == 2)
            .flatten()
            .collect();
        costs.retain(|&away| away != 0);
        costs.sort_unstable();
        costs.dedup();
        let open_missing = (1 - k..0)
            .filter(|&start| open(start) && open(start + 1) && empty(start) && empty(start + k))
            .map(|start| gaps(start).len() - 1)
            .min();
        match (missing, open_missing) {
            (1, _) => Class::Five,
            (2, _) if costs.len() > 1 => Class::OpenFour,
            (2, _) => Class::Four,
            (_, Some(2)) => Class::OpenThree,
            (3, _) => Class::Three,
            (_, Some(3)) => Class::OpenTwo,
            (4, _) => Class::Two,
            _ => Class::Alive,
        }
    }

    fn shapes() -> Vec<Shape> {
        let sizes = [
            (15, 15, 5),
            (1, 1, 1),
            (3, 3, 1),
            (3, 4, 2),
            (1, 9, 4),
            (9, 1, 3),
            (1, 20, 5),
            (5, 7, 3),
            (6, 6, 4),
            (2, 12, 5),
            (12, 9, 6),
            (10, 14, 7),
            (20, 11, 8),
            (13, 13, 13),
            (4, 30, 20),
            (7, 7, 5),
            (3, 5, 5),
        ];
        let free = sizes
            .iter()
            .map(|&(rows, cols, k)| Shape::new(rows, cols, k).expect("a shape"));
        free.clone().chain(free.map(Shape::exactly)).collect()
    }

    #[test]
    fn threats_stay_as_their_definitions_say_while_marks_come_and_go() {
        let mut state = 88_172_645_463_325_252;
        for shape in shapes() {
            let (mut board, mut field, mut fresh) =
                (Board::new(shape), Field::new(shape), Field::new(shape));
            field.set_up(&board);
            let mut placed = Vec::new();
            for _ in 0..300 {
                let square = Square {
                    row: below(&mut state, usize::from(shape.rows())) as u16,
                    col: below(&mut state, usize::from(shape.cols())) as u16,
                };
                let cell =
                    Cell::from(square.row) * Cell::from(shape.cols()) + Cell::from(square.col);
                let mark = if below(&mut state, 3) > 0 {
                    Mark::X
                } else {
                    Mark::O
                };
                if board.at(square).is_none() && below(&mut state, 5) > 0 {
                    board.place(square, mark).expect("an empty square");
                    field.place(cell, side(mark));
                    placed.push((cell, square, mark));
                } else if !placed.is_empty() {
                    let (cell, square, mark) = placed.swap_remove(below(&mut state, placed.len()));
                    board.unplace(square);
                    field.unplace(cell, side(mark));
                }
                fresh.set_up(&board);
                assert_same(&field, &fresh);
            }
            for square in board.free() {
                let cell =
                    usize::from(square.row) * usize::from(shape.cols()) + usize::from(square.col);
                for (direction, step) in [(0, 1), (1, 0), (1, 1), (1, -1)].into_iter().enumerate() {
                    for mark in [Mark::X, Mark::O] {
                        let class = field.squares.points[cell].pairs[direction]
                            .side(side(mark))
                            .class();
                        let slow = slow_class(&board, square, mark, step);
                        assert_eq!(
                            class, slow as usize,
                            "{board:?} {square:?} {mark:?} {step:?} {slow:?}"
                        );
                    }
                }
            }
        }
    }

    fn assert_same(field: &Field, fresh: &Field) {
        assert_eq!(
            (field.hash, field.squares.worth, field.squares.empty),
            (fresh.hash, fresh.squares.worth, fresh.squares.empty)
        );
        for (at, (point, other)) in field
            .squares
            .points
            .iter()
            .zip(&fresh.squares.points)
            .enumerate()
        {
            assert_eq!(
                (point.code, point.census, point.worth),
                (other.code, other.census, other.worth)
            );
            if point.code == EMPTY {
                assert_eq!((point.pairs, point.rank), (other.pairs, other.rank));
                for side in 0..2 {
                    let list = &field.squares.lists[side][usize::from(point.rank[side])];
                    assert_eq!(list[point.slot[side] as usize], at as Cell);
                }
            }
        }
        for side in 0..2 {
            assert_eq!(
                field.squares.lists[side]
                    .iter()
                    .map(Vec::len)
                    .sum::<usize>(),
                field.squares.empty
            );
        }
    }

    #[test]
    fn fours_around_are_those_of_the_lines_through_a_square() {
        let shape = Shape::new(9, 9, 5).expect("a shape");
        let mut field = Field::new(shape);
        field.set_up(&Board::new(shape));
        for cell in [30, 31, 32, 44] {
            field.place(cell, 0);
        }
        let mut found = Vec::new();
        field.fours_around(31, 0, |cell| found.push(cell));
        found.sort_unstable();
        assert_eq!(found, [28, 29, 33, 34]);
    }
}
