//! A table: what belongs to a game beside its rules. Seats, a request, waits, the latest changes.

use std::collections::VecDeque;
use std::time::Duration;

use super::Id;
use super::answer::Members;
use super::token::Token;
use crate::command::Seat;
use crate::game::Mark;
use crate::player::Kind;
use crate::reply::Code;

/// The most changes that a table keeps, and the most bytes of their lines: more than one answer
/// tells.
const KEPT: usize = 64;
const KEPT_BYTES: usize = 36 << 10;

/// A seat at a table.
#[derive(Clone, Default)]
pub(super) enum Chair {
    #[default]
    Free,
    Held(Holder),
    Computer(Kind),
}

/// The holder of a seat.
#[derive(Clone)]
pub(super) struct Holder {
    /// The connection: `None` while the holder is absent.
    pub(super) id: Option<Id>,
    pub(super) token: Option<Token>,
    /// The time at which an absent holder loses the seat.
    pub(super) until: Duration,
}

/// A change that was asked for, as it was sent.
#[derive(Clone)]
pub(super) struct Asked {
    pub(super) by: Mark,
    pub(super) sent: String,
}

impl Asked {
    /// The request as a JSON object.
    pub(super) fn object(&self) -> String {
        let mut members = Members::default();
        members.mark(self.by);
        members.text("command", &self.sent);
        members.object()
    }
}

/// A change that was made.
pub(super) struct Change {
    /// The version that it was made at.
    pub(super) seen: u64,
    /// The seats that made it, of X and O: both where one asked for it.
    pub(super) by: [bool; 2],
    pub(super) code: Code,
    /// The command as it was sent.
    pub(super) sent: Box<str>,
    /// The command as the journal has it.
    pub(super) line: Box<str>,
}

/// What belongs to one game.
#[derive(Default)]
pub(super) struct Table {
    chairs: [Chair; 2],
    pub(super) asked: Option<Asked>,
    changes: VecDeque<Change>,
    bytes: usize,
    /// How often seats and requests have changed.
    pub(super) stirs: u64,
    /// The connections whose `wait` is not answered.
    pub(super) waits: Vec<Id>,
    /// The number of connections that are in the game.
    pub(super) people: usize,
    /// When the last of them left, as a number that grows.
    pub(super) left: u64,
    /// True where a computer moves if it is its turn.
    pub(super) is_due: bool,
    /// True from when a search is wanted until its end.
    pub(super) is_searched: bool,
}

const fn index(mark: Mark) -> usize {
    match mark {
        Mark::X => 0,
        Mark::O => 1,
    }
}

impl Table {
    pub(super) const fn chair(&self, mark: Mark) -> &Chair {
        let [x, o] = &self.chairs;
        if let Mark::X = mark { x } else { o }
    }

    pub(super) const fn chair_mut(&mut self, mark: Mark) -> &mut Chair {
        let [x, o] = &mut self.chairs;
        if let Mark::X = mark { x } else { o }
    }

    pub(super) fn is_held_by(&self, mark: Mark, id: Id) -> bool {
        matches!(self.chair(mark), Chair::Held(holder) if holder.id == Some(id))
    }

    /// The seats of X and O that `id` holds.
    pub(super) fn held_by(&self, id: Id) -> [bool; 2] {
        [Mark::X, Mark::O].map(|mark| self.is_held_by(mark, id))
    }

    pub(super) fn is_held(&self) -> bool {
        self.chairs.iter().any(|chair| matches!(chair, Chair::Held(_)))
    }

    /// The seats as a session has them.
    pub(super) fn seats(&self) -> [Seat; 2] {
        [Mark::X, Mark::O].map(|mark| match self.chair(mark) {
            Chair::Computer(kind) => Seat::Computer(*kind),
            _ => Seat::Human,
        })
    }

    /// The seat of `mark` in a word, as `id` sees it.
    pub(super) fn word(&self, mark: Mark, id: Id) -> &'static str {
        match self.chair(mark) {
            Chair::Free => "free",
            Chair::Computer(kind) => kind.name(),
            Chair::Held(holder) if holder.id == Some(id) => "yours",
            Chair::Held(Holder { id: None, .. }) => "absent",
            Chair::Held(_) => "held",
        }
    }

    /// Keeps a change, and forgets the oldest where there are too many.
    pub(super) fn keep(&mut self, change: Change) {
        self.bytes += change.line.len();
        self.changes.push_back(change);
        while self.changes.len() > KEPT || self.bytes > KEPT_BYTES && self.changes.len() > 1 {
            let gone = self.changes.pop_front();
            self.bytes -= gone.map_or(0, |change| change.line.len());
        }
    }

    /// The change that one of the seats `by` made at version `seen` by this command.
    pub(super) fn made(&self, by: [bool; 2], seen: u64, sent: &str) -> Option<&Change> {
        let [x, o] = by;
        let is_own = |made: [bool; 2]| made[0] && x || made[1] && o;
        self.changes.iter().find(|made| made.seen == seen && is_own(made.by) && *made.sent == *sent)
    }

    /// The changes from version `seen` on: `None` where the first of them is no longer kept.
    pub(super) fn since(&self, seen: u64) -> Option<impl Iterator<Item = &str>> {
        let start = self.changes.iter().position(|made| made.seen == seen)?;
        Some(self.changes.range(start..).map(|made| &*made.line))
    }
}

/// Sets one of two flags, those of X and O.
pub(super) fn only(mark: Mark) -> [bool; 2] {
    let mut flags = [false; 2];
    if let Some(flag) = flags.get_mut(index(mark)) {
        *flag = true;
    }
    flags
}
