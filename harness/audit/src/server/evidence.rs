//! The part of a message that a finding is about, whole, and what is required in its place: for reports, which have no
//! room for the message.

use mcp_compat_json::{Json, Object};
use mcp_compat_judge::rules::{self, Affects};
use mcp_compat_model::audit::AuditFinding;
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::shapes::{Official, RESULT, Shape, TOOL, mismatches};
use mcp_compat_reports::text::first_of;
use mcp_compat_run::redact::redact_text;
use mcp_compat_schema::inclusion::{Conformance, check};

use super::audit_rule::{AuditRule, OWN_RESULT_ACCEPTED};
use super::remedies::object;
use super::results::text_blocks;
use super::snapshot::ToolSnapshot;

/// Most characters of a part that are shown.
const PART: usize = 240;

/// Most characters of a string, and of a container within a part, before it is shortened.
const STRING: usize = 60;
const INNER: usize = 80;

/// Most members that are named.
pub(super) const NAMES: usize = 8;

/// Most characters of the error of an SDK that are shown.
const MESSAGE: usize = 600;

/// Adds to each finding of a tool what shows it at the newest revision at which it was seen.
pub(super) fn show(findings: &mut [AuditFinding], snapshots: &[ToolSnapshot]) {
    for finding in findings {
        let seen = snapshots.iter().rev().filter(|snapshot| finding.at.contains(&snapshot.revision));
        let Some(part) = seen.into_iter().find_map(|snapshot| part(finding, snapshot)) else { continue };
        finding.returned = part.returned.map(|text| safe(&text, PART));
        finding.required = part.required.map(|text| safe(&text, PART));
        finding.lacks = part.lacks.iter().map(|name| neutralised(name)).collect();
        finding.members = part.members;
        if let Some(remedy) = part.remedy {
            remedy.clone_into(&mut finding.remedy);
        }
        finding.refused =
            part.refused.map(|text| safe(&text.split_whitespace().collect::<Vec<_>>().join(" "), MESSAGE));
    }
}

#[derive(Default)]
struct Part {
    returned: Option<String>,
    required: Option<String>,
    lacks: Vec<String>,
    members: Vec<String>,
    refused: Option<String>,
    /// A remedy that says more than that of the rule.
    remedy: Option<&'static str>,
}

fn part(finding: &AuditFinding, snapshot: &ToolSnapshot) -> Option<Part> {
    if AuditRule::of(finding) == Some(&OWN_RESULT_ACCEPTED) {
        return Some(Part { refused: Some(snapshot.own_validation_error()?), ..Part::default() });
    }
    let rule = rules::find(&finding.rule)?;
    if rule == &rules::STRUCTURED_CONTENT_CONFORMS {
        return violation(snapshot);
    }
    if rule == &rules::OUTPUT_SCHEMA_OBJECT_ROOT {
        let schema = snapshot.output_schema()?;
        return Some(Part {
            returned: Some(format!("\"outputSchema\": {}", root(&schema))),
            required: Some("\"type\": \"object\" at its root".to_owned()),
            ..Part::default()
        });
    }
    if rule == &rules::OPTIONAL_MEMBERS_NOT_NULL || rule == &rules::TOOL_DEFINITION_MEMBERS {
        let members = wrong_members(snapshot, rule == &rules::OPTIONAL_MEMBERS_NOT_NULL);
        return (!members.is_empty()).then(|| Part { members, ..Part::default() });
    }
    let value = || snapshot.result()?.get("structuredContent").cloned();
    if rule == &rules::STRUCTURED_CONTENT_OBJECT {
        return Some(Part {
            returned: Some(format!("\"structuredContent\": {}", shortened(&value()?))),
            required: Some("an object".to_owned()),
            ..Part::default()
        });
    }
    if rule.affects == Affects::TextFallback {
        let (result, value) = (snapshot.result()?, value()?);
        let text = text_blocks(&result).next().map(|text| shortened(&Json::from(text)));
        return Some(Part {
            returned: Some(text.map_or_else(|| "no text block".to_owned(), |text| format!("text {text}"))),
            required: Some(format!("text {}", shortened(&value))),
            ..Part::default()
        });
    }
    None
}

/// The members of a tool's definition and of its result that are null and may be left out, or those of its definition that
/// are wrong otherwise.
fn wrong_members(snapshot: &ToolSnapshot, nulls: bool) -> Vec<String> {
    let parts = [(&TOOL, Json::parse(&snapshot.tool.definition).ok()), (&RESULT, snapshot.result().filter(|_| nulls))];
    let official = Official(snapshot.revision);
    let of_part = |(shape, part): &(&'static Shape, Option<Json>)| {
        let found = part.iter().flat_map(|part| mismatches(&official, shape, part));
        let found = found.filter(|mismatch| mismatch.is_dispensable_null() == nulls && !mismatch.is_bad_schema());
        found.map(|mismatch| mismatch.path()).collect::<Vec<_>>()
    };
    parts.iter().flat_map(of_part).collect()
}

/// The place at which a value violates its schema, and what the schema says there.
fn violation(snapshot: &ToolSnapshot) -> Option<Part> {
    let Conformance::Violates { instance_pointer, schema_pointer, keyword, .. } = snapshot.conformance()? else {
        return None;
    };
    let (schema, value) = snapshot.declared_and_sent()?;
    let found = value.pointer(&instance_pointer)?;
    let place = if instance_pointer.is_empty() { String::new() } else { format!(" at {instance_pointer}") };
    let declared = schema.pointer(&schema_pointer);
    let names = declared.and_then(Json::as_array).unwrap_or_default().iter().filter_map(Json::as_str);
    let lacks = |name: &&str| found.as_object().is_some_and(|object| !object.contains_key(name));
    let is_missing = keyword == "required";
    let fitting = if keyword == "oneOf" { fitting(&schema, declared, found) } else { 0 };
    Some(Part {
        returned: Some(format!("{}{place}", shortened(found))),
        remedy: (fitting > 1).then_some(OVERLAP),
        required: match declared {
            Some(Json::Array(all)) if fitting > 1 => {
                Some(format!("exactly one of the {} schemas of \"oneOf\"; {fitting} of them allow it", all.len()))
            }
            Some(_) if is_missing => Some(first_of(&names.clone().collect::<Vec<_>>(), NAMES)),
            Some(declared) => Some(format!("\"{keyword}\": {}", shortened(declared))),
            None => None,
        },
        lacks: if is_missing { names.filter(lacks).map(str::to_owned).collect() } else { Vec::new() },
        ..Part::default()
    })
}

/// Remedy for a `oneOf` of which several schemas allow a value.
const OVERLAP: &str = "declare `anyOf` in place of `oneOf`; or, for objects, require a member in each of its schemas, each with \
                       another `const`, and return it";

/// Number of the schemas of a `oneOf` that allow a value. `root` has the definitions that they refer to.
fn fitting(root: &Json, one_of: Option<&Json>, value: &Json) -> usize {
    let shared =
        || ["$schema", "$defs", "definitions"].into_iter().filter_map(|key| Some((key, root.get(key)?.clone())));
    let is_allowed = |branch: &&Json| {
        let whole = object(shared().chain([("allOf", Json::Array(vec![(*branch).clone()]))]));
        matches!(check(&whole, value), Conformance::Conforms)
    };
    one_of.and_then(Json::as_array).unwrap_or_default().iter().filter(is_allowed).count()
}

/// The type at the root of a schema, or else the schema.
fn root(schema: &Json) -> String {
    let kind = schema.get("type").map(Json::to_compact);
    kind.map_or_else(|| shortened(schema), |kind| format!("{{\"type\": {kind}, …}}"))
}

/// A value in one line. Every member of the outermost object is there; what is in it is shortened where it is long.
fn shortened(json: &Json) -> String {
    let whole = json.to_compact();
    if whole.chars().count() <= PART / 2 {
        return whole;
    }
    match json {
        Json::Object(object) => members(object, inner),
        Json::Array(items) => {
            let first = items.first().map(inner).unwrap_or_default();
            if items.len() > 1 { format!("[{first}, … {} more]", items.len() - 1) } else { format!("[{first}]") }
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => inner(json),
    }
}

fn members(object: &Object, show: impl Fn(&Json) -> String) -> String {
    let members =
        object.iter().take(NAMES).map(|(key, value)| format!("\"{}\": {}", key.to_string_lossy(), show(value)));
    let more = object.len().saturating_sub(NAMES);
    let more = (more > 0).then(|| format!("… {more} more"));
    format!("{{{}}}", members.chain(more).collect::<Vec<_>>().join(", "))
}

/// A value within another.
fn inner(json: &Json) -> String {
    let whole = json.to_compact();
    let length = whole.chars().count();
    match json {
        Json::Object(object) if length > INNER => members(object, |_| "…".to_owned()),
        Json::Array(items) if length > INNER => format!("[… {} elements]", items.len()),
        Json::String(_) if length > STRING => {
            format!("{}…\"", whole.chars().take(STRING).collect::<String>().trim_end_matches('\\'))
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) | Json::Object(_) => whole,
    }
}

/// A text of the server as a JSON string, shortened where it is long.
pub(super) fn shown_text(text: &str) -> String {
    safe(&shortened(&Json::from(text)), PART)
}

/// A text of the server without what looks like a secret.
fn safe(text: &str, most: usize) -> String {
    let words = neutralised(&redact_text(text));
    match words.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn short(text: &str) -> String {
        shortened(&Json::parse(text).unwrap())
    }

    #[test]
    fn a_small_value_is_whole_and_a_large_one_keeps_its_members() {
        assert_eq!(short(r#"{"workspaces":[]}"#), r#"{"workspaces":[]}"#);
        let items = format!("[{}]", vec![r#"{"name":"a","size":12}"#; 500].join(","));
        let large = short(&format!(r#"{{"items":{items},"text":"{}","n":1}}"#, "x".repeat(5_000)));
        assert_eq!(large, format!("{{\"items\": [… 500 elements], \"text\": \"{}…\", \"n\": 1}}", "x".repeat(59)));
        assert_eq!(short(&items), r#"[{"name":"a","size":12}, … 499 more]"#);
    }

    #[test]
    fn schemas_of_a_one_of_that_overlap_are_counted() {
        let schema = |second: &str| {
            let one_of =
                format!(r##"{{"oneOf":[{{"$ref":"#/$defs/a"}},{second}],"$defs":{{"a":{{"type":"object"}}}}}}"##);
            Json::parse(&one_of).unwrap()
        };
        let value = Json::parse(r#"{"close":1}"#).unwrap();
        let count = |second: &str| {
            let schema = schema(second);
            fitting(&schema, schema.get("oneOf"), &value)
        };
        assert_eq!(count(r#"{"required":["close"]}"#), 2);
        assert_eq!(count(r#"{"required":["open"]}"#), 1);
        assert_eq!(fitting(&schema("{}"), None, &value), 0);
    }

    #[test]
    fn a_text_is_harmless_and_has_no_secrets() {
        assert_eq!(safe("Invalid\ninput:\u{1b}[31m", 100), "Invalid\\ninput:\\u{1b}[31m");
        assert!(!safe("Bearer abcdefghijklmnopqrstuvwxyz0123456789", 100).contains("abcdefghij"));
        assert_eq!(safe("abc", 2), "ab…");
    }
}
