//! Prints results to standard output and everything else to standard error, without a panic when a write fails.
//!
//! A failed write to standard output, for example to a full disk, is an error of the command and is reported at its
//! end. A failed write to standard error is ignored, because there is no other place for it. Text that a CI system
//! would execute as a command is disarmed.

use std::fmt::Arguments;
use std::io::Write as _;
use std::sync::OnceLock;

use anyhow::Context as _;
use mcp_compat_model::invisible_chars::{neutralised_json, without_ci_commands};
use serde::Serialize;

use crate::exit::HarnessFailed;

/// First error of a write to standard output.
static FAILED: OnceLock<std::io::Error> = OnceLock::new();

/// Writes to standard output.
pub fn to_stdout(text: Arguments<'_>) {
    write_to_stdout(&without_ci_commands(&text.to_string()));
}

/// Writes annotations of `mcp_compat_reports::github` to standard output. They are commands to the CI system.
pub fn print_annotations(lines: &str) {
    write_to_stdout(lines);
}

fn write_to_stdout(text: &str) {
    if FAILED.get().is_some() {
        return;
    }
    let mut stdout = anstream::stdout().lock();
    if let Err(error) = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        // Only the first error is kept.
        let _ = FAILED.set(error);
    }
}

/// Writes to standard error.
pub fn to_stderr(text: Arguments<'_>) {
    // There is no other place to report the failure.
    let _ = anstream::stderr().lock().write_all(without_ci_commands(&text.to_string()).as_bytes());
}

/// Returns the first error of a write to standard output.
pub fn failure() -> Option<&'static std::io::Error> {
    FAILED.get()
}

/// Returns a value as indented JSON that is harmless on a terminal.
pub fn json_text(value: &impl Serialize) -> anyhow::Result<String> {
    let text = serde_json::to_string_pretty(value).context(HarnessFailed("writing JSON"))?;
    Ok(neutralised_json(&text) + "\n")
}

#[macro_export]
macro_rules! print {
    ($($text:tt)*) => { $crate::output::to_stdout(format_args!($($text)*)) };
}

#[macro_export]
macro_rules! println {
    ($($text:tt)*) => { $crate::output::to_stdout(format_args!("{}\n", format_args!($($text)*))) };
}

#[macro_export]
macro_rules! eprint {
    ($($text:tt)*) => { $crate::output::to_stderr(format_args!($($text)*)) };
}

#[macro_export]
macro_rules! eprintln {
    ($($text:tt)*) => { $crate::output::to_stderr(format_args!("{}\n", format_args!($($text)*))) };
}

pub use {eprint, eprintln, print, println};
