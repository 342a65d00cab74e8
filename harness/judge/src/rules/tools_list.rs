//! The list of tools: its shape, and that a change of it is told.

use mcp_compat_model::contract::EVOLVE_TOOL;
use mcp_compat_model::json::Json;
use mcp_compat_model::verdict::{Level, Party};
use mcp_compat_model::{Era, Revision, Role};

use super::{Hit, RevisionRange, Rule, Scope};
use crate::excerpt::quoted;
use crate::exchange::{Answer, Exchange};
use crate::facts::{Facts, Listing};
use crate::session::ToolsCapability;
use crate::wire::Shape;

pub(super) static TOOLS_LIST_SHAPE: Rule = Rule {
    id: "tools-list-shape",
    level: Level::Must,
    revisions: RevisionRange::ALL,
    party: Party::Server,
    scope: Scope::Payload,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#listing-tools",
    title: "The result of `tools/list` has an array of tools, each an object with a name.",
    explanation: "One entry without a name makes typed clients refuse the whole list: every other tool of the server \
                  is lost with it.",
    remedy: "list its tools as an array of objects, each with a name",
    check: shape,
};

pub(super) static INPUT_SCHEMA_OBJECT_ROOT: Rule = Rule {
    id: "input-schema-object-root",
    level: Level::Must,
    revisions: RevisionRange::ALL,
    party: Party::Server,
    scope: Scope::Payload,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/schema#tool-inputschema",
    title: "A tool has an `inputSchema` with `type: object` at its root.",
    explanation: "Arguments are always an object, in every revision, and the member is required. Clients check it when \
                  they read the list, and many refuse the whole list over one tool without it.",
    remedy: "give every tool an `inputSchema` with `type: object` at its root",
    check: input_schema,
};

pub(super) static LIST_CHANGED_TOLD: Rule = Rule {
    id: "list-changed-told",
    level: Level::Should,
    revisions: RevisionRange::ALL,
    party: Party::Server,
    scope: Scope::Payload,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#list-changed-notification",
    title: "A server that declares `listChanged` tells its clients when its tools change.",
    explanation: "Clients keep the list and validate results by the schemas in it. If a change is not told, they judge \
                  new results by old schemas, and refuse what is right or take what is wrong.",
    remedy: "send `notifications/tools/list_changed` when its tools change",
    check: list_changed,
};

pub(super) static STRUCTURED_OUTPUT_KNOWN: Rule = Rule {
    id: "structured-output-known",
    level: Level::May,
    revisions: RevisionRange { from: Revision::V2024_11_05, to: Revision::V2025_03_26 },
    party: Party::Server,
    scope: Scope::Payload,
    source: "https://modelcontextprotocol.io/specification/2025-06-18/changelog#major-changes",
    title: "Structured output is sent only to peers whose revision has it.",
    explanation: "Before 2025-06-18 neither `outputSchema` nor `structuredContent` exists. Sending them is allowed, as \
                  any member that the other side does not know, but nobody has to look at them: what matters has to be \
                  in the text blocks.",
    remedy: "tell the value in a text block as well",
    check: before_its_time,
};

fn shape(facts: &Facts<'_>) -> Vec<Hit> {
    let mut hits = Vec::new();
    for (_, exchange) in facts.exchanges_of("tools/list") {
        let Some((message, result)) = facts.result_of(exchange) else { continue };
        match result.get("tools").map(|tools| (tools, tools.as_array())) {
            None => hits.push(Hit::new("the result of tools/list has no `tools`", [message.seq])),
            Some((tools, None)) => {
                let detail = format!("the `tools` of tools/list are a JSON {} instead of an array", tools.kind());
                hits.push(Hit::new(detail, [message.seq]).at("/tools"));
            }
            Some((_, Some(tools))) => {
                let nameless = tools.iter().position(|tool| tool.get("name").and_then(Json::as_str).is_none());
                hits.extend(nameless.map(|index| {
                    let detail = format!("the tool at place {index} of tools/list has no name");
                    Hit::new(detail, [message.seq]).at(format!("/tools/{index}/name"))
                }));
            }
        }
    }
    hits
}

fn input_schema(facts: &Facts<'_>) -> Vec<Hit> {
    let mut hits = Vec::new();
    for listing in &facts.listings {
        let Some(definition) = facts.definition(*listing) else { continue };
        let kind = definition.get("inputSchema").and_then(|schema| schema.get("type")).and_then(Json::as_str);
        if kind == Some("object") {
            continue;
        }
        let tool = quoted(facts.listed_name(*listing).unwrap_or_default());
        let detail = format!("the inputSchema of {tool} does not have type object at its root");
        hits.push(Hit::new(detail, [facts.messages[listing.message].seq]).at("/inputSchema/type"));
    }
    hits
}

fn list_changed(facts: &Facts<'_>) -> Vec<Hit> {
    if facts.session.tools != (ToolsCapability::Declared { list_changed: true }) {
        return Vec::new();
    }
    let mut hits = Vec::new();
    for (request, exchange) in facts.exchanges_of("tools/call") {
        let Answer::Result(answer) = exchange.answer else { continue };
        if request.param("name").and_then(Json::as_str) != Some(EVOLVE_TOOL) || !listens(facts, &exchange) {
            continue;
        }
        let told = facts.messages.iter().skip(exchange.request).any(|message| {
            message.from == Role::Server && message.method() == Some("notifications/tools/list_changed")
        });
        if !told {
            let detail = "the server's tools changed, it declares `listChanged`, and it told nobody";
            hits.push(Hit::new(detail, [facts.messages[answer].seq]));
        }
    }
    hits
}

/// Whether the client is to be told: always on a session, on stateless requests if it has asked for it.
fn listens(facts: &Facts<'_>, change: &Exchange) -> bool {
    facts.era() == Some(Era::Legacy)
        || facts.exchanges_of("subscriptions/listen").any(|(request, exchange)| {
            let asked = request.param("notifications").and_then(|filter| filter.get("toolsListChanged"));
            let acknowledged = facts.messages[..change.request].iter().any(|message| {
                message.shape == Shape::Notification
                    && message.method() == Some("notifications/subscriptions/acknowledged")
            });
            exchange.request < change.request && asked.and_then(Json::as_bool) == Some(true) && acknowledged
        })
}

fn before_its_time(facts: &Facts<'_>) -> Vec<Hit> {
    let results = facts.exchanges.all.iter().filter_map(|exchange| facts.result_of(*exchange));
    let structured = results.filter(|(_, result)| result.get("structuredContent").is_some());
    let structured: Vec<u32> = structured.map(|(message, _)| message.seq).collect();
    let declares =
        |listing: &&Listing| facts.definition(**listing).is_some_and(|tool| tool.get("outputSchema").is_some());
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
    vec![Hit::new(format!("the server sent {what}, which the revision does not know"), declaring)]
}
