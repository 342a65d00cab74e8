//! The checks behind the rules of the audit: schemas that refer to other documents, values that are sent only as text,
//! and servers that differ from one session to another.

use std::collections::{BTreeMap, BTreeSet};

use mcp_compat_author::capture::{CapturedCall, CapturedTool};
use mcp_compat_json::{Json, Object};
use mcp_compat_judge::rules;
use mcp_compat_model::Revision;
use mcp_compat_model::audit::{AuditFinding, Severity};
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_reports::text::first_of;
use mcp_compat_scenario::write::Answer;
use mcp_compat_schema::inclusion::{Conformance, Dialect, Schemas, Validity, dialect};

use super::audit_rule::{
    ANSWERS_ALIKE, AuditRule, CALL_IS_ANSWERED, LIST_HOLDS, LISTED_TOOL_IS_KNOWN, REVISIONS_AGREE,
    SCHEMA_CAN_BE_CHECKED, SCHEMA_CAN_BE_USED, SCHEMA_DIALECT_IS_CURRENT, SCHEMA_STANDS_ALONE, TOOL_AT_EVERY_REVISION,
    VALUE_IS_STRUCTURED,
};
use super::failing_revisions::succeeded;
use super::findings::{answer_of, bounded};
use super::own_arguments::contradicts_its_schema;
use super::results::is_error;
use super::snapshot::{ToolSnapshot, first_problem};
use super::unlisted_tool::{UnlistedTool, is_unknown};
use super::value_checks::of_values;
use crate::probe::{ProbeSession, ProbedServer};

/// The findings about one tool. `snapshots` shows it at each revision, oldest first.
pub(super) fn of_tool(
    snapshots: &[ToolSnapshot],
    again: Option<(&CapturedCall, Revision)>,
    unlisted: Option<&UnlistedTool>,
) -> Vec<AuditFinding> {
    let mut findings = Vec::new();
    findings.extend(["outputSchema", "inputSchema"].into_iter().filter_map(|name| cannot_be_used(snapshots, name)));
    findings.extend(hides_its_value(snapshots));
    findings.extend(in_older_dialect(snapshots));
    findings.extend(of_values(snapshots));
    findings.extend(is_unknown_when_called(snapshots, unlisted));
    findings.extend(contradicts_its_schema(snapshots, unlisted));
    findings.extend(leaves_a_call_open(snapshots));
    findings.extend(again.and_then(|(call, revision)| answers_otherwise(snapshots, call, revision)));
    findings.extend(differs_between_revisions(snapshots));
    findings
}

/// Tools that are listed at some revisions only, and lists that differ from one session to the next.
pub(super) fn of_lists(probed: &ProbedServer, later: &[&ProbeSession]) -> Vec<AuditFinding> {
    let mut findings = Vec::new();
    let names = |tools: &[CapturedTool]| tools.iter().map(|tool| tool.name.clone()).collect::<BTreeSet<_>>();
    let with_list: Vec<&ProbeSession> = probed.spoken.iter().filter(|session| session.listed).collect();
    let listed: Vec<_> = with_list.iter().map(|session| (session.revision, names(&session.tools))).collect();
    // A list that was cut may have had the tool.
    let is_cut = |at: Revision| with_list.iter().any(|session| session.revision == at && session.cut.is_some());
    let whole: Vec<_> = listed.iter().filter(|(revision, _)| !is_cut(*revision)).collect();
    let everywhere: BTreeSet<&String> = listed.iter().flat_map(|(_, names)| names).collect();
    for name in everywhere {
        let at: Vec<Revision> =
            listed.iter().filter(|(_, names)| names.contains(name)).map(|(revision, _)| *revision).collect();
        let elsewhere = whole.iter().filter(|(revision, _)| !at.contains(revision));
        let missing: Vec<&str> = elsewhere.map(|(revision, _)| revision.as_str()).collect();
        if !missing.is_empty() {
            let detail = format!("`{name}` is not listed at {}", missing.join(", "));
            findings.push(TOOL_AT_EVERY_REVISION.violated(detail, at));
        }
    }
    let mut changed: Vec<(Revision, String)> = Vec::new();
    for session in later.iter().filter(|session| session.listed) {
        let before = with_list.iter().find(|before| before.revision == session.revision);
        let what = before.and_then(|before| difference(&before.tools, &session.tools));
        changed.extend(what.map(|what| (session.revision, what)));
    }
    if let Some((_, what)) = changed.first() {
        let detail = format!("the list of tools changes from start to start: {what}");
        findings.push(LIST_HOLDS.violated(detail, changed.iter().map(|(revision, _)| *revision).collect()));
    }
    findings
}

/// Most names that stand in a sentence.
const NAMES: usize = 3;

/// In what two lists of tools differ, in words.
fn difference(one: &[CapturedTool], other: &[CapturedTool]) -> Option<String> {
    let definition = |tool: &CapturedTool| (tool.name.clone(), Json::parse(&tool.definition).ok());
    let [one, other] = [one, other].map(|tools| tools.iter().map(definition).collect::<Vec<_>>());
    if one == other {
        return None;
    }
    let [by_name, in_other] = [&one, &other].map(|tools| tools.iter().cloned().collect::<BTreeMap<_, _>>());
    let names: BTreeSet<&String> = by_name.keys().chain(in_other.keys()).collect();
    let (shared, single): (Vec<&String>, Vec<&String>) =
        names.into_iter().partition(|name| by_name.contains_key(*name) && in_other.contains_key(*name));
    let differ: Vec<&String> = shared.into_iter().filter(|name| by_name.get(*name) != in_other.get(*name)).collect();
    let named = |names: &[&String]| {
        first_of(&names.iter().map(|name| format!("`{}`", neutralised(name))).collect::<Vec<_>>(), NAMES)
    };
    Some(match (&single[..], &differ[..]) {
        ([], []) => "their order or number differs".to_owned(),
        ([], [differs]) => {
            let (was, is) = (by_name.get(*differs).cloned().flatten(), in_other.get(*differs).cloned().flatten());
            let place = was.zip(is).and_then(|(was, is)| was.first_difference(&is)).map(|found| found.pointer);
            format!("{} differs at {}", named(&[differs]), neutralised(place.as_deref().unwrap_or("its root")))
        }
        ([], differ) => format!("the definitions of {} differ", named(differ)),
        (single, _) => format!("not every start has {}", named(single)),
    })
}

/// A schema by which nobody can validate without fetching other documents, or at all. `name` is its member in the
/// definition.
fn cannot_be_used(snapshots: &[ToolSnapshot], name: &str) -> Option<AuditFinding> {
    let schemas = Schemas::default();
    let problem = |snapshot: &ToolSnapshot| -> Option<(AuditRule, String)> {
        let schema = snapshot.schema(name)?;
        let whose = format!("the {name} of `{}`", snapshot.tool.name);
        let validates = if name == "outputSchema" { "no client" } else { "nobody" };
        match (schemas.validity(&schema), schemas.outside(&schema)) {
            (Validity::Undecided { .. }, Some(address)) => {
                Some((SCHEMA_STANDS_ALONE, format!("{whose} refers to {address:?}, which clients do not fetch")))
            }
            (Validity::Dangling { reason }, _) => {
                Some((SCHEMA_CAN_BE_USED, format!("{validates} can validate against {whose}: {reason}")))
            }
            // Nobody is known to check arguments by schemas of that kind.
            (Validity::Undecided { .. }, None) if name == "inputSchema" => None,
            (Validity::Undecided { reason }, None) => {
                Some((SCHEMA_CAN_BE_CHECKED, format!("mcp-compat cannot check results against {whose}: {reason}")))
            }
            // Rules of the specification find the others.
            (
                Validity::Invalid { .. } | Validity::ForeignPattern(_) | Validity::Endless { .. } | Validity::Valid,
                _,
            ) => None,
        }
    };
    let (first, (rule, detail), at) = first_problem(snapshots, problem)?;
    // Report: spring-projects/spring-ai#5888.
    let resolves = "hosts that resolve input schemas, such as langchain-mcp-adapters, and interfaces of models: the tool, or all \
                    tools";
    let lost_elsewhere = (name == "inputSchema").then(|| resolves.to_owned());
    Some(AuditFinding { wire: Some(bounded(&first.tool.definition)), lost_elsewhere, ..rule.violated(detail, at) })
}

fn hides_its_value(snapshots: &[ToolSnapshot]) -> Option<AuditFinding> {
    let hides = |snapshot: &&ToolSnapshot| {
        // Another rule is about a result as text.
        let is_packed = snapshot.result().is_some_and(|result| rules::is_packed(&result));
        snapshot.failure().is_none() && snapshot.output_schema().is_none() && !is_packed
    };
    let hidden = || snapshots.iter().filter(hides).filter_map(|snapshot| Some((snapshot, snapshot.hidden_value()?)));
    let (first, value) = hidden().next()?;
    let detail = format!("`{}` returns a JSON {} as text, and no structured content", first.tool.name, value.kind());
    Some(VALUE_IS_STRUCTURED.violated(detail, hidden().map(|(snapshot, _)| snapshot.revision).collect()))
}

/// A tool that is listed, and that the server does not know when it is called.
fn is_unknown_when_called(snapshots: &[ToolSnapshot], unlisted: Option<&UnlistedTool>) -> Option<AuditFinding> {
    let unknown = |snapshot: &&ToolSnapshot| snapshot.call.as_ref().is_some_and(|call| is_unknown(call, unlisted));
    let first = snapshots.iter().find(unknown)?;
    let detail =
        format!("`{}` is listed, and a call of it is answered as if the server did not have it", first.tool.name);
    let at = snapshots.iter().filter(unknown).map(|snapshot| snapshot.revision).collect();
    Some(AuditFinding { wire: answer_of(first), ..LISTED_TOOL_IS_KNOWN.violated(detail, at) })
}

/// A tool that never answers a call.
fn leaves_a_call_open(snapshots: &[ToolSnapshot]) -> Option<AuditFinding> {
    let open: Vec<&ToolSnapshot> =
        snapshots.iter().filter(|snapshot| snapshot.call.is_some() && !snapshot.is_answered()).collect();
    let first = open.first()?;
    let tool = &first.tool.name;
    let detail = if matches!(first.call.as_ref()?.answer, Answer::Exit) {
        format!("the server ended at a call of `{tool}`")
    } else {
        format!("a call of `{tool}` was not answered in time")
    };
    Some(CALL_IS_ANSWERED.violated(detail, open.iter().map(|snapshot| snapshot.revision).collect()))
}

/// A tool that claims to change nothing, and answers the same call in another shape.
fn answers_otherwise(snapshots: &[ToolSnapshot], again: &CapturedCall, revision: Revision) -> Option<AuditFinding> {
    let first = snapshots.iter().find(|snapshot| snapshot.revision == revision)?;
    let (one, other) = (shape_of(&first.call.as_ref()?.answer), shape_of(&again.answer));
    if one == other {
        return None;
    }
    let detail = format!(
        "`{}` is marked read-only or idempotent, and answered the same call in two shapes: {one}, then {other}",
        first.tool.name
    );
    let second = ToolSnapshot { call: Some(again.clone()), ..first.clone() };
    Some(match (first.conformance(), second.conformance()) {
        // A rule of the specification reports that the first answer violates the schema.
        (Some(Conformance::Conforms) | None, Some(Conformance::Violates { message, .. })) => AuditFinding {
            severity: Severity::Error,
            ..ANSWERS_ALIKE
                .violated(format!("{detail}. The second violates the outputSchema: {message}"), vec![revision])
        },
        (_, _) => ANSWERS_ALIKE.violated(detail, vec![revision]),
    })
}

/// Definitions or values that differ between revisions, beyond what the older revision does not define. A server may
/// adapt to its clients, so this is only a note.
fn differs_between_revisions(snapshots: &[ToolSnapshot]) -> Option<AuditFinding> {
    let newest = snapshots.last()?;
    let differs = |older: &ToolSnapshot| {
        let members = differing_members(older, newest);
        let answers = |snapshot: &ToolSnapshot| snapshot.call.as_ref().map(|call| shape_of(&call.answer));
        // Older revisions have no structured content to compare.
        let compared = older.revision.has_structured_output();
        // A call that failed at one of the two is told by itself.
        let compared = compared && succeeded(older) == succeeded(newest);
        let answered =
            matches!((answers(older), answers(newest)), (Some(one), Some(other)) if compared && one != other);
        let defined = (!members.is_empty()).then(|| format!("another {}", members.join(", ")));
        match (defined, answered) {
            (Some(defined), true) => Some(format!("has {defined}, and answers in another shape,")),
            (Some(defined), false) => Some(format!("has {defined}")),
            (None, true) => Some("answers in another shape".to_owned()),
            (None, false) => None,
        }
    };
    let (older, what) = snapshots.iter().find_map(|older| Some((older, differs(older)?)))?;
    let way = format!("{what} at {} than at {}", older.revision, newest.revision);
    let detail = format!("`{}` {way}", newest.tool.name);
    let at = snapshots.iter().filter(|snapshot| differs(snapshot).is_some()).map(|snapshot| snapshot.revision);
    Some(AuditFinding { way: Some(way), ..REVISIONS_AGREE.violated(detail, at.collect()) })
}

/// The members of a tool's definition that an older revision does not define.
const MEMBERS_SINCE: [(&str, Revision); 6] = [
    ("annotations", Revision::V2025_03_26),
    ("title", Revision::V2025_06_18),
    ("outputSchema", Revision::V2025_06_18),
    ("_meta", Revision::V2025_06_18),
    ("icons", Revision::V2025_11_25),
    ("execution", Revision::V2025_11_25),
];

/// The members in which two definitions differ, among those that both revisions define.
fn differing_members(older: &ToolSnapshot, newer: &ToolSnapshot) -> Vec<String> {
    let parsed = |snapshot: &ToolSnapshot| Json::parse(&snapshot.tool.definition).ok();
    let (Some(one), Some(other)) = (parsed(older), parsed(newer)) else { return Vec::new() };
    let known = |key: &str| {
        let since = MEMBERS_SINCE.iter().find(|(member, _)| *member == key);
        since.is_none_or(|(_, since)| *since <= older.revision)
    };
    let keys = |json: &Json| -> BTreeSet<String> {
        let members = json.as_object().into_iter().flat_map(Object::iter);
        members.filter_map(|(key, _)| key.as_str()).map(str::to_owned).collect()
    };
    let all = keys(&one).union(&keys(&other)).cloned().collect::<BTreeSet<_>>();
    all.into_iter().filter(|key| known(key) && one.get(key) != other.get(key)).collect()
}

/// Parts of an answer, without its values.
fn shape_of(answer: &Answer) -> String {
    match answer {
        Answer::Returns(text) => match Json::parse(text) {
            Ok(result) => {
                let value = result.get("structuredContent").map_or("no structured content".to_owned(), of_value);
                let blocks = result.get("content").and_then(Json::as_array).unwrap_or_default();
                let kinds: BTreeSet<&str> =
                    blocks.iter().filter_map(|block| block.get("type").and_then(Json::as_str)).collect();
                let kinds: Vec<&str> = kinds.into_iter().collect();
                let kinds = if kinds.is_empty() { "no content".to_owned() } else { kinds.join(" and ") };
                format!("{}{value}, {kinds}", if is_error(&result) { "a tool error, " } else { "" })
            }
            Err(_) => "invalid JSON".to_owned(),
        },
        Answer::Error(_) => "a JSON-RPC error".to_owned(),
        Answer::Raw(_) => "neither a result nor an error".to_owned(),
        Answer::Hang => "no answer".to_owned(),
        Answer::Exit => "the end of the server".to_owned(),
    }
}

/// An object by its keys and their types, anything else by its type.
fn of_value(value: &Json) -> String {
    const KEYS: usize = 12;
    match value {
        Json::Object(object) => {
            let mut members: Vec<String> =
                object.iter().filter_map(|(key, value)| Some(format!("{}: {}", key.as_str()?, value.kind()))).collect();
            members.sort();
            let more = if members.len() > KEYS { ", …" } else { "" };
            members.truncate(KEYS);
            format!("{{{}{more}}}", members.join(", "))
        }
        Json::Array(_) | Json::String(_) | Json::Number(_) | Json::Bool(_) | Json::Null => value.kind().to_owned(),
    }
}

/// An outputSchema in a dialect that clients need not know.
fn in_older_dialect(snapshots: &[ToolSnapshot]) -> Option<AuditFinding> {
    let of = |snapshot: &ToolSnapshot| older_dialect(&snapshot.output_schema()?);
    let (first, problem, at) = first_problem(snapshots, of)?;
    let detail = format!("the outputSchema of `{}` {problem}", first.tool.name);
    let found = SCHEMA_DIALECT_IS_CURRENT.violated(detail, at);
    Some(AuditFinding { wire: Some(bounded(&first.tool.definition)), ..found })
}

/// The dialects that released clients know: 2020-12, which the specification requires, and draft-07, which the
/// validators of older SDKs take for the default.
fn older_dialect(schema: &Json) -> Option<String> {
    let named = schema.get("$schema").and_then(Json::as_str)?;
    let known = dialect(schema)?;
    let is_current = matches!(known, Dialect::Draft202012 | Dialect::Draft7);
    (!is_current).then(|| {
        format!("is written in {named:?}. The specification requires clients to know only JSON Schema 2020-12")
    })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::draft_04("http://json-schema.org/draft-04/schema#", true)]
    #[case::draft_07("http://json-schema.org/draft-07/schema#", false)]
    #[case::current("https://json-schema.org/draft/2020-12/schema", false)]
    fn a_dialect_that_clients_need_not_know_is_found(#[case] named: &str, #[case] older: bool) {
        let schema = Json::parse(&format!(r#"{{"$schema":"{named}"}}"#)).unwrap();
        assert_eq!(older_dialect(&schema).is_some(), older);
    }
}
