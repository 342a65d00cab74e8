//! rmcp 3.x as a peer: installed once, in the folder that the whole workspace keeps for it.

use crate::skip::skipped;
use std::path::{Path, PathBuf};
use std::time::Duration;

use mcp_compat::Peer;
use mcp_compat_drive::Exit;
use mcp_compat_drive::files::cache_folder;
use mcp_compat_fleet::{Cache, InstallError, Installation};
use mcp_compat_model::PeerId;
use mcp_compat_model::version::Version;
use tokio::time::timeout;

/// How long building the peer may take; it is built once.
const BUILDING: Duration = Duration::from_secs(600);

/// What cargo says when it lacks a crate and cannot fetch it, as without a network.
const UNFETCHED: [&str; 5] =
    ["failed to download", "failed to get", "failed to fetch", "Unable to update", "offline mode"];

/// The release of rmcp 3.x in the fleet.
pub(crate) const RELEASE: &str = "3.11.0";

/// The folder of the Rust peers.
pub(crate) fn rust_peers() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../peers/rust")
}

/// The manifest of rmcp 3.x.
pub(crate) fn manifest() -> PathBuf {
    rust_peers().join("rmcp-3/peer.toml")
}

/// The clients and the server of rmcp 3.x; nothing where they cannot be had.
pub(crate) async fn rmcp() -> Option<Vec<Peer>> {
    Some(installation().await?.peers())
}

/// rmcp 3.x, set up; nothing, said aloud, where it cannot be built because a crate cannot be fetched. A peer that does
/// not compile is a failure.
pub(crate) async fn installation() -> Option<Installation> {
    let version = Version::parse(RELEASE).unwrap();
    let installation =
        Installation::of_manifest(&manifest(), Some(&version), &Cache::of_project(&cache_folder())).unwrap();
    let installed = timeout(BUILDING, installation.install(|_| {})).await;
    match installed.unwrap_or_else(|_| panic!("building rmcp took longer than {BUILDING:?}")) {
        Ok(_) => Some(installation),
        Err(error) if is_excused(&error) => {
            skipped(&error);
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn is_excused(error: &InstallError) -> bool {
    match error {
        InstallError::Tools { .. } | InstallError::NotStarted { .. } | InstallError::Unreachable { .. } => true,
        InstallError::Failed { tail, .. } => cannot_fetch(tail),
        InstallError::File { .. }
        | InstallError::TimedOut { .. }
        | InstallError::NotProduced { .. }
        | InstallError::NotLocked { .. }
        | InstallError::PartlyLocked { .. }
        | InstallError::NoLocks { .. } => false,
    }
}

/// Whether cargo failed for want of a network.
pub(crate) fn cannot_fetch(log: &str) -> bool {
    UNFETCHED.iter().any(|words| log.contains(words))
}

#[test]
fn only_the_want_of_a_network_is_an_excuse() {
    let failed = |tail: &str| InstallError::Failed {
        peer: PeerId::new("rmcp@3.11.0").unwrap(),
        command: "cargo install".to_owned(),
        exit: Exit::Status(101),
        tail: tail.to_owned(),
        log: PathBuf::new(),
    };
    assert!(is_excused(&failed("error: failed to download from `https://registry.example`")));
    assert!(!is_excused(&failed("error[E0308]: mismatched types")));
}
