//! Contests: programs of others as players, each a process behind the trait that players have.
//!
//! A program is asked for a move by a line and answers with a line, by a protocol of ours or by that
//! of Gomocup. It ends with the game's session, whatever it does.
//!
//! In a match players of either kind play many games, which statistics sum up.

#[cfg(unix)]
mod cmd;
#[cfg(not(unix))]
mod elsewhere;
mod entrant;
#[cfg(unix)]
mod gomocup;
#[cfg(unix)]
mod player;
#[cfg(unix)]
mod process;

mod openings;
mod record;
mod report;
mod sprt;
pub mod statistics;
mod tournament;
mod trial;

use std::fs::File;
use std::sync::Arc;
use std::time::Duration;

#[cfg(not(unix))]
pub use self::elsewhere::Processes;
pub use self::entrant::{Entrant, ParseEntrantError, Program, Protocol, StartError, Who};
pub use self::openings::{NoOpening, Openings, OpeningsError};
#[cfg(unix)]
pub use self::process::Processes;
pub use self::record::{RecordError, RecordFile};
pub use self::sprt::{Hypothesis, ParseSprtError, Sprt};
pub use self::tournament::{Ending, Match, MatchError};
pub use self::trial::trial;
use crate::command::RowOne;

/// The terms on which a program plays.
#[derive(Clone, Default, Debug)]
pub struct Terms {
    /// The time for each move [default: a minute, which is not told].
    pub time: Option<Duration>,
    /// The time for all its moves of a game.
    pub game_time: Option<Duration>,
    /// A move may be later by this much, which is not told.
    pub margin: Duration,
    /// The edge from which letters count rows.
    pub row_one: RowOne,
    /// Gets a copy of standard error.
    pub log: Option<Arc<File>>,
}
