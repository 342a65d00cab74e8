//! The audit of a client that is only a command: what it does with a few servers and scenarios.
//!
//! ```text
//! probes × servers ─ run ─> cells + evidence ─ WireActivity ─> what it did ─ conclusions ─> Conclusion, worst first
//! ```
//!
//! The audit uses nothing but the wire and the exit status.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use mcp_compat_judge::rules;
use mcp_compat_model::cause::{Cause, causes};
use mcp_compat_model::client_audit::{BrokenRule, ClientAudit, Conclusion, Place, Probe, Visit};
use mcp_compat_model::count::counted;
use mcp_compat_model::excerpt::quoted;
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::observation::End;
use mcp_compat_model::record::{CellRecord, Evidence, Record, ScenarioRecord};
use mcp_compat_model::transcript::{self, Transcript};
use mcp_compat_model::verdict::{BlastRadius, Fault, Finding, Level, Outcome, Party, Rating};
use mcp_compat_model::{CellId, PeerId, Revision, Role, Transport};
use mcp_compat_run::black_box::{ClientCommand, ENDS_WELL_ANYHOW, FAILS_ANYHOW, WireActivity, called_tools};
use mcp_compat_run::environment::HarnessError;
use mcp_compat_run::events::{Event, Observer};
use mcp_compat_run::peer::ClientPeer;
use mcp_compat_run::peer_set::PeerSet;
use mcp_compat_run::plan::Coverage;
use mcp_compat_run::request::{Request, RequestError};
use mcp_compat_run::run::{IsKnown, run};
use mcp_compat_scenario::{Diagnostics, Scenario};
use tokio_util::sync::CancellationToken;

/// The scenarios: results that a client must accept, results that may break it, and what it must not do.
pub const PROBES: [&str; 10] = [
    "root-type/object",
    "root-type/array",
    "root-type/primitive[zero]",
    "root-type/null",
    "ref/network[absolute]",
    "ref/dangling",
    "structured-missing/prose",
    "invalid-result/wrong-type",
    "error-result/plain-text",
    "fallback/prose",
];

/// The servers: each revision that has structured output, and each way to downgrade a result for older clients.
pub const SERVERS: [&str; 7] = [
    "mock/2025-06-18",
    "mock/2025-11-25",
    "mock/2026-07-28",
    "mock/dual",
    "mock/dual/omit",
    "mock/dual/wrap",
    "mock/dual/text-only",
];

/// The id of the client in the cells.
const CLIENT: &str = "your-client";

/// Reason why a client could not be audited.
#[derive(Debug, thiserror::Error)]
pub enum ClientAuditError {
    #[error("a scenario has a mistake:\n{0}")]
    Corpus(String),
    #[error(transparent)]
    Request(#[from] RequestError),
    #[error(transparent)]
    Host(#[from] HarnessError),
    #[error(
        "`{client}` connected to no server: {why}. mcp-compat passes the address as the last argument, or in place of {{url}}"
    )]
    NeverConnected {
        client: String,
        /// Reason, from the first probe.
        why: String,
    },
    #[error(
        "`{client}` did not end after its call was answered, and was stopped. This audit needs a program that lists the \
         tools, calls one and exits. If it needs more time to exit, raise --timeout"
    )]
    NeverEnded { client: String },
}

impl From<Diagnostics> for ClientAuditError {
    fn from(mistakes: Diagnostics) -> Self {
        Self::Corpus(mistakes.to_string())
    }
}

/// The scenario and the server that are played first. A client that cannot connect there is told so at once.
const FIRST: (&str, &str) = ("root-type/object", "mock/dual");

/// The servers that send clients of the newest revision what `mock/dual` sends them.
const FOR_OLDER_CLIENTS: [&str; 2] = ["mock/dual/omit", "mock/dual/wrap"];

/// Record of what a client did in some cells.
struct Session {
    record: Record,
    /// Activity on the wire and end of the client, by cell.
    wires: BTreeMap<CellId, (WireActivity, String)>,
    ends: BTreeMap<CellId, End>,
    called: BTreeSet<String>,
}

/// A client, and what it is played with.
struct Audited<'a> {
    command: &'a ClientCommand,
    corpus: Vec<Arc<Scenario>>,
    limits: Request,
}

/// Audits a client. `limits` gives the timeouts and the number of jobs; its other fields are ignored.
pub async fn client_audit(
    command: &ClientCommand,
    limits: Request,
    observer: &mut dyn Observer,
    stop: CancellationToken,
) -> Result<ClientAudit, ClientAuditError> {
    let corpus = mcp_compat_scenario::corpus::load_of(|file| PROBES.iter().any(|probe| probe.starts_with(file)))?;
    let corpus = corpus.into_iter().filter(|scenario| PROBES.contains(&scenario.id.as_str())).map(Arc::new).collect();
    let audited = Audited { command, corpus, limits };
    let mut first = audited.play(&[FIRST.0], &[FIRST.1], observer, stop.clone()).await?;
    if stop.is_cancelled() || !first.record.complete {
        first.record.complete = false;
        return Ok(audited.report(&first, &[FIRST.1], &[]));
    }
    if let Some(why) = first.never_connected() {
        return Err(ClientAuditError::NeverConnected { client: command.to_string(), why: clause(&why) });
    }
    if first.never_ended() {
        return Err(ClientAuditError::NeverEnded { client: command.to_string() });
    }
    let is_older = first.revision().is_none_or(|revision| revision < Revision::NEWEST);
    let (skipped, servers): (Vec<&str>, Vec<&str>) =
        SERVERS.iter().partition(|server| !is_older && FOR_OLDER_CLIENTS.contains(server));
    let session = audited.play(&PROBES, &servers, observer, stop).await?;
    Ok(audited.report(&session, &servers, &skipped))
}

impl Audited<'_> {
    /// Plays the client in these scenarios with these servers.
    async fn play(
        &self,
        scenarios: &[&str],
        servers: &[&str],
        observer: &mut dyn Observer,
        stop: CancellationToken,
    ) -> Result<Session, ClientAuditError> {
        let mut fleet = PeerSet::mocks();
        fleet.clients = vec![ClientPeer::black_box(peer_id(CLIENT), self.command.clone())];
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let request = Request {
            scenarios: owned(scenarios),
            clients: owned(&[CLIENT]),
            servers: owned(servers),
            transports: vec![Transport::Http],
            coverage: Coverage::Everything,
            shard: None,
            ..self.limits.clone()
        };
        let (mut wires, mut ends) = <(BTreeMap<_, _>, BTreeMap<_, _>)>::default();
        let mut called = BTreeSet::new();
        let mut keep = |event: Event<'_>| {
            if let Event::Recorded { cell, evidence } = event {
                wires.insert(cell.id.clone(), seen(evidence, self.command.calls()));
                ends.insert(cell.id.clone(), evidence.observation.end.clone());
                called.extend(called_tools(&evidence.transcript));
            }
        };
        let mut prepared = request.prepare(&fleet, &self.corpus, None)?;
        if let [_] = scenarios {
            // The user waits to learn whether the client connects and ends: nothing is played once more.
            prepared.is_known = IsKnown::by(|_| true);
        }
        let record = run(prepared, &mut [&mut keep, observer], stop).await?;
        Ok(Session { record, wires, ends, called })
    }

    /// Reports what the client did with these servers, and the conclusions.
    fn report(&self, session: &Session, servers: &[&str], skipped: &[&str]) -> ClientAudit {
        let Session { record, wires, ends, called } = session;
        let visit = |server: &str| Visit {
            server: peer_id(server),
            probes: PROBES
                .iter()
                .filter_map(|probe| {
                    let mut cells = record.cells.iter();
                    let cell = cells.find(|cell| cell.server.as_str() == server && cell.scenario.as_str() == *probe)?;
                    let (activity, ended) = wires.get(&cell.id)?;
                    Some(probed(cell, &record.scenarios, *activity, ended))
                })
                .collect(),
        };
        let calls = self.command.calls();
        let idle = || idle(wires, &record.cells, calls, called);
        let unproven = if record.complete { idle().or_else(|| without_status(ends, &record.cells)) } else { None };
        ClientAudit {
            tool_version: record.tool_version.clone(),
            client: self.command.to_string(),
            calls: calls.to_owned(),
            complete: record.complete,
            servers: servers.iter().copied().map(visit).filter(|visit| !visit.probes.is_empty()).collect(),
            skipped_servers: skipped.iter().copied().map(peer_id).collect(),
            conclusions: conclusions(&record.cells, unproven),
        }
    }
}

impl Session {
    /// Reason why the client connected in none of the cells, if all were played and it did not.
    fn never_connected(&self) -> Option<String> {
        let first = self.record.cells.first().filter(|_| self.record.complete)?;
        let has_connected = self.wires.values().any(|(activity, _)| activity.connected);
        (!has_connected).then(|| self.ends.get(&first.id).map_or_else(|| first.reason.clone(), why))
    }

    /// Returns whether the client got an answer to its call, and had to be stopped.
    fn never_ended(&self) -> bool {
        let was_stopped = |cell| matches!(self.ends.get(cell), Some(End::TimedOut { waiting_for: Role::Client, .. }));
        self.wires.iter().any(|(cell, (activity, _))| activity.answered && was_stopped(cell))
    }

    /// The newest revision that the client spoke.
    fn revision(&self) -> Option<Revision> {
        self.wires.values().filter_map(|(activity, _)| activity.revision).max()
    }
}

fn peer_id(id: &str) -> PeerId {
    PeerId::new(id).unwrap_or_else(|error| unreachable!("a constant: {error}"))
}

/// Reason why there was no session, as the observation says it.
fn why(end: &End) -> String {
    match end {
        End::NoSession(error) => error.message.clone(),
        End::NotStarted { why, .. } => format!("it could not be started: {why}"),
        End::Unsupported { reason: why, .. }
        | End::TimedOut { what: why, .. }
        | End::Crashed { how: why, .. }
        | End::HarnessFailed { why } => why.clone(),
        End::Answered {} => "it ended without an error message".to_owned(),
    }
}

/// Text that a client wrote, made fit for the middle of a sentence.
fn clause(words: &str) -> String {
    neutralised(words.trim().trim_end_matches(['.', ';', ':']))
}

/// The conclusion for a client that did not call the tool `calls` in any probe. `None` if it did. `called` are the
/// tools that it called.
fn idle(
    wires: &BTreeMap<CellId, (WireActivity, String)>,
    cells: &[CellRecord],
    calls: &str,
    called: &BTreeSet<String>,
) -> Option<Conclusion> {
    if wires.values().any(|(activity, _)| activity.called) {
        return None;
    }
    let what = if wires.values().any(|(activity, _)| activity.listed) {
        let other = called.first().map(|tool| format!(" It called {}.", quoted(tool))).unwrap_or_default();
        format!("the client never called `{calls}`.{other} Name the tool that it calls with --calls")
    } else {
        "the client connected, but never got a list of tools and never called one, so the audit cannot assess it"
            .to_owned()
    };
    // Cells without a session say nothing about calls.
    let met: Vec<CellRecord> = cells.iter().filter(|cell| cell.outcome != Outcome::Unreachable).cloned().collect();
    Some(no_proof(what, &met))
}

/// The conclusion for a client whose exit status shows nothing in some probes. `None` if it was not seen to show
/// nothing.
fn without_status(ends: &BTreeMap<CellId, End>, cells: &[CellRecord]) -> Option<Conclusion> {
    let conclusion = |(reason, why): (&str, &str)| {
        let shows_nothing = |cell: &&CellRecord| match ends.get(&cell.id) {
            Some(End::Unsupported { by: Role::Client, reason: seen }) => seen == reason,
            Some(_) | None => false,
        };
        let of_these: Vec<CellRecord> = cells.iter().filter(shows_nothing).cloned().collect();
        let what = format!("{} of {} show nothing: {why}", of_these.len(), counted(cells.len(), "probe"));
        (!of_these.is_empty()).then(|| no_proof(what, &of_these))
    };
    [
        (ENDS_WELL_ANYHOW, "the client ends with 0 even when a call fails"),
        (FAILS_ANYHOW, "the client ends with an error even after a valid answer"),
    ]
    .into_iter()
    .find_map(conclusion)
}

/// Reads what a client did on the wire, and how it ended.
fn seen(evidence: &Evidence, calls: &str) -> (WireActivity, String) {
    (WireActivity::read(&evidence.transcript, calls), ended(&evidence.transcript))
}

fn ended(transcript: &Transcript) -> String {
    let end = transcript.entries.iter().rev().find_map(|entry| match &entry.event {
        transcript::Event::Exited { how } => Some(how.clone()),
        transcript::Event::Stopped { .. } => Some("did not end".to_owned()),
        transcript::Event::Message { .. }
        | transcript::Event::Head { .. }
        | transcript::Event::Overflow { .. }
        | transcript::Event::Fetched { .. }
        | transcript::Event::Closed {} => None,
    });
    end.unwrap_or_else(|| "was not started".to_owned())
}

fn probed(cell: &CellRecord, scenarios: &[ScenarioRecord], activity: WireActivity, ended: &str) -> Probe {
    let title = scenarios.iter().find(|scenario| scenario.id == cell.scenario);
    let WireActivity { connected, revision, listed, called, fetched, .. } = activity;
    let neighbour = neighbour(activity, cell.rating, cell.blast_radius);
    Probe {
        scenario: cell.scenario.clone(),
        title: title.map_or_else(String::new, |scenario| scenario.title.clone()),
        connected,
        revision,
        listed,
        called,
        fetched,
        neighbour,
        ended: ended.to_owned(),
        outcome: cell.outcome,
        rating: cell.rating,
        reason: cell.reason.clone(),
    }
}

/// Returns whether the client could still call a plain tool. It is known if the client called in this cell, or if it
/// lost the list and was played again with a plain tool beside the unusual one.
fn neighbour(activity: WireActivity, rating: Rating, radius: Option<BlastRadius>) -> Option<bool> {
    match (rating, radius) {
        _ if !activity.listed => None,
        _ if activity.called => Some(true),
        (Rating::Breaks, Some(BlastRadius::Tool)) => Some(true),
        (Rating::Breaks, Some(BlastRadius::Server)) => Some(false),
        (Rating::Breaks, Some(BlastRadius::Call | BlastRadius::Session) | None)
        | (Rating::Degraded | Rating::Works | Rating::Skipped, _) => None,
    }
}

/// Draws the conclusions from the cells of one client. `unproven`, that some or all of them prove nothing, comes first.
fn conclusions(cells: &[CellRecord], unproven: Option<Conclusion>) -> Vec<Conclusion> {
    let mut conclusions: Vec<Conclusion> = causes(cells, Rating::Breaks).iter().map(of_cause).collect();
    conclusions.extend(of_those_apart(cells));
    for (rule, found) in broken_beside(cells) {
        // Only the exit status shows which results a client rejects.
        if unproven.is_some() && rules::find(rule) == Some(&rules::CLIENT_VALIDATES) {
            continue;
        }
        if conclusions.iter().all(|known| known.rule.as_ref().is_none_or(|known| known.id != rule)) {
            conclusions.extend(of_rule(&found));
        }
    }
    // The sort is stable: equal conclusions stay in the order of their causes.
    conclusions.sort_by_key(badness);
    unproven.into_iter().chain(conclusions).collect()
}

/// The client did nothing in these cells that could be judged. The person who runs it has to act.
fn no_proof(what: String, cells: &[CellRecord]) -> Conclusion {
    Conclusion {
        is_the_clients: true,
        fault: None,
        silent: false,
        what,
        rule: None,
        seen: cells.iter().map(place).collect(),
    }
}

/// Smaller is worse: first what has to be fixed in the client, then silent losses, then the level of the rule.
fn badness(conclusion: &Conclusion) -> (bool, bool, u8) {
    let level = match conclusion.rule.as_ref().map(|rule| rule.level) {
        Some(Level::Must) => 0,
        Some(Level::Should) => 1,
        None => 2,
        Some(Level::May) => 3,
    };
    (!conclusion.is_the_clients, !conclusion.silent, level)
}

fn of_cause(cause: &Cause<'_>) -> Conclusion {
    let cell = cause.example;
    let party = match cell.fault {
        Some(Fault::Client | Fault::Both) => Some(Party::Client),
        Some(Fault::Server) => Some(Party::Server),
        Some(Fault::Spec | Fault::Harness) | None => None,
    };
    Conclusion {
        is_the_clients: matches!(cell.fault, Some(Fault::Client | Fault::Both)),
        fault: cell.fault,
        silent: cause.is_silent(),
        what: cell.reason.clone(),
        rule: cell
            .findings
            .iter()
            .filter(|finding| Some(finding.party) == party)
            .min_by_key(|finding| finding.level)
            .map(rule),
        seen: cause.cells.iter().copied().map(place).collect(),
    }
}

/// The conclusion from the servers with which the client has no revision in common, which is no defect of either.
fn of_those_apart(cells: &[CellRecord]) -> Option<Conclusion> {
    let is_apart = |cell: &&CellRecord| cell.rating == Rating::Skipped && cell.outcome == Outcome::Unreachable;
    let apart: Vec<&CellRecord> = cells.iter().filter(is_apart).collect();
    let first = apart.first()?;
    Some(Conclusion {
        is_the_clients: false,
        fault: Some(Fault::Both),
        silent: false,
        what: first.reason.clone(),
        rule: None,
        seen: apart.iter().copied().map(place).collect(),
    })
}

/// The rules that the client violated in cells that do not break, each with these cells.
fn broken_beside(cells: &[CellRecord]) -> BTreeMap<&str, Vec<(&CellRecord, &Finding)>> {
    let mut found = BTreeMap::<&str, Vec<_>>::new();
    for cell in cells.iter().filter(|cell| cell.rating != Rating::Breaks) {
        for finding in cell.findings.iter().filter(|finding| finding.party == Party::Client) {
            let known = found.entry(finding.rule.as_str()).or_default();
            if known.last().is_none_or(|(last, _): &(&CellRecord, _)| last.id != cell.id) {
                known.push((cell, finding));
            }
        }
    }
    found
}

fn of_rule(found: &[(&CellRecord, &Finding)]) -> Option<Conclusion> {
    let (_, finding) = found.first()?;
    Some(Conclusion {
        is_the_clients: finding.level == Level::Must,
        fault: None,
        silent: false,
        what: finding.detail.clone(),
        rule: Some(rule(finding)),
        seen: found.iter().map(|(cell, _)| place(cell)).collect(),
    })
}

fn rule(finding: &Finding) -> BrokenRule {
    BrokenRule { id: finding.rule.clone(), level: finding.level, source: finding.source.clone() }
}

fn place(cell: &CellRecord) -> Place {
    Place { scenario: cell.scenario.clone(), server: cell.server.clone() }
}

#[cfg(test)]
mod tests {
    use mcp_compat_model::observation::{Layer, PeerError};

    use super::*;

    #[test]
    fn a_neighbour_survives_only_where_that_was_seen() {
        let listed = WireActivity { connected: true, listed: true, ..WireActivity::default() };
        let called = WireActivity { called: true, ..listed };
        assert_eq!(neighbour(called, Rating::Skipped, None), Some(true));
        assert_eq!(neighbour(listed, Rating::Skipped, None), None, "it ended after the list: who knows");
        assert_eq!(neighbour(listed, Rating::Breaks, Some(BlastRadius::Session)), None, "it fell before it could call");
        assert_eq!(neighbour(listed, Rating::Breaks, Some(BlastRadius::Tool)), Some(true));
        assert_eq!(neighbour(listed, Rating::Breaks, Some(BlastRadius::Server)), Some(false));
        assert_eq!(neighbour(WireActivity::default(), Rating::Breaks, Some(BlastRadius::Session)), None);
    }

    #[test]
    fn why_nothing_connected_is_one_clause() {
        let message = "the command never connected, and ended with exit status 1: error: no address.".to_owned();
        let why = why(&End::NoSession(PeerError { layer: Layer::Connect, code: None, message }));
        let error = ClientAuditError::NeverConnected { client: "me".to_owned(), why: clause(&why) }.to_string();
        assert!(!error.contains(".;"), "{error}");
        assert_eq!(error.matches("never connected").count(), 1, "{error}");
    }
}
