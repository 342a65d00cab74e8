//! Clients and servers of the matrix, ready to be started.
//!
//! ```text
//! ClientPeer: mock | adapter | black box | in process ┐
//!                                                     ├─ Peer, when the role does not matter
//! ServerPeer: mock | adapter | in process             ┘
//! ```

mod client;
mod info;
mod server;

use mcp_compat_model::record::PeerRecord;
use mcp_compat_model::{PeerId, Revision, Transport};

pub use client::ClientPeer;
pub(crate) use client::ClientStart;
pub use info::{PeerError, PeerInfo};
pub use server::ServerPeer;
pub(crate) use server::ServerStart;

/// A client or a server of the matrix.
#[derive(Clone, Debug)]
pub enum Peer {
    Client(ClientPeer),
    Server(ServerPeer),
}

impl Peer {
    pub fn id(&self) -> &PeerId {
        self.info().id()
    }

    /// The peer as a record describes it.
    pub fn record(&self) -> &PeerRecord {
        self.info().record()
    }

    /// The transports that the peer has, quickest first.
    pub fn transports(&self) -> &[Transport] {
        self.info().transports()
    }

    /// The revisions that the peer offers in its mode. For a black-box client, those that it may offer.
    pub fn offered(&self) -> impl Iterator<Item = Revision> + use<> {
        self.info().offered()
    }

    fn info(&self) -> &PeerInfo {
        match self {
            Self::Client(client) => client.as_ref(),
            Self::Server(server) => server.as_ref(),
        }
    }
}

impl AsRef<PeerInfo> for Peer {
    fn as_ref(&self) -> &PeerInfo {
        self.info()
    }
}

impl From<ClientPeer> for Peer {
    fn from(client: ClientPeer) -> Self {
        Self::Client(client)
    }
}

impl From<ServerPeer> for Peer {
    fn from(server: ServerPeer) -> Self {
        Self::Server(server)
    }
}
