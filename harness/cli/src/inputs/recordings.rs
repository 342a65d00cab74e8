//! Recordings of releases that cannot be started here: those in the folder of peers, and one that is handed in.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use mcp_compat_fleet::PeersFolder;
use mcp_compat_run::recording::Recording;

/// Opens a recording, and makes sure that no adapter in the folder of peers serves its release.
///
/// # Errors
/// If it cannot be used, or the release can be played here.
pub fn open(path: &Path, peers: Option<&PeersFolder>) -> Result<Arc<Recording>> {
    let opening = || format!("cannot use the recording {}", path.display());
    let recording = Recording::open(path).with_context(opening)?;
    let release = recording.release();
    if peers.is_some_and(|peers| peers.release(release.as_str()).is_ok()) {
        let message = anyhow::anyhow!(
            "an adapter plays {release} here, and a recording is for releases that no adapter plays. Use `mcp-compat peers \
             install {release}`, or record it under another name"
        );
        return Err(message.context(opening()));
    }
    Ok(Arc::new(recording))
}

/// Opens every recording in the folder of peers. An error is that of one of them.
pub fn of_folder(peers: &PeersFolder) -> Vec<Result<Arc<Recording>>> {
    let mut found: Vec<Result<Arc<Recording>>> = Vec::new();
    for path in peers.recordings() {
        let opened = open(&path, Some(peers))
            .and_then(|recording| apart(&recording, found.iter().flatten()).map(|()| recording));
        found.push(opened);
    }
    found
}

/// Makes sure that no client or server is in two recordings.
///
/// # Errors
/// If one is in this one and in another.
pub fn apart<'r>(recording: &Recording, others: impl IntoIterator<Item = &'r Arc<Recording>>) -> Result<()> {
    match others.into_iter().find(|other| other.meets(recording)) {
        Some(other) => bail!(
            "{} and {} have the same client or server of {}: remove one of them",
            other.folder().display(),
            recording.folder().display(),
            recording.release()
        ),
        None => Ok(()),
    }
}
