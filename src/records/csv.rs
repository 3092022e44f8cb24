//! `csv`: comma-separated values, a game a row. The first row names the columns.

use std::io::{self, BufRead};

use csv_core::{ReadRecordResult, Reader};
use serde_json::Value;

use super::letters;
use super::moves;
use super::{Defaults, Found, Place, ReadError, Record, parse_result, push_number, result_name};
use crate::command::{Line, MAX_LINE, Size};
use crate::game::{Shape, Square};

/// The columns, in the order in which they are written.
const COLUMNS: [&str; 11] =
    ["game", "rows", "cols", "k", "exact", "x", "o", "result", "reason", "length", "moves"];

/// The games of a file.
pub(super) struct Rows<R> {
    input: R,
    defaults: Defaults,
    reader: Reader,
    /// The fields of the last row, one after the other.
    fields: Vec<u8>,
    /// Where each field ends.
    ends: Vec<usize>,
    /// The columns by their names in lower case: `None` before the first row.
    columns: Option<Vec<String>>,
}

/// A row: the line on which it begins and its number of fields, or `None` for one that is too long.
type Row = (u64, Option<usize>);

impl<R: BufRead> Rows<R> {
    pub(super) fn new(input: R, defaults: Defaults) -> Self {
        let (fields, ends) = (vec![0; 1024], vec![0; 16]);
        Self { input, defaults, reader: Reader::new(), fields, ends, columns: None }
    }

    /// Reads a row into `fields` and `ends`. One that is too long is skipped.
    fn read_row(&mut self) -> io::Result<Option<Row>> {
        let mut line = self.reader.line();
        // Blank lines are no rows.
        loop {
            let input = self.input.fill_buf()?;
            let blank = input.iter().take_while(|byte| matches!(byte, b'\n' | b'\r')).count();
            line += input.iter().take(blank).filter(|byte| **byte == b'\n').count() as u64;
            self.input.consume(blank);
            if blank == 0 {
                break;
            }
        }
        self.reader.set_line(line);
        let (mut bytes, mut count, mut is_too_long) = (0, 0, false);
        loop {
            let input = self.input.fill_buf()?;
            let fields = self.fields.get_mut(bytes..).unwrap_or_default();
            let ends = self.ends.get_mut(count..).unwrap_or_default();
            let (result, read, written, ended) = self.reader.read_record(input, fields, ends);
            self.input.consume(read);
            (bytes, count) = (bytes + written, count + ended);
            match result {
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull if self.fields.len() < MAX_LINE => {
                    self.fields.resize(MAX_LINE.min(self.fields.len() * 2), 0);
                }
                ReadRecordResult::OutputEndsFull if self.ends.len() <= MAX_LINE / 16 => {
                    self.ends.resize(self.ends.len() * 2, 0);
                }
                ReadRecordResult::OutputFull | ReadRecordResult::OutputEndsFull => {
                    (bytes, count, is_too_long) = (0, 0, true);
                }
                ReadRecordResult::Record => {
                    return Ok(Some((line, (!is_too_long).then_some(count))));
                }
                ReadRecordResult::End => return Ok(None),
            }
        }
    }

    /// Returns the fields of the last row.
    fn fields(&self, count: usize) -> Result<Vec<&str>, ReadError> {
        let mut start = 0;
        let field = |&end: &usize| {
            let field = self.fields.get(start..end).unwrap_or_default();
            start = end;
            str::from_utf8(field).map_err(|_| ReadError::NotUtf8)
        };
        self.ends.iter().take(count).map(field).collect()
    }

    /// Reads the game of a row.
    fn record(&self, count: Option<usize>, found: &mut Found) -> Result<Record, ReadError> {
        let fields = self.fields(count.ok_or(ReadError::TooLong)?)?;
        let columns = self.columns.as_deref().unwrap_or_default();
        if fields.len() != columns.len() {
            let (found, expected) = (fields.len(), columns.len());
            return Err(ReadError::Fields { found, expected });
        }
        let field = |name: &str| {
            let at = columns.iter().position(|column| column == name);
            at.and_then(|at| fields.get(at)).copied().unwrap_or_default()
        };
        let number = |name: &str| match field(name).trim() {
            "" => Ok(None),
            digits => match digits.parse() {
                Ok(number) => Ok(Some(number)),
                Err(_) => Err(ReadError::malformed(digits, "a whole number")),
            },
        };
        let size = match (number("rows")?, number("cols")?) {
            (Some(rows), Some(cols)) => Some(Size { rows, cols }),
            (Some(_), None) => return Err(ReadError::Missing("cols")),
            (None, Some(_)) => return Err(ReadError::Missing("rows")),
            (None, None) => None,
        };
        let shape = self.defaults.shape(size, number("k")?)?;
        let shape = match field("exact").trim().to_ascii_lowercase().as_str() {
            "" => shape,
            "true" | "1" => shape.with_exact(true),
            "false" | "0" => shape.with_exact(false),
            word => return Err(ReadError::malformed(word, "true or false")),
        };
        let squares = squares(field("moves"), shape, &self.defaults)?;
        let length = number("length")?;
        if let Some(stated) = length.filter(|stated| *stated != squares.len() as u64) {
            return Err(ReadError::Length { stated, found: squares.len() });
        }
        let mut record = Record::replay(shape, squares, &mut found.notes)?;
        record.state(parse_result(field("result"))?, &mut found.notes);
        field("game").clone_into(&mut record.name);
        field("x").clone_into(&mut record.x);
        field("o").clone_into(&mut record.o);
        field("reason").clone_into(&mut record.reason);
        let others = columns.iter().zip(&fields);
        let others = others.filter(|(column, _)| !COLUMNS.contains(&column.as_str()));
        record.others = others.map(|(name, text)| (name.clone(), Value::from(*text))).collect();
        Ok(record)
    }

    /// Reads the names of the columns from the first row.
    fn read_header(&mut self) -> io::Result<Option<Found>> {
        let Some((line, count)) = self.read_row()? else { return Ok(None) };
        let names = count.ok_or(ReadError::TooLong).and_then(|count| self.fields(count));
        let own = |name: &str| {
            let name = name.trim_start_matches('\u{feff}').trim();
            let lower = name.to_ascii_lowercase();
            if COLUMNS.contains(&lower.as_str()) { lower } else { name.to_owned() }
        };
        let names = names.map(|names| names.into_iter().map(own).collect::<Vec<String>>());
        let error = match names {
            Ok(names) if names.iter().any(|name| name == "moves") => {
                self.columns = Some(names);
                return Ok(None);
            }
            Ok(names) => {
                ReadError::malformed(&names.join(","), "names of columns, moves among them")
            }
            Err(error) => error,
        };
        // Rows without the names of their fields say nothing.
        while self.read_row()?.is_some() {}
        Ok(Some(Found { place: Place::Line(line), record: Err(error), notes: Vec::new() }))
    }

    fn read(&mut self) -> io::Result<Option<Found>> {
        if self.columns.is_none()
            && let Some(fault) = self.read_header()?
        {
            return Ok(Some(fault));
        }
        let Some((line, count)) = self.read_row()? else { return Ok(None) };
        let record = Err(ReadError::TooLong);
        let mut found = Found { place: Place::Line(line), record, notes: Vec::new() };
        found.record = self.record(count, &mut found);
        Ok(Some(found))
    }
}

impl<R: BufRead> Iterator for Rows<R> {
    type Item = io::Result<Found>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

/// Reads moves: rows and columns with blanks between, or squares in letters.
fn squares(text: &str, shape: Shape, defaults: &Defaults) -> Result<Vec<Square>, ReadError> {
    let text = text.trim();
    if text.starts_with(|first: char| first.is_ascii_alphabetic())
        && let Some(line) = Line::new(text.as_bytes(), false)
        && let Some(moves::Step::Game(squares)) = letters::step(line, shape, defaults)?
    {
        return Ok(squares);
    }
    let mut squares = Vec::with_capacity(text.len() / 4);
    let mut numbers = text.split_ascii_whitespace();
    while let Some(row) = numbers.next() {
        let col = numbers.next().ok_or(ReadError::Missing("the column of the last move"))?;
        let side = |word: &str| match word.parse::<u16>() {
            Ok(side) => Ok(side),
            Err(_) => Err(ReadError::malformed(word, "rows and columns, such as 7 7 8 8")),
        };
        squares.push(Square { row: side(row)?, col: side(col)? });
    }
    Ok(squares)
}

/// Writes the names of the columns, and of those that are passed through.
pub(super) fn write_header(others: &[String], out: &mut Vec<u8>) {
    out.extend_from_slice(COLUMNS.join(",").as_bytes());
    for name in others {
        out.push(b',');
        push_field(name, out);
    }
    out.push(b'\n');
}

/// Writes a game as a row. One without a name gets its number.
pub(super) fn write(record: &Record, number: u64, columns: &[String], out: &mut Vec<u8>) {
    if record.name.is_empty() {
        push_number(number, out);
    } else {
        push_field(&record.name, out);
    }
    let shape = record.shape();
    for side in [shape.rows(), shape.cols(), shape.k()] {
        out.push(b',');
        push_number(side, out);
    }
    out.extend_from_slice(if shape.is_exact() { b",true," } else { b",false," });
    let result = record.result().map_or("", result_name);
    for field in [&record.x, &record.o, result, &record.reason] {
        push_field(field, out);
        out.push(b',');
    }
    push_number(record.game().moves().len(), out);
    out.push(b',');
    moves::squares(record, out);
    for (nth, column) in columns.iter().enumerate() {
        out.push(b',');
        // Columns may have the same name, such as none.
        let is_own = |(name, _): &&(String, Value)| name == column;
        let own = record.others.get(nth).filter(is_own);
        match own.or_else(|| record.others.iter().find(is_own)) {
            Some((_, Value::String(text))) => push_field(text, out),
            Some((_, value)) => push_field(&value.to_string(), out),
            None => {}
        }
    }
    out.push(b'\n');
}

/// Writes a field, in quotes where it needs them.
fn push_field(field: &str, out: &mut Vec<u8>) {
    let is_plain = !field.contains(['"', ',', '\n', '\r']) && field.trim() == field;
    if is_plain {
        out.extend_from_slice(field.as_bytes());
        return;
    }
    out.push(b'"');
    out.extend_from_slice(field.replace('"', "\"\"").as_bytes());
    out.push(b'"');
}
