//! Data that ship with the program, or a file of the same form in their place.

use std::error::Error;
use std::path::Path;

use anyhow::{Context as _, Result};
use mcp_compat_drive::files::input_file;

/// Largest size of a file in bytes, a hundred times that of the data that ship.
const LONGEST: u64 = 64 << 20;

/// Reads a file of data, which are called `what` in errors.
pub(super) fn read<T, E>(path: &Path, what: &str, parse: fn(&str) -> Result<T, E>) -> Result<T>
where
    E: Error + Send + Sync + 'static,
{
    let reading = || format!("cannot read the {what} {}", path.display());
    let text = input_file::read_text(path, LONGEST).with_context(reading)?;
    parse(&text).with_context(reading)
}

/// Reads data that ship among the files of the adapters.
pub(super) fn shipped<T, E: Error>(name: &str, parse: fn(&str) -> Result<T, E>) -> T {
    let text = mcp_compat_fleet::adapters::text(name).unwrap_or_else(|| unreachable!("{name} is embedded"));
    parse(&text).unwrap_or_else(|error| unreachable!("a test reads {name}: {error}"))
}
