//! The fleet: the mocks and the real peers that there are, and how those are had.
//!
//! ```text
//! peers/fleet.toml, peers/*/*/peer.toml ── folder ──> PeersFolder ── release ──> Installation: name@version
//!                                                          │                        │ setup: tools, lock, copy, steps
//!                              registry ── releases ──> Releases                    └──> ready, and known by its stamp
//! ```
//!
//! A manifest serves a range of releases, so any release can be asked for; the list says which make the default fleet.
//! Whatever a set-up needs comes from the tools that the SDK's users have: nothing is downloaded here.

mod doctor;
mod folder;
mod installation;
mod kept;
mod listed;
mod lock;
mod log;
pub mod manifest;
mod many;
pub(crate) mod output;
mod places;
pub mod range;
mod release;
mod releases;
mod setup;
mod sources;
mod steps;
mod tools;
mod unreachable;
pub mod version;
mod written;

use mcp_compat_mocks::client::ClientSpec;
use mcp_compat_mocks::server::ServerSpec;

pub use doctor::{Ailment, Health};
pub use folder::{Family, Member, PeersFolder};
pub use installation::{Installation, State};
pub use many::{Outcomes, Watch};
pub use release::NoRelease;
pub use releases::{Releases, ReleasesError};
pub use setup::{InstallError, Installer, Options, Outcome, Progress};
pub use sources::FileError;
pub use tools::MissingTool;

use crate::peer::Peer;

/// The clients that every server is held against: the modern one, and one of the time before it.
const REFERENCE_CLIENTS: [&str; 2] = ["mock/dual+auto", "mock/2025-11-25"];

/// The server that every client is held against: it speaks what the client speaks.
const REFERENCE_SERVERS: [&str; 1] = ["mock/dual"];

/// Clients and servers.
#[derive(Clone, Debug, Default)]
pub struct Fleet {
    /// The clients.
    pub clients: Vec<Peer>,
    /// The servers.
    pub servers: Vec<Peer>,
}

impl Fleet {
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

    /// The mocks that everything is held against.
    #[must_use]
    pub fn references() -> Self {
        let Self { mut clients, mut servers } = Self::mocks();
        clients.retain(Peer::is_reference);
        servers.retain(Peer::is_reference);
        Self { clients, servers }
    }

    /// Mocks that are wrong in exactly one known way each: nobody plays with them who did not name them.
    #[must_use]
    pub fn sabotaged() -> Self {
        Self {
            clients: ClientSpec::sabotaged().into_iter().map(Peer::from_client_spec).collect(),
            servers: ServerSpec::sabotaged().into_iter().map(Peer::from_server_spec).collect(),
        }
    }

    /// Mocks that stand in for released SDKs: like the sabotaged ones, they play only with who names them.
    #[must_use]
    pub fn profiles() -> Self {
        Self {
            clients: ClientSpec::profiles().into_iter().map(Peer::from_client_spec).collect(),
            servers: ServerSpec::profiles().into_iter().map(Peer::from_server_spec).collect(),
        }
    }

    /// Adds peers, each on its side.
    pub fn extend(&mut self, peers: impl IntoIterator<Item = Peer>) {
        for peer in peers {
            match peer.record().role {
                mcp_compat_model::Role::Client => self.clients.push(peer),
                mcp_compat_model::Role::Server => self.servers.push(peer),
            }
        }
    }
}
