//! What the players `minimax` and `best` stand on, and what counts move sequences.

pub mod alphabeta;
pub mod perft;
pub mod solver;

use crate::game::Square;

/// What the side to move gets with best play on both sides.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// The side to move wins.
    Win,
    /// Nobody wins.
    Draw,
    /// The other side wins.
    Loss,
    /// Nothing is proved.
    Unknown,
}

impl Value {
    /// The value for the other side.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Win => Self::Loss,
            Self::Loss => Self::Win,
            Self::Draw | Self::Unknown => self,
        }
    }
}

/// A value, and where it is proved, in how many moves of both sides together the game ends with
/// best play: a win as soon as possible, a loss as late as possible, a draw on the full board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Worth {
    /// The value, which is true whenever it is not [`Value::Unknown`].
    pub value: Value,
    /// The moves until the end, where that number is proved too.
    pub plies: Option<u32>,
}

impl Worth {
    /// Nothing is proved.
    pub const UNKNOWN: Self = Self {
        value: Value::Unknown,
        plies: None,
    };
}

/// How far a search is.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Progress {
    /// How many positions it has paid for.
    pub nodes: u64,
    /// How many moves deep it has looked: 0 before it says so.
    pub depth: u32,
    /// The move that it likes best, once it has one.
    pub best: Option<Square>,
}

/// What a search may spend: so many positions, and a share of what a clock or another outside
/// measure allows. Without the latter the same budget gives the same answer on every machine.
/// Somebody who waits for the answer may watch, and give up waiting.
#[derive(Clone, Copy)]
pub struct Budget<'a> {
    left: u64,
    progress: Progress,
    used: Option<&'a dyn Fn() -> f64>,
    /// How much may be used, of 1.
    share: f64,
    watch: Option<&'a dyn Fn(Progress) -> bool>,
}

impl<'a> Budget<'a> {
    /// How many positions pass from one look at what is used, and one word to `watch`, to the next.
    const PATIENCE: u64 = 64;

    /// At most `nodes` positions.
    #[must_use]
    pub const fn nodes(nodes: u64) -> Self {
        Self {
            left: nodes,
            progress: Progress {
                nodes: 0,
                depth: 0,
                best: None,
            },
            used: None,
            share: 1.0,
            watch: None,
        }
    }

    /// The same, but nothing is left once `used` has answered 1 or more: how much of what the
    /// caller allows is used up, such as the time that has passed of the time there is.
    #[must_use]
    pub const fn or_until(self, used: &'a dyn Fn() -> f64) -> Self {
        Self {
            used: Some(used),
            ..self
        }
    }

    /// The same, but `watch` hears how far the search is, and nothing is left once it has answered
    /// true.
    #[must_use]
    pub const fn watched_by(self, watch: &'a dyn Fn(Progress) -> bool) -> Self {
        Self {
            watch: Some(watch),
            ..self
        }
    }

    /// Pays for one position: `None` where nothing is left, so that `?` unwinds a search.
    pub fn spend(&mut self) -> Option<()> {
        self.left = self.left.checked_sub(1)?;
        self.progress.nodes += 1;
        if self.progress.nodes.is_multiple_of(Self::PATIENCE) && self.is_stopped() {
            self.left = 0;
            return None;
        }
        Some(())
    }

    /// How many positions were paid for.
    #[must_use]
    pub const fn spent(&self) -> u64 {
        self.progress.nodes
    }

    /// Tells whoever watches that the search has looked this deep.
    pub const fn reach(&mut self, depth: u32) {
        self.progress.depth = depth;
    }

    /// Tells whoever watches what the search likes best.
    pub const fn prefer(&mut self, best: Square) {
        self.progress.best = Some(best);
    }

    /// Whether all that may be used is used up, positions aside, or `watch` has given up.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.used.is_some_and(|used| used() >= self.share)
            || self.watch.is_some_and(|watch| watch(self.progress))
    }

    /// Lets `search` spend at most so many eighths of what is left.
    pub fn eighths<T>(&mut self, eighths: u32, search: impl FnOnce(&mut Self) -> T) -> T {
        let eighths = eighths.min(8);
        // More than all may be used, without any bound where there was nothing to use.
        let used = self.used.map_or(0.0, |used| used().min(self.share));
        let part = Self {
            left: self.left / 8 * u64::from(eighths),
            share: used + (self.share - used) * f64::from(eighths) / 8.0,
            ..*self
        };
        self.part(part, search)
    }

    /// Lets `search` spend at most so many of the positions that are left. A budget that was stopped
    /// meanwhile has none left.
    pub fn at_most<T>(&mut self, nodes: u64, search: impl FnOnce(&mut Self) -> T) -> T {
        let part = Self {
            left: self.left.min(nodes),
            ..*self
        };
        let found = self.part(part, search);
        if self.is_stopped() {
            self.left = 0;
        }
        found
    }

    fn part<T>(&mut self, mut part: Self, search: impl FnOnce(&mut Self) -> T) -> T {
        let found = search(&mut part);
        self.left -= part.spent() - self.spent();
        self.progress = part.progress;
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_what_is_used_up_is_used_up() {
        for all in [1.0, 1.5, f64::INFINITY] {
            let used = || all;
            let mut budget = Budget::nodes(1 << 20).or_until(&used);
            for eighths in [1, 7, 8] {
                assert!(budget.eighths(eighths, |part| part.is_stopped()), "{all}");
            }
            assert!(budget.at_most(1 << 10, |part| part.is_stopped()), "{all}");
            assert_eq!(budget.spend(), None, "{all}");
        }
    }
}
