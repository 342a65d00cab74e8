//! What no single session shows and no rule of a session says: a schema that leads elsewhere, a value in disguise, and
//! a server that says one thing here and another there.

use std::collections::BTreeSet;

use mcp_compat_inclusion::{Schemas, Validity};
use mcp_compat_json::{Json, Object};
use mcp_compat_judge::rules::Fix;
use mcp_compat_model::Revision;
use mcp_compat_model::audit::{AuditFinding, Severity};
use mcp_compat_scenario::write::Answer;

use super::findings::bounded;
use super::snapshot::ToolSnapshot;
use crate::probe::ProbedServer;
use mcp_compat_capture::{CapturedCall, CapturedTool};

/// The page that says how references are resolved.
const REFERENCES: &str = "https://modelcontextprotocol.io/specification/2026-07-28/basic/index#ref-resolution";

/// The page on structured content.
const STRUCTURED: &str = "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#structured-content";

const SCHEMA_STANDS_ALONE: &str = "schema-stands-alone";
const SCHEMA_CAN_BE_USED: &str = "schema-can-be-used";
const VALUE_IS_STRUCTURED: &str = "value-is-structured";

/// The change that ends what a check found.
pub(super) fn fix_of(check: &str) -> Option<Fix> {
    match check {
        SCHEMA_STANDS_ALONE | SCHEMA_CAN_BE_USED => Some(Fix::OmitSchema),
        VALUE_IS_STRUCTURED => Some(Fix::SendStructuredContent),
        _ => None,
    }
}

/// What is wrong with one tool, as it was seen at each revision, oldest first.
pub(super) fn of_tool(snapshots: &[ToolSnapshot], again: Option<(&CapturedCall, Revision)>) -> Vec<AuditFinding> {
    let mut findings = Vec::new();
    findings.extend(cannot_be_used(snapshots));
    findings.extend(hides_its_value(snapshots));
    findings.extend(is_unknown_when_called(snapshots));
    findings.extend(leaves_a_call_open(snapshots));
    findings.extend(again.and_then(|(call, revision)| answers_otherwise(snapshots, call, revision)));
    findings.extend(differs_between_revisions(snapshots));
    findings
}

/// A tool that is listed at some revisions and not at others; and lists that differ from one session to the next.
pub(super) fn of_lists(probed: &ProbedServer, later: &[(Revision, Vec<CapturedTool>)]) -> Vec<AuditFinding> {
    let mut findings = Vec::new();
    let names = |tools: &[CapturedTool]| tools.iter().map(|tool| tool.name.clone()).collect::<BTreeSet<_>>();
    let everywhere: BTreeSet<String> = probed.spoken.iter().flat_map(|session| names(&session.tools)).collect();
    for name in &everywhere {
        let at: Vec<Revision> = probed
            .spoken
            .iter()
            .filter(|session| session.tools.iter().any(|tool| tool.name == *name))
            .map(|session| session.revision)
            .collect();
        let missing: Vec<&str> =
            probed.revisions().filter(|revision| !at.contains(revision)).map(Revision::as_str).collect();
        if !missing.is_empty() {
            findings.push(AuditFinding {
                severity: Severity::Warning,
                rule: "tool-at-every-revision".to_owned(),
                detail: format!("`{name}` is not listed at {}", missing.join(", ")),
                at,
                source: None,
                remedy: "list the same tools at every revision that the server speaks".to_owned(),
                wire: None,
            });
        }
    }
    let mut changed: Vec<Revision> = Vec::new();
    for (revision, tools) in later {
        let before = probed.spoken.iter().find(|session| session.revision == *revision);
        if before.is_some_and(|before| !alike(&before.tools, tools)) {
            changed.push(*revision);
        }
    }
    if !changed.is_empty() {
        findings.push(AuditFinding {
            severity: Severity::Warning,
            rule: "list-holds".to_owned(),
            detail: "two sessions with nothing between them were given different lists of tools".to_owned(),
            at: changed,
            source: None,
            remedy: "list the same tools, in the same order and with the same definitions, in every session".to_owned(),
            wire: None,
        });
    }
    findings
}

fn alike(one: &[CapturedTool], other: &[CapturedTool]) -> bool {
    let parsed =
        |tools: &[CapturedTool]| tools.iter().map(|tool| Json::parse(&tool.definition).ok()).collect::<Vec<_>>();
    parsed(one) == parsed(other)
}

/// A schema by which nobody can validate who fetches nothing: a part of it is elsewhere, or nowhere.
fn cannot_be_used(snapshots: &[ToolSnapshot]) -> Option<AuditFinding> {
    let schemas = Schemas::default();
    let trouble = |snapshot: &ToolSnapshot| {
        let schema = snapshot.output_schema()?;
        match (schemas.validity(&schema), schemas.outside(&schema)) {
            (Validity::Undecided { .. }, Some(address)) => Some((SCHEMA_STANDS_ALONE, Some(address), String::new())),
            (Validity::Undecided { reason }, None) => Some((SCHEMA_CAN_BE_USED, None, reason)),
            // A rule says so.
            (Validity::Invalid { .. }, _) | (Validity::Valid, _) => None,
        }
    };
    let (first, (rule, address, reason)) =
        snapshots.iter().find_map(|snapshot| Some((snapshot, trouble(snapshot)?)))?;
    let tool = &first.tool.name;
    let detail = match address {
        Some(address) => format!("the outputSchema of `{tool}` refers to {address:?}, which no client may fetch"),
        None => format!("no client can validate by the outputSchema of `{tool}`: {reason}"),
    };
    Some(AuditFinding {
        severity: Severity::Warning,
        rule: rule.to_owned(),
        detail,
        at: snapshots.iter().filter(|snapshot| trouble(snapshot).is_some()).map(|snapshot| snapshot.revision).collect(),
        source: Some(REFERENCES.to_owned()),
        remedy: "put what is referred to under `$defs` of the schema".to_owned(),
        wire: Some(bounded(&first.tool.definition)),
    })
}

fn hides_its_value(snapshots: &[ToolSnapshot]) -> Option<AuditFinding> {
    let hides = |snapshot: &&ToolSnapshot| snapshot.failure().is_none() && snapshot.output_schema().is_none();
    let (first, value) =
        snapshots.iter().filter(hides).find_map(|snapshot| Some((snapshot, snapshot.hidden_value()?)))?;
    let at = snapshots
        .iter()
        .filter(hides)
        .filter(|snapshot| snapshot.hidden_value().is_some())
        .map(|snapshot| snapshot.revision);
    Some(AuditFinding {
        severity: Severity::Note,
        rule: VALUE_IS_STRUCTURED.to_owned(),
        detail: format!("`{}` returns a JSON {} as text, and no structured content", first.tool.name, value.kind()),
        at: at.collect(),
        source: Some(STRUCTURED.to_owned()),
        remedy: "declare an outputSchema and return the value as structuredContent, beside the text".to_owned(),
        wire: None,
    })
}

/// A tool that is listed, and that the server does not know when it is called.
fn is_unknown_when_called(snapshots: &[ToolSnapshot]) -> Option<AuditFinding> {
    let unknown = |snapshot: &ToolSnapshot| {
        let Some(CapturedCall { answer: Answer::Error(text), .. }) = &snapshot.call else { return None };
        let error = Json::parse(text).ok()?;
        let code = error.get("code")?.as_number()?.as_i64()?;
        let message = error.get("message").and_then(Json::as_str).unwrap_or_default().to_lowercase();
        // The specification gives an unknown tool the code of invalid arguments: only the server's words tell them apart.
        let named = ["not found", "unknown", "no such"].iter().any(|words| message.contains(words));
        (code == -32601 || (code == -32602 && named)).then(|| text.clone())
    };
    let (first, error) = snapshots.iter().find_map(|snapshot| Some((snapshot, unknown(snapshot)?)))?;
    Some(AuditFinding {
        severity: Severity::Error,
        rule: "listed-tool-is-known".to_owned(),
        detail: format!("`{}` is listed, and a call of it is answered as if it were not there", first.tool.name),
        at: snapshots.iter().filter(|snapshot| unknown(snapshot).is_some()).map(|snapshot| snapshot.revision).collect(),
        source: None,
        remedy: "list only tools that can be called".to_owned(),
        wire: Some(bounded(&error)),
    })
}

/// A tool that is called, and never answers.
fn leaves_a_call_open(snapshots: &[ToolSnapshot]) -> Option<AuditFinding> {
    let open: Vec<&ToolSnapshot> =
        snapshots.iter().filter(|snapshot| snapshot.call.is_some() && !snapshot.is_answered()).collect();
    let first = open.first()?;
    Some(AuditFinding {
        severity: Severity::Error,
        rule: "call-is-answered".to_owned(),
        detail: format!("a call of `{}` was not answered: {}", first.tool.name, first.failure().unwrap_or_default()),
        at: open.iter().map(|snapshot| snapshot.revision).collect(),
        source: None,
        remedy: "answer every call, with an error if need be, within the time that clients wait".to_owned(),
        wire: None,
    })
}

/// A tool that says that nothing changes by it, and answers the same call in another shape.
fn answers_otherwise(snapshots: &[ToolSnapshot], again: &CapturedCall, revision: Revision) -> Option<AuditFinding> {
    let first = snapshots.iter().find(|snapshot| snapshot.revision == revision)?;
    let (one, other) = (shape_of(&first.call.as_ref()?.answer), shape_of(&again.answer));
    (one != other).then(|| AuditFinding {
        severity: Severity::Warning,
        rule: "answers-alike".to_owned(),
        detail: format!(
            "`{}` says that it is read-only or idempotent, and answered the same call in two shapes: {one}, then {other}",
            first.tool.name
        ),
        at: vec![revision],
        source: None,
        remedy: "answer the same call in one shape, or take the annotation off".to_owned(),
        wire: None,
    })
}

/// Definitions or values that differ from one revision to another, beyond what the older one does not know. A server may
/// adapt to its clients; it is good to know.
fn differs_between_revisions(snapshots: &[ToolSnapshot]) -> Option<AuditFinding> {
    let newest = snapshots.last()?;
    let differs = |older: &ToolSnapshot| {
        let members = differing_members(older, newest);
        let answers = |snapshot: &ToolSnapshot| snapshot.call.as_ref().map(|call| shape_of(&call.answer));
        // Before that there was nothing to be of one shape.
        let compared = older.revision.has_structured_output();
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
    Some(AuditFinding {
        severity: Severity::Note,
        rule: "revisions-agree".to_owned(),
        detail: format!("`{}` {what} at {} than at {}", newest.tool.name, older.revision, newest.revision),
        at: snapshots.iter().filter(|snapshot| differs(snapshot).is_some()).map(|snapshot| snapshot.revision).collect(),
        source: None,
        remedy: "see that both are meant: clients of both revisions read the same documentation".to_owned(),
        wire: None,
    })
}

/// The members of a tool's definition that came with a revision.
const MEMBERS_SINCE: [(&str, Revision); 6] = [
    ("annotations", Revision::V2025_03_26),
    ("title", Revision::V2025_06_18),
    ("outputSchema", Revision::V2025_06_18),
    ("_meta", Revision::V2025_06_18),
    ("icons", Revision::V2025_11_25),
    ("execution", Revision::V2025_11_25),
];

/// The members in which two definitions differ, of those that both revisions know.
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

/// What an answer is made of, without what it says.
fn shape_of(answer: &Answer) -> String {
    match answer {
        Answer::Returns(text) => match Json::parse(text) {
            Ok(result) => {
                let failed = result.get("isError").and_then(Json::as_bool) == Some(true);
                let value = result.get("structuredContent").map_or("no structured content".to_owned(), of_value);
                let blocks = result.get("content").and_then(Json::as_array).unwrap_or_default();
                let kinds: BTreeSet<&str> =
                    blocks.iter().filter_map(|block| block.get("type").and_then(Json::as_str)).collect();
                let kinds: Vec<&str> = kinds.into_iter().collect();
                let kinds = if kinds.is_empty() { "no content".to_owned() } else { kinds.join(" and ") };
                format!("{}{value}, {kinds}", if failed { "a tool error, " } else { "" })
            }
            Err(_) => "what is no JSON".to_owned(),
        },
        Answer::Error(_) => "a JSON-RPC error".to_owned(),
        Answer::Raw(_) => "no message".to_owned(),
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
