//! JSON-RPC: well-formed messages, which side sends which, and responses that match requests.

use std::collections::HashMap;

use mcp_compat_json::Json;
use mcp_compat_model::transcript::{Raw, begins_as_message};
use mcp_compat_model::verdict::Party;
use mcp_compat_model::{Era, Revision, Role, Transport};

use super::rule::{Affects, Check, Levels, RevisionRange, Rule, Scope, Violation};
use crate::facts::Facts;
use crate::wire::exchange::{Exchange, is_retyped};
use crate::wire::message::{Message, Shape};
use mcp_compat_model::excerpt::{excerpt, quoted};

/// Rule about messages of a server that are not JSON-RPC.
pub static SERVER_SPEAKS_JSON_RPC: Rule = Rule {
    id: "server-speaks-json-rpc",
    level: Levels::MUST,
    revisions: RevisionRange::ALL,
    party: Party::Server,
    scope: Scope::Protocol,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/index#messages",
    title: "Everything that a server sends is a JSON-RPC 2.0 message.",
    violation: "server messages that are not JSON-RPC 2.0",
    explanation: "A line that is not a message (such as a log line on stdout), or a message without its version, id or \
                  error code, cannot be matched to a request. Strict clients end the session. Lenient clients drop the \
                  message and wait for an answer that has already arrived. Write logs to stderr, and build messages in \
                  one place.",
    remedy: "send only well-formed JSON-RPC 2.0 messages",
    fix: None,
    check: Check::Wire(|facts| malformed(facts, Role::Server)),
};

pub(super) static CLIENT_SPEAKS_JSON_RPC: Rule = Rule {
    id: "client-speaks-json-rpc",
    party: Party::Client,
    title: "Everything that a client sends is a JSON-RPC 2.0 message.",
    violation: "client messages that are not JSON-RPC 2.0",
    explanation: "A server cannot answer what it cannot read. It rejects or ignores a request with a null id, or an \
                  array of messages in a revision without batches, and the client's user waits in vain.",
    remedy: "send only well-formed JSON-RPC 2.0 messages",
    check: Check::Wire(|facts| malformed(facts, Role::Client)),
    ..SERVER_SPEAKS_JSON_RPC
};

/// Rule about answers to nothing that was asked.
pub static RESPONSE_MATCHES_REQUEST: Rule = Rule {
    id: "response-matches-request",
    level: Levels::MUST,
    revisions: RevisionRange::ALL,
    party: Party::Server,
    scope: Scope::Protocol,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/index#responses",
    title: "A response has the id of a request that is still open.",
    violation: "a response to no open request",
    explanation: "A response under another id (a number turned into a string, a second answer) matches no request. \
                  Clients drop it or end the session, and the original request times out. Return the id exactly as it \
                  was received, once.",
    remedy: "answer each request once, with its id unchanged",
    fix: None,
    check: Check::Wire(strays),
};

pub(super) static REQUEST_ID_FRESH: Rule = Rule {
    id: "request-id-fresh",
    level: Levels::MUST,
    revisions: RevisionRange::ALL,
    party: Party::Client,
    scope: Scope::Protocol,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/index#requests",
    title: "A request id is unique: within the session up to 2025-11-25, among open requests from 2026-07-28 on.",
    violation: "a request id that is used twice",
    explanation: "The id is the only link between a request and its response. If two open calls have the same id, each \
                  may get the other's value, and nobody notices.",
    remedy: "give every request a unique id",
    fix: None,
    check: Check::Wire(reused_ids),
};

pub(super) static SERVER_SENDS_NO_REQUESTS: Rule = Rule {
    id: "server-sends-no-requests",
    level: Levels::MUST,
    revisions: RevisionRange::MODERN,
    party: Party::Server,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/index",
    title: "From 2026-07-28 on, a server sends no requests.",
    violation: "a request by the server, not allowed in 2026-07-28",
    explanation: "A server asks for input with an `input_required` result. A client that receives a request does not \
                  answer it or ends the session, and the call waits for an answer that cannot come.",
    remedy: "ask for input with a result of type `input_required`, not with a request",
    fix: None,
    check: Check::Wire(requests_of_servers),
};

pub(super) static CLIENT_SENDS_NO_RESPONSES: Rule = Rule {
    id: "client-sends-no-responses",
    level: Levels::MUST,
    revisions: RevisionRange::MODERN,
    party: Party::Client,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio#sending-messages",
    title: "From 2026-07-28 on, a client sends no responses.",
    violation: "a response by the client, not allowed in 2026-07-28",
    explanation: "Servers send no requests, so there is nothing to respond to. The server treats such a message as \
                  invalid input, and may end the session.",
    remedy: "send only requests and notifications",
    fix: None,
    check: Check::Wire(responses_of_clients),
};

fn reused_ids(facts: &Facts<'_>) -> Vec<Violation> {
    let mut violations = Vec::new();
    // By the text of their ids, so that few are compared. Numbers of more than 64 bits have none.
    let mut used: HashMap<String, Vec<(&Json, Exchange)>> = HashMap::new();
    let text = |id: &Json| match id.as_number() {
        Some(number) => number.as_i64().map(|id| id.to_string()).unwrap_or_default(),
        None => id.to_compact(),
    };
    for exchange in &facts.exchanges.all {
        let request = &facts.messages[exchange.request];
        // A session begins with its handshake; what came before, such as a probe, was another's.
        if request.method() == Some("initialize") {
            used.clear();
        }
        let Some(id) = request.id() else { continue };
        let is_taken = |(known, earlier): &(&Json, Exchange)| {
            let answered = earlier.answer.message().is_some_and(|at| at < exchange.request);
            *known == id && (facts.era() == Some(Era::Legacy) || !answered)
        };
        let alike = used.entry(text(id)).or_default();
        if alike.iter().any(is_taken) {
            let id = excerpt(&id.to_compact());
            violations.push(Violation::new(
                format!("a request has the id {id}, which another request has used"),
                [request.seq],
            ));
        }
        alike.push((id, *exchange));
    }
    violations
}

fn requests_of_servers(facts: &Facts<'_>) -> Vec<Violation> {
    let sent = facts.messages.iter().filter(|message| message.from == Role::Server && message.shape == Shape::Request);
    let violation = |message: &Message<'_>| {
        let method = quoted(message.method().unwrap_or_default());
        Violation::new(format!("the server sent the request {method}"), [message.seq])
    };
    sent.map(violation).collect()
}

fn responses_of_clients(facts: &Facts<'_>) -> Vec<Violation> {
    let sent = facts
        .messages
        .iter()
        .filter(|message| message.from == Role::Client && matches!(message.shape, Shape::Result | Shape::Error));
    sent.map(|message| Violation::new("the client sent a response", [message.seq])).collect()
}

fn malformed(facts: &Facts<'_>, from: Role) -> Vec<Violation> {
    let mut violations: Vec<Violation> = Vec::new();
    for message in facts.messages.iter().filter(|message| message.from == from) {
        // The body of an HTTP error may be anything.
        if message.status().is_some_and(|status| status >= 400) {
            continue;
        }
        let defect = message.defect.as_deref().or_else(|| batch(facts, message));
        // A batch is one entry, whatever it holds.
        if let Some(defect) = defect
            && violations.last().is_none_or(|violation| violation.messages != [message.seq])
        {
            violations.push(if is_printed(facts, message) {
                // Its words stand in the message that is quoted, and may differ from session to session.
                let detail = "the server printed a line to standard output that is not a JSON-RPC message";
                Violation::new(detail, [message.seq]).mended_by("write logs to standard error")
            } else if let Some(at) = not_utf_8(facts, message) {
                Violation::new(format!("the {from} sent a message that is not UTF-8, from byte {at} on"), [message.seq])
                    .mended_by(READ_AND_WRITE_UTF_8)
            } else {
                let detail = format!("the {from} sent something that is not a JSON-RPC message: {defect}");
                let violation = Violation::new(detail, [message.seq]);
                let has_both = message.json.get("result").is_some() && message.json.get("error").is_some();
                if has_both { violation.mended_by(ONE_OF_BOTH) } else { violation }
            });
        }
    }
    violations
}

const ONE_OF_BOTH: &str = "omit `error` from the response of a request that succeeded, and `result` from that of one that failed: null is not absent";

/// Programs that write in the code page of the system mostly read in it too, and an echo of theirs is whole again.
const READ_AND_WRITE_UTF_8: &str = "encode messages as UTF-8, and decode what is received as UTF-8 too, whatever the code page of the system is: \
                                    arguments beyond ASCII are garbled otherwise, without an error";

/// The first byte of a message that is not part of UTF-8 text.
fn not_utf_8(facts: &Facts<'_>, message: &Message<'_>) -> Option<usize> {
    let raw = facts.transcript.message(message.seq).filter(|raw| raw.as_text().is_none())?;
    std::str::from_utf8(&raw.to_bytes()).err().map(|error| error.valid_up_to())
}

/// Returns true if a server that speaks over its standard output printed this, such as a banner or a log line.
fn is_printed(facts: &Facts<'_>, message: &Message<'_>) -> bool {
    let text = facts.transcript.message(message.seq).and_then(Raw::as_text);
    let is_text = text.is_some_and(|text| !begins_as_message(text.as_bytes()));
    message.from == Role::Server
        && message.shape == Shape::Unreadable
        && facts.cell.transport == Transport::Stdio
        && is_text
}

fn batch(facts: &Facts<'_>, message: &Message<'_>) -> Option<&'static str> {
    let knows_batches = facts.revision().is_none_or(|revision| revision < Revision::V2025_06_18);
    (message.batched && !knows_batches).then_some("an array of messages, which 2025-06-18 took out")
}

fn strays(facts: &Facts<'_>) -> Vec<Violation> {
    let stray = |place: &usize| {
        let message = &facts.messages[*place];
        let detail = retyped(facts, *place)
            .unwrap_or_else(|| "the server sent a response whose id belongs to no open request".to_owned());
        Violation::new(detail, [message.seq])
    };
    facts.exchanges.strays.iter().map(stray).collect()
}

/// The mistake of a response whose id is that of its request in another type.
fn retyped(facts: &Facts<'_>, place: usize) -> Option<String> {
    let exchange = facts.exchanges.all.iter().find(|exchange| exchange.answer.message() == Some(place))?;
    let ids = [facts.messages[exchange.request].id()?, facts.messages[place].id()?];
    let [asked, sent] = ids.map(|id| excerpt(&id.to_compact()));
    is_retyped(ids[1], ids[0]).then(|| {
        format!("the server answered the request with the id {asked} under the id {sent}, which is another type")
    })
}
