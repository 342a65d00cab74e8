//! The sentence about a scenario that a peer cannot play. Adapters give a reason in a few words of their own; what recurs
//! in them is put into a sentence that a reader understands without the adapter's source. Other words are quoted.

use crate::Role;
use crate::excerpt::{bounded, excerpt};
use crate::sdk_error::in_short;

/// What recurs at the end of a server's log before its reason.
const LOGGED: &str = "unsupported: ";

/// What adapters say, and what it means. The words of both stand after a colon.
const WHOLE: [(&str, &str); 18] = [
    (
        "the SDK writes no message of our making before an answer",
        "its SDK cannot send a scripted message before an answer",
    ),
    (
        "the SDK answers every request but calls itself",
        "its SDK does not let a server script answers to requests other than tools/call",
    ),
    ("the SDK sends no raw bytes", "its SDK cannot send raw bytes"),
    ("the SDK adds the members that a revision asks for", "its SDK adds the members that the revision requires"),
    (
        "the SDK writes the text from the value, and nothing besides",
        "its SDK generates the content from the value, and sends no other content",
    ),
    (
        "the SDK makes a tool error of whatever a function raises",
        "its SDK turns every exception of a function into a tool error",
    ),
    ("the SDK sets the resultType itself", "its SDK sets resultType itself"),
    (
        "the SDK would hold the thread that serves all sessions",
        "its SDK would block the thread that serves all sessions",
    ),
    ("the adapter holds no answer back for another one", "its adapter cannot delay one answer until after another"),
    ("an exception has words, and nothing besides", "an exception of this API carries a message and nothing else"),
    (
        "a function returns a value exactly where its signature says so",
        "a function of this API returns a value if and only if its signature declares one",
    ),
    ("the function returns text, and no other content", "a function of this API returns text and no other content"),
    ("this API's tools are the same for all sessions", "this API has the same tools in all sessions"),
    ("McpServer lists the tools itself, on one page", "McpServer answers tools/list itself, on one page"),
    ("MCPServer lists all tools on one page", "MCPServer answers tools/list itself, on one page"),
    ("FastMCP lists all tools on one page", "FastMCP answers tools/list itself, on one page"),
    ("McpServer makes a tool error of every error", "McpServer turns every error into a tool error"),
    ("nobody writes types that are nested so deep", "types of source code are not nested this deep"),
];

/// Why a peer cannot play the scenario: a sentence without its full stop.
#[must_use]
pub fn unsupported(by: Role, reason: &str) -> String {
    let reason = reason.trim();
    let reason = reason.strip_prefix(LOGGED).unwrap_or(reason);
    // A reason about one tool begins with its name.
    let (tool, about) = match reason.split_once(": ") {
        Some((tool, about)) if is_name(tool) => (Some(tool), about),
        Some(_) | None => (None, reason),
    };
    let why = in_words(about, tool).unwrap_or_else(|| excerpt(reason));
    format!("the {by} cannot play this scenario: {why}")
}

/// Whether a reason's first word is the name of a tool of the corpus.
fn is_name(word: &str) -> bool {
    word.contains('_') && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

/// The reason in words of ours; `None` if the adapter's are to be quoted.
fn in_words(reason: &str, tool: Option<&str>) -> Option<String> {
    if let Some((_, words)) = WHOLE.iter().find(|(said, _)| *said == reason) {
        return Some((*words).to_owned());
    }
    let of = |tool: Option<&str>| tool.map_or_else(String::new, |tool| format!(" of `{tool}`"));
    if let Some(rest) = reason.strip_prefix("the SDK's type for ") {
        if let Some((what, pointer)) = rest.split_once(" changes ") {
            return Some(format!("its SDK changes {} in {}{}", excerpt(pointer), the(what), of(tool)));
        }
        let (what, error) = rest.split_once(": ")?;
        return Some(format!("its SDK cannot represent {}{} ({})", the(what), of(tool), in_short(error)));
    }
    if let Some(error) = reason.strip_prefix("the SDK refuses the tool: ") {
        return Some(format!("its SDK rejects the definition{} ({})", of(tool), in_short(error)));
    }
    if let Some(what) = reason.strip_prefix("no annotation says ") {
        return Some(format!("no type annotation expresses {}", excerpt(what)));
    }
    if let Some(keyword) = reason.strip_prefix("a schema with ") {
        return Some(format!("this API cannot declare a schema with {}", excerpt(keyword)));
    }
    let number = reason.strip_prefix("the number ")?;
    let number = number.strip_suffix(" is no JavaScript number")?;
    Some(format!("JavaScript cannot represent the number {}", bounded(number, 60)))
}

/// `a result` as `the result`.
fn the(what: &str) -> String {
    let what = what.strip_prefix("a ").or_else(|| what.strip_prefix("the ")).unwrap_or(what);
    let what = if what == "annotation" { "value of the annotated type" } else { what };
    format!("the {}", bounded(what, 40))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_a_sentence() {
        let said_and_why = [
            (
                "the SDK's type for a result: missing field `content`",
                "its SDK cannot represent the result (missing field `content`)",
            ),
            (
                "search_products: the SDK's type for a result changes /content",
                "its SDK changes /content in the result of `search_products`",
            ),
            ("the SDK's type for the annotation changes /id", "its SDK changes /id in the value of the annotated type"),
            (
                "get_gate: the SDK refuses the tool: schema is nil",
                "its SDK rejects the definition of `get_gate` (schema is nil)",
            ),
            ("unsupported: the SDK sends no raw bytes", "its SDK cannot send raw bytes"),
            (r#"a schema with "$defs""#, r#"this API cannot declare a schema with "$defs""#),
            ("the number 1e400 is no JavaScript number", "JavaScript cannot represent the number 1e400"),
            (
                "the number 1e400 does not fit a serde_json::Number",
                "the number 1e400 does not fit a serde_json::Number",
            ),
            ("ToolResult: Input should be a valid list", "ToolResult: Input should be a valid list"),
            ("no drift", "no drift"),
        ];
        for (said, why) in said_and_why {
            assert_eq!(unsupported(Role::Server, said), format!("the server cannot play this scenario: {why}"));
        }
    }

    #[test]
    fn no_words_of_an_adapter_are_listed_twice() {
        for (place, (said, _)) in WHOLE.iter().enumerate() {
            assert!(!WHOLE[..place].iter().any(|(earlier, _)| earlier == said), "{said}");
        }
    }
}
