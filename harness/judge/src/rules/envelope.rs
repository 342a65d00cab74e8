//! JSON-RPC itself: what a message is, and which request a response belongs to.

use mcp_compat_model::verdict::{Level, Party};
use mcp_compat_model::{Revision, Role};

use super::{Hit, RevisionRange, Rule, Scope};
use crate::facts::Facts;
use crate::wire::Message;

pub(super) static SERVER_SPEAKS_JSON_RPC: Rule = Rule {
    id: "server-speaks-json-rpc",
    level: Level::Must,
    revisions: RevisionRange::ALL,
    party: Party::Server,
    scope: Scope::Protocol,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/index#messages",
    title: "Everything that a server sends is a JSON-RPC 2.0 message.",
    explanation: "A line that is no message, such as a log line on stdout, or a message without its version, id or \
                  error code cannot be matched to a request. Strict clients end the session, lenient ones drop it and \
                  wait for an answer that has come already. Write logs to stderr, and let one place build messages.",
    remedy: "send nothing but well-formed JSON-RPC 2.0 messages",
    check: |facts| malformed(facts, Role::Server),
};

pub(super) static CLIENT_SPEAKS_JSON_RPC: Rule = Rule {
    id: "client-speaks-json-rpc",
    level: Level::Must,
    revisions: RevisionRange::ALL,
    party: Party::Client,
    scope: Scope::Protocol,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/index#messages",
    title: "Everything that a client sends is a JSON-RPC 2.0 message.",
    explanation: "A server cannot answer what it cannot read: a request with a null id, or an array of messages in a \
                  revision without batches, is refused or ignored, and the client's user waits for nothing.",
    remedy: "send nothing but well-formed JSON-RPC 2.0 messages",
    check: |facts| malformed(facts, Role::Client),
};

pub(super) static RESPONSE_MATCHES_REQUEST: Rule = Rule {
    id: "response-matches-request",
    level: Level::Must,
    revisions: RevisionRange::ALL,
    party: Party::Server,
    scope: Scope::Protocol,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/index#responses",
    title: "A response has the id of a request that is still open.",
    explanation: "A response under another id (a number turned into a string, a second answer) belongs to no request. \
                  Clients drop it or end the session, and the request it was meant for times out. Send the id back \
                  exactly as it came, once.",
    remedy: "answer each request once, under the id exactly as it came",
    check: strays,
};

fn malformed(facts: &Facts<'_>, from: Role) -> Vec<Hit> {
    let mut hits: Vec<Hit> = Vec::new();
    for message in facts.messages.iter().filter(|message| message.from == from) {
        // The body of an HTTP error may be anything.
        if message.status().is_some_and(|status| status >= 400) {
            continue;
        }
        let defect = message.defect.as_deref().or_else(|| batch(facts, message));
        // A batch is one entry, whatever it holds.
        if let Some(defect) = defect
            && hits.last().is_none_or(|hit| hit.messages != [message.seq])
        {
            hits.push(Hit::new(format!("the {from} sent what is not a JSON-RPC message: {defect}"), [message.seq]));
        }
    }
    hits
}

fn batch(facts: &Facts<'_>, message: &Message<'_>) -> Option<&'static str> {
    let knows_batches = facts.revision().is_none_or(|revision| revision < Revision::V2025_06_18);
    (message.batched && !knows_batches).then_some("an array of messages, which 2025-06-18 took out")
}

fn strays(facts: &Facts<'_>) -> Vec<Hit> {
    let stray = |place: &usize| {
        let message = &facts.messages[*place];
        Hit::new("the server sent a response whose id belongs to no open request", [message.seq])
    };
    facts.exchanges.strays.iter().map(stray).collect()
}
