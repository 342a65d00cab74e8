//! One run: what it needs, and what its cells share while they play.
//!
//! ```text
//! Run ─ RunContext::new ─> scenarios, peers, environment, judge ─ play(cell) ─> CellRecord, Evidence
//! ```

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use mcp_compat_drive::Tap;
use mcp_compat_judge::{Judge, missed};
use mcp_compat_model::observation::{End, Observation};
use mcp_compat_model::record::{CellRecord, Evidence};
use mcp_compat_model::transcript::Transcript;
use mcp_compat_model::verdict::{Outcome, Rating};
use mcp_compat_model::{Cell, PeerId, ScenarioId};
use mcp_compat_scenario::Scenario;

use crate::black_box::{adapted, unsupported_reason};
use crate::canary;
use crate::environment::RunEnvironment;
use crate::in_process::panic_message;
use crate::peer::{ClientPeer, PeerInfo, ServerPeer};
use crate::plan::Plan;
use crate::play::Tried;
use crate::programs::Programs;
use crate::recording::Recording;
use crate::timeouts::Timeouts;

/// Everything that a run needs.
#[derive(Debug)]
pub struct Run {
    /// The cells to play.
    pub plan: Plan,
    pub scenarios: Vec<Arc<Scenario>>,
    pub clients: Vec<ClientPeer>,
    pub servers: Vec<ServerPeer>,
    /// Time limits of its parts.
    pub timeouts: Timeouts,
    /// Number of cells that play side by side.
    pub jobs: usize,
    /// Time when the run began, RFC 3339.
    pub started: String,
    /// Way of starting the project's own programs.
    pub programs: Programs,
    /// The folder for what peers write to their standard error. If it is absent, that is not kept.
    pub logs: Option<PathBuf>,
    /// Memory in bytes that each peer may take, with all that it starts.
    pub peer_memory: u64,
    /// Breaks that are known. A cell that times out is not played once more if its break is one of them.
    pub is_known: IsKnown,
}

/// Test of whether the break of a cell is known. By default, no break is.
#[derive(Clone, Default)]
pub struct IsKnown(Option<Arc<CellTest>>);

type CellTest = dyn Fn(&CellRecord) -> bool + Send + Sync;

impl IsKnown {
    /// Breaks are known where the test returns true.
    pub fn by(test: impl Fn(&CellRecord) -> bool + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(test)))
    }
}

impl fmt::Debug for IsKnown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("IsKnown").field(&self.0.is_some()).finish()
    }
}

impl Run {
    /// The environment that it asks for. Nothing is started or bound before a cell needs it.
    pub(crate) fn environment(&self) -> RunEnvironment {
        RunEnvironment::new(self.programs.clone(), self.logs.clone()).with_peer_memory(self.peer_memory)
    }
}

/// Everything that the cells of a run share.
#[derive(Debug)]
pub struct RunContext {
    scenarios: BTreeMap<ScenarioId, Arc<Scenario>>,
    clients: BTreeMap<PeerId, ClientPeer>,
    servers: BTreeMap<PeerId, ServerPeer>,
    pub(crate) environment: Arc<RunEnvironment>,
    judge: Judge,
    timeouts: Timeouts,
    is_known: IsKnown,
}

/// A cell that was played, and its place in the plan.
pub(crate) struct Played {
    pub(crate) place: usize,
    pub(crate) record: CellRecord,
    pub(crate) evidence: Evidence,
    /// True if it is to be played once more, alone, because it timed out beside others.
    pub(crate) timed_out: bool,
}

/// Way in which a cell is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Round {
    /// In adapters that other cells use, too.
    BesideOthers,
    /// In adapters of its own, with four times the time.
    Alone,
}

impl RunContext {
    /// The context of a run, with an environment of its own. Nothing is started or bound before a cell needs it.
    pub fn new(run: &Run) -> Self {
        Self::within(run, Arc::new(run.environment()))
    }

    /// The context of a run in an environment that other runs may share.
    pub fn within(run: &Run, environment: Arc<RunEnvironment>) -> Self {
        Self {
            scenarios: run.scenarios.iter().map(|scenario| (scenario.id.clone(), Arc::clone(scenario))).collect(),
            clients: by_id(&run.clients),
            servers: by_id(&run.servers),
            environment,
            judge: Judge::new(),
            timeouts: run.timeouts,
            is_known: run.is_known.clone(),
        }
    }

    /// Plays a cell once and judges it.
    pub(crate) async fn play_at(self: Arc<Self>, place: usize, cell: Cell, round: Round, tap: Tap) -> Played {
        let began = Instant::now();
        let (record, evidence, timed_out) = match or_panic(self.play_and_judge(&cell, round, tap, began)).await {
            Ok(played) => played,
            Err(message) => self.panicked(&cell, &message, began),
        };
        Played { place, record, evidence, timed_out }
    }

    pub fn scenario(&self, id: &ScenarioId) -> &Scenario {
        &self.scenarios[id]
    }

    /// Plays a cell of the plan and judges it. A cell that times out is played once more, alone. A panic on the way is the
    /// harness's fault, and the verdict says so.
    pub async fn play(self: &Arc<Self>, cell: &Cell, tap: Tap) -> (CellRecord, Evidence) {
        let limits = tap.limits();
        let mut played = Arc::clone(self).play_at(0, cell.clone(), Round::BesideOthers, tap).await;
        if played.timed_out {
            played = Arc::clone(self).play_at(0, cell.clone(), Round::Alone, Tap::new(limits)).await;
        }
        (played.record, played.evidence)
    }

    async fn play_and_judge(
        &self,
        cell: &Cell,
        round: Round,
        tap: Tap,
        began: Instant,
    ) -> (CellRecord, Evidence, bool) {
        let (client, server) = (&self.clients[&cell.client], &self.servers[&cell.server]);
        let scenario = self.scenario(&cell.scenario);
        let scenario = as_played_by(client, scenario);
        let (scenario, environment, timeouts) = (scenario.as_ref(), &self.environment, self.timeouts);
        let recording = client.recording().or_else(|| server.recording());
        let Tried { transcript, observation, timed_out, command: _ } = match (recording, round) {
            (Some(recording), _) => recorded(recording, cell),
            (None, Round::BesideOthers) => {
                environment.play_beside_others(scenario, client, server, cell.transport, timeouts, tap).await
            }
            (None, Round::Alone) => {
                environment.play_alone(scenario, client, server, cell.transport, timeouts, tap).await
            }
        };
        let verdict = self.judge.judge(scenario, cell, &transcript, &observation);
        let verdict = match recording {
            Some(_) if canary::is_wanted(scenario) => canary::with_stand_in_of_any(verdict),
            _ => environment.with_canary_stand_in(verdict),
        };
        let missed = missed(scenario, client.record(), server.record(), verdict.negotiated, &transcript);
        let record = CellRecord { missed, ..CellRecord::new(cell.clone(), verdict, micros(began.elapsed()), None) };
        let timed_out = timed_out && !self.is_as_expected(&record);
        (record, Evidence::kept(cell.clone(), transcript, observation), timed_out)
    }

    /// Returns whether the timeout of a cell is no surprise: its break is known, or the scenario expects that the client
    /// gets no answer. Playing such a cell once more takes four times the time and shows nothing new.
    fn is_as_expected(&self, record: &CellRecord) -> bool {
        match record.rating {
            Rating::Breaks => self.is_known.0.as_ref().is_some_and(|is_known| is_known(record)),
            Rating::Works => record.outcome == Outcome::Unreachable,
            Rating::Degraded | Rating::Skipped => false,
        }
    }

    /// The verdict on a cell in which the harness panicked.
    fn panicked(&self, cell: &Cell, message: &str, began: Instant) -> (CellRecord, Evidence, bool) {
        let why = format!("a panic in mcp-compat, which is a defect of mcp-compat: {message}; {HOW_TO_REPORT}");
        let observation = Observation { negotiated: None, steps: Vec::new(), end: End::HarnessFailed { why } };
        let transcript = Transcript::default();
        let verdict = self.judge.judge(self.scenario(&cell.scenario), cell, &transcript, &observation);
        let record = CellRecord::new(cell.clone(), verdict, micros(began.elapsed()), None);
        (record, Evidence::kept(cell.clone(), transcript, observation), false)
    }
}

/// Returns what was recorded of a cell.
fn recorded(recording: &Recording, cell: &Cell) -> Tried {
    let (transcript, observation) = match recording.evidence(cell) {
        Ok(evidence) => (evidence.transcript, evidence.observation),
        Err(error) => {
            let end = End::HarnessFailed { why: format!("the recording cannot be read: {error}") };
            (Transcript::default(), Observation { negotiated: None, steps: Vec::new(), end })
        }
    };
    Tried { transcript, observation, timed_out: false, command: None }
}

/// The scenario as a client plays it: for a black box, with its tool under the name that the client calls.
pub fn as_played_by<'s>(client: &ClientPeer, scenario: &'s Scenario) -> Cow<'s, Scenario> {
    match &client.record().calls {
        Some(calls) => adapted(scenario, calls),
        None => Cow::Borrowed(scenario),
    }
}

/// Returns true if a client can play a scenario: a black box makes one call.
pub fn can_play(client: &ClientPeer, scenario: &Scenario) -> bool {
    client.record().calls.is_none() || unsupported_reason(scenario).is_none()
}

fn by_id<P: Clone + AsRef<PeerInfo>>(peers: &[P]) -> BTreeMap<PeerId, P> {
    peers.iter().map(|peer| (peer.as_ref().id().clone(), peer.clone())).collect()
}

/// Advice after a panic of the harness.
const HOW_TO_REPORT: &str = concat!(
    "please report it to the maintainers of mcp-compat, with this sentence, the id of the check and the version ",
    env!("CARGO_PKG_VERSION")
);

/// Returns the result of the work, or the message with which it panicked.
async fn or_panic<T>(work: impl Future<Output = T>) -> Result<T, String> {
    let mut work = pin!(work);
    poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context))) {
        Ok(poll) => poll.map(Ok),
        Err(payload) => Poll::Ready(Err(panic_message(&*payload))),
    })
    .await
}

pub(crate) fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}
