//! Findings of the rules of the specification in real sessions, tool by tool.
//!
//! The judge checks every message of a session by the rules of its revision. A finding belongs to the tool that it
//! names, or else to the tool whose call its messages are; any other finding belongs to the server as a whole. The same
//! finding at several revisions is reported once.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use mcp_compat_author::capture::CapturedTool;
use mcp_compat_json::{Difference, DifferenceKind, Json};
use mcp_compat_judge::facts::Facts;
use mcp_compat_judge::rules::{self, Affects, Rule};
use mcp_compat_judge::wire::exchange::exchanges;
use mcp_compat_judge::wire::message::{Message, Shape, messages};
use mcp_compat_mocks::client::Variant;
use mcp_compat_model::audit::{AuditFinding, Severity};
use mcp_compat_model::excerpt::bounded as shortened;
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::peer_contract::JobStep;
use mcp_compat_model::transcript::{Transcript, begins_as_message};
use mcp_compat_model::verdict::{Finding, Level, Party};
use mcp_compat_model::{Cell, PeerId, Revision, Role, ScenarioId, Transport};
use mcp_compat_run::redact::redact_text;
use mcp_compat_scenario::Scenario;
use mcp_compat_scenario::scenario::{Call, Expect, Means, Purpose, ScenarioStage, SpecStance, Step};
use mcp_compat_scenario::write::Answer;
use mcp_compat_schema::inclusion::Schemas;

use super::audit_rule::{TEXT_REPEATS_VALUE, TEXT_REPEATS_WRAPPER};
use super::results::TextOfValue;
use super::snapshot::ToolSnapshot;
use crate::probe::ProbeSession;

/// Findings by tool. The key `None` has those about the server as a whole.
pub(super) type ByTool = BTreeMap<Option<String>, Vec<AuditFinding>>;

/// Most characters of a message that are shown.
const SHOWN: usize = 400;

/// A session, the steps that were requested in it, and the scenarios of the tools that were called.
pub(super) struct JudgedSession<'a> {
    pub(super) session: &'a ProbeSession,
    pub(super) steps: Vec<JobStep>,
    pub(super) scenarios: Vec<&'a Scenario>,
}

/// A violation of a rule of the specification, seen at these revisions.
pub(super) fn of_rule(rule: &Rule, detail: String, at: Vec<Revision>) -> AuditFinding {
    AuditFinding {
        severity: Severity::of_level(rule.level.at(at.iter().max().copied())),
        rule: rule.id.to_owned(),
        detail,
        way: None,
        at,
        source: Some(rule.source.to_owned()),
        remedy: rule.remedy.to_owned(),
        wire: None,
        returned: None,
        required: None,
        lacks: Vec::new(),
        members: Vec::new(),
        lost_elsewhere: None,
        refused: None,
    }
}

/// Applies the rules to real sessions until the time is over. Of a session that was not judged to its end, nothing is
/// found.
pub(super) fn of_rules(
    sessions: &[JudgedSession<'_>],
    server: &PeerId,
    transport: Transport,
    is_over: impl Fn() -> bool + Clone + Send + Sync + 'static,
) -> ByTool {
    let schemas = Schemas::until(is_over.clone());
    let mut found = ByTool::new();
    for session in sessions.iter().take_while(|_| !is_over()) {
        let (scenario, session) = (session.scenario(), session.session);
        let client = PeerId::mock_of(session.revision, &[Variant::Skip.as_str()]);
        let cell = Cell { scenario: scenario.id.clone(), client, server: server.clone(), transport };
        let calls = calls_of(&session.transcript);
        let tools: Tools<'_> = session.tools.iter().map(|tool| (tool.name.as_str(), tool)).rev().collect();
        let facts = Facts::gather(&scenario, &cell, &session.transcript, &session.observation, &schemas);
        let mut findings = rules::check_servers(&facts);
        // Clients that take a wrong opening may still lose the tools by a list that is wrong in the same way.
        let lists = answers_to("tools/list", &session.transcript);
        findings.sort_by_key(|found| !found.finding.messages.iter().any(|seq| lists.contains(seq)));
        // The rules asked about a schema in vain.
        if schemas.left_out() {
            break;
        }
        for (finding, remedy) in findings.into_iter().map(|found| (found.finding, found.remedy)) {
            // Only the first tools of a list that was cut are audited.
            let is_beyond = |tool: &String| !tools.contains_key(tool.as_str());
            if session.cut.is_some() && finding.tool.as_ref().is_some_and(is_beyond) {
                continue;
            }
            let of = whose(&finding, &tools, &calls);
            let wire = || excerpt(&finding, of.and_then(|of| tools.get(of).copied()), session, &lists);
            let of_tool = found.entry(of.map(str::to_owned)).or_default();
            let (known, shown) = (of_tool.len(), shown_line(&finding, session, transport, of.is_some()));
            add(of_tool, &shown, remedy, session, wire);
            if let (Some(new), true) = (of_tool.get_mut(known), is_printed_line(&finding, session, transport)) {
                new.lost_elsewhere = Some(STRICT_READERS.to_owned());
                PRINT_TO_STDERR.clone_into(&mut new.remedy);
            }
        }
    }
    found
}

/// Rules that several tools violate in different ways.
static HAS_WAYS: [&Rule; 3] = [&rules::MEMBER_NAMES, &rules::MEMBER_PLACES, &rules::SERVER_REQUESTS_DECLARED];

/// The way in which a rule is violated, by which findings of several tools are told together.
fn way(rule: &Rule, finding: &Finding, remedy: &str) -> Option<String> {
    if HAS_WAYS.contains(&rule) {
        let tool = finding.tool.as_deref().unwrap_or_default();
        return Some(finding.detail.replace(&format!("`{tool}`"), "a tool"));
    }
    (remedy != rule.remedy).then(|| remedy.to_owned())
}

/// Most characters of a printed line that are shown.
const LINE: usize = 120;

/// Clients that end the session at a line that is no message. Reports: ai-dashboad/flutter-skill#40, laravel/boost#826.
const STRICT_READERS: &str =
    "clients that take every line for a message, such as Cursor and those on the Go and Java SDKs: the session";

/// Remedy for a server that prints lines.
const PRINT_TO_STDERR: &str = "write logs and all other lines to standard error";

/// The line that a program printed to its standard output, where a finding is about one.
fn printed_line<'t>(finding: &Finding, session: &'t ProbeSession, transport: Transport) -> Option<&'t str> {
    let is_of_lines = rules::find(&finding.rule) == Some(&rules::SERVER_SPEAKS_JSON_RPC);
    let seq = finding.messages.first().filter(|_| is_of_lines && transport == Transport::Stdio)?;
    // An empty line says less than the next one.
    let later = session.transcript.entries.iter().filter(|entry| entry.seq >= *seq && entry.from == Role::Server);
    let texts = later.filter_map(|entry| entry.event.message()?.as_text()).map(str::trim);
    let text = texts.into_iter().find(|text| !text.is_empty())?;
    (!begins_as_message(text.as_bytes()) || is_log_entry(text)).then_some(text)
}

/// Returns true for an object of JSON that is no message, as loggers write it.
fn is_log_entry(text: &str) -> bool {
    const MEMBERS: [&str; 3] = ["jsonrpc", "id", "result"];
    let Ok(Json::Object(object)) = Json::parse(text) else { return false };
    !MEMBERS.iter().any(|member| object.contains_key(member))
}

fn is_printed_line(finding: &Finding, session: &ProbeSession, transport: Transport) -> bool {
    printed_line(finding, session, transport).is_some()
}

/// A finding with the line that it is about and the time at which that was printed.
fn shown_line(finding: &Finding, session: &ProbeSession, transport: Transport, is_of_call: bool) -> Finding {
    let Some(line) = printed_line(finding, session, transport) else { return finding.clone() };
    let line = neutralised(&redact_text(&shortened(line, LINE)));
    let messages = messages(&session.transcript);
    let is_before = |message: &&Message<'_>| finding.messages.first().is_some_and(|seq| message.seq < *seq);
    let asked = messages.iter().take_while(is_before).filter(|message| message.from == Role::Client);
    let when = match asked.filter_map(Message::method).last() {
        Some(_) if is_of_call => " (during its call)".to_owned(),
        Some(method) => format!(" (after `{}`)", neutralised(method)),
        None => " (before the first request)".to_owned(),
    };
    Finding { detail: format!("{}: `{line}`{when}", finding.detail), ..finding.clone() }
}

/// Adds a finding, or the revision of the session to a finding that is known. What shows it is looked up only for the
/// first.
fn add(
    findings: &mut Vec<AuditFinding>,
    finding: &Finding,
    remedy: &str,
    session: &ProbeSession,
    wire: impl FnOnce() -> Option<String>,
) {
    let rule = rules::find(&finding.rule);
    // The server is free to do either if the specification is ambiguous.
    let severity = match (finding.party, finding.level) {
        // An audit infers it from the words of a text, and a tool may return such a text as its value. A flag in the
        // wrong place has a remedy of its own.
        _ if rule == Some(&rules::FAILED_CALL_IS_MARKED) && remedy == rules::SET_IS_ERROR => Severity::Note,
        (Party::Spec, Level::Must) => Severity::Warning,
        (Party::Client | Party::Server | Party::Spec, level) => Severity::of_level(level),
    };
    match findings.iter_mut().find(|known| known.rule == finding.rule) {
        Some(known) => {
            // The newest revision says best what to do.
            if known.at.iter().all(|at| *at < session.revision) {
                known.source = Some(finding.source.clone());
            }
            known.severity = known.severity.max(severity);
            known.at.push(session.revision);
            known.at.sort();
            known.at.dedup();
        }
        None => findings.push(AuditFinding {
            severity,
            rule: finding.rule.clone(),
            detail: finding.detail.clone(),
            way: rule.and_then(|rule| way(rule, finding, remedy)),
            at: vec![session.revision],
            source: Some(finding.source.clone()),
            remedy: remedy.to_owned(),
            wire: wire(),
            returned: None,
            required: None,
            lacks: Vec::new(),
            members: Vec::new(),
            lost_elsewhere: None,
            refused: None,
        }),
    }
}

/// The tool that a finding is about; `None` if it is about several, or none.
fn whose<'s>(finding: &Finding, tools: &Tools<'s>, calls: &Calls) -> Option<&'s str> {
    let name = |name: &str| tools.get_key_value(name).map(|(name, _)| *name);
    if let Some(tool) = &finding.tool {
        return name(tool);
    }
    let mut called = finding.messages.iter().map(|seq| calls.get(seq));
    let first = called.next()??;
    name(first).filter(|_| called.all(|other| other == Some(first)))
}

/// The tools of a session by name; the first, where several share one.
type Tools<'s> = HashMap<&'s str, &'s CapturedTool>;

/// The entries with the answers to requests of a method.
fn answers_to(method: &str, transcript: &Transcript) -> BTreeSet<u32> {
    let messages = messages(transcript);
    let exchanges = exchanges(&messages, transcript).all;
    let of_method = exchanges.iter().filter(|exchange| messages[exchange.request].method() == Some(method));
    of_method.filter_map(|exchange| Some(messages[exchange.answer.message()?].seq)).collect()
}

/// The tool that is called, or answers, or the line that is printed meanwhile, in an entry.
type Calls = BTreeMap<u32, String>;

fn calls_of(transcript: &Transcript) -> Calls {
    let messages = messages(transcript);
    let mut calls = Calls::new();
    for exchange in exchanges(&messages, transcript).all {
        let request = &messages[exchange.request];
        let tool = (request.method() == Some("tools/call")).then(|| request.param("name")).flatten();
        let Some(tool) = tool.and_then(Json::as_str) else { continue };
        calls.insert(request.seq, tool.to_owned());
        calls.extend(exchange.answer.message().map(|at| (messages[at].seq, tool.to_owned())));
        let later = messages[exchange.request + 1..].iter();
        let meanwhile = later.take_while(|message| message.shape != Shape::Request || message.from == Role::Server);
        let printed = meanwhile.filter(|message| message.shape == Shape::Unreadable && message.from == Role::Server);
        calls.extend(printed.map(|message| (message.seq, tool.to_owned())));
    }
    calls
}

/// Evidence of a finding: the tool's entry in the list if the finding is about it, else the message.
fn excerpt(
    finding: &Finding,
    of: Option<&CapturedTool>,
    session: &ProbeSession,
    lists: &BTreeSet<u32>,
) -> Option<String> {
    let seq = *finding.messages.first()?;
    if lists.contains(&seq)
        && let Some(CapturedTool { definition, .. }) = of
    {
        return Some(bounded(definition));
    }
    session.transcript.message(seq)?.as_text().map(bounded)
}

/// The beginning of a text that the server sent, without what looks like a secret.
pub(super) fn bounded(text: &str) -> String {
    let text = &redact_text(text);
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", neutralised(&text[..end])),
        None => neutralised(text),
    }
}

/// The answer to the call of a tool, if it is a result or an error.
pub(super) fn answer_of(snapshot: &ToolSnapshot) -> Option<String> {
    match &snapshot.call.as_ref()?.answer {
        Answer::Returns(text) | Answer::Error(text) => Some(bounded(text)),
        Answer::Raw(_) | Answer::Hang | Answer::Exit => None,
    }
}

impl JudgedSession<'_> {
    /// The scenario that the session played: all scenarios in one, with the requested steps.
    fn scenario(&self) -> Scenario {
        let tools = self.scenarios.iter().flat_map(|scenario| &scenario.stages).flat_map(|stage| &stage.tools);
        let mut calls: HashMap<&str, &Call> = HashMap::new();
        for (_, call) in self.scenarios.iter().flat_map(|scenario| scenario.calls()) {
            calls.entry(call.tool.as_str()).or_insert(call);
        }
        let steps = self.steps.iter().map(|step| match step {
            JobStep::List {} => Step::List,
            JobStep::Evolve { told } => Step::Evolve { notified: *told },
            JobStep::Call { tool, arguments, .. } => {
                let known = calls.get(tool.as_str()).copied().cloned();
                let unknown = || {
                    let means = Means::Text(String::new());
                    Call::new(tool, Purpose::Subject, means, Expect::both(mcp_compat_model::verdict::Outcome::Intact))
                };
                Step::Call(Call { arguments: arguments.get().to_owned(), ..known.unwrap_or_else(unknown) })
            }
        });
        let revision = self.session.revision;
        Scenario {
            id: ScenarioId::new(format!("session/{revision}"))
                .unwrap_or_else(|error| unreachable!("a date is a valid word: {error}")),
            title: format!("A session at {revision}"),
            why: String::new(),
            since: revision,
            sources: Vec::new(),
            spec: SpecStance::Clear,
            stages: vec![ScenarioStage { tools: tools.cloned().collect(), notified: false }],
            steps: steps.collect(),
            is_smoke: false,
            page_size: None,
            list: None,
            list_without: Vec::new(),
            answers: Vec::new(),
        }
    }
}

/// Puts one finding about null in the place of those about a value.
pub(super) fn explain_null(findings: &mut Vec<AuditFinding>, snapshots: &[ToolSnapshot]) {
    let nulls: Vec<&ToolSnapshot> = snapshots.iter().filter(|snapshot| snapshot.has_null_for_nothing()).collect();
    let Some(newest) = nulls.last() else { return };
    let is_about_null = |finding: &mut AuditFinding| {
        let is_null_at = |revision| nulls.iter().any(|snapshot| snapshot.revision == revision);
        rules::find(&finding.rule).is_some_and(Rule::is_about_value)
            && finding.at.iter().all(|revision| is_null_at(*revision))
    };
    let about_null: Vec<AuditFinding> = findings.extract_if(.., is_about_null).collect();
    let is_of = |finding: &AuditFinding, rule: &Rule| rules::find(&finding.rule) == Some(rule);
    let violates_schema = findings.iter().any(|finding| is_of(finding, &rules::STRUCTURED_CONTENT_CONFORMS));
    let object = about_null.into_iter().find(|finding| is_of(finding, &rules::STRUCTURED_CONTENT_OBJECT));
    if let (Some(object), false) = (object, violates_schema) {
        let rule = &rules::OPTIONAL_MEMBERS_NOT_NULL;
        findings.push(AuditFinding {
            rule: rule.id.to_owned(),
            detail: format!("`structuredContent` of the result of `{}` is null", neutralised(&newest.tool.name)),
            source: Some(rules::source_at(&rules::RESULT_MEMBERS, Some(newest.revision)).into_owned()),
            remedy: rule.remedy.to_owned(),
            ..object
        });
    }
}

/// Returns whether a finding says that no text block has the value.
fn is_about_text(finding: &AuditFinding) -> bool {
    rules::find(&finding.rule).is_some_and(|rule| rule.affects == Affects::TextFallback)
}

/// Makes the findings of a tool about text more exact, by the answer of the tool. A violation of two rules in the same
/// way is reported once, by the stricter one.
pub(super) fn explain_text(findings: &mut Vec<AuditFinding>, snapshots: &[ToolSnapshot]) {
    for finding in findings.iter_mut().filter(|finding| is_about_text(finding)) {
        let newest = || snapshots.iter().rev().filter(|snapshot| finding.at.contains(&snapshot.revision));
        let Some((tool, text)) = newest().find_map(|snapshot| Some((snapshot, snapshot.text_of_value()?))) else {
            let value = newest().find_map(|snapshot| Some(snapshot.result()?.get("structuredContent")?.kind()));
            finding.way = value.map(|kind| format!("no text of a JSON {kind}"));
            continue;
        };
        let name = neutralised(&tool.tool.name);
        match text {
            TextOfValue::NoText => {
                finding.detail = format!("the result of `{name}` has structuredContent and no text block");
                finding.way = Some("no text block".to_owned());
            }
            TextOfValue::Prose => {
                finding.detail = format!(
                    "the text of `{name}` is not JSON, so clients that read only the text do not get the value"
                );
                finding.way = Some("prose".to_owned());
            }
            TextOfValue::AnotherKind { text, value } => {
                finding.detail = format!(
                    "the text of `{name}` is JSON of another type ({text}) than its structuredContent ({value}), so \
                     clients that read only the text do not get the value"
                );
                finding.way = Some(format!("{text}, not {value}"));
            }
            TextOfValue::Empty => {
                finding.detail =
                    format!("the text of `{name}` is empty, so clients that read only the text do not get the value");
                finding.way = Some("empty text".to_owned());
            }
            TextOfValue::OnlyMember { key } => {
                let key = neutralised(&key);
                let detail = format!("the text of `{name}` repeats the value of \"{key}\" only, which is fine");
                *finding = exact(finding, Severity::Note, TEXT_REPEATS_WRAPPER.violated(detail, Vec::new()));
            }
            TextOfValue::ItemsOfOnlyMember { key } => {
                let detail = format!(
                    "`{name}` has a text block for each item under \"{}\", and none with the whole structuredContent. \
                     Clients that read only the text get the items, and cannot tell one item from a list of one",
                    neutralised(&key)
                );
                *finding = exact(finding, Severity::Note, TEXT_REPEATS_WRAPPER.violated(detail, Vec::new()));
            }
            TextOfValue::OtherJson { difference, .. } => {
                let detail = format!(
                    "the text block of `{name}` is JSON that differs from its structuredContent: {}",
                    neutralised(&words(&difference))
                );
                *finding = exact(finding, finding.severity, TEXT_REPEATS_VALUE.violated(detail, Vec::new()));
            }
        }
    }
    merge(findings);
}

/// Merges the findings of two rules about text, if both are violated in the same way.
fn merge(findings: &mut Vec<AuditFinding>) {
    let places: Vec<usize> = (0..findings.len()).filter(|at| is_about_text(&findings[*at])).collect();
    if let [one, other] = places[..]
        && findings[one].way == findings[other].way
    {
        let (kept, gone) = if findings[one].severity < findings[other].severity { (other, one) } else { (one, other) };
        let at = findings[gone].at.clone();
        findings[kept].at.extend(at);
        findings[kept].at.sort();
        findings[kept].at.dedup();
        findings.remove(gone);
    }
}

/// The finding of a rule of the audit, where that of a rule of the specification was seen.
fn exact(seen: &AuditFinding, severity: Severity, exact: AuditFinding) -> AuditFinding {
    AuditFinding { severity, at: seen.at.clone(), source: seen.source.clone(), wire: seen.wire.clone(), ..exact }
}

/// Difference between the text and the value, in words.
fn words(difference: &Difference) -> String {
    let place = if difference.pointer.is_empty() { "the root" } else { &difference.pointer };
    match &difference.kind {
        DifferenceKind::Missing => format!("the text lacks {place}"),
        DifferenceKind::Unexpected => format!("only the text has {place}"),
        DifferenceKind::Kind { expected, found } => format!("at {place} the text has {found}, and not {expected}"),
        DifferenceKind::Value { expected, found } => format!("at {place} the text has {found}, and not {expected}"),
        DifferenceKind::Length { expected, found } => {
            format!("at {place} the text has {found} elements, and not {expected}")
        }
        DifferenceKind::Repeats { expected, found } => {
            format!("the text has {place} {found} times, and not {expected} times")
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use mcp_compat_drive::Launch;

    use super::*;
    use crate::probe::{ProbeTimeouts, ServerProbe, Target};

    /// The list of a server with a tool that has no name, and one whose outputSchema is none.
    async fn session() -> ProbeSession {
        const SERVER: &str = r#"while read -r line; do
            id=${line#*\"id\":}; id=${id%%[,\}]*}
            case $line in
                *'"initialize"'*) result='"protocolVersion":"2025-11-25","capabilities":{"tools":{}},
                    "serverInfo":{"name":"s","version":"1"}';;
                *'"tools/list"'*) result='"tools":[{"inputSchema":{"type":"object"}},
                    {"name":"t","inputSchema":{"type":"object"},"outputSchema":{"type":"objekt"}}]';;
                *) continue;;
            esac
            printf '{"jsonrpc":"2.0","id":%s,"result":{%s}}\n' "$id" "$(printf %s "$result" | tr -d '\n')"
        done"#;
        played(SERVER, Revision::V2025_11_25).await
    }

    async fn played(server: &str, revision: Revision) -> ProbeSession {
        let target = Target::Command(Launch::new("sh").args(["-c", server]));
        let probe = ServerProbe::open(target, ProbeTimeouts::default()).await.unwrap();
        probe.play(revision, &[JobStep::List {}]).await.unwrap()
    }

    #[tokio::test]
    async fn a_finding_is_as_severe_as_at_the_strictest_of_its_revisions() {
        // It asks for roots, which the client of the audit does not declare: a SHOULD, and since 2025-06-18 a MUST.
        const ASKS: &str = r#"while read -r line; do
            id=${line#*\"id\":}; id=${id%%[,\}]*}
            case $line in
                *'"initialize"'*) result='"protocolVersion":"REVISION","capabilities":{"tools":{}},
                    "serverInfo":{"name":"s","version":"1"}';;
                *'"tools/list"'*) echo '{"jsonrpc":"2.0","id":"r","method":"roots/list"}'; result='"tools":[]';;
                *) continue;;
            esac
            printf '{"jsonrpc":"2.0","id":%s,"result":{%s}}\n' "$id" "$(printf %s "$result" | tr -d '\n')"
        done"#;
        let session = async |revision: Revision| played(&ASKS.replace("REVISION", revision.as_str()), revision).await;
        let (older, newer) = (session(Revision::V2025_03_26).await, session(Revision::V2025_06_18).await);
        let severity = |sessions: &[&ProbeSession]| {
            let judged = |session| JudgedSession { session, steps: vec![JobStep::List {}], scenarios: Vec::new() };
            let judged: Vec<JudgedSession<'_>> = sessions.iter().copied().map(judged).collect();
            let found = of_rules(&judged, &PeerId::mock_of(Revision::V2025_06_18, &[]), Transport::Stdio, || false);
            let mut findings = found.values().flatten();
            findings.find(|finding| finding.rule == rules::SERVER_REQUESTS_DECLARED.id).map(|finding| finding.severity)
        };
        assert_eq!(severity(&[&older]), Some(Severity::Warning));
        assert_eq!(severity(&[&older, &newer]), Some(Severity::Error));
        assert_eq!(severity(&[&newer, &older]), Some(Severity::Error));
    }

    #[tokio::test]
    async fn a_session_that_was_not_judged_to_its_end_has_no_findings() {
        let session = session().await;
        let server = PeerId::mock_of(session.revision, &[]);
        // The time is over after so many looks at it.
        let found_after = |looks: usize| {
            let left = Arc::new(AtomicUsize::new(looks));
            let take = |left: usize| left.checked_sub(1);
            let is_over = move || left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_err();
            let judged = JudgedSession { session: &session, steps: vec![JobStep::List {}], scenarios: Vec::new() };
            of_rules(&[judged], &server, Transport::Stdio, is_over)
        };
        let whole = found_after(usize::MAX);
        let rules: Vec<&str> = whole.values().flatten().map(|finding| finding.rule.as_str()).collect();
        assert!(rules.contains(&"tools-list-shape") && rules.contains(&"output-schema-valid"), "{rules:?}");
        let needed = (0..1_000).find(|looks| found_after(*looks) == whole).unwrap();
        assert!(needed > 1, "the rules look at the time within a session");
        for looks in 0..needed {
            assert_eq!(found_after(looks), ByTool::new(), "after {looks} of {needed}");
        }
    }
}

#[cfg(test)]
mod text_tests {
    use mcp_compat_json::Json;

    use super::*;

    #[test]
    fn a_violation_of_two_rules_in_the_same_way_is_reported_once() {
        let finding = |rule: &str, way: &str, at: Revision| AuditFinding {
            severity: Severity::Warning,
            rule: rule.to_owned(),
            detail: String::new(),
            way: Some(way.to_owned()),
            at: vec![at],
            source: None,
            remedy: String::new(),
            wire: None,
            returned: None,
            required: None,
            lacks: Vec::new(),
            members: Vec::new(),
            lost_elsewhere: None,
            refused: None,
        };
        let (legacy, modern) = (Revision::V2025_11_25, Revision::V2026_07_28);
        let explained = |other: &str| {
            let rules = ["text-fallback", "text-fallback-for-non-objects"];
            let mut findings = vec![finding(rules[0], "no text", legacy), finding(rules[1], other, modern)];
            merge(&mut findings);
            findings.into_iter().map(|finding| finding.at).collect::<Vec<_>>()
        };
        assert_eq!(explained("no text"), [vec![legacy, modern]]);
        assert_eq!(explained("another text"), [vec![legacy], vec![modern]]);
    }

    #[test]
    fn a_difference_is_said_from_the_side_of_the_text() {
        let difference = |value: &str, text: &str| {
            words(&Json::parse(value).unwrap().first_difference(&Json::parse(text).unwrap()).unwrap())
        };
        assert_eq!(difference(r#"{"n":1}"#, r#"{"n":1,"created":null}"#), "only the text has /created");
        assert_eq!(difference(r#"{"n":1}"#, "{}"), "the text lacks /n");
        assert_eq!(difference("[1]", "[1,2]"), "at the root the text has 2 elements, and not 1");
    }
}
