//! The cache: where releases are installed.
//!
//! ```text
//! <cache>/
//!   <language>/                    {build}: files that all peers of a language share, and a lock
//!   homes/<name>/<version>[/<digest>]/  one release: a copy of its adapter ({home}) and its inputs, and a stamp
//!   logs/<id>.log                  the log of its installation
//! ```
//!
//! The cache of a project has one installation of a release. In a cache that several versions of this program share, the
//! digest of the adapter is a part of the path, so that none of them replaces the installations of another.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use mcp_compat_drive::files::make_folder;
use mcp_compat_model::PeerId;
use mcp_compat_model::version::Version;
use tokio::time::timeout;

use super::sources::{FileError, failed};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    folder: PathBuf,
    shared: bool,
}

/// The file in the folder of a language that locks it.
pub(super) const LOCK: &str = ".lock";

/// The suffix of a folder that is still being copied.
const PART: &str = ".part";

impl Cache {
    /// The cache of a project: its adapters are those of one folder.
    pub fn of_project(folder: &Path) -> Self {
        Self { folder: absolute(folder), shared: false }
    }

    /// The cache of a user, which several versions of this program share.
    pub fn shared(folder: &Path) -> Self {
        Self { folder: absolute(folder), shared: true }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns whether several versions of this program share it.
    pub fn is_shared(&self) -> bool {
        self.shared
    }

    /// Returns whether anything was ever installed in it.
    pub fn has_homes(&self) -> bool {
        self.homes().is_dir()
    }

    /// The folder of all releases.
    pub(super) fn homes(&self) -> PathBuf {
        self.folder.join("homes")
    }

    /// The folder that the peers of a language share.
    pub(super) fn build(&self, language: &str) -> PathBuf {
        self.folder.join(language)
    }

    /// The folder of one release, or of one adapter for it.
    pub(super) fn home(&self, name: &str, version: &Version, adapter: Option<&str>) -> PathBuf {
        let release = self.homes().join(name).join(version.as_str());
        adapter.map_or(release.clone(), |digest| release.join(digest))
    }

    /// The releases of a family that are in the cache, completely or in part.
    pub(super) fn versions(&self, name: &str) -> Vec<Version> {
        let entries = std::fs::read_dir(self.homes().join(name)).into_iter().flatten().flatten();
        let release = |entry: std::fs::DirEntry| Version::parse(entry.file_name().to_str()?).ok();
        let mut versions: Vec<Version> = entries.filter(|entry| !is_part(&entry.path())).filter_map(release).collect();
        versions.sort();
        versions
    }

    pub(super) fn log(&self, peer: &PeerId) -> PathBuf {
        self.folder.join("logs").join(format!("{}.log", file_name(peer)))
    }
}

/// Time before a wait for another holder is reported. A process that is just being started holds
/// what this one has open, until it becomes another program.
const SOON: Duration = Duration::from_millis(500);

/// A locked folder of a language, in which one installation at a time writes, of whichever process. It stays locked while
/// this value exists, or a process that got it as its input.
#[derive(Debug)]
pub(super) struct FolderLock {
    file: File,
}

impl FolderLock {
    /// Locks a folder, and creates it if necessary. Calls `waits` if another holder has it for longer than a moment.
    pub(super) async fn take(folder: &Path, waits: impl FnOnce()) -> Result<Self, FileError> {
        make_folder(folder).map_err(failed("making the folder", folder))?;
        let path = folder.join(LOCK);
        let open = || File::options().read(true).write(true).create(true).truncate(false).open(&path);
        let file = open().map_err(failed("opening", &path))?;
        match file.try_lock() {
            Ok(()) => return Ok(Self { file }),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(failed("locking", &path)(error)),
        }
        let wait = move || file.lock().map(|()| Self { file });
        let mut waiting = tokio::task::spawn_blocking(wait);
        let taken = match timeout(SOON, &mut waiting).await {
            Ok(taken) => taken,
            Err(_elapsed) => {
                waits();
                waiting.await
            }
        };
        taken.unwrap_or_else(|error| Err(io::Error::other(error))).map_err(failed("locking", &path))
    }

    /// The lock as the empty input of a process. The folder stays locked until that process and all its children have ended,
    /// even if this process dies: no other installation may write to the folder before.
    pub(super) fn as_input(&self) -> io::Result<Stdio> {
        self.file.try_clone().map(Stdio::from)
    }
}

/// Folder that a release is copied to before the copy is complete.
pub(super) fn part(home: &Path) -> PathBuf {
    let mut part = home.as_os_str().to_owned();
    part.push(PART);
    part.into()
}

fn is_part(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().ends_with(PART.as_bytes())
}

/// A peer's id as the name of a file.
pub(super) fn file_name(peer: &PeerId) -> String {
    peer.as_str().replace('/', "-")
}

/// The absolute path: commands run in other folders.
pub(super) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_copy_that_was_not_finished_is_no_release() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::of_project(folder.path());
        let home = cache.home("sdk", &Version::parse("1.0.0").unwrap(), None);
        fs::create_dir_all(part(&home)).unwrap();
        assert_eq!(cache.versions("sdk"), []);
        fs::create_dir(&home).unwrap();
        assert_eq!(cache.versions("sdk"), [Version::parse("1.0.0").unwrap()]);
    }
}
