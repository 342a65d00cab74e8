//! The adapters of a run. Each is started when a cell first needs it, and serves all later cells. A server adapter that
//! died is started again, until it has died several times without serving a single script.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::cores;
use mcp_compat_drive::{
    AdapterFailure, AdapterOptions, ClientAdapter, ContractViolation, HttpServerAdapter, Launch, Limits,
};
use mcp_compat_model::{PeerId, Role};
use tokio::sync::{Mutex, Semaphore};

use crate::adapter_lease::AdapterLeases;

/// Time for an adapter to end once its input is closed, before it is pressed.
pub(crate) const GRACE: Duration = Duration::from_millis(500);

/// Number of times that an HTTP server adapter is started without serving a single script. Then it is given up.
const MAX_FAILED_STARTS: u32 = 5;

/// Number of jobs that an adapter may have at once: more than ever play side by side, so that none waits for its turn
/// while its time runs.
const JOBS: usize = 1024;

/// The adapters of a run, or of one cell.
#[derive(Debug)]
pub(crate) struct Adapters {
    clients: Slots<ClientAdapter>,
    servers: Slots<HttpServerAdapter>,
    pub(crate) leases: AdapterLeases,
    /// A place for each adapter that may start at a time.
    starting: Arc<Semaphore>,
}

/// The adapters that a cell needs, or why there is none.
#[derive(Debug, Default)]
pub(crate) struct Started {
    pub(crate) client: Option<Result<Arc<ClientAdapter>, AdapterFailure>>,
    pub(crate) server: Option<Result<Arc<HttpServerAdapter>, AdapterFailure>>,
}

/// One place for each adapter, so that waiting for one to start does not keep the others waiting.
type Slots<A> = Mutex<BTreeMap<PeerId, Arc<Slot<A>>>>;

#[derive(Debug)]
struct Slot<A> {
    /// Starts since the last answer.
    failed_starts: AtomicU32,
    state: Mutex<SlotState<A>>,
}

#[derive(Debug)]
struct SlotState<A> {
    adapter: Option<Arc<A>>,
    failed: Option<AdapterFailure>,
    /// The violations by earlier processes.
    violations: Vec<ContractViolation>,
}

impl<A> Default for Slot<A> {
    fn default() -> Self {
        let state = SlotState { adapter: None, failed: None, violations: Vec::new() };
        Self { failed_starts: AtomicU32::new(0), state: Mutex::new(state) }
    }
}

async fn slot<A>(slots: &Slots<A>, peer: &PeerId) -> Arc<Slot<A>> {
    Arc::clone(slots.lock().await.entry(peer.in_any_mode()).or_default())
}

/// An adapter that violated the peer contract in ways that ended no job.
#[derive(Debug)]
pub struct Violator {
    pub(crate) peer: PeerId,
    pub(crate) role: Role,
    pub(crate) violations: Vec<ContractViolation>,
}

impl Adapters {
    /// Returns adapters for one cell alone. They share the places for starting with these.
    pub(crate) fn separate(&self) -> Self {
        Self::starting_in(Arc::clone(&self.starting))
    }

    fn starting_in(starting: Arc<Semaphore>) -> Self {
        Self { clients: Slots::default(), servers: Slots::default(), leases: AdapterLeases::default(), starting }
    }

    /// The client adapter of a peer; all its modes share one. It has been probed: it says `unsupported` when it
    /// should, so its other answers can be believed. One that cannot be started so is not started again.
    pub(crate) async fn client(
        &self,
        peer: &PeerId,
        launch: &Launch,
        timeouts: Duration,
    ) -> Result<Arc<ClientAdapter>, AdapterFailure> {
        let slot = slot(&self.clients, peer).await;
        let mut state = slot.state.lock().await;
        if let Some(failure) = &state.failed {
            return Err(failure.clone());
        }
        if let Some(adapter) = &state.adapter {
            return Ok(Arc::clone(adapter));
        }
        let start = async {
            let _turn = self.starting.acquire().await.map_err(|_| AdapterFailure::Stopped)?;
            let options = AdapterOptions { concurrency: JOBS, ..AdapterOptions::default() };
            let adapter = ClientAdapter::spawn(launch.clone(), options).await?;
            adapter.probe(timeouts).await?;
            Ok(Arc::new(adapter))
        };
        match start.await {
            Ok(adapter) => Ok(Arc::clone(state.adapter.insert(adapter))),
            Err(failure) => Err(state.failed.insert(failure).clone()),
        }
    }

    /// The HTTP server adapter of a peer, alive.
    pub(crate) async fn server(
        &self,
        peer: &PeerId,
        launch: &Launch,
        timeouts: Duration,
    ) -> Result<Arc<HttpServerAdapter>, AdapterFailure> {
        let slot = slot(&self.servers, peer).await;
        let mut state = slot.state.lock().await;
        if let Some(adapter) = state.adapter.as_ref().filter(|adapter| adapter.is_alive()) {
            return Ok(Arc::clone(adapter));
        }
        if let Some(dead) = state.adapter.take() {
            state.failed = Some(dead.failure().await);
            if state.violations.is_empty() {
                state.violations = dead.violations();
            }
        }
        let starts = slot.failed_starts.load(Ordering::Relaxed);
        if let Some(failure) = state.failed.as_ref().filter(|_| starts >= MAX_FAILED_STARTS) {
            return Err(AdapterFailure::gave_up(starts, failure));
        }
        slot.failed_starts.fetch_add(1, Ordering::Relaxed);
        let start = async {
            let _turn = self.starting.acquire().await.map_err(|_| AdapterFailure::Stopped)?;
            HttpServerAdapter::spawn(launch, Limits::default(), timeouts).await
        };
        match start.await {
            Ok(adapter) => Ok(Arc::clone(state.adapter.insert(Arc::new(adapter)))),
            Err(failure) => Err(state.failed.insert(failure).clone()),
        }
    }

    /// Ends an HTTP server adapter that did not answer, and keeps that as the reason why it is gone.
    pub(crate) async fn abandon(&self, peer: &PeerId, adapter: &Arc<HttpServerAdapter>, why: &AdapterFailure) {
        let slot = slot(&self.servers, peer).await;
        let was_current = {
            let mut state = slot.state.lock().await;
            let taken = state.adapter.take_if(|current| Arc::ptr_eq(current, adapter)).is_some();
            if taken {
                // Before it is stopped: who finds it stopped would take that for the reason.
                state.failed = Some(why.clone());
            }
            taken
        };
        adapter.stop(GRACE).await;
        let mut state = slot.state.lock().await;
        if was_current && state.violations.is_empty() {
            state.violations = adapter.violations();
        }
    }

    /// Notes that an HTTP server adapter served a script, so its starts so far do not count as failed.
    pub(crate) async fn answered(&self, peer: &PeerId) {
        slot(&self.servers, peer).await.failed_starts.store(0, Ordering::Relaxed);
    }

    /// Ends all of them concurrently, each with that grace, and returns those that violated the contract.
    pub(crate) async fn close(&self, grace: Duration) -> Vec<Violator> {
        let mut stopping = tokio::task::JoinSet::new();
        for (peer, slot) in std::mem::take(&mut *self.clients.lock().await) {
            stopping.spawn(async move {
                let adapter = slot.state.lock().await.adapter.take()?;
                adapter.stop(grace).await;
                Violator::of(peer, Role::Client, adapter.violations())
            });
        }
        for (peer, slot) in std::mem::take(&mut *self.servers.lock().await) {
            stopping.spawn(async move {
                let mut state = slot.state.lock().await;
                let mut violations = std::mem::take(&mut state.violations);
                if let Some(adapter) = state.adapter.take() {
                    adapter.stop(grace).await;
                    violations.extend(adapter.violations());
                }
                Violator::of(peer, Role::Server, violations)
            });
        }
        let mut violators = Vec::new();
        while let Some(ended) = stopping.join_next().await {
            violators.extend(ended.ok().flatten());
        }
        violators
    }
}

impl Default for Adapters {
    fn default() -> Self {
        // Starting is computing: as many adapters start side by side as there are cores for it.
        Self::starting_in(Arc::new(Semaphore::new(cores())))
    }
}

impl Violator {
    /// A late answer is part of the result of the cell that waited for it, so it is not listed.
    fn of(peer: PeerId, role: Role, mut violations: Vec<ContractViolation>) -> Option<Self> {
        violations.retain(|violation| !matches!(violation, ContractViolation::Late { .. }));
        (!violations.is_empty()).then_some(Self { peer, role, violations })
    }
}
