//! How a sentence names a tool.

use crate::excerpt::quoted;
use crate::peer_contract::BYSTANDER_TOOL;

/// The name of a tool. The plain tool that mcp-compat adds to every server stands for all others that the server has: its
/// own name says nothing to a reader.
#[must_use]
pub fn tool_name(name: &str) -> String {
    if name == BYSTANDER_TOOL { "the server's other tools".to_owned() } else { quoted(name) }
}

/// The tool as the subject of a sentence, with its verb.
#[must_use]
pub fn tool_is(name: &str) -> String {
    format!("{} {}", tool_name(name), if name == BYSTANDER_TOOL { "are" } else { "is" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plain_tool_stands_for_the_others() {
        assert_eq!(tool_name("get_tide"), "`get_tide`");
        assert_eq!(tool_is("get_tide"), "`get_tide` is");
        assert_eq!(tool_is(BYSTANDER_TOOL), "the server's other tools are");
    }
}
