//! The time control: what a move may cost, by the settings of the manager.

use std::time::{Duration, Instant};

use super::input::Input;
use super::request::{Info, Request};
use crate::limit::search_within;
use crate::search::Budget;

/// The time control of a game, and the limit of positions.
#[derive(Default, Debug)]
pub struct TimeControl {
    /// The start of the process, until the first search.
    started: Option<Instant>,
    /// The time for a move.
    turn: Option<Duration>,
    /// The time for a game; zero is unlimited.
    game: Option<Duration>,
    /// The time left for the game.
    left: Option<Duration>,
    /// The positions for a move.
    nodes: Option<u64>,
}

/// The time for a move where the manager sets no limit at all.
const DEFAULT_TURN: Duration = Duration::from_secs(1);

/// A move takes one of this many parts of the time left for the game. Games against engines of like
/// strength took 20 to 30 moves of a side, some 60: with sixteen parts the first ten moves have
/// half of the time, and the thirtieth still a sixth of what the first had.
const PARTS: u32 = 16;

/// The margin that a busy machine needs to hand a move on.
const MARGIN: Duration = Duration::from_millis(50);

/// One part in this many of the time is a margin too: the longer a search, the more often it is
/// interrupted. Of 700 moves on two cores with eight busy processes, one came 87 ms late.
const MARGIN_SHARE: u32 = 20;

/// The positions for a move that is due at once: some milliseconds, and enough to see a threat.
const NODES_AT_ONCE: u64 = 1000;

/// The first request counts as sent before the process started if it is read within this time.
const STARTUP: Duration = Duration::from_millis(500);

impl TimeControl {
    /// A time control without limits. The first move is timed from `started`, when the process did.
    pub fn new(started: Instant) -> Self {
        Self { started: Some(started), ..Self::default() }
    }

    /// Takes over a setting of time, and returns false for any other setting.
    pub fn hear(&mut self, info: &Info) -> bool {
        match *info {
            Info::TimeoutTurn(millis) => self.turn = Some(Duration::from_millis(millis)),
            Info::TimeoutMatch(millis) => {
                self.game = Some(Duration::from_millis(millis));
                self.restart();
            }
            Info::TimeLeft(millis) => {
                self.left = Some(Duration::from_millis(millis.try_into().unwrap_or(0)));
            }
            _ => return false,
        }
        true
    }

    /// Limits the positions for a move; 0 is unlimited.
    pub fn limit_nodes(&mut self, nodes: u64) {
        self.nodes = (nodes > 0).then_some(nodes);
    }

    /// Gives a new game all of its time.
    pub const fn restart(&mut self) {
        self.left = self.game;
    }

    /// Calls `search` with the budget of a move, timed from the moment when it was `asked` for, and
    /// takes its time from the game. Settings of time that come meanwhile count at once, and the
    /// end of `input` ends the search.
    pub fn run<T>(
        &mut self,
        input: &mut Input,
        asked: Instant,
        search: impl FnOnce(&mut Budget<'_>) -> Option<T>,
    ) -> Option<T> {
        let start = self.start(asked);
        let nodes = self.nodes.unwrap_or(u64::MAX);
        let mut look = || {
            let heard =
                |request: &Request| matches!(request, Request::Info(info) if self.hear(info));
            if input.look(heard) { Duration::ZERO } else { self.allowance() }
        };
        let result = if look().is_zero() {
            search(&mut Budget::nodes(nodes.min(NODES_AT_ONCE)))
        } else {
            search_within(nodes, start, |_| Some(look()), search).flatten()
        };
        self.spend(start.elapsed());
        result
    }

    /// The moment from which a move is timed: when it was `asked` for, or for the first move the
    /// start of the process.
    fn start(&mut self, asked: Instant) -> Instant {
        let started = self.started.take();
        let recent = started.filter(|started| asked.duration_since(*started) < STARTUP);
        recent.unwrap_or(asked)
    }

    /// The time for the search of a move; [`Duration::MAX`] is unlimited.
    fn allowance(&self) -> Duration {
        let is_unlimited = self.game.is_some_and(|game| game.is_zero());
        let part = self.left.filter(|_| !is_unlimited).map(|left| left / PARTS);
        let time = match (self.turn, part) {
            (Some(turn), Some(part)) => turn.min(part),
            (Some(time), None) | (None, Some(time)) => time,
            (None, None) if self.nodes.is_some() => return Duration::MAX,
            (None, None) => DEFAULT_TURN,
        };
        time.saturating_sub(MARGIN + time / MARGIN_SHARE)
    }

    fn spend(&mut self, time: Duration) {
        self.left = self.left.map(|left| left.saturating_sub(time));
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use std::io::{self, BufReader, Write};

    use super::*;

    #[test]
    fn a_move_takes_nearly_all_of_its_turn_and_a_part_of_what_is_left() {
        use Info::{TimeLeft, TimeoutMatch, TimeoutTurn};
        let unlimited = i64::from(i32::MAX);
        let cases: [(&[Info], u64); 12] = [
            (&[], 900),
            (&[TimeoutTurn(1000)], 900),
            (&[TimeoutTurn(30_000)], 28_450),
            (&[TimeoutTurn(0)], 0),
            (&[TimeoutTurn(51)], 0),
            (&[TimeoutTurn(1000), TimeoutMatch(0), TimeLeft(unlimited)], 900),
            (&[TimeoutMatch(0), TimeLeft(0)], 900),
            (&[TimeoutTurn(5000), TimeoutMatch(16_000)], 900),
            (&[TimeoutMatch(180_000), TimeLeft(120_000)], 7075),
            (&[TimeoutMatch(180_000), TimeLeft(-1)], 0),
            (&[TimeLeft(16_000)], 900),
            (&[TimeLeft(1), TimeoutMatch(16_000)], 900),
        ];
        for (infos, millis) in cases {
            let mut time = TimeControl::default();
            for info in infos {
                assert!(time.hear(info), "{info:?}");
            }
            let expected = Duration::from_millis(millis);
            assert_eq!(time.allowance(), expected, "{infos:?}");
        }
    }

    #[test]
    fn a_limit_of_positions_alone_leaves_the_time_unlimited() {
        let mut time = TimeControl::default();
        for (nodes, allowance) in [(500, Duration::MAX), (0, Duration::from_millis(900))] {
            time.limit_nodes(nodes);
            assert_eq!(time.allowance(), allowance, "{nodes}");
        }
    }

    #[test]
    fn a_game_never_outlasts_its_time() {
        let mut time = TimeControl::default();
        time.hear(&Info::TimeoutMatch(60_000));
        let mut total = Duration::ZERO;
        for _ in 0..500 {
            // Somewhat longer than allowed, each time.
            let used = time.allowance() + Duration::from_micros(100);
            total += used;
            time.spend(used);
        }
        assert!(total < Duration::from_mins(1), "{total:?}");
        time.restart();
        assert!(time.allowance() > Duration::from_secs(3));
    }

    #[test]
    fn a_search_hears_what_is_sent_while_it_goes_on() {
        for (last, is_heard) in [
            ("INFO timeout_turn 0\n", true),
            ("INFO rule 1\nABOUT\nINFO time_left -1\n", true),
            ("END\n", true),
            // A setting after another request is not for this search.
            ("RESTART\nINFO timeout_turn 0\n", false),
        ] {
            let (input, mut manager) = io::pipe().unwrap();
            let mut input = Input::open(BufReader::new(input), || false);
            let most: u64 = if is_heard { 1 << 40 } else { 1 << 16 };
            let mut time = TimeControl::default();
            time.hear(&Info::TimeoutTurn(u64::from(u32::MAX)));
            time.limit_nodes(most);
            let spent = time.run(&mut input, Instant::now(), |budget| {
                manager.write_all(last.as_bytes()).unwrap();
                while budget.spend().is_ok() {}
                Some(budget.spent())
            });
            assert_eq!(spent < Some(most), is_heard, "{last:?}");
        }
    }

    #[test]
    fn the_first_move_has_the_time_since_the_process_started() {
        let soon = Duration::from_millis(20);
        let started = Instant::now();
        let (early, late) = (started + soon, started + STARTUP);
        assert_eq!(TimeControl::new(started).start(early), started);
        assert_eq!(TimeControl::new(started).start(late), late);
        let mut time = TimeControl::new(started);
        time.start(early);
        assert_eq!(time.start(early + soon), early + soon);
    }
}
