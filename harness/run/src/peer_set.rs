//! Clients and servers, as they are put together for a plan.

use mcp_compat_mocks::client::ClientSpec;
use mcp_compat_mocks::server::ServerSpec;
use mcp_compat_model::peer::Mode;
use mcp_compat_model::{PeerId, Role};

use crate::peer::{ClientPeer, Peer, PeerInfo, ServerPeer};

/// The reference clients, which every server is played with: the modern one, and one of the revision before it.
const REFERENCE_CLIENTS: [&str; 2] = ["mock/dual+auto", "mock/2025-11-25"];

/// The reference server, which every client is played with: it speaks whatever the client speaks.
const REFERENCE_SERVERS: [&str; 1] = ["mock/dual"];

/// The server of the revision before the modern one.
const LEGACY_SERVER: &str = "mock/2025-11-25";

/// Clients and servers.
#[derive(Clone, Debug, Default)]
pub struct PeerSet {
    pub clients: Vec<ClientPeer>,
    pub servers: Vec<ServerPeer>,
}

impl PeerSet {
    pub fn mocks() -> Self {
        let clients = ClientSpec::catalogue().into_iter().map(ClientPeer::from);
        let servers = ServerSpec::catalogue().into_iter().map(ServerPeer::from);
        let is_reference = |names: &[&str], id: &PeerId| names.contains(&id.as_str());
        let client = |client: ClientPeer| {
            if is_reference(&REFERENCE_CLIENTS, client.id()) { client.into_reference() } else { client }
        };
        let server = |server: ServerPeer| {
            if is_reference(&REFERENCE_SERVERS, server.id()) { server.into_reference() } else { server }
        };
        Self { clients: clients.map(client).collect(), servers: servers.map(server).collect() }
    }

    pub fn references() -> Self {
        let Self { mut clients, mut servers } = Self::mocks();
        clients.retain(ClientPeer::is_reference);
        servers.retain(ServerPeer::is_reference);
        Self { clients, servers }
    }

    /// The reference clients and servers, with a server of 2025-11-25 for the era before 2026-07-28.
    pub fn one_of_each_era() -> Self {
        let Self { mut clients, mut servers } = Self::mocks();
        clients.retain(ClientPeer::is_reference);
        servers.retain(|server| server.is_reference() || server.id().as_str() == LEGACY_SERVER);
        Self { clients, servers }
    }

    /// Mocks that are wrong in exactly one known way each. A run plays them only when they are named.
    pub fn sabotaged() -> Self {
        Self {
            clients: ClientSpec::sabotaged().into_iter().map(ClientPeer::from).collect(),
            servers: ServerSpec::sabotaged().into_iter().map(ServerPeer::from).collect(),
        }
    }

    /// Mocks that emulate released SDKs. A run plays them only when they are named.
    pub fn profiles() -> Self {
        Self {
            clients: ClientSpec::profiles().into_iter().map(ClientPeer::from).collect(),
            servers: ServerSpec::profiles().into_iter().map(ServerPeer::from).collect(),
        }
    }

    /// The profiles without the clients that are pinned to the modern era, which does the same as the mode that
    /// negotiates, but with fewer servers.
    pub fn unpinned_profiles() -> Self {
        let Self { mut clients, servers } = Self::profiles();
        clients.retain(|client| client.id().mode() != Some(Mode::Modern));
        Self { clients, servers }
    }

    /// Adds the peers of another set.
    pub fn add(&mut self, more: Self) {
        self.clients.extend(more.clients);
        self.servers.extend(more.servers);
    }

    /// Adds peers, each to those of its role.
    pub fn extend(&mut self, peers: impl IntoIterator<Item = impl Into<Peer>>) {
        for peer in peers {
            match peer.into() {
                Peer::Client(client) => self.clients.push(client),
                Peer::Server(server) => self.servers.push(server),
            }
        }
    }

    /// Facts about each peer, the clients first.
    pub fn infos(&self) -> impl Iterator<Item = &PeerInfo> {
        self.clients.iter().map(AsRef::as_ref).chain(self.servers.iter().map(AsRef::as_ref))
    }

    pub fn of_role(&self, role: Role) -> Vec<Peer> {
        match role {
            Role::Client => self.clients.iter().cloned().map(Peer::from).collect(),
            Role::Server => self.servers.iter().cloned().map(Peer::from).collect(),
        }
    }
}
