//! Finding a release by its id, `name@version`.

use mcp_compat_run::glob::{NothingMatches, nothing};

use super::family::Families;
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
    #[error("{name} is a family: name one of its releases, as in {name}@VERSION. Its adapters serve {}", served(.ranges))]
    NoVersion {
        /// The family.
        name: String,
        /// The ranges that its manifests serve.
        ranges: Vec<String>,
    },
    /// The text after the `@` is not a version.
    #[error("{id} names no release: {error}")]
    NotAVersion {
        /// What was asked for.
        id: String,
        /// Why.
        error: NotAVersion,
    },
    /// The version is the beginning of one, which npm and others read as a range.
    #[error(
        "{id} names no release: a version has three numbers. `mcp-compat peers list` names the releases of the fleet"
    )]
    Partial {
        /// What was asked for.
        id: String,
    },
    /// No manifest serves it.
    #[error("no adapter serves {id}. The adapters of {name} serve {}", served(.ranges))]
    NotServed {
        /// What was asked for.
        id: String,
        /// The family.
        name: String,
        /// The ranges that its manifests serve.
        ranges: Vec<String>,
    },
}

/// How many numbers the version of a release has, in every registry of a fleet.
const NUMBERS: usize = 3;

fn served(ranges: &[String]) -> String {
    ranges.iter().map(|range| format!("`{range}`")).collect::<Vec<_>>().join(" and ")
}

/// The release of an id. A mode or flavour in the id is ignored: it names a peer of the same release.
pub(super) fn find(families: &Families, id: &str) -> Result<Installation, NoRelease> {
    let ReleaseText { family: name, version, .. } = ReleaseText::read(id);
    let names = families.names();
    if !names.contains(&name) {
        return Err(NoRelease::Name(nothing("family of peers", name, names.into_iter())));
    }
    let named = families.all().iter().filter(|family| family.manifest.name() == name);
    let ranges = || {
        let serves = named.map(|family| match &family.manifest.serves {
            Serves::One(id) => format!("={}", id.version().map_or("", Version::as_str)),
            Serves::Releases { versions, .. } => versions.to_string(),
        });
        serves.collect()
    };
    let Some(version) = version else {
        return Err(NoRelease::NoVersion { name: name.to_owned(), ranges: ranges() });
    };
    let version = Version::parse(version).map_err(|error| NoRelease::NotAVersion { id: id.to_owned(), error })?;
    if version.as_str().split('.').count() < NUMBERS {
        return Err(NoRelease::Partial { id: id.to_owned() });
    }
    families.served(name, &version).ok_or_else(|| NoRelease::NotServed {
        id: id.to_owned(),
        name: name.to_owned(),
        ranges: ranges(),
    })
}
