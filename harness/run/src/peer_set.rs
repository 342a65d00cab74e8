//! Clients and servers, as they are put together for a plan.

use mcp_compat_mocks::client::ClientSpec;
use mcp_compat_mocks::server::ServerSpec;
use mcp_compat_model::Role;

use crate::peer::Peer;

/// The reference clients, which every server is played with: the modern one, and one of the revision before it.
const REFERENCE_CLIENTS: [&str; 2] = ["mock/dual+auto", "mock/2025-11-25"];

/// The reference server, which every client is played with: it speaks whatever the client speaks.
const REFERENCE_SERVERS: [&str; 1] = ["mock/dual"];

/// Clients and servers.
#[derive(Clone, Debug, Default)]
pub struct PeerSet {
    /// The clients.
    pub clients: Vec<Peer>,
    /// The servers.
    pub servers: Vec<Peer>,
}

impl PeerSet {
    /// Every honest mock.
    #[must_use]
    pub fn mocks() -> Self {
        let clients = ClientSpec::catalogue().into_iter().map(Peer::from_client_spec);
        let servers = ServerSpec::catalogue().into_iter().map(Peer::from_server_spec);
        let marked = |names: &'static [&str]| {
            move |peer: Peer| if names.contains(&peer.id().as_str()) { peer.into_reference() } else { peer }
        };
        Self {
            clients: clients.map(marked(&REFERENCE_CLIENTS)).collect(),
            servers: servers.map(marked(&REFERENCE_SERVERS)).collect(),
        }
    }

    /// The reference mocks.
    #[must_use]
    pub fn references() -> Self {
        let Self { mut clients, mut servers } = Self::mocks();
        clients.retain(Peer::is_reference);
        servers.retain(Peer::is_reference);
        Self { clients, servers }
    }

    /// Mocks that are wrong in exactly one known way each. A run plays them only when they are named.
    #[must_use]
    pub fn sabotaged() -> Self {
        Self {
            clients: ClientSpec::sabotaged().into_iter().map(Peer::from_client_spec).collect(),
            servers: ServerSpec::sabotaged().into_iter().map(Peer::from_server_spec).collect(),
        }
    }

    /// Mocks that emulate released SDKs. A run plays them only when they are named.
    #[must_use]
    pub fn profiles() -> Self {
        Self {
            clients: ClientSpec::profiles().into_iter().map(Peer::from_client_spec).collect(),
            servers: ServerSpec::profiles().into_iter().map(Peer::from_server_spec).collect(),
        }
    }

    /// Adds peers, each by its role.
    pub fn extend(&mut self, peers: impl IntoIterator<Item = Peer>) {
        for peer in peers {
            match peer.record().role {
                Role::Client => self.clients.push(peer),
                Role::Server => self.servers.push(peer),
            }
        }
    }
}
