//! The hypergraph of a position: its vertices are the empty squares, its edges the open windows.

use super::position::Position;
use super::windows::{FULL, Windows};
use super::word::Word;

/// An empty square, and what the windows through it say about it.
#[derive(Clone, Copy, Default)]
pub struct Vertex<W> {
    pub square: W,
    /// The empty squares that every window through this one has, this one included.
    common: W,
    /// The attacker's potential in the windows through it.
    pub potential: u32,
    /// The potential of both sides in the windows through it.
    pub weight: u32,
    /// The squares that complete a window once the attacker, or the defender, plays here.
    pub follow_ups: [W; 2],
}

/// The windows that matter in a position.
///
/// A window that contains all missing squares of another one does not matter: whoever could fill it
/// could fill the other. Two empty squares in exactly the same windows are *twins*: whoever plays
/// one is answered at the other, so that all these windows are as good as blocked.
#[derive(Default)]
pub struct Hypergraph<W> {
    /// The missing squares of each window, those of the attacker first.
    windows: Vec<W>,
    /// The number of the attacker's windows.
    pub attackers: usize,
    /// The empty squares by index, once [`Self::weigh`] was called.
    pub vertices: Vec<Vertex<W>>,
}

impl<W: Word> Hypergraph<W> {
    /// Becomes the hypergraph of `position` without its twins and useless squares. Gives the
    /// position that is left, and the twins.
    ///
    /// The winner stays the same; the distance does not.
    pub fn simplify(
        &mut self,
        windows: &Windows<W>,
        mut position: Position<W>,
    ) -> (Position<W>, W) {
        let mut twins = W::ZERO;
        loop {
            self.collect(windows, position);
            if windows.exact {
                return (position, twins);
            }
            let covered = self.windows.iter().fold(W::ZERO, |all, &window| all | window);
            let found = self.twins(covered);
            if found.is_empty() {
                position.empty &= covered;
                return (position, twins);
            }
            twins |= found;
            position.empty &= !found;
        }
    }

    /// Adds up the windows through each square. Gives the attacker's Erdős-Selfridge potential.
    pub fn weigh(&mut self) -> u32 {
        let mut potential = 0;
        for (index, &window) in self.windows.iter().enumerate() {
            let missing = window.count();
            let weight = FULL >> missing.min(FULL.ilog2());
            let attackers = index < self.attackers;
            potential += if attackers { weight } else { 0 };
            for square in window.squares() {
                let vertex = &mut self.vertices[square as usize];
                vertex.weight += weight;
                if attackers {
                    vertex.potential += weight;
                }
                if missing == 2 {
                    vertex.follow_ups[usize::from(!attackers)] |= window & !W::bit(square);
                }
            }
        }
        potential
    }

    /// Appends the dominated ones of `squares` to `dominated`, which must be empty, each with the
    /// squares that dominate it. A square is dominated when every window through it runs through
    /// another square as well: it is no better for either side. Of equals the first is listed.
    pub fn dominated(&self, squares: W, dominated: &mut Vec<(W, W)>) {
        let mut rest = squares;
        for square in squares.squares() {
            let bit = W::bit(square);
            let better = self.vertices[square as usize].common & rest & !bit;
            if !better.is_empty() {
                rest &= !bit;
                dominated.push((bit, better));
            }
        }
        for (_, better) in dominated {
            *better &= rest;
        }
    }

    /// Finds the windows, and the squares that they have in common. The defender has windows in the
    /// real game alone.
    pub fn collect(&mut self, windows: &Windows<W>, position: Position<W>) {
        let empty = position.empty;
        self.windows.clear();
        self.add(windows, position.attacker, empty);
        self.attackers = self.windows.len();
        if windows.counter {
            self.add(windows, position.defender, empty);
        }
        self.vertices.resize(W::BITS as usize, Vertex::default());
        for index in empty.squares() {
            self.vertices[index as usize] =
                Vertex { square: W::bit(index), common: empty, ..Vertex::default() };
        }
        for &window in &self.windows {
            for square in window.squares() {
                self.vertices[square as usize].common &= window;
            }
        }
    }

    /// Disjoint pairs of twins among the squares that are `covered` by a window.
    fn twins(&self, covered: W) -> W {
        let common = |square: u32| self.vertices[square as usize].common;
        let mut twins = W::ZERO;
        for square in covered.squares() {
            let bit = W::bit(square);
            if twins.meets(bit) {
                continue;
            }
            let mut others = (common(square) & !bit & !twins).squares();
            if let Some(other) = others.find(|&other| common(other).meets(bit)) {
                twins |= bit | W::bit(other);
            }
        }
        twins
    }

    /// Adds the windows of `own` that contain no other one of them; all where a longer run is no
    /// line.
    fn add(&mut self, windows: &Windows<W>, own: W, empty: W) {
        let from = self.windows.len();
        windows.list(own, empty, &mut self.windows);
        if windows.exact {
            return;
        }
        let added = &mut self.windows[from..];
        added.sort_unstable_by_key(|window| window.count());
        let mut kept = 0;
        for index in 0..added.len() {
            let window = added[index];
            // Without a jump at every window: most are kept, and many are compared at a time.
            let contains_one = added[..kept]
                .iter()
                .fold(false, |found, &smaller| found | (smaller & !window).is_empty());
            if !contains_one {
                added[kept] = window;
                kept += 1;
            }
        }
        self.windows.truncate(from + kept);
    }
}
