//! From everything that was seen of a server to what is told of it. Pure.

use std::collections::{BTreeMap, BTreeSet};

use mcp_compat_model::audit::{
    AUDIT_VERSION, Audit, AuditFinding, AuditedServer, AuditedTool, CallState, Loss, RefusedRevision, Severity,
};
use mcp_compat_model::observation::{End, Seen as SeenStep};
use mcp_compat_model::peer_contract::JobStep;
use mcp_compat_model::record::{CellRecord, Record};
use mcp_compat_model::unseen::neutralised;
use mcp_compat_model::verdict::{BlastRadius, Outcome, Rating};
use mcp_compat_model::{PeerId, Revision};

use super::calls::{Decision, Planned, option};
use super::findings::{ByTool, JudgedSession, of_rules};
use super::replay::{ReplayScenarios, of_tool, spoken_with};
use super::{Seen, checks, scenarios_at};
use crate::probe::{ProbeSession, Refused};
use mcp_compat_run::peer::Peer;

/// What is told of a server, but for the changes.
pub(super) fn audit(
    seen: &Seen,
    scenarios: &ReplayScenarios,
    not_replayable: &BTreeMap<String, String>,
    record: &Record,
    clients: &[Peer],
) -> Audit {
    let mut found = found(seen, scenarios);
    for (tool, problem) in not_replayable {
        found.entry(Some(tool.clone())).or_default().push(not_replayed(tool, problem));
    }
    let shut_out = shut_out(record, clients, &seen.probed.revisions().collect::<Vec<_>>());
    let out: BTreeSet<&PeerId> = shut_out.iter().map(|loss| &loss.client).collect();
    let fares = Fares { seen, record, clients, out: &out, ruined: ruined(record) };
    let tools: Vec<AuditedTool> = seen.planned.iter().filter_map(|planned| fares.tool(planned, &mut found)).collect();
    let mut findings: Vec<AuditFinding> = found.into_values().flatten().collect();
    sort(&mut findings);
    Audit {
        audit_version: AUDIT_VERSION,
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        server: AuditedServer {
            id: seen.server_id(),
            name: seen.probed.server.name.clone(),
            version: seen.probed.server.version.clone(),
            transport: seen.probed.transport,
        },
        spoken: seen.probed.revisions().collect(),
        refused: seen
            .probed
            .refused
            .iter()
            .map(|refused| RefusedRevision { revision: refused.revision, why: refused.why.clone() })
            .collect(),
        clients: clients.iter().map(|client| client.record().clone()).collect(),
        shut_out,
        findings,
        tools,
        passed_over: seen.passed_over.clone(),
        changes: Vec::new(),
    }
}

/// What rules and checks say of the sessions, by tool.
fn found(seen: &Seen, scenarios: &ReplayScenarios) -> ByTool {
    let only_listed = [JobStep::List {}];
    let sessions: Vec<JudgedSession<'_>> = seen
        .probed
        .spoken
        .iter()
        .map(|listed| {
            let called = seen.sessions.called.iter().find(|(session, _)| session.revision == listed.revision);
            let (session, steps) = called.map_or((listed, &only_listed[..]), |(session, steps)| (session, &steps[..]));
            JudgedSession { session, steps: steps.to_vec(), scenarios: scenarios_at(scenarios, listed.revision) }
        })
        .collect();
    let mut found = of_rules(&sessions, &seen.server_id(), seen.probed.transport);
    let later: Vec<_> =
        seen.sessions.called.iter().map(|(session, _)| (session.revision, session.tools.clone())).collect();
    let general = found.entry(None).or_default();
    general.extend(checks::of_lists(&seen.probed, &later));
    general.extend(seen.probed.refused.iter().filter(|refused| !refused.certain).map(unclear));
    let sessions = seen.probed.spoken.iter().chain(seen.sessions.called.iter().map(|(session, _)| session));
    general.extend(died(&sessions.chain(&seen.sessions.again).collect::<Vec<_>>()));
    for (name, snapshots) in &seen.snapshots {
        let again = seen.again.get(name).map(|(call, revision)| (call, *revision));
        let findings = checks::of_tool(snapshots, again);
        found.entry(Some(name.clone())).or_default().extend(findings);
    }
    // What concerns a tool that was not asked for is not told.
    found.retain(|tool, _| tool.as_ref().is_none_or(|tool| seen.planned.iter().any(|planned| planned.name == *tool)));
    found
}

/// How the clients fare by each tool.
struct Fares<'a> {
    seen: &'a Seen,
    record: &'a Record,
    clients: &'a [Peer],
    /// The clients that have no session.
    out: &'a BTreeSet<&'a PeerId>,
    /// Those that lose every tool by one of them.
    ruined: BTreeSet<&'a PeerId>,
}

impl Fares<'_> {
    fn tool(&self, planned: &Planned, found: &mut ByTool) -> Option<AuditedTool> {
        let scenario = self.seen.ids.get(&planned.name)?.clone();
        let snapshots = self.seen.snapshots.get(&planned.name)?;
        let mut findings = found.remove(&Some(planned.name.clone())).unwrap_or_default();
        sort(&mut findings);
        let cells: Vec<&CellRecord> =
            of_tool(self.record, &scenario).filter(|cell| !self.out.contains(&cell.client)).collect();
        let lost = cells.iter().filter(|cell| matches!(cell.rating, Rating::Breaks | Rating::Degraded));
        let mut losses: Vec<Loss> = lost.map(|cell| loss(cell)).collect();
        let listed: Vec<Revision> = snapshots.iter().map(|snapshot| snapshot.revision).collect();
        losses.extend(self.clients.iter().filter_map(|client| self.unlisted(&planned.name, client, &listed)));
        losses.sort_by_key(|loss| (std::cmp::Reverse(loss.loses), std::cmp::Reverse(loss.severity())));
        let fine = cells.iter().filter(|cell| cell.rating == Rating::Works && !self.ruined.contains(&cell.client));
        let (fine, call) = (fine.count(), call_state(planned, self.seen));
        Some(AuditedTool { name: planned.name.clone(), scenario, listed, call, findings, losses, fine })
    }

    /// The loss of a client that speaks a revision at which the tool is not listed.
    fn unlisted(&self, tool: &str, client: &Peer, listed: &[Revision]) -> Option<Loss> {
        let spoken: Vec<Revision> = self.seen.probed.revisions().collect();
        let negotiated = spoken_with(client, &spoken).filter(|revision| !listed.contains(revision))?;
        Some(Loss {
            client: client.id().clone(),
            negotiated: Some(negotiated),
            rating: Rating::Breaks,
            outcome: Outcome::Lost,
            silent: false,
            loses: BlastRadius::Tool,
            fault: None,
            signature: None,
            reason: format!("{} speaks {negotiated}, at which `{}` is not listed", client.id(), neutralised(tool)),
        })
    }
}

/// The clients that lose every tool by one of them.
fn ruined(record: &Record) -> BTreeSet<&PeerId> {
    let of_all = |cell: &&CellRecord| cell.rating == Rating::Breaks && cell.blast_radius >= Some(BlastRadius::Server);
    record.cells.iter().filter(of_all).map(|cell| &cell.client).collect()
}

fn call_state(planned: &Planned, seen: &Seen) -> CallState {
    let Decision::Call { arguments, .. } = &planned.call else {
        return planned.left().unwrap_or_else(|| unreachable!("what is not called is left"));
    };
    let snapshots = seen.snapshots.get(&planned.name).map(Vec::as_slice).unwrap_or_default();
    let at: Vec<Revision> = snapshots
        .iter()
        .filter(|snapshot| snapshot.call.is_some() && snapshot.failure().is_none())
        .map(|snapshot| snapshot.revision)
        .collect();
    if !at.is_empty() {
        let again = seen.again.contains_key(&planned.name);
        return CallState::Answered { arguments: arguments.clone(), at, again };
    }
    let why = snapshots.iter().rev().find_map(super::snapshot::ToolSnapshot::failure);
    CallState::Failed {
        arguments: arguments.clone(),
        why: why.or_else(|| unanswered(&planned.name, seen)).unwrap_or_else(|| "no answer came".to_owned()),
        option: option(&planned.name, Some(&super::arguments::Unmade::Contradicting(String::new()))),
    }
}

/// What our client says of a call that was not answered.
fn unanswered(tool: &str, seen: &Seen) -> Option<String> {
    let (session, steps) = seen.sessions.called.last()?;
    let at = steps.iter().position(|step| matches!(step, JobStep::Call { tool: called, .. } if called == tool))?;
    match (session.observation.steps.get(at), &session.observation.end) {
        (Some(SeenStep::Failed(error)), _) => Some(error.message.clone()),
        (_, End::Crashed { how, .. }) => Some(format!("the server ended: {how}")),
        (
            Some(SeenStep::Called(_) | SeenStep::Listed { .. } | SeenStep::Evolved { .. } | SeenStep::NotReported {})
            | None,
            _,
        ) => None,
    }
}

/// A revision that a server which speaks others did not refuse, but failed at.
fn unclear(refused: &Refused) -> AuditFinding {
    AuditFinding {
        severity: Severity::Error,
        rule: "initialize-is-answered".to_owned(),
        detail: format!("whether {} is spoken is not known: {}", refused.revision, neutralised(&refused.why)),
        at: vec![refused.revision],
        source: None,
        remedy: "answer initialize at every revision, if only with one that the server speaks".to_owned(),
        wire: None,
    }
}

/// Sessions that the server ended itself.
fn died(sessions: &[&ProbeSession]) -> Option<AuditFinding> {
    let death = |session: &&&ProbeSession| match &session.observation.end {
        End::Crashed { how, .. } => Some(how.clone()),
        End::Answered {}
        | End::NoSession(_)
        | End::Unsupported { .. }
        | End::TimedOut { .. }
        | End::NotStarted { .. }
        | End::HarnessFailed { .. } => None,
    };
    let first = sessions.iter().find_map(|session| death(&session))?;
    let mut at: Vec<Revision> =
        sessions.iter().filter(|session| death(session).is_some()).map(|session| session.revision).collect();
    at.sort();
    at.dedup();
    Some(AuditFinding {
        severity: Severity::Error,
        rule: "server-stays".to_owned(),
        detail: format!("the server ended in the midst of a session: {}", neutralised(&first)),
        at,
        source: None,
        remedy: "answer every request, with an error if need be, and end only when the input does".to_owned(),
        wire: None,
    })
}

/// The clients with which no session came about, whatever the tool.
fn shut_out(record: &Record, clients: &[Peer], spoken: &[Revision]) -> Vec<Loss> {
    let mut by_client: BTreeMap<&PeerId, Vec<&CellRecord>> = BTreeMap::new();
    for cell in &record.cells {
        by_client.entry(&cell.client).or_default().push(cell);
    }
    let is_out = |cell: &&CellRecord| cell.outcome == Outcome::Unreachable && cell.negotiated.is_none();
    let out = by_client.into_values().filter(|cells| cells.iter().all(is_out));
    let dates = |revisions: &[Revision]| revisions.iter().map(|date| date.as_str()).collect::<Vec<_>>().join(", ");
    let words = |cell: &CellRecord| {
        let offered: Vec<Revision> =
            clients.iter().filter(|peer| *peer.id() == cell.client).flat_map(Peer::offered).collect();
        format!("{} speaks only {}, and the server only {}", cell.client, dates(&offered), dates(spoken))
    };
    // What the stand-in said of it is not what the server would say.
    out.filter_map(|cells| cells.first().map(|cell| Loss { reason: words(cell), fault: None, ..loss(cell) })).collect()
}

/// Of a tool whose answer was not seen only a loss is told: that a client lists it proves nothing of the rest.
pub(super) fn skip_unseen(record: &mut Record, tools: &[AuditedTool]) {
    for tool in tools {
        let why = match &tool.call {
            CallState::Answered { .. } => continue,
            CallState::Failed { why, .. } => format!("failed: {why}; give arguments that it takes"),
            CallState::NotCalled { why, option: Some(_) } => format!("was not called: {why}; name it among the calls"),
            CallState::NotCalled { why, option: None } => format!("was not called: {why}"),
        };
        let reason = format!("`{}` {why}", neutralised(&tool.name));
        let unseen = |cell: &&mut CellRecord| cell.scenario == tool.scenario && cell.rating != Rating::Breaks;
        for cell in record.cells.iter_mut().filter(unseen) {
            (cell.rating, cell.outcome, cell.expected) = (Rating::Skipped, Outcome::Unsupported, None);
            cell.reason.clone_from(&reason);
        }
    }
}

fn loss(cell: &CellRecord) -> Loss {
    Loss {
        client: cell.client.clone(),
        negotiated: cell.negotiated,
        rating: cell.rating,
        outcome: cell.outcome,
        silent: cell.silent,
        loses: cell.blast_radius.unwrap_or(BlastRadius::Call),
        fault: cell.fault,
        signature: cell.signature.clone(),
        reason: cell.reason.clone(),
    }
}

fn not_replayed(tool: &str, problem: &str) -> AuditFinding {
    AuditFinding {
        severity: Severity::Warning,
        rule: "can-be-replayed".to_owned(),
        detail: format!("what clients lose by `{tool}` could not be found out: {problem}"),
        at: Vec::new(),
        source: None,
        remedy: "see that the tool's definition is one that JSON and the protocol admit".to_owned(),
        wire: None,
    }
}

fn sort(findings: &mut [AuditFinding]) {
    findings.sort_by(|one, other| (other.severity, &one.rule).cmp(&(one.severity, &other.rule)));
}
