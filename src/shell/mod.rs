//! The shell: whoever talks to a session, by lines, at a prompt, and with a journal beside.

#[cfg(feature = "cli")]
mod completion;
mod files;
#[cfg(feature = "cli")]
mod fold;
pub mod journal;
pub mod journal_file;
#[cfg(feature = "cli")]
mod progress;
#[cfg(feature = "cli")]
pub mod prompt;
pub mod repl;
mod score;
#[cfg(all(feature = "cli", unix))]
pub mod terminal;

use std::ffi::OsStr;

use crate::command::is_format;

/// Returns the name of a file, or what else may hold anything, for a message: it is one line of
/// printable text.
pub fn printable(text: impl AsRef<OsStr>) -> String {
    let mut name = String::new();
    for char in text.as_ref().to_string_lossy().chars() {
        if char.is_control() || is_format(char) {
            name.extend(char.escape_default());
        } else {
            name.push(char);
        }
    }
    name
}
