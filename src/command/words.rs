//! The words that a command is made of, as they are typed.

use std::fmt;
use std::str::FromStr;

use super::CommandError;
use super::line::is_separator;
use crate::game::{Board, Mark, Shape, ShapeError, Square};
use crate::player::Kind;

/// A square as it was typed, on the board or not. Its numbers are whole ones of 64 bits, signed or
/// not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// A row and a column, 0-based.
    At(i128, i128),
    /// A number, 1-based, row by row.
    Nth(i128),
}

impl Place {
    /// The square on a board of `shape`, or one that is off every board.
    #[must_use]
    pub fn on(self, shape: Shape) -> Square {
        let (row, col) = match self {
            Self::At(row, col) => (row, col),
            Self::Nth(number) => {
                let cols = i128::from(shape.cols());
                let index = number - 1;
                (index.div_euclid(cols), index.rem_euclid(cols))
            }
        };
        let side = |number| u16::try_from(number).unwrap_or(u16::MAX);
        Square { row: side(row), col: side(col) }
    }
}

impl From<Square> for Place {
    /// The square by row and column.
    fn from(Square { row, col }: Square) -> Self {
        Self::At(row.into(), col.into())
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(row, col) => write!(f, "{row} {col}"),
            Self::Nth(number) => write!(f, "{number}"),
        }
    }
}

/// The sides of a board as they were typed: `3`, or `6x7` for rows and columns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Size {
    /// The number of rows.
    pub rows: u64,
    /// The number of columns.
    pub cols: u64,
}

impl Size {
    /// The shape of this size where `k` in a row win, or the shorter side if `k` is left out.
    ///
    /// # Errors
    ///
    /// [`ShapeError`] where the sides or `k` are out of range.
    pub fn shape(self, k: Option<u64>) -> Result<Shape, ShapeError> {
        let Self { rows, cols } = self;
        Shape::new(rows, cols, k.unwrap_or(rows.min(cols)))
    }
}

impl From<Shape> for Size {
    fn from(shape: Shape) -> Self {
        Self { rows: shape.rows().into(), cols: shape.cols().into() }
    }
}

impl FromStr for Size {
    type Err = CommandError;

    fn from_str(word: &str) -> Result<Self, CommandError> {
        let (rows, cols) = word.split_once(['x', 'X']).unwrap_or((word, word));
        let side = |digits| {
            whole(digits).ok_or_else(|| CommandError::malformed(word, "a size such as 3 or 6x7"))
        };
        Ok(Self { rows: side(rows)?, cols: side(cols)? })
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.rows, self.cols)
    }
}

/// A board as it was typed: `XX./.O./O..`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagram {
    /// The length of each row: 1 to 1024 rows of at most 1024 squares.
    lengths: Vec<u16>,
    marks: Vec<(Square, Mark)>,
}

/// The error of a diagram whose rows differ in length: the first that is not as long as row 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RaggedError {
    row: usize,
    found: u16,
    expected: u16,
}

impl fmt::Display for RaggedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { row, found, expected } = self;
        write!(
            f,
            "row {row} has length {found}, but row 0 has {expected}: rows must be equally long"
        )
    }
}

impl std::error::Error for RaggedError {}

impl Diagram {
    /// The diagram of a board.
    #[must_use]
    pub fn of(board: &Board) -> Self {
        let shape = board.shape();
        Self { lengths: vec![shape.cols(); shape.rows().into()], marks: board.taken().collect() }
    }

    /// The size of the board.
    ///
    /// # Errors
    ///
    /// [`RaggedError`] where the rows have different lengths.
    pub fn size(&self) -> Result<Size, RaggedError> {
        let expected = self.lengths.first().copied().unwrap_or_default();
        let odd = self.lengths.iter().enumerate().find(|(_, found)| **found != expected);
        match odd {
            Some((row, &found)) => Err(RaggedError { row, found, expected }),
            None => Ok(Size { rows: self.lengths.len() as u64, cols: expected.into() }),
        }
    }

    /// The marks, row by row.
    #[must_use]
    pub fn marks(&self) -> &[(Square, Mark)] {
        &self.marks
    }
}

impl FromStr for Diagram {
    type Err = CommandError;

    fn from_str(word: &str) -> Result<Self, CommandError> {
        const EXPECTED: &str = "rows of X, O and . with / between them";
        let mut diagram = Self { lengths: Vec::new(), marks: Vec::new() };
        for text in word.split('/') {
            let row = diagram.lengths.len() as u64;
            let mut length: u64 = 0;
            let mut rest = text;
            while let Some(first) = rest.chars().next() {
                let digits =
                    rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
                let (part, after) = rest.split_at(digits.max(first.len_utf8()));
                rest = after;
                let mark = part.parse::<Mark>().ok();
                let squares = match part {
                    "." | "-" | "_" => Some(1),
                    _ if mark.is_some() => Some(1),
                    _ => whole(part),
                };
                let Some(squares) = squares else {
                    return Err(CommandError::malformed(word, EXPECTED));
                };
                if let (Some(mark), Ok(row), Ok(col)) =
                    (mark, u16::try_from(row), u16::try_from(length))
                {
                    diagram.marks.push((Square { row, col }, mark));
                }
                length = length.saturating_add(squares);
                if length > Shape::MAX_SIDE.into() {
                    break;
                }
            }
            if (row + 1).max(length) > Shape::MAX_SIDE.into() {
                return Err(CommandError::TooLarge);
            }
            diagram.lengths.extend(u16::try_from(length));
        }
        Ok(diagram)
    }
}

impl fmt::Display for Diagram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut marks = self.marks.iter().peekable();
        for (row, &length) in self.lengths.iter().enumerate() {
            if row > 0 {
                f.write_str("/")?;
            }
            if length == 0 {
                // A diagram of nothing at all would be no word.
                f.write_str("0")?;
            }
            for col in 0..length {
                let here = |(square, _): &&(Square, Mark)| {
                    usize::from(square.row) == row && square.col == col
                };
                f.write_str(marks.next_if(here).map_or(".", |(_, mark)| mark.name()))?;
            }
        }
        Ok(())
    }
}

/// The name of a game: one word of 1 to 64 bytes, without control characters.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Name(String);

impl Name {
    /// The longest name, in bytes.
    pub const MAX: usize = 64;

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for Name {
    /// `main`, the game that a session starts with.
    fn default() -> Self {
        Self("main".to_owned())
    }
}

impl FromStr for Name {
    type Err = CommandError;

    fn from_str(word: &str) -> Result<Self, CommandError> {
        let never = |c: char| c.is_control() || is_separator(c);
        let is_comment = word.starts_with('#');
        if word.is_empty() || word.len() > Self::MAX || word.contains(never) || is_comment {
            let expected = "a name of up to 64 bytes without control characters";
            return Err(CommandError::malformed(word, expected));
        }
        Ok(Self(word.to_owned()))
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A seat at the game: whoever moves for a mark.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Seat {
    /// A human, who types the moves.
    Human,
    /// A computer player, which moves as soon as it is its turn.
    Computer(Kind),
}

impl Seat {
    /// Every seat that can be typed.
    pub const ALL: &'static [Self] = &[
        Self::Human,
        Self::Computer(Kind::Random),
        Self::Computer(Kind::Rules),
        Self::Computer(Kind::Minimax),
        Self::Computer(Kind::Best),
    ];

    /// The name as it is typed.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Human => "human",
            Self::Computer(kind) => kind.name(),
        }
    }
}

impl FromStr for Seat {
    type Err = CommandError;

    /// Reads a name in any case.
    fn from_str(word: &str) -> Result<Self, CommandError> {
        let named = |seat: &&Self| seat.name().eq_ignore_ascii_case(word);
        let seat = Self::ALL.iter().find(named).copied();
        seat.ok_or_else(|| CommandError::malformed(word, "human, random, rules, minimax or best"))
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Reads a whole number of 64 bits, signed or not.
pub(super) fn number(word: &str) -> Result<i128, CommandError> {
    let negative = || word.strip_prefix('-').and_then(whole);
    let number = match whole(word) {
        Some(number) => Some(i128::from(number)),
        None => negative()
            .filter(|number| *number <= i64::MIN.unsigned_abs())
            .map(|number| -i128::from(number)),
    };
    number.ok_or_else(|| CommandError::malformed(word, "a whole number of at most 64 bits"))
}

/// Reads a count: a whole number of 64 bits from 0.
pub(super) fn count(word: &str) -> Result<u64, CommandError> {
    let expected = "a whole number from 0, of at most 64 bits";
    whole(word).ok_or_else(|| CommandError::malformed(word, expected))
}

/// Reads digits alone, to 64 bits: no sign, which `parse` would let pass.
pub(super) fn whole(digits: &str) -> Option<u64> {
    if digits.starts_with('+') { None } else { digits.parse().ok() }
}
