//! The support data: which releases of the SDKs work with a scenario.

use std::path::Path;

use anyhow::{Context as _, Result};
use mcp_compat_drive::files::input_file;
use mcp_compat_model::support::Support;

/// The file of the adapters with the data.
const SHIPPED: &str = "support.json";

/// How long such a file may be: a hundred times what ships.
const LONGEST: u64 = 64 << 20;

/// The data of a file, or what ships with the program.
///
/// # Errors
/// When the file cannot be read, or not as support data.
pub fn of(file: Option<&Path>) -> Result<Support> {
    file.map_or_else(|| Ok(shipped()), read)
}

/// The data that ships with the program.
#[must_use]
pub fn shipped() -> Support {
    let text = mcp_compat_fleet::adapters::text(SHIPPED).unwrap_or_else(|| unreachable!("{SHIPPED} is embedded"));
    Support::parse(&text).unwrap_or_else(|error| unreachable!("a test reads {SHIPPED}: {error}"))
}

/// The data of a file.
///
/// # Errors
/// When the file cannot be read, or not as support data.
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
