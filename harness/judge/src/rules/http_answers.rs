//! Streamable HTTP: the form and the place of what a server answers to a request, a notification and a GET.

use mcp_compat_model::excerpt::quoted;
use mcp_compat_model::transcript::{Event, Head, Start};
use mcp_compat_model::verdict::Party;
use mcp_compat_model::{Revision, Role};

use super::http::given_session_id;
use super::rule::{Affects, Check, Levels, RevisionRange, Rule, Scope, Violation};
use crate::facts::Facts;
use crate::wire::message::{Message, Shape};

/// The revisions with a GET that opens a stream.
const WITH_GET: RevisionRange = RevisionRange { from: Revision::V2025_03_26, to: Revision::NEWEST_LEGACY };

/// Rule about the status of the answer to a notification.
pub static HTTP_NOTIFICATION_ACCEPTED: Rule = Rule {
    id: "http-notification-accepted",
    level: Levels::MUST,
    revisions: RevisionRange { from: Revision::V2025_03_26, to: Revision::NEWEST },
    party: Party::Server,
    scope: Scope::Protocol,
    affects: Affects::HttpHead,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#sending-messages",
    title: "A notification that a server accepts is answered with HTTP status 202.",
    violation: "a notification answered with another status than 202",
    explanation: "`notifications/initialized` is the second message of every session. A client that waits for 202 takes \
                  200 for an answer that is still to come, or ends the session. Many clients accept any 2xx.",
    remedy: "answer notifications with HTTP status 202 and no body",
    fix: None,
    check: Check::Wire(notifications),
};

/// Rule about the form of an answer over HTTP.
pub static HTTP_ANSWER_TYPE: Rule = Rule {
    id: "http-answer-type",
    level: Levels::MUST,
    revisions: RevisionRange { from: Revision::V2025_03_26, to: Revision::NEWEST },
    party: Party::Server,
    scope: Scope::Protocol,
    affects: Affects::HttpHead,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#sending-messages",
    title: "A request is answered with JSON or an event stream, and its Content-Type says so.",
    violation: "a request answered with neither JSON nor an event stream",
    explanation: "Clients choose how to read an answer by its Content-Type. With another type, or with status 202 and no \
                  body, they report an error, or wait for an answer that does not come.",
    remedy: "answer requests with Content-Type application/json or text/event-stream",
    fix: None,
    check: Check::Wire(answer_types),
};

/// Rule about a response on another stream than that of its request.
pub static HTTP_ANSWER_ON_OWN_STREAM: Rule = Rule {
    id: "http-answer-on-own-stream",
    level: Levels::MUST,
    revisions: WITH_GET,
    party: Party::Server,
    scope: Scope::Protocol,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#listening-for-messages-from-the-server",
    title: "A response is sent in answer to its own POST, and not on the stream that a GET opened.",
    violation: "a response on the stream that a GET opened",
    explanation: "The stream of a GET is for requests and notifications of the server, and opening one is optional. A \
                  client without it never gets the response. One that has it may have given up, because the stream of \
                  its request ended without an answer.",
    remedy: "send each response in answer to the POST that brought its request",
    fix: None,
    check: Check::Wire(places),
};

/// Rule about the answer to a GET.
pub static HTTP_GET_STREAM_OR_405: Rule = Rule {
    id: "http-get-stream-or-405",
    level: Levels::MUST,
    revisions: WITH_GET,
    party: Party::Server,
    scope: Scope::Protocol,
    affects: Affects::HttpHead,
    source: "https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#listening-for-messages-from-the-server",
    title: "A GET is answered with an event stream, or with HTTP status 405.",
    violation: "a GET answered with neither an event stream nor 405",
    explanation: "Many clients ask for a stream right after the handshake. By 405 they know that the server has none. \
                  They take 400 or 404 for the end of the session, and other answers for an error of the connection.",
    remedy: "answer a GET with status 405 if the server offers no stream",
    fix: None,
    check: Check::Wire(gets),
};

/// The head of the response in an exchange of HTTP, and its status.
fn response<'f>(facts: &'f Facts<'_>, exchange: u32) -> Option<(u16, &'f Head)> {
    let mut heads = facts.heads().filter(|head| head.exchange == exchange);
    heads.find_map(|head| match head.start {
        Start::Response { status } => Some((status, head)),
        Start::Request { .. } => None,
    })
}

/// Messages of the client of some shapes, each with its response.
fn answered<'f>(
    facts: &'f Facts<'_>,
    shapes: &'static [Shape],
) -> impl Iterator<Item = (&'f Message<'f>, u16, &'f Head)> {
    let sent = facts.messages.iter().filter(|message| message.from == Role::Client && shapes.contains(&message.shape));
    sent.filter_map(|message| {
        let (status, head) = response(facts, message.http?.exchange)?;
        Some((message, status, head))
    })
}

fn content_type(head: &Head) -> &str {
    head.header("content-type").unwrap_or_default().split(';').next().unwrap_or_default().trim()
}

fn notifications(facts: &Facts<'_>) -> Vec<Violation> {
    let mut wrong = answered(facts, &[Shape::Notification, Shape::Result, Shape::Error])
        .filter(|(message, status, _)| !message.batched && (200..300).contains(status) && *status != 202);
    let violation = |(message, status, _): (&Message<'_>, u16, _)| {
        let what = match message.method() {
            Some(method) => quoted(method),
            None => "a response".to_owned(),
        };
        Violation::new(format!("{what} was answered with HTTP status {status} instead of 202"), [message.seq])
    };
    wrong.next().map(violation).into_iter().collect()
}

fn answer_types(facts: &Facts<'_>) -> Vec<Violation> {
    let is_wrong = |head: &Head| !matches!(content_type(head), "application/json" | "text/event-stream");
    let mut wrong = answered(facts, &[Shape::Request])
        .filter(|(message, status, head)| !message.batched && (200..300).contains(status) && is_wrong(head));
    let violation = |(message, status, head): (&Message<'_>, u16, &Head)| {
        let method = quoted(message.method().unwrap_or_default());
        let kind = match content_type(head) {
            "" => "no Content-Type".to_owned(),
            kind => format!("Content-Type {}", quoted(kind)),
        };
        Violation::new(format!("the request {method} was answered with HTTP status {status} and {kind}"), [message.seq])
    };
    wrong.next().map(violation).into_iter().collect()
}

fn places(facts: &Facts<'_>) -> Vec<Violation> {
    let mut elsewhere = facts.exchanges.all.iter().filter_map(|exchange| {
        let (request, answer) = (&facts.messages[exchange.request], &facts.messages[exchange.answer.message()?]);
        let stream = answer.http?.exchange;
        (request.http?.exchange != stream && is_fresh_get(facts, stream)).then_some((request, answer))
    });
    let violation = |(request, answer): (&Message<'_>, &Message<'_>)| {
        let method = quoted(request.method().unwrap_or_default());
        let detail = format!(
            "the response to {method} was sent on the stream that a GET opened: a client without one never gets it"
        );
        Violation::new(detail, [answer.seq])
    };
    elsewhere.next().map(violation).into_iter().collect()
}

/// Returns true if an exchange of HTTP is a GET that resumes no other stream.
fn is_fresh_get(facts: &Facts<'_>, exchange: u32) -> bool {
    let is_get = |head: &Head| matches!(&head.start, Start::Request { method } if method == "GET");
    facts.heads().any(|head| head.exchange == exchange && is_get(head) && head.header("last-event-id").is_none())
}

fn gets(facts: &Facts<'_>) -> Vec<Violation> {
    let given = given_session_id(facts);
    for entry in &facts.transcript.entries {
        let Event::Head { http } = &entry.event else { continue };
        let Start::Request { method } = &http.start else { continue };
        // Nothing is known of a session that the client has ended.
        if method == "DELETE" {
            break;
        }
        let is_of_session = http.header("mcp-session-id") == given;
        let names = http.header("mcp-protocol-version");
        let is_negotiated = names.is_none() || names == facts.revision().map(Revision::as_str);
        if method != "GET" || !is_of_session || !is_negotiated {
            continue;
        }
        let Some((status, head)) = response(facts, http.exchange) else { continue };
        let detail = match status {
            200..300 if content_type(head) == "text/event-stream" => continue,
            200..300 => format!("a GET was answered with HTTP status {status} and no event stream"),
            // A server may ask for authorization, may be busy, or may be elsewhere; a gateway before it may fail.
            300..=399 | 401 | 403 | 405 | 429 | 502..=504 => continue,
            _ => format!("a GET was answered with HTTP status {status} instead of an event stream or 405"),
        };
        return vec![Violation::new(detail, [entry.seq])];
    }
    Vec::new()
}
