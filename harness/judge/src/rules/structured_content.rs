//! Structured results: what they may be, that they are there and conform, and what older clients can fall back to.

use mcp_compat_json::Json;
use mcp_compat_model::verdict::{Level, Party};

use super::{Hit, RevisionRange, Rule, Scope};
use crate::facts::{CallFacts, Facts};
use crate::outcome::told_in_text;
use crate::schema::Conformance;
use crate::wire::Message;
use mcp_compat_model::excerpt::quoted;

pub(super) static STRUCTURED_CONTENT_OBJECT: Rule = Rule {
    id: "structured-content-object",
    level: Level::Must,
    revisions: RevisionRange::OBJECTS,
    party: Party::Server,
    scope: Scope::Payload,
    source: "https://modelcontextprotocol.io/specification/2025-11-25/server/tools#structured-content",
    title: "Up to 2025-11-25 `structuredContent` is a JSON object.",
    explanation: "Clients of these revisions read the member as an object: an array, a primitive or null is refused \
                  with an error that names neither the tool nor the revision. For such peers send the value in a text \
                  block only, or under one key of an object.",
    remedy: "send only objects as structuredContent to peers of this revision, and other values as text",
    check: object,
};

pub(super) static STRUCTURED_CONTENT_PRESENT: Rule = Rule {
    id: "structured-content-present",
    level: Level::Must,
    revisions: RevisionRange::STRUCTURED,
    party: Party::Server,
    scope: Scope::Payload,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#output-schema",
    title: "A tool with an `outputSchema` returns structured content, unless it failed.",
    explanation: "Clients that validate raise an error where the schema promises a value and there is none, and code \
                  that was generated from the schema has nothing to read.",
    remedy: "return structuredContent with every result of a tool that declares an outputSchema",
    check: present,
};

pub(super) static STRUCTURED_CONTENT_CONFORMS: Rule = Rule {
    id: "structured-content-conforms",
    level: Level::Must,
    revisions: RevisionRange::STRUCTURED,
    party: Party::Server,
    scope: Scope::Payload,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#output-schema",
    title: "Structured content conforms to the declared `outputSchema`, unless the tool failed.",
    explanation: "Clients that validate refuse the result; those that do not hand on a value that breaks the code which \
                  trusts the schema. Validate results in the server, where the mistake can be mended.",
    remedy: "return structuredContent that conforms to the outputSchema it declares",
    check: conforms,
};

pub(super) static TEXT_FALLBACK: Rule = Rule {
    id: "text-fallback",
    level: Level::Should,
    revisions: RevisionRange::STRUCTURED,
    party: Party::Server,
    scope: Scope::Payload,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#structured-content",
    title: "A result with structured content also has a text block that parses to the same value.",
    explanation: "Clients that do not read structuredContent, and models that are only shown text, get the value from \
                  that block. Without it they get prose at best.",
    remedy: "add a text block with the serialised value",
    check: fallback,
};

pub(super) static TEXT_FALLBACK_FOR_NON_OBJECTS: Rule = Rule {
    id: "text-fallback-for-non-objects",
    level: Level::Must,
    revisions: RevisionRange::MODERN,
    party: Party::Spec,
    scope: Scope::Payload,
    source: "https://modelcontextprotocol.io/seps/2106-json-schema-2020-12#compatibility-matrix",
    title: "Whether an array or primitive needs a text block that parses to it is said in two ways.",
    explanation: "SEP-2106 makes the block a MUST for structured content that is no object; the tools page of \
                  2026-07-28 keeps the general SHOULD, and its own example of an array has only prose. A server that \
                  follows the page leaves older clients without the value. Until one of them changes, send the block.",
    remedy: "say on one page whether the block is required",
    check: fallback_for_non_objects,
};

/// A successful result of one of the scenario's calls.
struct Success<'f, 'a> {
    call: &'f CallFacts<'a>,
    message: &'f Message<'a>,
    result: &'f Json,
    structured: Option<&'f Json>,
}

fn successes<'f, 'a>(facts: &'f Facts<'a>) -> impl Iterator<Item = Success<'f, 'a>> {
    facts.calls.iter().filter_map(|call| {
        let (message, result) = facts.result_of(call.exchange?)?;
        // No revision says whether the value of a failed call has to conform.
        let failed = result.get("isError").and_then(Json::as_bool) == Some(true);
        let interim = result.get("resultType").and_then(Json::as_str) == Some("input_required");
        let structured = result.get("structuredContent");
        (!failed && !interim).then_some(Success { call, message, result, structured })
    })
}

fn object(facts: &Facts<'_>) -> Vec<Hit> {
    // A failed call is not spared: the member's type does not depend on the outcome.
    let mut hits = Vec::new();
    for call in &facts.calls {
        let Some((message, result)) = call.exchange.and_then(|exchange| facts.result_of(exchange)) else { continue };
        let Some(value) = result.get("structuredContent").filter(|value| value.as_object().is_none()) else { continue };
        let revision = facts.revision().map_or_else(String::new, |revision| format!("; {revision} wants an object"));
        let tool = quoted(&call.call.tool);
        let detail = format!("the structuredContent of {tool} is a JSON {}{revision}", value.kind());
        hits.push(Hit::new(detail, [message.seq]).at("/structuredContent"));
    }
    hits
}

fn present(facts: &Facts<'_>) -> Vec<Hit> {
    let mut hits = Vec::new();
    for success in successes(facts).filter(|success| success.structured.is_none()) {
        if facts.declared_schema(success.call).is_some_and(|schema| schema.as_object().is_some()) {
            let tool = quoted(&success.call.call.tool);
            let detail = format!("{tool} declares an outputSchema, and its result has no structuredContent");
            hits.push(Hit::new(detail, [success.message.seq]).at("/structuredContent"));
        }
    }
    hits
}

fn conforms(facts: &Facts<'_>) -> Vec<Hit> {
    let mut hits = Vec::new();
    for success in successes(facts) {
        let (Some(schema), Some(value)) = (facts.declared_schema(success.call), success.structured) else { continue };
        if let Conformance::Violates { instance_pointer, schema_pointer, message, .. } =
            facts.schemas.check(schema, value)
        {
            let tool = quoted(&success.call.call.tool);
            let place = if instance_pointer.is_empty() { "its root" } else { &instance_pointer };
            let detail = format!("the structuredContent of {tool} violates its outputSchema at {place}: {message}");
            hits.push(Hit::new(detail, [success.message.seq]).at(format!("/outputSchema{schema_pointer}")));
        }
    }
    hits
}

fn fallback(facts: &Facts<'_>) -> Vec<Hit> {
    without_fallback(facts, |_| true)
}

fn fallback_for_non_objects(facts: &Facts<'_>) -> Vec<Hit> {
    without_fallback(facts, |value| value.as_object().is_none())
}

fn without_fallback(facts: &Facts<'_>, concerns: fn(&Json) -> bool) -> Vec<Hit> {
    let mut hits = Vec::new();
    for success in successes(facts) {
        let Some(value) = success.structured.filter(|value| concerns(value)) else { continue };
        let content = success.result.get("content").and_then(Json::as_array).unwrap_or_default();
        if !told_in_text(value, content) {
            let tool = quoted(&success.call.call.tool);
            let detail = format!("no text block of {tool} parses to its structuredContent, a JSON {}", value.kind());
            hits.push(Hit::new(detail, [success.message.seq]).at("/content"));
        }
    }
    hits
}
