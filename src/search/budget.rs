//! What a search may spend, and the only way that one ends before it is done.

use std::error::Error;
use std::fmt;

use super::Progress;
use crate::game::Square;

/// The error of a search that has nothing left to spend. `?` unwinds the search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spent;

impl fmt::Display for Spent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the budget of the search is spent")
    }
}

impl Error for Spent {}

/// What a search may spend: so many positions, and a share of what a clock or another outside
/// measure allows. Without the latter the same budget gives the same answer on every machine.
/// Somebody who waits for the answer may watch, and give up waiting.
#[derive(Clone, Copy)]
pub struct Budget<'a> {
    pub(super) left: u64,
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

    /// Pays for one position.
    ///
    /// # Errors
    ///
    /// [`Spent`] where nothing is left.
    pub fn spend(&mut self) -> Result<(), Spent> {
        self.left = self.left.checked_sub(1).ok_or(Spent)?;
        self.progress.nodes += 1;
        if self.progress.nodes.is_multiple_of(Self::PATIENCE) {
            self.check()?;
        }
        Ok(())
    }

    /// Looks at what is used and at `watch`, and pays for nothing.
    ///
    /// # Errors
    ///
    /// [`Spent`] where one of them ends the search: nothing is left then.
    pub fn check(&mut self) -> Result<(), Spent> {
        if self.is_stopped() {
            self.left = 0;
            return Err(Spent);
        }
        Ok(())
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
            assert_eq!(budget.spend(), Err(Spent), "{all}");
        }
    }
}
