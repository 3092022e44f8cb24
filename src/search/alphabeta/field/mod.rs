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
use super::patterns::{Class, EMPTY, Memo, Pair, Scan, code};
use crate::game::{Mark, Shape};
use crate::search::Spent;

/// The index of a square, row by row.
pub type Cell = u32;

/// The seed of the Zobrist keys: any number.
const ZOBRIST_SEED: u64 = 0x6e6f_7567_6874_7321;

/// The hash key of a mark (Zobrist 1970), computed by splitmix64 (Steele, Lea and Flood 2014): a
/// table of the keys would not fit the cache on large boards.
fn zobrist(cell: Cell, side: usize) -> u64 {
    let n = u64::from(cell) * 2 + side as u64 + 1;
    let mut z = ZOBRIST_SEED.wrapping_add(n.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// Board, patterns and evaluation. `place` costs 8 (k - 1) look-ups, or for large k a scan of four
/// lines of 4k squares; `unplace` undoes the changes that `place` noted.
pub struct Field {
    shape: Shape,
    grid: Grid,
    /// The farthest distance at which a mark matters along a line.
    reach: usize,
    squares: Squares,
    hash: u64,
    scan: Scan,
    memo: Option<Memo>,
    line: Vec<u8>,
    pairs: Vec<Pair>,
}

/// The index of the side that has `mark`.
pub const fn side(mark: Mark) -> usize {
    match mark {
        Mark::X => 0,
        Mark::O => 1,
    }
}

impl Field {
    /// An empty field for boards of `shape`.
    pub fn new(shape: Shape) -> Self {
        let k = usize::from(shape.k());
        let reach = if shape.is_exact() { k } else { k - 1 };
        Self {
            shape,
            grid: Grid::new(shape),
            reach,
            squares: Squares::new(shape.squares()),
            hash: 0,
            scan: Scan::new(k, shape.is_exact()),
            memo: Memo::new(k, shape.is_exact(), reach),
            line: Vec::new(),
            pairs: Vec::new(),
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
        let change = u32::from(code(side));
        for (direction, (before, after)) in self.grid.steps(at).into_iter().enumerate() {
            let step = self.grid.step(direction);
            if let Some(memo) = &mut self.memo {
                let reach = self.reach;
                let mut flip = |at, bits| {
                    let number = self.squares.number(at);
                    let point = &self.squares.points[number];
                    if point.code == EMPTY {
                        let neighbours = point.neighbours[direction] ^ bits;
                        let pair = memo.pair(neighbours);
                        self.squares.change(number, direction, neighbours, pair);
                    }
                };
                // A square to the left sees this one on its right, in lower bits the nearer it is.
                for away in 1..=before.min(reach) {
                    flip(at - away * step, change << (2 * (reach + away - 1)));
                }
                for away in 1..=after.min(reach) {
                    flip(at + away * step, change << (2 * (reach - away)));
                }
            } else {
                self.scan_around(at, direction, step, (before, after));
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

    /// Updates one line through a new mark by a scan.
    fn scan_around(
        &mut self,
        at: usize,
        direction: usize,
        step: usize,
        (before, after): (usize, usize),
    ) {
        let (left, right) = (before.min(2 * self.reach), after.min(2 * self.reach));
        let first = at - left * step;
        self.line.clear();
        self.line.extend((0..=left + right).map(|away| self.squares.at(first + away * step).code));
        self.pairs.resize(self.line.len(), Pair::default());
        self.scan.line(&self.line, &mut self.pairs);
        for away in left - left.min(self.reach)..=left + right.min(self.reach) {
            if self.line[away] == EMPTY {
                let number = self.squares.number(first + away * step);
                self.squares.change(number, direction, 0, self.pairs[away]);
            }
        }
    }
}

/// Queries.
impl Field {
    /// The shape of the board.
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// Spends what one position costs: 1, or k / 2 without a memo, where `place` takes time in
    /// proportion to k.
    ///
    /// # Errors
    ///
    /// [`Spent`] where the budget has too little left.
    pub fn pay(&self, budget: &mut Budget) -> Result<(), Spent> {
        let price = if self.memo.is_some() { 1 } else { self.shape.k() / 2 };
        (0..price).try_for_each(|_| budget.spend())
    }

    /// The number of empty squares.
    pub const fn empty(&self) -> usize {
        self.squares.empty
    }

    /// Returns true if the square is empty.
    pub fn is_empty(&self, cell: Cell) -> bool {
        self.squares.at(cell as usize).code == EMPTY
    }

    /// The hash of the marks; the side to move is not in it.
    pub const fn hash(&self) -> u64 {
        self.hash
    }

    /// The empty squares of one rank for `side`, in no order.
    pub fn ranked(&self, side: usize, rank: Rank) -> &[Cell] {
        &self.squares.lists[side][rank as usize]
    }

    /// The rank of an empty square for `side`.
    pub fn rank(&self, cell: Cell, side: usize) -> Rank {
        Rank::ALL[usize::from(self.squares.at(cell as usize).rank[side])]
    }

    /// Returns true if nobody can complete a line any more: the game is a draw.
    pub fn is_dead(&self) -> bool {
        (0..2).all(|side| self.squares.lists[side][Rank::Dead as usize].len() == self.squares.empty)
    }

    /// Some empty square that is not [`ranked`](Self::ranked), since no mark is in reach.
    pub fn some_far(&self) -> Option<Cell> {
        self.squares.without_point()
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
        let at = cell as usize;
        for (direction, (before, after)) in self.grid.steps(at).into_iter().enumerate() {
            let step = self.grid.step(direction);
            let first = at - before.min(self.reach) * step;
            for away in 0..=before.min(self.reach) + after.min(self.reach) {
                let point = self.squares.at(first + away * step);
                if point.code == EMPTY
                    && point.pairs[direction].side(side).class() >= Class::ClosedFour as usize
                {
                    found((first + away * step) as Cell);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::oracle::below;
    use super::*;
    use crate::game::{Board, Square};

    fn set_up(field: &mut Field, board: &Board) {
        let mut no_clock = Budget::nodes(0);
        field.set_up(board, &mut no_clock).expect("no clock");
    }

    /// The class of an empty square along a line, window by window, from the definitions.
    fn slow_class(board: &Board, square: Square, mark: Mark, (down, right): (i32, i32)) -> Class {
        let shape = board.shape();
        let k = i32::from(shape.k());
        // The square `away` steps along the line, if there is one.
        let cell = |away: i32| {
            let (row, col) =
                (i32::from(square.row) + down * away, i32::from(square.col) + right * away);
            let inside = (0..i32::from(shape.rows())).contains(&row)
                && (0..i32::from(shape.cols())).contains(&col);
            inside.then(|| board.at(Square { row: row as u16, col: col as u16 }))
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
        let mut state = 88_172_645_463_325_252;
        for shape in shapes() {
            let (mut board, mut field, mut fresh) =
                (Board::new(shape), Field::new(shape), Field::new(shape));
            set_up(&mut field, &board);
            let mut placed = Vec::new();
            for _ in 0..300 {
                let square = Square {
                    row: below(&mut state, usize::from(shape.rows())) as u16,
                    col: below(&mut state, usize::from(shape.cols())) as u16,
                };
                let cell =
                    Cell::from(square.row) * Cell::from(shape.cols()) + Cell::from(square.col);
                let mark = if below(&mut state, 3) > 0 { Mark::X } else { Mark::O };
                if board.at(square).is_none() && below(&mut state, 5) > 0 {
                    board.place(square, mark).expect("an empty square");
                    field.place(cell, side(mark));
                    placed.push((cell, square, mark));
                } else if !placed.is_empty() {
                    for _ in 0..=below(&mut state, placed.len().min(3)) {
                        let (cell, square, mark) = placed.pop().expect("a mark");
                        board.unplace(square);
                        field.unplace(cell, side(mark));
                    }
                }
                set_up(&mut fresh, &board);
                assert_same(&field, &fresh);
            }
            for square in board.free() {
                let cell =
                    usize::from(square.row) * usize::from(shape.cols()) + usize::from(square.col);
                if field.squares.number(cell) == 0 {
                    continue;
                }
                for (direction, step) in [(0, 1), (1, 0), (1, 1), (1, -1)].into_iter().enumerate() {
                    for mark in [Mark::X, Mark::O] {
                        let class =
                            field.squares.at(cell).pairs[direction].side(side(mark)).class();
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
            (field.hash, field.squares.evaluation, field.squares.empty),
            (fresh.hash, fresh.squares.evaluation, fresh.squares.empty)
        );
        for at in 0..field.shape.squares() {
            let (point, other) = (field.squares.at(at), fresh.squares.at(at));
            assert_eq!(point.code, other.code);
            if point.code != EMPTY || fresh.squares.number(at) == 0 {
                continue;
            }
            assert_eq!((point.pairs, point.rank), (other.pairs, other.rank));
            let (ours, theirs) = (point.summary, other.summary);
            assert_eq!((ours.census, ours.evaluation), (theirs.census, theirs.evaluation));
            for side in 0..2 {
                let list = &field.squares.lists[side][usize::from(point.rank[side])];
                assert_eq!(list[ours.slot[side] as usize], at as Cell);
            }
        }
        let squares = field.shape().squares();
        let far = (0..squares).filter(|&at| field.squares.number(at) == 0).count();
        for side in 0..2 {
            let lists = &field.squares.lists[side];
            let listed = lists.iter().map(Vec::len).sum::<usize>();
            assert_eq!(listed + far, field.empty());
        }
    }

    #[test]
    fn taking_marks_back_leaves_no_trace() {
        let shape = Shape::new(15, 15, 5).expect("a shape");
        let mut field = Field::new(shape);
        set_up(&mut field, &Board::new(shape));
        let mut state = 123_456_789;
        let mut trail = Vec::new();
        while trail.len() < 60 {
            let cell = below(&mut state, 225) as Cell;
            if field.is_empty(cell) {
                trail.push((
                    cell,
                    field.squares.lists.clone(),
                    field.squares.evaluation,
                    field.hash(),
                ));
                field.place(cell, trail.len() % 2);
            }
        }
        while let Some((cell, lists, evaluation, hash)) = trail.pop() {
            field.unplace(cell, (trail.len() + 1) % 2);
            assert_eq!(
                (&field.squares.lists, field.squares.evaluation, field.hash()),
                (&lists, evaluation, hash)
            );
        }
    }

    #[test]
    fn fours_around_are_those_of_the_lines_through_a_square() {
        let shape = Shape::new(9, 9, 5).expect("a shape");
        let mut field = Field::new(shape);
        set_up(&mut field, &Board::new(shape));
        for cell in [30, 31, 32, 44] {
            field.place(cell, 0);
        }
        let mut found = Vec::new();
        field.fours_around(31, 0, |cell| found.push(cell));
        found.sort_unstable();
        assert_eq!(found, [28, 29, 33, 34]);
    }
}
