//! Questions about one position, asked one by one, each with all that a caller spends on it.

use std::sync::Arc;

use super::attack::Attack;
use super::dfpn::Dfpn;
use super::position::Position;
use super::prover::position;
use super::strategy::{Attacked, Holds, Reader, attacked};
use super::symmetry::Symmetries;
use super::windows::Windows;
use super::word::Word;
use crate::game::{Board, Mark};
use crate::search::{Budget, Spent};

/// A game that a side may hold: the real one, or the Maker-Breaker game, in which lines of the side
/// that holds do not count. A hold there is one in the real game too.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Held {
    /// The Maker-Breaker game.
    Weak,
    /// The real game.
    Real,
}

/// The questions about a position. What a question leaves in the tables speeds up the next one, so
/// that one that ran out of its budget goes on when it is asked again.
pub trait Questions {
    /// True if the side gets a line within so many moves of its own.
    ///
    /// # Errors
    ///
    /// [`Spent`].
    fn wins(&mut self, side: Mark, moves: u32, budget: &mut Budget) -> Result<bool, Spent>;

    /// True if the side keeps the other one from a line.
    ///
    /// # Errors
    ///
    /// [`Spent`].
    fn holds(&mut self, side: Mark, game: Held, budget: &mut Budget) -> Result<bool, Spent>;

    /// The positions in which the side, which wins within so many moves, may get to move.
    ///
    /// # Errors
    ///
    /// [`Spent`].
    fn attack(
        &mut self,
        side: Mark,
        moves: u32,
        budget: &mut Budget,
    ) -> Result<Vec<Attacked>, Spent>;

    /// How the side, which is known to hold, does it.
    ///
    /// # Errors
    ///
    /// [`Spent`].
    fn hold(&mut self, side: Mark, game: Held, budget: &mut Budget) -> Result<Holds, Spent>;

    /// Gives the memory for the Maker-Breaker game to the real one, and forgets both.
    fn drop_weak(&mut self);

    /// The slots of the table for holds that are used, in percent.
    fn percent(&self, game: Held) -> usize;
}

/// The questions about `board` with `turn` to move, with tables of up to `bytes` in all; `None`
/// where [`solver_for`](super::solver_for) has no solver, and when the game is over.
#[must_use]
pub fn questions(board: &Board, turn: Mark, bytes: usize) -> Option<Box<dyn Questions>> {
    let shape = board.shape();
    match shape.squares() {
        _ if shape.is_exact() && shape.k() == 1 => None,
        0..=64 => Some(Box::new(Inquiry::<u64>::new(board, turn, bytes)?)),
        65..=128 => Some(Box::new(Inquiry::<u128>::new(board, turn, bytes)?)),
        _ => None,
    }
}

struct Inquiry<W> {
    /// The position, with the side to move as the attacker.
    position: Position<W>,
    turn: Mark,
    symmetries: Arc<Symmetries<W>>,
    attack: Attack<W>,
    weak: Dfpn<W>,
    real: Dfpn<W>,
    /// The bytes for the game that is searched most.
    bytes: usize,
}

impl<W: Word> Inquiry<W> {
    fn new(board: &Board, turn: Mark, bytes: usize) -> Option<Self> {
        let shape = board.shape();
        let position = position(board, turn)?;
        let symmetries = Arc::new(Symmetries::new(shape));
        let [weak, real] = [false, true].map(|counter| Windows::new(shape, counter));
        let (most, least) = (bytes / 8 * 6, bytes / 8);
        Some(Self {
            position,
            turn,
            attack: Attack::new(real.clone(), symmetries.clone(), least),
            weak: Dfpn::new(weak, symmetries.clone(), most),
            real: Dfpn::new(real, symmetries.clone(), least),
            symmetries,
            bytes: most,
        })
    }

    /// The position with `side` as the attacker.
    fn against(&self, side: Mark) -> Position<W> {
        if side == self.turn { self.position } else { self.position.swapped() }
    }

    fn game(&mut self, game: Held) -> &mut Dfpn<W> {
        match game {
            Held::Weak => &mut self.weak,
            Held::Real => &mut self.real,
        }
    }
}

impl<W: Word> Questions for Inquiry<W> {
    fn wins(&mut self, side: Mark, moves: u32, budget: &mut Budget) -> Result<bool, Spent> {
        let position = self.against(side);
        self.attack.wins_within(moves, position, budget)
    }

    fn holds(&mut self, side: Mark, game: Held, budget: &mut Budget) -> Result<bool, Spent> {
        let position = self.against(side.other());
        self.game(game).holds(position, budget)
    }

    fn attack(
        &mut self,
        side: Mark,
        moves: u32,
        budget: &mut Budget,
    ) -> Result<Vec<Attacked>, Spent> {
        let position = self.against(side);
        attacked(&mut self.attack, position, moves, budget)
    }

    fn hold(&mut self, side: Mark, game: Held, budget: &mut Budget) -> Result<Holds, Spent> {
        let position = self.against(side.other());
        let all = position.attacker | position.defender | position.empty;
        Reader::new(self.game(game), all).read(position, budget)
    }

    fn drop_weak(&mut self) {
        self.weak = Dfpn::new(self.weak.windows.clone(), self.symmetries.clone(), 0);
        self.real = Dfpn::new(self.real.windows.clone(), self.symmetries.clone(), self.bytes);
    }

    fn percent(&self, game: Held) -> usize {
        match game {
            Held::Weak => self.weak.percent(),
            Held::Real => self.real.percent(),
        }
    }
}
