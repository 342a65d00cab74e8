//! `peer.toml`: what a family of real peers is, how one of its releases is installed, and how it is started.
//!
//! ```text
//! text ── form ──> what serde reads ── check ──> Manifest: nothing missing, nothing that contradicts itself
//! ```
//!
//! `peers/README.md` documents every key.

mod check;
mod form;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use mcp_compat_model::{PeerId, Revision};
use mcp_compat_scenario::Diagnostics;

pub use form::{ClientCommand, Registry, Revisions, ServerCommand, Tool};

use super::toml_file::TomlFile;
use form::Form;
use mcp_compat_model::range::Range;
use mcp_compat_model::version::Version;

/// What a peer is called in its folder.
pub const FILE: &str = "peer.toml";

/// A family of peers: one release of an SDK, or a range of them, behind one adapter.
#[derive(Clone, Debug)]
pub struct Manifest {
    /// Which releases.
    pub serves: Serves,
    /// The language that it is file in.
    pub language: String,
    /// One line on what it is.
    pub about: String,
    /// The revisions that it speaks.
    pub revisions: Revisions,
    /// Where its releases are listed.
    pub registry: Option<Registry>,
    /// What must be on the machine.
    pub tools: Vec<Tool>,
    /// What has to be done once before it can be started; nothing when absent.
    pub setup: Option<Setup>,
    /// How its client is started; absent when it has none.
    pub client: Option<ClientCommand>,
    /// How its server is started; absent when it has none.
    pub server: Option<ServerCommand>,
    /// How the server is started that is file with the SDK's typed API; absent when there is none.
    pub server_typed: Option<ServerCommand>,
}

/// Which releases a manifest is about.
#[derive(Clone, Debug)]
pub enum Serves {
    /// The one of this id.
    One(PeerId),
    /// Those in a range; their ids are `name@version`.
    Releases {
        /// The name, which several manifests may share.
        name: String,
        /// The range.
        versions: Range,
    },
}

/// What has to be done once.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Further files and folders that it depends on, beside the folder of the manifest.
    pub inputs: Vec<String>,
    /// Variables to set for its commands.
    pub env: BTreeMap<String, String>,
    /// The file that is there when it has succeeded.
    pub produces: Option<String>,
    /// How it goes.
    pub how: How,
}

/// How an installation goes.
#[derive(Clone, Debug)]
pub enum How {
    /// By one command, in the folder of the manifest.
    InPlace(Vec<String>),
    /// By several, in a copy of that folder.
    Copied {
        /// The lock files, where the ecosystem has them.
        lock: Vec<String>,
        /// The commands where these are checked in.
        locked: Vec<Vec<String>>,
        /// The commands where they are not.
        steps: Vec<Vec<String>>,
    },
}

/// Why what describes peers cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// A file cannot be read.
    #[error("reading the peer manifest {}: {error}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// There are mistakes in it.
    #[error("what describes the peers has mistakes\n\n{0}")]
    Mistakes(Diagnostics),
    /// One release is wanted, and none is named.
    #[error(
        "{} serves the releases `{versions}`: name one of them, as in {}@VERSION",
        .path.display(), .path.display()
    )]
    NotOne {
        /// The file.
        path: PathBuf,
        /// What it serves.
        versions: String,
    },
    /// A release is wanted that it does not serve.
    #[error("{} serves {serves}, not {version}", .path.display())]
    NotServed {
        /// The file.
        path: PathBuf,
        /// What it serves.
        serves: String,
        /// What was wanted.
        version: String,
    },
}

impl From<Diagnostics> for ManifestError {
    fn from(mistakes: Diagnostics) -> Self {
        Self::Mistakes(mistakes)
    }
}

impl Manifest {
    /// Reads the manifest in `path`.
    ///
    /// # Errors
    /// When the file cannot be read, or is not a manifest; the error shows each mistake in its line.
    pub fn read(path: &Path) -> Result<Self, ManifestError> {
        let text =
            fs::read_to_string(path).map_err(|error| ManifestError::Unreadable { path: path.to_owned(), error })?;
        Self::parse(path, &text)
    }

    /// Reads a manifest from its text; `path` stands in errors.
    ///
    /// # Errors
    /// When the text is not a manifest.
    pub fn parse(path: &Path, text: &str) -> Result<Self, ManifestError> {
        let path = path.display().to_string();
        let (form, mut file) = TomlFile::read::<Form>(&path, text)?;
        let manifest = check::manifest(form, &mut file);
        Ok(file.finish(manifest)?.unwrap_or_else(|| unreachable!("what is not whole has a mistake")))
    }

    /// What its peers are called before the `@`.
    #[must_use]
    pub fn name(&self) -> &str {
        match &self.serves {
            Serves::One(id) => id.release().map_or(id.as_str(), |(family, _)| family),
            Serves::Releases { name, .. } => name,
        }
    }

    /// The id of the one peer that it describes; nothing where it serves a range.
    #[must_use]
    pub fn id(&self) -> Option<&PeerId> {
        match &self.serves {
            Serves::One(id) => Some(id),
            Serves::Releases { .. } => None,
        }
    }

    /// The id of a release, as far as it has to be named.
    #[must_use]
    pub fn id_of(&self, version: Option<&Version>) -> Option<PeerId> {
        match &self.serves {
            Serves::One(id) => Some(id.clone()),
            Serves::Releases { name, .. } => Some(PeerId::released(name, version?)),
        }
    }

    /// Whether it serves a release.
    #[must_use]
    pub fn serves(&self, version: &Version) -> bool {
        match &self.serves {
            Serves::One(id) => id.version().is_some_and(|own| own == version),
            Serves::Releases { versions, .. } => versions.contains(version),
        }
    }
}

/// The JSON Schema of a `peer.toml`, as the JSON that its TOML stands for.
#[must_use]
pub fn schema() -> schemars::Schema {
    schemars::schema_for!(Form)
}

impl Revisions {
    /// Those that a release speaks, oldest first.
    #[must_use]
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
