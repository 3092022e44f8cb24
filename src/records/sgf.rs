//! `sgf`: the Smart Game Format, `FF[4]GM[4]`. Black is X, and the main line is the game.
//!
//! The reader goes through the bytes once and counts the parentheses, so that no depth of nesting
//! costs memory. It keeps the values of the properties that a record has.

use std::io::{self, BufRead, Bytes};

use super::input::{line_of_text, text};
use super::{Defaults, Found, Note, Place, ReadError, Record, WriteError, push_number};
use crate::command::{Letters, MAX_LINE, Size, quoted};
use crate::game::{Mark, Outcome, Shape, Square};

/// The longest side: `a` to `z`, then `A` to `Z`.
const MOST: u16 = 52;

/// The games of a file.
pub(super) struct Games<R> {
    bytes: Bytes<R>,
    defaults: Defaults,
    /// The number of the last game.
    number: u64,
}

/// The pieces of one game, as they are written.
#[derive(Default)]
struct Game {
    /// The bytes of all values that are kept.
    size: usize,
    /// The properties of the root that a record has, each by its first value.
    root: Vec<(&'static str, Vec<u8>)>,
    /// The moves of the main line.
    moves: Vec<(Mark, Vec<u8>)>,
    /// The stones that are set up.
    stones: Vec<(Mark, Vec<u8>)>,
    /// The property that sets up or takes away stones after a move.
    late: Option<&'static str>,
    has_variations: bool,
    is_torn: bool,
}

/// The properties that are kept.
const KEPT: [&str; 13] =
    ["B", "W", "AB", "AW", "AE", "GM", "SZ", "PB", "PW", "RE", "RU", "GN", "PL"];

impl<R: BufRead> Games<R> {
    pub(super) fn new(input: R, defaults: Defaults) -> Self {
        Self { bytes: input.bytes(), defaults, number: 0 }
    }

    /// Returns the next byte that is no white space.
    fn sign(&mut self) -> io::Result<Option<u8>> {
        self.bytes.find(|b| !b.as_ref().is_ok_and(u8::is_ascii_whitespace)).transpose()
    }

    /// Reads up to the first `(` that a `;` follows.
    fn find_start(&mut self) -> io::Result<bool> {
        let mut is_open = false;
        while let Some(sign) = self.sign()? {
            if is_open && sign == b';' {
                return Ok(true);
            }
            is_open = sign == b'(';
        }
        Ok(false)
    }

    /// Reads one game, after its first `(;`.
    fn read_game(&mut self) -> io::Result<Game> {
        let mut game = Game::default();
        let (mut depth, mut is_main, mut name) = (1_u64, true, Vec::new());
        // The value that comes next is a further one of the same property.
        let mut is_named = false;
        while depth > 0 {
            let Some(sign) = self.sign()? else {
                game.is_torn = true;
                break;
            };
            match sign {
                b'(' => depth += 1,
                // The first line has come to its end: whatever follows is a variation.
                b')' => (depth, is_main) = (depth - 1, false),
                b';' => game.has_variations |= !is_main,
                b'[' => {
                    let property = KEPT.iter().find(|kept| kept.as_bytes() == name);
                    let property = property.filter(|_| is_main).copied();
                    let value = self.read_value(property.is_some(), &mut game.size)?;
                    match value {
                        Some(value) => {
                            if let Some(property) = property {
                                game.add(property, value);
                            }
                        }
                        None => game.is_torn = true,
                    }
                    is_named = false;
                    continue;
                }
                // Older files have `Black` for `B`.
                letter if letter.is_ascii_alphabetic() => {
                    if !is_named {
                        name.clear();
                    }
                    is_named = true;
                    if letter.is_ascii_uppercase() && name.len() < 3 {
                        name.push(letter);
                    }
                    continue;
                }
                _ => {}
            }
            is_named = false;
            name.clear();
        }
        Ok(game)
    }

    /// Reads a value up to its `]`: `None` where the input ends first.
    fn read_value(&mut self, is_kept: bool, size: &mut usize) -> io::Result<Option<Vec<u8>>> {
        let mut value = Vec::new();
        let mut is_escaped = false;
        for byte in self.bytes.by_ref() {
            match byte? {
                b'\\' if !is_escaped => is_escaped = true,
                b']' if !is_escaped => return Ok(Some(value)),
                // A line end after a backslash is none.
                b'\n' | b'\r' if is_escaped => is_escaped = false,
                byte => {
                    is_escaped = false;
                    if is_kept && *size <= MAX_LINE {
                        *size += 1;
                        value.push(if byte.is_ascii_whitespace() { b' ' } else { byte });
                    }
                }
            }
        }
        Ok(None)
    }

    fn read(&mut self) -> io::Result<Option<Found>> {
        if !self.find_start()? {
            return Ok(None);
        }
        self.number += 1;
        let game = self.read_game()?;
        let mut notes = Vec::new();
        let record = game.record(&self.defaults, &mut notes);
        Ok(Some(Found { place: Place::Game(self.number), record, notes }))
    }
}

impl<R: BufRead> Iterator for Games<R> {
    type Item = io::Result<Found>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

impl Game {
    /// Takes a value in. Of more moves than any board has squares the rest are not needed.
    fn add(&mut self, property: &'static str, value: Vec<u8>) {
        // What each value costs beside its bytes.
        self.size += 32;
        if self.size > MAX_LINE {
            return;
        }
        match property {
            "B" => self.moves.push((Mark::X, value)),
            "W" => self.moves.push((Mark::O, value)),
            "AB" | "AW" | "AE" if !self.moves.is_empty() => self.late = Some(property),
            "AB" => self.stones.push((Mark::X, value)),
            "AW" => self.stones.push((Mark::O, value)),
            "AE" => self.late = Some("AE"),
            _ if self.root.iter().any(|(name, _)| *name == property) => {}
            _ => self.root.push((property, value)),
        }
    }

    fn property(&self, name: &str) -> String {
        let value = self.root.iter().find(|(own, _)| *own == name);
        value.map(|(_, value)| line_of_text(value)).unwrap_or_default()
    }

    fn record(&self, defaults: &Defaults, notes: &mut Vec<Note>) -> Result<Record, ReadError> {
        if self.size > MAX_LINE {
            return Err(ReadError::TooLong);
        }
        if self.is_torn {
            return Err(ReadError::Missing("the ) at the end of the game"));
        }
        match self.property("GM").as_str() {
            "" | "4" => {}
            "1" => notes.push(Note::Go),
            other => {
                let found = format!("GM[{other}]");
                return Err(ReadError::malformed(&found, "GM[4], which is k in a row"));
            }
        }
        if self.property("RU").eq_ignore_ascii_case("renju") {
            notes.push(Note::Renju);
        }
        let shape = self.shape(defaults)?;
        if let Some(property) = self.late {
            return Err(ReadError::LateSetup(property));
        }
        let (black, white): (Vec<_>, Vec<_>) =
            self.stones.iter().partition(|(mark, _)| *mark == Mark::X);
        let is_start = [0, 1].contains(&black.len().wrapping_sub(white.len()));
        let setup = || ReadError::Setup { black: black.len(), white: white.len() };
        let turn = match self.property("PL").as_str() {
            "B" | "b" => Some(Mark::X),
            "W" | "w" => Some(Mark::O),
            _ => None,
        };
        let next = Mark::after(self.stones.len());
        if !is_start || (!self.stones.is_empty() && turn.is_some_and(|turn| turn != next)) {
            return Err(setup());
        }
        // One of black, one of white, in turn.
        let mut moves: Vec<&(Mark, Vec<u8>)> = Vec::new();
        for nth in 0..black.len() {
            moves.extend(black.get(nth).copied());
            moves.extend(white.get(nth).copied());
        }
        moves.extend(&self.moves);
        let is_resignation = |(_, value): &mut &(Mark, Vec<u8>)| value == b"resign";
        let resigned = moves.pop_if(is_resignation).map(|(mark, _)| *mark);
        let mut squares = Vec::with_capacity(moves.len());
        for (nth, (mark, value)) in moves.into_iter().enumerate() {
            if *mark != Mark::after(nth) {
                return Err(ReadError::NotAlternating { number: nth + 1, mark: *mark });
            }
            // Older files have `tt` for it.
            let has_no_tt = shape.rows().max(shape.cols()) < 20;
            if value.trim_ascii().is_empty() || (has_no_tt && value == b"tt") {
                return Err(ReadError::Pass { number: nth + 1 });
            }
            squares.push(square(value, shape, defaults)?);
        }
        let mut record = Record::replay(shape, squares, notes)?;
        if !self.stones.is_empty() {
            if record.game().moves().len() < self.stones.len() {
                return Err(setup());
            }
            notes.push(Note::Setup);
        }
        if self.has_variations {
            notes.push(Note::Variations);
        }
        let (stated, reason) = match resigned {
            Some(mark) => (Some(Outcome::Won(mark.other())), "resign"),
            None => result(&self.property("RE")),
        };
        record.state(stated, notes);
        reason.clone_into(&mut record.reason);
        (record.name, record.x, record.o) =
            (self.property("GN"), self.property("PB"), self.property("PW"));
        Ok(record)
    }

    /// Returns the shape that `SZ` and `RU` say, as far as they do.
    fn shape(&self, defaults: &Defaults) -> Result<Shape, ReadError> {
        let stated = self.property("SZ");
        let (cols, rows) = stated.split_once(':').unwrap_or((&stated, &stated));
        let size = match (rows.trim().parse(), cols.trim().parse()) {
            _ if stated.is_empty() => None,
            (Ok(rows), Ok(cols)) => Some(Size { rows, cols }),
            _ => return Err(ReadError::malformed(&stated, "a size such as SZ[15] or SZ[15:20]")),
        };
        let rule = self.property("RU");
        let (exact, count) = match rule.strip_prefix("exactly ") {
            Some(rest) => (true, rest),
            None => (false, rule.as_str()),
        };
        match count.strip_suffix(" in a row").and_then(|k| k.parse().ok()) {
            Some(k) => Ok(defaults.shape(size, Some(k))?.with_exact(exact)),
            None => Ok(defaults.shape(size, None)?),
        }
    }
}

/// Reads a point: two letters for column and row from the top left, or a square such as `h8`.
fn square(value: &[u8], shape: Shape, defaults: &Defaults) -> Result<Square, ReadError> {
    let side = |letter: &u8| match letter {
        b'a'..=b'z' => Some(u16::from(letter - b'a')),
        b'A'..=b'Z' => Some(u16::from(letter - b'A') + 26),
        _ => None,
    };
    let word = text(value.trim_ascii());
    let off_board = || ReadError::OffBoard { square: quoted(&word), shape };
    if let [col, row] = word.as_bytes()
        && let Some((row, col)) = side(row).zip(side(col))
    {
        let square = Square { row, col };
        return if shape.contains(square) { Ok(square) } else { Err(off_board()) };
    }
    let letters: Option<Letters> = word.parse().ok();
    let expected = "a point such as hh, or h8";
    let letters = letters.ok_or_else(|| ReadError::malformed(&word, expected))?;
    letters.on(shape, defaults.row_one).ok_or_else(off_board)
}

/// Reads `B+R` and the like: the result and its cause.
fn result(value: &str) -> (Option<Outcome>, &'static str) {
    let (who, how) = value.split_once('+').unwrap_or((value, ""));
    let outcome = match who.trim() {
        "B" | "b" | "Black" => Some(Outcome::Won(Mark::X)),
        "W" | "w" | "White" => Some(Outcome::Won(Mark::O)),
        "0" | "Draw" | "draw" => Some(Outcome::Drawn),
        _ => None,
    };
    let named = |(sign, name): &&(&str, &str)| how == *sign || how.eq_ignore_ascii_case(name);
    (outcome, CAUSES.iter().find(named).map_or("", |(_, name)| name))
}

/// The causes of an end, as SGF writes them.
const CAUSES: [(&str, &str); 3] = [("R", "resign"), ("T", "time"), ("F", "forfeit")];

/// Writes a game.
pub(super) fn write(record: &Record, out: &mut Vec<u8>) -> Result<(), WriteError> {
    let shape = record.shape();
    if shape.rows().max(shape.cols()) > MOST {
        return Err(WriteError::TooLarge { format: "sgf", most: MOST, shape });
    }
    out.extend_from_slice(b"(;GM[4]FF[4]CA[UTF-8]SZ[");
    push_number(shape.cols(), out);
    if shape.rows() != shape.cols() {
        out.push(b':');
        push_number(shape.rows(), out);
    }
    out.extend_from_slice(if shape.is_exact() { b"]RU[exactly " } else { b"]RU[" });
    push_number(shape.k(), out);
    out.extend_from_slice(b" in a row]");
    for (property, value) in [("GN", &record.name), ("PB", &record.x), ("PW", &record.o)] {
        if !value.is_empty() {
            out.extend_from_slice(property.as_bytes());
            out.push(b'[');
            push_text(value, out);
            out.push(b']');
        }
    }
    if let Some(outcome) = record.result() {
        let cause = CAUSES.iter().find(|(_, name)| *name == record.reason);
        out.extend_from_slice(match outcome {
            Outcome::Won(Mark::X) => b"RE[B+",
            Outcome::Won(Mark::O) => b"RE[W+",
            Outcome::Drawn => b"RE[0",
        });
        let cause = cause.filter(|_| outcome != Outcome::Drawn);
        out.extend_from_slice(cause.map_or("", |(sign, _)| sign).as_bytes());
        out.push(b']');
    }
    for (nth, square) in record.game().moves().iter().enumerate() {
        if nth.is_multiple_of(10) {
            out.push(b'\n');
        }
        out.extend_from_slice(if Mark::after(nth) == Mark::X { b";B[" } else { b";W[" });
        out.extend([letter(square.col), letter(square.row), b']']);
    }
    out.extend_from_slice(b")\n");
    Ok(())
}

/// Returns the letter of a column or row below [`MOST`].
fn letter(side: u16) -> u8 {
    let side = u8::try_from(side).unwrap_or_default();
    if side < 26 { b'a' + side } else { b'A' + (side - 26) }
}

/// Writes a text with the escapes that SGF has.
fn push_text(text: &str, out: &mut Vec<u8>) {
    for byte in text.bytes() {
        match byte {
            b'\\' | b']' | b':' => out.extend([b'\\', byte]),
            byte if byte.is_ascii_control() => out.push(b' '),
            byte => out.push(byte),
        }
    }
}
