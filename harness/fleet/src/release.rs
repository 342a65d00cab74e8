//! Finding the release that somebody asks for, `name@version`; and where there is none, saying what there is.

use mcp_compat_run::glob::{NothingMatches, nothing};

use super::folder::PeersFolder;
use super::installation::Installation;
use super::manifest::Serves;
use mcp_compat_model::peer::ReleaseText;
use mcp_compat_model::version::{NotAVersion, Version};

/// Why there is no such release.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoRelease {
    /// There is no family of that name.
    #[error(transparent)]
    Name(NothingMatches),
    /// No version is named.
    #[error("{name} is a family: name one of its releases, as in {name}@VERSION; they are in {}", served(.ranges))]
    NoVersion {
        /// The family.
        name: String,
        /// What its manifests serve.
        ranges: Vec<String>,
    },
    /// What stands after the `@` is none.
    #[error("{id} names no release: {error}")]
    NotAVersion {
        /// What was asked for.
        id: String,
        /// Why.
        error: NotAVersion,
    },
    /// No manifest serves it.
    #[error("no adapter serves {id}; the releases of {name} that are served are in {}", served(.ranges))]
    NotServed {
        /// What was asked for.
        id: String,
        /// The family.
        name: String,
        /// What its manifests serve.
        ranges: Vec<String>,
    },
}

fn served(ranges: &[String]) -> String {
    ranges.iter().map(|range| format!("`{range}`")).collect::<Vec<_>>().join(" and ")
}

/// The release of an id. A mode or flavour that it names is another peer of the same release.
pub(super) fn find(folder: &PeersFolder, id: &str) -> Result<Installation, NoRelease> {
    let ReleaseText { family: name, version, .. } = ReleaseText::read(id);
    let names = folder.names();
    if !names.contains(&name) {
        return Err(NoRelease::Name(nothing("family of peers", name, names.into_iter())));
    }
    let families = folder.families().iter().filter(|family| family.manifest.name() == name);
    let ranges = || {
        let serves = families.map(|family| match &family.manifest.serves {
            Serves::One(id) => format!("={}", id.version().map_or("", Version::as_str)),
            Serves::Releases { versions, .. } => versions.to_string(),
        });
        serves.collect()
    };
    let Some(version) = version else {
        return Err(NoRelease::NoVersion { name: name.to_owned(), ranges: ranges() });
    };
    let version = Version::parse(version).map_err(|error| NoRelease::NotAVersion { id: id.to_owned(), error })?;
    folder.served(name, &version).ok_or_else(|| NoRelease::NotServed {
        id: id.to_owned(),
        name: name.to_owned(),
        ranges: ranges(),
    })
}
