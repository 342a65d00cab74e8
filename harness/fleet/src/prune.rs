//! Unused parts of a cache, and their removal.
//!
//! Used is what the folder of peers serves as it is now: its installations that are complete. Older adapters, releases
//! that were installed for them, and what an interrupted installation left behind are not.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use mcp_compat_model::version::Version;

use super::adapters;
use super::cache::{Cache, FolderLock, LOCK};
use super::folder::PeersFolder;
use super::installation::bytes_of;
use super::sources::{FileError, failed};

/// Beginning of the name of a folder that is being removed.
const REMOVING: &str = "removing-";

/// Whoever unpacks adapters has finished by then.
const UNPACKED_BY_THEN: Duration = Duration::from_secs(3600);

/// Something in a cache that can go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leftover {
    pub path: PathBuf,
    pub bytes: u64,
}

impl Leftover {
    fn new(path: PathBuf) -> Self {
        Self { bytes: bytes_of(&path), path }
    }
}

impl PeersFolder {
    /// Returns the parts of its cache that it no longer uses.
    pub fn leftovers(&self) -> Vec<Leftover> {
        let cache = self.cache();
        let mut found: Vec<PathBuf> =
            entries(cache.folder()).into_iter().filter(|path| self.is_left_at_the_top(path)).collect();
        for name in entries(&cache.homes()) {
            for release in entries(&name) {
                let installations = if cache.is_shared() { entries(&release) } else { vec![release] };
                found.extend(installations.into_iter().filter(|path| !self.uses(path)));
            }
        }
        found.into_iter().map(Leftover::new).collect()
    }

    fn is_left_at_the_top(&self, path: &Path) -> bool {
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return false };
        let is_old = || {
            let changed = fs::metadata(path).and_then(|found| found.modified());
            changed.is_ok_and(|at| SystemTime::now().duration_since(at).is_ok_and(|age| age > UNPACKED_BY_THEN))
        };
        name.starts_with(REMOVING)
            || (name.starts_with(adapters::PREFIX) && !self.path().starts_with(path))
            || (name.starts_with(adapters::UNFINISHED) && is_old())
    }

    /// Returns whether a folder of the cache is that of a complete installation.
    fn uses(&self, path: &Path) -> bool {
        let Ok(below) = path.strip_prefix(self.cache().homes()) else { return false };
        let mut parts = below.iter().filter_map(|part| part.to_str());
        let (Some(name), Some(version)) = (parts.next(), parts.next()) else { return false };
        let Ok(version) = Version::parse(version) else { return false };
        let Some(installation) = self.served(name, &version) else { return false };
        installation.root().is_some_and(|root| root == path) && installation.is_ready().unwrap_or(false)
    }
}

impl Cache {
    pub fn contents(&self) -> Vec<Leftover> {
        let of_folder = |path: PathBuf| {
            // A process that waits for the lock has opened this file, so it stays.
            if path.join(LOCK).is_file() { entries(&path) } else { vec![path] }
        };
        let found = entries(self.folder()).into_iter().flat_map(of_folder);
        found.filter(|path| path.file_name().is_none_or(|name| name != LOCK)).map(Leftover::new).collect()
    }

    /// Removes a part of the cache, once no installation is running. `waits` is called if one is.
    ///
    /// # Errors
    /// When something cannot be removed. What was removed until then is gone.
    pub async fn remove(
        &self,
        select: impl FnOnce() -> Vec<Leftover>,
        mut waits: impl FnMut(),
    ) -> Result<Vec<Leftover>, FileError> {
        let mut locks = Vec::new();
        for language in entries(self.folder()).into_iter().filter(|path| path.join(LOCK).is_file()) {
            locks.push(FolderLock::take(&language, &mut waits).await?);
        }
        let leftovers = select();
        for (number, Leftover { path, .. }) in leftovers.iter().enumerate() {
            // A folder at its place is always complete.
            let gone = self.folder().join(format!("{REMOVING}{}-{number}", std::process::id()));
            fs::rename(path, &gone).map_err(failed("removing", path))?;
            let removed = if gone.is_dir() { fs::remove_dir_all(&gone) } else { fs::remove_file(&gone) };
            removed.map_err(failed("removing", &gone))?;
            // The folders of a release and of its family go with the last of their contents.
            for above in path.ancestors().skip(1).take_while(|above| above.starts_with(self.homes())) {
                if fs::remove_dir(above).is_err() {
                    break;
                }
            }
        }
        Ok(leftovers)
    }
}

/// Returns the entries of a folder, by name. A missing folder is empty.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}
