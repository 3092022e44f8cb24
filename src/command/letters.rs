//! Squares in letters, as players of gomoku and chess write them: `h8`.

use std::fmt::{self, Display};
use std::str::FromStr;

use super::CommandError;
use crate::game::{Shape, Square};

/// The edge of the board at which row 1 of letters is.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum RowOne {
    /// `a1` is the bottom left corner.
    #[default]
    Bottom,
    /// `a1` is the top left corner.
    Top,
}

/// A square in letters: its column, `a` to `z`, then `aa` to `amj`, and the number of its row. The
/// letter `i` is not skipped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Letters {
    /// The column from the left, 0 to [`Shape::MAX_SIDE`] − 1.
    col: u16,
    /// The number of the row, as it was written: perhaps of no row at all.
    row: u64,
}

/// The way in which squares are named.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Coords {
    /// True for letters, false for row and column by number.
    pub has_letters: bool,
    pub row_one: RowOne,
}

impl Coords {
    /// Names `square` of a board of `shape`: `0 2` or `c3`.
    pub fn name(self, square: Square, shape: Shape) -> impl Display {
        fmt::from_fn(move |f| {
            if self.has_letters {
                Letters::of(square, shape, self.row_one).fmt(f)
            } else {
                square.fmt(f)
            }
        })
    }
}

impl Letters {
    /// Names `square` of a board of `shape`.
    #[must_use]
    pub fn of(square: Square, shape: Shape, row_one: RowOne) -> Self {
        let row = match row_one {
            RowOne::Bottom => shape.rows().saturating_sub(square.row),
            RowOne::Top => square.row + 1,
        };
        Self { col: square.col, row: row.into() }
    }

    /// Returns the square on a board of `shape`: `None` where it has no such row or column.
    #[must_use]
    pub fn on(self, shape: Shape, row_one: RowOne) -> Option<Square> {
        let row = match row_one {
            RowOne::Bottom => u64::from(shape.rows()).checked_sub(self.row)?,
            RowOne::Top => self.row.checked_sub(1)?,
        };
        let square = Square { row: row.try_into().ok()?, col: self.col };
        shape.contains(square).then_some(square)
    }

    /// Reads the square at the start of `text`, such as the first of `h8h9g8`, and returns what
    /// follows it. `None` where no square is there. Costs one look at each of its characters.
    #[must_use]
    pub fn split(text: &str) -> Option<(Self, &str)> {
        let mut bytes = text.bytes().enumerate().peekable();
        let mut col = 0_u16;
        while let Some((_, letter)) = bytes.next_if(|(_, byte)| byte.is_ascii_alphabetic()) {
            let letter = u16::from(letter.to_ascii_lowercase() - b'a') + 1;
            col = col.checked_mul(26)?.checked_add(letter)?;
        }
        let col = col.checked_sub(1).filter(|col| *col < Shape::MAX_SIDE)?;
        let (start, digit) = bytes.next_if(|(_, byte)| byte.is_ascii_digit())?;
        let mut row = u64::from(digit - b'0');
        let mut end = start + 1;
        while let Some((at, digit)) = bytes.next_if(|(_, byte)| byte.is_ascii_digit()) {
            row = row.checked_mul(10)?.checked_add((digit - b'0').into())?;
            end = at + 1;
        }
        Some((Self { col, row }, text.get(end..)?))
    }

    /// Writes the letters of a column.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write_column(col: u16, out: &mut impl fmt::Write) -> fmt::Result {
        // Numbers of a base of 26 without a zero.
        if let Some(before) = (col / 26).checked_sub(1) {
            Self::write_column(before, out)?;
        }
        let letter = u8::try_from(col % 26).unwrap_or_default();
        out.write_char(char::from(b'a' + letter))
    }
}

impl FromStr for Letters {
    type Err = CommandError;

    fn from_str(word: &str) -> Result<Self, CommandError> {
        let whole = Self::split(word).filter(|(_, rest)| rest.is_empty());
        let malformed = || CommandError::malformed(word, "a square such as h8");
        whole.map(|(square, _)| square).ok_or_else(malformed)
    }
}

impl Display for Letters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Self::write_column(self.col, f)?;
        write!(f, "{}", self.row)
    }
}
