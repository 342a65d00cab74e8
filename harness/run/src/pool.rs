//! The adapter processes of a run, by who may use them.
//!
//! ```text
//! every cell ──> shared ── silent for long ──> quiet ── nobody knows yet ──> a pool of its own
//! ```
//!
//! A process that serves many cells is at work most of the time. Whether one of its cells waits or computes cannot be seen
//! then. So a cell that is silent for long plays a second time in processes that only such cells use: most of them wait.

use std::mem;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;

use crate::adapter_lease::AdapterLeases;
use crate::adapters::{Adapters, GRACE, Violator};
use crate::cores;

/// Adapter processes, and the leases of them.
#[derive(Debug)]
pub(crate) struct Pool {
    pub(crate) adapters: Adapters,
    pub(crate) leases: AdapterLeases,
}

/// The pools of a run.
#[derive(Debug)]
pub(crate) struct Pools {
    /// For all cells.
    pub(crate) shared: Pool,
    /// For cells that were silent for long in the shared one.
    pub(crate) quiet: Pool,
    starting: Arc<Semaphore>,
    /// Who violated the contract in a pool that is closed.
    violators: Mutex<Vec<Violator>>,
}

impl Pools {
    /// A pool for one cell.
    pub(crate) fn for_one(&self) -> Pool {
        Pool::new(&self.starting)
    }

    /// Ends the processes of a pool for one cell.
    pub(crate) async fn close_one(&self, pool: Pool) {
        self.note(pool.adapters.close(GRACE).await);
    }

    /// Ends all processes concurrently, each with that grace, and returns those that violated the contract: each peer once,
    /// sorted.
    pub(crate) async fn close(&self, grace: Duration) -> Vec<Violator> {
        let (shared, quiet) = tokio::join!(self.shared.adapters.close(grace), self.quiet.adapters.close(grace));
        self.note(shared.into_iter().chain(quiet).collect());
        let mut violators = mem::take(&mut *self.violators.lock().unwrap_or_else(PoisonError::into_inner));
        violators.sort_by(|a, b| (&a.peer, a.role).cmp(&(&b.peer, b.role)));
        violators.dedup_by(|a, b| (&a.peer, a.role) == (&b.peer, b.role));
        violators
    }

    fn note(&self, violators: Vec<Violator>) {
        self.violators.lock().unwrap_or_else(PoisonError::into_inner).extend(violators);
    }
}

impl Default for Pools {
    fn default() -> Self {
        // Starting is computing: as many adapters start side by side as there are cores for it.
        let starting = Arc::new(Semaphore::new(cores()));
        Self { shared: Pool::new(&starting), quiet: Pool::new(&starting), starting, violators: Mutex::default() }
    }
}

impl Pool {
    fn new(starting: &Arc<Semaphore>) -> Self {
        Self { adapters: Adapters::new(Arc::clone(starting)), leases: AdapterLeases::default() }
    }
}
