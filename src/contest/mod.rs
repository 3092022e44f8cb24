//! Contests: programs of others as players, each a process behind the trait that players have.

mod entrant;

pub use self::entrant::{Entrant, ParseEntrantError, Program, Protocol, Who};
