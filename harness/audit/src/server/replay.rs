//! Replaying what a server said to every client: in memory, or over HTTP if the client is a real one. The server itself
//! is not involved.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use mcp_compat_mocks::server::{ServerSpec, UnknownServer};
use mcp_compat_model::audit::ProfileDifference;
use mcp_compat_model::record::{CellRecord, Evidence, Record};
use mcp_compat_model::{Cell, Era, Mode, PeerId, Revision, ScenarioId, Transport};
use mcp_compat_scenario::Scenario;

use mcp_compat_run::environment::{DEFAULT_PEER_MEMORY, HarnessError, RunEnvironment};
use mcp_compat_run::events::Event;
use mcp_compat_run::peer::{ClientPeer, ServerPeer};
use mcp_compat_run::plan::Plan;
use mcp_compat_run::programs::Programs;
use mcp_compat_run::request::default_jobs;
use mcp_compat_run::run::{IsKnown, Run, run_within};
use mcp_compat_run::timeouts::Timeouts;
use tokio_util::sync::CancellationToken;

use super::audit_time::JudgingTime;

/// The replay scenarios of each revision, one for each tool that is listed at it.
pub type ReplayScenarios = BTreeMap<Revision, Vec<Arc<Scenario>>>;

/// Result of the second phase of an audit: the cells of each tool with each client.
pub(super) struct Played {
    pub(super) server: ServerPeer,
    pub(super) scenarios: ReplayScenarios,
    /// Reasons why some tools have no scenario, by tool.
    pub(super) not_replayable: BTreeMap<String, String>,
    pub(super) record: Record,
    /// Tools that a real client and its profile treat differently.
    pub(super) profile_differences: Vec<ProfileDifference>,
    pub(super) judging: JudgingTime,
}

/// Is called with each cell that was played, and its evidence. If a cell is played again, the later play counts.
pub type OnCell<'w> = dyn FnMut(&Scenario, &CellRecord, &Evidence) + Send + 'w;

/// Replays scenarios. All replays share the adapters of the real clients.
pub(super) struct Replayer {
    pub(super) environment: Arc<RunEnvironment>,
    /// When it is cancelled, replays end with the cells that they have.
    pub(super) stop: CancellationToken,
    /// Transport of the server.
    transport: Transport,
}

/// A stand-in for the server: a mock of the revisions that the server speaks. Its scenarios hold what the server said.
pub(super) fn stand_in(id: &PeerId, spoken: &[Revision]) -> Result<ServerPeer, UnknownServer> {
    let honest = ServerSpec::parse("mock/dual")?;
    Ok(ServerPeer::from(ServerSpec { id: id.clone(), revisions: spoken.to_vec(), ..honest }))
}

/// The revision that a client and a server will speak if both follow the specification. `None` if they have none in
/// common.
pub(super) fn spoken_with(client: &ClientPeer, spoken: &[Revision]) -> Option<Revision> {
    let common = |era: Era| {
        let of_era = client.offered().filter(|revision| revision.era() == era);
        of_era.filter(|revision| spoken.contains(revision)).max()
    };
    match client.record().mode {
        Some(Mode::Legacy) => common(Era::Legacy),
        Some(Mode::Modern) => common(Era::Modern),
        Some(Mode::Auto) | None => common(Era::Modern).or_else(|| common(Era::Legacy)),
    }
}

impl Replayer {
    /// Its own environment. Nothing is started yet. Replays end early when the token is cancelled.
    pub(super) fn new(stop: CancellationToken, transport: Transport) -> Self {
        let environment = Arc::new(RunEnvironment::new(Programs::None, None));
        Self { environment, stop, transport }
    }

    /// Plays to each client the scenarios of the revision that it speaks with this server. If `over` is absent, each
    /// client plays over its quickest transport. Returns one record, its cells sorted by id.
    pub(super) async fn replay(
        &self,
        scenarios: &ReplayScenarios,
        clients: &[ClientPeer],
        server: &ServerPeer,
        over: Option<Transport>,
        on_cell: &mut OnCell<'_>,
    ) -> Result<Record, HarnessError> {
        let spoken: Vec<Revision> = server.offered().collect();
        let newest = spoken.iter().copied().max().unwrap_or(Revision::NEWEST);
        let mut wanted: BTreeMap<Revision, Vec<&ClientPeer>> = BTreeMap::new();
        for client in clients {
            wanted.entry(spoken_with(client, &spoken).unwrap_or(newest)).or_default().push(client);
        }
        let mut record: Option<Record> = None;
        for (revision, clients) in wanted {
            let played = self.play(scenarios, revision, &clients, server, over, on_cell).await?;
            // A client that negotiated another revision is played what the server said at that one.
            let mut renegotiated: BTreeMap<Revision, BTreeSet<&PeerId>> = BTreeMap::new();
            for cell in &played.cells {
                if let Some(negotiated) = cell.negotiated.filter(|negotiated| *negotiated != revision) {
                    renegotiated.entry(negotiated).or_default().insert(&cell.client);
                }
            }
            let mut again = Vec::new();
            for (negotiated, ids) in renegotiated {
                let clients: Vec<&ClientPeer> =
                    clients.iter().copied().filter(|client| ids.contains(client.id())).collect();
                again.push(self.play(scenarios, negotiated, &clients, server, over, on_cell).await?);
            }
            for played in std::iter::once(played).chain(again) {
                match &mut record {
                    None => record = Some(played),
                    Some(record) => join(record, played),
                }
            }
        }
        let mut record = match record {
            Some(record) => record,
            None => self.play(scenarios, newest, &[], server, over, on_cell).await?,
        };
        record.cells.sort_by(|one, other| one.id.cmp(&other.id));
        Ok(record)
    }

    async fn play(
        &self,
        scenarios: &ReplayScenarios,
        revision: Revision,
        clients: &[&ClientPeer],
        server: &ServerPeer,
        over: Option<Transport>,
        on_cell: &mut OnCell<'_>,
    ) -> Result<Record, HarnessError> {
        let scenarios = scenarios.get(&revision).cloned().unwrap_or_default();
        let cell = |scenario: &Arc<Scenario>, client: &&ClientPeer| Cell {
            scenario: scenario.id.clone(),
            client: client.id().clone(),
            server: server.id().clone(),
            transport: over.unwrap_or_else(|| match self.transport {
                Transport::Http if asks_for_headers(scenario) => Transport::Http,
                Transport::Http | Transport::Stdio | Transport::Memory => quickest_transport(client),
            }),
        };
        let cells = scenarios.iter().flat_map(|scenario| clients.iter().map(|client| cell(scenario, client))).collect();
        let asked = Run {
            plan: Plan { cells, left_out: Vec::new(), division: None },
            scenarios,
            clients: clients.iter().copied().cloned().collect(),
            servers: vec![server.clone()],
            timeouts: Timeouts::default(),
            jobs: default_jobs(),
            started: String::new(),
            programs: Programs::None,
            logs: None,
            peer_memory: DEFAULT_PEER_MEMORY,
            is_known: IsKnown::default(),
        };
        let scenarios = asked.scenarios.clone();
        let by_id: BTreeMap<&ScenarioId, &Arc<Scenario>> = scenarios.iter().map(|it| (&it.id, it)).collect();
        let mut watch = |event: Event<'_>| {
            if let Event::Recorded { cell, evidence } = event
                && let Some(scenario) = by_id.get(&cell.scenario)
            {
                on_cell(scenario, cell, evidence);
            }
        };
        run_within(&self.environment, asked, &mut [&mut watch], self.stop.clone()).await
    }
}

/// Returns true if a tool wants an argument in a header: a client over HTTP leaves a tool out that does so wrongly.
fn asks_for_headers(scenario: &Scenario) -> bool {
    scenario.stages.iter().flat_map(|stage| &stage.tools).any(|tool| tool.definition.contains("\"x-mcp-header\""))
}

/// Memory for what is in this process, HTTP for the adapter of a real client.
fn quickest_transport(client: &ClientPeer) -> Transport {
    client.transports().first().copied().unwrap_or(Transport::Memory)
}

/// Every cell of these scenarios and clients.
pub(super) fn matrix<'s>(
    scenarios: impl IntoIterator<Item = &'s ScenarioId>,
    clients: &[ClientPeer],
    server: &PeerId,
) -> Vec<Cell> {
    let cell = |scenario: &ScenarioId, client: &ClientPeer| Cell {
        scenario: scenario.clone(),
        client: client.id().clone(),
        server: server.clone(),
        transport: quickest_transport(client),
    };
    scenarios.into_iter().flat_map(|scenario| clients.iter().map(move |client| cell(scenario, client))).collect()
}

/// Adds cells that were played later. They replace earlier plays of the same cells.
fn join(record: &mut Record, later: Record) {
    let again: BTreeSet<_> = later.cells.iter().map(|cell| cell.id.clone()).collect();
    record.cells.retain(|cell| !again.contains(&cell.id));
    record.cells.extend(later.cells);
    record.complete &= later.complete;
    let known: BTreeSet<ScenarioId> = record.scenarios.iter().map(|known| known.id.clone()).collect();
    record.scenarios.extend(later.scenarios.into_iter().filter(|scenario| !known.contains(&scenario.id)));
    for peer in later.peers {
        if record.peers.iter().all(|known| known.id != peer.id || known.role != peer.role) {
            record.peers.push(peer);
        }
    }
}

pub(super) fn by_tool(record: &Record) -> BTreeMap<&ScenarioId, Vec<&CellRecord>> {
    let mut cells: BTreeMap<&ScenarioId, Vec<&CellRecord>> = BTreeMap::new();
    for cell in &record.cells {
        cells.entry(&cell.scenario).or_default().push(cell);
    }
    cells
}

pub(super) fn scenarios_at(scenarios: &ReplayScenarios, revision: Revision) -> Vec<&Scenario> {
    scenarios.get(&revision).into_iter().flatten().map(AsRef::as_ref).collect()
}
