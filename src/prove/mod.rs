//! Proofs: `noughts prove`, the certificates that it writes, and their verifier.

mod certificate;
mod report;
mod verify;

use std::cell::{Cell, RefCell};
use std::fmt;
use std::time::{Duration, Instant};

pub use self::certificate::{Part, write};
pub use self::report::{Report, Value};
pub use self::verify::{Claim, VerifyError, verify};
use crate::game::{Game, Mark};
use crate::search::solver::{Held, Questions, questions};
use crate::search::{Budget, Spent};

/// What a proof may cost.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The bytes that the tables may take.
    pub bytes: usize,
    /// The time that the search may take.
    pub time: Option<Duration>,
}

/// How far a proof is.
#[derive(Clone, Debug)]
pub struct Progress {
    /// What is being done.
    pub doing: Doing,
    /// The positions that were paid for.
    pub nodes: u64,
    /// The time that it took so far.
    pub elapsed: Duration,
    /// The slots of the table that are used, in percent.
    pub percent: usize,
}

/// What a proof is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Doing {
    /// It asks whether the side gets a line within so many moves of both.
    Wins(Mark, u32),
    /// It asks whether the side holds in a game.
    Holds(Mark, Held),
    /// It reads the strategy of the side for the certificate.
    Reads(Mark),
}

impl fmt::Display for Doing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wins(side, plies) => write!(f, "does {side} win within {plies} moves?"),
            Self::Holds(side, Held::Weak) => write!(f, "does {side} hold the weak game?"),
            Self::Holds(side, Held::Real) => write!(f, "does {side} hold?"),
            Self::Reads(side) => write!(f, "the strategy of {side}"),
        }
    }
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { doing, nodes, elapsed, percent } = self;
        let milliseconds = elapsed.as_millis().max(1);
        let speed = u128::from(*nodes) * 1_000 / milliseconds;
        write!(f, "{doing} {nodes} nodes, {speed} a second, table {percent} % full")
    }
}

/// The least positions that each question gets in the first round.
const FIRST_SHARE: u64 = 1 << 10;
/// The search for a hold goes on where it was, so that it is cut to tell how full its table is.
const SLICE: u64 = 1 << 16;

/// Proves the value of `game`, which goes on, as far as the limits go, and reads the strategies if
/// they are `wanted`. `watch` hears how far it is, and answers true to end it. `None` where the
/// board cannot be proved.
pub fn prove(
    game: &Game,
    limits: Limits,
    wanted: bool,
    watch: impl FnMut(&Progress) -> bool,
) -> Option<(Report, Result<Vec<Part>, NoParts>)> {
    let turn = game.turn()?;
    let questions = questions(game.board(), turn, limits.bytes)?;
    let start = Instant::now();
    let (watch, stopped) = (RefCell::new(watch), Cell::new(false));
    let (doing, percent) = (Cell::new(Doing::Wins(turn, 1)), Cell::new(0));
    let stops = |progress: crate::search::Progress| {
        let (nodes, elapsed) = (progress.nodes, start.elapsed());
        let progress = Progress { doing: doing.get(), nodes, elapsed, percent: percent.get() };
        let is_late = limits.time.is_some_and(|time| elapsed >= time);
        stopped.set(stopped.get() || is_late || (watch.borrow_mut())(&progress));
        stopped.get()
    };
    let mut proof = Proof {
        questions,
        turn,
        squares: u32::try_from(game.board().free().count()).ok()?,
        wins: [None; 2],
        weak: [None; 2],
        next: 1,
        plies: None,
        doing: &doing,
        percent: &percent,
        budget: Budget::nodes(u64::MAX).watched_by(&stops),
    };
    let is_exact = game.board().shape().is_exact();
    let is_first = game.board().marks() == 0 && !is_exact;
    if is_first {
        // Strategy stealing (Hales and Jewett 1963): a mark more is never a burden, so that the
        // first player could play a winning strategy of the second itself.
        *proof.wins_of(turn.other()) = Some(false);
    }
    proof.settle();
    let parts = if wanted { proof.parts(is_first, is_exact) } else { Ok(Vec::new()) };
    let report = Report {
        shape: game.board().shape(),
        position: report::diagram(game.board()),
        value: proof.value(),
        no_win_within: proof.next - 1,
        open: proof.open(),
        nodes: proof.budget.spent(),
        seconds: start.elapsed().as_secs_f64(),
    };
    Some((report, parts))
}

/// The reason why there is no certificate.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoParts {
    /// The value or the distance is not proved.
    #[error("there is no certificate of what is not proved")]
    Open,
    /// The limits ended the reading.
    #[error("the certificate was not finished within the limits")]
    Spent,
    /// A hold that needs lines of its own where a longer run is none.
    #[error("there is no certificate of a hold that needs own lines of exactly k")]
    Exact,
}

struct Proof<'a> {
    questions: Box<dyn Questions>,
    turn: Mark,
    /// The number of empty squares.
    squares: u32,
    /// True if the side forces a line, false if it does not.
    wins: [Option<bool>; 2],
    /// True if the side holds the Maker-Breaker game.
    weak: [Option<bool>; 2],
    /// The moves of both sides of the next question for a win.
    next: u32,
    plies: Option<u32>,
    doing: &'a Cell<Doing>,
    percent: &'a Cell<usize>,
    budget: Budget<'a>,
}

impl Proof<'_> {
    const fn wins_of(&mut self, side: Mark) -> &mut Option<bool> {
        &mut self.wins[side as usize]
    }

    fn is_settled(&self) -> bool {
        self.plies.is_some() || self.wins == [Some(false); 2]
    }

    /// Asks the questions in rounds, until they are answered or the limits end it.
    fn settle(&mut self) {
        let mut share = FIRST_SHARE;
        while !self.is_settled() && !self.budget.is_spent() {
            // A share that is spent leaves its question to the next round.
            let _ = self.count_up(share / 4);
            for side in [self.turn.other(), self.turn] {
                self.ask(side, share);
            }
            share = share.saturating_mul(2);
        }
    }

    /// Asks for wins within more and more moves.
    fn count_up(&mut self, share: u64) -> Result<(), Spent> {
        while !self.is_settled() {
            let plies = self.next;
            let side = if plies.is_multiple_of(2) { self.turn.other() } else { self.turn };
            if self.wins[side as usize] != Some(false) {
                self.doing.set(Doing::Wins(side, plies));
                let questions = &mut self.questions;
                let ask = |part: &mut Budget| questions.wins(side, plies.div_ceil(2), part);
                if self.budget.at_most(share, ask)? {
                    *self.wins_of(side) = Some(true);
                    self.plies = Some(plies);
                } else if plies + 2 > self.squares {
                    *self.wins_of(side) = Some(false);
                }
            }
            self.next += 1;
        }
        Ok(())
    }

    /// Asks whether `side` holds.
    fn ask(&mut self, side: Mark, share: u64) {
        let (index, other) = (side as usize, side.other() as usize);
        if self.wins[other].is_none() && self.weak[index].is_none() {
            self.weak[index] = self.ask_in(Held::Weak, side, share);
            if self.weak[index] == Some(true) {
                self.wins[other] = Some(false);
            } else if self.weak[index] == Some(false) && !self.weak.contains(&Some(true)) {
                self.questions.drop_weak();
            }
        }
        if self.wins[other].is_none() {
            let share = if self.weak[index].is_none() { share / 8 } else { share };
            self.wins[other] = self.ask_in(Held::Real, side, share).map(|holds| !holds);
        }
    }

    fn ask_in(&mut self, game: Held, side: Mark, mut share: u64) -> Option<bool> {
        self.doing.set(Doing::Holds(side, game));
        while share > 0 && !self.budget.is_spent() {
            self.percent.set(self.questions.percent(game));
            let (slice, questions) = (share.min(SLICE), &mut self.questions);
            let found = self.budget.at_most(slice, |part| questions.holds(side, game, part));
            if let Ok(holds) = found {
                return Some(holds);
            }
            share -= slice;
        }
        None
    }

    fn value(&self) -> Option<Value> {
        let winner = Mark::ALL.iter().copied().find(|&side| self.wins[side as usize] == Some(true));
        match (winner, self.wins) {
            (Some(winner), _) => Some(Value::Win(winner, self.plies)),
            (None, [Some(false), Some(false)]) => Some(Value::Draw),
            _ => None,
        }
    }

    /// The sides of which it is not known whether they force a line.
    fn open(&self) -> Vec<Mark> {
        Mark::ALL.iter().copied().filter(|&side| self.wins[side as usize].is_none()).collect()
    }

    /// Reads what proves the value.
    fn parts(&mut self, is_first: bool, is_exact: bool) -> Result<Vec<Part>, NoParts> {
        match self.value() {
            None | Some(Value::Win(_, None)) => Err(NoParts::Open),
            Some(Value::Win(side, Some(plies))) => {
                self.doing.set(Doing::Reads(side));
                let list = self.questions.attack(side, plies.div_ceil(2), &mut self.budget);
                Ok(vec![Part::Wins(side, list.map_err(|Spent| NoParts::Spent)?)])
            }
            Some(Value::Draw) => {
                let part = |&side: &Mark| {
                    if is_first && side == Mark::X {
                        return Ok(Part::First);
                    }
                    let is_weak = self.weak[side as usize] == Some(true);
                    let game = if is_weak { Held::Weak } else { Held::Real };
                    if !is_weak && is_exact {
                        return Err(NoParts::Exact);
                    }
                    self.doing.set(Doing::Reads(side));
                    let holds = self.questions.hold(side, game, &mut self.budget);
                    Ok(Part::Holds(side, game, holds.map_err(|Spent| NoParts::Spent)?))
                };
                Mark::ALL.iter().map(part).collect()
            }
        }
    }
}
