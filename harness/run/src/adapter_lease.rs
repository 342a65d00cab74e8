//! Leases of adapters: a cell holds one for each adapter process that it uses.
//!
//! Several cells share a lease at a time. If the process is lost while several cells use it, the cell that is responsible
//! is unknown, and which cells were there is chance. So each of them is played again with an exclusive lease: the cell
//! that brings the process down does so again, and the others get an outcome of their own.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use mcp_compat_model::{PeerId, Role, Transport};
use tokio::sync::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock};

use crate::peer::{ClientPeer, ClientStart, ServerPeer, ServerStart};

/// Access of a cell to the adapters that it uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Other cells may use the adapters at the same time.
    Shared,
    /// No other cell uses the adapters.
    Exclusive,
}

/// The leases of all adapters of a run.
#[derive(Debug, Default)]
pub(crate) struct AdapterLeases(Mutex<HashMap<(Role, PeerId), Arc<Adapter>>>);

/// One adapter, as something to lease.
#[derive(Debug, Default)]
struct Adapter {
    lock: Arc<RwLock<()>>,
    usage: Mutex<Usage>,
}

/// Number of cells that use an adapter, and of those that have begun to.
#[derive(Debug, Default)]
struct Usage {
    current: usize,
    total: u64,
}

/// A cell's use of one adapter. It ends when it is dropped.
#[derive(Debug)]
struct Lease {
    adapter: Arc<Adapter>,
    /// Number of cells that had begun to use the adapter when this one did, itself included.
    number: u64,
    began_shared: bool,
    _guard: Guard,
}

/// Keeps other cells out, or keeps a cell from keeping this one out.
#[derive(Debug)]
enum Guard {
    Shared { _guard: OwnedRwLockReadGuard<()> },
    Exclusive { _guard: OwnedRwLockWriteGuard<()> },
}

/// A cell's use of the adapters of its two peers. It ends when it is dropped.
#[derive(Debug)]
pub(crate) struct AdapterLease(Vec<Lease>);

impl AdapterLeases {
    /// Waits until a cell can use its adapters with that access.
    pub(crate) async fn acquire(
        &self,
        client: &ClientPeer,
        server: &ServerPeer,
        transport: Transport,
        access: Access,
    ) -> AdapterLease {
        let mut leases = Vec::new();
        let client = matches!(client.start(), ClientStart::Adapter(_)).then(|| (Role::Client, client.id()));
        let is_shared = matches!(server.start(), ServerStart::Adapter { .. }) && transport == Transport::Http;
        let server = is_shared.then(|| (Role::Server, server.id()));
        // Always in this order, so that two cells never wait for each other.
        for (role, peer) in client.into_iter().chain(server) {
            leases.push(Adapter::lease(self.of(role, peer), access).await);
        }
        AdapterLease(leases)
    }

    fn of(&self, role: Role, peer: &PeerId) -> Arc<Adapter> {
        let mut adapters = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(adapters.entry((role, peer.in_any_mode())).or_default())
    }
}

impl Adapter {
    async fn lease(self: Arc<Self>, access: Access) -> Lease {
        let lock = Arc::clone(&self.lock);
        let guard = match access {
            Access::Shared => Guard::Shared { _guard: lock.read_owned().await },
            Access::Exclusive => Guard::Exclusive { _guard: lock.write_owned().await },
        };
        let (number, began_shared) = {
            let mut usage = self.usage.lock().unwrap_or_else(PoisonError::into_inner);
            usage.current += 1;
            usage.total += 1;
            (usage.total, usage.current > 1)
        };
        Lease { adapter: self, number, began_shared, _guard: guard }
    }
}

impl AdapterLease {
    /// Returns true if another cell used one of the adapters at any time since the lease began.
    pub(crate) fn was_shared(&self) -> bool {
        self.0.iter().any(|lease| {
            let usage = lease.adapter.usage.lock().unwrap_or_else(PoisonError::into_inner);
            lease.began_shared || usage.total > lease.number
        })
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.adapter.usage.lock().unwrap_or_else(PoisonError::into_inner).current -= 1;
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::timeout;

    use super::*;

    async fn lease(adapter: &Arc<Adapter>, access: Access) -> AdapterLease {
        AdapterLease(vec![Adapter::lease(Arc::clone(adapter), access).await])
    }

    #[tokio::test]
    async fn a_lease_was_shared_with_earlier_and_with_later_leases() {
        let adapter = Arc::<Adapter>::default();
        let first = lease(&adapter, Access::Shared).await;
        assert!(!first.was_shared());
        let second = lease(&adapter, Access::Shared).await;
        assert!(first.was_shared() && second.was_shared());
        drop(first);
        assert!(second.was_shared(), "though the first one has ended");
        drop(second);
        assert!(!lease(&adapter, Access::Shared).await.was_shared());
    }

    #[tokio::test]
    async fn an_exclusive_lease_is_never_shared() {
        let adapter = Arc::<Adapter>::default();
        let exclusive = lease(&adapter, Access::Exclusive).await;
        let short = std::time::Duration::from_millis(20);
        for access in [Access::Shared, Access::Exclusive] {
            assert!(timeout(short, lease(&adapter, access)).await.is_err());
        }
        assert!(!exclusive.was_shared());
        drop(exclusive);
        let _shared = lease(&adapter, Access::Shared).await;
        assert!(timeout(short, lease(&adapter, Access::Exclusive)).await.is_err());
    }
}
