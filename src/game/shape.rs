//! The words of the game: marks, squares, and the shape of a board.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// The mark of a player. X moves first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mark {
    /// The mark that moves first.
    X,
    /// The mark that moves second.
    O,
}

impl Mark {
    /// Both marks, in the order in which they move.
    pub const ALL: &'static [Self] = &[Self::X, Self::O];

    /// Returns the opponent's mark.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::X => Self::O,
            Self::O => Self::X,
        }
    }

    /// Returns the mark that moves after so many moves of a game.
    pub const fn after(moves: usize) -> Self {
        if moves.is_multiple_of(2) { Self::X } else { Self::O }
    }

    /// Returns `X` or `O`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::X => "X",
            Self::O => "O",
        }
    }

    /// Returns what the mark adds to the total of a line, +1 or −1. The grid holds it too.
    pub(super) const fn sign(self) -> i8 {
        match self {
            Self::X => 1,
            Self::O => -1,
        }
    }

    pub(super) const fn of_sign(sign: i8) -> Option<Self> {
        match sign {
            1 => Some(Self::X),
            -1 => Some(Self::O),
            _ => None,
        }
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Mark {
    type Err = ParseMarkError;

    /// Reads `X` or `O`, in either case.
    fn from_str(word: &str) -> Result<Self, ParseMarkError> {
        match word {
            "X" | "x" => Ok(Self::X),
            "O" | "o" => Ok(Self::O),
            _ => Err(ParseMarkError),
        }
    }
}

/// The error of a word that is no mark.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("expected X or O")]
pub struct ParseMarkError;

/// A place by row and column, both 0-based from the top left. It may be off a given board: see
/// [`Shape::contains`].
///
/// ```
/// use noughts::Square;
///
/// let square = Square { row: 0, col: 2 };
/// assert_eq!(square.to_string(), "0 2");
/// assert_eq!("0 2".parse(), Ok(square));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Square {
    /// The row; 0 is at the top.
    pub row: u16,
    /// The column; 0 is at the left.
    pub col: u16,
}

impl Square {
    /// Returns the square `n` steps further; one that is off every board where a number would wrap.
    pub(crate) fn moved(self, (down, right): (i8, i8), n: u16) -> Self {
        let along = |from: u16, step: i8| {
            from.wrapping_add_signed(i16::from(step).wrapping_mul(n.cast_signed()))
        };
        Self { row: along(self.row, down), col: along(self.col, right) }
    }
}

impl fmt::Display for Square {
    /// Writes the row and the column, such as `0 2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.row, self.col)
    }
}

impl FromStr for Square {
    type Err = ParseSquareError;

    /// Reads a row and a column with blanks between, such as `0 2`.
    fn from_str(text: &str) -> Result<Self, ParseSquareError> {
        let mut numbers = text.split_whitespace().map(str::parse);
        match (numbers.next(), numbers.next(), numbers.next()) {
            (Some(Ok(row)), Some(Ok(col)), None) => Ok(Self { row, col }),
            _ => Err(ParseSquareError),
        }
    }
}

/// The error of a text that is no square.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("expected a row and a column, such as \"0 2\"")]
pub struct ParseSquareError;

/// The size of a board, and what makes a line on it: at least `k` marks in a row, or exactly `k`.
///
/// ```
/// use noughts::Shape;
///
/// let gomoku = Shape::new(15, 15, 5)?;
/// assert_eq!((gomoku.rows(), gomoku.cols(), gomoku.k()), (15, 15, 5));
/// assert_eq!(gomoku.squares(), 225);
/// let error = Shape::new(3, 3, 4).unwrap_err();
/// assert_eq!(error.to_string(), "cannot line up 4 on a 3 x 3 board: k must be 1 to 3");
/// # Ok::<(), noughts::ShapeError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[must_use]
pub struct Shape {
    rows: u16,
    cols: u16,
    k: u16,
    exact: bool,
}

impl Shape {
    /// The board of 3 × 3 with three in a row.
    pub const TIC_TAC_TOE: Self = Self { rows: 3, cols: 3, k: 3, exact: false };

    /// The longest side that a board may have.
    pub const MAX_SIDE: u16 = 1024;

    /// Makes a shape of `rows` × `cols` on which `k` marks in a row win. The numbers may be
    /// anything that a person can type.
    ///
    /// # Errors
    ///
    /// [`ShapeError::Sides`] unless both sides are 1 to [`Shape::MAX_SIDE`]; [`ShapeError::Line`]
    /// unless `k` is 1 to the longer side.
    pub fn new(rows: u64, cols: u64, k: u64) -> Result<Self, ShapeError> {
        let side = |side: u64| {
            let side = u16::try_from(side).ok()?;
            (1..=Self::MAX_SIDE).contains(&side).then_some(side)
        };
        let (Some(r), Some(c)) = (side(rows), side(cols)) else {
            return Err(ShapeError::Sides { rows, cols });
        };
        match side(k) {
            Some(k) if k <= r.max(c) => Ok(Self { rows: r, cols: c, k, exact: false }),
            _ => Err(ShapeError::Line { k, rows: r, cols: c }),
        }
    }

    /// Returns the shape where, if `exact`, a line is exactly `k` marks: a longer run does not win.
    ///
    /// ```
    /// use noughts::{Board, Mark, Shape, Square};
    ///
    /// let mut board = Board::new(Shape::new(1, 5, 3)?.with_exact(true));
    /// for col in [0, 1, 3] {
    ///     board.place(Square { row: 0, col }, Mark::X)?;
    /// }
    /// assert_eq!(board.place(Square { row: 0, col: 2 }, Mark::X), Ok(None));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub const fn with_exact(self, exact: bool) -> Self {
        Self { exact, ..self }
    }

    /// Returns the number of rows, 1 to 1024.
    pub const fn rows(self) -> u16 {
        self.rows
    }

    /// Returns the number of columns, 1 to 1024.
    pub const fn cols(self) -> u16 {
        self.cols
    }

    /// Returns how many marks in a row make a line, 1 to the longer side.
    pub const fn k(self) -> u16 {
        self.k
    }

    /// Returns true where a run longer than `k` is no line.
    pub const fn is_exact(self) -> bool {
        self.exact
    }

    /// Returns the number of squares, 1 to 1,048,576.
    pub const fn squares(self) -> usize {
        self.rows as usize * self.cols as usize
    }

    /// Returns true where `square` is on a board of this shape.
    pub const fn contains(self, square: Square) -> bool {
        square.row < self.rows && square.col < self.cols
    }

    /// Returns the number of `square`, counted row by row from 0: `None` off the board.
    ///
    /// ```
    /// use noughts::{Shape, Square};
    ///
    /// let square = Square { row: 1, col: 2 };
    /// assert_eq!(Shape::TIC_TAC_TOE.index(square), Some(5));
    /// assert_eq!(Shape::TIC_TAC_TOE.square(5), Some(square));
    /// assert_eq!(Shape::TIC_TAC_TOE.square(9), None);
    /// ```
    pub const fn index(self, square: Square) -> Option<usize> {
        if self.contains(square) {
            Some(square.row as usize * self.cols as usize + square.col as usize)
        } else {
            None
        }
    }

    /// Returns the square of this number, counted row by row from 0: `None` beyond the board. The
    /// inverse of [`index`](Self::index).
    pub fn square(self, index: usize) -> Option<Square> {
        let cols = usize::from(self.cols);
        let square = Square {
            row: u16::try_from(index / cols).ok()?,
            col: u16::try_from(index % cols).ok()?,
        };
        self.contains(square).then_some(square)
    }

    /// Lists the squares, row by row.
    pub fn iter(self) -> impl Iterator<Item = Square> {
        (0..self.rows).flat_map(move |row| (0..self.cols).map(move |col| Square { row, col }))
    }

    /// Returns true where `run` marks of one player in a row, and no more, are a line.
    pub(crate) const fn is_line(self, run: usize) -> bool {
        run == self.k as usize || (run > self.k as usize && !self.exact)
    }

    /// Returns true where every line fills a whole row, column or diagonal, so that totals see it.
    pub(super) const fn is_full_side(self) -> bool {
        self.rows == self.k && self.cols == self.k
    }
}

/// The error of a shape that no board can have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "they are what was asked for")]
pub enum ShapeError {
    /// A side is not 1 to 1024.
    #[error("cannot make a board of {rows} x {cols}: sides must be 1 to {}", Shape::MAX_SIDE)]
    Sides { rows: u64, cols: u64 },
    /// `k` is not 1 to the longer side.
    #[error("cannot line up {k} on a {rows} x {cols} board: k must be 1 to {}", rows.max(cols))]
    Line { k: u64, rows: u16, cols: u16 },
}
