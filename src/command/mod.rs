//! The language: one line of text, parsed into a command, and the help that goes with it.

mod error;
mod letters;
mod line;
mod verb;
mod words;

use std::fmt::{self, Write};
use std::str::FromStr;

pub use self::error::{CommandError, quoted};
pub use self::letters::{Coords, Letters, RowOne};
pub use self::line::{Line, MAX_LINE, Words, is_separator, parse, without_comment};
pub use self::verb::{Verb, overview};
pub use self::words::{Diagram, Name, Place, RaggedError, Seat, Size, is_format};
use self::words::{count, number, whole};
use crate::game::{Mark, Shape};
use crate::player::Kind;

/// A command: the action that a line asks for, and the version of the game that it has seen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Command {
    pub action: Action,
    /// `@VERSION`: a change is refused unless the game is at it.
    pub seen: Option<u64>,
}

/// The action of a command, one for each [`Verb`]. The help of the verb says what it does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Action {
    /// A move of the mark, or of the side to move.
    Play(Option<Mark>, Place),
    /// So many moves back, or those of a turn.
    Undo(Option<u64>),
    /// So many undone moves again, or one.
    Redo(Option<u64>),
    /// A fresh game, of the same size unless one is named. `k` may follow from the size.
    New {
        size: Option<Size>,
        k: Option<u64>,
    },
    /// These moves: one at least, and at most one more than a board holds.
    Replay(Vec<Place>),
    Moves,
    /// A board, where `k` may follow from the size.
    Position {
        diagram: Diagram,
        k: Option<u64>,
    },
    Board,
    At(Place),
    Free,
    Status,
    Seat(Mark, Seat),
    /// The question who sits where.
    Seats,
    /// The seats exchanged.
    Swap,
    /// Squares in letters from now on, or in numbers, or the question which.
    Coords(Option<bool>),
    /// A move of this computer, or of the player on the seat: `best` where that is a human.
    Go(Option<Kind>),
    Hint(Kind),
    /// The so many best moves of `best`.
    Candidates(u64),
    Analyze,
    Perft(u64),
    /// Another game, or the question which one this is.
    Game(Option<Name>),
    Games,
    Drop(Name),
    /// The game into the file of this name.
    Save(String),
    /// The game from the file of this name.
    Load(String),
    Help(Option<Verb>),
    Quit,
}

impl Action {
    pub const fn verb(&self) -> Verb {
        match self {
            Self::Play(..) => Verb::Play,
            Self::Undo(_) => Verb::Undo,
            Self::Redo(_) => Verb::Redo,
            Self::New { .. } => Verb::New,
            Self::Replay(_) => Verb::Replay,
            Self::Moves => Verb::Moves,
            Self::Position { .. } => Verb::Position,
            Self::Board => Verb::Board,
            Self::At(_) => Verb::At,
            Self::Free => Verb::Free,
            Self::Status => Verb::Status,
            Self::Seat(..) | Self::Seats | Self::Swap => Verb::Seat,
            Self::Coords(_) => Verb::Coords,
            Self::Go(_) => Verb::Go,
            Self::Hint(_) | Self::Candidates(_) => Verb::Hint,
            Self::Analyze => Verb::Analyze,
            Self::Perft(_) => Verb::Perft,
            Self::Game(_) => Verb::Game,
            Self::Games => Verb::Games,
            Self::Drop(_) => Verb::Drop,
            Self::Save(_) => Verb::Save,
            Self::Load(_) => Verb::Load,
            Self::Help(_) => Verb::Help,
            Self::Quit => Verb::Quit,
        }
    }
}

impl From<Action> for Command {
    fn from(action: Action) -> Self {
        Self { action, seen: None }
    }
}

impl FromStr for Command {
    type Err = CommandError;

    /// Reads a line without its comment and line end, and with a word at least. Linear in its
    /// length; only `replay`, `position` and names allocate.
    fn from_str(line: &str) -> Result<Self, CommandError> {
        let mut words = Words::new(line);
        let first = words.next().unwrap_or_default();
        let is_move = match *first.as_bytes() {
            [b'-', digit, ..] => digit.is_ascii_digit(),
            [b'(' | b'0'..=b'9', ..] => true,
            // No verb ends with a digit.
            [.., b'0'..=b'9'] => first.parse::<Letters>().is_ok(),
            _ => false,
        };
        let verb = if is_move { Verb::Play } else { first.parse()? };
        let mut rest = Arguments { verb, words };
        let action = if is_move { Action::Play(None, rest.place(first)?) } else { rest.action()? };
        let seen = rest.version()?;
        Ok(Self { action, seen })
    }
}

/// The words after the verb.
struct Arguments<'a> {
    verb: Verb,
    words: Words<'a>,
}

impl<'a> Arguments<'a> {
    fn word(&mut self) -> Result<&'a str, CommandError> {
        self.words.next().ok_or(CommandError::Missing(self.verb))
    }

    /// The next word, if there is one that is not the version.
    fn optional(&mut self) -> Option<&'a str> {
        let mut ahead = self.words.clone();
        let word = ahead.next().filter(|word| !word.starts_with('@'))?;
        self.words = ahead;
        Some(word)
    }

    fn action(&mut self) -> Result<Action, CommandError> {
        Ok(match self.verb {
            Verb::Play => self.play()?,
            Verb::Undo => Action::Undo(self.count()?),
            Verb::Redo => Action::Redo(self.count()?),
            Verb::New => Action::New {
                size: self.optional().map(Size::from_str).transpose()?,
                k: self.count()?,
            },
            Verb::Replay => self.replay()?,
            Verb::Position => Action::Position { diagram: self.word()?.parse()?, k: self.count()? },
            Verb::At => {
                let first = self.word()?;
                Action::At(self.place(first)?)
            }
            Verb::Seat => match self.optional() {
                None => Action::Seats,
                Some(word) if word.eq_ignore_ascii_case("swap") => Action::Swap,
                Some(word) => {
                    let mark = parse_as("a mark, X or O, or swap", word)?;
                    Action::Seat(mark, self.word()?.parse()?)
                }
            },
            Verb::Coords => Action::Coords(match self.optional() {
                None => None,
                Some(word) if word.eq_ignore_ascii_case("letters") => Some(true),
                Some(word) if word.eq_ignore_ascii_case("numbers") => Some(false),
                Some(word) => return Err(CommandError::malformed(word, "numbers or letters")),
            }),
            Verb::Go => Action::Go(self.computer()?),
            Verb::Hint => self.hint()?,
            Verb::Perft => Action::Perft(count(self.word()?)?),
            Verb::Analyze => Action::Analyze,
            Verb::Game => Action::Game(self.words.next().map(Name::from_str).transpose()?),
            Verb::Drop => Action::Drop(self.word()?.parse()?),
            Verb::Save => Action::Save(self.file()?),
            Verb::Load => Action::Load(self.file()?),
            Verb::Help => Action::Help(self.words.next().map(Verb::from_str).transpose()?),
            Verb::Moves => Action::Moves,
            Verb::Board => Action::Board,
            Verb::Free => Action::Free,
            Verb::Status => Action::Status,
            Verb::Games => Action::Games,
            Verb::Quit => Action::Quit,
        })
    }

    /// `[MARK]` and a place.
    fn play(&mut self) -> Result<Action, CommandError> {
        const EXPECTED: &str = "X, O, a square such as h8 or a whole number of at most 64 bits";
        let word = self.word()?;
        let mark = word.parse().ok();
        if mark.is_none() && word.starts_with(|c: char| c.is_alphabetic()) {
            parse_as::<Letters>(EXPECTED, word)?;
        }
        let first = if mark.is_some() { self.word()? } else { word };
        Ok(Action::Play(mark, self.place(first)?))
    }

    /// A place that starts with `first`: `ROW COL`, `NUMBER`, or one of those in a word.
    fn place(&mut self, first: &str) -> Result<Place, CommandError> {
        if let Some(place) = self.place_in_a_word(first)? {
            return Ok(place);
        }
        let first = number(first)?;
        match self.optional() {
            Some(second) => Ok(Place::At(first, number(second)?)),
            None => Ok(Place::Nth(first)),
        }
    }

    /// A place that is more than a number: `h8`, `0-2` or `(0,2)`, whose comma makes two words.
    fn place_in_a_word(&mut self, word: &str) -> Result<Option<Place>, CommandError> {
        if word.starts_with(|c: char| c.is_alphabetic()) {
            return word.parse().map(|letters| Some(Place::Letters(letters)));
        }
        if let Some(row) = word.strip_prefix('(') {
            let expected = "a row and a column such as (0,2)";
            let col = self.word()?;
            let col =
                col.strip_suffix(')').ok_or_else(|| CommandError::malformed(col, expected))?;
            return Ok(Some(Place::At(number(row)?, number(col)?)));
        }
        match word.split_once('-') {
            Some((row, col)) if !row.is_empty() => Ok(Some(Place::At(number(row)?, number(col)?))),
            _ => Ok(None),
        }
    }

    /// Places in pairs of numbers, or each in a word; letters may be glued together.
    fn replay(&mut self) -> Result<Action, CommandError> {
        // A game is over before it has a move more than its board has squares.
        let most = usize::from(Shape::MAX_SIDE).pow(2) + 1;
        let mut places = Vec::new();
        let mut push = |place| {
            if places.len() < most {
                places.push(place);
            }
        };
        while let Some(word) = self.optional() {
            let mut glued = word;
            while let Some((letters, rest)) = Letters::split(glued) {
                push(Place::Letters(letters));
                glued = rest;
            }
            if glued.is_empty() {
                continue;
            }
            if let Some(place) = self.place_in_a_word(word)? {
                push(place);
                continue;
            }
            let row = number(word)?;
            let col = self.optional().ok_or_else(|| CommandError::Unpaired(quoted(word)))?;
            push(Place::At(row, number(col)?));
        }
        if places.is_empty() {
            return Err(CommandError::Missing(self.verb));
        }
        Ok(Action::Replay(places))
    }

    /// `[PLAYER]`, a computer.
    fn computer(&mut self) -> Result<Option<Kind>, CommandError> {
        const EXPECTED: &str =
            "a computer player: random, rules, minimax, level1 to level8 or best";
        self.optional().map(|word| parse_as(EXPECTED, word)).transpose()
    }

    /// `[PLAYER] [N]`, where only `best` compares moves.
    fn hint(&mut self) -> Result<Action, CommandError> {
        const EXPECTED: &str = "a player, or how many moves of \"best\" to tell";
        let Some(word) = self.optional() else {
            return Ok(Action::Hint(Kind::Best));
        };
        if let Some(count) = whole(word) {
            return Ok(Action::Candidates(count));
        }
        let player = parse_as(EXPECTED, word)?;
        match (player, self.optional()) {
            (_, None) => Ok(Action::Hint(player)),
            (Kind::Best, Some(count)) => Ok(Action::Candidates(self::count(count)?)),
            (_, Some(word)) => Err(CommandError::malformed(word, "a number after \"best\" alone")),
        }
    }

    /// The rest of the line, which is the name of a file: blanks are part of it.
    fn file(&mut self) -> Result<String, CommandError> {
        match self.words.rest() {
            "" => Err(CommandError::Missing(self.verb)),
            name if name.contains(char::is_control) => {
                Err(CommandError::malformed(name, "the name of a file, without control characters"))
            }
            name => Ok(name.to_owned()),
        }
    }

    /// `[N]`
    fn count(&mut self) -> Result<Option<u64>, CommandError> {
        self.optional().map(count).transpose()
    }

    /// The end of the line: `[@VERSION]` where the verb takes one, else nothing.
    fn version(mut self) -> Result<Option<u64>, CommandError> {
        let mut version = None;
        let mut last = self.words.next();
        if let Some(word) = last
            && let Some(digits) = word.strip_prefix('@')
            && self.verb.is_change()
        {
            let malformed = || CommandError::malformed(word, "a version such as @0");
            version = Some(whole(digits).ok_or_else(malformed)?);
            last = self.words.next();
        }
        match last {
            Some(word) => Err(CommandError::Extra { verb: self.verb, word: quoted(word) }),
            None => Ok(version),
        }
    }
}

/// Reads a word of which `expected` says what it is.
fn parse_as<T: FromStr>(expected: &'static str, word: &str) -> Result<T, CommandError> {
    word.parse().map_err(|_| CommandError::malformed(word, expected))
}

/// Writes the command so that it reads as itself again.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f)
    }
}

impl Command {
    /// Writes the command as [`Display`](fmt::Display) does, but a move, `undo` and `redo` without
    /// the formatting machinery.
    pub fn write(&self, out: &mut impl Write) -> fmt::Result {
        out.write_str(self.action.verb().name())?;
        match &self.action {
            Action::Play(mark, place) => {
                out.write_str(match mark {
                    Some(Mark::X) => " X",
                    Some(Mark::O) => " O",
                    None => "",
                })?;
                write_place(out, *place)?;
            }
            Action::Undo(count) | Action::Redo(count) => write_count(out, *count)?,
            Action::New { size, k } => {
                if let Some(size) = size {
                    write!(out, " {size}")?;
                }
                write_count(out, *k)?;
            }
            Action::Replay(places) => {
                for place in places {
                    write_place(out, *place)?;
                }
            }
            Action::Position { diagram, k } => {
                write!(out, " {diagram}")?;
                write_count(out, *k)?;
            }
            Action::At(place) => write_place(out, *place)?,
            Action::Seat(mark, seat) => write!(out, " {mark} {seat}")?,
            Action::Swap => out.write_str(" swap")?,
            Action::Coords(Some(true)) => out.write_str(" letters")?,
            Action::Coords(Some(false)) => out.write_str(" numbers")?,
            Action::Go(Some(kind)) | Action::Hint(kind) => write!(out, " {kind}")?,
            Action::Candidates(count) => write_count(out, Some(*count))?,
            Action::Perft(depth) => write_count(out, Some(*depth))?,
            Action::Game(Some(name)) | Action::Drop(name) => write!(out, " {name}")?,
            Action::Save(name) | Action::Load(name) => write!(out, " {name}")?,
            Action::Help(Some(verb)) => write!(out, " {}", verb.name())?,
            _ => {}
        }
        let Some(seen) = self.seen else {
            return Ok(());
        };
        out.write_str(" @")?;
        out.write_str(itoa::Buffer::new().format(seen))
    }
}

/// Writes a blank and the place.
fn write_place(out: &mut impl Write, place: Place) -> fmt::Result {
    match place {
        Place::At(row, col) => {
            write_number(out, row)?;
            write_number(out, col)
        }
        Place::Nth(number) => write_number(out, number),
        Place::Letters(letters) => write!(out, " {letters}"),
    }
}

/// Writes a blank and the count, if there is one.
fn write_count(out: &mut impl Write, count: Option<u64>) -> fmt::Result {
    count.map_or(Ok(()), |count| write_number(out, count.into()))
}

/// Writes a blank and the number. Most numbers have one digit.
#[inline]
fn write_number(out: &mut impl Write, number: i128) -> fmt::Result {
    match u8::try_from(number) {
        Ok(digit @ 0..10) => {
            out.write_char(' ')?;
            out.write_char((b'0' + digit).into())
        }
        _ => write!(out, " {number}"),
    }
}
