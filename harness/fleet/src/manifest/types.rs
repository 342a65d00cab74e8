//! Contents of a manifest that has been checked.

use std::collections::BTreeMap;
use std::path::PathBuf;

use mcp_compat_host::HostForm;
use mcp_compat_model::{PeerId, Revision};
use mcp_compat_scenario::Diagnostics;

use super::form::{ClientCommand, Registry, Revisions, ServerCommand, Tool};
use mcp_compat_model::range::Range;
use mcp_compat_model::version::Version;

/// A family of peers: one release of an SDK, or a range of them, behind one adapter.
#[derive(Clone, Debug)]
pub struct Manifest {
    /// Releases that it describes.
    pub serves: Serves,
    /// The language that it is written in.
    pub language: String,
    /// One line on what it is.
    pub about: String,
    pub revisions: Revisions,
    /// Registry that lists its releases.
    pub registry: Option<Registry>,
    /// The tools that must exist on the machine.
    pub tools: Vec<Tool>,
    /// Installation of a release. `None` if nothing has to be done.
    pub setup: Option<Setup>,
    /// Command of its client; absent when it has none.
    pub client: Option<ClientCommand>,
    /// Start of the host that it is; absent when it is none.
    pub host: Option<HostForm>,
    /// Commands of its server; absent when it has none.
    pub server: Option<ServerCommand>,
    /// Commands of the server that uses the SDK's typed API; absent when there is none.
    pub server_typed: Option<ServerCommand>,
}

/// Releases that a manifest describes.
#[derive(Clone, Debug)]
pub enum Serves {
    One(PeerId),
    /// Releases in a range; their ids are `name@version`.
    Releases {
        /// The name, which several manifests may share.
        name: String,
        versions: Range,
    },
}

#[derive(Clone, Debug)]
pub struct Setup {
    /// Further files and folders that it depends on, beside the folder of the manifest.
    pub inputs: Vec<String>,
    /// Variables to set for its commands.
    pub env: BTreeMap<String, String>,
    /// The file that exists after a successful installation.
    pub produces: Option<String>,
    pub how: How,
}

/// The progress of an installation.
#[derive(Clone, Debug)]
pub enum How {
    /// One command, in the folder of the manifest.
    InPlace(Vec<String>),
    /// Several commands, in a copy of that folder.
    Copied {
        /// The lock files, if the ecosystem has them.
        lock: Vec<String>,
        /// The commands for releases with lock files.
        locked: Vec<Vec<String>>,
        /// The commands for releases without lock files.
        steps: Vec<Vec<String>>,
    },
}

/// Reason why a manifest or the list of the fleet cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    #[error("cannot read the peer manifest {}: {error}", .path.display())]
    Unreadable { path: PathBuf, error: std::io::Error },
    #[error("the peer manifests have mistakes\n\n{0}")]
    Mistakes(Diagnostics),
    #[error(
        "{} serves the releases `{versions}`: name one of them, as in {}@VERSION",
        .path.display(), .path.display()
    )]
    NotOne {
        path: PathBuf,
        /// Releases that it serves.
        versions: String,
    },
    #[error("{} serves {serves}, not {version}", .path.display())]
    NotServed {
        path: PathBuf,
        serves: String,
        /// The release that was asked for.
        version: String,
    },
}

impl From<Diagnostics> for ManifestError {
    fn from(mistakes: Diagnostics) -> Self {
        Self::Mistakes(mistakes)
    }
}

impl Manifest {
    /// Returns the name of its peers before the `@`.
    pub fn name(&self) -> &str {
        match &self.serves {
            Serves::One(id) => id.release().map_or(id.as_str(), |(family, _)| family),
            Serves::Releases { name, .. } => name,
        }
    }

    /// The id of the one release that it describes. `None` if it describes a range.
    pub fn id(&self) -> Option<&PeerId> {
        match &self.serves {
            Serves::One(id) => Some(id),
            Serves::Releases { .. } => None,
        }
    }

    pub fn id_of(&self, version: Option<&Version>) -> Option<PeerId> {
        match &self.serves {
            Serves::One(id) => Some(id.clone()),
            Serves::Releases { name, .. } => Some(PeerId::released(name, version?)),
        }
    }

    /// Returns whether it serves a release.
    pub fn serves(&self, version: &Version) -> bool {
        match &self.serves {
            Serves::One(id) => id.version().is_some_and(|own| own == version),
            Serves::Releases { versions, .. } => versions.contains(version),
        }
    }
}

impl Revisions {
    /// The revisions that a release speaks, oldest first.
    pub fn spoken_by(&self, version: Option<&Version>) -> Vec<Revision> {
        match self {
            Self::Always(revisions) => revisions.clone(),
            Self::Since(first) => {
                let speaks = |since: &Version| version.is_none_or(|version| since <= version);
                first.iter().filter(|(_, since)| speaks(since)).map(|(revision, _)| *revision).collect()
            }
        }
    }
}
