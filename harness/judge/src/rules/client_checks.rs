//! Rules of clients: validate results, report tool errors, refuse unusable schemas, fetch nothing.

use mcp_compat_json::Json;
use mcp_compat_model::Revision;
use mcp_compat_model::observation::Seen;
use mcp_compat_model::tool::ToolResult;
use mcp_compat_model::transcript::Event;
use mcp_compat_model::verdict::{Outcome, Party};
use mcp_compat_scenario::scenario::Means;

use super::rule::{Affects, Check, Levels, RevisionRange, Rule, Scope, Violation};
use super::structured_content::{Mismatch, MismatchKind, schema_mismatch};
use crate::facts::{CallFacts, Facts};
use crate::proof::words_on_wire;
use mcp_compat_model::excerpt::{excerpt, quoted, tool_name};
use mcp_compat_schema::inclusion::{Conformance, dialect};

/// Rule about a client that returns an invalid value.
pub static CLIENT_VALIDATES: Rule = Rule {
    id: "client-validates",
    level: Levels::SHOULD,
    revisions: RevisionRange::STRUCTURED,
    party: Party::Client,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#output-schema",
    title: "A client validates structured results against the declared `outputSchema`.",
    violation: "results that violate their schema are accepted",
    explanation: "Code that uses the result relies on the schema. If the client does not validate, a wrong value is \
                  returned as a valid one and causes an error elsewhere, far from its cause. Validate, or document \
                  that the client does not.",
    remedy: "validate structuredContent against every keyword of the declared outputSchema",
    fix: None,
    check: Check::Wire(validates),
};

pub(super) static CLIENT_TELLS_TOOL_ERRORS: Rule = Rule {
    id: "client-tells-tool-errors",
    level: Levels::SHOULD,
    revisions: RevisionRange { from: Revision::V2025_11_25, to: Revision::NEWEST },
    party: Party::Client,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#error-handling",
    title: "A client reports a tool's error to its user with the tool's own text.",
    violation: "errors of tools are hidden or replaced",
    explanation: "A model reads the text of a tool error to correct its next call. A client that reports a success, or \
                  replaces the error with its own (for example, that the failed result does not match the schema), \
                  hides that text.",
    remedy: "report the tool's error with its text",
    fix: None,
    check: Check::Wire(reports_tool_errors),
};

pub(super) static CLIENT_TELLS_UNKNOWN_DIALECT: Rule = Rule {
    id: "client-tells-unknown-dialect",
    level: Levels::MUST,
    revisions: RevisionRange { from: Revision::V2025_11_25, to: Revision::NEWEST },
    party: Party::Client,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/index#implementation-requirements",
    title: "A client reports an error when a schema uses a dialect that it does not support.",
    violation: "schemas of an unsupported dialect raise no error",
    explanation: "The meaning of a keyword depends on the dialect. A client that returns the result anyway has \
                  validated nothing, or has applied other rules than the server meant, and reports no error.",
    remedy: "report an error that names the unsupported dialect",
    fix: None,
    check: Check::Wire(unknown_dialect),
};

pub(super) static CLIENT_REFUSES_UNRESOLVED_REFERENCE: Rule = Rule {
    id: "client-refuses-unresolved-reference",
    level: Levels::SHOULD,
    revisions: RevisionRange::MODERN,
    party: Party::Client,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/index#ref-resolution",
    title: "A client rejects a schema that it cannot use without fetching a part of it.",
    violation: "schemas with unresolved references are accepted",
    explanation: "The content behind a `$ref` to the network is unknown. A client that treats it as a schema that \
                  accepts everything returns values that it did not validate.",
    remedy: "reject a schema that has an unresolved reference",
    fix: None,
    check: Check::Wire(unresolved_reference),
};

pub(crate) static REFERENCES_NOT_FETCHED: Rule = Rule {
    id: "references-not-fetched",
    level: Levels::MUST,
    revisions: RevisionRange::MODERN,
    party: Party::Client,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/index#ref-resolution",
    title: "A client fetches no address only because a schema names it.",
    violation: "addresses in schemas are fetched",
    explanation: "The server chooses the content of its schemas. If a client resolves `$ref` or `$schema` over the \
                  network, any server can choose what the client's machine connects to, including internal services.",
    remedy: "do not fetch references of a schema over the network",
    fix: None,
    check: Check::Wire(fetched),
};

pub(crate) static NETWORK_REFERENCES_NOT_FOLLOWED: Rule = Rule {
    id: "network-references-not-followed",
    level: Levels::SHOULD,
    revisions: RevisionRange::OBJECTS,
    affects: Affects::Nothing,
    source: "https://json-schema.org/draft/2020-12/json-schema-core#section-8.2.3",
    title: "Before 2026-07-28, too, a client does not fetch an address because a schema names it.",
    violation: "addresses in schemas are fetched, before 2026-07-28",
    explanation: "JSON Schema calls such an address an identifier and asks implementations not to assume a network \
                  operation. MCP forbids the fetch from 2026-07-28 on; in older sessions the danger is the same: the \
                  server chooses what the client's machine connects to, internal services included.",
    ..REFERENCES_NOT_FETCHED
};

fn validates(facts: &Facts<'_>) -> Vec<Violation> {
    let mut violations = Vec::new();
    // A client that has not seen the schema yet, or did not take the list, cannot validate against it.
    let informed = facts.calls.iter().filter(|call| !call.is_stale && facts.list_error(call).is_none());
    for call in informed.filter(|call| call.seen.is_some_and(was_accepted)) {
        let tool = &call.call.tool;
        let (seq, wrong, keyword) = match schema_mismatch(facts, call) {
            Some(Mismatch { message, kind: MismatchKind::Absent }) => {
                let detail = format!(
                    "the result of {} lacks the structuredContent that its outputSchema requires",
                    tool_name(tool)
                );
                let violation = Violation::new(detail, [message.seq]).of_tool(tool).at("/structuredContent");
                violations.push(
                    violation.mended_by("reject a result without structuredContent if its tool has an outputSchema"),
                );
                continue;
            }
            Some(Mismatch { message, kind: MismatchKind::Violates { keyword, message: wrong, .. } }) => {
                let further = facts.further_violations(call);
                (message.seq, format!("violates `{keyword}` of its outputSchema: {wrong}{further}"), Some(keyword))
            }
            None => match scripted_mismatch(facts, call) {
                Some(seq) => (seq, "violates its outputSchema".to_owned(), None),
                None => continue,
            },
        };
        let detail = format!("the result of {} {wrong}", tool_name(tool));
        let violation = Violation::new(detail, [seq]).of_tool(tool);
        violations.push(if is_on_earlier_page(facts, call) {
            violation.mended_by("validate structuredContent, and keep the outputSchemas of every page of a list")
        } else if keyword.as_deref() == Some("pattern") {
            violation.mended_by("validate structuredContent, and read `pattern` as a regular expression of ECMA-262")
        } else {
            violation
        });
    }
    violations
}

/// Returns true if the client read further pages of the list after the one that has the tool, and then called it.
fn is_on_earlier_page(facts: &Facts<'_>, call: &CallFacts<'_>) -> bool {
    let (Some(listing), Some(called)) = (call.listing, call.exchange) else { return false };
    facts.exchanges_of("tools/list").any(|(request, exchange)| {
        let is_between = exchange.request > listing.message && exchange.request < called.request;
        is_between && request.param("cursor").is_some_and(|cursor| !cursor.is_null())
    })
}

/// The result that the scenario says violates its schema, where the judge itself cannot tell because a check of the value
/// takes too many steps.
fn scripted_mismatch(facts: &Facts<'_>, call: &CallFacts<'_>) -> Option<u32> {
    let (message, _) = facts.result_of_call(call)?;
    let is_undecided = matches!(facts.conformance(call)?, Conformance::Undecided { .. });
    let is_alone = facts.schemas.outside(facts.declared_schema(call)?).is_none();
    (call.call.means == Means::Invalid && is_undecided && is_alone).then_some(message.seq)
}

/// Returns true if the user got no error.
fn was_accepted(seen: &Seen) -> bool {
    match seen {
        Seen::Called(seen) => !seen.is_error,
        Seen::NotReported {} => true,
        Seen::Listed { .. } | Seen::Evolved { .. } | Seen::Failed(_) => false,
    }
}

/// The calls whose result the user got as a success, each with the schema that was declared for it and where.
fn returned<'f>(facts: &'f Facts<'_>) -> impl Iterator<Item = (&'f CallFacts<'f>, &'f Json, u32)> {
    facts.calls.iter().filter_map(|call| {
        let schema = facts.declared_schema(call)?;
        let is_success = matches!(call.seen?, Seen::Called(seen) if !seen.is_error);
        is_success.then_some((call, schema, facts.messages[call.listing?.message].seq))
    })
}

fn unknown_dialect(facts: &Facts<'_>) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (call, schema, seq) in returned(facts) {
        let Some(named) = schema.get("$schema").and_then(Json::as_str) else { continue };
        if dialect(schema).is_none() {
            let tool = tool_name(&call.call.tool);
            let detail = format!(
                "the client returned the result of {tool}, whose schema has the unknown dialect {}",
                quoted(named)
            );
            violations.push(Violation::new(detail, [seq]).of_tool(&call.call.tool).at("/outputSchema/$schema"));
        }
    }
    violations
}

fn unresolved_reference(facts: &Facts<'_>) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (call, schema, seq) in returned(facts) {
        if facts.schemas.needs_the_network(schema) {
            let detail = format!(
                "the client returned the result of {}, whose schema has an external reference",
                tool_name(&call.call.tool)
            );
            violations.push(Violation::new(detail, [seq]).of_tool(&call.call.tool).at("/outputSchema"));
        }
    }
    violations
}

fn reports_tool_errors(facts: &Facts<'_>) -> Vec<Violation> {
    let mut violations = Vec::new();
    for call in &facts.calls {
        let (Means::ToolError(words), Some(seen)) = (&call.call.means, call.seen) else { continue };
        let Some((message, result)) = call.exchange.and_then(|exchange| facts.result_of(exchange)) else { continue };
        if !ToolResult::new(result).is_error() {
            continue;
        }
        let own = facts.own_outcome_of(call, seen);
        // No client can report text that the server did not send.
        let hides = own == Outcome::Swallowed || (own == Outcome::Masked && words_on_wire(facts, call));
        if hides {
            let tool = &call.call.tool;
            let detail = match words.as_str() {
                // The text may have been shown, as that of a result.
                _ if own == Outcome::Swallowed => {
                    format!("`isError` of the result of {} did not reach the user", tool_name(tool))
                }
                "" => format!("the user did not learn that {} failed", tool_name(tool)),
                _ => format!("the text of {}'s error did not reach the user: {}", tool_name(tool), excerpt(words)),
            };
            violations.push(Violation::new(detail, [message.seq]).of_tool(tool));
        }
    }
    violations
}

fn fetched(facts: &Facts<'_>) -> Vec<Violation> {
    let mut violations = Vec::new();
    for entry in &facts.transcript.entries {
        if let Event::Fetched { path } = &entry.event {
            violations
                .push(Violation::new(format!("{} was fetched because a schema names it", quoted(path)), [entry.seq]));
        }
    }
    violations
}
