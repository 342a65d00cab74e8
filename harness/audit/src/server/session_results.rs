//! The results that a server sent in a session, by the method that was asked for, and what of them is replayed.

use mcp_compat_json::{Json, JsonString};
use mcp_compat_judge::wire::exchange::{Exchange, exchanges};
use mcp_compat_judge::wire::message::Message;

use crate::probe::ProbeSession;

/// Most characters of a long text that are replayed.
const MOST_CHARACTERS: usize = 200;

/// Most characters of names and texts that are replayed within what clients look at as a whole.
const MOST_CHARACTERS_WITHIN: usize = 64;

/// Part of a value that is replayed: the first entries, down to a level.
#[derive(Clone, Copy)]
struct Extent {
    entries: usize,
    levels: usize,
}

/// Extent of what clients look at as a whole.
const WHOLE: Extent = Extent { entries: 8, levels: 1 };

/// Extent of a capability, as deep as one is defined.
const CAPABILITY: Extent = Extent { entries: 64, levels: 4 };

/// The texts that may be long. Others, such as addresses, have a form that a client may check.
const LONG_TEXTS: [&str; 3] = ["instructions", "description", "title"];

/// The results of a session, in the order of the requests.
pub(super) struct SessionResults<'m> {
    results: Vec<(&'m str, &'m Json)>,
}

impl<'m> SessionResults<'m> {
    /// Reads the results in a session, of which these are the messages.
    pub(super) fn new(session: &ProbeSession, messages: &'m [Message<'m>]) -> Self {
        let exchanges = exchanges(messages, &session.transcript).all;
        let result = |exchange: &Exchange| {
            Some((messages[exchange.request].method()?, messages[exchange.answer.message()?].result()?))
        };
        Self { results: exchanges.iter().filter_map(result).collect() }
    }

    pub(super) fn of(&self, method: &str) -> impl Iterator<Item = &'m Json> {
        self.results.iter().filter(move |(asked, _)| *asked == method).map(|(_, result)| *result)
    }

    #[cfg(test)]
    pub(super) const fn from_pairs(results: Vec<(&'m str, &'m Json)>) -> Self {
        Self { results }
    }
}

/// Part of a member that is replayed: its long texts are cut off, and so is what clients look at as a whole.
pub(super) fn shortened(key: &str, value: &Json) -> Json {
    match (key, value) {
        (_, Json::String(text)) if LONG_TEXTS.contains(&key) || text.to_string_lossy().starts_with("data:") => {
            first_characters(value, MOST_CHARACTERS)
        }
        ("capabilities", _) => cut(value, CAPABILITY),
        ("serverInfo" | "icon", Json::Object(members)) => {
            let members = members.iter().map(|(key, value)| (key.clone(), shortened(&key.to_string_lossy(), value)));
            Json::Object(members.collect())
        }
        ("icons", Json::Array(icons)) => Json::Array(icons.iter().map(|icon| shortened("icon", icon)).collect()),
        ("supportedVersions" | "sizes", _) => value.clone(),
        (_, Json::Object(_) | Json::Array(_)) => cut(value, WHOLE),
        (_, Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_)) => value.clone(),
    }
}

fn cut(value: &Json, Extent { entries, levels }: Extent) -> Json {
    let most = if levels == 0 { 0 } else { entries };
    let inner = Extent { entries, levels: levels.saturating_sub(1) };
    match value {
        Json::String(_) => first_characters(value, MOST_CHARACTERS_WITHIN),
        Json::Object(members) => {
            let is_short = |key: &JsonString| key.as_str().is_some_and(|key| key.len() <= MOST_CHARACTERS_WITHIN);
            let first = members.iter().filter(|(key, _)| is_short(key)).take(most);
            Json::Object(first.map(|(key, value)| (key.clone(), cut(value, inner))).collect())
        }
        Json::Array(items) => Json::Array(items.iter().take(most).map(|item| cut(item, inner)).collect()),
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
    #[case::data("_meta", r#"{"a":"LONG","b":[1],"LONG":1}"#, r#"{"a":"WITHIN","b":[]}"#)]
    #[case::bytes("src", r#""data:LONG""#, r#""data:SHORT""#)]
    #[case::many("_meta", "[1,2,3,4,5,6,7,8,9]", "[1,2,3,4,5,6,7,8]")]
    #[case::experiment(
        "capabilities",
        r#"{"experimental":{"a":{"b":"LONG"}}}"#,
        r#"{"experimental":{"a":{"b":"WITHIN"}}}"#
    )]
    #[case::deep(
        "capabilities",
        r#"{"tasks":{"requests":{"tools":{"call":5}}}}"#,
        r#"{"tasks":{"requests":{"tools":{"call":5}}}}"#
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
