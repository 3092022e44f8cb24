//! Who talks to a session: the loop over lines, the prompt, and the journal beside them.

pub mod journal;
pub mod prompt;
pub mod repl;
