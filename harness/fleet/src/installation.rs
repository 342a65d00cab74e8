//! One release of a family, and its state on this machine.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mcp_compat_drive::files::atomic_file;
use mcp_compat_host::HostForm;
use mcp_compat_model::{PeerId, Revision};

use super::cache::{Cache, absolute, file_name};
use super::manifest::{How, Manifest, ManifestError, Serves, Setup};
use super::places::Places;
use super::sources::{FileError, LOCKS, Sources, failed};
use mcp_compat_model::version::Version;

/// The file with the size of an installation.
const SIZE: &str = ".size";

/// In place of the digest of an adapter that cannot be read. Installing it says why.
const UNREADABLE: &str = "unreadable";

/// A release, and the folders where it is installed.
#[derive(Clone, Debug)]
pub struct Installation {
    id: PeerId,
    manifest: Arc<Manifest>,
    version: Option<Version>,
    places: Places,
    cache: Cache,
    /// The digest of its adapter, if several versions of an adapter can be in the cache.
    adapter: Option<String>,
}

/// The state of a release on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// The release is not installed.
    Absent,
    /// An installation of it did not finish.
    Unfinished,
    /// Its adapter has changed since it was installed.
    Stale,
    /// The release is installed.
    Ready,
}

impl Installation {
    /// The release that a manifest describes, or one of several. `cache` is the folder of all installations.
    ///
    /// # Errors
    /// When the manifest cannot be used, describes several releases and none is named, or does not describe the named one.
    pub fn of_manifest(path: &Path, version: Option<&Version>, cache: &Cache) -> Result<Self, ManifestError> {
        let manifest = Arc::new(Manifest::read(path)?);
        let not_served = |version: &Version, serves: &str| ManifestError::NotServed {
            path: path.to_owned(),
            serves: format!("`{serves}`"),
            version: version.to_string(),
        };
        match (&manifest.serves, version) {
            (Serves::One(_), None) => {}
            (Serves::One(id), Some(version)) if !manifest.serves(version) => {
                return Err(not_served(version, id.as_str()));
            }
            (Serves::Releases { versions, .. }, None) => {
                return Err(ManifestError::NotOne { path: path.to_owned(), versions: versions.to_string() });
            }
            (Serves::Releases { versions, .. }, Some(version)) if !manifest.serves(version) => {
                return Err(not_served(version, versions.as_str()));
            }
            (Serves::One(_) | Serves::Releases { .. }, Some(_)) => {}
        }
        Ok(Self::new(path, manifest, version, cache))
    }

    /// A release that a manifest serves.
    pub(super) fn new(path: &Path, manifest: Arc<Manifest>, version: Option<&Version>, cache: &Cache) -> Self {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let folder = absolute(folder);
        let version = match &manifest.serves {
            Serves::One(id) => id.version().cloned(),
            Serves::Releases { .. } => version.cloned(),
        };
        let text = version.as_ref().map(ToString::to_string).unwrap_or_default();
        let id = manifest.id_of(version.as_ref());
        let id = id.unwrap_or_else(|| unreachable!("a release of a range has a version"));
        let build = cache.build(&manifest.language);
        let mut installation = Self {
            places: Places { peer: folder.clone(), home: folder, build, version: text },
            id,
            manifest,
            version,
            cache: cache.clone(),
            adapter: None,
        };
        if cache.is_shared() {
            installation.adapter = Some(installation.sources().digest().unwrap_or_else(|_| UNREADABLE.to_owned()));
        }
        if let Some(root) = installation.root() {
            installation.places.home = installation.sources().home(&root);
        }
        installation
    }

    /// Its id, without a mode.
    pub fn id(&self) -> &PeerId {
        &self.id
    }

    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Its version, if its id has one.
    pub fn version(&self) -> Option<&Version> {
        self.version.as_ref()
    }

    pub fn revisions(&self) -> Vec<Revision> {
        self.manifest.revisions.spoken_by(self.version.as_ref())
    }

    pub fn folder(&self) -> &Path {
        &self.places.peer
    }

    /// The folder in which it is installed and started.
    pub fn home(&self) -> &Path {
        &self.places.home
    }

    /// A command of its manifest, with its placeholders replaced.
    pub fn command(&self, words: &[String]) -> Vec<String> {
        self.places.fill_in(words)
    }

    /// The start of the host that it is, with the placeholders of its release replaced; `None` if it is no host.
    pub fn host(&self) -> Option<HostForm> {
        let form = self.manifest.host.clone()?;
        let fill = |(name, text): (String, String)| (name, self.places.fill(&text));
        Some(HostForm {
            command: self.command(&form.command),
            before: form.before.iter().map(|words| self.command(words)).collect(),
            env: form.env.into_iter().map(fill).collect(),
            ..form
        })
    }

    /// Its state on this machine.
    pub fn state(&self) -> Result<State, FileError> {
        let Some(setup) = &self.manifest.setup else { return Ok(State::Ready) };
        let Ok(stamp) = fs::read_to_string(self.stamp()) else {
            let begun = self.root().is_some_and(|root| root.exists());
            return Ok(if begun { State::Unfinished } else { State::Absent });
        };
        let produced = setup.produces.iter().all(|file| Path::new(&self.places.fill(file)).exists());
        Ok(if produced && stamp == self.sources().digest()? { State::Ready } else { State::Stale })
    }

    pub fn is_ready(&self) -> Result<bool, FileError> {
        Ok(self.state()? == State::Ready)
    }

    /// Returns whether it is in a cache that several versions of this program share.
    pub fn is_shared(&self) -> bool {
        self.cache.is_shared()
    }

    /// Returns the number of bytes that its installation takes on disk.
    pub fn bytes(&self) -> u64 {
        let Some(root) = self.root() else { return 0 };
        let noted = fs::read_to_string(root.join(SIZE)).ok().and_then(|size| size.trim().parse().ok());
        noted.unwrap_or_else(|| bytes_of(&root))
    }

    pub(super) fn mark(&self) -> Result<(), FileError> {
        if let Some(root) = self.root() {
            let size = root.join(SIZE);
            atomic_file::replace(&size, bytes_of(&root).to_string()).map_err(failed("writing", &size))?;
        }
        let stamp = self.stamp();
        atomic_file::replace(&stamp, self.sources().digest()?).map_err(failed("writing", &stamp))
    }

    /// Removes its installation and its log.
    pub(super) fn clear(&self) -> Result<(), FileError> {
        let stamp = self.stamp();
        let gone = |error: &std::io::Error| error.kind() == std::io::ErrorKind::NotFound;
        for file in [&stamp, &self.log()] {
            fs::remove_file(file)
                .or_else(|error| if gone(&error) { Ok(()) } else { Err(error) })
                .map_err(failed("removing", file))?;
        }
        let Some(root) = self.root() else { return Ok(()) };
        fs::remove_dir_all(&root)
            .or_else(|error| if gone(&error) { Ok(()) } else { Err(error) })
            .map_err(failed("removing", &root))
    }

    pub(super) fn log(&self) -> PathBuf {
        self.cache.log(&self.id)
    }

    pub(super) fn places(&self) -> &Places {
        &self.places
    }

    /// The files that its installation depends on.
    pub(super) fn sources(&self) -> Sources {
        let setup = self.manifest.setup.as_ref();
        let inputs = setup.map(|setup| self.places.fill_in(&setup.inputs)).unwrap_or_default();
        let locks = self.locks().into_iter().map(|(lock, _)| lock).filter(|lock| lock.is_file()).collect();
        Sources::new(&self.places.peer, inputs.into_iter().map(PathBuf::from).collect(), locks)
    }

    /// Its lock files: where each is checked in, and where the installation needs it.
    pub(super) fn locks(&self) -> Vec<(PathBuf, PathBuf)> {
        let Some(Setup { how: How::Copied { lock, .. }, .. }) = &self.manifest.setup else { return Vec::new() };
        let checked_in = self.places.peer.join(LOCKS).join(&self.places.version);
        lock.iter().map(|lock| (checked_in.join(lock), self.places.home.join(lock))).collect()
    }

    /// The folder of its installation. `None` if it is installed in the folder of its manifest.
    pub(super) fn root(&self) -> Option<PathBuf> {
        let setup = self.manifest.setup.as_ref()?;
        match setup.how {
            How::InPlace(_) => None,
            How::Copied { .. } => {
                let version = self.version.clone().unwrap_or_else(|| unreachable!("`steps` without a version"));
                Some(self.cache.home(self.manifest.name(), &version, self.adapter.as_deref()))
            }
        }
    }

    fn stamp(&self) -> PathBuf {
        match self.root() {
            Some(root) => root.join(".ready"),
            None => self.places.build.join(format!("{}.ready", file_name(&self.id))),
        }
    }
}

/// The size of a block, as `stat` counts them.
const BLOCK: u64 = 512;

/// The bytes on disk of a file, or of a folder and everything in it. Links are not followed. What cannot be read counts
/// as nothing.
pub(super) fn bytes_of(path: &Path) -> u64 {
    let Ok(found) = fs::symlink_metadata(path) else { return 0 };
    let own = found.blocks() * BLOCK;
    if !found.is_dir() {
        return own;
    }
    let below = fs::read_dir(path).into_iter().flatten().flatten();
    own + below.map(|entry| bytes_of(&entry.path())).sum::<u64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_not_followed_and_what_is_missing_is_nothing() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("one")).unwrap();
        fs::write(folder.path().join("one/file"), vec![1; 100_000]).unwrap();
        let one = bytes_of(&folder.path().join("one"));
        assert!((100_000..200_000).contains(&one), "{one}");
        std::os::unix::fs::symlink(folder.path(), folder.path().join("one/back")).unwrap();
        assert!(bytes_of(folder.path()) < 200_000);
        assert_eq!(bytes_of(&folder.path().join("absent")), 0);
    }
}
