//! Results that ask for input before there is a value: `input_required`.

use mcp_compat_json::Json;
use mcp_compat_model::tool::ToolResult;
use mcp_compat_model::verdict::Party;

use super::rule::{Affects, Check, Levels, RevisionRange, Rule, Scope, Violation};
use crate::facts::Facts;
use crate::wire::message::Message;
use mcp_compat_model::excerpt::quoted;

pub(super) static INPUT_REQUIRED_WHERE_ALLOWED: Rule = Rule {
    id: "input-required-where-allowed",
    level: Levels::MUST,
    revisions: RevisionRange::MODERN,
    party: Party::Server,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#supported-requests",
    title: "Only `tools/call`, `prompts/get` and `resources/read` may be answered with `input_required`.",
    violation: "`input_required` for a request that does not allow it",
    explanation: "A client that lists tools cannot give input. The result has no `tools`, so the client's user gets no \
                  tool of this server.",
    remedy: "answer `tools/list` and `server/discover` with a complete result",
    fix: None,
    check: Check::Wire(where_allowed),
};

pub(super) static INPUT_REQUIRED_ASKS: Rule = Rule {
    id: "input-required-asks",
    level: Levels::MUST,
    revisions: RevisionRange::MODERN,
    party: Party::Server,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#server-requirements-basic-workflow",
    title: "A result that asks for input has `inputRequests`, `requestState` or both.",
    violation: "`input_required` without `inputRequests` or `requestState`",
    explanation: "Without both, the client has nothing to answer and nothing to send back. Its retry is the same \
                  request, and gets the same response.",
    remedy: "put `inputRequests` or `requestState` into every result of type `input_required`",
    fix: None,
    check: Check::Wire(asks),
};

/// The interim results, with the request and its method.
pub(super) fn interim<'f, 'a>(
    facts: &'f Facts<'a>,
) -> impl Iterator<Item = (&'f Message<'a>, &'f Message<'a>, &'f Json)> {
    facts.exchanges.all.iter().filter_map(|exchange| {
        let (answer, result) = facts.result_of(*exchange)?;
        let asks = ToolResult::new(result).is_input_required();
        asks.then_some((&facts.messages[exchange.request], answer, result))
    })
}

fn where_allowed(facts: &Facts<'_>) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (request, answer, _) in interim(facts) {
        let method = request.method().unwrap_or_default();
        if !["tools/call", "prompts/get", "resources/read"].contains(&method) {
            violations
                .push(Violation::new(format!("{} was answered with `input_required`", quoted(method)), [answer.seq]));
        }
    }
    violations
}

fn asks(facts: &Facts<'_>) -> Vec<Violation> {
    let empty = interim(facts)
        .filter(|(_, _, result)| result.get("inputRequests").is_none() && result.get("requestState").is_none());
    let detail = "a result asks for input, but has neither `inputRequests` nor `requestState`";
    empty.map(|(_, answer, _)| Violation::new(detail, [answer.seq])).collect()
}
