//! The schemas that a server declares for its results.

use mcp_compat_json::Json;
use mcp_compat_model::verdict::Party;

use super::rule::{Affects, Check, Fix, Levels, RevisionRange, Rule, Scope, Violation};
use super::schemas::invalid;
use crate::facts::Facts;
use mcp_compat_model::excerpt::{excerpt, quoted, tool_name};
use mcp_compat_schema::inclusion::{RefusedPattern, Validity};

/// Rule about an `outputSchema` whose root is no object.
pub static OUTPUT_SCHEMA_OBJECT_ROOT: Rule = Rule {
    id: "output-schema-object-root",
    level: Levels::MUST,
    revisions: RevisionRange::OBJECTS,
    party: Party::Server,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2025-11-25/schema#tool-outputschema",
    title: "Up to 2025-11-25, an `outputSchema` has `type: object` at its root.",
    violation: "outputSchema without `type: object`, to clients up to 2025-11-25",
    explanation: "Clients of these revisions type the member as such a schema and decode the list as a whole. One \
                  schema with an array, a primitive or a bare `anyOf` at its root costs their users every tool of the \
                  server. For these clients, wrap the value in an object, or omit the schema and send the value as \
                  text.",
    remedy: "for clients of revisions up to 2025-11-25, return an object and give its outputSchema `type: object` at \
             its root, or omit the outputSchema and send the value as text",
    fix: Some(Fix::WrapInObject),
    check: Check::Wire(object_root),
};

pub(super) static OUTPUT_SCHEMA_IS_OBJECT: Rule = Rule {
    id: "output-schema-is-object",
    level: Levels::MUST,
    revisions: RevisionRange::MODERN,
    party: Party::Server,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/schema#tool-outputschema",
    title: "An `outputSchema` is a JSON object.",
    violation: "outputSchema that is not a JSON object",
    explanation: "JSON Schema also has the schemas `true` and `false`, but MCP allows only objects. Null is not a \
                  schema. Clients that decode the member as an object reject the whole list. Omit the member, or write \
                  `{}` to accept any value.",
    remedy: "send the outputSchema as a JSON object, or omit it",
    fix: Some(Fix::OmitSchema),
    check: Check::Wire(is_object),
};

pub(super) static OUTPUT_SCHEMA_VALID: Rule = Rule {
    id: "output-schema-valid",
    level: Levels::MUST,
    revisions: RevisionRange::STRUCTURED,
    party: Party::Server,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/index#schema-validation",
    title: "An `outputSchema` is valid in the dialect that it names, or else in 2020-12.",
    violation: "outputSchema that is invalid in its dialect",
    explanation: "A client cannot validate against an invalid schema. Some clients reject the call, some reject the \
                  whole list, and some stop validating without an error. Check schemas against their meta-schema when \
                  the server starts. 2025-06-18 names no dialect; a schema that is invalid in every dialect violates the \
                  rule there.",
    remedy: "declare a schema that is valid in its dialect",
    fix: Some(Fix::OmitSchema),
    check: Check::Wire(valid),
};

pub(super) static OUTPUT_SCHEMA_PATTERN: Rule = Rule {
    id: "output-schema-pattern",
    level: Levels::SHOULD,
    revisions: RevisionRange::STRUCTURED,
    party: Party::Server,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://json-schema.org/draft/2020-12/json-schema-validation#section-6.3.3",
    title: "A `pattern` in an `outputSchema` is an ECMA-262 regular expression.",
    violation: "outputSchema with a `pattern` that is not ECMA-262",
    explanation: "Clients in JavaScript compile it with the `u` flag and fail where it is not one: TypeScript SDK 1.x loses \
                  every tool at `tools/list`, 2.x the call. `(?i)`, `(?P<name>…)`, `\\A`, possessive `a++` and needless \
                  escapes such as `\\@` and `\\-` are of other dialects. Write the pattern without them, or omit it.",
    remedy: "write the pattern as an ECMA-262 regular expression, or omit it",
    fix: Some(Fix::OmitSchema),
    check: Check::Wire(pattern),
};

pub(super) static OUTPUT_SCHEMA_PATTERN_PORTABLE: Rule = Rule {
    id: "output-schema-pattern-portable",
    level: Levels::SHOULD,
    revisions: RevisionRange::STRUCTURED,
    party: Party::Server,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://json-schema.org/draft/2020-12/json-schema-core#section-6.4",
    title: "A `pattern` in an `outputSchema` uses only syntax that every reader supports.",
    violation: "outputSchema with a `pattern` that Python's `re` refuses",
    explanation: "JSON Schema advises schema authors to limit themselves to characters, simple classes, quantifiers, \
                  anchors, groups and alternatives. Clients in Python compile a pattern with `re`, which refuses \
                  `\\p{…}`, `(?<name>…)` and `\\k<name>`. ECMA-262 allows these. Every call of the tool then fails. Write \
                  character classes out, and use numbered groups. `re` also reads some syntax differently: `\\d` \
                  matches the digits of every script, `\\w` the letters of every script, and `$` also matches before a \
                  line feed at the end. Write `[0-9]` and `[A-Za-z0-9_]` where that matters.",
    remedy: "write the pattern without what Python's `re` refuses",
    fix: Some(Fix::OmitSchema),
    check: Check::Wire(portable_pattern),
};

fn schemas<'f>(facts: &'f Facts<'_>) -> impl Iterator<Item = (u32, &'f str, &'f Json)> {
    let controls = facts.controls();
    facts.listings.iter().filter_map(move |listing| {
        let schema = facts.definition(*listing)?.output_schema()?;
        let tool = facts.listed_name(*listing).unwrap_or_default();
        // A control has its tool's definition: what is wrong with it has been said.
        (!controls.contains(tool)).then_some((facts.messages[listing.message].seq, tool, schema))
    })
}

fn object_root(facts: &Facts<'_>) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (seq, tool, schema) in schemas(facts) {
        let root = schema.get("type");
        if root.and_then(Json::as_str) == Some("object") {
            continue;
        }
        // A schema that is no object at all is refused by clients that take every object.
        let (what, place) = match (schema, root) {
            (Json::Object(_), Some(root)) => {
                (format!("has type {} at its root", excerpt(&root.to_compact())), "/outputSchema/type")
            }
            (Json::Object(_), None) => ("has no type at its root".to_owned(), "/outputSchema/type"),
            _ => (format!("is a JSON {}", schema.kind()), "/outputSchema"),
        };
        let revision =
            facts.revision().map_or_else(String::new, |revision| format!("; {revision} allows only an object"));
        let detail = format!("the outputSchema of {} {what}{revision}", tool_name(tool));
        let violation = Violation::new(detail, [seq]).of_tool(tool).at(place);
        violations.push(if is_open(schema) { violation.mended_by(DECLARE_OBJECT) } else { violation });
    }
    violations
}

const DECLARE_OBJECT: &str = "declare `\"type\": \"object\"` at the root of the outputSchema, or omit the outputSchema";

/// Returns true if a schema lacks a type alone: nothing in it says that the value is no object.
fn is_open(schema: &Json) -> bool {
    const SAY_MORE: [&str; 9] = ["type", "items", "prefixItems", "anyOf", "oneOf", "allOf", "$ref", "enum", "const"];
    schema.as_object().is_some_and(|schema| SAY_MORE.iter().all(|key| !schema.contains_key(key)))
}

fn is_object(facts: &Facts<'_>) -> Vec<Violation> {
    let wrong = schemas(facts).filter(|(_, _, schema)| schema.as_object().is_none());
    let violation = |(seq, tool, schema): (u32, &str, &Json)| {
        let detail =
            format!("the outputSchema of {} is a JSON {} instead of an object", tool_name(tool), schema.kind());
        Violation::new(detail, [seq]).of_tool(tool).at("/outputSchema")
    };
    wrong.map(violation).collect()
}

fn pattern(facts: &Facts<'_>) -> Vec<Violation> {
    let foreign = schemas(facts).filter_map(|(seq, tool, schema)| match facts.schemas.validity(schema) {
        Validity::ForeignPattern(refused) => {
            Some(refused_pattern(seq, tool, &refused, "not an ECMA-262 regular expression"))
        }
        Validity::Valid
        | Validity::Invalid { .. }
        | Validity::Dangling { .. }
        | Validity::Endless { .. }
        | Validity::Undecided { .. } => None,
    });
    foreign.collect()
}

fn portable_pattern(facts: &Facts<'_>) -> Vec<Violation> {
    let valid = schemas(facts).filter(|(_, _, schema)| facts.schemas.validity(schema) == Validity::Valid);
    let refused = valid.filter_map(|(seq, tool, schema)| {
        let refused = facts.schemas.refused_by_python(schema)?;
        Some(refused_pattern(seq, tool, &refused, "refused by Python"))
    });
    refused.collect()
}

fn refused_pattern(seq: u32, tool: &str, refused: &RefusedPattern, what: &str) -> Violation {
    let RefusedPattern { pointer, pattern, reason } = refused;
    let pattern = quoted(pattern);
    let detail =
        format!("the outputSchema of {} has the pattern {pattern}, which is {what}: {reason}", tool_name(tool));
    Violation::new(detail, [seq]).of_tool(tool).at(format!("/outputSchema{pointer}"))
}

fn valid(facts: &Facts<'_>) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (seq, tool, schema) in schemas(facts).filter(|(_, _, schema)| schema.as_object().is_some()) {
        if let Some((pointer, message)) = invalid(facts, schema) {
            let detail = format!("the outputSchema of {} is not valid at {pointer}: {message}", tool_name(tool));
            violations.push(Violation::new(detail, [seq]).of_tool(tool).at(format!("/outputSchema{pointer}")));
        }
    }
    violations
}
