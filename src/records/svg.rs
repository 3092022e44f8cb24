//! `svg`: a picture of the final board. Stones are numbered, X has the black ones, and a band lies
//! below the winning line. It has a ground of its own, so that it can be read on any.

use std::io::{self, Write};

use super::Record;
use crate::command::{Letters, RowOne};
use crate::game::{Mark, Outcome, Run, Square, Verdict};

/// The side of a square, in the units of the picture.
const SIDE: usize = 40;

/// The room around the board, where its columns and rows are named.
const MARGIN: usize = 40;

/// The room below the board, for a line of text.
const FOOT: usize = 40;

/// Writes the picture of a game.
pub(super) fn write(record: &Record, row_one: RowOne, out: &mut Vec<u8>) -> io::Result<()> {
    let shape = record.shape();
    let (cols, rows) = (usize::from(shape.cols()), usize::from(shape.rows()));
    let caption = caption(record);
    // A narrow board leaves the line of text its room.
    let width = (cols * SIDE + 2 * MARGIN).max(caption.chars().count() * 9 + 2 * MARGIN);
    let height = rows * SIDE + 2 * MARGIN + FOOT;
    let left = (width - cols * SIDE) / 2;
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{width}\" \
         height=\"{height}\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" \
         font-size=\"16\" text-anchor=\"middle\">"
    )?;
    writeln!(out, "<title>{caption}</title>")?;
    write_description(record, row_one, out)?;
    writeln!(out, "<rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>")?;

    write!(out, "<path stroke=\"#000\" d=\"")?;
    for col in 0..=cols {
        write!(out, "M{} {MARGIN}v{}", left + col * SIDE, rows * SIDE)?;
    }
    for row in 0..=rows {
        write!(out, "M{left} {}h{}", MARGIN + row * SIDE, cols * SIDE)?;
    }
    writeln!(out, "\"/>")?;
    let middle = |square: Square| {
        let along = |side: u16| usize::from(side) * SIDE + SIDE / 2;
        (left + along(square.col), MARGIN + along(square.row))
    };
    for col in 0..shape.cols() {
        let (x, mut name) = (middle(Square { row: 0, col }).0, String::new());
        let _ = Letters::write_column(col, &mut name);
        writeln!(out, "<text x=\"{x}\" y=\"{}\">{name}</text>", MARGIN + rows * SIDE + 24)?;
    }
    for row in 0..shape.rows() {
        let name = Letters::of(Square { row, col: 0 }, shape, row_one).to_string();
        let (x, y) = (left - 20, middle(Square { row, col: 0 }).1 + 6);
        writeln!(out, "<text x=\"{x}\" y=\"{y}\">{}</text>", name.trim_start_matches('a'))?;
    }

    for run in lines(record) {
        let mut ends = run.squares().map(middle);
        if let Some((x, y)) = ends.next() {
            let (to_x, to_y) = ends.last().unwrap_or((x, y));
            writeln!(
                out,
                "<path stroke=\"#aaa\" stroke-width=\"{}\" stroke-linecap=\"round\" \
                 d=\"M{x} {y}L{to_x} {to_y}\"/>",
                SIDE - 2
            )?;
        }
    }
    for (nth, &square) in record.game().moves().iter().enumerate() {
        let (x, y) = middle(square);
        let (fill, ink) = match Mark::after(nth) {
            Mark::X => ("#000", "#fff"),
            Mark::O => ("#fff", "#000"),
        };
        let size = match nth + 1 {
            0..100 => 16,
            100..1000 => 13,
            1000..10_000 => 11,
            _ => 7,
        };
        writeln!(
            out,
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"15.5\" fill=\"{fill}\" stroke=\"#000\" \
             stroke-width=\"1.5\"/>\
             <text x=\"{x}\" y=\"{}\" font-size=\"{size}\" fill=\"{ink}\">{}</text>",
            y + size * 3 / 8,
            nth + 1
        )?;
    }
    writeln!(out, "<text x=\"{}\" y=\"{}\">{caption}</text>", width / 2, height - 20)?;
    writeln!(out, "</svg>")
}

/// Returns the lines that the last move completed.
fn lines(record: &Record) -> Vec<Run> {
    let mut game = record.game().clone();
    // The last move again tells its lines.
    let _ = game.undo(1);
    match game.redo(1) {
        Ok((_, Verdict::Win(lines))) => lines.iter().collect(),
        _ => Vec::new(),
    }
}

/// Says who plays and who has won: `Ann (X, black) against Bob (O, white): X has won`.
fn caption(record: &Record) -> String {
    let name = |name: &str, mark: Mark, color: &str| match name {
        "" => format!("{mark} ({color})"),
        name => format!("{} ({mark}, {color})", escaped(name)),
    };
    let result = match record.result() {
        None => "not over".to_owned(),
        Some(Outcome::Drawn) => "a draw".to_owned(),
        Some(outcome) => outcome.to_string(),
    };
    let reason = match record.reason.as_str() {
        "" => String::new(),
        reason => format!(", {}", escaped(reason)),
    };
    let (x, o) = (name(&record.x, Mark::X, "black"), name(&record.o, Mark::O, "white"));
    format!("{x} against {o}: {result}{reason}")
}

/// Writes what the picture shows, for those who hear it.
fn write_description(record: &Record, row_one: RowOne, out: &mut Vec<u8>) -> io::Result<()> {
    let shape = record.shape();
    let exactly = if shape.is_exact() { "exactly " } else { "" };
    let (rows, cols, k) = (shape.rows(), shape.cols(), shape.k());
    write!(out, "<desc>{rows} rows and {cols} columns, {exactly}{k} in a row.")?;
    let letters = |square| Letters::of(square, shape, row_one);
    for (nth, &square) in record.game().moves().iter().enumerate() {
        write!(out, " {} {} {}.", nth + 1, Mark::after(nth), letters(square))?;
    }
    for run in lines(record) {
        write!(out, " Winning line:")?;
        for square in run.squares() {
            write!(out, " {}", letters(square))?;
        }
        write!(out, ".")?;
    }
    writeln!(out, "</desc>")
}

/// Returns a text as XML has it. Characters that it cannot have are left out.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for char in text.chars() {
        match char {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\u{fffe}' | '\u{ffff}' => {}
            char if char.is_control() => escaped.push(' '),
            char => escaped.push(char),
        }
    }
    escaped
}
