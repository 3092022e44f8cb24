//! The open windows of a position as a hypergraph, and what they say about its squares.

use super::position::Position;
use super::windows::{Lines, ONE};
use super::word::Word;

/// What the open windows through an empty square have to say.
#[derive(Clone, Copy)]
pub struct Site<W> {
    /// The empty squares that every window through this one has, this one among them.
    common: W,
    /// How much of the attacker's potential lies in the windows through it.
    pub potential: u32,
    /// The same for both sides together.
    pub weight: u32,
    /// The squares that complete a window once the attacker or the defender plays here.
    pub follow_ups: [W; 2],
}

/// The windows that matter in a position.
///
/// A window that contains all missing squares of another does not matter, since whoever could fill it could fill the other
/// as well. Two empty squares that lie in exactly the same windows are *twins*: whoever is attacked there answers in the
/// other one, so all these windows are as good as blocked.
pub struct Survey<W> {
    /// The missing squares of each window, those of the attacker first.
    windows: Vec<W>,
    /// How many are the attacker's.
    attackers: usize,
    sites: Vec<Site<W>>,
}

impl<W: Word> Survey<W> {
    /// Room for a board.
    pub fn new() -> Self {
        let site = Site {
            common: W::ZERO,
            potential: 0,
            weight: 0,
            follow_ups: [W::ZERO; 2],
        };
        Self {
            windows: Vec::new(),
            attackers: 0,
            sites: vec![site; W::BITS as usize],
        }
    }

    /// Looks at `position`, whose defender has lines of its own only if `counter`; blocks all twins, and gives the position
    /// that is left and the twins.
    pub fn simplify(
        &mut self,
        lines: &Lines<W>,
        mut position: Position<W>,
        counter: bool,
    ) -> (Position<W>, W) {
        let mut twins = W::ZERO;
        loop {
            self.collect(lines, position, counter);
            if lines.is_exact() {
                return (position, twins);
            }
            let found = self.twins(position.empty);
            if found.is_empty() {
                break;
            }
            twins |= found;
            position.empty &= !found;
        }
        position.empty &= self
            .windows
            .iter()
            .fold(W::ZERO, |squares, &window| squares | window);
        (position, twins)
    }

    /// The attacker's potential.
    pub fn potential(&self) -> u32 {
        self.windows[..self.attackers]
            .iter()
            .fold(0, |sum, window| sum + weight(window.count()))
    }

    /// Whether no window of the attacker is open.
    pub fn is_harmless(&self) -> bool {
        self.attackers == 0
    }

    /// What there is to know about the square `index`.
    pub fn site(&self, index: u32) -> Site<W> {
        self.sites[index as usize]
    }

    /// Weighs the squares.
    pub fn weigh(&mut self) {
        for (index, &window) in self.windows.iter().enumerate() {
            let missing = window.count();
            let weight = weight(missing);
            let attackers = index < self.attackers;
            for square in window.squares() {
                let site = &mut self.sites[square as usize];
                site.weight += weight;
                if attackers {
                    site.potential += weight;
                }
                if missing == 2 {
                    site.follow_ups[usize::from(!attackers)] |= window & !W::bit(square);
                }
            }
        }
    }

    /// Those of `squares` that are no better for either side than others, each with these others: every window through the
    /// one runs through the others as well. Of two that are equally good only the first is listed. They are appended to
    /// `dominated`, which must be empty.
    pub fn dominated(&self, squares: W, dominated: &mut Vec<(W, W)>) {
        let mut rest = squares;
        for square in squares.squares() {
            let bit = W::bit(square);
            let better = self.sites[square as usize].common & rest & !bit;
            if !better.is_empty() {
                rest &= !bit;
                dominated.push((bit, better));
            }
        }
        for (_, better) in dominated {
            *better &= rest;
        }
    }

    /// How much the windows of both sides through each square weigh, by index.
    pub fn weights(&mut self, lines: &Lines<W>, position: Position<W>) -> Vec<u32> {
        self.collect(lines, position, true);
        self.weigh();
        self.sites.iter().map(|site| site.weight).collect()
    }

    /// Finds the windows, and which squares they share.
    fn collect(&mut self, lines: &Lines<W>, position: Position<W>, counter: bool) {
        let Position {
            attacker,
            defender,
            empty,
        } = position;
        self.windows.clear();
        lines.windows(attacker, empty, &mut self.windows);
        if !lines.is_exact() {
            keep_minimal(&mut self.windows, 0);
        }
        self.attackers = self.windows.len();
        if counter {
            lines.windows(defender, empty, &mut self.windows);
            if !lines.is_exact() {
                keep_minimal(&mut self.windows, self.attackers);
            }
        }
        for square in empty.squares() {
            self.sites[square as usize] = Site {
                common: empty,
                potential: 0,
                weight: 0,
                follow_ups: [W::ZERO; 2],
            };
        }
        for &window in &self.windows {
            for square in window.squares() {
                self.sites[square as usize].common &= window;
            }
        }
    }

    /// Disjoint pairs of squares that lie in the same windows, in at least one.
    fn twins(&self, empty: W) -> W {
        let covered = self
            .windows
            .iter()
            .fold(W::ZERO, |squares, &window| squares | window);
        let mut twins = W::ZERO;
        for square in (covered & empty).squares() {
            let bit = W::bit(square);
            if twins.meets(bit) {
                continue;
            }
            let others = self.sites[square as usize].common & !bit & !twins;
            if let Some(other) = others
                .squares()
                .find(|&other| self.sites[other as usize].common.meets(bit))
            {
                twins |= bit | W::bit(other);
            }
        }
        twins
    }
}

/// What a window counts with so many squares missing.
fn weight(missing: u32) -> u32 {
    ONE >> missing.min(ONE.ilog2())
}

/// Drops the windows from `from` on that contain another one of them.
fn keep_minimal<W: Word>(windows: &mut Vec<W>, from: usize) {
    let own = &mut windows[from..];
    // Which of equally large ones comes first does not matter.
    own.sort_unstable_by_key(|window| window.count());
    let mut kept = 0;
    for index in 0..own.len() {
        let window = own[index];
        // Without a jump at every window: most are kept, and many are compared at a time.
        let contains_one = own[..kept].iter().fold(false, |found, &smaller| {
            found | (smaller & !window).is_empty()
        });
        if !contains_one {
            own[kept] = window;
            kept += 1;
        }
    }
    windows.truncate(from + kept);
}
