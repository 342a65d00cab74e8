//! The adapters of a run: each started when it is first needed, kept, and started again after it died.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use mcp_compat_drive::{AdapterFailure, AdapterOptions, ClientAdapter, HttpServerAdapter, Launch, Limits};
use mcp_compat_model::PeerId;
use tokio::sync::Mutex;

/// How long an adapter may take to end once its input is closed, before it is pressed.
const GRACE: Duration = Duration::from_millis(500);

/// How often an HTTP server adapter is started again before it is given up.
const STARTS: u32 = 5;

/// The adapters of a run.
#[derive(Debug, Default)]
pub(crate) struct Adapters {
    clients: Slots<ClientAdapter>,
    servers: Slots<HttpServerAdapter>,
}

/// One place for each adapter, so that waiting for one to start does not keep the others waiting.
type Slots<A> = Mutex<HashMap<String, Arc<Mutex<Slot<A>>>>>;

#[derive(Debug)]
struct Slot<A> {
    adapter: Option<Arc<A>>,
    starts: u32,
    failed: Option<AdapterFailure>,
}

impl<A> Default for Slot<A> {
    fn default() -> Self {
        Self { adapter: None, starts: 0, failed: None }
    }
}

async fn slot<A>(slots: &Slots<A>, peer: &PeerId) -> Arc<Mutex<Slot<A>>> {
    Arc::clone(slots.lock().await.entry(peer.without_mode().to_owned()).or_default())
}

impl Adapters {
    /// The client adapter of a peer; all its modes share one. It has been probed: it says `unsupported` when it
    /// should, so its other answers can be believed.
    pub(crate) async fn client(
        &self,
        peer: &PeerId,
        launch: &Launch,
        patience: Duration,
    ) -> Result<Arc<ClientAdapter>, AdapterFailure> {
        let slot = slot(&self.clients, peer).await;
        let mut slot = slot.lock().await;
        if let Some(failure) = &slot.failed {
            return Err(failure.clone());
        }
        if let Some(adapter) = &slot.adapter {
            return Ok(Arc::clone(adapter));
        }
        let start = async {
            let adapter = ClientAdapter::spawn(launch.clone(), AdapterOptions::default()).await?;
            adapter.probe(patience).await?;
            Ok(Arc::new(adapter))
        };
        match start.await {
            Ok(adapter) => Ok(Arc::clone(slot.adapter.insert(adapter))),
            Err(failure) => Err(slot.failed.insert(failure).clone()),
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
        let mut slot = slot.lock().await;
        if let Some(adapter) = slot.adapter.as_ref().filter(|adapter| adapter.is_alive()) {
            return Ok(Arc::clone(adapter));
        }
        if let Some(failure) = slot.failed.as_ref().filter(|_| slot.starts >= STARTS) {
            return Err(failure.clone());
        }
        slot.starts += 1;
        match HttpServerAdapter::spawn(launch, Limits::default(), patience).await {
            Ok(adapter) => Ok(Arc::clone(slot.adapter.insert(Arc::new(adapter)))),
            Err(failure) => Err(slot.failed.insert(failure).clone()),
        }
    }

    /// Notes that an HTTP server has done its work, so that a later death is not held against it.
    pub(crate) async fn served(&self, peer: &PeerId) {
        slot(&self.servers, peer).await.lock().await.starts = 1;
    }

    /// Ends all of them, side by side.
    pub(crate) async fn close(&self) {
        let clients: Vec<_> = self.clients.lock().await.drain().map(|(_, slot)| slot).collect();
        let servers: Vec<_> = self.servers.lock().await.drain().map(|(_, slot)| slot).collect();
        let mut stopping = tokio::task::JoinSet::new();
        for slot in clients {
            stopping.spawn(async move {
                if let Some(adapter) = slot.lock().await.adapter.take() {
                    adapter.stop(GRACE).await;
                }
            });
        }
        for slot in servers {
            stopping.spawn(async move {
                if let Some(adapter) = slot.lock().await.adapter.take() {
                    adapter.stop(GRACE).await;
                }
            });
        }
        while stopping.join_next().await.is_some() {}
    }
}
