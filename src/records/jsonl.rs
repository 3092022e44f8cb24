//! `jsonl`: JSON lines, a game an object. Its members are the columns of `csv`.

use std::io::{self, BufRead};

use serde_json::{Map, Value};

use super::input::Lines;
use super::{Defaults, Found, Place, ReadError, Record, parse_result, push_number, result_name};
use crate::command::{MAX_LINE, Size};
use crate::game::Square;

/// The games of a file.
pub(super) struct Objects<R> {
    lines: Lines<R>,
    defaults: Defaults,
}

impl<R: BufRead> Objects<R> {
    pub(super) const fn new(input: R, defaults: Defaults) -> Self {
        Self { lines: Lines::new(input), defaults }
    }
}

impl<R: BufRead> Iterator for Objects<R> {
    type Item = io::Result<Found>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (line, number) = match self.lines.next().transpose()? {
                Ok(line) => line,
                Err(error) => return Some(Err(error)),
            };
            if line.trim_ascii().is_empty() {
                continue;
            }
            let mut notes = Vec::new();
            let record = record(line, &self.defaults, &mut notes);
            return Some(Ok(Found { place: Place::Line(number), record, notes }));
        }
    }
}

/// Reads the game of a line.
fn record(
    line: &[u8],
    defaults: &Defaults,
    notes: &mut Vec<super::Note>,
) -> Result<Record, ReadError> {
    if line.len() > MAX_LINE {
        return Err(ReadError::TooLong);
    }
    let mut object = match serde_json::from_slice(line)? {
        Value::Object(object) => object,
        other => return Err(ReadError::malformed(&other.to_string(), "an object a line")),
    };
    let (rows, cols) = (number(&mut object, "rows")?, number(&mut object, "cols")?);
    let size = match (rows, cols) {
        (Some(rows), Some(cols)) => Some(Size { rows, cols }),
        (Some(_), None) => return Err(ReadError::Missing("cols")),
        (None, Some(_)) => return Err(ReadError::Missing("rows")),
        (None, None) => None,
    };
    let shape = defaults.shape(size, number(&mut object, "k")?)?;
    let shape = match object.remove("exact") {
        None | Some(Value::Null) => shape,
        Some(Value::Bool(exact)) => shape.with_exact(exact),
        Some(other) => return Err(ReadError::malformed(&other.to_string(), "true or false")),
    };
    let moves = match object.remove("moves") {
        Some(Value::Array(moves)) => moves,
        Some(other) => return Err(ReadError::malformed(&other.to_string(), MOVES)),
        None => return Err(ReadError::Missing("moves")),
    };
    let length = number(&mut object, "length")?;
    if let Some(stated) = length.filter(|stated| *stated != moves.len() as u64) {
        return Err(ReadError::Length { stated, found: moves.len() });
    }
    let squares: Vec<Square> = moves.iter().map(square).collect::<Result<_, _>>()?;
    let mut record = Record::replay(shape, squares, notes)?;
    record.state(parse_result(&text(&mut object, "result")?)?, notes);
    record.name = text(&mut object, "game")?;
    record.x = text(&mut object, "x")?;
    record.o = text(&mut object, "o")?;
    record.reason = text(&mut object, "reason")?;
    record.others = object.into_iter().collect();
    Ok(record)
}

const MOVES: &str = "moves as [[row,col],...]";

fn square(value: &Value) -> Result<Square, ReadError> {
    let side = |value: &Value| value.as_u64().and_then(|side| side.try_into().ok());
    match value.as_array().map(Vec::as_slice) {
        Some([row, col]) => side(row).zip(side(col)).map(|(row, col)| Square { row, col }),
        _ => None,
    }
    .ok_or_else(|| ReadError::malformed(&value.to_string(), MOVES))
}

/// Takes a number out of an object: `None` where it has none.
fn number(object: &mut Map<String, Value>, name: &str) -> Result<Option<u64>, ReadError> {
    match object.remove(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_u64() {
            Some(number) => Ok(Some(number)),
            None => Err(ReadError::malformed(&value.to_string(), "a whole number")),
        },
    }
}

/// Takes a text out of an object; one that is not there is empty.
fn text(object: &mut Map<String, Value>, name: &str) -> Result<String, ReadError> {
    match object.remove(name) {
        None | Some(Value::Null) => Ok(String::new()),
        Some(Value::String(text)) => Ok(text),
        Some(Value::Number(number)) => Ok(number.to_string()),
        Some(other) => Err(ReadError::malformed(&other.to_string(), "a text")),
    }
}

/// Writes a game as an object. One without a name gets its number.
pub(super) fn write(record: &Record, number: u64, out: &mut Vec<u8>) -> io::Result<()> {
    let shape = record.shape();
    out.extend_from_slice(b"{\"game\":");
    if record.name.is_empty() {
        out.push(b'"');
        push_number(number, out);
        out.push(b'"');
    } else {
        push_string(&record.name, out)?;
    }
    for (name, side) in [("rows", shape.rows()), ("cols", shape.cols()), ("k", shape.k())] {
        push_name(name, out);
        push_number(side, out);
    }
    push_name("exact", out);
    out.extend_from_slice(if shape.is_exact() { b"true" } else { b"false" });
    for (name, text) in [("x", &record.x), ("o", &record.o)] {
        push_name(name, out);
        push_string(text, out)?;
    }
    push_name("result", out);
    match record.result() {
        Some(outcome) => push_string(result_name(outcome), out)?,
        None => out.extend_from_slice(b"null"),
    }
    push_name("reason", out);
    push_string(&record.reason, out)?;
    push_name("length", out);
    let moves = record.game().moves();
    push_number(moves.len(), out);
    push_name("moves", out);
    out.push(b'[');
    for (nth, square) in moves.iter().enumerate() {
        out.extend_from_slice(if nth > 0 { b",[" } else { b"[" });
        push_number(square.row, out);
        out.push(b',');
        push_number(square.col, out);
        out.push(b']');
    }
    out.push(b']');
    for (name, value) in &record.others {
        out.push(b',');
        push_string(name, out)?;
        out.push(b':');
        serde_json::to_writer(&mut *out, value)?;
    }
    out.extend_from_slice(b"}\n");
    Ok(())
}

/// Writes the name of a further member, which needs no escapes.
fn push_name(name: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b",\"");
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"\":");
}

fn push_string(text: &str, out: &mut Vec<u8>) -> io::Result<()> {
    Ok(serde_json::to_writer(out, text)?)
}
