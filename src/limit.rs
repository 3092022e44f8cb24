//! What a move may cost, in positions or in time, as a budget.

use std::cell::Cell;
use std::time::{Duration, Instant};

use crate::player::ChooseError;
use crate::search::{Budget, Progress};

/// What a computer player may spend on a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// So many positions: the same move on every machine.
    Nodes(u64),
    /// So much time.
    Time(Duration),
}

impl Default for Limit {
    fn default() -> Self {
        Self::Nodes(Self::DEFAULT_NODES)
    }
}

impl Limit {
    /// About a second's worth.
    pub const DEFAULT_NODES: u64 = 500_000;

    /// Calls `think` with a budget that is spent at this limit, or when `watch` gives up: then there
    /// is no answer.
    pub(crate) fn spend<T>(
        self,
        watch: &dyn Fn(Progress) -> bool,
        think: impl FnOnce(&mut Budget<'_>) -> Result<T, ChooseError>,
    ) -> Result<T, ChooseError> {
        let is_given_up = Cell::new(watch(Progress::default()));
        if is_given_up.get() {
            return Err(ChooseError::Stopped);
        }
        let watch = |progress| {
            is_given_up.set(is_given_up.get() || watch(progress));
            is_given_up.get()
        };
        let answer = match self {
            Self::Nodes(nodes) => think(&mut Budget::nodes(nodes).watched_by(&watch)),
            Self::Time(time) => {
                let start = Instant::now();
                let time = time.saturating_sub(MARGIN);
                let used = || start.elapsed().as_secs_f64() / time.as_secs_f64();
                think(&mut Budget::nodes(u64::MAX).or_until(&used).watched_by(&watch))
            }
        };
        if is_given_up.get() {
            return Err(ChooseError::Stopped);
        }
        answer
    }
}

/// A clock is stopped so much early: what passes from one look at it to the end of a move.
const MARGIN: Duration = Duration::from_millis(2);
