//! Support data: the releases of the SDKs that work with a scenario.

use std::path::Path;

use anyhow::Result;
use mcp_compat_model::support::Support;

use super::data_file;

/// Returns the data of a file, or the data that ships.
pub fn of(file: Option<&Path>) -> Result<Support> {
    file.map_or_else(|| Ok(shipped()), read)
}

/// Returns the data that ships with the program.
pub fn shipped() -> Support {
    data_file::shipped("support.json", Support::parse)
}

pub fn read(path: &Path) -> Result<Support> {
    data_file::read(path, "support data", Support::parse)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ships_can_be_read() {
        assert!(!shipped().statements.is_empty());
    }
}
