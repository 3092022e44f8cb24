//! The manager's side of the Gomocup (Piskvork) protocol, by which an engine is asked for moves.
//!
//! See the [protocol](https://plastovicka.github.io/protocl2en.htm): `x,y` is column and row.

use std::fmt::Write;
use std::time::Duration;

use crate::game::{Game, Mark, Shape, Square};

/// The last line that an engine gets.
pub(super) const FAREWELL: &str = "END\n";

/// The marks in a row that win by the protocol.
const FIVE: u16 = 5;

/// The answer to `START`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Started {
    Yes,
    /// The engine does not play on such a board, or does not know a setting.
    No,
    /// The line is none of the answers.
    PassedOver,
}

/// Checks that the protocol has games of `shape`.
pub(super) fn check(shape: Shape) -> Result<(), String> {
    match shape.k() {
        FIVE => Ok(()),
        k => Err(format!("the Gomocup protocol has 5 in a row alone: found k = {k}")),
    }
}

/// The settings and the start of a game on an empty board of `shape`.
pub(super) fn start(shape: Shape, time: Option<Duration>, game_time: Option<Duration>) -> String {
    let mut text = String::new();
    for (key, time) in [("timeout_turn", time), ("timeout_match", game_time)] {
        if let Some(time) = time {
            // A string takes what it is given.
            let _ = writeln!(text, "INFO {key} {}", time.as_millis());
        }
    }
    let _ = writeln!(text, "INFO max_memory 0\nINFO rule {}", u8::from(shape.is_exact()));
    let _ = match (shape.rows(), shape.cols()) {
        (rows, cols) if rows == cols => writeln!(text, "START {cols}"),
        (rows, cols) => writeln!(text, "RECTSTART {cols},{rows}"),
    };
    text
}

/// Reads a line after `START`.
pub(super) fn read_start(line: &str) -> Started {
    match first_word(line) {
        word if word.eq_ignore_ascii_case("OK") => Started::Yes,
        word if word.eq_ignore_ascii_case("ERROR") => Started::No,
        word if word.eq_ignore_ascii_case("UNKNOWN") => Started::No,
        _ => Started::PassedOver,
    }
}

/// True for lines that an engine may write at any time.
pub(super) fn is_passed_over(line: &str) -> bool {
    let word = first_word(line);
    word.is_empty() || ["MESSAGE", "DEBUG"].iter().any(|known| word.eq_ignore_ascii_case(known))
}

fn first_word(line: &str) -> &str {
    line.split_whitespace().next().unwrap_or_default()
}

/// Appends the question for a move of `mark`. `known` are the moves of the game that the engine has
/// on its board, from an empty one on, and `left` is the time that is left for the game.
pub(super) fn write_question(
    game: &Game,
    mark: Mark,
    known: usize,
    left: Option<Duration>,
    text: &mut String,
) {
    if let Some(left) = left {
        // A string takes what it is given.
        let _ = writeln!(text, "INFO time_left {}", left.as_millis());
    }
    let point = |Square { row, col }: Square| format!("{col},{row}");
    let moves = game.moves();
    let _ = match moves.get(known..) {
        _ if game.board().marks() == 0 => writeln!(text, "BEGIN"),
        Some([last]) if moves.len() == game.board().marks() => {
            writeln!(text, "TURN {}", point(*last))
        }
        _ => {
            text.push_str("BOARD\n");
            let board = game.board();
            // Those of a position stand before those that were played.
            let is_set_up = |square: &Square| !moves.contains(square);
            let set_up = board.taken().map(|(square, _)| square).filter(is_set_up);
            let set_up: Vec<Square> =
                if moves.len() < board.marks() { set_up.collect() } else { Vec::new() };
            for square in set_up.into_iter().chain(moves.iter().copied()) {
                let whose = if board.at(square) == Some(mark) { 1 } else { 2 };
                let _ = writeln!(text, "{},{whose}", point(square));
            }
            writeln!(text, "DONE")
        }
    };
}

/// Reads the answer to a question. Numbers that are off every board become a square that is too.
pub(super) fn read_answer(line: &str) -> Option<Square> {
    let (x, y) = line.trim().split_once(',')?;
    let side = |number: &str| {
        let number: i64 = number.trim().parse().ok()?;
        Some(u16::try_from(number).unwrap_or(u16::MAX))
    };
    Some(Square { row: side(y)?, col: side(x)? })
}
