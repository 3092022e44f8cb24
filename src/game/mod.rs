//! Whose turn it is, how the game ended, and how it came there.

mod board;
mod shape;

use std::fmt;

pub use self::board::{Board, Lines, PlaceError, Run};
pub use self::shape::{Mark, ParseMarkError, Shape, ShapeError, Square};

/// What a move led to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The game goes on.
    Ongoing,
    /// The move completed these lines and won.
    Win(Lines),
    /// The move filled the board, and nobody has a line.
    Draw,
}

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// This mark has a line.
    Won(Mark),
    /// The board is full, and nobody has a line.
    Drawn,
}

impl Outcome {
    /// The mark that won, if one did.
    #[must_use]
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

/// Why a change was refused. A refused change leaves no trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// A move after the end.
    GameOver {
        /// How the game ended.
        outcome: Outcome,
    },
    /// The caller has not seen the newest change.
    Stale {
        /// The version that the caller named.
        seen: u64,
        /// The version that the game is at.
        version: u64,
    },
    /// A move for the mark that is not on turn.
    NotYourTurn {
        /// The mark that was to move.
        mark: Mark,
    },
    /// A move off the board.
    OffBoard {
        /// The square that was asked for.
        square: Square,
        /// The board that it is not on.
        shape: Shape,
    },
    /// A move to a square that is taken.
    Occupied {
        /// The square that was asked for.
        square: Square,
        /// Who is there.
        by: Mark,
    },
    /// More moves were to be taken back than were made.
    NothingToUndo {
        /// How many were to be taken back.
        asked: u64,
        /// How many there are.
        made: usize,
    },
    /// More moves were to be played again than were taken back.
    NothingToRedo {
        /// How many were to be played again.
        asked: u64,
        /// How many there are.
        undone: usize,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::GameOver { outcome } => write!(f, "the game is over: {outcome}"),
            Self::Stale { seen, version } => {
                write!(f, "the game is at version {version}, not {seen}")
            }
            Self::NotYourTurn { mark } => {
                write!(f, "it is not {mark}'s turn: {} to move", mark.other())
            }
            Self::OffBoard { square, .. } => write!(f, "{square} is off the board"),
            Self::Occupied { square, by } => write!(f, "{square} is taken by {by}"),
            Self::NothingToUndo { made: 0, .. } => {
                f.write_str("nothing to take back: no move was made")
            }
            Self::NothingToUndo { asked, made } => {
                let s = if made == 1 { "" } else { "s" };
                write!(
                    f,
                    "cannot take back {asked} moves: only {made} move{s} made"
                )
            }
            Self::NothingToRedo { undone: 0, .. } => {
                f.write_str("nothing to play again: no move was taken back")
            }
            Self::NothingToRedo { asked, undone } => {
                let s = if undone == 1 { "" } else { "s" };
                write!(
                    f,
                    "cannot play {asked} moves again: only {undone} move{s} taken back"
                )
            }
        }
    }
}

impl std::error::Error for Refusal {}

/// Which move of a replay was refused, and why.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReplayError {
    /// How many moves before it were fine.
    pub index: usize,
    /// Why this one is not.
    pub refusal: Refusal,
}

/// Why no game can reach a board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PositionError {
    /// X must have as many marks as O, or one more.
    Count {
        /// The marks of X.
        x: usize,
        /// The marks of O.
        o: usize,
    },
    /// Both have a line.
    BothHaveLines,
    /// This mark has a line, and yet the other one moved last.
    WentOn(Mark),
    /// No single last move of this mark can have made its lines.
    NotOneMove(Mark),
}

impl fmt::Display for PositionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count { x, o } => write!(
                f,
                "{x} X and {o} O: X must have as many marks as O, or one more"
            ),
            Self::BothHaveLines => f.write_str("both have a line: the first one ends the game"),
            Self::WentOn(mark) => {
                let other = mark.other();
                write!(f, "{mark} has a line, but {other} has moved since")
            }
            Self::NotOneMove(mark) => {
                write!(
                    f,
                    "no single move of {mark} can have completed all of its line"
                )
            }
        }
    }
}

impl std::error::Error for PositionError {}

/// One game: the board, the moves that led to it, and those that were taken back.
///
/// A `Game` moves between threads. Behind a lock, two clients that send a move at the same version
/// get one verdict and one [`Refusal::Stale`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Game {
    board: Board,
    /// The moves made, then the undone ones, next one first. Has room for every square from the
    /// start, so that no move allocates.
    moves: Vec<Square>,
    /// How many of `moves` are made.
    made: usize,
    outcome: Option<Outcome>,
    version: u64,
}

impl Game {
    /// A fresh game at version 0. Its memory is five bytes a square, taken as the game goes on.
    #[must_use]
    pub fn new(shape: Shape) -> Self {
        Self::from_board(Board::new(shape), None)
    }

    /// A game that starts from `board`, at version 0. What is on it cannot be undone. Linear in the
    /// size of the board.
    ///
    /// # Errors
    ///
    /// [`PositionError`] where no game can have reached the board: the counts do not fit, both
    /// have a line, the owner of a line has not just moved, or no single mark of it can be taken
    /// away so that no line is left.
    pub fn from_position(board: Board) -> Result<Self, PositionError> {
        let marks = board.shape().iter().filter_map(|square| board.at(square));
        let x = marks.filter(|mark| *mark == Mark::X).count();
        let o = board.marks() - x;
        if x != o && x != o + 1 {
            return Err(PositionError::Count { x, o });
        }
        // One move makes four lines at most, so a fifth line of the same mark tells enough.
        let mut lines: [Vec<Run>; 2] = [Vec::new(), Vec::new()];
        for (mark, run) in board.lines() {
            let [of_x, of_o] = &mut lines;
            let own = if mark == Mark::X { of_x } else { of_o };
            if own.len() < 5 {
                own.push(run);
            }
        }
        let (winner, lines) = match &lines {
            [x, o] if x.is_empty() && o.is_empty() => {
                let outcome = board.is_full().then_some(Outcome::Drawn);
                return Ok(Self::from_board(board, outcome));
            }
            [x, o] if o.is_empty() => (Mark::X, x),
            [x, o] if x.is_empty() => (Mark::O, o),
            _ => return Err(PositionError::BothHaveLines),
        };
        let moved_last = if x == o { Mark::O } else { Mark::X };
        if winner != moved_last {
            return Err(PositionError::WentOn(winner));
        }
        if !board.can_be_one_move(lines) {
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

    /// The board. Only the game writes it.
    #[must_use]
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// Who moves: `None` when the game is over.
    #[must_use]
    pub fn turn(&self) -> Option<Mark> {
        self.outcome.is_none().then(|| self.next())
    }

    /// How the game ended, if it did.
    #[must_use]
    pub const fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// Counts the accepted changes; it never goes back.
    #[must_use]
    pub const fn version(&self) -> u64 {
        self.version
    }

    /// The moves made since the start, oldest first.
    #[must_use]
    pub fn moves(&self) -> &[Square] {
        self.moves.get(..self.made).unwrap_or_default()
    }

    /// The moves taken back that [`redo`](Self::redo) plays again, the next one first.
    #[must_use]
    pub fn undone(&self) -> &[Square] {
        self.moves.get(self.made..).unwrap_or_default()
    }

    /// Refuses a caller that has not seen the newest change; fine where none is named.
    ///
    /// # Errors
    ///
    /// [`Refusal::Stale`].
    pub fn check_version(&self, seen: Option<u64>) -> Result<(), Refusal> {
        let version = self.version;
        match seen {
            Some(seen) if seen != version => Err(Refusal::Stale { seen, version }),
            _ => Ok(()),
        }
    }

    /// Moves for whoever's turn it is. Costs one [`Board::place`]; forgets the undone moves.
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
    /// # Errors
    ///
    /// [`Refusal::NothingToUndo`] where fewer were made.
    pub fn undo(&mut self, count: u64) -> Result<&[Square], Refusal> {
        let made = self.made;
        let left = usize::try_from(count)
            .ok()
            .and_then(|n| made.checked_sub(n));
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
        Ok((
            self.moves.get(start..self.made).unwrap_or_default(),
            verdict,
        ))
    }

    /// Starts a fresh game on a board of `shape`; the version goes on.
    pub fn restart(&mut self, shape: Shape) {
        self.replace(Self::new(shape));
    }

    /// Starts a fresh game of the same shape with these moves, and returns the last one's verdict;
    /// the version goes on.
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
            verdict = fresh
                .play(square)
                .map_err(|refusal| ReplayError { index, refusal })?;
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

    /// Whose mark goes down next, were the game not over.
    const fn next(&self) -> Mark {
        Mark::after(self.board.marks())
    }

    /// The verdict of a mark just placed, which it also remembers.
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
