//! Limits of a search, in positions and in time, spent as a [`Budget`].

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use crate::search::{Budget, Progress};

/// The limit of a computer player for one move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// A number of positions: the move is the same on every machine.
    Nodes(u64),
    /// A time.
    Time(Duration),
}

impl Default for Limit {
    fn default() -> Self {
        Self::Nodes(Self::DEFAULT_NODES)
    }
}

/// The wish of whoever waits for a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wish {
    /// The search goes on.
    GoOn,
    /// The search ends as at the end of its limit: its answer is the best so far.
    AnswerNow,
    /// The search is stopped, and there is no answer.
    GiveUp,
}

impl From<bool> for Wish {
    /// The wish of a watcher that knows but one end: true gives up.
    fn from(gives_up: bool) -> Self {
        if gives_up { Self::GiveUp } else { Self::GoOn }
    }
}

/// The longest time from the last look at the clock to the end of a move.
const MARGIN: Duration = Duration::from_millis(2);

impl Limit {
    /// A number of positions that takes about a second.
    pub const DEFAULT_NODES: u64 = 500_000;

    /// Calls `search` with a budget of this limit. `watch` hears its progress; where it gives up,
    /// there is no result.
    pub(crate) fn run<T, W: Into<Wish>>(
        self,
        mut watch: impl FnMut(Progress) -> W,
        search: impl FnOnce(&mut Budget<'_>) -> T,
    ) -> Option<T> {
        let (nodes, time) = match self {
            Self::Nodes(nodes) => (nodes, Duration::MAX),
            Self::Time(time) => (u64::MAX, time.saturating_sub(MARGIN)),
        };
        let watch = |progress| match watch(progress).into() {
            Wish::GoOn => Some(time),
            Wish::AnswerNow => Some(Duration::ZERO),
            Wish::GiveUp => None,
        };
        search_within(nodes, Instant::now(), watch, search)
    }
}

/// Calls `search` with a budget of `nodes` positions and of a time that runs from `start`. `watch`
/// hears the progress and answers how long the search may take in all, or `None` to stop it: there
/// is no result then.
pub(crate) fn search_within<T>(
    nodes: u64,
    start: Instant,
    mut watch: impl FnMut(Progress) -> Option<Duration>,
    search: impl FnOnce(&mut Budget<'_>) -> T,
) -> Option<T> {
    let time = Cell::new(Some(watch(Progress::default())?));
    let used = || {
        let share = |time: Duration| start.elapsed().as_secs_f64() / time.as_secs_f64();
        match time.get() {
            // The clock stays out of a search that has no time to keep.
            Some(Duration::MAX) => 0.0,
            time => time.map_or(1.0, share),
        }
    };
    let watch = RefCell::new(watch);
    let stops = |progress| {
        time.set(time.get().and_then(|_| watch.borrow_mut()(progress)));
        time.get().is_none()
    };
    let result = search(&mut Budget::nodes(nodes).or_until(&used).watched_by(&stops));
    time.get().map(|_| result)
}
