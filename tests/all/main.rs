//! One crate, so that the program is linked once.

mod any_bytes;
mod architecture;
mod cli;
mod clients;
mod commands;
mod gomocup;
mod journal;
mod model;
mod players;
mod prompt;
mod readme;
mod rules;
mod threats;
mod transcripts;
