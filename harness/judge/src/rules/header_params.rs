//! Arguments that a tool asks to have repeated in HTTP headers: `x-mcp-header` in its input schema.

use std::collections::BTreeMap;

use mcp_compat_json::{Json, Object, pointer_token};
use mcp_compat_model::excerpt::{excerpt, quoted, tool_name};
use mcp_compat_model::observation::Seen;
use mcp_compat_model::verdict::Party;

use super::rule::{Affects, Check, Levels, RevisionRange, Rule, Scope, Violation};
use crate::facts::{Facts, Listing};

const ANNOTATION: &str = "x-mcp-header";

/// Schemas nested deeper than this are not looked into.
const DEPTH: usize = 64;

pub(super) static HEADER_PARAMS_VALID: Rule = Rule {
    id: "header-params-valid",
    level: Levels::MUST,
    revisions: RevisionRange::MODERN,
    party: Party::Server,
    scope: Scope::Payload,
    affects: Affects::ToolName,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#x-mcp-header",
    title: "`x-mcp-header` names a unique header for a string, integer or boolean that only `properties` lead to.",
    violation: "an `x-mcp-header` that is not allowed",
    explanation: "Over HTTP, a client repeats the argument in the header that `x-mcp-header` names. If one annotation of \
                  a tool is not allowed, a client has to leave the whole tool out of its list, and the user never sees it.",
    remedy: "remove this `x-mcp-header`, or put it at a string, integer or boolean below `properties` alone, with a \
             unique name that a header can have",
    fix: None,
    check: Check::Wire(valid),
};

pub(super) static HEADER_PARAMS_CHECKED: Rule = Rule {
    id: "header-params-checked",
    level: Levels::MUST,
    revisions: RevisionRange::MODERN,
    party: Party::Client,
    scope: Scope::Payload,
    affects: Affects::Nothing,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#schema-extension",
    title: "Over HTTP, a client leaves out a tool whose `x-mcp-header` is not allowed, and lists the others.",
    violation: "a tool is listed although its `x-mcp-header` is not allowed",
    explanation: "A client that lists such a tool sends its calls without the header, or with a header that an \
                  intermediary can misread.",
    remedy: "check every `x-mcp-header` when a list is read, and leave out the tools with a wrong one",
    fix: None,
    check: Check::Wire(checked),
};

fn valid(facts: &Facts<'_>) -> Vec<Violation> {
    facts.listings.iter().filter_map(|listing| violation(facts, *listing)).collect()
}

fn checked(facts: &Facts<'_>) -> Vec<Violation> {
    let last = facts.observation.steps.iter().rev().find_map(|seen| match seen {
        Seen::Listed { tools } => Some(tools),
        Seen::Called(_) | Seen::Evolved { .. } | Seen::Failed(_) | Seen::NotReported {} => None,
    });
    let Some(last) = last.filter(|_| facts.over_http()) else { return Vec::new() };
    let mut violations: BTreeMap<&str, Violation> = BTreeMap::new();
    for listing in &facts.listings {
        let Some(name) = facts.listed_name(*listing) else { continue };
        // The latest definition of a tool counts.
        violations.remove(name);
        if let Some(wrong) = violation(facts, *listing).filter(|_| last.iter().any(|tool| tool.name == name)) {
            let detail = format!("the client listed {}, although {}", tool_name(name), wrong.detail);
            violations.insert(name, Violation { detail, ..wrong });
        }
    }
    violations.into_values().collect()
}

/// Returns true if a listed tool asks for an argument in a header of its own: a server may refuse a call without it.
pub(super) fn asks_for_headers(facts: &Facts<'_>, tool: &str) -> bool {
    let of_tool = facts.listings.iter().filter_map(|listing| facts.definition(*listing));
    let of_tool = of_tool.filter(|definition| definition.name() == Some(tool));
    let annotation = format!("\"{ANNOTATION}\"");
    of_tool.filter_map(|definition| definition.input_schema()).any(|schema| schema.to_compact().contains(&annotation))
}

/// The first annotation of a listed tool that is not allowed.
fn violation(facts: &Facts<'_>, listing: Listing) -> Option<Violation> {
    let definition = facts.definition(listing)?;
    let (pointer, problem) = first_problem(definition.input_schema()?)?;
    let tool = definition.name().unwrap_or_default();
    let detail =
        format!("the {ANNOTATION} at {} of the inputSchema of {} {problem}", excerpt(&pointer), tool_name(tool));
    let seq = facts.messages[listing.message].seq;
    Some(Violation::new(detail, [seq]).of_tool(tool).at(format!("/inputSchema{pointer}")))
}

/// The place and the problem of the first annotation that is not allowed.
fn first_problem(schema: &Json) -> Option<(String, String)> {
    let mut walk = Walk { names: BTreeMap::new(), problem: None };
    walk.schema(schema, &mut String::new(), Reach::Root, 0);
    walk.problem
}

/// Keywords that lead to a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    Root,
    /// `properties` alone.
    Properties,
    Other,
}

struct Walk {
    /// The headers, in lower case.
    names: BTreeMap<String, String>,
    problem: Option<(String, String)>,
}

impl Walk {
    fn schema(&mut self, schema: &Json, pointer: &mut String, reach: Reach, depth: usize) {
        let Some(members) = schema.as_object().filter(|_| depth <= DEPTH && self.problem.is_none()) else { return };
        if let Some(name) = members.get(ANNOTATION)
            && let Some(problem) = self.problem_of(name, members, reach, pointer)
        {
            self.problem = Some((format!("{pointer}/{ANNOTATION}"), problem));
            return;
        }
        let below = |reach: Reach| if reach == Reach::Other { Reach::Other } else { Reach::Properties };
        for (keyword, value) in members.iter() {
            let Some(keyword) = keyword.as_str() else { continue };
            let length = pointer.len();
            pointer.push('/');
            pointer.push_str(&pointer_token(keyword));
            match (keyword, value) {
                ("properties", Json::Object(named)) => self.named(named, pointer, below(reach), depth),
                ("$defs" | "definitions" | "patternProperties" | "dependentSchemas", Json::Object(named)) => {
                    self.named(named, pointer, Reach::Other, depth);
                }
                // Data, not schemas.
                ("const" | "default" | "enum" | "examples", _) => {}
                (_, Json::Array(schemas)) => {
                    for (index, schema) in schemas.iter().enumerate() {
                        let length = pointer.len();
                        pointer.push_str(&format!("/{index}"));
                        self.schema(schema, pointer, Reach::Other, depth + 1);
                        pointer.truncate(length);
                    }
                }
                (_, schema) => self.schema(schema, pointer, Reach::Other, depth + 1),
            }
            pointer.truncate(length);
        }
    }

    fn named(&mut self, named: &Object, pointer: &mut String, reach: Reach, depth: usize) {
        for (name, schema) in named.iter() {
            let length = pointer.len();
            pointer.push('/');
            pointer.push_str(&pointer_token(&name.to_string_lossy()));
            self.schema(schema, pointer, reach, depth + 1);
            pointer.truncate(length);
        }
    }

    fn problem_of(&mut self, name: &Json, members: &Object, reach: Reach, pointer: &str) -> Option<String> {
        if reach != Reach::Properties {
            return Some("is not at a property that `properties` alone lead to".to_owned());
        }
        let Some(name) = name.as_str().filter(|name| !name.is_empty()) else {
            return Some("is not a string with characters".to_owned());
        };
        if !name.bytes().all(is_token) {
            return Some(format!("is {}, which no name of a header can contain", quoted(name)));
        }
        if let Some(kind) = members.get("type").and_then(refused_type) {
            return Some(format!("is at a property of type {kind}; only string, integer and boolean are allowed"));
        }
        let known = self.names.insert(name.to_ascii_lowercase(), pointer.to_owned());
        known.map(|first| format!("is {}, as that of {} is", quoted(name), excerpt(&first)))
    }
}

/// A type that cannot be repeated in a header. A property of several types is refused if none of them can.
fn refused_type(kind: &Json) -> Option<String> {
    let is_allowed = |kind: &str| matches!(kind, "string" | "integer" | "boolean");
    match kind {
        Json::String(kind) => kind.as_str().filter(|kind| !is_allowed(kind)).map(str::to_owned),
        Json::Array(kinds) => {
            let refused = !kinds.iter().filter_map(Json::as_str).any(is_allowed);
            refused.then(|| excerpt(&Json::Array(kinds.clone()).to_compact()))
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Object(_) => None,
    }
}

/// Returns true for a character of a token by RFC 9110, of which names of headers are made.
const fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'!' | b'#'..=b'\'' | b'*' | b'+' | b'-' | b'.' | b'^'..=b'`' | b'|' | b'~')
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::of_an_array(r#"{"properties":{"a":{"type":"array","x-mcp-header":"A"}}}"#, "/properties/a/x-mcp-header")]
    #[case::of_a_number(r#"{"properties":{"a":{"type":"number","x-mcp-header":"A"}}}"#, "/properties/a/x-mcp-header")]
    #[case::of_two_wrong_types(
        r#"{"properties":{"a":{"type":["object","null"],"x-mcp-header":"A"}}}"#,
        "/properties/a/x-mcp-header"
    )]
    #[case::empty(r#"{"properties":{"a":{"type":"string","x-mcp-header":""}}}"#, "/properties/a/x-mcp-header")]
    #[case::no_text(r#"{"properties":{"a":{"type":"string","x-mcp-header":true}}}"#, "/properties/a/x-mcp-header")]
    #[case::no_token(r#"{"properties":{"a":{"type":"string","x-mcp-header":"A b"}}}"#, "/properties/a/x-mcp-header")]
    #[case::at_the_root(r#"{"type":"string","x-mcp-header":"A"}"#, "/x-mcp-header")]
    #[case::in_items(
        r#"{"properties":{"a":{"items":{"type":"string","x-mcp-header":"A"}}}}"#,
        "/properties/a/items/x-mcp-header"
    )]
    #[case::below_a_union(
        r#"{"anyOf":[{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}]}"#,
        "/anyOf/0/properties/a/x-mcp-header"
    )]
    #[case::in_a_definition(
        r##"{"$defs":{"A":{"type":"string","x-mcp-header":"A"}},"properties":{"a":{"$ref":"#/$defs/A"}}}"##,
        "/$defs/A/x-mcp-header"
    )]
    #[case::twice(
        r#"{"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}}}"#,
        "/properties/b/x-mcp-header"
    )]
    fn a_wrong_annotation_is_found_with_its_place(#[case] schema: &str, #[case] place: &str) {
        let found = first_problem(&Json::parse(schema).unwrap());
        assert_eq!(found.map(|(pointer, _)| pointer).as_deref(), Some(place));
    }

    #[rstest]
    #[case::of_each_type(
        r#"{"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"integer","x-mcp-header":"B-1"},
            "c":{"type":"boolean","x-mcp-header":"c_2"}}}"#
    )]
    #[case::nested(r#"{"properties":{"a":{"type":"object","properties":{"b":{"type":"string","x-mcp-header":"A"}}}}}"#)]
    #[case::or_null(r#"{"properties":{"a":{"type":["string","null"],"x-mcp-header":"A"}}}"#)]
    #[case::of_no_declared_type(r#"{"properties":{"a":{"x-mcp-header":"A"}}}"#)]
    #[case::a_property_of_that_name(r#"{"properties":{"x-mcp-header":{"type":"array"}}}"#)]
    #[case::data(r#"{"properties":{"a":{"default":{"x-mcp-header":1}}}}"#)]
    fn nothing_near_to_it_is_wrong(#[case] schema: &str) {
        assert_eq!(first_problem(&Json::parse(schema).unwrap()), None);
    }
}
