//! Asking two peers: whatever is played between them, one scenario after the other.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mcp_compat_drive::Tap;
use mcp_compat_judge::Judge;
use mcp_compat_model::verdict::Verdict;
use mcp_compat_model::{Cell, Transport};
use mcp_compat_scenario::Scenario;
use tokio::runtime::Handle;
use tokio::task::spawn_blocking;

use super::reduce::{Reduced, reduce};
use super::reducer::{Halt, Step, Trial};
use super::same_failure::Breakage;
use mcp_compat_run::context::{as_played_by, can_play};
use mcp_compat_run::environment::{HarnessError, RunEnvironment};
use mcp_compat_run::peer::{ClientPeer, ServerPeer};
use mcp_compat_run::programs::Programs;
use mcp_compat_run::timeouts::Timeouts;
use tokio_util::sync::CancellationToken;

/// A client, a server, and what is between them.
pub struct PeerPair {
    environment: RunEnvironment,
    judge: Judge,
    client: ClientPeer,
    server: ServerPeer,
    transport: Transport,
    timeouts: Timeouts,
}

impl PeerPair {
    /// The two peers, ready to play. Adapters are started with the first scenario, and stay.
    #[must_use]
    pub fn new(
        client: ClientPeer,
        server: ServerPeer,
        transport: Transport,
        timeouts: Timeouts,
        programs: Programs,
    ) -> Self {
        let environment = RunEnvironment::new(programs, None);
        Self { environment, judge: Judge::new(), client, server, transport, timeouts }
    }

    /// Plays a scenario and judges it.
    pub async fn play(&self, scenario: &Scenario) -> Verdict {
        let cell = self.cell(scenario);
        let scenario = as_played_by(&self.client, scenario);
        let scenario = scenario.as_ref();
        let played =
            self.environment.play(scenario, &self.client, &self.server, self.transport, self.timeouts, Tap::default());
        let (transcript, observation) = played.await;
        self.environment.with_canary_stand_in(self.judge.judge(scenario, &cell, &transcript, &observation))
    }

    /// The cell that a scenario makes with the two.
    #[must_use]
    pub fn cell(&self, scenario: &Scenario) -> Cell {
        Cell {
            scenario: scenario.id.clone(),
            client: self.client.id().clone(),
            server: self.server.id().clone(),
            transport: self.transport,
        }
    }

    /// Ends what was started, gently at first.
    pub async fn close(&self) {
        self.environment.close().await;
    }
}

/// The pair, as a sentence names it.
impl fmt::Display for PeerPair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} with {} over {}", self.client.id(), self.server.id(), self.transport)
    }
}

impl fmt::Debug for PeerPair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PeerPair").field(&self.to_string()).finish()
    }
}

/// Is told what happens while a scenario shrinks.
pub type Watcher = Box<dyn FnMut(Progress<'_>) + Send>;

/// What happened in a reduction.
#[derive(Clone, Copy, Debug)]
pub enum Progress<'a> {
    /// A candidate is played, the so many-th.
    Trying(usize),
    /// The candidate broke the same way, and was taken.
    Took(&'a Step),
}

/// How long a reduction may go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many candidates are played at most.
    pub runs: usize,
    /// How long it may take. A candidate that is being played then ends first.
    pub time: Duration,
}

/// Reduces a scenario to the smallest one that breaks as `breakage` says.
///
/// # Errors
/// When a cell panics, which is our mistake.
pub async fn shrink(
    pair: Arc<PeerPair>,
    scenario: Scenario,
    breakage: Breakage,
    limits: Limits,
    watcher: Watcher,
    stop: CancellationToken,
) -> Result<Reduced, HarnessError> {
    let end = Instant::now() + limits.time;
    let mut trial = Played { pair, breakage, runtime: Handle::current(), watcher, stop, end, runs: 0 };
    // The reduction waits for each verdict, and so has a thread of its own.
    let reduced = spawn_blocking(move || reduce(&scenario, &mut trial, limits.runs)).await;
    reduced.map_err(|error| HarnessError::Panicked(error.to_string()))
}

/// A trial by playing.
struct Played {
    pair: Arc<PeerPair>,
    breakage: Breakage,
    runtime: Handle,
    watcher: Watcher,
    stop: CancellationToken,
    end: Instant,
    runs: usize,
}

impl Trial for Played {
    fn breaks(&mut self, candidate: &Scenario) -> ControlFlow<(), bool> {
        self.runs += 1;
        (self.watcher)(Progress::Trying(self.runs));
        let (pair, stop) = (&self.pair, &self.stop);
        if !can_play(&pair.client, candidate) {
            return ControlFlow::Continue(false);
        }
        let verdict = self.runtime.block_on(async {
            tokio::select! {
                biased;
                () = stop.cancelled() => None,
                verdict = pair.play(candidate) => Some(verdict),
            }
        });
        match verdict {
            Some(verdict) => ControlFlow::Continue(self.breakage.is_kept_by(&verdict)),
            None => ControlFlow::Break(()),
        }
    }

    fn halt(&self) -> Option<Halt> {
        let is_over = Instant::now() >= self.end;
        let interrupted = self.stop.is_cancelled().then_some(Halt::Interrupted);
        interrupted.or_else(|| is_over.then_some(Halt::OutOfTime))
    }

    fn took(&mut self, step: &Step) {
        (self.watcher)(Progress::Took(step));
    }
}
