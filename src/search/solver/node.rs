//! A position in the proof-number search, and its proof and disproof number.

use super::hypergraph::Vertex;
use super::position::{Position, Turn};
use super::table::Effort;
use super::word::Word;

/// The proof number of "the attacker gets a line" and of its opposite, which is the disproof
/// number.
///
/// A proof number estimates the positions that must still be proved: 0 is a proof, [`NEVER`] a
/// refutation.
#[derive(Clone, Copy, Default, Debug)]
pub struct Numbers<W> {
    /// The proof numbers of the attacker's win and of the defender's hold.
    pub wanted: [u32; 2],
    /// The relevance zone, once either is proved: the squares that the proof needs.
    pub zone: W,
    /// The number of positions that were looked at.
    pub effort: u32,
}

/// The proof number of what cannot be proved. A sum of two of them does not overflow.
pub const NEVER: u32 = u32::MAX / 4;

impl<W: Word> Numbers<W> {
    /// A proof of what `side` wants: the attacker a win, the defender a hold.
    pub const fn proved(side: Turn, zone: W) -> Self {
        let mut wanted = [NEVER; 2];
        wanted[side as usize] = 0;
        Self { wanted, zone, effort: 0 }
    }

    /// The numbers of a position in which neither is proved.
    pub fn open(wanted: [u32; 2]) -> Self {
        Self { wanted: wanted.map(|own| own.min(NEVER)), zone: W::ZERO, effort: 0 }
    }

    /// True if either is proved.
    pub const fn is_proved(&self) -> bool {
        self.wanted[0] == 0 || self.wanted[1] == 0
    }

    /// The proof number of what `side` wants.
    pub const fn wanted(&self, side: Turn) -> u32 {
        self.wanted[side as usize]
    }
}

impl<W: Word> Effort for Numbers<W> {
    fn effort(&self) -> u32 {
        self.effort
    }
}

/// A move that was looked at, and the position after it.
pub struct Child<W> {
    pub square: W,
    pub position: Position<W>,
    pub numbers: Numbers<W>,
}

/// A position in the search. Its lists are used again for other positions: a search visits a
/// million a second, and to ask the system for memory in each costs a fifteenth of its time.
#[derive(Default)]
pub struct Node<W> {
    /// The position as it was reached.
    pub original: Position<W>,
    /// The position without twins and useless squares.
    pub position: Position<W>,
    /// The twins of the position, which a hold answers in pairs.
    pub twins: W,
    /// The squares that the opponent threatens to win on. When there are any, other moves lose.
    pub forced: W,
    /// The attacker's potential.
    pub potential: u32,
    /// True if the zone of one refuted move refutes others.
    pub prunes: bool,
    /// The squares whose moves are not refuted.
    pub remaining: W,
    /// The zones of the refuted moves.
    pub zone: W,
    /// The moves that are not looked at, the most promising last.
    pub moves: Vec<Vertex<W>>,
    pub children: Vec<Child<W>>,
    /// The dominated squares, with those that dominate them.
    pub dominated: Vec<(W, W)>,
}

impl<W: Word> Node<W> {
    /// The proof that `numbers` of the position are for the original one.
    pub fn with_twins(&self, mut numbers: Numbers<W>) -> Numbers<W> {
        if numbers.wanted(Turn::Defender) == 0 {
            numbers.zone |= self.twins;
        }
        numbers
    }

    /// Drops the children that are refuted, and what their zones refute. True if there was one.
    ///
    /// Nothing is lost: the same proof refutes a move outside of the zone.
    pub fn drop_refuted(&mut self) -> bool {
        for child in &self.children {
            let zone = child.numbers.zone;
            if child.numbers.is_proved() && self.remaining.meets(child.square) {
                self.zone |= zone;
                self.remaining &= !child.square;
                if self.prunes {
                    self.remaining &= zone;
                    self.dominated.retain(|&(square, _)| zone.meets(square));
                }
            }
        }
        let open = self.children.len();
        self.children.retain(|child| self.remaining.meets(child.square));
        self.children.len() < open
    }

    /// The child to search next, with the proof numbers that it and the next best one have.
    pub fn best(&mut self) -> Option<(&mut Child<W>, u32)> {
        let wanted = |child: &Child<W>| child.numbers.wanted(self.position.turn);
        let best = (0..self.children.len()).min_by_key(|&at| wanted(&self.children[at]))?;
        let others = self.children.iter().enumerate().filter(|&(at, _)| at != best);
        let second = others.map(|(_, child)| wanted(child)).min().unwrap_or(NEVER);
        Some((&mut self.children[best], second))
    }
}
