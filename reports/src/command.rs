//! The commands that a reader is told to type.
//!
//! They are built from the parts of a cell, which hold nothing that a shell could obey; the id of a stored cell may
//! hold anything, and so may a path. What has brackets is quoted, because a shell takes them for a pattern.

use std::fmt;

use mcp_compat_model::record::{CellRecord, ScenarioRecord};
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

/// Plays a cell again, of this scenario.
pub(crate) fn again(cell: &CellRecord, scenario: Option<&ScenarioRecord>) -> Command {
    let read_from = scenario.and_then(|scenario| scenario.read_from.as_deref());
    let mut parts = vec!["mcp-compat run".to_owned()];
    parts.extend(read_from.map(|path| format!("--scenarios {}", quoted(path))));
    parts.extend([
        format!("--scenario '{}'", cell.scenario),
        format!("--client {}", cell.client),
        format!("--server {}", cell.server),
        format!("--transport {}", cell.transport),
    ]);
    Command(parts)
}

/// A path as a shell takes it for one word.
fn quoted(path: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-');
    if !path.is_empty() && path.chars().all(plain) {
        return path.to_owned();
    }
    format!("'{}'", neutralised(path).replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_one_word_of_a_shell() {
        assert_eq!(quoted("../mine/my_class-1.toml"), "../mine/my_class-1.toml");
        assert_eq!(quoted("my files"), "'my files'");
        assert_eq!(quoted("it's $(here)"), r"'it'\''s $(here)'");
        assert_eq!(quoted("a\u{1b}[31m"), r"'a\u{1b}[31m'");
    }
}
