//! Runs a plan: cells play side by side, each is judged when it ends, and all are recorded in the order of the plan.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mcp_compat_judge::triangulate;
use mcp_compat_model::record::{CellRecord, NotPlayedCells, PeerRecord, Record, SCHEMA_VERSION, ScenarioRecord};
use mcp_compat_scenario::{Scenario, corpus};
use tokio_util::sync::CancellationToken;

use crate::adapters::Violator;
pub use crate::context::{IsKnown, Run};
use crate::context::{Played, RunContext, micros};
use crate::environment::{HarnessError, RunEnvironment};
use crate::events::{Event, Observer};
use crate::peer::{ClientPeer, ServerPeer};
use crate::schedule::{Progress, Schedule};

/// Time for cells that are still playing, and then for adapters, to end when a run is cut short.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(200);

/// The bytes of the messages of a usual cell. Those of a heavy one are thousands of times as many.
const USUAL_BYTES: usize = 16 << 10;

/// Plays the plan.
///
/// Returns when every cell has its verdict, the time for the run is over, or `stop` is cancelled. Everything that was
/// measured is in the record, and no process is left running.
///
/// # Errors
/// When the harness cannot do its own part, such as start a thread. What a peer does is never an error.
pub async fn run(
    run: Run,
    observers: &mut [&mut dyn Observer],
    stop: CancellationToken,
) -> Result<Record, HarnessError> {
    let environment = Arc::new(run.environment());
    play(run, environment, Owner::Run, observers, stop).await
}

/// Does the same as [`run`] in an environment that several runs share: what one of them starts, the next ones use. Its
/// owner closes it.
pub async fn run_within(
    environment: &Arc<RunEnvironment>,
    run: Run,
    observers: &mut [&mut dyn Observer],
    stop: CancellationToken,
) -> Result<Record, HarnessError> {
    play(run, Arc::clone(environment), Owner::Caller, observers, stop).await
}

/// Owner of the environment of a run, who closes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    /// The run, when it ends.
    Run,
    /// Its caller: other runs use it, too.
    Caller,
}

async fn play(
    run: Run,
    environment: Arc<RunEnvironment>,
    owner: Owner,
    observers: &mut [&mut dyn Observer],
    stop: CancellationToken,
) -> Result<Record, HarnessError> {
    let began = Instant::now();
    let context = Arc::new(RunContext::within(&run, environment));
    notify(observers, Event::Started { cells: run.plan.cells.len() });
    let mut schedule = Schedule::new(&run.plan.cells, run.jobs, Arc::clone(&context));
    let mut ordered = Ordered::default();
    let over = tokio::time::sleep(run.timeouts.run);
    tokio::pin!(over);
    let cut_short = loop {
        let played = tokio::select! {
            played = schedule.next(ordered.held()) => played,
            () = &mut over => break true,
            () = stop.cancelled() => break true,
        };
        match played {
            Some(Ok(Progress::Finished(played))) => {
                notify(observers, Event::Finished(&played.record));
                ordered.take(*played, observers);
                notify(observers, Event::Repeats { left: schedule.repeats() });
            }
            Some(Ok(Progress::Repeats)) => notify(observers, Event::Repeats { left: schedule.repeats() }),
            // A panic of a cell is the verdict of that cell, so this one is of the scheduler.
            Some(Err(error)) if error.is_panic() => return Err(HarnessError::Panicked(error.to_string())),
            Some(Err(_)) | None => break false,
        }
    };
    // A cell that computes cannot be ended. It is left to its thread.
    let _ = tokio::time::timeout(SHUTDOWN_TIMEOUT, schedule.shut_down()).await;
    let violators = match owner {
        // What takes longer is ended when it is dropped. On a busy machine there would be no time left for the record.
        Owner::Run if cut_short => {
            let killed = tokio::time::timeout(SHUTDOWN_TIMEOUT, context.environment.kill()).await;
            killed.unwrap_or_default()
        }
        Owner::Run => context.environment.close().await,
        Owner::Caller => Vec::new(),
    };
    notify(observers, Event::Ending);
    ordered.flush(observers);
    for Violator { peer, role, violations } in &violators {
        notify(observers, Event::ContractViolated { peer, role: *role, violations });
    }
    let digests = corpus::digests(&run.scenarios.iter().map(AsRef::as_ref).collect::<Vec<_>>());
    let scenarios = run.scenarios.iter().zip(digests.scenarios);
    let mut left_out = run.plan.left_out;
    left_out.extend(NotPlayedCells::by_an_early_end((run.plan.cells.len() - ordered.cells.len()) as u64));
    left_out.sort_by(|one, other| one.reason.cmp(&other.reason));
    let mut record = Record {
        schema_version: SCHEMA_VERSION,
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        judge: Some(mcp_compat_judge::DIGEST.to_owned()),
        platform: Some(platform()),
        started: run.started,
        duration_us: micros(began.elapsed()),
        complete: ordered.cells.len() == run.plan.cells.len(),
        division: run.plan.division,
        corpus: digests.corpus,
        peers: peer_records(&run.clients, &run.servers),
        scenarios: scenarios.map(|(scenario, digest)| scenario_record(scenario, digest)).collect(),
        cells: ordered.cells,
        left_out,
        stale: Vec::new(),
    };
    triangulate(&mut record);
    notify(observers, Event::Ended(&record));
    Ok(record)
}

/// Returns the platform of this program, such as `linux x86_64`.
fn platform() -> String {
    format!("{} {}", std::env::consts::OS, std::env::consts::ARCH)
}

/// Puts cells back into the order of the plan.
#[derive(Default)]
struct Ordered {
    early: BTreeMap<usize, Played>,
    /// The bytes of the messages of those.
    bytes: usize,
    next: usize,
    cells: Vec<CellRecord>,
}

impl Ordered {
    /// Returns the number of cells that are held back, in cells of a usual size.
    fn held(&self) -> usize {
        self.early.len() + self.bytes / USUAL_BYTES
    }

    fn take(&mut self, played: Played, observers: &mut [&mut dyn Observer]) {
        self.bytes += played.evidence.transcript.message_bytes();
        self.early.insert(played.place, played);
        while let Some(played) = self.early.remove(&self.next) {
            self.bytes -= played.evidence.transcript.message_bytes();
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
        notify(observers, Event::Recorded { cell: &played.record, evidence: &played.evidence });
        self.cells.push(played.record);
    }
}

fn notify(observers: &mut [&mut dyn Observer], event: Event<'_>) {
    for observer in observers {
        observer.notice(event);
    }
}

fn peer_records(clients: &[ClientPeer], servers: &[ServerPeer]) -> Vec<PeerRecord> {
    clients.iter().map(ClientPeer::record).chain(servers.iter().map(ServerPeer::record)).cloned().collect()
}

fn scenario_record(scenario: &Scenario, digest: String) -> ScenarioRecord {
    ScenarioRecord {
        id: scenario.id.clone(),
        title: scenario.title.clone(),
        why: scenario.why.clone(),
        sources: scenario.sources.clone(),
        since: scenario.since,
        digest: Some(digest),
        read_from: None,
    }
}

#[cfg(test)]
mod tests {
    use mcp_compat_model::verdict::{Fault, Outcome};
    use mcp_compat_model::{Cell, PeerId, Transport};

    use super::*;
    use crate::empty_scenario::empty_scenario;
    use crate::environment::DEFAULT_PEER_MEMORY;
    use crate::plan::Plan;
    use crate::programs::Programs;
    use crate::store::{Store, read_record};
    use crate::timeouts::Timeouts;

    #[tokio::test]
    async fn a_panic_is_the_verdict_of_its_cell_and_the_other_cells_go_on() {
        let scenario = empty_scenario();
        let cell = |client| Cell {
            scenario: scenario.id.clone(),
            client: PeerId::new(client).unwrap(),
            server: PeerId::new("mock/dual").unwrap(),
            transport: Transport::Memory,
        };
        // The client of the first cell is not in the run, so looking it up panics.
        let cells = vec![cell("absent@1.0.0"), cell("mock/dual+auto")];
        let asked = Run {
            plan: Plan { cells, left_out: Vec::new(), division: None },
            scenarios: vec![Arc::new(scenario.clone())],
            clients: vec![ClientPeer::mock("mock/dual+auto").unwrap()],
            servers: vec![ServerPeer::mock("mock/dual").unwrap()],
            timeouts: Timeouts::default(),
            jobs: 1,
            started: String::new(),
            programs: Programs::None,
            logs: None,
            peer_memory: DEFAULT_PEER_MEMORY,
            is_known: IsKnown::default(),
        };
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(folder.path()).unwrap();
        let record = run(asked, &mut [&mut store], CancellationToken::new()).await.unwrap();
        store.close(&record).unwrap();
        let [panicked, other] = record.cells.as_slice() else { panic!("{:?}", record.cells) };
        assert_eq!((panicked.outcome, panicked.fault), (Outcome::Incomplete, Some(Fault::Harness)));
        assert!(panicked.reason.contains("defect of mcp-compat"), "{}", panicked.reason);
        assert!(panicked.reason.contains("please report it to the maintainers of mcp-compat"), "{}", panicked.reason);
        assert_eq!(other.outcome, Outcome::Intact);
        assert!(record.complete);
        assert_eq!(read_record(folder.path()).unwrap().cells.len(), 2);
        let transcripts = std::fs::read_to_string(folder.path().join("transcripts.jsonl")).unwrap();
        assert_eq!(transcripts.lines().last(), Some(r#"{"footer":{"cells":2}}"#));
    }
}
