//! The commands that a reader is told to type.
//!
//! They are built from the parts of a cell, which hold nothing that a shell could obey; the id of a stored cell may
//! hold anything. What has brackets is quoted, because a shell takes them for a pattern.

use std::fmt;

use mcp_compat_model::record::CellRecord;
use mcp_compat_model::{Cell, CellId};

/// The id of a cell, put together anew.
pub(crate) fn id(cell: &CellRecord) -> CellId {
    let CellRecord { scenario, client, server, transport, .. } = cell;
    Cell { scenario: scenario.clone(), client: client.clone(), server: server.clone(), transport: *transport }.id()
}

/// A command in parts, between which its line may be broken.
pub(crate) struct Command(pub(crate) Vec<String>);

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(" "))
    }
}

/// Shows what happened in a cell.
pub(crate) fn show(cell: &CellRecord) -> Command {
    Command(vec!["mcp-compat show".to_owned(), format!("'{}'", id(cell))])
}

/// Plays a cell again.
pub(crate) fn again(cell: &CellRecord) -> Command {
    Command(vec![
        "mcp-compat run".to_owned(),
        format!("--scenario '{}'", cell.scenario),
        format!("--client {}", cell.client),
        format!("--server {}", cell.server),
        format!("--transport {}", cell.transport),
    ])
}
