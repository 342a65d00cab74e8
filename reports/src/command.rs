//! The commands that a reader is told to type.
//!
//! They are built from the parts of a cell, which hold nothing that a shell could obey; the id of a stored cell may
//! hold anything. What has brackets is quoted, because a shell takes them for a pattern.

use std::fmt;

use mcp_compat_model::record::CellRecord;
use mcp_compat_model::{Cell, CellId};

use crate::text::neutralised;

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

/// Plays a cell again; one of the JSON Schema Test Suite out of the checkout in that folder.
pub(crate) fn again(cell: &CellRecord, suite: Option<&str>) -> Command {
    let suite = suite.map(|folder| format!("--schema-suite {}", quoted(&neutralised(folder))));
    let mut parts = vec!["mcp-compat run".to_owned()];
    parts.extend(suite);
    parts.extend([
        format!("--scenario '{}'", cell.scenario),
        format!("--client {}", cell.client),
        format!("--server {}", cell.server),
        format!("--transport {}", cell.transport),
    ]);
    Command(parts)
}

/// The text as one word of a shell.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}
