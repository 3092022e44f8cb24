//! The line protocol: a line that tells everything, and a line that holds a square.
//!
//! ```text
//! turn X 3x3 3 X.O/.X./O.. 0 0 0 2 1 1 2 0
//! 2 2
//! ```

use std::fmt::Write;

use crate::command::{Action, Diagram, Line, Place, Size};
use crate::game::{Game, Mark};

/// Appends the question for a move of `mark`: the mark, the size, k, the board and the moves so far.
/// Where a longer run does not win, the last word is `exact`.
pub(super) fn write_question(game: &Game, mark: Mark, text: &mut String) {
    let board = game.board();
    let (size, k) = (Size::from(board.shape()), board.shape().k());
    // A string takes what it is given.
    let _ = write!(text, "turn {mark} {size} {k} {}", Diagram::of(board));
    for square in game.moves() {
        let _ = write!(text, " {square}");
    }
    text.push_str(if board.shape().is_exact() { " exact\n" } else { "\n" });
}

/// Reads the answer, a place in any way that a person may type it, and the mark if it names one.
pub(super) fn read_answer(line: Line<'_>) -> Option<(Option<Mark>, Place)> {
    match line.parse().ok()?.action {
        Action::Play(mark, place) => Some((mark, place)),
        _ => None,
    }
}
