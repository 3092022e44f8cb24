//! The score of a conversation: who won how many of its finished games.

use std::collections::BTreeMap;

use crate::command::{Name, Seat};
use crate::game::Outcome;
use crate::reply::{Answer, Code, Reply};

/// Whoever won a game, as the score calls them: `None` where nobody did.
type Winner = Option<String>;

/// The score over the games that ended in a conversation. A game that is taken back and ended again
/// counts once.
#[derive(Default)]
pub(super) struct Score {
    /// The ends that `undo` may still take back, by the names of the games.
    ended: BTreeMap<Name, Winner>,
    /// The number of the other ends.
    settled: BTreeMap<Winner, usize>,
}

impl Score {
    /// Counts the end of a game that `reply` tells of, or that it takes back.
    pub(super) fn note(&mut self, reply: &Reply<'_>) {
        match &reply.answer {
            Ok(Answer::Started | Answer::Replayed(_) | Answer::SetUp) => self.settle(reply.name),
            Ok(Answer::Dropped(name)) => self.settle(name),
            Ok(Answer::Undone(1..)) => _ = self.ended.remove(reply.name),
            _ => {}
        }
        if let (Code::Win | Code::Draw, Some(outcome)) = (reply.code(), reply.game.outcome()) {
            self.ended.insert(reply.name.clone(), winner(outcome, reply.seats));
        }
    }

    /// Counts the end of the game called `name` for good, if it has ended.
    fn settle(&mut self, name: &Name) {
        if let Some(winner) = self.ended.remove(name) {
            *self.settled.entry(winner).or_default() += 1;
        }
    }

    /// Tells the score, whoever won most first: `4 games: X won 2, O won 1, 1 drawn`. `None` where
    /// no game has ended.
    pub(super) fn tell(&self) -> Option<String> {
        let mut ends = self.settled.clone();
        for winner in self.ended.values() {
            *ends.entry(winner.clone()).or_default() += 1;
        }
        let games: usize = ends.values().sum();
        let drawn = ends.remove(&None).map(|count| format!("{count} drawn"));
        let mut won: Vec<_> =
            ends.into_iter().filter_map(|(name, won)| Some((won, name?))).collect();
        won.sort_unstable_by(|one, other| other.cmp(one));
        let won = won.into_iter().map(|(won, name)| format!("{name} won {won}"));
        let all: Vec<String> = won.chain(drawn).collect();
        let s = if games == 1 { "" } else { "s" };
        (games > 0).then(|| format!("{games} game{s}: {}", all.join(", ")))
    }
}

/// The name of the winner: that of the mark between equals, else that of the player.
fn winner(outcome: Outcome, seats: &[Seat; 2]) -> Winner {
    let mark = outcome.winner()?;
    let [x, o] = seats;
    Some(match Seat::of(mark, seats) {
        _ if x == o => mark.to_string(),
        Seat::Human => "you".to_owned(),
        player => player.to_string(),
    })
}
