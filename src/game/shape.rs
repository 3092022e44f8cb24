//! The words of the game: marks, squares, and the shape of a board.

use std::fmt;
use std::str::FromStr;

/// The mark of a player. X moves first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mark {
    /// Moves first.
    X,
    /// Moves second.
    O,
}

impl Mark {
    /// The opponent's mark.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::X => Self::O,
            Self::O => Self::X,
        }
    }

    /// Who moves after `moves` moves of a game: X first, then they alternate.
    #[must_use]
    pub const fn after(moves: usize) -> Self {
        if moves.is_multiple_of(2) {
            Self::X
        } else {
            Self::O
        }
    }

    /// `X` or `O`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::X => "X",
            Self::O => "O",
        }
    }

    /// What the mark adds to the total of a line: +1 or −1. It is also what the grid holds.
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

/// A word that is no mark.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ParseMarkError;

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

/// A place by row and column, both 0-based from the top left. Whether it is on a board is the
/// board's to say: [`Shape::contains`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Square {
    /// 0 is the top row.
    pub row: u16,
    /// 0 is the leftmost column.
    pub col: u16,
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.row, self.col)
    }
}

/// The size of a board and what makes a line on it: `k` marks in a row, or exactly `k`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Shape {
    rows: u16,
    cols: u16,
    k: u16,
    exact: bool,
}

impl Shape {
    /// 3 × 3, three in a row.
    pub const TIC_TAC_TOE: Self = Self {
        rows: 3,
        cols: 3,
        k: 3,
        exact: false,
    };

    /// The longest side that a board may have.
    pub const MAX_SIDE: u16 = 1024;

    /// A board of `rows` × `cols` on which `k` marks in a row win. The numbers may be anything
    /// that a person can type.
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
            Some(k) if k <= r.max(c) => Ok(Self {
                rows: r,
                cols: c,
                k,
                exact: false,
            }),
            _ => Err(ShapeError::Line {
                k,
                rows: r,
                cols: c,
            }),
        }
    }

    /// The same shape where, if `exact`, a line is exactly `k` marks: a longer run does not win.
    #[must_use]
    pub const fn with_exact(self, exact: bool) -> Self {
        Self { exact, ..self }
    }

    /// The number of rows, 1 to 1024.
    #[must_use]
    pub const fn rows(self) -> u16 {
        self.rows
    }

    /// The number of columns, 1 to 1024.
    #[must_use]
    pub const fn cols(self) -> u16 {
        self.cols
    }

    /// How many marks in a row make a line, 1 to the longer side.
    #[must_use]
    pub const fn k(self) -> u16 {
        self.k
    }

    /// Whether a run longer than `k` does not count as a line.
    #[must_use]
    pub const fn is_exact(self) -> bool {
        self.exact
    }

    /// The number of squares, 1 to 1,048,576.
    #[must_use]
    pub const fn squares(self) -> usize {
        self.rows as usize * self.cols as usize
    }

    /// Whether `square` is on a board of this shape.
    #[must_use]
    pub const fn contains(self, square: Square) -> bool {
        square.row < self.rows && square.col < self.cols
    }

    /// The squares, row by row.
    pub fn iter(self) -> impl Iterator<Item = Square> {
        (0..self.rows).flat_map(move |row| (0..self.cols).map(move |col| Square { row, col }))
    }

    /// Whether `run` marks of one player next to each other, and no more, are a line.
    pub(super) const fn is_line(self, run: usize) -> bool {
        run == self.k as usize || (run > self.k as usize && !self.exact)
    }

    /// Whether every line fills a whole row, column or diagonal, so that totals can see it.
    pub(super) const fn is_full_side(self) -> bool {
        self.rows == self.k && self.cols == self.k
    }
}

/// A shape that no board can have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ShapeError {
    /// A side is not 1 to 1024.
    Sides {
        /// The rows asked for.
        rows: u64,
        /// The columns asked for.
        cols: u64,
    },
    /// `k` is not 1 to the longer side.
    Line {
        /// The marks in a row asked for.
        k: u64,
        /// The rows of the board.
        rows: u16,
        /// The columns of the board.
        cols: u16,
    },
}

impl fmt::Display for ShapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Sides { rows, cols } => {
                let max = Shape::MAX_SIDE;
                write!(
                    f,
                    "cannot make a board of {rows} x {cols}: sides must be 1 to {max}"
                )
            }
            Self::Line { k, rows, cols } => {
                let max = rows.max(cols);
                write!(
                    f,
                    "cannot line up {k} on a {rows} x {cols} board: k must be 1 to {max}"
                )
            }
        }
    }
}

impl std::error::Error for ShapeError {}

/// The ways a line can run, as steps in rows and columns, each in board order: row, column,
/// diagonal, anti-diagonal.
pub(super) const DIRECTIONS: [(i8, i8); 4] = [(0, 1), (1, 0), (1, 1), (1, -1)];

impl Square {
    /// The square `n` steps further; one that is off every board where a number would wrap.
    pub(super) fn moved(self, (down, right): (i8, i8), n: u16) -> Self {
        let along = |from: u16, step: i8| {
            from.wrapping_add_signed(i16::from(step).wrapping_mul(n.cast_signed()))
        };
        Self {
            row: along(self.row, down),
            col: along(self.col, right),
        }
    }
}
