//! The shell: whoever talks to a session, by lines, at a prompt, and with a journal beside.

mod completion;
pub mod journal;
pub mod journal_file;
mod progress;
pub mod prompt;
pub mod repl;
