//! `psq`: a game of Piskvork, as the Gomocup archives keep it.
//!
//! `Piskvorky 15x20, 11:11, 0` says width and height, and 1 at its end that the second player had
//! the first move. A move is `x,y,milliseconds`, 1-based from the top left. The names of the players
//! follow, and a code for the end.

use std::io::{self, BufRead};

use super::input::{Lines, line_of_text, text};
use super::{Defaults, Found, Note, Place, ReadError, Record, push_number};
use crate::command::{MAX_LINE, Size, quoted};
use crate::game::{Mark, Outcome, Shape, Square};

/// The code of a game that was lost by time. 0 and −1 tell nothing.
const TIMEOUT: &str = "15";

/// The games of a file, which is one unless files were put together.
pub(super) struct Games<R> {
    lines: Lines<R>,
    defaults: Defaults,
    /// The first line of the next game, and its number.
    header: Option<(u64, Header)>,
}

/// The first line of a game.
#[derive(Clone, Copy)]
struct Header {
    size: Size,
    is_swapped: bool,
}

impl Header {
    fn of(line: &[u8]) -> Option<Self> {
        let line = str::from_utf8(line).ok()?.trim().strip_prefix("Piskvorky ")?;
        let mut parts = line.split(',');
        let (cols, rows) = parts.next()?.trim().split_once('x')?;
        let size = Size { rows: rows.parse().ok()?, cols: cols.parse().ok()? };
        Some(Self { size, is_swapped: parts.nth(1).is_some_and(|first| first.trim() == "1") })
    }
}

/// Reads a line of two numbers or three: the column and the row of a move.
fn place(line: &[u8]) -> Option<(u64, u64)> {
    let mut parts = str::from_utf8(line).ok()?.split(',').map(str::trim);
    let place = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    parts.all(|part| part.parse::<i64>().is_ok()).then_some(place)
}

impl<R: BufRead> Games<R> {
    pub(super) const fn new(input: R, defaults: Defaults) -> Self {
        Self { lines: Lines::new(input), defaults, header: None }
    }

    /// Reads up to the first line of the next game, and returns the line that is there instead.
    fn read_header(&mut self) -> io::Result<Option<Found>> {
        let mut fault = None;
        while let Some((line, number)) = self.lines.next()? {
            self.header = Header::of(line).map(|header| (number, header));
            if self.header.is_some() {
                break;
            }
            if fault.is_none() && !line.trim_ascii().is_empty() {
                let expected = "a first line such as \"Piskvorky 20x20, 11:11, 0\"";
                fault = Some((number, ReadError::malformed(&text(line), expected)));
            }
        }
        let found = |(number, error)| Found {
            place: Place::Line(number),
            record: Err(error),
            notes: Vec::new(),
        };
        Ok(fault.map(found))
    }

    fn read(&mut self) -> io::Result<Option<Found>> {
        if self.header.is_none()
            && let Some(fault) = self.read_header()?
        {
            return Ok(Some(fault));
        }
        let Some((first, header)) = self.header.take() else { return Ok(None) };
        let shape = self.defaults.shape(Some(header.size), None);
        let squares = shape.as_ref().map_or(0, |shape| shape.squares());
        // The moves with their lines, and the first lines after them.
        let (mut moves, mut end) = (Vec::new(), Vec::new());
        let mut fault = None;
        while let Some((line, number)) = self.lines.next()? {
            if let Some(next) = Header::of(line) {
                self.header = Some((number, next));
                break;
            }
            match place(line).filter(|_| end.iter().all(String::is_empty)) {
                _ if line.len() > MAX_LINE => fault = Some((number, ReadError::TooLong)),
                // A game is over before it has a move more than its board has squares.
                Some((col, row)) if moves.len() <= squares => {
                    // Blank lines among the moves are no names.
                    end.clear();
                    moves.push((number, col, row));
                }
                None if place(line).is_some() => {
                    let expected = "the names of the players and a code, which follow the moves";
                    let error = ReadError::malformed(&text(line), expected);
                    fault.get_or_insert((number, error));
                }
                None if end.len() < 3 => {
                    // A longer name is none.
                    let name: String = line_of_text(line).chars().take(256).collect();
                    end.push(name.trim_end().to_owned());
                }
                _ => {}
            }
        }
        let mut notes = Vec::new();
        let record = match (shape, fault) {
            (_, Some(fault)) => Err(fault),
            (Err(error), None) => Err((first, error.into())),
            (Ok(shape), None) => record(first, shape, &moves, &mut notes),
        };
        let (place, record) = match record {
            Ok(record) => (first, Ok(finish(record, &end, header, &mut notes))),
            Err((number, error)) => (number, Err(error)),
        };
        Ok(Some(Found { place: Place::Line(place), record, notes }))
    }
}

impl<R: BufRead> Iterator for Games<R> {
    type Item = io::Result<Found>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

/// Plays the moves of a game: their lines, columns and rows. An error names its line.
fn record(
    first: u64,
    shape: Shape,
    moves: &[(u64, u64, u64)],
    notes: &mut Vec<Note>,
) -> Result<Record, (u64, ReadError)> {
    // 0 and what is too large is off every board.
    let side = |number: u64| u16::try_from(number.wrapping_sub(1)).unwrap_or(u16::MAX);
    let square = |&(_, col, row): &(u64, u64, u64)| Square { row: side(row), col: side(col) };
    let replayed = Record::replay(shape, moves.iter().map(square), notes);
    replayed.map_err(|error| match moves.get(error.index) {
        Some(found @ &(line, col, row)) if !shape.contains(square(found)) => {
            (line, ReadError::OffBoard { square: quoted(&format!("{col},{row}")), shape })
        }
        Some(&(line, ..)) => (line, error.into()),
        None => (first, error.into()),
    })
}

/// Adds the names and the code that follow the moves.
fn finish(mut record: Record, end: &[String], header: Header, notes: &mut Vec<Note>) -> Record {
    let is_code = |line: &str| line.parse::<i64>().is_ok();
    let (names, code) = match end {
        [one, two, code] if is_code(code) => ([one.as_str(), two], code.as_str()),
        [code, ..] if is_code(code) => (["", ""], code.as_str()),
        [one, two, ..] => ([one.as_str(), two], ""),
        [one] => ([one.as_str(), ""], ""),
        [] => (["", ""], ""),
    };
    let [one, two] = names.map(str::to_owned);
    (record.x, record.o) = if header.is_swapped { (two, one) } else { (one, two) };
    if code == TIMEOUT
        && let Some(turn) = record.game().turn()
    {
        record.state(Some(Outcome::Won(turn.other())), notes);
        "time".clone_into(&mut record.reason);
    }
    record
}

/// Writes a game.
pub(super) fn write(record: &Record, out: &mut Vec<u8>) {
    let shape = record.shape();
    out.extend_from_slice(b"Piskvorky ");
    push_number(shape.cols(), out);
    out.push(b'x');
    push_number(shape.rows(), out);
    out.extend_from_slice(b", 11:11, 0\n");
    for square in record.game().moves() {
        push_number(square.col + 1, out);
        out.push(b',');
        push_number(square.row + 1, out);
        out.extend_from_slice(b",0\n");
    }
    if !(record.x.is_empty() && record.o.is_empty()) {
        push_name(&record.x, out);
        push_name(&record.o, out);
    }
    let loser = record.game().turn();
    let is_timeout = record.reason == "time"
        && record.stated.and_then(Outcome::winner) == loser.map(Mark::other)
        && loser.is_some();
    out.extend_from_slice(if is_timeout { TIMEOUT.as_bytes() } else { b"-1" });
    out.push(b'\n');
}

/// Writes the name of a player on a line that is none of a move or of the next game.
fn push_name(name: &str, out: &mut Vec<u8>) {
    let mut line: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if place(line.as_bytes()).is_some() || Header::of(line.as_bytes()).is_some() {
        line = line.replace(',', ";").replace("Piskvorky ", "Piskvorky-");
    }
    out.extend_from_slice(line.as_bytes());
    out.push(b'\n');
}
