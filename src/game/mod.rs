//! The rules: a game with its turns, its end and its history. Nothing else is used here.

mod board;
mod error;
mod shape;

use std::fmt;

pub use self::board::{Board, Lines, PlaceError, Run};
pub(crate) use self::error::bounds;
pub use self::error::{MoveCount, PositionError, Refusal, ReplayError};
pub use self::shape::{Mark, ParseMarkError, ParseSquareError, Shape, ShapeError, Square};

/// The consequence of a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The game goes on.
    Ongoing,
    /// The move completed these lines and won.
    Win(Lines),
    /// The move filled the board, and nobody has a line.
    Draw,
}

/// The end of a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// This mark has a line.
    Won(Mark),
    /// The board is full, and nobody has a line.
    Drawn,
}

impl Outcome {
    /// Returns the mark that won, if one did.
    pub const fn winner(self) -> Option<Mark> {
        match self {
            Self::Won(mark) => Some(mark),
            Self::Drawn => None,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Won(mark) => write!(f, "{mark} has won"),
            Self::Drawn => f.write_str("it is a draw"),
        }
    }
}

/// One game: the board, the moves that led to it, and those that were taken back.
///
/// A `Game` moves between threads. Behind a lock, two clients that send a move at the same version
/// get one verdict and one [`Refusal::Stale`].
///
/// ```
/// use noughts::{Game, Mark, Outcome, Shape};
///
/// let mut game = Game::new(Shape::TIC_TAC_TOE);
/// for square in ["0 0", "1 0", "0 1", "1 1", "0 2"] {
///     game.play(square.parse()?)?;
/// }
/// let drawn = "
///     0 1 2
///   0 X X X
///   1 O O .
///   2 . . .";
/// assert_eq!(format!("\n{}", game.board()), drawn);
/// assert_eq!(game.outcome(), Some(Outcome::Won(Mark::X)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[must_use]
pub struct Game {
    board: Board,
    /// The moves made, then the undone ones, next one first. Has room for every square from the
    /// start, so that no move allocates.
    moves: Vec<Square>,
    /// The number of `moves` that are made.
    made: usize,
    outcome: Option<Outcome>,
    version: u64,
}

impl Game {
    /// Makes a fresh game at version 0. Its memory is five bytes a square, taken as it goes on.
    pub fn new(shape: Shape) -> Self {
        Self::from_board(Board::new(shape), None)
    }

    /// Makes a game that starts from `board`, at version 0. The marks on it cannot be undone. The
    /// cost is linear in the size of the board.
    ///
    /// ```
    /// use noughts::{Board, Game, Mark, Shape, Square};
    ///
    /// let mut board = Board::new(Shape::TIC_TAC_TOE);
    /// board.place(Square { row: 1, col: 1 }, Mark::X)?;
    /// assert_eq!(Game::from_position(board)?.turn(), Some(Mark::O));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`PositionError`] where no game can have reached the board: the counts do not fit, both
    /// have a line, the owner of a line has not just moved, or no single mark of it can be taken
    /// away so that no line is left.
    pub fn from_position(board: Board) -> Result<Self, PositionError> {
        let x = board.taken().filter(|(_, mark)| *mark == Mark::X).count();
        let o = board.marks() - x;
        if x != o && x != o + 1 {
            return Err(PositionError::Count { x, o });
        }
        let mut lines = board.lines();
        let Some((winner, line)) = lines.next() else {
            drop(lines);
            let outcome = board.is_full().then_some(Outcome::Drawn);
            return Ok(Self::from_board(board, outcome));
        };
        let mut won = vec![line];
        for (mark, line) in lines {
            if mark != winner {
                return Err(PositionError::BothHaveLines);
            }
            // One move makes four lines at most, so a fifth tells enough.
            if won.len() < 5 {
                won.push(line);
            }
        }
        if winner == Mark::after(board.marks()) {
            return Err(PositionError::WentOn(winner));
        }
        if !board.can_be_one_move(&won) {
            return Err(PositionError::NotOneMove(winner));
        }
        Ok(Self::from_board(board, Some(Outcome::Won(winner))))
    }

    fn from_board(board: Board, outcome: Option<Outcome>) -> Self {
        Self {
            moves: Vec::with_capacity(board.shape().squares() - board.marks()),
            board,
            made: 0,
            outcome,
            version: 0,
        }
    }

    /// Returns the board. Only the game writes it.
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// Returns the mark to move: `None` when the game is over.
    pub fn turn(&self) -> Option<Mark> {
        self.outcome.is_none().then(|| self.next())
    }

    /// Returns the end of the game, if it is over.
    pub const fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// Returns the number of accepted changes, which never goes back.
    pub const fn version(&self) -> u64 {
        self.version
    }

    /// Returns the moves made since the start, oldest first.
    pub fn moves(&self) -> &[Square] {
        self.moves.get(..self.made).unwrap_or_default()
    }

    /// Returns the moves taken back that [`redo`](Self::redo) plays again, the next one first.
    pub fn undone(&self) -> &[Square] {
        self.moves.get(self.made..).unwrap_or_default()
    }

    /// Refuses a caller that has not seen the newest change; accepts `None`.
    ///
    /// # Errors
    ///
    /// [`Refusal::Stale`] where `seen` is not the version.
    pub fn check_version(&self, seen: Option<u64>) -> Result<(), Refusal> {
        let version = self.version;
        match seen {
            Some(seen) if seen != version => Err(Refusal::Stale { seen, version }),
            _ => Ok(()),
        }
    }

    /// Moves for the mark to move. Costs one [`Board::place`]; forgets the undone moves.
    ///
    /// ```
    /// use noughts::{Game, Mark, Refusal, Shape, Square, Verdict};
    ///
    /// let mut game = Game::new(Shape::TIC_TAC_TOE);
    /// let square = Square { row: 1, col: 1 };
    /// assert_eq!(game.play(square), Ok(Verdict::Ongoing));
    /// assert_eq!(game.play(square), Err(Refusal::Occupied { square, by: Mark::X }));
    /// ```
    ///
    /// # Errors
    ///
    /// The first of [`Refusal::GameOver`], [`Refusal::OffBoard`] and [`Refusal::Occupied`] that
    /// holds.
    pub fn play(&mut self, square: Square) -> Result<Verdict, Refusal> {
        self.play_as(None, square, None)
    }

    /// Moves for `mark`, by a caller that has `seen` the game at a version; `None` leaves out that
    /// check.
    ///
    /// ```
    /// use noughts::{Game, Mark, Refusal, Shape, Square};
    ///
    /// let mut game = Game::new(Shape::TIC_TAC_TOE);
    /// let square = Square { row: 1, col: 1 };
    /// game.play_as(Some(Mark::X), square, Some(0))?;
    /// let again = game.play_as(Some(Mark::X), square, Some(1));
    /// assert_eq!(again, Err(Refusal::NotYourTurn { mark: Mark::X }));
    /// let stale = Refusal::Stale { seen: 0, version: 1 };
    /// assert_eq!(game.play_as(None, square, Some(0)), Err(stale));
    /// # Ok::<(), Refusal>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The first that holds of [`Refusal::GameOver`], [`Refusal::Stale`], [`Refusal::NotYourTurn`],
    /// [`Refusal::OffBoard`] and [`Refusal::Occupied`].
    pub fn play_as(
        &mut self,
        mark: Option<Mark>,
        square: Square,
        seen: Option<u64>,
    ) -> Result<Verdict, Refusal> {
        if let Some(outcome) = self.outcome {
            return Err(Refusal::GameOver { outcome });
        }
        self.check_version(seen)?;
        let turn = self.next();
        if let Some(mark) = mark.filter(|mark| *mark != turn) {
            return Err(Refusal::NotYourTurn { mark });
        }
        let lines = self.board.place(square, turn).map_err(|blocked| {
            let shape = self.board.shape();
            match blocked {
                PlaceError::OffBoard => Refusal::OffBoard { square, shape },
                PlaceError::Occupied(by) => Refusal::Occupied { square, by },
            }
        })?;
        self.moves.truncate(self.made);
        self.moves.push(square);
        self.made += 1;
        self.version += 1;
        Ok(self.judge(turn, lines))
    }

    /// Takes back the last `count` moves, also out of a finished game, and returns them in the
    /// order in which they were played. Costs one [`Board::unplace`] a move.
    ///
    /// ```
    /// use noughts::{Game, Shape, Square};
    ///
    /// let mut game = Game::new(Shape::TIC_TAC_TOE);
    /// let square = Square { row: 1, col: 1 };
    /// game.play(square)?;
    /// assert_eq!(game.undo(1)?, [square]);
    /// assert_eq!(game.redo(1)?.0, [square]);
    /// # Ok::<(), noughts::Refusal>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Refusal::NothingToUndo`] where fewer were made.
    pub fn undo(&mut self, count: u64) -> Result<&[Square], Refusal> {
        let made = self.made;
        let left = usize::try_from(count).ok().and_then(|n| made.checked_sub(n));
        let Some(left) = left else {
            let asked = count;
            return Err(Refusal::NothingToUndo { asked, made });
        };
        let taken = self.moves.get(left..made).unwrap_or_default();
        for &square in taken {
            self.board.unplace(square);
        }
        if !taken.is_empty() {
            self.outcome = None;
        }
        self.made = left;
        self.version += 1;
        Ok(taken)
    }

    /// Plays `count` undone moves again, and returns them with the verdict of the last one. Costs
    /// one [`Board::place`] a move.
    ///
    /// # Errors
    ///
    /// [`Refusal::NothingToRedo`] where fewer were taken back.
    pub fn redo(&mut self, count: u64) -> Result<(&[Square], Verdict), Refusal> {
        let undone = self.undone().len();
        let Some(count) = usize::try_from(count).ok().filter(|n| *n <= undone) else {
            let asked = count;
            return Err(Refusal::NothingToRedo { asked, undone });
        };
        let start = self.made;
        let mut verdict = Verdict::Ongoing;
        for next in start..start + count {
            let turn = self.next();
            if let Some(&square) = self.moves.get(next)
                && let Ok(lines) = self.board.place(square, turn)
            {
                verdict = self.judge(turn, lines);
            }
        }
        self.made += count;
        self.version += 1;
        Ok((self.moves.get(start..self.made).unwrap_or_default(), verdict))
    }

    /// Starts a fresh game on a board of `shape`; the version goes on.
    pub fn restart(&mut self, shape: Shape) {
        self.replace(Self::new(shape));
    }

    /// Starts a fresh game of the same shape with these moves, and returns the last one's verdict;
    /// the version goes on.
    ///
    /// ```
    /// use noughts::{Game, Shape, Square, Verdict};
    ///
    /// let mut game = Game::new(Shape::TIC_TAC_TOE);
    /// let corner = Square { row: 0, col: 0 };
    /// assert_eq!(game.replay([corner]), Ok(Verdict::Ongoing));
    /// let error = game.replay([corner, corner]).unwrap_err();
    /// assert_eq!(error.to_string(), "move 2: 0 0 is taken by X");
    /// assert_eq!(game.moves(), [corner]);
    /// ```
    ///
    /// # Errors
    ///
    /// [`ReplayError`] where one of the moves is refused; the old game stands.
    pub fn replay(
        &mut self,
        squares: impl IntoIterator<Item = Square>,
    ) -> Result<Verdict, ReplayError> {
        let mut fresh = Self::new(self.board.shape());
        let mut verdict = Verdict::Ongoing;
        for (index, square) in squares.into_iter().enumerate() {
            verdict = fresh.play(square).map_err(|refusal| ReplayError { index, refusal })?;
        }
        self.replace(fresh);
        Ok(verdict)
    }

    /// Goes on from `board`, as [`from_position`](Self::from_position) does; the version goes on.
    ///
    /// # Errors
    ///
    /// [`PositionError`] where no game can have reached it; the old game stands.
    pub fn set_up(&mut self, board: Board) -> Result<(), PositionError> {
        self.replace(Self::from_position(board)?);
        Ok(())
    }

    fn replace(&mut self, game: Self) {
        let version = self.version + 1;
        *self = Self { version, ..game };
    }

    /// Returns the mark that goes down next, were the game not over.
    const fn next(&self) -> Mark {
        Mark::after(self.board.marks())
    }

    /// Returns the verdict of a mark just placed, and remembers the end.
    fn judge(&mut self, mark: Mark, lines: Option<Lines>) -> Verdict {
        if let Some(lines) = lines {
            self.outcome = Some(Outcome::Won(mark));
            Verdict::Win(lines)
        } else if self.board.is_full() {
            self.outcome = Some(Outcome::Drawn);
            Verdict::Draw
        } else {
            Verdict::Ongoing
        }
    }
}
