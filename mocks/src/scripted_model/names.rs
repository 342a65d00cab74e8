//! Names under which hosts offer the tools of a server.

use super::conversation::OfferedTool;

/// Finds the offered tool that is this tool of the server.
///
/// Hosts put the name of the server in front (`mcp__server__tool`, `server_tool`, `server.tool`), replace characters that
/// the interface of their model does not take, and put a digest behind such a name.
pub fn offered_as<'o>(tool: &str, offered: &'o [OfferedTool]) -> Option<&'o OfferedTool> {
    let exact = offered.iter().find(|it| it.name == tool);
    let ends = |text: &str, end: &str| {
        text.strip_suffix(end).is_some_and(|start| start.is_empty() || !start.ends_with(char::is_alphanumeric))
    };
    let plain = plain(tool);
    exact
        .or_else(|| offered.iter().find(|it| ends(&it.name, tool)))
        .or_else(|| offered.iter().find(|it| ends(&self::plain(&it.name), &plain)))
        .or_else(|| offered.iter().find(|it| ends(without_digest(&self::plain(&it.name)), &plain)))
}

/// A name without `_` and the digest at its end, which is written to the base 16 or 36.
fn without_digest(name: &str) -> &str {
    let digits = name.rsplit('_').next().unwrap_or_default();
    let is_hexadecimal = digits.chars().all(|it| it.is_ascii_hexdigit());
    let is_word = digits.chars().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit());
    let is_digest = digits.len() >= 6 && (is_hexadecimal || is_word && digits.contains(|it: char| it.is_ascii_digit()));
    if is_digest { &name[..name.len() - digits.len() - 1] } else { name }
}

/// A name of which each character that some interface does not take is an underscore.
pub(super) fn plain(name: &str) -> String {
    name.chars().map(|it| if it.is_ascii_alphanumeric() { it } else { '_' }).collect()
}
