//! The grid and its line totals.

use std::fmt;

use thiserror::Error;

use super::shape::{Mark, Shape, Square};

/// A run: squares next to each other in one direction, such as a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub struct Run {
    first: Square,
    step: (i8, i8),
    len: u16,
}

impl Run {
    /// The directions of a run as steps in rows and columns, each in board order: row, column,
    /// diagonal, anti-diagonal.
    pub const DIRECTIONS: [(i8, i8); 4] = [(0, 1), (1, 0), (1, 1), (1, -1)];

    /// Lists the squares of the run, in board order.
    pub fn squares(self) -> impl ExactSizeIterator<Item = Square> {
        (0..self.len).map(move |n| self.first.moved(self.step, n))
    }

    fn contains(self, square: Square) -> bool {
        self.squares().any(|own| own == square)
    }
}

impl Shape {
    /// Lists every run of `len` squares on the board. With `len` = `k` they are the lines that
    /// there could be.
    pub(crate) fn runs(self, len: u16) -> impl Iterator<Item = Run> {
        let starts = move |step| self.iter().map(move |first| Run { first, step, len });
        let runs = Run::DIRECTIONS.into_iter().flat_map(starts);
        runs.filter(move |run| self.contains(run.first.moved(run.step, len - 1)))
    }
}

/// The lines that one mark completes: one at least, and one at most in each direction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub struct Lines([Option<Run>; 4]);

impl Lines {
    /// Lists the completed runs in the order row, column, diagonal, anti-diagonal.
    pub fn iter(&self) -> impl Iterator<Item = Run> {
        self.0.into_iter().flatten()
    }

    /// Notes the run of `len` in the `n`th direction that starts so far `back` from `square`.
    #[inline]
    fn set(&mut self, n: usize, square: Square, back: u16, len: u16) {
        if let (Some(run), Some(&step)) = (self.0.get_mut(n), Run::DIRECTIONS.get(n)) {
            let first = square.moved((-step.0, -step.1), back);
            *run = Some(Run { first, step, len });
        }
    }
}

/// The error of a mark that cannot be placed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum PlaceError {
    /// The square is not on the board.
    #[error("the square is off the board")]
    OffBoard,
    /// The square is taken by this mark.
    #[error("the square is taken by {0}")]
    Occupied(Mark),
}

/// The marks on the squares.
///
/// With `k` = rows = columns there is a running total per row, column and diagonal, in which X
/// counts +1 and O counts −1: a line is won when its total is +k or −k. With `k` shorter than a
/// side a total cannot see gaps, and the squares around the new mark are read instead.
/// [`place`](Self::place) and [`unplace`](Self::unplace) are all that writes.
///
/// ```
/// use noughts::{Board, Mark, Shape, Square};
///
/// let mut board = Board::new(Shape::TIC_TAC_TOE);
/// board.place(Square { row: 0, col: 2 }, Mark::X)?;
/// board.place(Square { row: 1, col: 1 }, Mark::O)?;
/// let drawn = "
///     0 1 2
///   0 . . X
///   1 . O .
///   2 . . .";
/// assert_eq!(format!("\n{board}"), drawn);
/// assert_eq!(board.at(Square { row: 0, col: 2 }), Some(Mark::X));
/// assert_eq!((board.free().count(), board.taken().count()), (7, 2));
/// # Ok::<(), noughts::PlaceError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
#[must_use]
pub struct Board {
    shape: Shape,
    /// The sign of each mark, 0 for none: zeroed memory, which the system hands out only as it is
    /// touched. A cell that stays empty ends each row, so that no run goes around an edge.
    grid: Vec<i8>,
    /// Rows, then columns, then the diagonal and the anti-diagonal; empty where lines are scanned.
    totals: Vec<i16>,
    marks: u32,
}

impl Board {
    /// Makes an empty board. Its memory is one byte a square and one a row, taken as it is used.
    pub fn new(shape: Shape) -> Self {
        let lines = usize::from(shape.rows()) + usize::from(shape.cols()) + 2;
        Self {
            shape,
            grid: vec![0; shape.squares() + usize::from(shape.rows())],
            totals: vec![0; if shape.is_full_side() { lines } else { 0 }],
            marks: 0,
        }
    }

    /// Returns the size of the board and what makes a line on it.
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// Returns who occupies `square`: nobody outside the board.
    pub fn at(&self, square: Square) -> Option<Mark> {
        Mark::of_sign(*self.grid.get(self.cell(square)?)?)
    }

    /// Lists the empty squares, row by row. Reads the whole board.
    pub fn free(&self) -> impl Iterator<Item = Square> + '_ {
        let cells = self.cells();
        cells.filter_map(|(square, cell)| (cell == 0).then_some(square))
    }

    /// Lists the occupied squares with their marks, row by row. Reads the whole board.
    pub fn taken(&self) -> impl Iterator<Item = (Square, Mark)> + '_ {
        let cells = self.cells();
        cells.filter_map(|(square, cell)| Some((square, Mark::of_sign(cell)?)))
    }

    /// Returns the number of occupied squares.
    pub const fn marks(&self) -> usize {
        self.marks as usize
    }

    /// Returns true where no square is empty.
    pub const fn is_full(&self) -> bool {
        self.marks() == self.shape.squares()
    }

    /// Puts `mark` on `square` and returns the lines that it completes, if any.
    ///
    /// Cost: four totals at most with `k` = rows = columns; otherwise `k` − 1 squares at most are
    /// read each way. Where a line is exactly `k`, it is `k` + 1 in each direction: one more may
    /// make it too long.
    ///
    /// ```
    /// use noughts::{Board, Mark, Shape, Square};
    ///
    /// let mut board = Board::new(Shape::new(1, 2, 2)?);
    /// assert_eq!(board.place(Square { row: 0, col: 0 }, Mark::X)?, None);
    /// let right = Square { row: 0, col: 1 };
    /// assert!(board.would_complete(right, Mark::X));
    /// let lines = board.place(right, Mark::X)?;
    /// assert_eq!(lines.map(|lines| lines.iter().count()), Some(1));
    /// assert_eq!(board.unplace(right), Some(Mark::X));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`PlaceError`] where the square is occupied or off the board; nothing has changed then.
    pub fn place(&mut self, square: Square, mark: Mark) -> Result<Option<Lines>, PlaceError> {
        let at = self.cell(square).ok_or(PlaceError::OffBoard)?;
        let cell = self.grid.get_mut(at).ok_or(PlaceError::OffBoard)?;
        if let Some(by) = Mark::of_sign(*cell) {
            return Err(PlaceError::Occupied(by));
        }
        *cell = mark.sign();
        self.marks += 1;
        Ok(if self.totals.is_empty() {
            self.scan(square, at, mark)
        } else if self.add_to_totals(square, mark.sign()) {
            Some(self.full_lines(square, mark))
        } else {
            None
        })
    }

    /// Takes the mark off `square` and returns it: the exact inverse of [`place`](Self::place), at
    /// the cost of the totals alone. `None`, and no change, where there is none.
    pub fn unplace(&mut self, square: Square) -> Option<Mark> {
        let at = self.cell(square)?;
        let cell = self.grid.get_mut(at)?;
        let mark = Mark::of_sign(*cell)?;
        *cell = 0;
        self.marks -= 1;
        if !self.totals.is_empty() {
            self.add_to_totals(square, -mark.sign());
        }
        Some(mark)
    }

    /// Returns true where `mark` on the empty `square` would complete a line. Only reads, at the
    /// cost of [`place`](Self::place); false where the square is occupied or off the board.
    pub fn would_complete(&self, square: Square, mark: Mark) -> bool {
        let Some(at) = self.cell(square) else {
            return false;
        };
        if self.grid.get(at) != Some(&0) {
            return false;
        }
        if self.totals.is_empty() {
            return self.scan(square, at, mark).is_some();
        }
        let one_short = i16::from(mark.sign()) * (self.shape.k().cast_signed() - 1);
        let totals = self.totals_of(square).into_iter();
        totals.filter_map(|at| self.totals.get(at)).any(|total| *total == one_short)
    }

    /// Returns true where somebody has a line. Reads as much as a search of the whole board.
    pub fn has_line(&self) -> bool {
        self.lines().next().is_some()
    }

    /// Lists every line on the board with its owner. Reads each square some twelve times, so it is
    /// for set-up positions.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (Mark, Run)> + '_ {
        Run::DIRECTIONS.into_iter().flat_map(move |step| {
            self.shape.iter().filter_map(move |first| {
                let mark = self.at(first)?;
                let before = self.at(first.moved((-step.0, -step.1), 1));
                let starts = before != Some(mark);
                let len = if starts { self.reach(first, step) } else { 0 };
                let run = Run { first, step, len };
                self.shape.is_line(len.into()).then_some((mark, run))
            })
        })
    }

    /// Returns true where a single move can have made all of `lines`, of one player: a mark stands
    /// in each of them, and without it the board has no line of that player. Reads the squares of
    /// one line, and around each of them the runs that are left.
    pub(crate) fn can_be_one_move(&self, lines: &[Run]) -> bool {
        let shared = |square: Square| lines.iter().all(|run| run.contains(square));
        let leaves_no_line = |square: Square| {
            Run::DIRECTIONS.into_iter().all(|(down, right)| {
                let left = |step| usize::from(self.reach(square, step)) - 1;
                !self.shape.is_line(left((down, right)))
                    && !self.shape.is_line(left((-down, -right)))
            })
        };
        lines.first().is_none_or(|line| {
            line.squares().any(|square| shared(square) && leaves_no_line(square))
        })
    }

    /// Counts the marks in a row from the occupied `first` on, itself included.
    fn reach(&self, first: Square, step: (i8, i8)) -> u16 {
        let mark = self.at(first);
        let mut len = 1;
        while self.at(first.moved(step, len)) == mark {
            len += 1;
        }
        len
    }

    /// Returns the distance of the rows in the grid.
    fn stride(&self) -> usize {
        usize::from(self.shape.cols()) + 1
    }

    /// Returns the place of `square` in the grid: `None` off the board.
    fn cell(&self, square: Square) -> Option<usize> {
        let at = usize::from(square.row) * self.stride() + usize::from(square.col);
        self.shape.contains(square).then_some(at)
    }

    /// Lists each square with its cell, row by row.
    fn cells(&self) -> impl Iterator<Item = (Square, i8)> + '_ {
        let rows = self.grid.chunks_exact(self.stride());
        (0..).zip(rows).flat_map(|(row, cells)| {
            let cols = (0..self.shape.cols()).zip(cells);
            cols.map(move |(col, &cell)| (Square { row, col }, cell))
        })
    }

    /// Returns the places of the totals of the lines through `square`, in the order of
    /// [`Run::DIRECTIONS`]: past the end for a diagonal that it is not on.
    fn totals_of(&self, Square { row, col }: Square) -> [usize; 4] {
        const NONE: usize = usize::MAX;
        let n = usize::from(self.shape.k());
        let (row, col) = (usize::from(row), usize::from(col));
        let diagonal = if row == col { 2 * n } else { NONE };
        let anti_diagonal = if row + col + 1 == n { 2 * n + 1 } else { NONE };
        [row, n + col, diagonal, anti_diagonal]
    }

    /// Counts a mark in, or out, of the totals of its lines. Returns true where one is full.
    fn add_to_totals(&mut self, square: Square, sign: i8) -> bool {
        let full = i16::from(sign) * self.shape.k().cast_signed();
        let mut completes = false;
        for at in self.totals_of(square) {
            if let Some(total) = self.totals.get_mut(at) {
                *total += i16::from(sign);
                completes |= *total == full;
            }
        }
        completes
    }

    /// Finds the lines that `mark` on `square`, at this place in the grid, makes with its
    /// neighbours. Only the newest mark can make one.
    fn scan(&self, square: Square, at: usize, mark: Mark) -> Option<Lines> {
        let (k, down) = (self.shape.k(), self.stride());
        // Once a run is too long it need not be read to its end.
        let (far, most) = if self.shape.is_exact() { (k, k) } else { (k - 1, 2 * k) };
        let (grid, sign) = (self.grid.as_slice(), mark.sign());
        let runs = [1, down, down + 1, down - 1].map(|stride| {
            let back = count(grid, at, stride.wrapping_neg(), far, sign);
            let ahead = count(grid, at, stride, far.min(most - back), sign);
            (back, back + 1 + ahead)
        });
        let mut lines = None;
        for (n, (back, len)) in runs.into_iter().enumerate() {
            if len >= k && len <= most {
                lines.get_or_insert(Lines([None; 4])).set(n, square, back, len);
            }
        }
        lines
    }

    /// Finds the lines through `square` whose totals are full of `mark`: each is a whole side.
    #[cold]
    fn full_lines(&self, square: Square, mark: Mark) -> Lines {
        let len = self.shape.k();
        let full = i16::from(mark.sign()) * len.cast_signed();
        let mut lines = Lines([None; 4]);
        for (n, total) in self.totals_of(square).into_iter().enumerate() {
            if self.totals.get(total) == Some(&full) {
                let back = if n == 0 { square.col } else { square.row };
                lines.set(n, square, back, len);
            }
        }
        lines
    }
}

/// Counts the next cells, `stride` apart and `most` at most, that hold `sign` without a gap.
#[inline]
fn count(grid: &[i8], mut at: usize, stride: usize, most: u16, sign: i8) -> u16 {
    let mut n = 0;
    while n < most {
        at = at.wrapping_add(stride);
        if grid.get(at) != Some(&sign) {
            break;
        }
        n += 1;
    }
    n
}

impl fmt::Display for Board {
    /// Draws the board with its coordinates along two edges, without a line end after the last row.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = |side: u16| (side - 1).to_string().len();
        let left = 2 + digits(self.shape.rows());
        let width = 1 + digits(self.shape.cols());
        write!(f, "{:left$}", "")?;
        for col in 0..self.shape.cols() {
            write!(f, "{col:width$}")?;
        }
        for (Square { row, col }, cell) in self.cells() {
            if col == 0 {
                write!(f, "\n{row:left$}")?;
            }
            write!(f, "{:>width$}", Mark::of_sign(cell).map_or(".", Mark::name))?;
        }
        Ok(())
    }
}

impl fmt::Debug for Board {
    /// Writes the rows from the top with `/` between them, such as `XX./.O./O..`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (Square { row, col }, cell) in self.cells() {
            f.write_str(if col == 0 && row > 0 { "/" } else { "" })?;
            f.write_str(Mark::of_sign(cell).map_or(".", Mark::name))?;
        }
        Ok(())
    }
}
