//! The words that a command is made of, as they are typed.

use std::fmt;
use std::iter;
use std::str::FromStr;

use thiserror::Error;

use super::line::is_separator;
use super::{CommandError, Letters, RowOne};
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
    Letters(Letters),
}

impl Place {
    /// The square on a board of `shape`, or one that is off every board. Letters count rows from
    /// `row_one`.
    pub fn on(self, shape: Shape, row_one: RowOne) -> Square {
        let (row, col) = match self {
            Self::At(row, col) => (row, col),
            Self::Nth(number) => {
                let cols = i128::from(shape.cols());
                let index = number - 1;
                (index.div_euclid(cols), index.rem_euclid(cols))
            }
            Self::Letters(letters) => {
                let off_board = Square { row: u16::MAX, col: u16::MAX };
                return letters.on(shape, row_one).unwrap_or(off_board);
            }
        };
        let side = |number| u16::try_from(number).unwrap_or(u16::MAX);
        Square { row: side(row), col: side(col) }
    }
}

impl From<Square> for Place {
    fn from(Square { row, col }: Square) -> Self {
        Self::At(row.into(), col.into())
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(row, col) => write!(f, "{row} {col}"),
            Self::Nth(number) => write!(f, "{number}"),
            Self::Letters(letters) => letters.fmt(f),
        }
    }
}

/// The sides of a board as they were typed: `3`, or `6x7` for rows and columns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Size {
    pub rows: u64,
    pub cols: u64,
}

impl Size {
    /// The shape of this size where `k` in a row win, or the shorter side if `k` is left out.
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

/// A board as it was typed: `XX./.O./O..`. It has 1 to 1024 rows of at most 1024 squares.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagram(Vec<Vec<Option<Mark>>>);

impl Diagram {
    pub fn of(board: &Board) -> Self {
        let (rows, cols) = (board.shape().rows(), board.shape().cols());
        let row = |row| (0..cols).map(|col| board.at(Square { row, col })).collect();
        Self((0..rows).map(row).collect())
    }

    pub fn size(&self) -> Result<Size, RaggedError> {
        let mut lengths = self.0.iter().map(Vec::len);
        let expected = lengths.next().unwrap_or_default();
        match (1..).zip(lengths).find(|(_, found)| *found != expected) {
            Some((row, found)) => Err(RaggedError { row, found, expected }),
            None => Ok(Size { rows: self.0.len() as u64, cols: expected as u64 }),
        }
    }

    pub fn marks(&self) -> impl Iterator<Item = (Square, Mark)> + '_ {
        (0..).zip(&self.0).flat_map(|(row, marks)| {
            (0..).zip(marks).filter_map(move |(col, mark)| Some((Square { row, col }, (*mark)?)))
        })
    }
}

/// The error of a diagram whose rows differ in length: the first that is not as long as row 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("row {row} has length {found}, but row 0 has {expected}: rows must be equally long")]
pub struct RaggedError {
    row: usize,
    found: usize,
    expected: usize,
}

impl FromStr for Diagram {
    type Err = CommandError;

    fn from_str(word: &str) -> Result<Self, CommandError> {
        const EXPECTED: &str = "rows of X, O and . with / between them";
        const MOST: usize = Shape::MAX_SIDE as usize;
        let mut rows = Vec::new();
        for mut rest in word.split('/') {
            let mut row = Vec::new();
            while let Some(first) = rest.chars().next() {
                let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
                let (part, after) = rest.split_at(first.len_utf8().max(rest.len() - after.len()));
                rest = after;
                let (mark, count) = match (part, part.parse()) {
                    (_, Ok(mark)) => (Some(mark), 1),
                    ("." | "-" | "_", _) => (None, 1),
                    _ => match whole(part) {
                        Some(count) => (None, usize::try_from(count).unwrap_or(usize::MAX)),
                        None => return Err(CommandError::malformed(word, EXPECTED)),
                    },
                };
                if count > MOST - row.len() {
                    return Err(CommandError::TooLarge);
                }
                row.extend(iter::repeat_n(mark, count));
            }
            rows.push(row);
            if rows.len() > MOST {
                return Err(CommandError::TooLarge);
            }
        }
        Ok(Self(rows))
    }
}

impl fmt::Display for Diagram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (nth, row) in self.0.iter().enumerate() {
            f.write_str(if nth > 0 { "/" } else { "" })?;
            // A diagram of nothing at all would be no word.
            f.write_str(if row.is_empty() { "0" } else { "" })?;
            row.iter().try_for_each(|mark| f.write_str(mark.map_or(".", Mark::name)))?;
        }
        Ok(())
    }
}

/// True for the characters of Unicode's category Cf and for line separators: they are not seen, or
/// turn what follows around.
#[must_use]
pub const fn is_format(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{890}'..='\u{891}'
        | '\u{8e2}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{110bd}'
        | '\u{110cd}' | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0001}' | '\u{e0020}'..='\u{e007f}')
}

/// The name of a game: one word of 1 to 64 bytes, without control and format characters.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Name(String);

impl Name {
    pub const MAX: usize = 64;

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
        let never = |c: char| c.is_control() || is_separator(c) || is_format(c);
        let is_comment = word.starts_with('#');
        if word.is_empty() || word.len() > Self::MAX || word.contains(never) || is_comment {
            let expected = "a name of up to 64 bytes without control or format characters";
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
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Seat {
    Human,
    Computer(Kind),
    /// A program of this name, which a flag has brought. It cannot be typed.
    Program(String),
}

impl Seat {
    /// Every seat that can be typed.
    pub fn all() -> impl Iterator<Item = Self> {
        [Self::Human].into_iter().chain(Kind::ALL.iter().map(|kind| Self::Computer(*kind)))
    }

    /// The seat of `mark`, of those of X and O.
    pub const fn of(mark: Mark, [x, o]: &[Self; 2]) -> &Self {
        if let Mark::X = mark { x } else { o }
    }

    /// True where nobody types the moves.
    pub const fn is_automatic(&self) -> bool {
        !matches!(self, Self::Human)
    }

    /// True where a move may take long.
    pub const fn takes_long(&self) -> bool {
        match self {
            Self::Human => false,
            Self::Computer(kind) => kind.searches(),
            Self::Program(_) => true,
        }
    }

    pub const fn name(&self) -> &str {
        match self {
            Self::Human => "human",
            Self::Computer(kind) => kind.name(),
            Self::Program(name) => name.as_str(),
        }
    }
}

impl FromStr for Seat {
    type Err = CommandError;

    /// Reads a name in any case.
    fn from_str(word: &str) -> Result<Self, CommandError> {
        let seat = Self::all().find(|seat| seat.name().eq_ignore_ascii_case(word));
        seat.ok_or_else(|| {
            CommandError::malformed(word, "human, random, rules, minimax, level1 to level8 or best")
        })
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Reads a whole number of 64 bits, signed or not.
pub(super) fn number(word: &str) -> Result<i128, CommandError> {
    let number = match word.strip_prefix('-') {
        None => whole(word).map(i128::from),
        Some(digits) => whole(digits).map(|n| -i128::from(n)).filter(|n| *n >= i64::MIN.into()),
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
