//! Projections: what the servers of SDK releases send to clients of each era.

use std::path::Path;

use anyhow::Result;
use mcp_compat_model::projection::Projections;

use super::data_file;

/// Returns the data of a file, or the data that ships.
pub fn of(file: Option<&Path>) -> Result<Projections> {
    file.map_or_else(|| Ok(shipped()), |path| data_file::read(path, "projections", Projections::parse))
}

/// Returns the data that ships with the program.
pub fn shipped() -> Projections {
    data_file::shipped("projection.json", Projections::parse)
}
