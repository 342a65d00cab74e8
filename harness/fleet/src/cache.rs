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

use std::path::{Path, PathBuf};

use mcp_compat_model::PeerId;

use mcp_compat_model::version::Version;

/// The folder of all installations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    folder: PathBuf,
    shared: bool,
}

/// The suffix of a folder that is still being copied.
const PART: &str = ".part";

impl Cache {
    /// The cache of a project: its adapters are those of one folder.
    #[must_use]
    pub fn of_project(folder: &Path) -> Self {
        Self { folder: absolute(folder), shared: false }
    }

    /// The cache of a user, which several versions of this program share.
    #[must_use]
    pub fn shared(folder: &Path) -> Self {
        Self { folder: absolute(folder), shared: true }
    }

    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns whether several versions of this program share it.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.shared
    }

    /// Returns whether anything was ever installed in it.
    #[must_use]
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
