//! Support data: the releases of the SDKs that work with a scenario.

use std::path::Path;

use anyhow::{Context as _, Result};
use mcp_compat_drive::files::input_file;
use mcp_compat_model::support::Support;

/// Name of the data that ships, among the files of the adapters.
const SHIPPED: &str = "support.json";

/// Largest size of a file in bytes, a hundred times that of the data that ships.
const LONGEST: u64 = 64 << 20;

/// Returns the data of a file, or the data that ships.
pub fn of(file: Option<&Path>) -> Result<Support> {
    file.map_or_else(|| Ok(shipped()), read)
}

/// Returns the data that ships with the program.
pub fn shipped() -> Support {
    let text = mcp_compat_fleet::adapters::text(SHIPPED).unwrap_or_else(|| unreachable!("{SHIPPED} is embedded"));
    Support::parse(&text).unwrap_or_else(|error| unreachable!("a test reads {SHIPPED}: {error}"))
}

pub fn read(path: &Path) -> Result<Support> {
    let reading = || format!("cannot read the support data {}", path.display());
    let text = input_file::read_text(path, LONGEST).with_context(reading)?;
    Support::parse(&text).with_context(reading)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ships_can_be_read() {
        assert!(!shipped().statements.is_empty());
    }
}
