//! The fleet: the peers that take part when nobody says otherwise.

use std::fs;
use std::path::{Path, PathBuf};

use mcp_compat_mocks::client::ClientSpec;
use mcp_compat_mocks::server::ServerSpec;

use crate::install::Installation;
use crate::manifest::ManifestError;
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

/// The folder of real peers: `peers`, in `start` or the nearest folder above it that has one.
#[must_use]
pub fn find_peers_folder(start: &Path) -> Option<PathBuf> {
    let has_manifest = |folder: &PathBuf| !manifests(folder).is_empty();
    start.ancestors().map(|folder| folder.join("peers")).find(has_manifest)
}

/// The real peers of a folder, `<folder>/<family>/<peer>/peer.toml`, by path.
///
/// # Errors
/// When a manifest cannot be used.
pub fn installations(folder: &Path, build: &Path) -> Result<Vec<Installation>, ManifestError> {
    manifests(folder).iter().map(|manifest| Installation::of_manifest(manifest, build)).collect()
}

fn manifests(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = subfolders(folder)
        .iter()
        .flat_map(|family| subfolders(family))
        .map(|peer| peer.join("peer.toml"))
        .filter(|manifest| manifest.is_file())
        .collect();
    found.sort();
    found
}

/// A folder that is not there has no subfolders.
fn subfolders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
}
