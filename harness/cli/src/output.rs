//! Prints results to standard output and everything else to standard error, and never panics if nobody takes it.
//!
//! A full disk behind standard output is an error of the command, which [`checked`] reports at its end. If the reader
//! of a pipe has gone, as `head` goes, it has what it wanted: the command ends with status 3, and says nothing. What cannot
//! be written to standard error is dropped, because there is no other place for it. Nothing that is printed is a command
//! to the CI system that shows it.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write as _};
use std::sync::OnceLock;

use anyhow::Context as _;
use mcp_compat_model::unseen::{neutralised_json, without_ci_commands};
use serde::Serialize;

use crate::exit::{Exit, HarnessFailed};

/// Why standard output could not be written, the first time.
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

/// A value as JSON for programs, in lines, harmless on a terminal.
pub(crate) fn json_text(value: &impl Serialize) -> anyhow::Result<String> {
    let text = serde_json::to_string_pretty(value).context(HarnessFailed("writing JSON"))?;
    Ok(neutralised_json(&text) + "\n")
}

/// Writes to standard error.
pub(crate) fn to_stderr(text: Arguments<'_>) {
    // There is nobody to tell.
    let _ = anstream::stderr().lock().write_all(without_ci_commands(&text.to_string()).as_bytes());
}

/// The end of a command, with regard to whether its results could be printed.
pub(crate) fn checked(exit: Exit) -> Exit {
    let Some(error) = FAILED.get() else { return exit };
    if error.kind() != ErrorKind::BrokenPipe {
        eprintln!("error: writing the result to standard output: {error}");
    }
    Exit::Harness
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
