//! Finding a release by its id, `name@version`.

use mcp_compat_run::glob::{NothingMatches, nothing};

use super::family::Families;
use super::installation::Installation;
use super::manifest::Serves;
use mcp_compat_model::peer::ReleaseText;
use mcp_compat_model::version::{NotAVersion, Version};

/// Reason why there is no such release.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoRelease {
    #[error(transparent)]
    Name(NothingMatches),
    #[error("{name} is a family: name one of its releases, as in {name}@VERSION. Its adapters serve {}", served(.ranges))]
    NoVersion {
        name: String,
        /// The ranges that its manifests serve.
        ranges: Vec<String>,
    },
    #[error("{id} names no release: {error}")]
    NotAVersion {
        /// Release that was requested.
        id: String,
        error: NotAVersion,
    },
    #[error(
        "{id} names no release: its version has at least three numbers. `mcp-compat peers list` names those of the fleet"
    )]
    Partial {
        /// Release that was requested.
        id: String,
    },
    #[error("no adapter serves {id}. The adapters of {name} serve {}", served(.ranges))]
    NotServed {
        /// Release that was requested.
        id: String,
        name: String,
        /// The ranges that its manifests serve.
        ranges: Vec<String>,
    },
}

/// Smallest number of numbers in the version of a release, in every registry of a fleet.
const NUMBERS: usize = 3;

/// Returns the count of numbers that a version begins with.
fn numbers(version: &str) -> usize {
    let begin = version.find(|c: char| c != '.' && !c.is_ascii_digit()).unwrap_or(version.len());
    version[..begin].split('.').filter(|number| !number.is_empty()).count()
}

fn served(ranges: &[String]) -> String {
    ranges.iter().map(|range| format!("`{range}`")).collect::<Vec<_>>().join(" and ")
}

/// The release of an id. A mode or flavour in the id is ignored: it names a peer of the same release.
pub(super) fn find(families: &Families, id: &str) -> Result<Installation, NoRelease> {
    let ReleaseText { family: name, version, .. } = ReleaseText::read(id);
    let names = families.names();
    if !names.contains(&name) {
        return Err(NoRelease::Name(nothing("SDK", name, names.into_iter())));
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
    families.served(name, &version).ok_or_else(|| NoRelease::NotServed {
        id: id.to_owned(),
        name: name.to_owned(),
        ranges: ranges(),
    })
}

/// The release of an id that can be installed: its version is whole. A registry may read the beginning of one as a range.
pub(super) fn find_whole(families: &Families, id: &str) -> Result<Installation, NoRelease> {
    let release = find(families, id)?;
    let is_whole = |version: &Version| numbers(version.as_str()) >= NUMBERS;
    // One release that a manifest names has whatever version its author gave it.
    let is_of_registry = release.manifest().id().is_none();
    if is_of_registry && !release.id().version().is_none_or(is_whole) {
        return Err(NoRelease::Partial { id: id.to_owned() });
    }
    Ok(release)
}
