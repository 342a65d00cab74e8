//! Assembles the audit from everything that was observed. Pure functions only.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use mcp_compat_judge::rules::{self, Affects};
use mcp_compat_model::audit::{
    AUDIT_VERSION, Audit, AuditFinding, AuditedServer, AuditedTool, CallState, Loss, RefusedRevision, Severity,
};
use mcp_compat_model::count::counted;
use mcp_compat_model::excerpt::excerpt;
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::observation::Seen as SeenStep;
use mcp_compat_model::peer_contract::JobStep;
use mcp_compat_model::read_limit::ReadLimit;
use mcp_compat_model::record::{CellRecord, Record};
use mcp_compat_model::signature::Ground;
use mcp_compat_model::verdict::{BlastRadius, Fault, Outcome, Rating};
use mcp_compat_model::{PeerId, Revision, ScenarioId};
use mcp_compat_run::peer::ClientPeer;
use mcp_compat_scenario::write::Answer;

use super::arguments::{NoArguments, does_not_conform, takes_arguments};
use super::audit_rule::{
    ACCEPTS_ITS_OWN_ARGUMENTS, AuditRule, CALL_WORKS_AT_EVERY_REVISION, CALLS_DO_NOT_CRASH, CAN_BE_REPLAYED,
    CLIENTS_TAKE_THE_TOOL, INITIALIZE_IS_ANSWERED, LIST_ENDS, LIST_HOLDS, LISTED_TOOL_IS_KNOWN, NESTING_DEPTH,
    OWN_RESULT_ACCEPTED, REVISIONS_AGREE, SERVER_STAYS, TOOL_AT_EVERY_REVISION, may_explain,
};
use super::audit_time::JudgingTime;
use super::calls::{Decision, Planned, option};
use super::discover_answer::DiscoverAnswer;
use super::failing_revisions::{self, Confirmed, succeeded};
use super::findings::{ByTool, JudgedSession, explain_null, explain_text, of_rules};
use super::losses::{self, is_lost, loss, shut_out};
use super::observed::ObservedServer;
use super::outage::Outages;
use super::replay::{Played, ReplayScenarios, by_tool, scenarios_at, spoken_with};
use super::session_rules::STRING_IDS_ARE_RETURNED;
use super::snapshot::ToolSnapshot;
use super::variations::rules::{OPTIONAL_PARAMS_ARE_OPTIONAL, REQUEST_IDS_ARE_RETURNED};
use super::{
    checks, client_choices, early_notifications, evidence, handshake, host_limits, lost_elsewhere, outage,
    unmarked_failure, unstable_tools,
};
use crate::probe::{ProbeSession, ProbedServer, Refused, was_not_read};

/// The audit of a server, without the changes to make.
pub(super) fn audit(observed: &ObservedServer, played: &Played, clients: &[ClientPeer]) -> Audit {
    let Played { scenarios, not_replayable, record, judging, .. } = played;
    let (mut found, unchecked, outages) = found(observed, scenarios, judging);
    for (tool, problem) in not_replayable {
        found.entry(Some(tool.clone())).or_default().push(not_replayed(tool, problem));
    }
    let mut shut_out = shut_out(record, clients, &observed.probed.revisions().collect::<Vec<_>>());
    let server_losses = if observed.planned.is_empty() { outages.losses(clients) } else { Vec::new() };
    if observed.planned.is_empty() {
        let out = losses::without_revision(clients, &server_losses);
        shut_out.extend(out.filter(|loss| !outages.is_kept_by(&loss.client)));
    }
    let out: BTreeSet<&PeerId> = shut_out.iter().map(|loss| &loss.client).collect();
    let losses = ClientLosses {
        observed,
        cells: by_tool(record),
        clients,
        out: &out,
        without_tools: without_tools(record),
        steps: last_steps(observed),
        not_replayable,
        unchecked: &unchecked,
        outages: &outages,
        is_complete: record.complete,
    };
    let tools: Vec<AuditedTool> =
        observed.planned.iter().filter_map(|planned| losses.tool(planned, &mut found)).collect();
    let mut findings: Vec<AuditFinding> = found.into_values().flatten().collect();
    sort(&mut findings);
    Audit {
        audit_version: AUDIT_VERSION,
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        server: AuditedServer {
            id: observed.server_id(),
            name: observed.probed.server.name.clone(),
            version: observed.probed.server.version.clone(),
            transport: observed.probed.transport,
        },
        spoken: observed.probed.revisions().collect(),
        refused: observed
            .probed
            .refused
            .iter()
            .map(|refused| RefusedRevision { revision: refused.revision, why: refused.why.clone() })
            .collect(),
        clients: clients.iter().map(|client| client.record().clone()).collect(),
        shut_out,
        findings,
        losses: server_losses,
        tools,
        passed_over: observed.passed_over.clone(),
        tool_limit: observed.tool_limit,
        changes: Vec::new(),
        together: Vec::new(),
        profile_differences: Vec::new(),
        takers: Vec::new(),
        not_started: Vec::new(),
        hosts: Vec::new(),
        cut_short: None,
        tests: Vec::new(),
    }
}

/// Findings of the rules and checks, by tool, and the tools that there was no time to check: these have no findings
/// yet.
fn found<'o>(
    observed: &'o ObservedServer,
    scenarios: &ReplayScenarios,
    judging: &JudgingTime,
) -> (ByTool, BTreeSet<&'o str>, Outages) {
    let only_listed = [JobStep::List {}];
    let ProbedServer { spoken, unopened, .. } = &observed.probed;
    // What a server does without a session is judged if it opens none.
    let judged = if spoken.is_empty() { unopened } else { spoken };
    let sessions: Vec<JudgedSession<'_>> = judged
        .iter()
        .flat_map(|listed| {
            let called = observed.sessions.called.iter().filter(|(session, _)| session.revision == listed.revision);
            let mut asked: Vec<_> = called.map(|(session, steps)| (listed.revision, session, &steps[..])).collect();
            // A session in which no list came shows less than the one that was only listed in.
            if asked.iter().all(|(_, session, _)| !session.listed) {
                asked.push((listed.revision, listed, &only_listed[..]));
            }
            asked
        })
        .map(|(revision, session, steps)| {
            let begun = if session.cut_short.is_some() { session.observation.steps.len() } else { steps.len() };
            JudgedSession { session, steps: steps[..begun].to_vec(), scenarios: scenarios_at(scenarios, revision) }
        })
        .collect();
    let time = judging.clone();
    let mut found = of_rules(&sessions, &observed.server_id(), observed.probed.transport, move || time.is_over());
    outage::leave_out_repeated_pages(&mut found);
    outage::leave_out_late_responses(&mut found);
    let streams = client_choices::of_gets(observed, judging);
    found.entry(None).or_default().extend(streams);
    let later: Vec<_> = observed.sessions.called.iter().map(|(session, _)| session).collect();
    // The calls of the audit may have shown it already, with the tool.
    let known: BTreeSet<String> = found.values().flatten().map(|finding| finding.rule.clone()).collect();
    let general = found.entry(None).or_default();
    general.extend(checks::of_lists(&observed.probed, &later));
    general.extend(host_limits::of_hosts(&observed.probed));
    general.extend(early_notifications::finding(spoken.iter()));
    let again = later.into_iter().chain(observed.styled.iter().map(|styled| &styled.session));
    let unstable = unstable_tools::unstable_tools(spoken, again);
    if general.iter().all(|finding| AuditRule::of(finding) != Some(&LIST_HOLDS)) {
        general.extend(unstable_tools::finding(&unstable));
    }
    if !spoken.is_empty() {
        let is_told = |at: &Revision| observed.refused_offers.iter().any(|offers| offers.revisions.contains(at));
        let open = observed.probed.refused.iter().filter(|refused| !refused.certain && !is_told(&refused.revision));
        general.extend(open.map(unclear));
    }
    let sessions = observed.probed.spoken.iter().chain(observed.sessions.called.iter().map(|(session, _)| session));
    let (unread, sessions): (Vec<_>, Vec<_>) =
        sessions.chain(&observed.sessions.again).partition(|session| session.not_read == Some(ReadLimit::Depth));
    general.extend(observed.handshake_findings.iter().cloned());
    general.extend(observed.choice_findings.iter().filter(|finding| !known.contains(&finding.rule)).cloned());
    general.extend(observed.probed.refused.iter().filter_map(handshake::unreadable));
    let outages = Outages::find(&observed.probed, general);
    general.extend(cut(&observed.probed.spoken));
    general.extend(died(&sessions));
    general.extend(unread_messages(&unread, &NESTING_DEPTH));
    general.extend(unread_messages(&sessions, &CAN_BE_REPLAYED));
    general.extend(DiscoverAnswer::of(&observed.probed).map(DiscoverAnswer::finding));
    // Both are told of a server that does not return strings.
    let of_strings = |finding: &AuditFinding| AuditRule::of(finding) == Some(&STRING_IDS_ARE_RETURNED);
    let are_known = observed.choice_findings.iter().any(of_strings);
    for (tool, findings) in &observed.varied {
        let is_new = |finding: &&AuditFinding| !are_known || AuditRule::of(finding) != Some(&REQUEST_IDS_ARE_RETURNED);
        found.entry(tool.clone()).or_default().extend(findings.iter().filter(is_new).cloned());
    }
    found.values_mut().for_each(|findings| lost_elsewhere::tell(findings));
    let mut unchecked = BTreeSet::new();
    for (name, snapshots) in &observed.snapshots {
        if judging.is_over() {
            found.remove(&Some(name.clone()));
            unchecked.insert(name.as_str());
            continue;
        }
        let again = observed.again.get(name).map(|(call, revision)| (call, *revision));
        let of_tool = found.entry(Some(name.clone())).or_default();
        // A second call tells more of a refusal than the words of the first.
        let is_told = of_tool.iter().any(|finding| AuditRule::of(finding) == Some(&ACCEPTS_ITS_OWN_ARGUMENTS));
        let mut of_checks = checks::of_tool(snapshots, again, observed.unlisted.as_ref());
        let is_of_words = |finding: &AuditFinding| {
            [&ACCEPTS_ITS_OWN_ARGUMENTS, &CALLS_DO_NOT_CRASH].map(Some).contains(&AuditRule::of(finding))
        };
        of_checks.retain(|finding| !is_told || !is_of_words(finding));
        of_tool.extend(of_checks);
        // A header that is not decoded is why the call fails at the revisions that have it.
        let with_header: Vec<Revision> = of_tool
            .iter()
            .filter(|finding| is_of_encoded_header(finding))
            .flat_map(|finding| finding.at.clone())
            .collect();
        let is_by_header = |finding: &AuditFinding| {
            AuditRule::of(finding) == Some(&CALL_WORKS_AT_EVERY_REVISION)
                && finding.at.iter().all(|at| with_header.contains(at))
        };
        let failed = observed.failed_calls(name);
        of_tool.extend(failing_revisions::findings(&failed).filter(|finding| !is_by_header(finding)));
        // The tool is known: it refuses what the client adds.
        if of_tool.iter().any(|finding| AuditRule::of(finding) == Some(&OPTIONAL_PARAMS_ARE_OPTIONAL)) {
            of_tool.retain(|finding| AuditRule::of(finding) != Some(&LISTED_TOOL_IS_KNOWN));
        }
        explain_null(of_tool, snapshots);
        leave_out_consequences(of_tool);
        // What differs from start to start differs between revisions by chance.
        of_tool.retain(|finding| AuditRule::of(finding) != Some(&REVISIONS_AGREE) || !unstable.contains_key(name));
        leave_out_errors_of_server(of_tool, snapshots, &observed.confirmed);
        explain_text(of_tool, snapshots);
        evidence::show(of_tool, snapshots);
        let is_guessed = observed.planned.iter().any(|planned| planned.name == *name && planned.is_guessed());
        unmarked_failure::explain(of_tool, snapshots, is_guessed);
    }
    // Tools that were not selected are not reported.
    let planned: BTreeSet<&str> = observed.planned.iter().map(|planned| planned.name.as_str()).collect();
    found.retain(|tool, _| tool.as_ref().is_none_or(|tool| planned.contains(tool.as_str())));
    (found, unchecked, outages)
}

/// Removes findings of the specification that a finding of the audit subsumes.
fn leave_out_consequences(findings: &mut Vec<AuditFinding>) {
    let subsumed: Vec<Affects> = findings.iter().filter_map(|finding| AuditRule::of(finding)?.subsumes).collect();
    findings.retain(|finding| rules::find(&finding.rule).is_none_or(|rule| !subsumed.contains(&rule.affects)));
}

/// Removes findings about the form of a tool error where another rule names the reason: the call fails by the revision, or
/// the SDK of the server refused the result.
fn leave_out_errors_of_server(findings: &mut Vec<AuditFinding>, snapshots: &[ToolSnapshot], fails_at: &Confirmed) {
    let is_of_server = |at: &Revision| {
        let at_revision = |it: &&ToolSnapshot| it.revision == *at;
        snapshots.iter().find(at_revision).is_some_and(|snapshot| {
            snapshot.own_validation_error().is_some() || fails_at.contains(&(snapshot.tool.name.clone(), *at))
        })
    };
    findings.retain_mut(|finding| {
        if rules::find(&finding.rule) != Some(&rules::TOOL_ERROR_IN_RESULT) {
            return true;
        }
        finding.at.retain(|at| !is_of_server(at));
        !finding.at.is_empty()
    });
}

/// The rules whose violation makes a call fail, whatever its arguments are.
static OF_FAILED_CALLS: [&AuditRule; 5] = [
    &ACCEPTS_ITS_OWN_ARGUMENTS,
    &CALLS_DO_NOT_CRASH,
    &LISTED_TOOL_IS_KNOWN,
    &OPTIONAL_PARAMS_ARE_OPTIONAL,
    &OWN_RESULT_ACCEPTED,
];

struct ClientLosses<'a> {
    observed: &'a ObservedServer,
    cells: BTreeMap<&'a ScenarioId, Vec<&'a CellRecord>>,
    clients: &'a [ClientPeer],
    /// The clients that have no session.
    out: &'a BTreeSet<&'a PeerId>,
    /// Clients that lose all tools because of one tool.
    without_tools: BTreeSet<&'a PeerId>,
    /// Which step of which session was the last to call each tool.
    steps: LastSteps<'a>,
    /// Reasons why some tools could not be replayed.
    not_replayable: &'a BTreeMap<String, String>,
    /// The tools that were left unchecked.
    unchecked: &'a BTreeSet<&'a str>,
    /// The revisions at which nobody gets a list.
    outages: &'a Outages,
    /// True if every replay was played.
    is_complete: bool,
}

impl ClientLosses<'_> {
    fn tool(&self, planned: &Planned, found: &mut ByTool) -> Option<AuditedTool> {
        let scenario = self.observed.ids.get(&planned.name)?.clone();
        let snapshots = self.observed.snapshots.get(&planned.name)?;
        let mut findings = found.remove(&Some(planned.name.clone())).unwrap_or_default();
        sort(&mut findings);
        let cells = self.cells.get(&scenario).into_iter().flatten().copied();
        let cells: Vec<&CellRecord> = cells.filter(|cell| !self.out.contains(&cell.client)).collect();
        // A cell that could not be judged is no loss.
        let is_lost = |cell: &&&CellRecord| {
            matches!(cell.rating, Rating::Breaks | Rating::Degraded) && cell.outcome != Outcome::Incomplete
        };
        let listed: Vec<Revision> = snapshots.iter().map(|snapshot| snapshot.revision).collect();
        let played: BTreeSet<&PeerId> = cells.iter().map(|cell| &cell.client).collect();
        // A client that went on at another revision than it asked for has the list of that one.
        let is_elsewhere = |cell: &CellRecord| cell.negotiated.filter(|revision| !listed.contains(revision));
        let (elsewhere, cells): (Vec<&CellRecord>, Vec<&CellRecord>) =
            cells.into_iter().partition(|cell| is_elsewhere(cell).is_some());
        let lost = cells.iter().filter(is_lost);
        let mut losses: Vec<Loss> = lost.map(|cell| loss(cell)).collect();
        losses.extend(self.clients.iter().filter_map(|client| {
            let cell = elsewhere.iter().find(|cell| cell.client == *client.id());
            self.unlisted(&planned.name, client, cell.and_then(|cell| cell.negotiated), &listed)
        }));
        losses.sort_by_key(|loss| (std::cmp::Reverse(loss.loses), std::cmp::Reverse(loss.severity())));
        let fine =
            cells.iter().filter(|cell| cell.rating == Rating::Works && !self.without_tools.contains(&cell.client));
        let (fine, mut call) = (fine.count(), call_state(planned, self.observed, &self.steps));
        // Other arguments are no advice where the server is at fault.
        if let CallState::Failed { option, .. } = &mut call
            && findings.iter().filter_map(AuditRule::of).any(|rule| OF_FAILED_CALLS.contains(&rule))
        {
            *option = None;
        }
        let declares_output = snapshots.iter().any(|snapshot| snapshot.output_schema().is_some());
        let name = planned.name.clone();
        let not_played = self.not_played(&name, &listed, &played);
        let is_unknown = |cell: &&&CellRecord| cell.rating == Rating::Skipped || cell.outcome == Outcome::Incomplete;
        let not_known = cells.iter().filter(is_unknown).count();
        let fails_in_words =
            snapshots.iter().any(|snapshot| unmarked_failure::is_likely(snapshot, planned.is_guessed()));
        let tool = AuditedTool {
            not_replayable: self.not_replayable.contains_key(&name),
            fails_in_words,
            name,
            scenario,
            listed,
            declares_output,
            call,
            findings,
            losses,
            fine,
            not_played,
            not_known,
            unchecked: self.unchecked.contains(planned.name.as_str()),
        };
        Some(self.weighed(tool))
    }

    /// Number of clients that the tool was not played to, though the server lists it at the revision that they speak.
    fn not_played(&self, tool: &str, listed: &[Revision], played: &BTreeSet<&PeerId>) -> usize {
        if self.is_complete || self.not_replayable.contains_key(tool) {
            return 0;
        }
        let spoken: Vec<Revision> = self.observed.probed.revisions().collect();
        let meets = |client: &ClientPeer| {
            let revision = spoken_with(client, &spoken).or(spoken.last().copied());
            revision.is_some_and(|revision| listed.contains(&revision))
        };
        let is_missing = |client: &&ClientPeer| !self.out.contains(client.id()) && !played.contains(client.id());
        self.clients.iter().filter(is_missing).filter(|client| meets(client)).count()
    }

    /// A loss without a finding gets one. A warning about what most clients lose the tool for is an error.
    fn weighed(&self, mut tool: AuditedTool) -> AuditedTool {
        let in_session = self.clients.len() - self.out.len();
        let unexplained = tool.breaks().filter(|loss| !is_explained(loss, &tool.findings));
        // A client whose revision does not list the tool has a finding about the list.
        let lost = unexplained.filter_map(|loss| loss.negotiated).filter(|revision| tool.listed.contains(revision));
        let lost: Vec<Revision> = lost.collect();
        if !lost.is_empty() && !tool.unchecked {
            let (name, many) = (neutralised(&tool.name), lost.len());
            let (clients, lose) = (counted(many, "client"), if many == 1 { "loses" } else { "lose" });
            let detail = format!("{clients} {lose} `{name}`; no rule forbids what the server did");
            let at: BTreeSet<Revision> = lost.into_iter().collect();
            tool.findings.push(CLIENTS_TAKE_THE_TOOL.violated(detail, at.into_iter().collect()));
        }
        let lost_for = |finding: &AuditFinding| tool.breaks().filter(|loss| is_reason(finding, loss)).count();
        let of_most: Vec<bool> = tool.findings.iter().map(|finding| 2 * lost_for(finding) > in_session).collect();
        for (finding, is_of_most) in tool.findings.iter_mut().zip(of_most) {
            if is_of_most && finding.severity == Severity::Warning {
                finding.severity = Severity::Error;
            }
        }
        sort(&mut tool.findings);
        for loss in tool.losses.iter_mut().filter(|loss| loss.rule.is_none()) {
            loss.rule = rule_of(loss, &tool.findings);
            // The specification leaves nothing open that a rule of the audit explains: those are rules of servers.
            if loss.rule.is_some() && loss.fault == Some(Fault::Spec) {
                loss.fault = Some(Fault::Server);
            }
        }
        tool
    }

    /// The loss of a client that speaks a revision at which the tool is not listed: the one that it negotiated, or else
    /// the one that it will.
    fn unlisted(
        &self,
        tool: &str,
        client: &ClientPeer,
        negotiated: Option<Revision>,
        listed: &[Revision],
    ) -> Option<Loss> {
        let spoken: Vec<Revision> = self.observed.probed.revisions().collect();
        let negotiated = negotiated.or_else(|| spoken_with(client, &spoken));
        let negotiated = negotiated.filter(|revision| !listed.contains(revision))?;
        if let Some(outage) = self.outages.at(negotiated) {
            return Some(outage.loss(client, negotiated));
        }
        let session = self.observed.probed.spoken.iter().find(|session| session.revision == negotiated)?;
        let what = match (session.listed, session.cut_short.is_some() || session.not_read.is_some()) {
            // The tool may be where the list was cut.
            (true, _) if session.cut.is_some() => return None,
            (true, _) => format!("the server does not list `{}` at this revision", neutralised(tool)),
            (false, false) => format!("at this revision {}", neutralised(&session.why_without_tools())),
            // Nobody knows what the list would have been.
            (false, true) => return None,
        };
        Some(Loss {
            client: client.id().clone(),
            negotiated: Some(negotiated),
            rating: Rating::Breaks,
            outcome: Outcome::Lost,
            silent: false,
            loses: BlastRadius::Tool,
            fault: None,
            signature: None,
            rule: Some(TOOL_AT_EVERY_REVISION.id.to_owned()),
            reason: format!("{} speaks {negotiated}, and {what}", client.id()),
        })
    }
}

/// Returns whether the reason of a loss is known: a rule of the specification, or what one of the findings is about.
fn is_explained(loss: &Loss, findings: &[AuditFinding]) -> bool {
    match loss.signature.as_ref().map(|signature| &signature.ground) {
        Some(Ground::Rule(_) | Ground::NoSession(_)) | None => true,
        Some(Ground::SpecSilent | Ground::SpecConflict | Ground::NoRule) => {
            findings.iter().any(|finding| finding.severity > Severity::Note && is_reason(finding, loss))
        }
    }
}

/// The rule that decides a loss: the one of its signature, or that of the worst finding which may be the reason.
fn rule_of(loss: &Loss, findings: &[AuditFinding]) -> Option<String> {
    if let Some(Ground::Rule(rule)) = loss.signature.as_ref().map(|signature| &signature.ground) {
        return Some(rule.clone());
    }
    let is_it = |finding: &&AuditFinding| finding.severity > Severity::Note && is_reason(finding, loss);
    findings.iter().find(is_it).map(|finding| finding.rule.clone())
}

/// Returns whether what a finding is about may be the reason of a loss.
fn is_reason(finding: &AuditFinding, loss: &Loss) -> bool {
    match loss.signature.as_ref().map(|signature| &signature.ground) {
        Some(Ground::Rule(rule)) => finding.rule == *rule,
        Some(Ground::SpecSilent | Ground::SpecConflict | Ground::NoRule) => {
            let is_at = loss.negotiated.is_some_and(|revision| finding.at.contains(&revision));
            may_explain(finding, loss) || (is_of_encoded_header(finding) && is_at && loss.loses == BlastRadius::Call)
        }
        Some(Ground::NoSession(_)) | None => false,
    }
}

fn is_of_encoded_header(finding: &AuditFinding) -> bool {
    rules::find(&finding.rule) == Some(&rules::HTTP_HEADERS_ARE_DECODED)
}

/// The clients that lose all tools because of one tool.
fn without_tools(record: &Record) -> BTreeSet<&PeerId> {
    let of_all = |cell: &&CellRecord| cell.rating == Rating::Breaks && cell.blast_radius >= Some(BlastRadius::Server);
    record.cells.iter().filter(of_all).map(|cell| &cell.client).collect()
}

/// A revision that the server neither spoke nor refused, though it speaks others.
fn unclear(refused: &Refused) -> AuditFinding {
    let detail = format!("it is unknown whether the server speaks {}: {}", refused.revision, neutralised(&refused.why));
    INITIALIZE_IS_ANSWERED.violated(detail, vec![refused.revision])
}

/// Lists that were longer than what an audit reads.
fn cut(listed: &[ProbeSession]) -> Option<AuditFinding> {
    let at: Vec<&ProbeSession> = listed.iter().filter(|session| session.cut.is_some()).collect();
    let longest = at.iter().max_by_key(|session| session.tools.len())?;
    let (after, many) = (longest.cut.as_deref().unwrap_or_default(), counted(longest.tools.len(), "tool"));
    let detail = format!("the list was cut after {after}, and the server has more. The audit covers the first {many}");
    Some(LIST_ENDS.violated(detail, revisions(at.iter())))
}

/// Sessions that the server ended.
fn died(sessions: &[&ProbeSession]) -> Option<AuditFinding> {
    let first = sessions.iter().find_map(|session| session.death())?;
    let at = revisions(sessions.iter().filter(|session| session.death().is_some()));
    Some(SERVER_STAYS.violated(format!("the server ended during a session: {}", neutralised(first)), at))
}

/// Sessions with a message that was not read, as a finding of the rule that is about its size.
fn unread_messages(sessions: &[&ProbeSession], rule: &AuditRule) -> Option<AuditFinding> {
    let first = sessions.iter().find_map(|session| session.not_read)?;
    let at = revisions(sessions.iter().filter(|session| session.not_read.is_some()));
    Some(rule.violated(was_not_read(first), at))
}

/// The revisions of sessions, each once.
fn revisions<'s>(sessions: impl Iterator<Item = &'s &'s ProbeSession>) -> Vec<Revision> {
    sessions.map(|session| session.revision).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Skips the cells of tools whose answer was not observed, unless the client loses something. That a client lists a
/// tool proves nothing about its results.
pub(super) fn skip_unseen(record: &mut Record, tools: &[AuditedTool]) {
    let mut reasons: BTreeMap<&ScenarioId, String> = BTreeMap::new();
    for tool in tools {
        let why = match &tool.call {
            CallState::Answered { .. } => continue,
            CallState::Failed { why, .. } => format!("failed: {why}. Give arguments that it accepts"),
            CallState::NotCalled { why, option: Some(_) } => format!("was not called: {why}. Add it to the calls"),
            CallState::NotCalled { why, option: None } => format!("was not called: {why}"),
        };
        reasons.insert(&tool.scenario, format!("`{}` {why}", neutralised(&tool.name)));
    }
    let unseen = |cell: &&mut CellRecord| cell.rating != Rating::Breaks || cell.outcome == Outcome::Incomplete;
    for cell in record.cells.iter_mut().filter(unseen) {
        if let Some(reason) = reasons.get(&cell.scenario) {
            losses::skip(cell, reason);
        }
    }
}

fn not_replayed(tool: &str, problem: &str) -> AuditFinding {
    let detail = format!("`{}` could not be replayed to clients: {problem}", excerpt(tool));
    CAN_BE_REPLAYED.violated(detail, Vec::new())
}

fn sort(findings: &mut [AuditFinding]) {
    findings.sort_by(|one, other| (other.severity, &one.rule).cmp(&(one.severity, &other.rule)));
}

/// Outcome of the call of a tool.
pub(super) fn call_state(planned: &Planned, observed: &ObservedServer, steps: &LastSteps<'_>) -> CallState {
    let Decision::Call { arguments, .. } = &planned.call else {
        return planned.left().unwrap_or_else(|| unreachable!("a tool that is not called has that state"));
    };
    let snapshots = observed.snapshots.get(&planned.name).map(Vec::as_slice).unwrap_or_default();
    let called = snapshots.iter().filter(|snapshot| snapshot.call.is_some());
    let (answered, failed): (Vec<_>, Vec<_>) = called.partition(|snapshot| succeeded(snapshot));
    if !answered.is_empty() {
        let [at, failed] =
            [answered, failed].map(|some| some.iter().map(|snapshot| snapshot.revision).collect::<Vec<Revision>>());
        let again = observed.again.get(&planned.name).is_some_and(|(_, revision)| at.contains(revision));
        return CallState::Answered { arguments: arguments.clone(), at, again, failed };
    }
    let step = steps.get(planned.name.as_str()).copied();
    let is_open =
        |snapshot: &ToolSnapshot| snapshot.call.as_ref().is_some_and(|call| matches!(call.answer, Answer::Hang));
    let waited = || unanswered(step?).map(|why| format!("{why}. If it needs longer, raise `--timeout`"));
    let why = snapshots.iter().rev().find_map(|snapshot| {
        let waited = if is_open(snapshot) { waited() } else { None };
        waited.or_else(|| snapshot.failure())
    });
    if why.is_none() {
        let cut_short = observed.why_not_begun(&planned.name).map(|why| why.to_string());
        let ended = |_: &str| format!("the server had ended before. To audit it alone, give `--tool {}`", planned.name);
        if let Some(why) = cut_short.or_else(|| step.and_then(|(session, _)| session.death()).map(ended)) {
            return CallState::NotCalled { why, option: None };
        }
    }
    // Other arguments are no advice for a tool that has no parameters, or whose failure has another cause.
    let has_parameters = snapshots.last().is_none_or(|snapshot| takes_arguments(&snapshot.tool.definition));
    let is_misaddressed = observed.misaddressed.iter().any(|(tool, _)| *tool == planned.name);
    let helps = has_parameters && !is_misaddressed && !snapshots.iter().any(is_lost);
    let why = why
        .or_else(|| unanswered(step?))
        .or_else(|| observed.sessions.called.last()?.0.not_read.map(was_not_read))
        .unwrap_or_else(|| "no answer came".to_owned());
    let refused = snapshots.last().and_then(|snapshot| does_not_conform(&snapshot.tool.definition, arguments));
    CallState::Failed {
        arguments: arguments.clone(),
        why: match refused.filter(|_| helps) {
            Some(problem) => {
                format!("the arguments do not conform to its inputSchema ({problem}): {why}")
            }
            None => why,
        },
        option: helps.then(|| option(&planned.name, Some(&NoArguments::Inconsistent(String::new())))),
        expected: false,
    }
}

/// The last session that was to call each tool, and the place of the step.
pub(super) type LastSteps<'o> = HashMap<&'o str, (&'o ProbeSession, usize)>;

/// Which step of which session was the last to call each tool.
pub(super) fn last_steps(observed: &ObservedServer) -> LastSteps<'_> {
    let sessions = &observed.sessions.called;
    // Sessions at older revisions say nothing beside the newest one.
    let newest = sessions.last().map(|(session, _)| session.revision);
    let sessions = sessions.iter().filter(|(session, _)| Some(session.revision) == newest);
    let calls = sessions.flat_map(|(session, steps)| {
        steps.iter().enumerate().filter_map(move |(at, step)| match step {
            JobStep::Call { tool, .. } => Some((tool.as_str(), (session, at))),
            JobStep::List {} | JobStep::Evolve { .. } => None,
        })
    });
    calls.collect()
}

/// Report of the probe about the step of a call that was not answered.
fn unanswered((session, at): (&ProbeSession, usize)) -> Option<String> {
    match session.observation.steps.get(at) {
        Some(SeenStep::Failed(error)) => Some(error.message.clone()),
        Some(SeenStep::Called(_) | SeenStep::Listed { .. } | SeenStep::Evolved { .. } | SeenStep::NotReported {})
        | None => session.death().map(|how| format!("the server ended: {how}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::findings::of_rule;

    /// A call that failed at a revision, by no rule.
    fn lost(loses: BlastRadius, negotiated: Revision) -> Loss {
        Loss {
            client: "profile/typescript@2".parse().unwrap(),
            negotiated: Some(negotiated),
            rating: Rating::Breaks,
            outcome: Outcome::Rejected,
            silent: false,
            loses,
            fault: Some(Fault::Both),
            signature: Some("both:rejected:tools/call:no-rule:protocol".parse().unwrap()),
            rule: None,
            reason: String::new(),
        }
    }

    #[test]
    fn a_header_that_is_not_decoded_explains_the_calls_at_its_revisions_alone() {
        let finding = of_rule(&rules::HTTP_HEADERS_ARE_DECODED, String::new(), vec![Revision::V2026_07_28]);
        assert!(is_reason(&finding, &lost(BlastRadius::Call, Revision::V2026_07_28)));
        assert!(!is_reason(&finding, &lost(BlastRadius::Call, Revision::V2025_11_25)));
        assert!(!is_reason(&finding, &lost(BlastRadius::Session, Revision::V2026_07_28)));
    }
}
