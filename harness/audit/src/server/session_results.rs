//! The results that a server sent in a session, by the method that was asked for.

use mcp_compat_json::Json;
use mcp_compat_wire::exchange::exchanges;
use mcp_compat_wire::message::Message;

use crate::probe::ProbeSession;

/// How many characters of a text are replayed where clients look at its type alone.
const MOST_CHARACTERS: usize = 200;

/// The results of a session, in the order of the requests.
pub(super) struct SessionResults<'m> {
    results: Vec<(&'m str, &'m Json)>,
}

impl<'m> SessionResults<'m> {
    /// Those of a session, of which these are the messages.
    pub(super) fn new(session: &ProbeSession, messages: &'m [Message<'m>]) -> Self {
        let exchanges = exchanges(messages, &session.transcript).all;
        let result = |exchange: &mcp_compat_wire::exchange::Exchange| {
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

/// A value whose long texts are cut off.
pub(super) fn with_short_texts(json: &Json) -> Json {
    match json {
        Json::String(text) => match text.as_str() {
            Some(text) if text.len() > MOST_CHARACTERS => {
                Json::from(text.chars().take(MOST_CHARACTERS).collect::<String>().as_str())
            }
            Some(_) | None => json.clone(),
        },
        Json::Object(members) => {
            Json::Object(members.iter().map(|(key, value)| (key.clone(), with_short_texts(value))).collect())
        }
        Json::Array(items) => Json::Array(items.iter().map(with_short_texts).collect()),
        Json::Null | Json::Bool(_) | Json::Number(_) => json.clone(),
    }
}
