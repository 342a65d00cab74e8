//! Running a plan: cells side by side, each judged when it ends, recorded in the order of the plan.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mcp_compat_drive::Tap;
use mcp_compat_judge::{Judge, missed, triangulate};
use mcp_compat_model::record::{CellRecord, Evidence, PeerRecord, Record, SCHEMA_VERSION, ScenarioRecord};
use mcp_compat_model::{Cell, PeerId, ScenarioId};
use mcp_compat_scenario::Scenario;
use tokio_util::sync::CancellationToken;

use crate::adapters::Violator;
use crate::command::retold;
use crate::events::{Event, Observer};
use crate::hosts::{HostError, Hosts, Programs};
use crate::peer::Peer;
use crate::plan::Plan;
use crate::schedule::Schedule;

/// Everything that a run needs.
#[derive(Debug)]
pub struct Run {
    /// What is played.
    pub plan: Plan,
    /// The scenarios of the plan.
    pub scenarios: Vec<Arc<Scenario>>,
    /// The clients of the plan.
    pub clients: Vec<Peer>,
    /// The servers of the plan.
    pub servers: Vec<Peer>,
    /// How long things may take.
    pub patience: Patience,
    /// How many cells are played side by side.
    pub jobs: usize,
    /// When the run began, RFC 3339.
    pub started: String,
    /// How the programs of our own are started.
    pub programs: Programs,
    /// The folder for what peers write to their standard error; it is kept nowhere when absent.
    pub logs: Option<PathBuf>,
}

/// How long things may take.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// Each step of a cell, and connecting.
    pub step: Duration,
    /// The whole run; what is not played by then is left, and the record says that it is incomplete.
    pub run: Duration,
}

impl Patience {
    /// How long an adapter may take until it answers for the first time. Those that load much take seconds, and no cell is
    /// to pay for it.
    #[must_use]
    pub fn start(self) -> Duration {
        self.step * 6
    }

    /// How long a cell of `steps` steps may take in all.
    #[must_use]
    pub fn cell(self, steps: usize) -> Duration {
        // Connecting may take one step's time for the probe and one for the handshake; one more is for stopping.
        self.step * u32::try_from(steps + 3).unwrap_or(u32::MAX)
    }
}

impl Default for Patience {
    fn default() -> Self {
        Self { step: Duration::from_secs(5), run: Duration::from_secs(3600) }
    }
}

/// Ends a run early when it is cancelled.
pub type Stop = CancellationToken;

/// Plays the plan.
///
/// Returns when every cell has its verdict, the run's time is over, or `stop` says so. Whatever was measured is in the
/// record, and nothing is left running.
///
/// # Errors
/// When the harness cannot do its own part, such as bind a socket on loopback. What a peer does is never an error.
pub async fn run(run: Run, observers: &mut [&mut dyn Observer], stop: Stop) -> Result<Record, HostError> {
    let began = Instant::now();
    let stage = Arc::new(Stage::new(&run).await?);
    tell(observers, Event::Started { cells: run.plan.cells.len() });
    let mut schedule = Schedule::new(&run.plan.cells, run.jobs, Arc::clone(&stage));
    let mut ordered = Ordered::default();
    let over = tokio::time::sleep(run.patience.run);
    tokio::pin!(over);
    loop {
        let played = tokio::select! {
            played = schedule.next() => played,
            () = &mut over => break,
            () = stop.cancelled() => break,
        };
        match played {
            Some(Ok(played)) => {
                tell(observers, Event::Finished(&played.record));
                ordered.take(played, observers);
            }
            Some(Err(error)) if error.is_panic() => return Err(HostError::Panicked(error.to_string())),
            Some(Err(_)) | None => break,
        }
    }
    schedule.shut_down().await;
    let violators = stage.hosts.close().await;
    ordered.flush(observers);
    for Violator { peer, role, violations } in &violators {
        tell(observers, Event::ContractViolated { peer, role: *role, violations });
    }
    let mut record = Record {
        schema_version: SCHEMA_VERSION,
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        started: run.started,
        duration_us: micros(began.elapsed()),
        complete: ordered.cells.len() == run.plan.cells.len(),
        division: run.plan.division,
        corpus: mcp_compat_scenario::corpus::digest(run.scenarios.iter().map(AsRef::as_ref)),
        peers: peer_records(&run.clients, &run.servers),
        scenarios: run.scenarios.iter().map(|scenario| scenario_record(scenario)).collect(),
        cells: ordered.cells,
        left_out: run.plan.left_out,
        stale: Vec::new(),
        schema_suite: None,
    };
    triangulate(&mut record);
    tell(observers, Event::Ended(&record));
    Ok(record)
}

/// What all cells of a run share.
#[derive(Debug)]
pub struct Stage {
    scenarios: BTreeMap<ScenarioId, Arc<Scenario>>,
    clients: BTreeMap<PeerId, Peer>,
    servers: BTreeMap<PeerId, Peer>,
    hosts: Hosts,
    judge: Judge,
    patience: Patience,
}

/// A cell that was played, and its place in the plan.
pub(crate) struct Played {
    place: usize,
    record: CellRecord,
    evidence: Evidence,
}

impl Stage {
    pub async fn new(run: &Run) -> Result<Self, HostError> {
        let by_id = |peers: &[Peer]| peers.iter().map(|peer| (peer.id().clone(), peer.clone())).collect();
        Ok(Self {
            scenarios: run.scenarios.iter().map(|scenario| (scenario.id.clone(), Arc::clone(scenario))).collect(),
            clients: by_id(&run.clients),
            servers: by_id(&run.servers),
            hosts: Hosts::open(run.programs.clone(), run.logs.clone()).await?,
            judge: Judge::new(),
            patience: run.patience,
        })
    }

    pub(crate) async fn play_at(self: Arc<Self>, place: usize, cell: Cell, tap: Tap) -> Played {
        let (record, evidence) = self.play(&cell, tap).await;
        Played { place, record, evidence }
    }

    /// A scenario of the plan.
    pub fn scenario(&self, id: &ScenarioId) -> &Scenario {
        &self.scenarios[id]
    }

    /// Plays a cell of the plan and judges it.
    pub async fn play(&self, cell: &Cell, tap: Tap) -> (CellRecord, Evidence) {
        let began = Instant::now();
        let (client, server) = (&self.clients[&cell.client], &self.servers[&cell.server]);
        let scenario = self.scenario(&cell.scenario);
        let scenario = match client.command() {
            Some(command) => retold(scenario, command.calls()),
            None => Cow::Borrowed(scenario),
        };
        let scenario = scenario.as_ref();
        let (transcript, observation) =
            self.hosts.play(scenario, client, server, cell.transport, self.patience, tap).await;
        let verdict = self.hosts.canary.unnamed(self.judge.judge(scenario, cell, &transcript, &observation));
        let missed = missed(scenario, client.record(), server.record(), verdict.negotiated, &transcript);
        let record = CellRecord { missed, ..CellRecord::new(cell.clone(), verdict, micros(began.elapsed()), None) };
        (record, Evidence::kept(cell.clone(), transcript, observation))
    }
}

/// Puts cells back into the order of the plan.
#[derive(Default)]
struct Ordered {
    early: BTreeMap<usize, Played>,
    next: usize,
    cells: Vec<CellRecord>,
}

impl Ordered {
    fn take(&mut self, played: Played, observers: &mut [&mut dyn Observer]) {
        self.early.insert(played.place, played);
        while let Some(played) = self.early.remove(&self.next) {
            self.next += 1;
            self.record(played, observers);
        }
    }

    /// Records what is left after an interruption, with its gaps.
    fn flush(&mut self, observers: &mut [&mut dyn Observer]) {
        for played in std::mem::take(&mut self.early).into_values() {
            self.record(played, observers);
        }
    }

    fn record(&mut self, mut played: Played, observers: &mut [&mut dyn Observer]) {
        played.record.transcript = Some(self.cells.len() as u64);
        tell(observers, Event::Recorded { cell: &played.record, evidence: &played.evidence });
        self.cells.push(played.record);
    }
}

fn tell(observers: &mut [&mut dyn Observer], event: Event<'_>) {
    for observer in observers {
        observer.notice(event);
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

fn peer_records(clients: &[Peer], servers: &[Peer]) -> Vec<PeerRecord> {
    clients.iter().chain(servers).map(|peer| peer.record().clone()).collect()
}

fn scenario_record(scenario: &Scenario) -> ScenarioRecord {
    ScenarioRecord {
        id: scenario.id.clone(),
        title: scenario.title.clone(),
        why: scenario.why.clone(),
        sources: scenario.sources.clone(),
        since: scenario.since,
        read_from: None,
    }
}
