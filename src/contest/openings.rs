//! Openings: the moves with which the games of a match begin, each for two games.

use std::error::Error;
use std::fmt;
use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

use crate::command::Size;
use crate::game::{Game, Mark, Shape, Square};
use crate::records::{Defaults, Format, Place, ReadError};
use crate::search::mix;
use crate::shell::printable;

/// The openings of a match, in their order.
#[derive(Clone, Debug)]
pub enum Openings {
    /// Random marks near the centre, so many, which follow from the seed. None are the empty board.
    Random { marks: usize, seed: u64 },
    /// These games, one after the other and again from the first. There is one at least.
    Games(Vec<Game>),
}

/// The error of openings that are not found: so many marks that decide no game at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoOpening {
    marks: usize,
    shape: Shape,
}

impl fmt::Display for NoOpening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { marks, shape } = self;
        let (rows, cols, k) = (shape.rows(), shape.cols(), shape.k());
        write!(
            f,
            "found no opening of {marks} marks on {rows} x {cols}, {k} in a row, after which \
             neither side wins at once: expected fewer marks"
        )
    }
}

impl Error for NoOpening {}

/// The error of a file of openings that cannot be used.
#[derive(Debug)]
pub enum OpeningsError {
    /// The ending of the file's name is none of a format that is read.
    Format(PathBuf),
    Io(PathBuf, io::Error),
    /// There is no game.
    Empty(PathBuf),
    /// A game cannot be read.
    Game(PathBuf, Place, ReadError),
    /// A game is over.
    Over(PathBuf, Place),
    /// A game is on another board than the first one, or than the flags say.
    Shape {
        path: PathBuf,
        place: Place,
        found: Shape,
        expected: Shape,
    },
}

impl fmt::Display for OpeningsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = |path: &Path, place: &Place| match place {
            Place::Line(line) => format!("{}:{line}", printable(path)),
            Place::Game(_) => format!("{}: {place}", printable(path)),
        };
        let board = |shape: &Shape| {
            let exact = if shape.is_exact() { " exactly" } else { "" };
            format!("{} x {}, {}{exact} in a row", shape.rows(), shape.cols(), shape.k())
        };
        match self {
            Self::Format(path) => {
                let endings: Vec<String> = Format::ALL
                    .iter()
                    .filter(|format| format.is_read())
                    .flat_map(|format| format.endings())
                    .map(|ending| format!(".{ending}"))
                    .collect();
                let endings = endings.join(" ");
                write!(f, "{}: its ending names no format to read: {endings}", printable(path))
            }
            Self::Io(path, error) => write!(f, "{}: {error}", printable(path)),
            Self::Empty(path) => {
                write!(f, "{}: found no game, expected an opening or more", printable(path))
            }
            Self::Game(path, place, error) => write!(f, "{}: {error}", at(path, place)),
            Self::Over(path, place) => {
                write!(f, "{}: the game is over, expected an opening", at(path, place))
            }
            Self::Shape { path, place, found, expected } => {
                let (at, found, expected) = (at(path, place), board(found), board(expected));
                write!(f, "{at}: found a game of {found}, expected {expected}")
            }
        }
    }
}

impl Error for OpeningsError {}

impl Openings {
    /// The greatest distance of random marks from the centre, small enough that they matter to each
    /// other. Many marks spread more.
    const SPREAD: usize = 3;

    /// The random openings that are tried before there seems to be none.
    const TRIES: usize = 1000;

    /// Reads the games of a file, in the format that follows from its ending. All are of one shape;
    /// `defaults` say it as far as flags do.
    ///
    /// # Errors
    ///
    /// [`OpeningsError`].
    pub fn read(path: &Path, defaults: Defaults) -> Result<(Self, Shape), OpeningsError> {
        let owned = || path.to_owned();
        let format = Format::of_path(path).filter(|format| format.is_read());
        let format = format.ok_or_else(|| OpeningsError::Format(owned()))?;
        let file = File::open(path).map_err(|error| OpeningsError::Io(owned(), error))?;
        let mut games: Vec<Game> = Vec::new();
        for found in format.read(BufReader::new(file), defaults) {
            let found = found.map_err(|error| OpeningsError::Io(owned(), error))?;
            let place = found.place;
            let game = found.record.map_err(|error| OpeningsError::Game(owned(), place, error))?;
            let game = game.game();
            if game.outcome().is_some() {
                return Err(OpeningsError::Over(owned(), place));
            }
            let found = game.board().shape();
            let expected = games.first().map_or(found, |first| first.board().shape());
            let size = defaults.size.unwrap_or(Size::from(expected));
            let shape = size.shape(Some(defaults.k.unwrap_or(expected.k().into())));
            let exact = defaults.exact || expected.is_exact();
            let expected = shape.unwrap_or(expected).with_exact(exact);
            if found != expected {
                return Err(OpeningsError::Shape { path: owned(), place, found, expected });
            }
            games.push(game.clone());
        }
        let shape = games.first().map(|first| first.board().shape());
        let shape = shape.ok_or_else(|| OpeningsError::Empty(owned()))?;
        Ok((Self::Games(games), shape))
    }

    /// Returns the opening of the n-th pair of games.
    ///
    /// # Errors
    ///
    /// [`NoOpening`] where the random ones decide the game.
    pub fn nth(&self, shape: Shape, nth: u64) -> Result<Game, NoOpening> {
        match self {
            Self::Games(games) => {
                let count = games.len().max(1) as u64;
                let at = usize::try_from(nth % count).unwrap_or_default();
                Ok(games.get(at).cloned().unwrap_or(Game::new(shape)))
            }
            &Self::Random { marks, seed } => {
                let mut chance = Pcg64Mcg::seed_from_u64(mix(seed) ^ nth);
                let mut squares = centre(shape, marks);
                let mut tries = (0..Self::TRIES).filter_map(|_| {
                    let game = random(shape, &mut squares, marks, &mut chance)?;
                    is_open(&game).then_some(game)
                });
                tries.next().ok_or(NoOpening { marks, shape })
            }
        }
    }

    /// Returns how many openings there are before the first one comes again, where that is known.
    #[must_use]
    pub fn count(&self) -> Option<u64> {
        match self {
            Self::Random { marks: 0, .. } => Some(1),
            Self::Random { .. } => None,
            Self::Games(games) => Some(games.len() as u64),
        }
    }
}

/// Lists the squares near the centre, at least twice as many as there are marks if the board has
/// them.
fn centre(shape: Shape, marks: usize) -> Vec<Square> {
    let mut spread = Openings::SPREAD;
    while (2 * spread + 1).pow(2) < 2 * marks {
        spread += 1;
    }
    let near = |at: u16, side: u16| usize::from(at.abs_diff(side / 2)) <= spread;
    let is_near = |s: &Square| near(s.row, shape.rows()) && near(s.col, shape.cols());
    shape.iter().filter(is_near).collect()
}

/// Plays `marks` moves on some of the squares: `None` where a line is completed or there are too
/// few.
fn random(
    shape: Shape,
    squares: &mut [Square],
    marks: usize,
    chance: &mut Pcg64Mcg,
) -> Option<Game> {
    let mut game = Game::new(shape);
    for at in 0..marks {
        // One of those that are left takes its place among those that are played.
        let left = squares.len().checked_sub(at).filter(|left| *left > 0)? as u64;
        let other = (u128::from(chance.next_u64()) * u128::from(left)) >> 64;
        squares.swap(at, at + usize::try_from(other).unwrap_or_default());
        game.play(*squares.get(at)?).ok()?;
    }
    Some(game)
}

/// Tells whether neither side wins at once: the side to move completes no line, and can prevent
/// that the other one does.
fn is_open(game: &Game) -> bool {
    let Some(turn) = game.turn() else { return false };
    let board = game.board();
    let wins = |mark: Mark| board.free().filter(move |s| board.would_complete(*s, mark)).count();
    wins(turn) == 0 && wins(turn.other()) <= 1
}
