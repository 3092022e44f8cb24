//! Who talks to a session: the loop over lines, the prompt, and the journal beside them.

pub mod journal;
#[cfg(feature = "cli")]
pub mod prompt;
pub mod repl;
