//! The audit of a server that knows nothing of us: what is wrong with it, and which clients lose what by it.
//!
//! ```text
//! Target ─ probed ─> the tools, at each revision
//!        ─ calls ──> which of them are called, and with what (arguments)
//!        ─ probed ─> what they answer
//!              ├─ findings   the rules, on the real sessions        ┐
//!              ├─ checks     what shows between sessions only       ├─> Audit
//!              └─ scenarios ─ replay   each tool to each client ─> Record ─ changes ┘
//!                                   and again with each remedy made
//! ```
//!
//! The server is asked a handful of times; what it said is then played in memory to every client, by a stand-in that says
//! the same. A tool that was not called, or that failed, is said to be so: nothing is told that was not seen.

mod arguments;
mod assemble;
mod calls;
mod changes;
mod checks;
mod findings;
mod remedies;
mod replay;
mod snapshot;

use std::collections::BTreeMap;
use std::sync::Arc;

use mcp_compat_mocks::server::UnknownServer;
use mcp_compat_model::audit::Audit;
use mcp_compat_model::peer_contract::JobStep;
use mcp_compat_model::record::Record;
use mcp_compat_model::{Cell, PeerId, Revision, ScenarioId};
use mcp_compat_scenario::Scenario;
use tokio_util::sync::CancellationToken;

pub use calls::{AskedCall, AuditOptions};

use crate::probe::{ProbeError, ProbeSession, ProbeTimeouts, ProbedServer, ServerProbe, Target};
use mcp_compat_capture::from_transcript::{Uncalled, capture};
use mcp_compat_capture::{CapturedCall, CapturedTool};
use mcp_compat_run::environment::HarnessError;
use mcp_compat_run::glob::{BadGlob, SelectError, select};
use mcp_compat_run::peer::Peer;
use mcp_compat_run::peer_set::PeerSet;

use calls::Planned;
pub use replay::OnCell;
use replay::ReplayScenarios;
use snapshot::ToolSnapshot;

/// What an audit gives.
#[derive(Clone, Debug)]
pub struct Audited {
    /// What is told of the server.
    pub audit: Audit,
    /// The cells behind it: each tool with each client.
    pub record: Record,
    /// Every cell that there could be, of all tools with all clients.
    pub matrix: Vec<Cell>,
}

/// Why there is no audit. What is wrong with the server is no error; it stands in the audit.
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    /// The server could not be asked.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// A glob is none, or selects nothing.
    #[error(transparent)]
    Select(#[from] SelectError),
    /// A tool is to be called that is marked destructive.
    #[error("`{tool}` is marked destructive, and such tools are never called: take it out of the calls")]
    Destructive {
        /// The tool.
        tool: String,
    },
    /// The arguments of a call cannot be used.
    #[error("the arguments given for `{tool}` cannot be used: {problem}")]
    Arguments {
        /// The tool.
        tool: String,
        /// What is wrong with them.
        problem: String,
    },
    /// There is no mock to stand in for the server.
    #[error(transparent)]
    StandIn(#[from] UnknownServer),
    /// The harness could not do its own part.
    #[error(transparent)]
    Host(#[from] HarnessError),
}

impl From<BadGlob> for AuditError {
    fn from(bad: BadGlob) -> Self {
        SelectError::from(bad).into()
    }
}

impl AuditOptions {
    /// Checks what can be checked before the server is started.
    ///
    /// # Errors
    /// When a glob over clients is not valid or matches no client.
    pub fn check(&self) -> Result<(), AuditError> {
        clients(&self.clients).map(drop)
    }
}

/// What an audit is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It lists the tools at a revision.
    Listing(Revision),
    /// It calls so many tools at a revision.
    Calling(Revision, usize),
    /// It plays so many tools to so many clients.
    Replaying(usize, usize),
}

/// Audits a server. `notice` hears what is being done.
///
/// # Errors
/// When the server cannot be asked, offers no tools, or what is wished for cannot be done.
pub async fn audit(
    target: Target,
    options: &AuditOptions,
    timeouts: ProbeTimeouts,
    notice: impl FnMut(Progress),
) -> Result<Audited, AuditError> {
    audit_with_evidence(target, options, timeouts, notice, &mut |_, _, _| {}).await
}

/// As [`audit`]; `on_cell` hears each cell that was played, with its evidence. A cell that is played again is heard again,
/// and the later play counts.
///
/// # Errors
/// As those of [`audit`].
pub async fn audit_with_evidence(
    target: Target,
    options: &AuditOptions,
    timeouts: ProbeTimeouts,
    mut notice: impl FnMut(Progress),
    on_cell: &mut OnCell<'_>,
) -> Result<Audited, AuditError> {
    let clients = clients(&options.clients)?;
    let probe = ServerProbe::open(target, timeouts).await?;
    let probed = probe.list(|revision| notice(Progress::Listing(revision))).await?.with_tools()?;
    let tools = union(&probed);
    let (planned, passed_over) = calls::plan(&tools, options)?;
    let sessions = call(&probe, &probed, &planned, &mut notice).await?;
    let ids = scenario_ids(&tools);
    let mut seen =
        Seen { probed, planned, passed_over, ids, sessions, snapshots: BTreeMap::new(), again: BTreeMap::new() };
    seen.look();
    let server = replay::stand_in(&seen.server_id(), &seen.probed.revisions().collect::<Vec<_>>())?;
    notice(Progress::Replaying(seen.planned.len(), clients.len()));
    let stop = CancellationToken::new();
    let (scenarios, not_replayable) = seen.scenarios();
    let mut record = replay::replay(&scenarios, &clients, &server, on_cell, &stop).await?;
    let mut audit = assemble::audit(&seen, &scenarios, &not_replayable, &record, &clients);
    audit.changes = changes::changes(&audit, &scenarios, &seen.snapshots, &clients, &server, &stop).await?;
    assemble::skip_unseen(&mut record, &audit.tools);
    let matrix = replay::matrix(seen.ids.values(), &self::clients(&[])?, server.id());
    Ok(Audited { audit, record, matrix })
}

/// The clients that a server is held against: those that keep to the specification, and those that stand in for SDKs.
fn clients(globs: &[String]) -> Result<Vec<Peer>, AuditError> {
    let mut all = PeerSet::references().clients;
    all.extend(PeerSet::profiles().clients);
    Ok(select("client", globs, &all, |peer| peer.id().as_str())?.into_iter().cloned().collect())
}

/// Every tool that is listed at any revision, as the newest lists it.
fn union(probed: &ProbedServer) -> Vec<CapturedTool> {
    let mut tools: Vec<CapturedTool> = Vec::new();
    for session in probed.spoken.iter().rev() {
        for tool in &session.tools {
            if tools.iter().all(|known| known.name != tool.name) {
                tools.push(tool.clone());
            }
        }
    }
    tools
}

/// Calls what is to be called at each revision, and again at the newest what is said to change nothing.
async fn call(
    probe: &ServerProbe,
    probed: &ProbedServer,
    planned: &[Planned],
    notice: &mut impl FnMut(Progress),
) -> Result<CallSessions, AuditError> {
    let steps = |session: &ProbeSession, wanted: &dyn Fn(&Planned) -> bool| {
        let listed = |planned: &&Planned| session.tools.iter().any(|tool| tool.name == planned.name);
        let calls = planned.iter().filter(listed).filter(|planned| wanted(planned)).filter_map(Planned::step);
        let mut steps = vec![JobStep::List {}];
        steps.extend(calls);
        // That the server is still there is seen by asking once more.
        if steps.len() > 1 {
            steps.push(JobStep::List {});
        }
        steps
    };
    let mut sessions = CallSessions::default();
    for session in &probed.spoken {
        let steps = steps(session, &|_| true);
        if steps.len() > 1 {
            notice(Progress::Calling(session.revision, steps.len() - 2));
            sessions.called.push((probe.play(session.revision, &steps).await?, steps));
        }
    }
    if let Some(newest) = probed.newest() {
        let steps = steps(newest, &Planned::is_called_again);
        if steps.len() > 1 {
            notice(Progress::Calling(newest.revision, steps.len() - 2));
            sessions.again = Some(probe.play(newest.revision, &steps).await?);
        }
    }
    Ok(sessions)
}

/// The sessions with calls in them.
#[derive(Default)]
struct CallSessions {
    called: Vec<(ProbeSession, Vec<JobStep>)>,
    again: Option<ProbeSession>,
}

/// Everything that was seen of a server.
struct Seen {
    probed: ProbedServer,
    planned: Vec<Planned>,
    passed_over: Vec<String>,
    /// The scenario of each tool that is looked at, by its name.
    ids: BTreeMap<String, ScenarioId>,
    sessions: CallSessions,
    /// Each tool at each revision, oldest first, by its name.
    snapshots: BTreeMap<String, Vec<ToolSnapshot>>,
    /// The calls that were made again, by tool, and at which revision.
    again: BTreeMap<String, (CapturedCall, Revision)>,
}

impl Seen {
    /// Puts what was seen in order by tool.
    fn look(&mut self) {
        let again = self.sessions.again.iter().flat_map(|session| {
            calls_in(session).into_iter().map(|call| (call.tool.clone(), (call, session.revision)))
        });
        self.again = again.collect();
        for listed in &self.probed.spoken {
            let called = self.sessions.called.iter().find(|(session, _)| session.revision == listed.revision);
            let calls = called.map(|(session, _)| calls_in(session)).unwrap_or_default();
            // What was listed where it was called goes with what it answered.
            let session = called.map_or(listed, |(session, _)| session);
            for planned in &self.planned {
                let tools = || session.tools.iter().chain(&listed.tools);
                let Some(tool) = tools().find(|tool| tool.name == planned.name) else { continue };
                let call = calls.iter().find(|call| call.tool == planned.name).cloned();
                let snapshot = ToolSnapshot { revision: listed.revision, tool: tool.clone(), call };
                self.snapshots.entry(planned.name.clone()).or_default().push(snapshot);
            }
        }
    }

    /// The scenarios by revision, and why some tools have none.
    fn scenarios(&self) -> (ReplayScenarios, BTreeMap<String, String>) {
        let (mut scenarios, mut not_replayable) = (ReplayScenarios::new(), BTreeMap::new());
        for planned in &self.planned {
            let (Some(id), Some(snapshots)) = (self.ids.get(&planned.name), self.snapshots.get(&planned.name)) else {
                continue;
            };
            for snapshot in snapshots {
                match snapshot.scenario(id) {
                    Ok(scenario) => scenarios.entry(snapshot.revision).or_default().push(Arc::new(scenario)),
                    Err(why) => {
                        not_replayable.insert(planned.name.clone(), why.problem);
                    }
                }
            }
        }
        (scenarios, not_replayable)
    }

    /// The server among peers: its own name, as far as an id can hold it.
    fn server_id(&self) -> PeerId {
        let name: String = self.probed.server.name.chars().take(60).collect();
        PeerId::own(if name.is_empty() { "server" } else { &name })
    }
}

fn calls_in(session: &ProbeSession) -> Vec<CapturedCall> {
    capture(&session.transcript, Uncalled::Omitted, usize::MAX).captured.calls().cloned().collect()
}

/// The id of each tool's scenario: its name in lower-case words, told apart by a number where two come to the same.
fn scenario_ids(tools: &[CapturedTool]) -> BTreeMap<String, ScenarioId> {
    let mut ids: BTreeMap<String, ScenarioId> = BTreeMap::new();
    for CapturedTool { name, .. } in tools {
        let mut words = String::new();
        for c in name.chars().take(60) {
            match c.to_ascii_lowercase() {
                c @ ('a'..='z' | '0'..='9') => words.push(c),
                _ if words.is_empty() || words.ends_with('-') => {}
                _ => words.push('-'),
            }
        }
        let words = words.trim_end_matches('-');
        let words = if words.is_empty() { "unnamed" } else { words };
        let candidates = (1..).map(|number| match number {
            1 => format!("tool/{words}"),
            _ => format!("tool/{words}-{number}"),
        });
        let fresh = candidates
            .filter_map(|candidate| ScenarioId::new(candidate).ok())
            .find(|candidate| ids.values().all(|taken| taken != candidate));
        ids.extend(fresh.map(|id| (name.clone(), id)));
    }
    ids
}

/// The scenarios of one revision.
fn scenarios_at(scenarios: &ReplayScenarios, revision: Revision) -> Vec<&Scenario> {
    scenarios.get(&revision).into_iter().flatten().map(AsRef::as_ref).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_has_a_scenario_of_its_own_whatever_it_is_called() {
        let tool = |name: &str| CapturedTool { name: name.to_owned(), definition: String::new() };
        let names = ["get_sum", "get-sum", "GetSum", "日本", "💥", "_a_"];
        let ids = scenario_ids(&names.map(tool));
        let told: Vec<&str> = names.iter().map(|name| ids[*name].as_str()).collect();
        assert_eq!(told, ["tool/get-sum", "tool/get-sum-2", "tool/getsum", "tool/unnamed", "tool/unnamed-2", "tool/a"]);
    }
}
