//! The folder of real peers that a command works with, and what people type for one of them.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use mcp_compat_drive::files::{cache_folder, project_cache};
use mcp_compat_fleet::manifest::ManifestError;
use mcp_compat_fleet::{Cache, Installation, PeersFolder};
use mcp_compat_model::version::Version;
use mcp_compat_scenario::Diagnostics;

use crate::inputs::user_cache::{unpack, unpacked, user_cache};

/// What begins the version after the path of a manifest.
const AT_VERSION: &str = ".toml@";

/// The folder that is given, or the folder `peers` here or above, or the adapters of this program if releases of them
/// were installed. `None` if there is none of them.
///
/// # Errors
/// When it has mistakes, or the adapters of the program cannot be used ([`Unusable`](crate::inputs::user_cache::Unusable)).
pub fn find(given: Option<&Path>) -> anyhow::Result<Option<PeersFolder>> {
    if let Some(folder) = of_project(given)? {
        return Ok(Some(folder));
    }
    let cache = user_cache()?;
    unpacked(&cache)?.map(|peers| read(&peers, &cache)).transpose()
}

/// As [`find`], for a command that can do nothing without a folder: the adapters of the program are unpacked.
///
/// # Errors
/// As [`find`].
pub fn need(given: Option<&Path>) -> anyhow::Result<PeersFolder> {
    match find(given)? {
        Some(found) => Ok(found),
        None => Ok(of_program()?.0),
    }
}

/// As [`need`]. Adapters of the program that are damaged are unpacked again, and the folder is returned to which the
/// damaged files were moved.
///
/// # Errors
/// When the folder has mistakes, or the adapters of the program cannot be unpacked.
pub fn need_whole(given: Option<&Path>) -> anyhow::Result<(PeersFolder, Option<PathBuf>)> {
    match of_project(given)? {
        Some(found) => Ok((found, None)),
        None => of_program(),
    }
}

/// The cache of [`need`], which need not exist.
///
/// # Errors
/// When there is no place for one.
pub fn cache(given: Option<&Path>) -> anyhow::Result<Cache> {
    match of_project(given)? {
        Some(found) => Ok(found.cache().clone()),
        None => user_cache(),
    }
}

/// The adapters of the program.
fn of_program() -> anyhow::Result<(PeersFolder, Option<PathBuf>)> {
    let cache = user_cache()?;
    let unpacking = unpack(&cache)?;
    Ok((read(&unpacking.peers, &cache)?, unpacking.aside))
}

/// The folder that is given, or the folder `peers` here or above. Its releases are installed beside it.
fn of_project(given: Option<&Path>) -> anyhow::Result<Option<PeersFolder>> {
    let here = std::env::current_dir().context("cannot find the current folder")?;
    let found =
        given.map_or_else(|| PeersFolder::find(&here).map(|found| shortened(found, &here)), |it| Some(it.into()));
    let Some(found) = found else { return Ok(None) };
    let project = here.join(&found);
    let project = project.parent().unwrap_or(&here);
    read(&found, &Cache::of_project(&project_cache(project))).map(Some)
}

fn read(peers: &Path, cache: &Cache) -> anyhow::Result<PeersFolder> {
    let folder = PeersFolder::read(peers, cache).map_err(told)?;
    if folder.families().is_empty() {
        let found = peers.display();
        bail!("the folder {found} holds no peer: expected {found}/<language>/<peer>/peer.toml");
    }
    Ok(folder)
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

/// Returns whether a name is the path of a manifest, with or without a version after it.
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
    Installation::of_manifest(&path, version.as_ref(), &Cache::of_project(&cache_folder())).map_err(told)
}

/// The path from here, where it leads down from here: messages are shorter with it.
fn shortened(found: PathBuf, here: &Path) -> PathBuf {
    found.strip_prefix(here).map(Path::to_owned).unwrap_or(found)
}
