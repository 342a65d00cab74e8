//! Reasons without the names of the two peers of their cell, so that many cells have the same one.
//!
//! `{client}` and `{server}` stand for the names, and `{{` for a brace.

use super::error::CompactError;

const CLIENT: &str = "{client}";
const SERVER: &str = "{server}";
const BRACE: &str = "{{";

/// The text with placeholders for the names.
pub(super) fn without_names(text: &str, client: &str, server: &str) -> String {
    // One may begin with the other: the longer one is meant.
    let mut names = [(client, CLIENT), (server, SERVER), ("{", BRACE)];
    names.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    replaced(text, &names).0
}

/// The text with the names of a cell.
pub(super) fn with_names(text: &str, client: &str, server: &str) -> Result<String, CompactError> {
    let (text, braces) = replaced(text, &[(CLIENT, client), (SERVER, server), (BRACE, "{")]);
    if braces == 0 {
        Ok(text)
    } else {
        Err(CompactError::Unsound(format!("{text:?} has a brace that stands for nothing")))
    }
}

/// How often a text has a placeholder of each kind, at most.
pub(super) fn placeholders(text: &str) -> (u64, u64) {
    (text.matches(CLIENT).count() as u64, text.matches(SERVER).count() as u64)
}

/// The text with the first of each pair replaced by the second, and the number of braces that were not.
fn replaced(text: &str, pairs: &[(&str, &str)]) -> (String, usize) {
    let (mut written, mut rest, mut braces) = (String::with_capacity(text.len()), text, 0);
    // A text is mostly what begins none of them, and every cell of every run of a history has one.
    let begins: Vec<char> = pairs.iter().filter_map(|(from, _)| from.chars().next()).chain(['{']).collect();
    while let Some(at) = rest.find(&begins[..]) {
        written.push_str(&rest[..at]);
        rest = &rest[at..];
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let (to, length) = match pairs.iter().find(|(from, _)| rest.starts_with(from)) {
            Some((from, to)) => (*to, from.len()),
            None => {
                braces += usize::from(rest.starts_with('{'));
                (&rest[..first], first)
            }
        };
        written.push_str(to);
        rest = &rest[length..];
    }
    written.push_str(rest);
    (written, braces)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_are_replaced_and_braces_stay() {
        let text = r#"mock/dual+auto rejected {"a": "{client}"} of mock/dual"#;
        let without = without_names(text, "mock/dual+auto", "mock/dual");
        assert_eq!(without, r#"{client} rejected {{"a": "{{client}"} of {server}"#);
        assert_eq!(with_names(&without, "rmcp@3", "x").unwrap(), r#"rmcp@3 rejected {"a": "{client}"} of x"#);
        assert!(with_names("{nobody}", "a", "b").is_err());
    }

    proptest! {
        #[test]
        fn every_text_comes_back(text in "[{}a-c]{0,12}|(\\{client\\}|\\{server\\}|ab|b|\\{){0,6}", client in "[a-c]{1,2}", server in "[a-c]{1,2}") {
            let without = without_names(&text, &client, &server);
            prop_assert_eq!(with_names(&without, &client, &server).unwrap(), text);
        }
    }
}
