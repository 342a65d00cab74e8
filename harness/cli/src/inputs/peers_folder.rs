//! Finds the folder of real peers that a command works with, and parses the names of releases and manifests.
//!
//! Outside of a checkout, the adapters of this program are unpacked to the user's cache, where releases are installed.
//! All versions of the program share it.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use etcetera::BaseStrategy as _;
use mcp_compat_drive::files::{cache_folder, project_cache};
use mcp_compat_fleet::adapters::{Unpacked, Unpacking};
use mcp_compat_fleet::manifest::ManifestError;
use mcp_compat_fleet::{Cache, Installation, PeersFolder, adapters};
use mcp_compat_model::version::Version;
use mcp_compat_scenario::Diagnostics;

/// End of the path of a manifest that is followed by a version.
const AT_VERSION: &str = ".toml@";

/// Finds the folder of peers: the one that is given, the folder `peers` here or above, or the adapters of this program
/// if releases of them were installed.
///
/// # Errors
/// When the folder has mistakes, or the adapters of the program cannot be used ([`Unusable`]).
pub fn find(given: Option<&Path>) -> anyhow::Result<Option<PeersFolder>> {
    if let Some(folder) = of_project(given)? {
        return Ok(Some(folder));
    }
    let cache = user_cache()?;
    unpacked(&cache)?.map(|peers| read(&peers, &cache)).transpose()
}

/// Finds the folder as [`find`] does, or unpacks the adapters of the program.
pub fn need(given: Option<&Path>) -> anyhow::Result<PeersFolder> {
    match find(given)? {
        Some(found) => Ok(found),
        None => Ok(of_program()?.0),
    }
}

/// Finds the folder as [`need`] does, and unpacks damaged adapters of the program again. Also returns the folder to
/// which the damaged files were moved.
pub fn need_whole(given: Option<&Path>) -> anyhow::Result<(PeersFolder, Option<PathBuf>)> {
    match of_project(given)? {
        Some(found) => Ok((found, None)),
        None => of_program(),
    }
}

/// Returns the cache of the folder that [`need`] finds. The cache may not exist.
pub fn cache(given: Option<&Path>) -> anyhow::Result<Cache> {
    match of_project(given)? {
        Some(found) => Ok(found.cache().clone()),
        None => user_cache(),
    }
}

/// Unpacks the adapters of the program.
fn of_program() -> anyhow::Result<(PeersFolder, Option<PathBuf>)> {
    let cache = user_cache()?;
    let unpacking = unpack(&cache)?;
    Ok((read(&unpacking.peers, &cache)?, unpacking.aside))
}

/// Reads the folder that is given, or the folder `peers` here or above. Its releases are installed beside it.
///
/// # Errors
/// When the folder has mistakes.
pub fn of_project(given: Option<&Path>) -> anyhow::Result<Option<PeersFolder>> {
    let here = std::env::current_dir().context("cannot find the current folder")?;
    let found =
        given.map_or_else(|| PeersFolder::find(&here).map(|found| shortened(found, &here)), |it| Some(it.into()));
    let Some(found) = found else { return Ok(None) };
    let project = here.join(&found);
    let project = project.parent().unwrap_or(&here);
    read(&found, &Cache::of_project(&project_cache(project))).map(Some)
}

fn read(peers: &Path, cache: &Cache) -> anyhow::Result<PeersFolder> {
    let folder = PeersFolder::read(peers, cache).map_err(manifest_error)?;
    if folder.families().is_empty() {
        let found = peers.display();
        bail!("the folder {found} holds no client or server: expected {found}/<language>/<peer>/peer.toml");
    }
    Ok(folder)
}

/// Returns the error for a manifest; mistakes are shown with excerpts.
pub fn manifest_error(error: ManifestError) -> anyhow::Error {
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

/// Splits `PATH@VERSION` into the path of a manifest and the version.
pub fn manifest(name: &str) -> anyhow::Result<(PathBuf, Option<Version>)> {
    let Some(at) = name.rfind(AT_VERSION) else { return Ok((PathBuf::from(name), None)) };
    let (path, version) = name.split_at(at + AT_VERSION.len() - 1);
    let version = Version::parse(&version[1..]).with_context(|| format!("{name} names no release"))?;
    Ok((PathBuf::from(path), Some(version)))
}

/// Returns the release of a manifest that is given as a path, with or without a version.
pub fn installation(name: &str) -> anyhow::Result<Installation> {
    let (path, version) = manifest(name)?;
    Installation::of_manifest(&path, version.as_ref(), &Cache::of_project(&cache_folder())).map_err(manifest_error)
}

/// Returns the path relative to `here` if it is below, for shorter messages.
fn shortened(found: PathBuf, here: &Path) -> PathBuf {
    found.strip_prefix(here).map(Path::to_owned).unwrap_or(found)
}

/// Name of the folder in the cache folder of the user.
const NAME: &str = "mcp-compat";

/// Advice for a cache that cannot be used.
const ELSEWHERE: &str = "Name a folder that can be written, as in XDG_CACHE_HOME=/path/to/a/folder";

/// Reason why the adapters of the program cannot be used. A run can go on without them.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Unusable(String);

/// Returns the user's cache: below `XDG_CACHE_HOME` if it is set, else below `~/.cache`, on macOS `~/Library/Caches`.
fn user_cache() -> anyhow::Result<Cache> {
    let named = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|folder| folder.is_absolute());
    let folder = match named {
        Some(folder) => folder,
        None => etcetera::base_strategy::choose_native_strategy()
            .with_context(|| format!("cannot find your cache folder. {ELSEWHERE}"))?
            .cache_dir(),
    };
    Ok(Cache::shared(&folder.join(NAME)))
}

/// Returns the folder of the adapters in the user's cache; `None` if the cache is unused. The adapters are unpacked if
/// another version of the program has installed releases there, because this version may be able to use them.
fn unpacked(cache: &Cache) -> anyhow::Result<Option<PathBuf>> {
    match adapters::state(cache.folder()) {
        Unpacked::Whole => Ok(Some(adapters::folder(cache.folder()))),
        Unpacked::Absent if cache.has_homes() => unpack(cache).map(|unpacking| Some(unpacking.peers)),
        Unpacked::Absent => Ok(None),
        Unpacked::Damaged(files) => Err(anyhow::Error::new(Unusable(format!(
            "the adapters in {} are damaged: {files} files are missing or have another size. Unpack them again with \
             `mcp-compat peers install`",
            adapters::folder(cache.folder()).display()
        )))),
    }
}

fn unpack(cache: &Cache) -> anyhow::Result<Unpacking> {
    adapters::unpack(cache.folder()).map_err(|error| {
        let message = format!("cannot unpack the adapters to {}: {error}. {ELSEWHERE}", cache.folder().display());
        anyhow::Error::new(Unusable(message))
    })
}
