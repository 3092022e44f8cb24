//! The budget of a search. A search that is not done ends in one way alone: its budget is spent.

use std::error::Error;
use std::fmt;

use super::Progress;
use crate::game::Square;

/// The error of a search that ran out of its [`Budget`]. `?` unwinds the search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spent;

impl fmt::Display for Spent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the budget of the search is spent")
    }
}

impl Error for Spent {}

/// A limit in positions (nodes), to which a clock and a caller who gives up waiting may be added.
///
/// With a limit in positions alone, the same search gives the same answer on every machine.
#[derive(Clone, Copy)]
pub struct Budget<'a> {
    /// The positions that may still be paid for.
    left: u64,
    progress: Progress,
    used: Option<&'a dyn Fn() -> f64>,
    /// The search ends once `used` answers this much.
    share: f64,
    watch: Option<&'a dyn Fn(Progress) -> bool>,
}

impl<'a> Budget<'a> {
    /// `used` and `watch` are called once in so many positions.
    const PATIENCE: u64 = 64;

    /// A budget of `nodes` positions.
    #[must_use]
    pub const fn nodes(nodes: u64) -> Self {
        Self {
            left: nodes,
            progress: Progress { nodes: 0, depth: 0, best: None },
            used: None,
            share: 1.0,
            watch: None,
        }
    }

    /// Adds a limit of another kind, such as a clock: `used` answers which part of it is used up,
    /// from 0 to 1, and the budget is spent at 1.
    #[must_use]
    pub const fn or_until(self, used: &'a dyn Fn() -> f64) -> Self {
        Self { used: Some(used), ..self }
    }

    /// Adds a caller who is told how far the search is. The budget is spent once `watch` answers
    /// true.
    #[must_use]
    pub const fn watched_by(self, watch: &'a dyn Fn(Progress) -> bool) -> Self {
        Self { watch: Some(watch), ..self }
    }

    /// Pays for one position.
    ///
    /// # Errors
    ///
    /// [`Spent`] when nothing is left.
    pub fn spend(&mut self) -> Result<(), Spent> {
        self.left = self.left.checked_sub(1).ok_or(Spent)?;
        self.progress.nodes += 1;
        if self.progress.nodes.is_multiple_of(Self::PATIENCE) {
            self.check()?;
        }
        Ok(())
    }

    /// Calls `used` and `watch`, and pays for nothing. Work between two positions that takes long
    /// calls this now and then.
    ///
    /// # Errors
    ///
    /// [`Spent`] when one of them ends the search. Nothing is left from then on.
    pub fn check(&mut self) -> Result<(), Spent> {
        let used_up = self.used.is_some_and(|used| used() >= self.share);
        if used_up || self.watch.is_some_and(|watch| watch(self.progress)) {
            self.left = 0;
            return Err(Spent);
        }
        Ok(())
    }

    /// The number of positions that were paid for.
    #[must_use]
    pub const fn spent(&self) -> u64 {
        self.progress.nodes
    }

    /// True when no position is left. `used` and `watch` are not called.
    #[must_use]
    pub const fn is_spent(&self) -> bool {
        self.left == 0
    }

    /// Sets the depth in plies that `watch` is told.
    pub const fn reach(&mut self, depth: u32) {
        self.progress.depth = depth;
    }

    /// Sets the best move that `watch` is told.
    pub const fn prefer(&mut self, best: Square) {
        self.progress.best = Some(best);
    }

    /// Lets `search` spend at most `eighths` eighths of what is left, of every limit.
    pub fn eighths<T>(&mut self, eighths: u32, search: impl FnOnce(&mut Self) -> T) -> T {
        let eighths = eighths.min(8);
        // A clock may answer more than its share, and infinity where no time was allowed.
        let used = self.used.map_or(0.0, |used| used().min(self.share));
        let part = Self {
            left: self.left / 8 * u64::from(eighths),
            share: used + (self.share - used) * f64::from(eighths) / 8.0,
            ..*self
        };
        self.part(part, search)
    }

    /// Lets `search` spend at most `nodes` of the positions that are left. When `used` or `watch`
    /// ended it, nothing is left afterwards.
    pub fn at_most<T>(&mut self, nodes: u64, search: impl FnOnce(&mut Self) -> T) -> T {
        let part = Self { left: self.left.min(nodes), ..*self };
        let found = self.part(part, search);
        // An error leaves nothing, which the next position finds.
        let _ = self.check();
        found
    }

    /// Lets `search` spend `part`, and takes what it spent from the whole.
    fn part<T>(&mut self, mut part: Self, search: impl FnOnce(&mut Self) -> T) -> T {
        let found = search(&mut part);
        self.left -= part.spent() - self.spent();
        self.progress = part.progress;
        found
    }
}
