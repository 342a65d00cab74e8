//! Schemas of arguments, and the rules that hold for all schemas of a tool.

use mcp_compat_json::{Json, Object};
use mcp_compat_model::Revision;
use mcp_compat_model::excerpt::{quoted, tool_name};
use mcp_compat_model::shapes::{Official, TOOL, mismatches};
use mcp_compat_model::tool::ToolDefinition;
use mcp_compat_model::verdict::Party;
use mcp_compat_schema::inclusion::Validity;

use super::rule::{Affects, Check, Fix, Levels, RevisionRange, Rule, Scope, Violation};
use crate::facts::Facts;

pub(super) static INPUT_SCHEMA_VALID: Rule = Rule {
    id: "input-schema-valid",
    level: Levels::MUST,
    revisions: RevisionRange::ALL,
    party: Party::Server,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/index#schema-validation",
    title: "An `inputSchema` is valid in the dialect that it names, or else in 2020-12.",
    violation: "inputSchema that is invalid in its dialect",
    explanation: "Hosts pass the schema to the interface of a model, and some of these refuse a request with an invalid \
                  schema: then the user has none of the tools. A client that validates arguments cannot do so. Up to \
                  2025-06-18, no dialect is named; a schema that is invalid in every dialect violates the rule there.",
    remedy: "declare an inputSchema that is valid in its dialect",
    fix: None,
    check: Check::Wire(input_valid),
};

/// Rule about references that lead back to themselves.
pub static SCHEMA_TERMINATES: Rule = Rule {
    id: "schema-terminates",
    level: Levels::SHOULD,
    revisions: RevisionRange::ALL,
    party: Party::Server,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://json-schema.org/draft/2020-12/json-schema-core#section-9.4.1",
    title: "Validation against a schema terminates.",
    violation: "schema with a reference that leads back to itself",
    explanation: "JSON Schema leaves the behavior undefined where a reference leads back to itself without descending into \
                  the value. Some validators never finish, some overflow their stack, some refuse the schema and some \
                  accept every value. No client is wrong in any of these.",
    remedy: "remove the reference that leads back to itself",
    fix: Some(Fix::RemoveEndlessReference),
    check: Check::Wire(terminates),
};

/// The dialects before 2020-12.
const OLDER_DIALECTS: [&str; 4] = [
    "https://json-schema.org/draft/2019-09/schema",
    "http://json-schema.org/draft-07/schema#",
    "http://json-schema.org/draft-06/schema#",
    "http://json-schema.org/draft-04/schema#",
];

/// The place at which a schema is not valid, and the message. Revisions before 2025-11-25 name no dialect: there it counts
/// if the schema is valid in none.
pub(super) fn invalid(facts: &Facts<'_>, schema: &Json) -> Option<(String, String)> {
    let problem = |schema: &Json| match facts.schemas.validity(schema) {
        Validity::Invalid { pointer, message } => Some((pointer, message)),
        Validity::Valid
        | Validity::ForeignPattern(_)
        | Validity::Dangling { .. }
        | Validity::Endless { .. }
        | Validity::Undecided { .. } => None,
    };
    let found = problem(schema)?;
    let names_dialect = schema.get("$schema").is_some();
    if names_dialect || facts.revision().is_some_and(|revision| revision >= Revision::V2025_11_25) {
        return Some(found);
    }
    let members = schema.as_object()?;
    let is_invalid = |dialect: &&str| {
        let mut named = Object::new();
        named.push("$schema", *dialect);
        for (key, value) in members.iter() {
            named.push(key.clone(), value.clone());
        }
        problem(&Json::Object(named)).is_some()
    };
    OLDER_DIALECTS.iter().all(is_invalid).then_some(found)
}

/// The definitions of tools, with the entry of the transcript and the name.
fn definitions<'f>(facts: &'f Facts<'_>) -> impl Iterator<Item = (u32, &'f str, ToolDefinition<'f>)> {
    let controls = facts.controls();
    facts.listings.iter().filter_map(move |listing| {
        let definition = facts.definition(*listing)?;
        let tool = definition.name().unwrap_or_default();
        // A control has its tool's definition: what is wrong with it has been said.
        (!controls.contains(tool)).then_some((facts.messages[listing.message].seq, tool, definition))
    })
}

fn input_valid(facts: &Facts<'_>) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (seq, tool, definition) in definitions(facts) {
        let Some(schema) = definition.input_schema().filter(|schema| schema.as_object().is_some()) else { continue };
        let has_wrong_members = || {
            let wrong = facts.revision().map(|revision| mismatches(&Official(revision), &TOOL, definition.json()));
            wrong.unwrap_or_default().iter().any(|mismatch| mismatch.pointer.starts_with("/inputSchema"))
        };
        let Some((pointer, message)) = invalid(facts, schema) else { continue };
        // Other rules are about the members and the type at the root.
        if has_wrong_members() || pointer == "/type" {
            continue;
        }
        let place = if pointer.is_empty() { "its root" } else { &pointer };
        let detail = format!("the inputSchema of {} is not valid at {place}: {message}", tool_name(tool));
        violations.push(Violation::new(detail, [seq]).of_tool(tool).at(format!("/inputSchema{pointer}")));
    }
    violations
}

fn terminates(facts: &Facts<'_>) -> Vec<Violation> {
    let has_output = facts.revision().is_none_or(Revision::has_structured_output);
    let mut violations = Vec::new();
    for (seq, tool, definition) in definitions(facts) {
        let output = definition.output_schema().filter(|_| has_output);
        let schemas = [("inputSchema", definition.input_schema()), ("outputSchema", output)];
        for (name, schema) in schemas {
            if let Some(Validity::Endless { reference }) = schema.map(|schema| facts.schemas.validity(schema)) {
                let detail = format!(
                    "the {name} of {} has the reference {}, which leads back to itself, so that a validator may never finish",
                    tool_name(tool),
                    quoted(&reference)
                );
                violations.push(Violation::new(detail, [seq]).of_tool(tool).at(format!("/{name}")));
            }
        }
    }
    violations
}
