//! How long a move may take.

use std::time::Duration;

use super::request::Info;

/// What the manager allows, and what of it is left.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct TimeControl {
    /// For one move.
    turn: Option<Duration>,
    /// For the whole game.
    game: Option<Duration>,
    /// Of that.
    left: Option<Duration>,
    /// Positions for one move.
    nodes: Option<u64>,
}

/// For a move where the manager names no limit at all.
const DEFAULT_TURN: Duration = Duration::from_secs(1);

/// Into so many parts what is left for the game is divided, and a move takes one of them. Games
/// against engines of like strength took 20 to 30 moves of a side, some 60: with sixteen parts the
/// first ten moves have half of the time, and the thirtieth still a sixth of what the first had.
const PARTS: u32 = 16;

/// A move is made so much before its time is over: what a busy machine needs to hand it on.
const MARGIN: Duration = Duration::from_millis(50);

/// And this share of its time too: the longer a search, the more often it is interrupted. Of 700
/// moves on two cores with eight busy processes, one came 87 ms later than it was to.
const MARGIN_SHARE: u32 = 20;

impl TimeControl {
    /// Takes over a setting, if it is a limit.
    pub fn hear(&mut self, info: &Info) {
        match *info {
            Info::TimeoutTurn(time) => self.turn = Some(Duration::from_millis(time)),
            Info::TimeoutMatch(time) => {
                self.game = Some(Duration::from_millis(time));
                self.renew();
            }
            Info::TimeLeft(time) => {
                self.left = Some(Duration::from_millis(time.try_into().unwrap_or(0)));
            }
            Info::MaxNode(nodes) => self.nodes = (nodes > 0).then_some(nodes),
            Info::MaxMemory(_) | Info::Rule(_) | Info::Other => {}
        }
    }

    /// All of the time for a game is there again.
    pub const fn renew(&mut self) {
        self.left = self.game;
    }

    /// So much was used for a move.
    pub fn spend(&mut self, used: Duration) {
        self.left = self.left.map(|left| left.saturating_sub(used));
    }

    /// How many positions a move may take, at most.
    pub fn nodes(&self) -> u64 {
        self.nodes.unwrap_or(u64::MAX)
    }

    /// How long the search for a move may take: [`Duration::MAX`] for ever.
    pub fn allowance(&self) -> Duration {
        let is_endless = self.game.is_some_and(|game| game.is_zero());
        let left = self.left.filter(|_| !is_endless);
        let whole = match (self.turn, left.map(|left| left / PARTS)) {
            (Some(turn), Some(part)) => turn.min(part),
            (Some(time), None) | (None, Some(time)) => time,
            (None, None) if self.nodes.is_some() => return Duration::MAX,
            (None, None) => DEFAULT_TURN,
        };
        whole.saturating_sub(MARGIN + whole / MARGIN_SHARE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_takes_nearly_all_of_its_turn_and_a_part_of_what_is_left() {
        use Info::{MaxNode, TimeLeft, TimeoutMatch, TimeoutTurn};
        let endless = i64::from(i32::MAX);
        let cases: [(&[Info], Option<u64>); 14] = [
            (&[], Some(900)),
            (&[MaxNode(500)], None),
            (&[MaxNode(500), MaxNode(0)], Some(900)),
            (&[TimeoutTurn(1000)], Some(900)),
            (&[TimeoutTurn(30_000)], Some(28_450)),
            (&[TimeoutTurn(0)], Some(0)),
            (&[TimeoutTurn(51)], Some(0)),
            (
                &[TimeoutTurn(1000), TimeoutMatch(0), TimeLeft(endless)],
                Some(900),
            ),
            (&[TimeoutMatch(0), TimeLeft(0)], Some(900)),
            (&[TimeoutTurn(5000), TimeoutMatch(16_000)], Some(900)),
            (&[TimeoutMatch(180_000), TimeLeft(120_000)], Some(7075)),
            (&[TimeoutMatch(180_000), TimeLeft(-1)], Some(0)),
            (&[TimeLeft(16_000)], Some(900)),
            (&[TimeLeft(1), TimeoutMatch(16_000)], Some(900)),
        ];
        for (infos, expected) in cases {
            let mut limits = TimeControl::default();
            for info in infos {
                limits.hear(info);
            }
            let expected = expected.map_or(Duration::MAX, Duration::from_millis);
            assert_eq!(limits.allowance(), expected, "{infos:?}");
        }
    }

    #[test]
    fn a_game_never_outlasts_its_time() {
        let mut limits = TimeControl::default();
        limits.hear(&Info::TimeoutMatch(60_000));
        let mut total = Duration::ZERO;
        for _ in 0..500 {
            // As late as the margin lets it be.
            let used = limits.allowance() + Duration::from_micros(100);
            total += used;
            limits.spend(used);
        }
        assert!(total < Duration::from_mins(1), "{total:?}");
        limits.renew();
        assert!(limits.allowance() > Duration::from_secs(3));
    }
}
