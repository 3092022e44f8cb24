//! Records of games: the formats in which others keep them, read and written one game after the
//! other.

mod convert;
mod csv;
mod error;
mod input;
mod jsonl;
mod letters;
mod moves;
mod psq;
mod sgf;
mod svg;

use std::fmt;
use std::io::{self, BufRead, Write};
use std::path::Path;

use serde_json::Value;

pub use self::convert::{Converter, Target};
pub use self::error::{ConvertError, Note, ReadError, WriteError};
use crate::command::{RowOne, Size};
use crate::game::{Game, Outcome, ReplayError, Shape, ShapeError, Square};

/// A game as it is kept: from an empty board, with what is known of its players.
#[derive(Clone, Debug)]
pub struct Record {
    game: Game,
    /// The name or the number of the game; empty where there is none.
    pub name: String,
    /// The name of the player of X; empty where it is not known.
    pub x: String,
    /// The name of the player of O; empty where it is not known.
    pub o: String,
    /// The result that the record states, for a game that ended otherwise than by its moves.
    pub stated: Option<Outcome>,
    /// The cause of the end, such as `time`; empty where none is stated.
    pub reason: String,
    /// What else is known, by its name. CSV and JSON lines pass it through.
    pub others: Vec<(String, Value)>,
}

impl Record {
    /// Keeps the moves of `game`: `None` where it began with a board that was set up, which no
    /// record tells of.
    #[must_use]
    pub fn of(game: &Game) -> Option<Self> {
        let is_whole = game.board().marks() == game.moves().len();
        let moves = game.moves().iter().copied();
        Self::replay(game.board().shape(), moves, &mut Vec::new()).ok().filter(|_| is_whole)
    }

    /// Returns the game. Its undone moves are none.
    pub const fn game(&self) -> &Game {
        &self.game
    }

    /// Returns the result: that of the moves, else the stated one.
    #[must_use]
    pub fn result(&self) -> Option<Outcome> {
        self.game.outcome().or(self.stated)
    }

    fn shape(&self) -> Shape {
        self.game.board().shape()
    }

    /// Plays a game. Moves after its end are cut off, with a note.
    fn replay(
        shape: Shape,
        moves: impl IntoIterator<Item = Square>,
        notes: &mut Vec<Note>,
    ) -> Result<Self, ReplayError> {
        let mut game = Game::new(shape);
        let mut moves = moves.into_iter();
        for index in 0.. {
            let Some(square) = moves.next() else { break };
            if let Some(outcome) = game.outcome() {
                notes.push(Note::Cut { count: moves.count() + 1, outcome });
                break;
            }
            game.play(square).map_err(|refusal| ReplayError { index, refusal })?;
        }
        let (name, x, o, reason) = Default::default();
        Ok(Self { game, name, x, o, stated: None, reason, others: Vec::new() })
    }

    /// Takes over the result that a record states. The moves decide where they end the game; a
    /// note tells where that is another result.
    fn state(&mut self, stated: Option<Outcome>, notes: &mut Vec<Note>) {
        match (stated, self.game.outcome()) {
            (Some(stated), Some(outcome)) if stated != outcome => {
                notes.push(Note::Result { stated, outcome });
            }
            (stated, None) => self.stated = stated,
            _ => {}
        }
    }
}

/// What is taken for granted where a format does not say it.
#[derive(Clone, Copy, Default, Debug)]
pub struct Defaults {
    /// The size of the board [15 x 15].
    pub size: Option<Size>,
    /// The marks in a row [5, or the shorter side where that is less].
    pub k: Option<u64>,
    /// A run longer than k is no line.
    pub exact: bool,
    /// The row 1 of squares in letters.
    pub row_one: RowOne,
}

impl Defaults {
    /// Returns the shape of a game of which this much is said.
    fn shape(&self, size: Option<Size>, k: Option<u64>) -> Result<Shape, ShapeError> {
        let size = size.or(self.size).unwrap_or(Size { rows: 15, cols: 15 });
        let k = k.or(self.k).unwrap_or(size.rows.min(size.cols).min(5));
        Ok(size.shape(Some(k))?.with_exact(self.exact))
    }
}

/// One game of an input, as it was found.
#[derive(Debug)]
pub struct Found {
    /// The place of the game in its input.
    pub place: Place,
    /// The game, or why there is none.
    pub record: Result<Record, ReadError>,
    /// What the reader of the record should know.
    pub notes: Vec<Note>,
}

/// The place of a game in its input, 1-based.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// The line on which the game begins, or on which its fault is.
    Line(u64),
    /// The number of the game.
    Game(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(number) => write!(f, "line {number}"),
            Self::Game(number) => write!(f, "game {number}"),
        }
    }
}

/// A format of records.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Format {
    /// A noughts script.
    Moves,
    /// A game a line, in letters.
    Letters,
    /// Comma-separated values, a game a row.
    Csv,
    /// JSON lines, a game an object.
    Jsonl,
    /// The format of Piskvork and the Gomocup archives.
    Psq,
    /// The Smart Game Format.
    Sgf,
    /// A picture of the final board, which is only written.
    Svg,
}

impl Format {
    /// Every format.
    pub const ALL: &'static [Self] =
        &[Self::Moves, Self::Letters, Self::Csv, Self::Jsonl, Self::Psq, Self::Sgf, Self::Svg];

    /// Returns the name of the format.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Moves => "moves",
            Self::Letters => "letters",
            Self::Csv => "csv",
            Self::Jsonl => "jsonl",
            Self::Psq => "psq",
            Self::Sgf => "sgf",
            Self::Svg => "svg",
        }
    }

    /// Returns the endings of files in this format, without the dot; the first is that of files
    /// written.
    #[must_use]
    pub const fn endings(self) -> &'static [&'static str] {
        match self {
            Self::Moves => &["noughts", "moves"],
            Self::Letters => &["letters", "txt"],
            Self::Csv => &["csv"],
            Self::Jsonl => &["jsonl", "ndjson"],
            Self::Psq => &["psq"],
            Self::Sgf => &["sgf"],
            Self::Svg => &["svg"],
        }
    }

    /// Returns the format that follows from the ending of a file's name, in any case.
    #[must_use]
    pub fn of_path(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?;
        let has = |format: &Self| format.endings().iter().any(|e| e.eq_ignore_ascii_case(ending));
        Self::ALL.iter().copied().find(has)
    }

    /// Tells whether games can be read from this format.
    #[must_use]
    pub const fn is_read(self) -> bool {
        !matches!(self, Self::Svg)
    }

    /// Returns the note for who writes a game of this shape, where the format has no room for how
    /// many in a row win.
    #[must_use]
    pub fn lost_rule(self, shape: Shape) -> Option<Note> {
        let says_k = match self {
            Self::Moves | Self::Letters => true,
            Self::Psq => false,
            Self::Csv | Self::Jsonl | Self::Sgf | Self::Svg => return None,
        };
        let taken = Defaults::default().shape(Some(shape.into()), None).map(Shape::k);
        let (k, is_exact) = (shape.k(), shape.is_exact());
        let is_k_said = says_k || taken == Ok(k);
        (!is_k_said || is_exact).then_some(Note::Rule { format: self, k, is_k_said, is_exact })
    }

    /// Reads the games of `input`, one after the other. A picture has none.
    pub fn read<'a>(
        self,
        input: impl BufRead + 'a,
        defaults: Defaults,
    ) -> Box<dyn Iterator<Item = io::Result<Found>> + 'a> {
        match self {
            Self::Moves => Box::new(moves::Script::new(input, defaults, moves::step)),
            Self::Letters => Box::new(moves::Script::new(input, defaults, letters::step)),
            Self::Csv => Box::new(csv::Rows::new(input, defaults)),
            Self::Jsonl => Box::new(jsonl::Objects::new(input, defaults)),
            Self::Psq => Box::new(psq::Games::new(input, defaults)),
            Self::Sgf => Box::new(sgf::Games::new(input, defaults)),
            Self::Svg => Box::new(std::iter::empty()),
        }
    }

    /// Writes one game, as a whole file.
    ///
    /// # Errors
    ///
    /// [`WriteError`] where the format has no room for the game, or `out` fails.
    pub fn write(self, record: &Record, out: &mut impl Write) -> Result<(), WriteError> {
        Writer::new(self, RowOne::default()).write(record, out)
    }
}

/// A writer of games in one format, which remembers what the last ones have said already.
#[derive(Debug)]
pub struct Writer {
    format: Format,
    row_one: RowOne,
    /// The number of games written.
    written: u64,
    /// The shape that a script is at, unless the last game was one without moves.
    shape: Option<Shape>,
    /// The names of the columns of CSV beyond its own.
    columns: Vec<String>,
    /// One game, written.
    buffer: Vec<u8>,
}

impl Writer {
    /// Makes a writer; squares in letters have row 1 at this edge.
    #[must_use]
    pub const fn new(format: Format, row_one: RowOne) -> Self {
        Self { format, row_one, written: 0, shape: None, columns: Vec::new(), buffer: Vec::new() }
    }

    /// Writes a game after those before it.
    ///
    /// # Errors
    ///
    /// [`WriteError`] where the format has no room for the game, or `out` fails.
    pub fn write(&mut self, record: &Record, out: &mut dyn Write) -> Result<(), WriteError> {
        self.buffer.clear();
        let (row_one, buffer) = (self.row_one, &mut self.buffer);
        match self.format {
            Format::Moves => moves::write(record, &mut self.shape, moves::squares, buffer),
            Format::Letters => {
                let squares = |record: &Record, out: &mut _| letters::squares(record, row_one, out);
                moves::write(record, &mut self.shape, squares, buffer);
            }
            Format::Csv => {
                if self.written == 0 {
                    self.columns = record.others.iter().map(|(name, _)| name.clone()).collect();
                    csv::write_header(&self.columns, buffer);
                }
                csv::write(record, self.written + 1, &self.columns, buffer);
            }
            Format::Jsonl => jsonl::write(record, self.written + 1, buffer)?,
            Format::Psq => psq::write(record, buffer),
            Format::Sgf => sgf::write(record, buffer)?,
            Format::Svg => svg::write(record, row_one, buffer)?,
        }
        self.written += 1;
        Ok(out.write_all(buffer)?)
    }
}

impl Writer {
    /// Tells whether a game has columns that those before it have not.
    fn lacks_columns_of(&self, record: &Record) -> bool {
        let is_known = |(name, _): &(String, Value)| self.columns.contains(name);
        self.format == Format::Csv && self.written > 0 && !record.others.iter().all(is_known)
    }
}

/// Writes a whole number.
fn push_number(number: impl itoa::Integer, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

/// Returns `X`, `O` or `draw`.
const fn result_name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Won(mark) => mark.name(),
        Outcome::Drawn => "draw",
    }
}

/// Reads `X`, `O`, `draw` or nothing, in any case.
fn parse_result(word: &str) -> Result<Option<Outcome>, ReadError> {
    match word.trim() {
        "" => Ok(None),
        word if word.eq_ignore_ascii_case("draw") => Ok(Some(Outcome::Drawn)),
        word => match word.parse() {
            Ok(mark) => Ok(Some(Outcome::Won(mark))),
            Err(_) => Err(ReadError::malformed(word, "the result X, O, draw or nothing")),
        },
    }
}
