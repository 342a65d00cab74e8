//! Text of a peer, made safe to stand in a sentence of ours.
//!
//! A peer chooses its tool names and its error messages. In a report they are bounded, on one line, and free of
//! anything that a terminal or a reader could be misled by.

use crate::invisible_chars::is_invisible;
use crate::peer_contract::BYSTANDER_TOOL;

/// Limit of the characters of a peer's own words in a sentence.
pub const WORDS: usize = 160;

/// The beginning of a peer's words: at most [`WORDS`] characters, on one line, nothing invisible.
#[must_use]
pub fn excerpt(text: &str) -> String {
    bounded(text, WORDS)
}

/// The same for a name, in backticks.
#[must_use]
pub fn quoted(name: &str) -> String {
    format!("`{}`", bounded(name, 60).replace('`', "'"))
}

/// At most `limit` characters of the text, with runs of white space as one space and every character that is not
/// meant to be seen as `\u{fffd}`.
#[must_use]
pub fn bounded(text: &str, limit: usize) -> String {
    let mut out = String::new();
    let mut length = 0;
    let mut gap = false;
    for character in text.chars() {
        if character.is_whitespace() {
            gap = length > 0;
            continue;
        }
        let needed = if gap { 2 } else { 1 };
        if length + needed > limit {
            // The ellipsis is part of the bound.
            out.truncate(out.char_indices().nth(limit - 1).map_or(out.len(), |(at, _)| at));
            out.push('…');
            return out;
        }
        if gap {
            out.push(' ');
            gap = false;
        }
        out.push(if is_invisible(character) { '\u{fffd}' } else { character });
        length += needed;
    }
    out
}

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

/// Words that rmcp writes before the name of its transport.
const BEFORE_TRANSPORT: [&str; 2] = ["Transport send error: ", "Send message error "];

/// The first words of an error, in at most [`WORDS`] characters. rmcp writes the type of its
/// transport with all parameters before the error; it is left out.
#[must_use]
pub fn in_short(text: &str) -> String {
    let start = BEFORE_TRANSPORT.iter().find_map(|before| text.strip_prefix(before)).unwrap_or(text);
    let error = start.strip_prefix("Transport [rmcp::").and_then(|rest| rest.split_once("] error: "));
    excerpt(error.map_or(text, |(_, error)| error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_words_stay_as_they_are() {
        assert_eq!(excerpt("expected \"object\" at tools.0"), "expected \"object\" at tools.0");
    }

    #[test]
    fn long_words_end_within_the_bound() {
        let text = excerpt(&"words ".repeat(100));
        assert_eq!(text.chars().count(), WORDS);
        assert!(text.ends_with('…'));
    }

    #[test]
    fn escapes_and_line_breaks_are_neutralised() {
        assert_eq!(excerpt("a\u{1b}[31m red\r\n\tb\u{202e}c"), "a\u{fffd}[31m red b\u{fffd}c");
    }

    #[test]
    fn a_name_cannot_leave_its_backticks() {
        assert_eq!(quoted("a`b"), "`a'b`");
    }

    #[test]
    fn the_plain_tool_stands_for_the_others() {
        assert_eq!(tool_name("get_tide"), "`get_tide`");
        assert_eq!(tool_is("get_tide"), "`get_tide` is");
        assert_eq!(tool_is(BYSTANDER_TOOL), "the server's other tools are");
    }

    #[test]
    fn the_transport_of_rmcp_is_left_out() {
        let transport = "Transport [rmcp::transport::worker::WorkerTransport<rmcp::transport::streamable_http_client::\
                         StreamableHttpClientWorker<reqwest::async_impl::client::Client>>] error: ";
        assert_eq!(in_short(&format!("Transport send error: {transport}number out of range")), "number out of range");
        assert_eq!(in_short(&format!("Send message error {transport}Client error")), "Client error");
        assert_eq!(in_short("Transport [car] error: flat tyre"), "Transport [car] error: flat tyre");
    }
}
