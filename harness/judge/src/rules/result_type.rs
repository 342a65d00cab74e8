//! `resultType`, the member that tells a final result from one that asks for input.

use mcp_compat_json::Json;
use mcp_compat_model::observation::Seen;
use mcp_compat_model::tool::ToolResult;
use mcp_compat_model::verdict::Party;

use super::acceptance::refused;
use super::rule::{Affects, Check, Fix, Levels, RevisionRange, Rule, Scope, ServerViolations, Violation};
use crate::facts::Facts;
use mcp_compat_model::excerpt::{excerpt, quoted, tool_name};

/// Rule about the type of a result.
pub static RESULT_TYPE_PRESENT: Rule = Rule {
    id: "result-type-present",
    level: Levels::MUST,
    revisions: RevisionRange::MODERN,
    party: Party::Server,
    scope: Scope::Protocol,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/index#result-responses",
    title: "Every result has a `resultType`.",
    violation: "results of 2026-07-28 without `resultType`",
    explanation: "Without `resultType`, a client can only guess whether the result is final. Typed clients reject it. \
                  Send `\"resultType\": \"complete\"` with every final result.",
    remedy: "put a `resultType` into every result",
    fix: Some(Fix::AddResultType),
    check: Check::Wire(present),
};

pub(super) static RESULT_TYPE_KNOWN: Rule = Rule {
    id: "result-type-known",
    level: Levels::MUST,
    revisions: RevisionRange::MODERN,
    party: Party::Server,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/index#resulttype",
    title: "The core protocol or a declared extension defines the type of each result.",
    violation: "results with an unknown `resultType`",
    explanation: "A client must treat a result of an unknown type as invalid. Its content is lost, even if it is \
                  well-formed.",
    remedy: "send `complete` or `input_required`, or declare the extension that defines the type",
    fix: Some(Fix::AddResultType),
    check: Check::Wire(known),
};

pub(super) static CLIENT_TAKES_ABSENT_RESULT_TYPE: Rule = Rule {
    id: "client-takes-absent-result-type",
    level: Levels::MUST,
    revisions: RevisionRange::MODERN,
    party: Party::Client,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/index#resulttype",
    title: "A client treats a result without `resultType` as complete.",
    violation: "results without `resultType` are not accepted",
    explanation: "Servers of earlier revisions do not send the member. A client that requires it loses every tool of \
                  these servers, although everything else in the result is valid.",
    remedy: "treat a result without `resultType` as complete",
    fix: None,
    check: Check::AfterServer(takes_absent),
};

pub(super) static CLIENT_REFUSES_UNKNOWN_RESULT_TYPE: Rule = Rule {
    id: "client-refuses-unknown-result-type",
    level: Levels::MUST,
    revisions: RevisionRange::MODERN,
    party: Party::Client,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/index#resulttype",
    title: "A client rejects a result of a type that it does not know.",
    violation: "results with an unknown `resultType` are accepted",
    explanation: "An unknown type may mean that the call is not finished, or that the content has another form. A \
                  client that returns it as a final result gives its user a value that the tool never returned.",
    remedy: "reject a result with an unknown `resultType`",
    fix: None,
    check: Check::Wire(refuses_unknown),
};

fn present(facts: &Facts<'_>) -> Vec<Violation> {
    let mut violations = Vec::new();
    for exchange in &facts.exchanges.all {
        let request = &facts.messages[exchange.request];
        let Some((message, result)) = facts.result_of(*exchange) else { continue };
        let method = request.method().unwrap_or_default();
        let is_object = result.as_object().is_some();
        if is_object && method != "initialize" && ToolResult::new(result).result_type().is_none() {
            violations
                .push(Violation::new(format!("the result of {} has no `resultType`", quoted(method)), [message.seq]));
        }
    }
    violations
}

fn known(facts: &Facts<'_>) -> Vec<Violation> {
    if declares_extensions(facts) {
        return Vec::new();
    }
    let results = facts.exchanges.all.iter().filter_map(|exchange| facts.result_of(*exchange));
    let unknown = |(message, result): (&crate::wire::message::Message<'_>, &Json)| {
        let named = shown(unknown_type(result)?);
        Some(Violation::new(format!("a result has the undefined type {named}"), [message.seq]))
    };
    results.filter_map(unknown).collect()
}

fn takes_absent(facts: &Facts<'_>, server: &ServerViolations) -> Vec<Violation> {
    let mut violations = Vec::new();
    for call in &facts.calls {
        let Some((message, result)) = call.exchange.and_then(|exchange| facts.result_of(exchange)) else { continue };
        let conforming = server.conforms_but_for(facts, call, &[&RESULT_TYPE_PRESENT]);
        if ToolResult::new(result).result_type().is_none()
            && conforming
            && call.seen.is_some_and(|seen| refused(seen, result))
        {
            let detail =
                format!("the client rejected the result of {}, which has no `resultType`", tool_name(&call.call.tool));
            violations.push(Violation::new(detail, [message.seq]).of_tool(&call.call.tool));
        }
    }
    violations
}

fn refuses_unknown(facts: &Facts<'_>) -> Vec<Violation> {
    if declares_extensions(facts) {
        return Vec::new();
    }
    let mut violations = Vec::new();
    for call in &facts.calls {
        let Some((message, result)) = call.exchange.and_then(|exchange| facts.result_of(exchange)) else { continue };
        let returned = matches!(call.seen, Some(Seen::Called(seen)) if !seen.is_error);
        if let (Some(named), true) = (unknown_type(result), returned) {
            let tool = tool_name(&call.call.tool);
            let detail =
                format!("the client returned the result of {tool}, which has the unknown type {}", shown(named));
            violations.push(Violation::new(detail, [message.seq]).of_tool(&call.call.tool));
        }
    }
    violations
}

/// A type that the core protocol does not define. A value that is not a string, null included, is unknown, not absent.
fn unknown_type(result: &Json) -> Option<&Json> {
    let named = ToolResult::new(result).result_type()?;
    (!matches!(named.as_str(), Some("complete" | "input_required"))).then_some(named)
}

fn shown(named: &Json) -> String {
    named.as_str().map_or_else(|| excerpt(&named.to_compact()), quoted)
}

/// Returns true if either side declares extensions, which may define types of their own.
fn declares_extensions(facts: &Facts<'_>) -> bool {
    let some = |extensions: Option<&Json>| extensions.and_then(Json::as_object).is_some_and(|all| !all.is_empty());
    facts.messages.iter().any(|message| {
        let client = message.meta(crate::wire::session::META_CAPABILITIES).and_then(|all| all.get("extensions"));
        let server = message.result().and_then(|result| result.get("capabilities")?.get("extensions"));
        some(client) || some(server)
    })
}
