//! The list of tools: the answer, its shape and order, and the notification of a change.

use std::collections::BTreeSet;

use mcp_compat_json::Json;
use mcp_compat_model::count::nth;
use mcp_compat_model::peer_contract::EVOLVE_TOOL;
use mcp_compat_model::tool::{ToolResult, root_type};
use mcp_compat_model::verdict::Party;
use mcp_compat_model::{Revision, Role};

use super::notifications::listens;
use super::rule::{Affects, Check, Levels, RevisionRange, Rule, Scope, Violation};
use crate::facts::{Facts, Listing};
use crate::wire::exchange::Answer;
use crate::wire::session::{INVALID_PARAMS, MODERN_CODES, ToolsCapability};
use mcp_compat_model::excerpt::tool_name;

/// Rule about the result of `tools/list`.
pub static TOOLS_LIST_SHAPE: Rule = Rule {
    id: "tools-list-shape",
    level: Levels::MUST,
    revisions: RevisionRange::ALL,
    party: Party::Server,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#listing-tools",
    title: "The result of `tools/list` has an array of tools, each an object with a name.",
    violation: "`tools/list` without `tools`, or a tool without a name",
    explanation: "Typed clients reject the whole list because of one entry without a name, or because of one null, and \
                  lose all other tools of the server.",
    remedy: "list the tools as an array of objects, each with a name, and leave out what is no tool",
    fix: None,
    check: Check::Wire(shape),
};

/// Rule about an error in place of the list.
pub static TOOLS_LIST_ANSWERED: Rule = Rule {
    id: "tools-list-answered",
    level: Levels::MUST,
    revisions: RevisionRange::MODERN,
    party: Party::Server,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#capabilities",
    title: "A server that declares tools answers `tools/list` with its tools.",
    violation: "`tools/list` answered with an error",
    explanation: "If the list, or one page of it, is answered with an error, the client cannot use tools that exist. \
                  If one tool cannot be described, omit that tool and list the others.",
    remedy: "answer `tools/list` with the tools, and omit those that cannot be described",
    fix: None,
    check: Check::Wire(answered),
};

pub(super) static TOOLS_ORDER_STABLE: Rule = Rule {
    id: "tools-order-stable",
    level: Levels::SHOULD,
    revisions: RevisionRange::MODERN,
    party: Party::Server,
    scope: Scope::Protocol,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#capabilities",
    title: "A server lists the same tools in the same order.",
    violation: "the order of the tools changes",
    explanation: "Clients compare lists that they have cached, and a model provider charges again for a context that \
                  starts differently. Take the order from an ordered collection, not from a hash map.",
    remedy: "list the same tools in the same order every time",
    fix: None,
    check: Check::Wire(order),
};

pub(super) static INPUT_SCHEMA_OBJECT_ROOT: Rule = Rule {
    id: "input-schema-object-root",
    level: Levels::MUST,
    revisions: RevisionRange::ALL,
    party: Party::Server,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/schema#tool-inputschema",
    title: "A tool has an `inputSchema` with `type: object` at its root.",
    violation: "inputSchema without `type: object`",
    explanation: "Arguments are an object in every revision, and the member is required. Clients check it when they \
                  read the list. Many reject the whole list because of one tool without it.",
    remedy: "give every tool an `inputSchema` with `type: object` at its root",
    fix: None,
    check: Check::Wire(input_schema),
};

pub(super) static LIST_CHANGED_TOLD: Rule = Rule {
    id: "list-changed-told",
    level: Levels::SHOULD,
    revisions: RevisionRange::ALL,
    party: Party::Server,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#list-changed-notification",
    title: "A server that declares `listChanged` notifies its clients when its tools change.",
    violation: "changed tools without a notification",
    explanation: "Clients cache the list and validate results against the schemas in it. Without a notification, they \
                  validate new results against old schemas, and reject valid results or accept invalid ones.",
    remedy: "send `notifications/tools/list_changed` when the tools change",
    fix: None,
    check: Check::Wire(list_changed),
};

pub static STRUCTURED_OUTPUT_KNOWN: Rule = Rule {
    id: "structured-output-known",
    level: Levels::MAY,
    revisions: RevisionRange { from: Revision::V2024_11_05, to: Revision::V2025_03_26 },
    party: Party::Server,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2025-06-18/changelog#major-changes",
    title: "Structured output is sent only to clients whose revision supports it.",
    violation: "clients before 2025-06-18 get structured output too, and ignore it",
    explanation: "Before 2025-06-18, neither `outputSchema` nor `structuredContent` exists. A server may send them, \
                  like any unknown member, but clients may ignore them. The text blocks must have everything that \
                  matters.",
    remedy: "make sure that a text block has the value, too",
    fix: None,
    check: Check::Wire(before_its_time),
};

fn shape(facts: &Facts<'_>) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (_, exchange) in facts.exchanges_of("tools/list") {
        let Some((message, result)) = facts.result_of(exchange) else { continue };
        match result.get("tools").map(|tools| (tools, tools.as_array())) {
            None => violations.push(Violation::new("the result of tools/list has no `tools`", [message.seq])),
            Some((tools, None)) => {
                let detail = format!("the `tools` of tools/list are a JSON {} instead of an array", tools.kind());
                violations.push(Violation::new(detail, [message.seq]).at("/tools"));
            }
            Some((_, Some(tools))) => {
                let nameless = tools.iter().position(|tool| tool.get("name").and_then(Json::as_str).is_none());
                violations.extend(nameless.map(|index| {
                    let is_tool = tools[index].as_object().is_some();
                    let (detail, place) = if is_tool {
                        (format!("{} of tools/list has no name", nth(index, "tool")), format!("/tools/{index}/name"))
                    } else {
                        let kind = match tools[index].kind() {
                            "null" => "null".to_owned(),
                            kind => format!("a JSON {kind}"),
                        };
                        let entry = nth(index, "entry");
                        (
                            format!("{entry} of `tools` in the result of tools/list is {kind}, not a tool"),
                            format!("/tools/{index}"),
                        )
                    };
                    Violation::new(detail, [message.seq]).at(place)
                }));
            }
        }
    }
    violations
}

fn answered(facts: &Facts<'_>) -> Vec<Violation> {
    if !matches!(facts.session.tools, ToolsCapability::Declared { .. }) {
        return Vec::new();
    }
    let mut violations = Vec::new();
    for (request, exchange) in facts.exchanges_of("tools/list") {
        let Answer::Error(at) = exchange.answer else { continue };
        let message = &facts.messages[at];
        let code = message.error_code();
        // A request that is wrong itself deserves its refusal.
        if code.is_some_and(|code| code == INVALID_PARAMS || MODERN_CODES.contains(&code)) {
            continue;
        }
        let code = code.map_or_else(String::new, |code| format!(" {code}"));
        let asked = if request.param("cursor").is_some() { "for a later page of tools/list" } else { "tools/list" };
        let detail = format!("the request {asked} was answered with error{code}");
        violations.push(Violation::new(detail, [message.seq]));
    }
    violations
}

fn order(facts: &Facts<'_>) -> Vec<Violation> {
    let names =
        |pass: &[Listing]| -> Vec<&str> { pass.iter().filter_map(|listing| facts.listed_name(*listing)).collect() };
    let mut violations = Vec::new();
    for pair in passes(facts).windows(2) {
        let [before, after] = pair else { continue };
        let (Some(first), Some(last)) = (before.first(), after.last()) else { continue };
        let (before, after) = (names(before), names(after));
        let sorted = |names: &[&'_ str]| BTreeSet::from_iter(names.iter().map(ToString::to_string));
        if first.epoch == last.epoch && before != after && sorted(&before) == sorted(&after) {
            let seq = facts.messages[last.message].seq;
            violations.push(Violation::new("the same tools were listed in another order than before", [seq]));
        }
    }
    violations
}

/// Tools listed, each time that a client goes through the pages from the first.
pub(super) fn passes(facts: &Facts<'_>) -> Vec<Vec<Listing>> {
    let mut passes: Vec<Vec<Listing>> = Vec::new();
    // The listings are in the order of the requests.
    let mut left = facts.listings.as_slice();
    for (request, exchange) in facts.exchanges_of("tools/list") {
        let end = left.partition_point(|listing| Some(listing.message) == exchange.answer.message());
        let (page, rest) = left.split_at(end);
        left = rest;
        match passes.last_mut() {
            Some(pass) if request.param("cursor").is_some() => pass.extend(page),
            Some(_) | None => passes.push(page.to_vec()),
        }
    }
    passes
}

fn input_schema(facts: &Facts<'_>) -> Vec<Violation> {
    let mut violations = Vec::new();
    for listing in &facts.listings {
        let Some(definition) = facts.definition(*listing) else { continue };
        let kind = definition.input_schema().and_then(root_type);
        // An entry that is no tool has no members.
        if kind == Some("object") || definition.json().as_object().is_none() {
            continue;
        }
        let tool = facts.listed_name(*listing).unwrap_or_default();
        let detail = format!("the inputSchema of {} does not have type object at its root", tool_name(tool));
        let seq = facts.messages[listing.message].seq;
        violations.push(Violation::new(detail, [seq]).of_tool(tool).at("/inputSchema/type"));
    }
    violations
}

fn list_changed(facts: &Facts<'_>) -> Vec<Violation> {
    if facts.session.tools != (ToolsCapability::Declared { list_changed: true }) {
        return Vec::new();
    }
    let mut violations = Vec::new();
    for (request, exchange) in facts.exchanges_of("tools/call") {
        let Answer::Result(answer) = exchange.answer else { continue };
        if request.param("name").and_then(Json::as_str) != Some(EVOLVE_TOOL) || !listens(facts, exchange.request) {
            continue;
        }
        let told = facts.messages.iter().skip(exchange.request).any(|message| {
            message.from == Role::Server && message.method() == Some("notifications/tools/list_changed")
        });
        if !told {
            let detail = "the server declares `listChanged`, but sent no notification when its tools changed";
            violations.push(Violation::new(detail, [facts.messages[answer].seq]));
        }
    }
    violations
}

fn before_its_time(facts: &Facts<'_>) -> Vec<Violation> {
    let results = facts.exchanges.all.iter().filter_map(|exchange| facts.result_of(*exchange));
    let structured = results.filter(|(_, result)| ToolResult::new(result).structured_content().is_some());
    let structured: Vec<u32> = structured.map(|(message, _)| message.seq).collect();
    let declares = |listing: &&Listing| facts.definition(**listing).is_some_and(|tool| tool.output_schema().is_some());
    let mut declaring: Vec<u32> =
        facts.listings.iter().filter(declares).map(|listing| facts.messages[listing.message].seq).collect();
    declaring.dedup();
    let what = match (declaring.is_empty(), structured.is_empty()) {
        (true, true) => return Vec::new(),
        (true, false) => "`structuredContent`",
        (false, true) => "`outputSchema`",
        (false, false) => "`outputSchema` and `structuredContent`",
    };
    declaring.extend(structured);
    declaring.sort_unstable();
    vec![Violation::new(format!("the server sent {what}, which the revision does not define"), declaring)]
}
