//! A position as two sets of marks, seen from the side whose win is in question.

use super::word::Word;

/// Whose marks are where. The *attacker* is the side that a search asks about ("can it force a line?"), the *defender*
/// the other one, whatever their marks are and whoever is to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position<W> {
    pub attacker: W,
    pub defender: W,
    pub empty: W,
}

impl<W: Word> Position<W> {
    /// After a move of the attacker to the empty square `at`.
    pub fn attacked(self, at: W) -> Self {
        Self {
            attacker: self.attacker | at,
            empty: self.empty & !at,
            ..self
        }
    }

    /// After a move of the defender to the empty square `at`.
    pub fn defended(self, at: W) -> Self {
        Self {
            defender: self.defender | at,
            empty: self.empty & !at,
            ..self
        }
    }

    /// The same position with the roles exchanged.
    pub fn swapped(self) -> Self {
        Self {
            attacker: self.defender,
            defender: self.attacker,
            empty: self.empty,
        }
    }

    /// The position in two words: a square is in the first unless it is the defender's or empty, and in the second unless
    /// it is the attacker's or empty. A square that neither side can use any more is in both.
    pub fn key(self) -> [W; 2] {
        let used = self.attacker | self.defender | self.empty;
        [self.attacker | !used, self.defender | !used]
    }
}
