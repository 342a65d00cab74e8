//! Plays candidates between two peers, after it has found two between which a scenario breaks.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mcp_compat_drive::Tap;
use mcp_compat_judge::Judge;
use mcp_compat_model::record::{CellRecord, Record};
use mcp_compat_model::verdict::{Outcome, Rating, Verdict};
use mcp_compat_model::{Cell, Revision, Transport};
use mcp_compat_scenario::Scenario;
use tokio::runtime::Handle;
use tokio::task::spawn_blocking;

use super::reduce::{Halt, Reduced, Step, Trial, reduce};
use super::same_failure::Breakage;
use mcp_compat_run::context::{as_played_by, can_play};
use mcp_compat_run::environment::{HarnessError, RunEnvironment};
use mcp_compat_run::peer::{ClientPeer, PeerInfo, ServerPeer};
use mcp_compat_run::programs::Programs;
use mcp_compat_run::run::Run;
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

pub type Watcher = Box<dyn FnMut(Progress<'_>) + Send>;

#[derive(Clone, Copy, Debug)]
pub enum Progress<'a> {
    /// A candidate is played, the so many-th.
    Trying(usize),
    /// The candidate broke the same way, and was taken.
    Took(&'a Step),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Largest number of candidates that are played.
    pub runs: usize,
    /// Time that it may take. A candidate that is being played then ends first.
    pub time: Duration,
}

/// Reduces a scenario to the smallest one that breaks as `breakage` says.
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

/// Puts the cells of a run into the order in which a break is looked for: the reference mocks, then other mocks with
/// them, then real peers; each pair over its quickest transport first. Two that have no revision in common are left
/// out: they break in every scenario, and so say nothing of this one.
pub fn look_in_order(run: &mut Run) {
    let Run { plan, clients, servers, .. } = run;
    let client = |cell: &Cell| clients.iter().find(|peer| *peer.id() == cell.client);
    let server = |cell: &Cell| servers.iter().find(|peer| *peer.id() == cell.server);
    plan.cells.retain(|cell| match (client(cell), server(cell)) {
        (Some(client), Some(server)) => speak_alike(client, server),
        (Some(_) | None, _) => false,
    });
    plan.cells.sort_by_cached_key(|cell| {
        let pair: [Option<&PeerInfo>; 2] = [client(cell).map(AsRef::as_ref), server(cell).map(AsRef::as_ref)];
        let references = pair.iter().flatten().filter(|peer| peer.is_reference()).count();
        let real = pair.iter().flatten().filter(|peer| peer.record().language.is_some()).count();
        (real, Reverse(references), quickness(cell.transport), cell.clone())
    });
}

/// The first cell that breaks, or else the first one from which the value is only harder to get. Where several pairs
/// have played, those that come to no session are passed over: they would not in any other scenario either.
pub fn first_break(record: &Record) -> Option<&CellRecord> {
    let pairs: BTreeSet<_> = record.cells.iter().map(|cell| (&cell.client, &cell.server)).collect();
    let telling = |cell: &&CellRecord| pairs.len() == 1 || cell.outcome != Outcome::Unreachable;
    let rated = |rating: Rating| record.cells.iter().filter(telling).find(|cell| cell.rating == rating);
    rated(Rating::Breaks).or_else(|| rated(Rating::Degraded))
}

fn speak_alike(client: &ClientPeer, server: &ServerPeer) -> bool {
    let offered: Vec<Revision> = server.offered().collect();
    client.offered().any(|revision| offered.contains(&revision))
}

const fn quickness(transport: Transport) -> u8 {
    match transport {
        Transport::Memory => 0,
        Transport::Http => 1,
        Transport::Stdio => 2,
    }
}
