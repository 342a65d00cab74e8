//! Who plays with one adapter at a time.
//!
//! Several cells do. Where its process is lost with several on board, nobody can tell whose doing that was, and which of
//! them were on board is chance. So each of them is played again, with the adapter to itself: the one that brings it
//! down does so again, and the others have their own outcome.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use mcp_compat_model::{PeerId, Role, Transport};
use tokio::sync::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock};

use crate::peer::{Peer, Start};

/// With whom a cell is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// With others that use the same adapters.
    Together,
    /// With its adapters to itself.
    Alone,
}

/// The adapters of a run, as places to be in.
#[derive(Debug, Default)]
pub(crate) struct Companies(Mutex<HashMap<(Role, PeerId), Arc<Company>>>);

/// One adapter, as a place to be in.
#[derive(Debug, Default)]
struct Company {
    door: Arc<RwLock<()>>,
    book: Mutex<Book>,
}

#[derive(Debug, Default)]
struct Book {
    inside: usize,
    arrivals: u64,
}

/// A cell that plays with an adapter, until it is dropped.
#[derive(Debug)]
struct Guest {
    company: Arc<Company>,
    /// How many had come when it came, itself included.
    arrival: u64,
    found_others: bool,
    _door: Door,
}

/// What keeps others in or out.
#[derive(Debug)]
enum Door {
    Open { _guard: OwnedRwLockReadGuard<()> },
    Closed { _guard: OwnedRwLockWriteGuard<()> },
}

/// A cell that plays with up to two adapters.
#[derive(Debug)]
pub(crate) struct Visit(Vec<Guest>);

impl Companies {
    /// Waits until a cell can play with its adapters in that manner.
    pub(crate) async fn visit(&self, client: &Peer, server: &Peer, transport: Transport, manner: Manner) -> Visit {
        let mut guests = Vec::new();
        // Always in this order, so that two cells never wait for each other.
        for (role, peer) in [(Role::Client, client), (Role::Server, server)] {
            if is_shared(peer, transport) {
                guests.push(Company::enter(self.of(role, peer.id()), manner).await);
            }
        }
        Visit(guests)
    }

    fn of(&self, role: Role, peer: &PeerId) -> Arc<Company> {
        let mut companies = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(companies.entry((role, peer.in_any_mode())).or_default())
    }
}

/// Whether a peer is one process for many cells.
fn is_shared(peer: &Peer, transport: Transport) -> bool {
    match peer.start() {
        Start::ClientAdapter(_) => true,
        Start::ServerAdapter { .. } => transport == Transport::Http,
        Start::MockClient(_)
        | Start::MockServer(_)
        | Start::OwnClient(_)
        | Start::OwnServer(_)
        | Start::ClientCommand(_) => false,
    }
}

impl Company {
    async fn enter(self: Arc<Self>, manner: Manner) -> Guest {
        let door = Arc::clone(&self.door);
        let door = match manner {
            Manner::Together => Door::Open { _guard: door.read_owned().await },
            Manner::Alone => Door::Closed { _guard: door.write_owned().await },
        };
        let (arrival, found_others) = {
            let mut book = self.book.lock().unwrap_or_else(PoisonError::into_inner);
            book.inside += 1;
            book.arrivals += 1;
            (book.arrivals, book.inside > 1)
        };
        Guest { company: self, arrival, found_others, _door: door }
    }
}

impl Visit {
    /// Whether anybody else was with one of the adapters at any time since.
    pub(crate) fn had_company(&self) -> bool {
        self.0.iter().any(|guest| {
            let book = guest.company.book.lock().unwrap_or_else(PoisonError::into_inner);
            guest.found_others || book.arrivals > guest.arrival
        })
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        self.company.book.lock().unwrap_or_else(PoisonError::into_inner).inside -= 1;
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::timeout;

    use super::*;

    async fn enter(company: &Arc<Company>, manner: Manner) -> Visit {
        Visit(vec![Company::enter(Arc::clone(company), manner).await])
    }

    #[tokio::test]
    async fn company_is_whoever_was_there_and_whoever_came() {
        let company = Arc::<Company>::default();
        let first = enter(&company, Manner::Together).await;
        assert!(!first.had_company());
        let second = enter(&company, Manner::Together).await;
        assert!(first.had_company() && second.had_company());
        drop(first);
        assert!(second.had_company(), "though it has gone");
        drop(second);
        assert!(!enter(&company, Manner::Together).await.had_company());
    }

    #[tokio::test]
    async fn whoever_is_alone_stays_so() {
        let company = Arc::<Company>::default();
        let alone = enter(&company, Manner::Alone).await;
        let short = std::time::Duration::from_millis(20);
        for manner in [Manner::Together, Manner::Alone] {
            assert!(timeout(short, enter(&company, manner)).await.is_err());
        }
        assert!(!alone.had_company());
        drop(alone);
        let _together = enter(&company, Manner::Together).await;
        assert!(timeout(short, enter(&company, Manner::Alone)).await.is_err());
    }
}
