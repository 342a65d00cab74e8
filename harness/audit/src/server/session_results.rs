//! The results that a server sent in a session, by the method that was asked for, and what of them is replayed.

use mcp_compat_json::Json;
use mcp_compat_wire::exchange::{Exchange, exchanges};
use mcp_compat_wire::message::Message;

use crate::probe::ProbeSession;

/// How many characters of a long text are replayed.
const MOST_CHARACTERS: usize = 200;

/// How much is replayed of what clients look at as a whole: entries, levels, and characters of names and texts.
const MOST_ENTRIES: usize = 8;
const MOST_LEVELS: usize = 2;
const MOST_CHARACTERS_WITHIN: usize = 64;

/// The members that clients take apart. What is in the others, they look at as a whole at most.
const TAKEN_APART: [&str; 4] = ["capabilities", "serverInfo", "icons", "supportedVersions"];

/// The texts that may be long. Others, such as addresses, have a form that a client may check.
const LONG_TEXTS: [&str; 3] = ["instructions", "description", "title"];

/// The results of a session, in the order of the requests.
pub(super) struct SessionResults<'m> {
    results: Vec<(&'m str, &'m Json)>,
}

impl<'m> SessionResults<'m> {
    /// Those of a session, of which these are the messages.
    pub(super) fn new(session: &ProbeSession, messages: &'m [Message<'m>]) -> Self {
        let exchanges = exchanges(messages, &session.transcript).all;
        let result = |exchange: &Exchange| {
            Some((messages[exchange.request].method()?, messages[exchange.answer.message()?].result()?))
        };
        Self { results: exchanges.iter().filter_map(result).collect() }
    }

    /// Those of a method.
    pub(super) fn of(&self, method: &str) -> impl Iterator<Item = &'m Json> {
        self.results.iter().filter(move |(asked, _)| *asked == method).map(|(_, result)| *result)
    }

    #[cfg(test)]
    pub(super) const fn from_pairs(results: Vec<(&'m str, &'m Json)>) -> Self {
        Self { results }
    }
}

/// What is replayed of a member: its long texts are cut off, and so is what clients look at as a whole.
pub(super) fn shortened(key: &str, value: &Json) -> Json {
    match value {
        Json::String(text) if LONG_TEXTS.contains(&key) || text.to_string_lossy().starts_with("data:") => {
            first_characters(value, MOST_CHARACTERS)
        }
        Json::Object(members) if TAKEN_APART.contains(&key) => {
            let of_member = |key: &str, value: &Json| match key {
                "experimental" | "extensions" => cut(value, 0),
                _ => shortened(key, value),
            };
            let members = members.iter().map(|(key, value)| (key.clone(), of_member(&key.to_string_lossy(), value)));
            Json::Object(members.collect())
        }
        Json::Array(items) if TAKEN_APART.contains(&key) => Json::Array(
            items
                .iter()
                .map(|item| if item.as_object().is_some() { shortened("icons", item) } else { item.clone() })
                .collect(),
        ),
        Json::Object(_) | Json::Array(_) => cut(value, 0),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => value.clone(),
    }
}

/// The first entries of a value, down to a level.
fn cut(value: &Json, level: usize) -> Json {
    let most = if level < MOST_LEVELS { MOST_ENTRIES } else { 0 };
    match value {
        Json::String(_) => first_characters(value, MOST_CHARACTERS_WITHIN),
        Json::Object(members) => {
            let short =
                members.iter().filter(|(key, _)| key.as_str().is_some_and(|key| key.len() <= MOST_CHARACTERS_WITHIN));
            Json::Object(short.take(most).map(|(key, value)| (key.clone(), cut(value, level + 1))).collect())
        }
        Json::Array(items) => Json::Array(items.iter().take(most).map(|item| cut(item, level + 1)).collect()),
        Json::Null | Json::Bool(_) | Json::Number(_) => value.clone(),
    }
}

fn first_characters(text: &Json, most: usize) -> Json {
    match text.as_str() {
        Some(text) => Json::from(text.chars().take(most).collect::<String>().as_str()),
        None => text.clone(),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::text("instructions", r#""LONG""#, r#""SHORT""#)]
    #[case::address("src", r#""LONG""#, r#""LONG""#)]
    #[case::server("serverInfo", r#"{"title":"LONG","websiteUrl":"LONG"}"#, r#"{"title":"SHORT","websiteUrl":"LONG"}"#)]
    #[case::icons("icons", r#"[{"src":"LONG"},1]"#, r#"[{"src":"LONG"},1]"#)]
    #[case::data("_meta", r#"{"a":"LONG","b":[[[[1]]]],"LONG":1}"#, r#"{"a":"WITHIN","b":[[]]}"#)]
    #[case::bytes("src", r#""data:LONG""#, r#""data:SHORT""#)]
    #[case::many("_meta", "[1,2,3,4,5,6,7,8,9]", "[1,2,3,4,5,6,7,8]")]
    #[case::experiment(
        "capabilities",
        r#"{"experimental":{"a":{"b":"LONG"}}}"#,
        r#"{"experimental":{"a":{"b":"WITHIN"}}}"#
    )]
    fn only_what_clients_do_not_take_apart_is_cut_off(#[case] key: &str, #[case] value: &str, #[case] expected: &str) {
        let filled = |text: &str| {
            let head = if text.contains("data:") { 5 } else { 0 };
            let text = text.replace("LONG", &"é".repeat(300)).replace("SHORT", &"é".repeat(MOST_CHARACTERS - head));
            text.replace("WITHIN", &"é".repeat(MOST_CHARACTERS_WITHIN))
        };
        assert_eq!(shortened(key, &Json::parse(&filled(value)).unwrap()).to_compact(), filled(expected));
    }
}
