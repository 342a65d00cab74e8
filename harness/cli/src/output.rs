//! Prints results to standard output and everything else to standard error, and never panics if nobody takes it.
//!
//! A full disk behind standard output is an error of the command, which is reported at its end. What cannot be written
//! to standard error is dropped, because there is no other place for it. Nothing that is printed is a command to the CI
//! system that shows it.

use std::fmt::Arguments;
use std::io::Write as _;
use std::sync::OnceLock;

use mcp_compat_model::unseen::without_ci_commands;

/// Reason why standard output could not be written, the first time.
static FAILED: OnceLock<std::io::Error> = OnceLock::new();

/// Writes to standard output.
pub(crate) fn to_stdout(text: Arguments<'_>) {
    if FAILED.get().is_some() {
        return;
    }
    let mut stdout = anstream::stdout().lock();
    let text = text.to_string();
    if let Err(error) = stdout.write_all(without_ci_commands(&text).as_bytes()).and_then(|()| stdout.flush()) {
        // Only the first one counts.
        let _ = FAILED.set(error);
    }
}

/// Writes to standard error.
pub(crate) fn to_stderr(text: Arguments<'_>) {
    // There is nobody to tell.
    let _ = anstream::stderr().lock().write_all(without_ci_commands(&text.to_string()).as_bytes());
}

/// Returns the reason why results could not be written to standard output, if they could not.
pub(crate) fn failure() -> Option<&'static std::io::Error> {
    FAILED.get()
}

macro_rules! print {
    ($($text:tt)*) => { $crate::output::to_stdout(format_args!($($text)*)) };
}

macro_rules! println {
    ($($text:tt)*) => { $crate::output::to_stdout(format_args!("{}\n", format_args!($($text)*))) };
}

macro_rules! eprint {
    ($($text:tt)*) => { $crate::output::to_stderr(format_args!($($text)*)) };
}

macro_rules! eprintln {
    ($($text:tt)*) => { $crate::output::to_stderr(format_args!("{}\n", format_args!($($text)*))) };
}

pub(crate) use {eprint, eprintln, print, println};
