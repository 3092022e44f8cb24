//! The terminal as it was before the prompt: a signal that ends the program gives it back.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::thread;

use nix::sys::termios::{SetArg, tcgetattr, tcsetattr};
use signal_hook::consts::{SIGHUP, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

/// Ends bracketed paste, which the line editor begins.
const END_OF_PASTE: &[u8] = b"\x1b[?2004l";

/// From now on restores the mode of the terminal on standard input when a signal ends the program,
/// calls `last`, and ends the program by that signal. A hang-up that was ignored at the start stays
/// so.
///
/// # Errors
///
/// An error of the terminal or of the system, such as that no thread can be started.
pub fn restore_at_signals(last: impl Fn() + Send + 'static) -> io::Result<()> {
    let mode = tcgetattr(io::stdin())?;
    // Standard output is locked by the conversation.
    let mut terminal = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let mut signals = Signals::new([SIGQUIT, SIGTERM])?;
    if !is_ignored(SIGHUP) {
        signals.add_signal(SIGHUP)?;
    }
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        for signal in signals.forever() {
            // The program ends, whether or not the terminal is still there.
            let _ = tcsetattr(&terminal, SetArg::TCSANOW, &mode);
            let _ = terminal.write_all(END_OF_PASTE);
            last();
            let _ = emulate_default_handler(signal);
        }
    })?;
    Ok(())
}

/// Tells whether the program was started with `signal` ignored, as by `nohup`. Only Linux says so
/// without unsafe code; elsewhere it was not.
#[must_use]
pub fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}
