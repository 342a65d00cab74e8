//! The handshake of the legacy era, and what is declared in it.

use mcp_compat_json::Json;
use mcp_compat_model::verdict::Party;
use mcp_compat_model::{Era, Revision, Role};

use super::rule::{Affects, Check, Levels, RevisionRange, Rule, Scope, Violation};
use crate::facts::Facts;
use crate::wire::exchange::Answer;
use crate::wire::message::Shape;
use crate::wire::session::{ToolsCapability, went_on};
use mcp_compat_model::excerpt::quoted;

/// Rule about the revision that `initialize` agrees to.
pub static INITIALIZE_NAMES_A_HANDSHAKE_REVISION: Rule = Rule {
    id: "initialize-names-a-handshake-revision",
    level: Levels::MUST,
    revisions: RevisionRange::ALL,
    party: Party::Server,
    scope: Scope::Protocol,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#terminology",
    title: "The result of `initialize` names a revision that has a handshake.",
    violation: "`initialize` answered with a revision that has no handshake",
    explanation: "From 2026-07-28 on, there is no handshake, so a session that was opened with one cannot use such a \
                  revision. For a client that accepts this answer, no rule says whether requests carry their revision. \
                  Answer `initialize` with 2025-11-25 or older, and answer requests with `_meta` statelessly.",
    remedy: "answer `initialize` with 2025-11-25 or an older revision",
    fix: None,
    check: Check::Wire(handshake_revision),
};

pub static INITIALIZED_IS_TOLD: Rule = Rule {
    id: "initialized-is-told",
    level: Levels::MUST,
    revisions: RevisionRange::LEGACY,
    party: Party::Client,
    scope: Scope::Protocol,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#initialization",
    title: "A client sends `notifications/initialized` before it uses the session.",
    violation: "requests before `notifications/initialized`",
    explanation: "Servers wait until the client reports that it is ready. Without the notification, some reject every \
                  request, and the client appears to get a server without tools.",
    remedy: "send `notifications/initialized` after the result of `initialize`",
    fix: None,
    check: Check::Wire(initialized),
};

pub(super) static TOOLS_CAPABILITY_DECLARED: Rule = Rule {
    id: "tools-capability-declared",
    level: Levels::MUST,
    revisions: RevisionRange::ALL,
    party: Party::Server,
    scope: Scope::Protocol,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#capabilities",
    title: "A server with tools declares the `tools` capability.",
    violation: "tools without the `tools` capability",
    explanation: "Clients that rely on the capabilities never list the tools of such a server. Their users see no \
                  tools and get no error. Declare `tools` in the result of `initialize` and of `server/discover`.",
    remedy: "declare the `tools` capability",
    fix: None,
    check: Check::Wire(capability),
};

pub(crate) static CLIENT_LEAVES_UNKNOWN_REVISION: Rule = Rule {
    id: "client-leaves-unknown-revision",
    level: Levels::SHOULD,
    // No revision is negotiated where the one named is none, and only what holds everywhere holds there.
    revisions: RevisionRange::ALL,
    party: Party::Client,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#version-negotiation",
    title: "A client ends the session if the server names a revision that does not exist, or none.",
    violation: "a session at no known revision is not ended",
    explanation: "No client can speak a revision that was never published, or one that nobody named. A client that continues \
                  reads results by other rules than the server's, so a valid result may become an error or a different value.",
    remedy: "end the session when the server refuses `initialize`, or names no revision that the client speaks",
    fix: None,
    check: Check::Wire(unknown_revision),
};

fn unknown_revision(facts: &Facts<'_>) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (_, exchange) in facts.exchanges_of("initialize").filter(|(_, exchange)| went_on(&facts.messages, exchange)) {
        let (Answer::Result(at) | Answer::Error(at)) = exchange.answer else { continue };
        let message = &facts.messages[at];
        let named = message.result().map(|result| result.get("protocolVersion").and_then(Json::as_str));
        let how = match named {
            Some(Some(named)) if named.parse::<Revision>().is_err() => format!("with the revision {}", quoted(named)),
            Some(Some(_)) => continue,
            // Another handshake agreed on one.
            _ if facts.revision().is_some() => continue,
            Some(None) => "though the answer to `initialize` names no revision".to_owned(),
            None => "though the server refused `initialize`".to_owned(),
        };
        violations.push(Violation::new(format!("the client continued {how}"), [message.seq]));
    }
    violations
}

fn handshake_revision(facts: &Facts<'_>) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (_, exchange) in facts.exchanges_of("initialize") {
        let Some((message, result)) = facts.result_of(exchange) else { continue };
        let named = result.get("protocolVersion").and_then(Json::as_str);
        let revision = named.and_then(|date| date.parse::<Revision>().ok());
        if named.is_none() {
            violations.push(Violation::new("the result of `initialize` names no revision", [message.seq]));
        } else if let Some(revision) = revision.filter(|revision| revision.era() == Era::Modern) {
            violations.push(Violation::new(
                format!("the result of `initialize` names {revision}, which has no handshake"),
                [message.seq],
            ));
        }
    }
    violations
}

fn initialized(facts: &Facts<'_>) -> Vec<Violation> {
    let mut told = false;
    for message in facts.messages.iter().filter(|message| message.from == Role::Client) {
        match (message.shape, message.method()) {
            (Shape::Notification, Some("notifications/initialized")) => told = true,
            (Shape::Request, Some(method)) if method.starts_with("tools/") && !told => {
                return vec![Violation::new(
                    format!("the client sent {method} before `notifications/initialized`"),
                    [message.seq],
                )];
            }
            (
                Shape::Request
                | Shape::Notification
                | Shape::Result
                | Shape::Error
                | Shape::Unreadable
                | Shape::NotRead(_),
                _,
            ) => {}
        }
    }
    Vec::new()
}

fn capability(facts: &Facts<'_>) -> Vec<Violation> {
    if facts.session.tools != ToolsCapability::Absent {
        return Vec::new();
    }
    let listed = facts.exchanges_of("tools/list").find_map(|(_, exchange)| facts.result_of(exchange));
    let opened = facts.exchanges_of("initialize").chain(facts.exchanges_of("server/discover"));
    let declaring = opened.filter_map(|(_, exchange)| facts.result_of(exchange)).map(|(message, _)| message.seq).last();
    let violation = |(message, _): (&crate::wire::message::Message<'_>, &Json)| {
        let messages: Vec<u32> = declaring.into_iter().chain([message.seq]).collect();
        Violation::new("the server lists tools, and its capabilities do not have `tools`", messages)
    };
    listed.map(violation).into_iter().collect()
}
