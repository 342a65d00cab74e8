//! From an installed release to its peers: a client for each mode, and its servers.

use std::ffi::OsString;
use std::path::Path;

use mcp_compat_drive::Launch;
use mcp_compat_drive::files::cache_folder;
use mcp_compat_host::{HostForm, Isolation};
use mcp_compat_model::record::PeerRecord;
use mcp_compat_model::version::{NotAVersion, Version};
use mcp_compat_model::{Mode, PeerId, Role};
use mcp_compat_run::peer::{ClientPeer, Peer, ServerPeer};
use mcp_compat_run::runtime;

use super::cache::Cache;
use super::installation::Installation;

use super::install_error::InstallError;
use super::manifest::{ManifestError, ServerCommand};
use super::sources::FileError;

/// The flavour of the server that is written with the SDK's typed API.
const TYPED: &str = "typed";

/// Reason why a manifest gives no peers.
#[derive(Debug, thiserror::Error)]
pub enum InstalledPeerError {
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    #[error(transparent)]
    Version(#[from] NotAVersion),
    #[error(transparent)]
    Install(#[from] InstallError),
    #[error(transparent)]
    File(#[from] FileError),
    #[error("cannot install a peer: no thread could be started: {0}")]
    NoRuntime(std::io::Error),
}

/// The peers that a `peer.toml` describes: a client for each mode, and its servers. Installs the release first if it is
/// not installed.
///
/// # Errors
/// When the manifest cannot be used or describes several releases, or the installation fails.
pub fn from_manifest(path: impl AsRef<Path>) -> Result<Vec<Peer>, InstalledPeerError> {
    installed(&Installation::of_manifest(path.as_ref(), None, &cache())?)
}

/// As [`from_manifest`], for one of the releases that the manifest describes.
///
/// # Errors
/// When `version` is not a version, the manifest cannot be used or does not describe that release, or the installation
/// fails.
pub fn from_release(path: impl AsRef<Path>, version: &str) -> Result<Vec<Peer>, InstalledPeerError> {
    let version = Version::parse(version)?;
    installed(&Installation::of_manifest(path.as_ref(), Some(&version), &cache())?)
}

fn cache() -> Cache {
    Cache::of_project(&cache_folder())
}

fn installed(installation: &Installation) -> Result<Vec<Peer>, InstalledPeerError> {
    if !installation.is_ready()? {
        let installed = runtime::finish(|| installation.install(|_| {}));
        installed.map_err(InstalledPeerError::NoRuntime)??;
    }
    Ok(installation.peers())
}

impl Installation {
    /// The peers of this release, installed or not.
    pub fn peers(&self) -> Vec<Peer> {
        let manifest = self.manifest();
        let launch = |command: &Vec<String>| launch(&self.command(command), self.home());
        let mut peers = Vec::new();
        if let Some(client) = &manifest.client {
            let modes = client.modes.iter().copied().map(Some);
            let modes: Vec<_> = if client.modes.is_empty() { vec![None] } else { modes.collect() };
            let id = |mode: Option<Mode>| mode.map_or_else(|| self.id().clone(), |mode| self.id().with_mode(mode));
            let client =
                |mode| ClientPeer::installed(self.record(id(mode), Role::Client, mode), launch(&client.command));
            peers.extend(modes.into_iter().map(client).map(Peer::from));
        }
        if let Some(host) = self.host() {
            let isolated = Some(Isolation::permitted() == Isolation::Own);
            let record = PeerRecord { isolated, ..self.record(self.id().clone(), Role::Client, None) };
            peers.push(ClientPeer::installed(record, self.host_adapter(&host)).into());
        }
        let server = |record: PeerRecord, command: &ServerCommand| {
            ServerPeer::installed(record, command.stdio.as_ref().map(launch), command.http.as_ref().map(launch))
        };
        if let Some(command) = &manifest.server {
            peers.push(server(self.record(self.id().clone(), Role::Server, None), command).into());
        }
        if let Some(command) = &manifest.server_typed {
            let mut record = self.record(self.id().with_flavour(TYPED), Role::Server, None);
            record.about.push_str(", by its typed API");
            peers.push(server(record, command).into());
        }
        peers
    }

    /// The command of the adapter that starts hosts, which is this program.
    fn host_adapter(&self, host: &HostForm) -> Launch {
        let program = std::env::current_exe().unwrap_or_else(|_| "mcp-compat".into());
        // The form was read from TOML, all of which is JSON.
        let form = serde_json::to_string(host).unwrap_or_default();
        Launch::new(program).args([OsString::from("host-adapter"), self.folder().into(), form.into()]).cwd(self.home())
    }

    fn record(&self, id: PeerId, role: Role, mode: Option<Mode>) -> PeerRecord {
        PeerRecord {
            id,
            role,
            language: Some(self.manifest().language.clone()),
            revisions: self.revisions(),
            mode,
            about: self.manifest().about.clone(),
            isolated: None,
            calls: None,
            recorded: None,
        }
    }
}

fn launch(command: &[String], folder: &Path) -> Launch {
    let mut words = command.iter().cloned();
    let program = words.next().unwrap_or_default();
    Launch::new(program).args(words).cwd(folder)
}
