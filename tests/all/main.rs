//! One crate, so that the program is linked once.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may panic")]

// The unit tests of `src` share the oracle, where these are rooms of the crate.
use noughts::{game, search};

mod oracle;
mod properties;
mod support;

mod any_bytes;
mod architecture;
mod budget;
mod check;
mod cli;
mod commands;
mod examples;
mod gomocup;
mod hall;
#[cfg(unix)]
mod history;
mod journal;
mod letters;
mod matches;
mod model;
mod perft;
mod pictures;
mod players;
mod programs;
mod prompt;
mod prove;
mod readme;
mod records;
mod rules;
#[cfg(unix)]
mod serve;
mod statistics;
mod terminal;
mod threats;
mod transcripts;
