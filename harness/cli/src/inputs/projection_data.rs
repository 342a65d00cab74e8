//! Projections: what the servers of SDK releases send to clients of each era.

use std::path::Path;

use anyhow::{Context as _, Result};
use mcp_compat_drive::files::input_file;
use mcp_compat_model::projection::Projections;

/// Name of the data that ships, among the files of the adapters.
const SHIPPED: &str = "projection.json";

/// Returns the data of a file, or the data that ships.
pub fn of(file: Option<&Path>) -> Result<Projections> {
    let Some(path) = file else { return Ok(shipped()) };
    let reading = || format!("cannot read the projections {}", path.display());
    let text = input_file::read_named(path).with_context(reading)?;
    Projections::parse(&text).with_context(reading)
}

/// Returns the data that ships with the program.
pub fn shipped() -> Projections {
    let text = mcp_compat_fleet::adapters::text(SHIPPED).unwrap_or_else(|| unreachable!("{SHIPPED} is embedded"));
    Projections::parse(&text).unwrap_or_else(|error| unreachable!("a test reads {SHIPPED}: {error}"))
}
