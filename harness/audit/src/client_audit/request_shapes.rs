//! Requests of a client that are legal, and that some servers refuse or answer wrongly.

use mcp_compat_json::{Json, Number};
use mcp_compat_judge::wire::message::{Message, messages};
use mcp_compat_model::audit::Severity;
use mcp_compat_model::client_audit::Conclusion;
use mcp_compat_model::transcript::Transcript;
use mcp_compat_model::verdict::Fault;
use mcp_compat_model::{Revision, Role};

use super::Session;

/// A shape of requests that some servers cannot handle.
struct Shape {
    /// Finds it in a request: what is to be said of it.
    finds: fn(&Message<'_>) -> Option<String>,
    /// The servers that refuse it, and what to do.
    loss: &'static str,
    source: &'static str,
    /// Returns true if the client waits for an answer that does not come.
    is_loss: bool,
}

const SHAPES: [Shape; 4] = [
    Shape {
        finds: rounded_id,
        loss: "To fix in the client: count requests from 1, or use texts as ids.",
        source: "https://modelcontextprotocol.io/specification/2025-11-25/basic/index#requests",
        is_loss: true,
    },
    Shape {
        finds: without_arguments,
        loss: "`arguments` is optional, but some servers refuse a call without it, with -32602 (McpServer of the TypeScript \
               SDK up to 1.25, php-mcp 3, apify-mcp-server). Lost with such servers: the call. To change in the client: send \
               `\"arguments\": {}` if there are none.",
        source: "https://modelcontextprotocol.io/specification/2025-11-25/schema#calltoolrequestparams",
        is_loss: false,
    },
    Shape {
        finds: unknown_revision,
        loss: "Some servers refuse a revision that they do not know, where others answer with one that they speak. Lost with such \
               servers: the session. To fix in the client: offer the newest revision that it supports, such as 2025-11-25.",
        source: "https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#version-negotiation",
        is_loss: true,
    },
    Shape {
        finds: numbered_notification,
        loss: "With an id it is a request, which servers answer with the error -32601 or not at all, and they may wait for \
               the notification. Lost with such servers: the session. To fix in the client: send notifications without an id.",
        source: "https://modelcontextprotocol.io/specification/2025-11-25/basic/index#notifications",
        is_loss: true,
    },
];

/// The largest integer up to which a double holds each one exactly.
const LARGEST: i64 = (1 << 53) - 1;

/// A shape that was found: its place in [`SHAPES`], and what is to be said of it.
pub(super) type Found = (usize, String);

/// The shapes in a session, each with its first request.
pub(super) fn shapes(transcript: &Transcript) -> Vec<Found> {
    let messages = messages(transcript);
    let requests: Vec<_> = messages.iter().filter(|it| it.from == Role::Client && it.method().is_some()).collect();
    let first = |shape: &Shape| requests.iter().find_map(|request| (shape.finds)(request));
    SHAPES.iter().enumerate().filter_map(|(place, shape)| Some((place, first(shape)?))).collect()
}

/// Returns an id that a double does not hold for sure. One that is no integer breaks a rule of the judge.
fn rounded_id(request: &Message<'_>) -> Option<String> {
    let (method, Json::Number(id)) = (request.method()?, request.id()?) else { return None };
    is_rounded(id).then(|| {
        format!(
            "The client numbers requests with integers that a double does not hold: {method} has the id {0}. Servers that \
             read numbers as doubles, as those in JavaScript do, answer with {1}: a client that matches ids waits for {0}.",
            id.lexeme(),
            as_double(id.lexeme())
        )
    })
}

/// Returns a call without `arguments`.
fn without_arguments(request: &Message<'_>) -> Option<String> {
    let tool = request.param("name").and_then(Json::as_str).filter(|_| request.method() == Some("tools/call"))?;
    request.param("arguments").is_none().then(|| format!("The client calls `{tool}` without `arguments`."))
}

/// Returns an `initialize` that offers a revision that there is not.
fn unknown_revision(request: &Message<'_>) -> Option<String> {
    let offered = request.param("protocolVersion").filter(|_| request.method() == Some("initialize"))?;
    let is_known = offered.as_str().is_some_and(|offered| offered.parse::<Revision>().is_ok());
    (!is_known)
        .then(|| format!("The client offers {offered} as `protocolVersion`, which is no revision of the protocol."))
}

/// Returns a notification with an id.
fn numbered_notification(request: &Message<'_>) -> Option<String> {
    let method = request.method().filter(|method| method.starts_with("notifications/"))?;
    request.id().map(|id| format!("The client sends the notification {method} with the id {id}."))
}

/// Returns true for an integer that a double does not hold for sure.
fn is_rounded(id: &Number) -> bool {
    let is_plain = id.is_integer() && !id.lexeme().contains(['.', 'e', 'E']);
    is_plain && id.as_i64().is_none_or(|id| !(-LARGEST..=LARGEST).contains(&id))
}

/// The conclusions from the requests of all sessions.
pub(super) fn conclusions(session: &Session) -> Vec<Conclusion> {
    let all = || session.notes.shapes.iter().flat_map(|(cell, found)| found.iter().map(move |found| (cell, found)));
    let of = |(place, shape): (usize, &Shape)| {
        let (_, (_, what)) = all().find(|(_, (of, _))| *of == place)?;
        let cells = all().filter(|(_, (of, _))| *of == place).map(|(cell, _)| cell);
        let with = |id: &_| session.record.cells.iter().find(|cell| cell.id == *id).map(super::place);
        Some(Conclusion {
            fault: shape.is_loss.then_some(Fault::Client),
            source: Some(shape.source.to_owned()),
            seen: cells.filter_map(with).collect(),
            ..Conclusion::of_client(Severity::Warning, format!("{what} {}", shape.loss))
        })
    };
    SHAPES.iter().enumerate().filter_map(of).collect()
}

/// An integer as JavaScript writes it after reading it.
fn as_double(lexeme: &str) -> String {
    match lexeme.parse::<f64>() {
        Ok(double) if double.abs() < 1e21 => double.to_string(),
        Ok(double) => format!("{double:e}"),
        Err(_) => "another number".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use mcp_compat_model::transcript::{Entry, Event, Raw};
    use rstest::rstest;

    use super::*;

    #[test]
    fn an_integer_is_told_as_javascript_writes_it() {
        assert_eq!(as_double("1764278731123456789"), "1764278731123456800");
        assert_eq!(as_double("9007199254740993"), "9007199254740992");
    }

    fn found(message: &str) -> Vec<usize> {
        let raw = Raw::Text(message.to_owned());
        let entry = Entry { seq: 0, at_us: 0, from: Role::Client, event: Event::Message { raw, http: None } };
        shapes(&Transcript { entries: vec![entry] }).into_iter().map(|(place, _)| place).collect()
    }

    #[rstest]
    #[case::a_count("1", false)]
    #[case::a_count_with_a_point("1.0", false)]
    #[case::the_last_exact("9007199254740991", false)]
    #[case::beyond("9007199254740992", true)]
    #[case::negative("-9007199254740992", true)]
    #[case::nanoseconds("1764278731123456789", true)]
    #[case::beyond_64_bits("99999999999999999999", true)]
    #[case::a_text("\"9007199254740993\"", false)]
    fn an_id_is_odd_if_a_double_does_not_hold_it(#[case] id: &str, #[case] expected: bool) {
        let found = found(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list","params":{{}}}}"#));
        assert_eq!(found == [0], expected);
    }

    #[rstest]
    #[case::none(r#"{"name":"t"}"#, &[1])]
    #[case::empty(r#"{"name":"t","arguments":{}}"#, &[])]
    fn calls_of_legal_shapes_that_servers_refuse_are_found(#[case] params: &str, #[case] expected: &[usize]) {
        assert_eq!(found(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#)), expected);
    }

    #[rstest]
    #[case::known(r#""id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}"#, &[])]
    #[case::invented(r#""id":1,"method":"initialize","params":{"protocolVersion":"1.0.0"}"#, &[2])]
    #[case::a_notification(r#""method":"notifications/initialized""#, &[])]
    #[case::with_an_id(r#""id":2,"method":"notifications/initialized""#, &[3])]
    fn a_handshake_is_looked_at(#[case] members: &str, #[case] expected: &[usize]) {
        assert_eq!(found(&format!(r#"{{"jsonrpc":"2.0",{members}}}"#)), expected);
    }
}
