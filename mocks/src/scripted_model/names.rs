//! Names under which hosts offer the tools of a server.

use super::conversation::OfferedTool;

/// Finds the offered tool that is this tool of the server.
///
/// Hosts put the name of the server in front (`mcp__server__tool`, `server_tool`, `server.tool`), and replace characters
/// that the interface of their model does not take.
pub(super) fn offered_as<'o>(tool: &str, offered: &'o [OfferedTool]) -> Option<&'o OfferedTool> {
    let exact = offered.iter().find(|it| it.name == tool);
    let ends = |text: &str, end: &str| {
        text.strip_suffix(end).is_some_and(|start| start.is_empty() || !start.ends_with(char::is_alphanumeric))
    };
    let plain = plain(tool);
    exact
        .or_else(|| offered.iter().find(|it| ends(&it.name, tool)))
        .or_else(|| offered.iter().find(|it| ends(&self::plain(&it.name), &plain)))
}

/// A name of which each character that some interface does not take is an underscore.
fn plain(name: &str) -> String {
    name.chars().map(|it| if it.is_ascii_alphanumeric() { it } else { '_' }).collect()
}
