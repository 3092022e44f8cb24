//! The board as a picture in text.

use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::ops::Range;

use anstyle::{AnsiColor, Style};

use crate::command::{Coords, Letters, RowOne};
use crate::game::{Board, Game, Mark, Outcome, Square};
use crate::search::{Score, Value};

/// A picture of a board, with coordinates along two edges, and signs on squares with a score.
#[derive(Clone, Debug)]
pub struct Picture<'a> {
    board: &'a Board,
    /// In board order; empty where the board alone is drawn.
    scores: &'a [(Square, Score)],
    /// The squares in brackets, in board order: `None` where nothing is styled either.
    set_off: Option<Vec<Square>>,
    rows: Range<u16>,
    cols: Range<u16>,
    coords: Coords,
}

impl<'a> Picture<'a> {
    /// The whole board of `game`, with a sign for each of `scores`, which stand in board order. In
    /// styles, the last move or the winning lines are set off.
    pub fn new(
        game: &'a Game,
        scores: &'a [(Square, Score)],
        is_styled: bool,
        coords: Coords,
    ) -> Self {
        let board = game.board();
        Self {
            board,
            scores,
            set_off: is_styled.then(|| {
                let mut set_off: Vec<Square> = match game.outcome() {
                    Some(Outcome::Won(_)) => {
                        board.lines().flat_map(|(_, run)| run.squares()).collect()
                    }
                    _ => game.moves().last().copied().into_iter().collect(),
                };
                set_off.sort_unstable();
                set_off
            }),
            rows: 0..board.shape().rows(),
            cols: 0..board.shape().cols(),
            coords,
        }
    }

    /// The board of `game` in styles, cut to so many rows and columns of text. The part around the
    /// last move stays, and the last row of text says that it is a part.
    pub fn within(game: &'a Game, (rows, cols): (usize, usize), coords: Coords) -> Self {
        let picture = Self::around(game, (rows, cols), coords);
        if picture.is_whole() {
            picture
        } else {
            Self::around(game, (rows.saturating_sub(1), cols), coords)
        }
    }

    fn is_whole(&self) -> bool {
        let shape = self.board.shape();
        (&self.rows, &self.cols) == (&(0..shape.rows()), &(0..shape.cols()))
    }

    /// The part of the board around the last move for which there is room.
    fn around(game: &'a Game, (rows, cols): (usize, usize), coords: Coords) -> Self {
        let picture = Self::new(game, &[], true, coords);
        let shape = game.board().shape();
        // In letters all four sides are labelled.
        let sides = if coords.has_letters { 2 } else { 1 };
        let cols = cols.saturating_sub(sides * picture.left() + 1) / picture.width();
        let middle = Square { row: shape.rows() / 2, col: shape.cols() / 2 };
        let at = game.moves().last().copied().unwrap_or(middle);
        Self {
            rows: around(at.row, shape.rows(), rows.saturating_sub(sides)),
            cols: around(at.col, shape.cols(), cols),
            ..picture
        }
    }

    fn row_label(&self, row: u16) -> u16 {
        match self.coords {
            Coords { has_letters: false, .. } => row,
            Coords { row_one: RowOne::Top, .. } => row + 1,
            Coords { row_one: RowOne::Bottom, .. } => self.board.shape().rows() - row,
        }
    }

    fn col_label(&self, col: u16) -> String {
        let mut label = String::new();
        // A string takes what it is given.
        let _ = if self.coords.has_letters {
            Letters::write_column(col, &mut label)
        } else {
            write!(label, "{col}")
        };
        label
    }

    /// The line of the labels of columns.
    fn write_cols(&self, f: &mut fmt::Formatter<'_>, left: usize, width: usize) -> fmt::Result {
        write!(f, "{:left$}", "")?;
        for col in self.cols.clone() {
            self.write(f, FAINT, format_args!("{:>width$}", self.col_label(col)))?;
        }
        Ok(())
    }

    /// The number of columns of text before the board.
    fn left(&self) -> usize {
        2 + self.row_label(self.board.shape().rows() - 1).max(self.row_label(0)).to_string().len()
    }

    /// The number of columns of text that a square takes, with the gap before it.
    fn width(&self) -> usize {
        let longest = self.scores.iter().map(|(_, score)| sign(*score).len()).max();
        1 + self.col_label(self.board.shape().cols() - 1).len().max(longest.unwrap_or(1))
    }

    /// `text` in `style`, where the picture is styled.
    fn write(
        &self,
        f: &mut fmt::Formatter<'_>,
        style: Style,
        text: impl fmt::Display,
    ) -> fmt::Result {
        match self.set_off {
            Some(_) => write!(f, "{style}{text}{style:#}"),
            None => write!(f, "{text}"),
        }
    }

    /// Writes the squares of a row. True where the last one is in brackets.
    fn write_row(
        &self,
        f: &mut fmt::Formatter<'_>,
        row: u16,
        width: usize,
    ) -> Result<bool, fmt::Error> {
        let set_off = self.set_off.as_deref().unwrap_or_default();
        let mut was_set_off = false;
        for col in self.cols.clone() {
            let square = Square { row, col };
            let is_set_off = set_off.binary_search(&square).is_ok();
            let mark = self.board.at(square);
            let score = self.scores.binary_search_by_key(&square, |(at, _)| *at);
            let score = score.ok().and_then(|nth| self.scores.get(nth));
            let (text, style) = match (mark, score) {
                (Some(Mark::X), _) => (Cow::Borrowed("X"), OF_X),
                (Some(Mark::O), _) => (Cow::Borrowed("O"), Style::new()),
                (None, Some((_, score))) => (Cow::Owned(sign(*score)), style_of(score.value)),
                (None, None) => (Cow::Borrowed("."), FAINT),
            };
            let blanks = width.saturating_sub(text.len());
            match (was_set_off, is_set_off, blanks) {
                (true, true, 2..) => write!(f, "]{:>1$}", "[", blanks - 1)?,
                (true, false, _) => write!(f, "{:blanks$}", "]")?,
                (false, true, _) => write!(f, "{:>blanks$}", "[")?,
                _ => write!(f, "{:blanks$}", "")?,
            }
            self.write(f, if is_set_off { style.bold() } else { style }, text)?;
            was_set_off = is_set_off;
        }
        f.write_str(if was_set_off { "]" } else { "" })?;
        Ok(was_set_off)
    }
}

/// The style of X, readable on light and on dark.
const OF_X: Style = AnsiColor::Magenta.on_default();
const FAINT: Style = Style::new().dimmed();

impl fmt::Display for Picture<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (left, width) = (self.left(), self.width());
        self.write_cols(f, left, width)?;
        for row in self.rows.clone() {
            let label = self.row_label(row);
            f.write_str("\n")?;
            self.write(f, FAINT, format_args!("{label:left$}"))?;
            let ends_in_bracket = self.write_row(f, row, width)?;
            if self.coords.has_letters {
                let gap = if ends_in_bracket { "" } else { " " };
                self.write(f, FAINT, format_args!("{gap}{label}"))?;
            }
        }
        if self.coords.has_letters {
            f.write_str("\n")?;
            self.write_cols(f, left, width)?;
        }
        if self.is_whole() {
            return Ok(());
        }
        f.write_str("\n\"board\" draws all")
    }
}

/// The rows or columns of a side that there is room for, with `at` as near the middle as can be.
fn around(at: u16, side: u16, room: usize) -> Range<u16> {
    let room = u16::try_from(room).unwrap_or(u16::MAX).clamp(1, side);
    let start = at.saturating_sub(room / 2).min(side - room);
    start..start + room
}

/// The sign of a score on the board: `+5`, `=`, `-4`, `?`.
fn sign(Score { value, plies }: Score) -> String {
    let sign = match value {
        Value::Win => "+",
        Value::Draw => return "=".to_owned(),
        Value::Loss => "-",
        Value::Unknown => "?",
    };
    plies.map_or(sign.to_owned(), |plies| format!("{sign}{plies}"))
}

/// The style of a sign: known values stand out from unknown ones, and wins from the rest.
const fn style_of(value: Value) -> Style {
    match value {
        Value::Win => Style::new().bold(),
        Value::Draw | Value::Loss => Style::new(),
        Value::Unknown => FAINT,
    }
}
