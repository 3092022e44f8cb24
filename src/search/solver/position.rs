//! A position as sets of squares, seen from the side whose win is in question.

use super::word::Word;

/// The side to move. The *attacker* is the side of which a search asks whether it gets a line,
/// whatever its mark is. The *defender* is the other side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Turn {
    #[default]
    Attacker,
    Defender,
}

impl Turn {
    pub const fn other(self) -> Self {
        match self {
            Self::Attacker => Self::Defender,
            Self::Defender => Self::Attacker,
        }
    }
}

/// The marks of both sides, the empty squares, and who is to move. A square in none of the sets is
/// useless to both sides.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Position<W> {
    pub attacker: W,
    pub defender: W,
    pub empty: W,
    pub turn: Turn,
}

impl<W: Word> Position<W> {
    /// The position after a move to the empty square `at`.
    pub fn after(mut self, at: W) -> Self {
        self.empty &= !at;
        match self.turn {
            Turn::Attacker => self.attacker |= at,
            Turn::Defender => self.defender |= at,
        }
        self.passed()
    }

    /// The position after a pass (a null move).
    pub fn passed(self) -> Self {
        Self { turn: self.turn.other(), ..self }
    }

    /// The position with the roles exchanged. The same player is to move.
    pub fn swapped(self) -> Self {
        Self { attacker: self.defender, defender: self.attacker, ..self.passed() }
    }

    /// The position in two words, less whose turn it is. The attacker's marks are in the first word
    /// alone, the defender's in the second alone, empty squares in neither, useless ones in both.
    pub fn key(self) -> [W; 2] {
        let useless = !(self.attacker | self.defender | self.empty);
        [self.attacker | useless, self.defender | useless]
    }
}
