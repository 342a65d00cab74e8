//! The adapters of a run: each started when it is first needed, kept, and started again after it died, as long as it is
//! of some use in between.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use mcp_compat_drive::{AdapterFailure, AdapterOptions, Breach, ClientAdapter, HttpServerAdapter, Launch, Limits};
use mcp_compat_model::{PeerId, Role};
use tokio::sync::{Mutex, Semaphore};

/// How long an adapter may take to end once its input is closed, before it is pressed.
const GRACE: Duration = Duration::from_millis(500);

/// How often an HTTP server adapter is started without taking up a single script, before it is given up.
const FRUITLESS_STARTS: u32 = 5;

/// How many jobs an adapter may have at once: more than ever play side by side, so that none waits for its turn while its
/// time runs.
const JOBS: usize = 1024;

/// The adapters of a run.
#[derive(Debug)]
pub(crate) struct Adapters {
    clients: Slots<ClientAdapter>,
    servers: Slots<HttpServerAdapter>,
    /// Starting is computing: as many start side by side as there are cores for it.
    starting: Semaphore,
}

impl Default for Adapters {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        Self { clients: Slots::default(), servers: Slots::default(), starting: Semaphore::new(cores) }
    }
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
    fruitless: AtomicU32,
    desk: Mutex<Desk<A>>,
}

#[derive(Debug)]
struct Desk<A> {
    adapter: Option<Arc<A>>,
    failed: Option<AdapterFailure>,
    /// What those before the present one did that they must not do.
    breaches: Vec<Breach>,
}

impl<A> Default for Slot<A> {
    fn default() -> Self {
        let desk = Desk { adapter: None, failed: None, breaches: Vec::new() };
        Self { fruitless: AtomicU32::new(0), desk: Mutex::new(desk) }
    }
}

async fn slot<A>(slots: &Slots<A>, peer: &PeerId) -> Arc<Slot<A>> {
    Arc::clone(slots.lock().await.entry(peer.in_any_mode()).or_default())
}

/// What an adapter did that the peer contract forbids, though it ended nothing.
pub(crate) struct Breached {
    pub(crate) peer: PeerId,
    pub(crate) role: Role,
    pub(crate) breaches: Vec<Breach>,
}

impl Adapters {
    /// The client adapter of a peer; all its modes share one. It has been probed: it says `unsupported` when it
    /// should, so its other answers can be believed. One that cannot be started so is not started again.
    pub(crate) async fn client(
        &self,
        peer: &PeerId,
        launch: &Launch,
        patience: Duration,
    ) -> Result<Arc<ClientAdapter>, AdapterFailure> {
        let slot = slot(&self.clients, peer).await;
        let mut desk = slot.desk.lock().await;
        if let Some(failure) = &desk.failed {
            return Err(failure.clone());
        }
        if let Some(adapter) = &desk.adapter {
            return Ok(Arc::clone(adapter));
        }
        let start = async {
            let _turn = self.starting.acquire().await.map_err(|_| AdapterFailure::Stopped)?;
            let options = AdapterOptions { concurrency: JOBS, ..AdapterOptions::default() };
            let adapter = ClientAdapter::spawn(launch.clone(), options).await?;
            adapter.probe(patience).await?;
            Ok(Arc::new(adapter))
        };
        match start.await {
            Ok(adapter) => Ok(Arc::clone(desk.adapter.insert(adapter))),
            Err(failure) => Err(desk.failed.insert(failure).clone()),
        }
    }

    /// The HTTP server adapter of a peer, alive.
    pub(crate) async fn server(
        &self,
        peer: &PeerId,
        launch: &Launch,
        patience: Duration,
    ) -> Result<Arc<HttpServerAdapter>, AdapterFailure> {
        let slot = slot(&self.servers, peer).await;
        let mut desk = slot.desk.lock().await;
        if let Some(adapter) = desk.adapter.as_ref().filter(|adapter| adapter.is_alive()) {
            return Ok(Arc::clone(adapter));
        }
        if let Some(dead) = desk.adapter.take() {
            desk.failed = Some(dead.failure().await);
            if desk.breaches.is_empty() {
                desk.breaches = dead.breaches();
            }
        }
        let starts = slot.fruitless.load(Ordering::Relaxed);
        if let Some(failure) = desk.failed.as_ref().filter(|_| starts >= FRUITLESS_STARTS) {
            return Err(AdapterFailure::gave_up(starts, failure));
        }
        slot.fruitless.fetch_add(1, Ordering::Relaxed);
        let start = async {
            let _turn = self.starting.acquire().await.map_err(|_| AdapterFailure::Stopped)?;
            HttpServerAdapter::spawn(launch, Limits::default(), patience).await
        };
        match start.await {
            Ok(adapter) => Ok(Arc::clone(desk.adapter.insert(Arc::new(adapter)))),
            Err(failure) => Err(desk.failed.insert(failure).clone()),
        }
    }

    /// Notes that an HTTP server has taken up a script, so that a later death is held against what it was doing, not
    /// against it.
    pub(crate) async fn answered(&self, peer: &PeerId) {
        slot(&self.servers, peer).await.fruitless.store(0, Ordering::Relaxed);
    }

    /// Ends all of them, side by side, and gives what they did that they must not do, by peer.
    pub(crate) async fn close(&self) -> Vec<Breached> {
        let mut stopping = tokio::task::JoinSet::new();
        for (peer, slot) in std::mem::take(&mut *self.clients.lock().await) {
            stopping.spawn(async move {
                let adapter = slot.desk.lock().await.adapter.take()?;
                adapter.stop(GRACE).await;
                Breached::of(peer, Role::Client, adapter.breaches())
            });
        }
        for (peer, slot) in std::mem::take(&mut *self.servers.lock().await) {
            stopping.spawn(async move {
                let mut desk = slot.desk.lock().await;
                let mut breaches = std::mem::take(&mut desk.breaches);
                if let Some(adapter) = desk.adapter.take() {
                    adapter.stop(GRACE).await;
                    breaches.extend(adapter.breaches());
                }
                Breached::of(peer, Role::Server, breaches)
            });
        }
        let mut breached = Vec::new();
        while let Some(ended) = stopping.join_next().await {
            breached.extend(ended.ok().flatten());
        }
        breached.sort_by(|a, b| (&a.peer, a.role).cmp(&(&b.peer, b.role)));
        breached
    }
}

impl Breached {
    /// A late answer is told by the cell that waited for it.
    fn of(peer: PeerId, role: Role, mut breaches: Vec<Breach>) -> Option<Self> {
        breaches.retain(|breach| !matches!(breach, Breach::Late { .. }));
        (!breaches.is_empty()).then_some(Self { peer, role, breaches })
    }
}
