//! Structured results: their type, their presence, their schema, and the text block for older clients.

use mcp_compat_json::Json;
use mcp_compat_model::tool::ToolResult;
use mcp_compat_model::verdict::Party;

use super::member_names::remedy_of_value;
use super::rule::{Affects, Check, Fix, Levels, RevisionRange, Rule, Scope, Violation};
use super::texts::{SET_IS_ERROR, is_unmarked_failure};
use crate::facts::{CallFacts, Facts};
use crate::outcome::told_in_text;
use crate::wire::message::Message;
use mcp_compat_model::excerpt::{bounded, quoted, tool_name};
use mcp_compat_schema::inclusion::Conformance;

/// Rule about structured content that is no object.
pub static STRUCTURED_CONTENT_OBJECT: Rule = Rule {
    id: "structured-content-object",
    level: Levels::MUST,
    revisions: RevisionRange::OBJECTS,
    party: Party::Server,
    scope: Scope::Payload,
    affects: Affects::Value,
    source: "https://modelcontextprotocol.io/specification/2025-11-25/server/tools#structured-content",
    title: "Up to 2025-11-25, `structuredContent` is a JSON object.",
    violation: "structuredContent that is not an object, up to 2025-11-25",
    explanation: "Clients of these revisions decode the member as an object. They reject an array, a primitive or null \
                  with an error that names neither the tool nor the revision. For these clients, send the value only \
                  in a text block, or under one key of an object.",
    remedy: "send only objects as structuredContent to clients of revisions up to 2025-11-25, and other values as text",
    fix: Some(Fix::WrapInObject),
    check: Check::Wire(object),
};

/// Rule about results without the value that their tool declares.
pub static STRUCTURED_CONTENT_PRESENT: Rule = Rule {
    id: "structured-content-present",
    level: Levels::MUST,
    revisions: RevisionRange::STRUCTURED,
    party: Party::Server,
    scope: Scope::Payload,
    affects: Affects::Value,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#output-schema",
    title: "A tool with an `outputSchema` returns structured content, unless it failed.",
    violation: "result without structuredContent, despite an outputSchema",
    explanation: "Clients that validate raise an error if the value is missing, and code that was generated from the \
                  schema has nothing to read.",
    remedy: "return structuredContent with every result of a tool that declares an outputSchema",
    fix: Some(Fix::SendStructuredContent),
    check: Check::Wire(present),
};

/// Rule about structured content that violates the `outputSchema`.
pub static STRUCTURED_CONTENT_CONFORMS: Rule = Rule {
    id: "structured-content-conforms",
    level: Levels::MUST,
    revisions: RevisionRange::STRUCTURED,
    party: Party::Server,
    scope: Scope::Payload,
    affects: Affects::Value,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#output-schema",
    title: "Structured content conforms to the declared `outputSchema`, unless the tool failed.",
    violation: "structuredContent that violates its outputSchema",
    explanation: "Clients that validate reject the result. Other clients return a value that breaks code which relies \
                  on the schema. Validate results in the server, where the defect can be fixed.",
    remedy: "return structuredContent that conforms to the declared outputSchema",
    fix: Some(Fix::MatchSchema),
    check: Check::Wire(conforms),
};

pub(super) static VALUE_KEYS_UNIQUE: Rule = Rule {
    id: "value-keys-unique",
    level: Levels::SHOULD,
    revisions: RevisionRange::ALL,
    party: Party::Server,
    scope: Scope::Payload,
    affects: Affects::Reading,
    source: "https://www.rfc-editor.org/rfc/rfc8259#section-4",
    title: "No object in structured content has the same key twice.",
    violation: "structuredContent with the same key twice",
    explanation: "JSON parsers keep the first value, keep the last, or refuse the text. Clients then read different values \
                  from the same result, and a client may validate one value and return the other.",
    remedy: "write each key of an object once",
    fix: None,
    check: Check::Wire(unique_keys),
};

pub(super) static TEXT_FALLBACK: Rule = Rule {
    id: "text-fallback",
    level: Levels::SHOULD,
    revisions: RevisionRange::STRUCTURED,
    party: Party::Server,
    scope: Scope::Payload,
    affects: Affects::TextFallback,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#structured-content",
    title: "A result with structured content also has a text block that parses to the same value.",
    violation: "the text is not the JSON value",
    explanation: "Clients that do not read structuredContent, and models that see only text, get the value from this \
                  block. Without it, they get prose at best.",
    remedy: "add a text block with the serialised value",
    fix: Some(Fix::AddTextBlock),
    check: Check::Wire(fallback),
};

pub(super) static TEXT_FALLBACK_FOR_NON_OBJECTS: Rule = Rule {
    id: "text-fallback-for-non-objects",
    level: Levels::MUST,
    revisions: RevisionRange::MODERN,
    party: Party::Spec,
    scope: Scope::Payload,
    affects: Affects::TextFallback,
    source: "https://modelcontextprotocol.io/seps/2106-json-schema-2020-12#compatibility-matrix",
    title: "The specification is ambiguous about whether an array or primitive needs a text block that parses to it.",
    violation: "the text is not the array or primitive as JSON",
    explanation: "SEP-2106 requires the block for structured content that is not an object (MUST). The tools page of \
                  2026-07-28 keeps the general SHOULD, and its own example of an array has only prose. If a server \
                  follows the page, older clients do not get the value. Send the block until the specification is \
                  clear.",
    remedy: "state whether the block is required",
    fix: Some(Fix::AddTextBlock),
    check: Check::Wire(fallback_for_non_objects),
};

/// Limit of the characters of a JSON Pointer in a sentence.
const POINTER: usize = 80;

/// A successful result of one of the scenario's calls.
struct Success<'f, 'a> {
    call: &'f CallFacts<'a>,
    message: &'f Message<'a>,
    result: &'f Json,
    structured: Option<&'f Json>,
}

fn successes<'f, 'a>(facts: &'f Facts<'a>) -> impl Iterator<Item = Success<'f, 'a>> {
    facts.calls.iter().filter_map(|call| success(facts, call))
}

fn success<'f, 'a>(facts: &'f Facts<'a>, call: &'f CallFacts<'a>) -> Option<Success<'f, 'a>> {
    let (message, result) = facts.result_of_call(call)?;
    // No revision says whether the value of a failed call has to conform.
    let failed = ToolResult::new(result).is_error();
    let structured = ToolResult::new(result).structured_content();
    (!failed && !facts.is_interim(result)).then_some(Success { call, message, result, structured })
}

/// A successful result that does not match the schema that was declared for it.
pub(super) struct Mismatch<'f, 'a> {
    pub(super) message: &'f Message<'a>,
    pub(super) kind: MismatchKind,
}

/// Mismatch of a result with its schema.
pub(super) enum MismatchKind {
    /// It has no structured content.
    Absent,
    /// Its structured content violates the schema.
    Violates { instance_pointer: String, schema_pointer: String, keyword: String, message: String },
}

/// Mismatch of the result of a call with the declared schema; `None` if it matches, or if that is undecided.
pub(super) fn schema_mismatch<'f, 'a>(facts: &'f Facts<'a>, call: &'f CallFacts<'a>) -> Option<Mismatch<'f, 'a>> {
    let Success { message, structured, .. } = success(facts, call)?;
    let schema = facts.declared_schema(call)?;
    let kind = match structured {
        None => schema.as_object().map(|_| MismatchKind::Absent)?,
        Some(value) => match facts.conformance(call)?.clone() {
            Conformance::Violates { instance_pointer, schema_pointer, keyword, mut message } => {
                if is_null_by_openapi(schema, &schema_pointer, value, &instance_pointer) {
                    message.push_str(" (`nullable` is a keyword of OpenAPI, which JSON Schema ignores)");
                }
                MismatchKind::Violates { instance_pointer, schema_pointer, keyword, message }
            }
            Conformance::Conforms | Conformance::Undecided { .. } => return None,
        },
    };
    Some(Mismatch { message, kind })
}

/// Returns true if the value is null where its schema has `nullable: true`: the author meant it to be allowed, and
/// clients that know the keyword accept it.
fn is_null_by_openapi(schema: &Json, schema_pointer: &str, value: &Json, instance_pointer: &str) -> bool {
    let declaring = schema_pointer.rsplit_once('/').and_then(|(declaring, _)| schema.pointer(declaring));
    let is_nullable =
        declaring.and_then(|declaring| declaring.get("nullable")).is_some_and(|it| *it == Json::Bool(true));
    is_nullable && value.pointer(instance_pointer).is_some_and(|value| *value == Json::Null)
}

fn object(facts: &Facts<'_>) -> Vec<Violation> {
    // A failed call is not spared: the member's type does not depend on the outcome.
    let mut violations = Vec::new();
    for call in &facts.calls {
        let Some((message, result)) = facts.result_of_call(call) else { continue };
        let Some(value) = ToolResult::new(result).structured_content().filter(|value| value.as_object().is_none())
        else {
            continue;
        };
        let revision =
            facts.revision().map_or_else(String::new, |revision| format!("; {revision} allows only an object"));
        let tool = &call.call.tool;
        let detail = format!("the structuredContent of {} is a JSON {}{revision}", tool_name(tool), value.kind());
        violations.push(Violation::new(detail, [message.seq]).of_tool(tool).at("/structuredContent"));
    }
    violations
}

fn present(facts: &Facts<'_>) -> Vec<Violation> {
    let mut violations = Vec::new();
    for call in &facts.calls {
        if let Some(Mismatch { message, kind: MismatchKind::Absent }) = schema_mismatch(facts, call) {
            let tool = &call.call.tool;
            let detail =
                format!("{} declares an outputSchema, but its result has no structuredContent", tool_name(tool));
            let violation = Violation::new(detail, [message.seq]).of_tool(tool).at("/structuredContent");
            let of_value = || {
                let (_, result) = facts.result_of_call(call)?;
                remedy_of_value(result, facts.revision()?)
            };
            let remedy = if is_unmarked_failure(facts, call) { Some(SET_IS_ERROR) } else { of_value() };
            violations.push(Violation { remedy, ..violation });
        }
    }
    violations
}

fn conforms(facts: &Facts<'_>) -> Vec<Violation> {
    let mut violations = Vec::new();
    for call in &facts.calls {
        let Some(Mismatch { message, kind }) = schema_mismatch(facts, call) else { continue };
        if let MismatchKind::Violates { instance_pointer, schema_pointer, message: wrong, .. } = kind {
            let tool = &call.call.tool;
            let place = if instance_pointer.is_empty() { "its root" } else { &instance_pointer };
            let tool_name = tool_name(tool);
            let further = facts.further_violations(call);
            let detail =
                format!("the structuredContent of {tool_name} violates its outputSchema at {place}: {wrong}{further}");
            let pointer = format!("/outputSchema{schema_pointer}");
            violations.push(Violation::new(detail, [message.seq]).of_tool(tool).at(pointer));
        }
    }
    violations
}

fn unique_keys(facts: &Facts<'_>) -> Vec<Violation> {
    let mut violations = Vec::new();
    for call in &facts.calls {
        let Some((message, result)) = facts.result_of_call(call) else { continue };
        let Some((place, key)) = ToolResult::new(result).structured_content().and_then(repeated_key) else { continue };
        let tool = &call.call.tool;
        let place = if place.is_empty() { "its root".to_owned() } else { bounded(&place, POINTER) };
        let detail =
            format!("the structuredContent of {} has the key {} twice at {place}", tool_name(tool), quoted(&key));
        violations.push(Violation::new(detail, [message.seq]).of_tool(tool).at("/structuredContent"));
    }
    violations
}

/// The first key that an object within the value has twice, after the place of the object as a JSON Pointer.
pub(super) fn repeated_key(value: &Json) -> Option<(String, String)> {
    let below =
        |token: String, member: &Json| repeated_key(member).map(|(place, key)| (format!("/{token}{place}"), key));
    match value {
        Json::Object(object) => match object.first_duplicate() {
            Some(key) => Some((String::new(), key.to_string_lossy().into_owned())),
            None => object.iter().find_map(|(key, member)| below(key.to_string_lossy().into_owned(), member)),
        },
        Json::Array(items) => items.iter().enumerate().find_map(|(index, item)| below(index.to_string(), item)),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => None,
    }
}

fn fallback(facts: &Facts<'_>) -> Vec<Violation> {
    without_fallback(facts, |_| true)
}

fn fallback_for_non_objects(facts: &Facts<'_>) -> Vec<Violation> {
    without_fallback(facts, |value| value.as_object().is_none())
}

fn without_fallback(facts: &Facts<'_>, concerns: fn(&Json) -> bool) -> Vec<Violation> {
    let mut violations = Vec::new();
    for success in successes(facts) {
        let Some(value) = success.structured.filter(|value| concerns(value)) else { continue };
        let content = ToolResult::new(success.result).content();
        if !told_in_text(value, content) {
            let tool = &success.call.call.tool;
            let kind = value.kind();
            let detail = format!("no text block of {} parses to its structuredContent, a JSON {kind}", tool_name(tool));
            violations.push(Violation::new(detail, [success.message.seq]).of_tool(tool).at("/content"));
        }
    }
    violations
}
