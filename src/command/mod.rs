//! One line of text, parsed, and the help that goes with it.

use std::fmt;
use std::str::FromStr;

use crate::game::{Mark, ParseMarkError, Shape, ShapeError, Square};
use crate::player::{Kind, ParseKindError};

/// What a line can ask for. Where a version is `seen`, the change is refused unless the game is at
/// it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// A move, for a mark or for whoever's turn it is.
    Play {
        /// Who moves, if that is said.
        mark: Option<Mark>,
        /// Where to.
        place: Place,
        /// `@VERSION`.
        seen: Option<u64>,
    },
    /// Take moves back.
    Undo {
        /// How many, if that is said.
        count: Option<u64>,
        /// `@VERSION`.
        seen: Option<u64>,
    },
    /// Play undone moves again.
    Redo {
        /// How many, if that is said.
        count: Option<u64>,
        /// `@VERSION`.
        seen: Option<u64>,
    },
    /// A fresh game.
    New {
        /// The board, if it is to change.
        size: Option<Size>,
        /// The marks in a row, if they are not to follow from the size.
        k: Option<u64>,
        /// `@VERSION`.
        seen: Option<u64>,
    },
    /// A fresh game with these moves: one at least, and no more than a board can hold and one.
    Replay {
        /// The moves.
        places: Vec<Place>,
        /// `@VERSION`.
        seen: Option<u64>,
    },
    /// The moves so far.
    Moves,
    /// Set a board up.
    Position {
        /// The marks on it.
        diagram: Diagram,
        /// The marks in a row, if they are not to follow from the size.
        k: Option<u64>,
        /// `@VERSION`.
        seen: Option<u64>,
    },
    /// Draw the board.
    Board,
    /// Who occupies a square.
    At(Place),
    /// The empty squares.
    Free,
    /// How the game stands.
    Status,
    /// Let a player move for a mark from now on.
    Seat(Mark, Kind),
    /// A computer player moves for the side to move.
    Go {
        /// Which one: never a human.
        player: Kind,
        /// `@VERSION`.
        seen: Option<u64>,
    },
    /// What a computer player would play.
    Hint(Kind),
    /// What every move is worth.
    Analyze,
    /// Count the move sequences of this length.
    Perft(u64),
    /// Go over to another game, or say which one it is.
    Game(Option<Name>),
    /// The games of the session.
    Games,
    /// Forget a game.
    Drop(Name),
    /// Explain one command, or list them all.
    Help(Option<Verb>),
    /// End the session.
    Quit,
}

/// The first word of a command.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "each is explained by its help")]
pub enum Verb {
    Play,
    Undo,
    Redo,
    New,
    Replay,
    Moves,
    Position,
    Board,
    At,
    Free,
    Status,
    Seat,
    Go,
    Hint,
    Analyze,
    Perft,
    Game,
    Games,
    Drop,
    Help,
    Quit,
}

impl Verb {
    /// Every verb, in the order of the help.
    pub const ALL: [Self; 21] = [
        Self::Play,
        Self::Undo,
        Self::Redo,
        Self::New,
        Self::Replay,
        Self::Moves,
        Self::Position,
        Self::Board,
        Self::At,
        Self::Free,
        Self::Status,
        Self::Seat,
        Self::Go,
        Self::Hint,
        Self::Analyze,
        Self::Perft,
        Self::Game,
        Self::Games,
        Self::Drop,
        Self::Help,
        Self::Quit,
    ];

    /// Other words for some verbs.
    const SYNONYMS: [(&'static str, Self); 3] = [
        ("exit", Self::Quit),
        ("show", Self::Board),
        ("reset", Self::New),
    ];

    /// The verb in full, as replies name it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Play => "play",
            Self::Undo => "undo",
            Self::Redo => "redo",
            Self::New => "new",
            Self::Replay => "replay",
            Self::Moves => "moves",
            Self::Position => "position",
            Self::Board => "board",
            Self::At => "at",
            Self::Free => "free",
            Self::Status => "status",
            Self::Seat => "seat",
            Self::Go => "go",
            Self::Hint => "hint",
            Self::Analyze => "analyze",
            Self::Perft => "perft",
            Self::Game => "game",
            Self::Games => "games",
            Self::Drop => "drop",
            Self::Help => "help",
            Self::Quit => "quit",
        }
    }

    /// What may follow the verb.
    #[must_use]
    pub const fn arguments(self) -> &'static str {
        match self {
            Self::Play => "[MARK] ROW COL|NUMBER [@VERSION]",
            Self::Undo | Self::Redo => "[N] [@VERSION]",
            Self::New => "[SIZE [K]] [@VERSION]",
            Self::Replay => "ROW COL ... [@VERSION]",
            Self::Position => "DIAGRAM [K] [@VERSION]",
            Self::At => "ROW COL|NUMBER",
            Self::Seat => "MARK PLAYER",
            Self::Go => "[PLAYER] [@VERSION]",
            Self::Hint => "[PLAYER]",
            Self::Perft => "DEPTH",
            Self::Game => "[NAME]",
            Self::Drop => "NAME",
            Self::Help => "[COMMAND]",
            Self::Moves
            | Self::Board
            | Self::Free
            | Self::Status
            | Self::Analyze
            | Self::Games
            | Self::Quit => "",
        }
    }

    /// What the command does, in one line.
    const fn summary(self) -> &'static str {
        match self {
            Self::Play => "move to a square; \"0 2\" alone does it too",
            Self::Undo => "take back the last move, or the last N",
            Self::Redo => "play an undone move again, or N of them",
            Self::New => "start a fresh game",
            Self::Replay => "start a fresh game with these moves",
            Self::Moves => "list the moves so far, as \"replay\" reads them",
            Self::Position => "set a board up",
            Self::Board => "draw the board",
            Self::At => "say who occupies a square",
            Self::Free => "list the empty squares",
            Self::Status => "say how the game stands",
            Self::Seat => "let a player move for X or O from now on",
            Self::Go => "let a computer player make this move",
            Self::Hint => "say what a computer player would play",
            Self::Analyze => "say what every move is worth",
            Self::Perft => "count the move sequences of a length",
            Self::Game => "go over to another game, or say which one this is",
            Self::Games => "list the games of this session",
            Self::Drop => "forget a game",
            Self::Help => "explain a command, or list them all",
            Self::Quit => "leave",
        }
    }

    /// The rest of what there is to know.
    const fn details(self) -> &'static str {
        match self {
            Self::Play => {
                "Rows and columns count from 0 at the top left: on a 3 x 3 board \"play 0 2\" is the\n\
                 top right corner. \"play 3\" is the same square by number, from 1, row by row.\n\
                 \"play\" may be left out: \"0 2\", \"0,2\" and \"3\" are moves.\n\
                 With a MARK, X or O, the move is refused on the other mark's turn. With @VERSION it\n\
                 is refused as STALE unless the game is at that version; \"status\" tells it."
            }
            Self::Undo => {
                "Works out of a won or drawn game too. More moves than were made are refused, and\n\
                 then none is taken back."
            }
            Self::Redo => "A new move forgets the undone ones.",
            Self::New => {
                "SIZE is a number, \"3\", or rows and columns, \"6x7\": sides from 1 to 1024. K is how\n\
                 many in a row win, the shorter side if left out. Without a SIZE the board and K\n\
                 stay. \"new 15 5\" is gomoku. \"reset\" is another word for it."
            }
            Self::Replay => {
                "\"replay 0 0 1 1 0 1\" plays three moves on a fresh board of the same size. The reply\n\
                 is the verdict of the last one. If any is refused, the old game stands."
            }
            Self::Moves => "A game that was set up with \"position\" lists the moves since then.",
            Self::Position => {
                "DIAGRAM has the rows from the top with \"/\" between them: X, O, and \".\", \"-\" or \"_\"\n\
                 for an empty square, or a number for so many of them. \"XX./.O./O..\" and \"XX1/1O1/O2\"\n\
                 are the same. Who moves follows from the counts. K stays if the size does, else it\n\
                 is the shorter side. A board that no game can reach is refused."
            }
            Self::Board => "\"show\" is another word for it.",
            Self::At => "Takes a number too: \"at 5\" is the centre of a 3 x 3 board.",
            Self::Free => "Row by row.",
            Self::Status => {
                "Tells whose turn it is or who won, the size, the number of moves and the version,\n\
                 which goes up by one at each change."
            }
            Self::Seat => {
                "\"seat O best\" makes the computer move for O as soon as it is its turn, in every game;\n\
                 \"seat O human\" ends that. PLAYER is human, random (any square), rules (wins, blocks,\n\
                 else takes the middle), minimax (the textbook search) or best (as well as it can)."
            }
            Self::Go => {
                "PLAYER is random, rules, minimax or best, which is the default. \"help seat\" tells who is who."
            }
            Self::Hint => {
                "Tells the move and what it is score, and leaves the game as it is. PLAYER is random,\n\
                 rules, minimax or best, which is the default."
            }
            Self::Analyze => {
                "Draws the board with a sign on every empty square: what the side to move gets by\n\
                 playing there, and in how many moves, counting that one."
            }
            Self::Perft => {
                "\"perft 9\" counts the games of nine moves from here. A finished game is not extended."
            }
            Self::Game => {
                "A session holds many games. \"game NAME\" goes over to one of them, made on first\n\
                 use; the first is called main. Names have up to 64 bytes."
            }
            Self::Games => "In the order of their names.",
            Self::Drop => {
                "Dropping the game that is being played goes over to main. A game of that name, main\n\
                 included, starts afresh at version 0 when it is used again."
            }
            Self::Help => "\"help play\" explains how to move.",
            Self::Quit => "So does the end of the input. \"exit\" is another word for it.",
        }
    }

    /// How the command is written: `undo [N] [@VERSION]`.
    #[must_use]
    pub fn usage(self) -> String {
        format!("{} {}", self.name(), self.arguments())
            .trim_end()
            .to_owned()
    }

    /// The help for this command, several lines.
    #[must_use]
    pub fn help(self) -> String {
        format!("{}: {}\n{}", self.usage(), self.summary(), self.details())
    }
}

/// The help for the whole program: a first lesson and a line a command.
#[must_use]
pub fn overview() -> String {
    let width = Verb::ALL.map(|verb| verb.usage().len());
    let width = width.into_iter().max().unwrap_or_default();
    let lines = Verb::ALL.map(|verb| format!("  {:width$}  {}\n", verb.usage(), verb.summary()));
    format!(
        "type a square to move there, or a command\n\
         \"0 2\" is row 0, column 2, counted from the top left; \"3\" is the same square by number.\n\
         {}\
         Words are separated by blanks, tabs or commas; # starts a comment. \"help COMMAND\" says more.",
        lines.concat()
    )
}

impl FromStr for Verb {
    type Err = CommandError;

    /// Reads a verb or a synonym in any case. The commands that scripts are made of come first.
    fn from_str(word: &str) -> Result<Self, CommandError> {
        let verbs = Self::ALL.into_iter().map(|verb| (verb.name(), verb));
        verbs
            .chain(Self::SYNONYMS)
            .find(|(name, _)| name.eq_ignore_ascii_case(word))
            .map(|(_, verb)| verb)
            .ok_or_else(|| CommandError::unknown(word))
    }
}

/// A square as it was typed, on the board or not: any whole number of 64 bits, signed or not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// Row and column, 0-based.
    At(i128, i128),
    /// Number, 1-based, row by row.
    Nth(i128),
}

impl Place {
    /// The square on a board of `shape`, or one that is off every board.
    #[must_use]
    pub fn on(self, shape: Shape) -> Square {
        let (row, col) = match self {
            Self::At(row, col) => (row, col),
            Self::Nth(number) => {
                let cols = i128::from(shape.cols());
                let index = number - 1;
                (index.div_euclid(cols), index.rem_euclid(cols))
            }
        };
        let side = |number| u16::try_from(number).unwrap_or(u16::MAX);
        Square {
            row: side(row),
            col: side(col),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(row, col) => write!(f, "{row} {col}"),
            Self::Nth(number) => write!(f, "{number}"),
        }
    }
}

/// The sides of a board as they were typed: `3`, or `6x7` for rows and columns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Size {
    /// Rows.
    pub rows: u64,
    /// Columns.
    pub cols: u64,
}

impl Size {
    /// The shape of this size where `k` in a row win, or the shorter side if `k` is left out.
    ///
    /// # Errors
    ///
    /// [`ShapeError`] where the sides or `k` are out of range.
    pub fn shape(self, k: Option<u64>) -> Result<Shape, ShapeError> {
        let Self { rows, cols } = self;
        Shape::new(rows, cols, k.unwrap_or(rows.min(cols)))
    }
}

impl FromStr for Size {
    type Err = CommandError;

    fn from_str(word: &str) -> Result<Self, CommandError> {
        let (rows, cols) = word.split_once(['x', 'X']).unwrap_or((word, word));
        let side = |digits| {
            whole(digits).ok_or_else(|| CommandError::malformed(word, "a size such as 3 or 6x7"))
        };
        Ok(Self {
            rows: side(rows)?,
            cols: side(cols)?,
        })
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.rows, self.cols)
    }
}

/// A board as it was typed: `XX./.O./O..`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagram {
    /// The length of each row: 1 to 1024 rows of at most 1024 squares.
    lengths: Vec<u16>,
    marks: Vec<(Square, Mark)>,
}

/// The first row of a diagram that is not as long as row 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ragged {
    row: usize,
    found: u16,
    expected: u16,
}

impl fmt::Display for Ragged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            row,
            found,
            expected,
        } = self;
        write!(
            f,
            "row {row} has length {found}, but row 0 has {expected}: rows must be equally long"
        )
    }
}

impl Diagram {
    /// The size of the board.
    ///
    /// # Errors
    ///
    /// [`Ragged`] where the rows have different lengths.
    pub fn size(&self) -> Result<Size, Ragged> {
        let expected = self.lengths.first().copied().unwrap_or_default();
        let odd = self
            .lengths
            .iter()
            .enumerate()
            .find(|(_, found)| **found != expected);
        match odd {
            Some((row, &found)) => Err(Ragged {
                row,
                found,
                expected,
            }),
            None => Ok(Size {
                rows: self.lengths.len() as u64,
                cols: expected.into(),
            }),
        }
    }

    /// The marks, row by row.
    #[must_use]
    pub fn marks(&self) -> &[(Square, Mark)] {
        &self.marks
    }
}

impl FromStr for Diagram {
    type Err = CommandError;

    fn from_str(word: &str) -> Result<Self, CommandError> {
        const EXPECTED: &str = "rows of X, O and . with / between them";
        let mut diagram = Self {
            lengths: Vec::new(),
            marks: Vec::new(),
        };
        for text in word.split('/') {
            let row = diagram.lengths.len() as u64;
            let mut length: u64 = 0;
            let mut rest = text;
            while let Some(first) = rest.chars().next() {
                let digits =
                    rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
                let (part, after) = rest.split_at(digits.max(first.len_utf8()));
                rest = after;
                let mark = part.parse::<Mark>().ok();
                let squares = match part {
                    "." | "-" | "_" => Some(1),
                    _ if mark.is_some() => Some(1),
                    _ => whole(part),
                };
                let Some(squares) = squares else {
                    return Err(CommandError::malformed(word, EXPECTED));
                };
                if let (Some(mark), Ok(row), Ok(col)) =
                    (mark, u16::try_from(row), u16::try_from(length))
                {
                    diagram.marks.push((Square { row, col }, mark));
                }
                length = length.saturating_add(squares);
                if length > Shape::MAX_SIDE.into() {
                    break;
                }
            }
            if (row + 1).max(length) > Shape::MAX_SIDE.into() {
                return Err(CommandError::TooLarge);
            }
            diagram.lengths.extend(u16::try_from(length));
        }
        Ok(diagram)
    }
}

impl fmt::Display for Diagram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut marks = self.marks.iter().peekable();
        for (row, &length) in self.lengths.iter().enumerate() {
            if row > 0 {
                f.write_str("/")?;
            }
            if length == 0 {
                // A diagram of nothing at all would be no word.
                f.write_str("0")?;
            }
            for col in 0..length {
                let here = |(square, _): &&(Square, Mark)| {
                    usize::from(square.row) == row && square.col == col
                };
                f.write_str(marks.next_if(here).map_or(".", |(_, mark)| mark.name()))?;
            }
        }
        Ok(())
    }
}

/// What a game is called: one word of 1 to 64 bytes, without control characters.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Name(String);

impl Name {
    /// The longest name, in bytes.
    pub const MAX: usize = 64;

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for Name {
    /// The game that a session starts with.
    fn default() -> Self {
        Self("main".to_owned())
    }
}

impl FromStr for Name {
    type Err = CommandError;

    fn from_str(word: &str) -> Result<Self, CommandError> {
        let never = |c: char| c.is_control() || is_separator(c);
        let is_comment = word.starts_with('#');
        if word.is_empty() || word.len() > Self::MAX || word.contains(never) || is_comment {
            let expected = "a name of up to 64 bytes without control characters";
            return Err(CommandError::malformed(word, expected));
        }
        Ok(Self(word.to_owned()))
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why a line is no command. What is quoted of it is cut to 64 bytes and escaped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CommandError {
    /// The first word is no verb.
    Unknown {
        /// The word, quoted.
        word: String,
        /// What it may have been meant for.
        nearest: Option<&'static str>,
    },
    /// An argument is missing.
    Missing(Verb),
    /// There is a word too many.
    Extra {
        /// The command.
        verb: Verb,
        /// The word, quoted.
        word: String,
    },
    /// A word is not what stands there.
    Malformed {
        /// The word, quoted.
        word: String,
        /// What would be right.
        expected: &'static str,
    },
    /// A row without its column.
    Unpaired {
        /// The row, quoted.
        word: String,
    },
    /// A diagram with more rows or columns than a board can have.
    TooLarge,
    /// A byte that is not UTF-8.
    NotUtf8 {
        /// The byte.
        byte: u8,
        /// Where it is in the line, 1-based.
        column: usize,
    },
    /// A line of more bytes than are read.
    TooLong {
        /// The most bytes that a line may have.
        most: usize,
    },
}

impl CommandError {
    fn unknown(word: &str) -> Self {
        // A mark alone is a move without its verb.
        let nearest = match word.parse() {
            Ok(Mark::X) => Some("play X"),
            Ok(Mark::O) => Some("play O"),
            Err(ParseMarkError) => nearest(word),
        };
        Self::Unknown {
            word: quoted(word),
            nearest,
        }
    }

    /// The command that was understood before it turned out to be beyond a limit.
    #[must_use]
    pub const fn verb(&self) -> Option<Verb> {
        match self {
            Self::TooLarge => Some(Verb::Position),
            _ => None,
        }
    }

    fn malformed(word: &str, expected: &'static str) -> Self {
        Self::Malformed {
            word: quoted(word),
            expected,
        }
    }
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown {
                word,
                nearest: Some(nearest),
            } => {
                write!(f, "unknown command {word}: did you mean \"{nearest}\"?")
            }
            Self::Unknown {
                word,
                nearest: None,
            } => {
                write!(f, "unknown command {word}: \"help\" lists the commands")
            }
            Self::Missing(verb) => {
                write!(
                    f,
                    "\"{}\" needs more: it is written \"{}\"",
                    verb.name(),
                    verb.usage()
                )
            }
            Self::Extra { verb, word } => {
                write!(
                    f,
                    "{word} is too much for \"{}\": it is written \"{}\"",
                    verb.name(),
                    verb.usage()
                )
            }
            Self::Malformed { word, expected } => write!(f, "found {word}, expected {expected}"),
            Self::Unpaired { word } => write!(
                f,
                "{word} has no column: \"replay\" takes rows and columns in pairs"
            ),
            Self::TooLarge => write!(
                f,
                "the diagram is too large: rows and columns must be 1 to {}",
                Shape::MAX_SIDE
            ),
            Self::NotUtf8 { byte, column } => {
                write!(
                    f,
                    "byte {byte:#04x} at column {column} is not UTF-8: a line is UTF-8 text"
                )
            }
            Self::TooLong { most } => {
                write!(f, "the line is longer than {most} bytes: it was skipped")
            }
        }
    }
}

impl std::error::Error for CommandError {}

/// `word` as a message quotes it: in double quotes, 64 bytes at most, control characters escaped.
#[must_use]
pub fn quoted(word: &str) -> String {
    const MOST: usize = 64;
    let end = word.floor_char_boundary(MOST);
    match word.split_at(end) {
        (word, "") => format!("{word:?}"),
        (start, _) => format!("{start:?}..."),
    }
}

/// The verb or synonym that differs least from `word`, by two slips of the finger at most.
fn nearest(word: &str) -> Option<&'static str> {
    let word = word.to_ascii_lowercase();
    let longest = Verb::ALL.map(|verb| verb.name().len()).into_iter().max();
    if longest.is_none_or(|longest| word.len() > longest + 2) {
        return None;
    }
    let names = Verb::ALL.into_iter().map(Verb::name);
    names
        .chain(Verb::SYNONYMS.map(|(name, _)| name))
        .map(|name| (strsim::osa_distance(&word, name), name))
        .filter(|(slips, name)| *slips <= 2 && slips * 2 < name.len())
        .min_by_key(|(slips, _)| *slips)
        .map(|(_, name)| name)
}

/// Whether `c` stands between words.
pub(crate) const fn is_separator(c: char) -> bool {
    matches!(c, ' ' | '\t' | ',')
}

/// The words of a line: what stands between blanks, tabs and commas.
#[derive(Clone)]
struct Words<'a>(&'a str);

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let separator = |byte: &u8| is_separator(char::from(*byte));
        let bytes = self.0.as_bytes();
        let start = bytes.iter().position(|byte| !separator(byte))?;
        let rest = self.0.get(start..)?;
        let end = rest
            .bytes()
            .position(|byte| separator(&byte))
            .unwrap_or(rest.len());
        let (word, rest) = rest.split_at_checked(end)?;
        self.0 = rest;
        Some(word)
    }
}

/// The words after the verb.
struct Arguments<'a> {
    verb: Verb,
    words: Words<'a>,
}

impl<'a> Arguments<'a> {
    /// The next word, which must be there.
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

    /// A place that starts with `first`.
    fn place(&mut self, first: &str) -> Result<Place, CommandError> {
        let first = number(first)?;
        match self.optional() {
            Some(second) => Ok(Place::At(first, number(second)?)),
            None => Ok(Place::Nth(first)),
        }
    }

    /// `[MARK] ROW COL` or `[MARK] NUMBER`.
    fn play(mut self) -> Result<Command, CommandError> {
        let mut word = self.word()?;
        let mark = word.parse().ok();
        if mark.is_some() {
            word = self.word()?;
        } else if number(word).is_err() {
            let expected = "X, O or a whole number of at most 64 bits";
            return Err(CommandError::malformed(word, expected));
        }
        let place = self.place(word)?;
        let seen = self.version()?;
        Ok(Command::Play { mark, place, seen })
    }

    /// `ROW COL ...`
    fn replay(mut self) -> Result<Command, CommandError> {
        // A game is over before it has a move more than its board has squares.
        let most = usize::from(Shape::MAX_SIDE).pow(2) + 1;
        let mut places = Vec::new();
        while let Some(row) = self.optional() {
            let Some(col) = self.optional() else {
                number(row)?;
                return Err(CommandError::Unpaired { word: quoted(row) });
            };
            let (row, col) = (number(row)?, number(col)?);
            if places.len() < most {
                places.push(Place::At(row, col));
            }
        }
        if places.is_empty() {
            return Err(CommandError::Missing(self.verb));
        }
        let seen = self.version()?;
        Ok(Command::Replay { places, seen })
    }

    /// `[PLAYER]`, one that is not human.
    fn computer(&mut self) -> Result<Kind, CommandError> {
        const EXPECTED: &str = "a computer player: random, rules, minimax or best";
        match self.optional() {
            None => Ok(Kind::Best),
            Some(word) => match word.parse() {
                Ok(Kind::Human) | Err(ParseKindError) => {
                    Err(CommandError::malformed(word, EXPECTED))
                }
                Ok(kind) => Ok(kind),
            },
        }
    }

    /// `[N]` and the end of a command that changes the game.
    fn count_and_version(mut self) -> Result<(Option<u64>, Option<u64>), CommandError> {
        let count = self.optional().map(count).transpose()?;
        Ok((count, self.version()?))
    }

    /// The end of a command that changes the game: `@VERSION`, or nothing.
    fn version(mut self) -> Result<Option<u64>, CommandError> {
        let Some(word) = self.words.next() else {
            return Ok(None);
        };
        let Some(digits) = word.strip_prefix('@') else {
            return Err(CommandError::Extra {
                verb: self.verb,
                word: quoted(word),
            });
        };
        let version =
            whole(digits).ok_or_else(|| CommandError::malformed(word, "a version such as @0"))?;
        self.end().map(|()| Some(version))
    }

    /// The end of the line.
    fn end(mut self) -> Result<(), CommandError> {
        match self.words.next() {
            Some(word) => Err(CommandError::Extra {
                verb: self.verb,
                word: quoted(word),
            }),
            None => Ok(()),
        }
    }
}

/// A whole number of 64 bits, signed or not.
fn number(word: &str) -> Result<i128, CommandError> {
    let (digits, sign) = word
        .strip_prefix('-')
        .map_or((word, 1), |digits| (digits, -1));
    let most = if sign > 0 {
        u64::MAX
    } else {
        i64::MIN.unsigned_abs()
    };
    match whole(digits).filter(|number| *number <= most) {
        Some(number) => Ok(sign * i128::from(number)),
        None => Err(CommandError::malformed(
            word,
            "a whole number of at most 64 bits",
        )),
    }
}

fn count(word: &str) -> Result<u64, CommandError> {
    whole(word)
        .ok_or_else(|| CommandError::malformed(word, "a whole number from 0, of at most 64 bits"))
}

fn player(word: &str) -> Result<Kind, CommandError> {
    word.parse()
        .map_err(|_| CommandError::malformed(word, ParseKindError::EXPECTED))
}

/// Digits alone, to 64 bits: no sign, which `parse` would let pass.
fn whole(digits: &str) -> Option<u64> {
    if digits.starts_with('+') {
        None
    } else {
        digits.parse().ok()
    }
}

impl FromStr for Command {
    type Err = CommandError;

    /// Reads a line without its comment and line end, and with a word at least. Linear in its
    /// length; only `replay`, `position` and names allocate.
    fn from_str(line: &str) -> Result<Self, CommandError> {
        let mut words = Words(line);
        let first = words.next().unwrap_or_default();
        let mut bytes = first.bytes();
        let is_move = match bytes.next() {
            Some(b'-') => bytes.next().is_some_and(|byte| byte.is_ascii_digit()),
            byte => byte.is_some_and(|byte| byte.is_ascii_digit()),
        };
        if is_move {
            let mut rest = Arguments {
                verb: Verb::Play,
                words,
            };
            let place = rest.place(first)?;
            return Ok(Self::Play {
                mark: None,
                place,
                seen: rest.version()?,
            });
        }
        let verb = first.parse()?;
        let mut rest = Arguments { verb, words };
        let command = match verb {
            Verb::Play => return rest.play(),
            Verb::Undo => {
                let (count, seen) = rest.count_and_version()?;
                return Ok(Self::Undo { count, seen });
            }
            Verb::Redo => {
                let (count, seen) = rest.count_and_version()?;
                return Ok(Self::Redo { count, seen });
            }
            Verb::New => {
                let size = rest.optional().map(Size::from_str).transpose()?;
                let (k, seen) = rest.count_and_version()?;
                return Ok(Self::New { size, k, seen });
            }
            Verb::Replay => return rest.replay(),
            Verb::Position => {
                let diagram = rest.word()?.parse()?;
                let (k, seen) = rest.count_and_version()?;
                return Ok(Self::Position { diagram, k, seen });
            }
            Verb::At => {
                let first = rest.word()?;
                Self::At(rest.place(first)?)
            }
            Verb::Seat => {
                let mark = rest.word()?;
                let mark = mark
                    .parse()
                    .map_err(|_| CommandError::malformed(mark, "a mark, X or O"))?;
                Self::Seat(mark, player(rest.word()?)?)
            }
            Verb::Go => {
                let player = rest.computer()?;
                return Ok(Self::Go {
                    player,
                    seen: rest.version()?,
                });
            }
            Verb::Hint => Self::Hint(rest.computer()?),
            Verb::Perft => Self::Perft(count(rest.word()?)?),
            Verb::Analyze => Self::Analyze,
            Verb::Game => Self::Game(rest.words.next().map(Name::from_str).transpose()?),
            Verb::Drop => Self::Drop(rest.word()?.parse()?),
            Verb::Help => Self::Help(rest.words.next().map(Verb::from_str).transpose()?),
            Verb::Moves => Self::Moves,
            Verb::Board => Self::Board,
            Verb::Free => Self::Free,
            Verb::Status => Self::Status,
            Verb::Games => Self::Games,
            Verb::Quit => Self::Quit,
        };
        rest.end()?;
        Ok(command)
    }
}

impl Command {
    /// The verb of the command.
    #[must_use]
    pub const fn verb(&self) -> Verb {
        match self {
            Self::Play { .. } => Verb::Play,
            Self::Undo { .. } => Verb::Undo,
            Self::Redo { .. } => Verb::Redo,
            Self::New { .. } => Verb::New,
            Self::Replay { .. } => Verb::Replay,
            Self::Moves => Verb::Moves,
            Self::Position { .. } => Verb::Position,
            Self::Board => Verb::Board,
            Self::At(_) => Verb::At,
            Self::Free => Verb::Free,
            Self::Status => Verb::Status,
            Self::Seat(..) => Verb::Seat,
            Self::Go { .. } => Verb::Go,
            Self::Hint(_) => Verb::Hint,
            Self::Analyze => Verb::Analyze,
            Self::Perft(_) => Verb::Perft,
            Self::Game(_) => Verb::Game,
            Self::Games => Verb::Games,
            Self::Drop(_) => Verb::Drop,
            Self::Help(_) => Verb::Help,
            Self::Quit => Verb::Quit,
        }
    }
}

impl fmt::Display for Command {
    /// Writes the command so that it reads as itself again.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.verb().name())?;
        let seen = match self {
            Self::Play { mark, place, seen } => {
                if let Some(mark) = mark {
                    write!(f, " {mark}")?;
                }
                write!(f, " {place}")?;
                seen
            }
            Self::Undo { count, seen } | Self::Redo { count, seen } => {
                if let Some(count) = count {
                    write!(f, " {count}")?;
                }
                seen
            }
            Self::New { size, k, seen } => {
                if let Some(size) = size {
                    write!(f, " {size}")?;
                }
                if let Some(k) = k {
                    write!(f, " {k}")?;
                }
                seen
            }
            Self::Replay { places, seen } => {
                for place in places {
                    write!(f, " {place}")?;
                }
                seen
            }
            Self::Position { diagram, k, seen } => {
                write!(f, " {diagram}")?;
                if let Some(k) = k {
                    write!(f, " {k}")?;
                }
                seen
            }
            Self::Go { player, seen } => {
                write!(f, " {player}")?;
                seen
            }
            Self::At(place) => return write!(f, " {place}"),
            Self::Seat(mark, player) => return write!(f, " {mark} {player}"),
            Self::Hint(player) => return write!(f, " {player}"),
            Self::Perft(depth) => return write!(f, " {depth}"),
            Self::Game(Some(name)) | Self::Drop(name) => return write!(f, " {name}"),
            Self::Help(Some(verb)) => return write!(f, " {}", verb.name()),
            Self::Moves
            | Self::Board
            | Self::Free
            | Self::Status
            | Self::Analyze
            | Self::Game(None)
            | Self::Games
            | Self::Help(None)
            | Self::Quit => return Ok(()),
        };
        match seen {
            Some(seen) => write!(f, " @{seen}"),
            None => Ok(()),
        }
    }
}
