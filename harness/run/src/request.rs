//! From what a user asks for to a run: selections become peers and scenarios, and those become a plan.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use mcp_compat_model::count::counted;
use mcp_compat_model::record::NotPlayedCells;
use mcp_compat_model::{Cell, PeerId, Revision, Role, ScenarioId, Transport};
use mcp_compat_scenario::Scenario;

use crate::baseline::{Baseline, BaselineError};
use crate::black_box::unsupported_reason;
use crate::context::{IsKnown, Run};
use crate::cores;
use crate::environment::DEFAULT_PEER_MEMORY;
use crate::glob::{SelectError, select};
use crate::peer::PeerInfo;
use crate::peer_set::PeerSet;
use crate::plan::{self, Coverage, Plan, PlannedPeer, PlannedScenario, Shard, Weight, plan};
use crate::programs::Programs;
use crate::recording::leave_out_changed;
use crate::timeouts::Timeouts;

/// Request of a user. Empty selections select everything.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Globs over scenario ids.
    pub scenarios: Vec<String>,
    /// Globs over client ids.
    pub clients: Vec<String>,
    /// Globs over server ids.
    pub servers: Vec<String>,
    pub transports: Vec<Transport>,
    /// Only pairs of which this is the newest revision that both speak.
    pub revision: Option<Revision>,
    pub coverage: Coverage,
    pub shard: Option<Shard>,
    /// Number of cells side by side; a number that suits the machine when absent.
    pub jobs: Option<usize>,
    pub step_timeout: Option<Duration>,
    pub run_timeout: Option<Duration>,
    /// Time when the run begins, RFC 3339.
    pub started: String,
    /// Way of starting our own programs.
    pub programs: Programs,
    /// The folder for what peers write to their standard error.
    pub logs: Option<PathBuf>,
    /// Memory in bytes that each peer may take; [`DEFAULT_PEER_MEMORY`] when absent.
    pub peer_memory: Option<u64>,
}

/// Error in a request: the user's input is wrong.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    #[error(transparent)]
    Select(#[from] SelectError),
    #[error("the selection makes no check: {0}")]
    Empty(String),
    #[error(transparent)]
    Baseline(#[from] BaselineError),
}

impl Request {
    /// Makes the run that is asked for, out of `peers` and `corpus`.
    ///
    /// # Errors
    /// When a selection selects nothing, the selections together make no cell, or an entry of the baseline fits
    /// no cell of the whole matrix.
    pub fn prepare(
        self,
        peers: &PeerSet,
        corpus: &[Arc<Scenario>],
        baseline: Option<&Baseline>,
    ) -> Result<Run, RequestError> {
        if let Some(baseline) = baseline {
            baseline.check(&whole_matrix(peers, corpus))?;
        }
        let scenarios = select("scenario", &self.scenarios, corpus, |scenario| scenario.id.as_str())?;
        let clients = select("client", &self.clients, &peers.clients, |peer| peer.id().as_str())?;
        let servers = select("server", &self.servers, &peers.servers, |peer| peer.id().as_str())?;
        let transports = if self.transports.is_empty() { Transport::ALL.to_vec() } else { self.transports };
        let chosen = !self.clients.is_empty() && !self.servers.is_empty();
        let request = plan::Request {
            scenarios: scenarios.iter().map(|scenario| planned_scenario(scenario)).collect(),
            // If the user names peers on both sides, all their cells are played.
            clients: clients.iter().map(|peer| planned_peer(peer.as_ref(), chosen)).collect(),
            servers: servers.iter().map(|peer| planned_peer(peer.as_ref(), chosen)).collect(),
            transports,
            revision: self.revision,
            coverage: self.coverage,
        };
        let mut plan = plan(&request);
        let of_clients = clients.iter().filter_map(|peer| Some(((Role::Client, peer.id()), peer.recording()?)));
        let of_servers = servers.iter().filter_map(|peer| Some(((Role::Server, peer.id()), peer.recording()?)));
        let recordings = of_clients.chain(of_servers);
        leave_out_changed(&mut plan, recordings, &scenarios);
        if plan.cells.is_empty() {
            return Err(RequestError::Empty(why_empty(&plan)));
        }
        let plays = |peer: &PeerInfo, of: fn(&Cell) -> &PeerId| plan.cells.iter().any(|cell| of(cell) == peer.id());
        // Whichever part is played here, the record has all peers that take part in the whole.
        let clients = clients.into_iter().filter(|peer| plays(peer.as_ref(), |cell| &cell.client)).cloned().collect();
        let servers = servers.into_iter().filter(|peer| plays(peer.as_ref(), |cell| &cell.server)).cloned().collect();
        let plan = match self.shard {
            Some(shard) => plan.part(shard),
            None => plan,
        };
        let timeouts = Timeouts::default();
        Ok(Run {
            scenarios: scenarios.into_iter().cloned().collect(),
            clients,
            servers,
            timeouts: Timeouts {
                step: self.step_timeout.unwrap_or(timeouts.step),
                run: self.run_timeout.unwrap_or(timeouts.run),
            },
            jobs: self.jobs.unwrap_or_else(default_jobs),
            started: self.started,
            programs: self.programs,
            logs: self.logs,
            peer_memory: self.peer_memory.unwrap_or(DEFAULT_PEER_MEMORY),
            is_known: IsKnown::default(),
            plan,
        })
    }
}

/// Default number of cells that play side by side: two a core, for while one waits for a process, another one
/// computes.
pub fn default_jobs() -> usize {
    2 * cores()
}

/// Every cell that these peers and this corpus can make, even if a run does not play it: a baseline may have entries for all.
pub fn whole_matrix(peers: &PeerSet, corpus: &[Arc<Scenario>]) -> Vec<Cell> {
    part_of_matrix(peers, corpus, &|_| true)
}

/// The cells of the whole matrix that have one of these scenarios.
pub fn part_of_matrix(
    peers: &PeerSet,
    corpus: &[Arc<Scenario>],
    is_asked_for: &dyn Fn(&ScenarioId) -> bool,
) -> Vec<Cell> {
    // Peers without a common revision meet in the oldest scenario of all, so the plan has to know that one.
    let oldest = corpus.iter().min_by_key(|scenario| (scenario.since, &scenario.id));
    let is_planned =
        |scenario: &&Arc<Scenario>| is_asked_for(&scenario.id) || oldest.is_some_and(|oldest| oldest.id == scenario.id);
    let planned = plan(&plan::Request {
        scenarios: corpus.iter().filter(is_planned).map(|scenario| planned_scenario(scenario)).collect(),
        clients: peers.clients.iter().map(|peer| planned_peer(peer.as_ref(), true)).collect(),
        servers: peers.servers.iter().map(|peer| planned_peer(peer.as_ref(), true)).collect(),
        transports: Transport::ALL.to_vec(),
        revision: None,
        coverage: Coverage::Everything,
    });
    planned.cells.into_iter().filter(|cell| is_asked_for(&cell.scenario)).collect()
}

/// Facts about a scenario that the plan needs.
pub fn planned_scenario(scenario: &Scenario) -> PlannedScenario {
    PlannedScenario {
        id: scenario.id.clone(),
        since: scenario.since,
        smoke: scenario.is_smoke,
        weight: Weight::of(scenario),
        unsupported_reason: unsupported_reason(scenario),
    }
}

/// Facts about a peer that the plan needs. A peer that the user chose counts as a reference.
pub fn planned_peer(peer: &PeerInfo, chosen: bool) -> PlannedPeer {
    let record = peer.record();
    PlannedPeer {
        id: record.id.clone(),
        revisions: peer.offered().collect(),
        transports: peer.transports().to_vec(),
        reference: chosen || peer.is_reference(),
        is_command: peer.is_black_box(),
        recorded: peer.recording().map(|recording| Arc::clone(recording.cells())),
    }
}

fn why_empty(plan: &Plan) -> String {
    let cells = |left: &NotPlayedCells| counted(usize::try_from(left.cells).unwrap_or(usize::MAX), "check");
    let reasons: Vec<_> = plan.left_out.iter().map(|left| format!("{} ({})", left.reason, cells(left))).collect();
    if reasons.is_empty() { "there is nothing to pair".to_owned() } else { reasons.join("; ") }
}

#[cfg(test)]
mod tests {
    use mcp_compat_scenario::corpus;

    use super::*;

    #[test]
    fn a_part_of_the_matrix_is_what_the_whole_has_of_these_scenarios() {
        let classes = ["invalid-result/", "result-type/", "root-type/"];
        let scenarios = corpus::load_of(|file| classes.iter().any(|class| file.starts_with(class))).unwrap();
        let corpus: Vec<Arc<Scenario>> = scenarios.into_iter().map(Arc::new).collect();
        let peers = PeerSet::mocks();
        let whole = whole_matrix(&peers, &corpus);
        let mut cells = 0;
        for Scenario { id, .. } in corpus.iter().map(AsRef::as_ref) {
            let part = part_of_matrix(&peers, &corpus, &|asked| asked == id);
            let of_whole: Vec<_> = whole.iter().filter(|cell| cell.scenario == *id).cloned().collect();
            assert!(part == of_whole, "{id}: {} cells, and the whole has {} of them", part.len(), of_whole.len());
            cells += part.len();
        }
        assert_eq!(cells, whole.len());
    }
}
