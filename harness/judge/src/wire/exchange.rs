//! Exchanges: requests of the client, matched to what came back.

use std::collections::HashMap;

use mcp_compat_json::Json;
use mcp_compat_model::Role;
use mcp_compat_model::transcript::{Event, Start, Transcript};

use crate::wire::message::{Message, Shape};

/// A request of the client and its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// The request, as its place among the messages.
    pub request: usize,
    pub answer: Answer,
}

/// Answer to a request. Places are among the messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    Result(usize),
    /// A JSON-RPC error.
    Error(usize),
    /// Something where the answer should be that cannot be read as one.
    Unreadable(usize),
    /// An HTTP status without a message.
    Status {
        /// The transcript entry.
        seq: u32,
        status: u16,
    },
    None,
}

impl Answer {
    /// The place of the answering message.
    pub fn message(self) -> Option<usize> {
        match self {
            Self::Result(at) | Self::Error(at) | Self::Unreadable(at) => Some(at),
            Self::Status { .. } | Self::None => None,
        }
    }
}

/// Everything that was exchanged.
#[derive(Debug, Default)]
pub struct Exchanges {
    /// The client's requests, in order.
    pub all: Vec<Exchange>,
    /// Responses of the server under the id of no request, as places among the messages. One whose id is that of a request in
    /// another type (`"1"` for `1`) is its answer, too: many clients take it for that.
    pub strays: Vec<usize>,
}

/// Matches answers to requests: by id, and over HTTP also by the exchange that both belong to. A client that starts its
/// server again may use the same ids again, and nobody answers what the first one was asked.
pub fn exchanges(messages: &[Message<'_>], transcript: &Transcript) -> Exchanges {
    let mut matcher = Matcher::default();
    let mut ends = ends_of_server(transcript).peekable();
    for (at, message) in messages.iter().enumerate() {
        let mut is_anew = false;
        while ends.next_if(|end| *end < message.seq).is_some() {
            is_anew = true;
        }
        // Over HTTP a stream that ends is one of several.
        if is_anew && message.http.is_none() {
            matcher.start_anew();
        }
        match (message.shape, message.from) {
            (Shape::Request, Role::Client) => matcher.ask(at, message),
            (Shape::Result, Role::Server) => matcher.answer(at, message, messages, Answer::Result(at)),
            (Shape::Error, Role::Server) => matcher.answer(at, message, messages, Answer::Error(at)),
            (Shape::Unreadable | Shape::NotRead(_), Role::Server) => {
                matcher.fill(message, messages, Answer::Unreadable(at))
            }
            (Shape::Unreadable | Shape::NotRead(_) | Shape::Result | Shape::Error, Role::Client)
            | (Shape::Request, Role::Server)
            | (Shape::Notification, _) => {}
        }
    }
    matcher.statuses(messages, transcript);
    matcher.found
}

/// Places where the server closed its side of a stream.
fn ends_of_server(transcript: &Transcript) -> impl Iterator<Item = u32> {
    let is_end = |event: &Event| matches!(event, Event::Closed {} | Event::Exited { .. });
    let ends = transcript.entries.iter().filter(move |entry| entry.from == Role::Server && is_end(&entry.event));
    ends.map(|entry| entry.seq)
}

#[derive(Default)]
struct Matcher {
    found: Exchanges,
    /// The first exchange of the connection.
    begin: usize,
    /// Unanswered exchanges by the text of their id, oldest first.
    pending: HashMap<String, Vec<usize>>,
}

impl Matcher {
    /// Leaves open requests without an answer.
    fn start_anew(&mut self) {
        self.begin = self.found.all.len();
        self.pending.clear();
    }

    fn ask(&mut self, at: usize, message: &Message<'_>) {
        let exchange = self.found.all.len();
        self.found.all.push(Exchange { request: at, answer: Answer::None });
        if let Some(id) = message.id() {
            self.pending.entry(id.to_compact()).or_default().push(exchange);
        }
    }

    fn answer(&mut self, at: usize, message: &Message<'_>, messages: &[Message<'_>], answer: Answer) {
        let Some(id) = message.id().map(Json::to_compact) else {
            // An error to a request whose id the server could not read: only HTTP tells which request that was.
            self.fill(message, messages, answer);
            return;
        };
        let all = &mut self.found.all;
        let same_http = |exchange: usize| {
            message.http.is_some() && http_exchange(&messages[all[exchange].request]) == http_exchange(message)
        };
        let mut take = |id: &str| {
            self.pending.get_mut(id).filter(|pending| !pending.is_empty()).map(|pending| {
                let place = pending.iter().position(|exchange| same_http(*exchange)).unwrap_or(0);
                pending.remove(place)
            })
        };
        match take(&id) {
            Some(exchange) => all[exchange].answer = answer,
            None => {
                self.found.strays.push(at);
                if let Some(exchange) = message.id().and_then(retyped).and_then(|id| take(&id)) {
                    all[exchange].answer = answer;
                    return;
                }
                // Over HTTP a refusal is known by its status, whatever id its body has.
                if message.shape == Shape::Error && message.status().is_some_and(|status| status >= 400) {
                    self.fill(message, messages, answer);
                }
            }
        }
    }

    /// Takes a message without a usable id as the answer to what is open in its HTTP exchange, or, on a stream, to
    /// the request sent last.
    fn fill(&mut self, message: &Message<'_>, messages: &[Message<'_>], answer: Answer) {
        let open = self.found.all[self.begin..].iter_mut().rev().find(|exchange| {
            let same = message.http.is_none() || http_exchange(&messages[exchange.request]) == http_exchange(message);
            exchange.answer == Answer::None && same
        });
        if let Some(exchange) = open {
            // It stays pending: what came may have been noise before the real answer.
            exchange.answer = answer;
        }
    }

    fn statuses(&mut self, messages: &[Message<'_>], transcript: &Transcript) {
        let mut open: HashMap<u32, usize> = HashMap::new();
        for (at, exchange) in self.found.all.iter().enumerate() {
            if let (Answer::None, Some(http)) = (exchange.answer, http_exchange(&messages[exchange.request])) {
                open.insert(http, at);
            }
        }
        for entry in &transcript.entries {
            let Event::Head { http } = &entry.event else { continue };
            let Start::Response { status: status @ 400.. } = http.start else { continue };
            if let Some(at) = open.remove(&http.exchange) {
                self.found.all[at].answer = Answer::Status { seq: entry.seq, status };
            }
        }
    }
}

/// Returns whether one id is the other in another type: `"1"` and `1`.
pub fn is_retyped(one: &Json, other: &Json) -> bool {
    retyped(one).is_some_and(|text| text == other.to_compact())
}

/// A whole number that is an id, as a string, or the other way round.
fn retyped(id: &Json) -> Option<String> {
    match id {
        Json::Number(number) => number.is_integer().then(|| format!("\"{}\"", number.lexeme())),
        Json::String(_) => id.as_str().filter(|text| text.parse::<i64>().is_ok()).map(str::to_owned),
        Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => None,
    }
}

fn http_exchange(message: &Message<'_>) -> Option<u32> {
    message.http.map(|head| head.exchange)
}

#[cfg(test)]
mod tests {
    use mcp_compat_model::transcript::{Entry, Raw};

    use super::*;
    use crate::wire::message::messages;

    const PROBE: (Role, &str) = (Role::Client, r#"{"jsonrpc":"2.0","id":1,"method":"server/discover"}"#);
    const INITIALIZE: (Role, &str) = (Role::Client, r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#);
    const RESULT: (Role, &str) = (Role::Server, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);

    /// What is on the wire; an empty text closes that side.
    fn transcript(lines: &[(Role, &str)]) -> Transcript {
        let entry = |(seq, (from, text)): (usize, &(Role, &str))| Entry {
            seq: u32::try_from(seq).unwrap(),
            at_us: 0,
            from: *from,
            event: match *text {
                "" => Event::Closed {},
                text => Event::Message { raw: Raw::Text(text.to_owned()), http: None },
            },
        };
        Transcript { entries: lines.iter().enumerate().map(entry).collect() }
    }

    fn answers(lines: &[(Role, &str)]) -> Vec<Answer> {
        let transcript = transcript(lines);
        exchanges(&messages(&transcript), &transcript).all.iter().map(|exchange| exchange.answer).collect()
    }

    #[test]
    fn an_answer_under_the_id_in_another_type_is_one_all_the_same() {
        let text = (Role::Server, r#"{"jsonrpc":"2.0","id":"1","result":{}}"#);
        assert_eq!(answers(&[PROBE, text]), [Answer::Result(1)]);
        let other = (Role::Server, r#"{"jsonrpc":"2.0","id":"one","result":{}}"#);
        assert_eq!(answers(&[PROBE, other]), [Answer::None]);
    }

    #[test]
    fn a_server_that_was_started_again_answers_nothing_that_the_first_was_asked() {
        let closed = (Role::Server, "");
        assert_eq!(answers(&[PROBE, closed, INITIALIZE, RESULT]), [Answer::None, Answer::Result(2)]);
        let garbage = (Role::Server, "no JSON");
        assert_eq!(answers(&[PROBE, closed, garbage]), [Answer::None]);
        // The client closed its side, and the server still answers.
        assert_eq!(answers(&[PROBE, (Role::Client, ""), RESULT]), [Answer::Result(1)]);
        assert_eq!(answers(&[PROBE, INITIALIZE, RESULT]), [Answer::Result(2), Answer::None]);
    }
}
