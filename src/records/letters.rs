//! `letters`: a game a line, its squares in letters, such as `1. h8 i9 2. g7`.

use super::moves::{self, Step};
use super::{Defaults, ReadError, Record};
use crate::command::{Letters, Line, RowOne, Words, quoted};
use crate::game::Shape;

/// Reads a line: `new`, or squares with or without `replay` and the numbers of moves.
pub(super) fn step(
    line: Line<'_>,
    shape: Shape,
    defaults: &Defaults,
) -> Result<Option<Step>, ReadError> {
    let text = line.to_string();
    let mut words = Words::new(&text);
    let first = words.clone().next().unwrap_or_default();
    if first.eq_ignore_ascii_case("new") {
        return moves::step(line, shape, defaults);
    }
    if first.eq_ignore_ascii_case("replay") {
        words.next();
    }
    let mut squares = Vec::new();
    for word in words {
        let mut rest = without_number(word);
        while !rest.is_empty() {
            let expected = "squares such as h8, with or without numbers of moves such as 1.";
            let read = Letters::split(rest);
            let (letters, after) = read.ok_or_else(|| ReadError::malformed(word, expected))?;
            let off_board = || ReadError::OffBoard { square: quoted(word), shape };
            squares.push(letters.on(shape, defaults.row_one).ok_or_else(off_board)?);
            rest = after;
        }
    }
    Ok(Some(Step::Game(squares)).filter(|_| !first.is_empty()))
}

/// Returns what follows the number of a move: `1.`, `1...` or `1)`.
fn without_number(word: &str) -> &str {
    let signs = word.trim_start_matches(|char: char| char.is_ascii_digit());
    let rest = signs.trim_start_matches(['.', ')']);
    if rest.len() < signs.len() && signs.len() < word.len() { rest } else { word }
}

/// Writes the moves in letters.
pub(super) fn squares(record: &Record, row_one: RowOne, out: &mut Vec<u8>) {
    let mut text = String::new();
    for (nth, square) in record.game().moves().iter().enumerate() {
        if nth > 0 {
            text.push(' ');
        }
        push_square(Letters::of(*square, record.shape(), row_one), &mut text);
    }
    out.extend_from_slice(text.as_bytes());
}

/// Writes one square in letters.
pub(super) fn push_square(square: Letters, text: &mut String) {
    text.push_str(&square.to_string());
}
