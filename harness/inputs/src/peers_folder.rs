//! The folder of real peers that a command works with, and what people type for one of them.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use mcp_compat_drive::cache_folder;
use mcp_compat_fleet::manifest::ManifestError;
use mcp_compat_fleet::{Installation, PeersFolder};
use mcp_compat_model::version::Version;
use mcp_compat_scenario::Diagnostics;

/// What begins the version after the path of a manifest.
const AT_VERSION: &str = ".toml@";

/// The folder that is given, or the folder `peers` here or above, or the adapters that [`find_or_unpack`] unpacked
/// earlier. `None` if there is none of them.
pub fn find(given: Option<&Path>) -> anyhow::Result<Option<PeersFolder>> {
    let found = match given {
        Some(folder) => Some(folder.to_owned()),
        None => {
            let here = std::env::current_dir().context("finding the current folder")?;
            let unpacked = || Some(mcp_compat_adapters::folder(&cache_folder())).filter(|folder| folder.is_dir());
            PeersFolder::find(&here).map(|found| shortened(found, &here)).or_else(unpacked)
        }
    };
    let Some(found) = found else { return Ok(None) };
    let folder = PeersFolder::read(&found, &cache_folder()).map_err(told)?;
    if folder.families().is_empty() {
        let found = found.display();
        bail!("the folder {found} holds no peer: expected {found}/<language>/<peer>/peer.toml");
    }
    Ok(Some(folder))
}

/// As [`find`], for a command that can do nothing without a folder.
pub fn need(given: Option<&Path>) -> anyhow::Result<PeersFolder> {
    let found = find(given)?;
    found.context(
        "there is no folder `peers` here or above: name it, as in --peers ../mcp-compat/peers; or install a release, as in \
         `mcp-compat peers install rmcp@3.9.0`, and the adapters of this program are used",
    )
}

/// As [`find`]. If there is no folder, the adapters that are part of this program are unpacked to the cache folder.
pub fn find_or_unpack(given: Option<&Path>) -> anyhow::Result<PeersFolder> {
    if let Some(found) = find(given)? {
        return Ok(found);
    }
    let unpacked = mcp_compat_adapters::unpack(&cache_folder());
    unpacked.with_context(|| format!("unpacking the adapters to {}", cache_folder().display()))?;
    need(given)
}

/// The error for mistakes in a manifest: their excerpts.
pub fn told(error: ManifestError) -> anyhow::Error {
    match error {
        ManifestError::Mistakes(mistakes) => mistaken(mistakes),
        ManifestError::Unreadable { .. } | ManifestError::NotOne { .. } | ManifestError::NotServed { .. } => {
            error.into()
        }
    }
}

fn mistaken(mistakes: Diagnostics) -> anyhow::Error {
    anyhow::Error::new(mistakes).context("the peer manifests have mistakes; nothing was run")
}

/// Whether a name is the path of a manifest, with or without a version after it.
pub fn is_manifest(name: &str) -> bool {
    name.ends_with(".toml") || name.contains(AT_VERSION)
}

/// The path of a manifest, and the version that is typed after it.
pub fn manifest(name: &str) -> anyhow::Result<(PathBuf, Option<Version>)> {
    let Some(at) = name.rfind(AT_VERSION) else { return Ok((PathBuf::from(name), None)) };
    let (path, version) = name.split_at(at + AT_VERSION.len() - 1);
    let version = Version::parse(&version[1..]).with_context(|| format!("{name} names no release"))?;
    Ok((PathBuf::from(path), Some(version)))
}

/// The release of a manifest that is typed as its path.
pub fn installation(name: &str) -> anyhow::Result<Installation> {
    let (path, version) = manifest(name)?;
    Installation::of_manifest(&path, version.as_ref(), &cache_folder()).map_err(told)
}

/// The path from here, where it leads down from here: messages are shorter with it.
fn shortened(found: PathBuf, here: &Path) -> PathBuf {
    found.strip_prefix(here).map(Path::to_owned).unwrap_or(found)
}
