//! The shell: whoever talks to a session, by lines, at a prompt, and with a journal beside.

#[cfg(feature = "cli")]
mod completion;
pub mod journal;
pub mod journal_file;
#[cfg(feature = "cli")]
mod progress;
#[cfg(feature = "cli")]
pub mod prompt;
pub mod repl;
#[cfg(all(feature = "cli", unix))]
mod terminal;
