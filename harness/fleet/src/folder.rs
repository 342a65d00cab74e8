//! The folder of real peers: the manifests of all families, and the list of the default fleet.
//!
//! ```text
//! peers/
//!   fleet.toml                         which releases make the fleet
//!   <language>/<adapter>/peer.toml     what each family is
//! ```

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mcp_compat_scenario::Diagnostics;

use super::cache::Cache;
use super::fleet_list::{self, FleetEntry};
use super::installation::{Installation, State};
use super::manifest::{self, Manifest, ManifestError, Serves};
use super::places::Places;
use super::release::{self, NoRelease};
use super::toml_file::TomlFile;
use mcp_compat_model::version::Version;

/// A manifest, and where it stands.
#[derive(Clone, Debug)]
pub struct Family {
    /// The file.
    pub path: PathBuf,
    /// What it says.
    pub manifest: Arc<Manifest>,
}

/// A release of the fleet.
#[derive(Clone, Debug)]
pub struct Member {
    /// The release.
    pub installation: Installation,
    /// Why it is one of the fleet; nothing where its manifest alone says so.
    pub why: Option<String>,
    /// Whether it is one of the small fleet too.
    pub small: bool,
    /// Whether a run sets it up by itself.
    pub at_run: bool,
}

/// The folder of real peers.
#[derive(Clone, Debug)]
pub struct PeersFolder {
    path: PathBuf,
    cache: Cache,
    families: Vec<Family>,
    fleet: Vec<Member>,
}

impl PeersFolder {
    /// `peers`, in `start` or the nearest folder above it that has one with a peer in it.
    #[must_use]
    pub fn find(start: &Path) -> Option<PathBuf> {
        let has_manifest = |folder: &PathBuf| !manifests(folder).is_empty();
        start.ancestors().map(|folder| folder.join("peers")).find(has_manifest)
    }

    /// Reads a folder; `kept` is where what installations make is kept.
    ///
    /// # Errors
    /// When a manifest or the list of the fleet cannot be used, with every mistake in every file.
    pub fn read(path: &Path, cache: &Path) -> Result<Self, ManifestError> {
        let cache = Cache::new(cache);
        let mut mistakes = Diagnostics::default();
        let mut families = Vec::new();
        for path in manifests(path) {
            match Manifest::read(&path) {
                Ok(manifest) => families.push(Family { path, manifest: Arc::new(manifest) }),
                Err(ManifestError::Mistakes(found)) => mistakes.extend(found),
                Err(other) => return Err(other),
            }
        }
        mistakes.extend(meetings(&families)?);
        if !mistakes.is_empty() {
            return Err(mistakes.into());
        }
        let mut folder = Self { path: path.to_owned(), cache, families, fleet: Vec::new() };
        folder.fleet = folder.members()?;
        Ok(folder)
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Every family in it, by path.
    #[must_use]
    pub fn families(&self) -> &[Family] {
        &self.families
    }

    /// What its families are called, each name once.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.families.iter().map(|family| family.manifest.name()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The default fleet: what `fleet.toml` lists, in its order, and then every manifest that is about one release.
    #[must_use]
    pub fn fleet(&self) -> &[Member] {
        &self.fleet
    }

    /// The releases beyond the fleet of which anything is there on this machine.
    #[must_use]
    pub fn beyond(&self) -> Vec<Installation> {
        let mut names = self.names();
        names.retain(|name| !name.is_empty());
        let kept = names.into_iter().flat_map(|name| self.cache.versions(name).into_iter().map(move |at| (name, at)));
        let found = kept.filter_map(|(name, version)| self.served(name, &version));
        let is_listed = |found: &Installation| self.fleet.iter().any(|member| member.installation.id() == found.id());
        let is_there = |found: &Installation| !matches!(found.state(), Ok(State::Absent));
        found.filter(|found| !is_listed(found) && is_there(found)).collect()
    }

    /// The release of an id, `name@version`, whether it is installed or not.
    ///
    /// # Errors
    /// When no manifest serves it, with what they serve instead.
    pub fn release(&self, id: &str) -> Result<Installation, NoRelease> {
        release::find(self, id)
    }

    /// The release of a name and version, where a manifest serves it.
    pub(super) fn served(&self, name: &str, version: &Version) -> Option<Installation> {
        let serves = |family: &&Family| family.manifest.name() == name && family.manifest.serves(version);
        self.families.iter().find(serves).map(|family| self.of(family, Some(version)))
    }

    fn of(&self, family: &Family, version: Option<&Version>) -> Installation {
        Installation::new(&family.path, Arc::clone(&family.manifest), version, &self.cache)
    }

    fn members(&self) -> Result<Vec<Member>, ManifestError> {
        let listed =
            fleet_list::read(self)?.into_iter().map(|(FleetEntry { why, small, at_run, .. }, installation)| Member {
                installation,
                why: Some(why),
                small,
                at_run,
            });
        let mut members: Vec<Member> = listed.collect();
        for family in self.families.iter().filter(|family| family.manifest.id().is_some()) {
            let installation = self.of(family, None);
            if members.iter().all(|member| member.installation.id() != installation.id()) {
                members.push(Member { installation, why: None, small: false, at_run: true });
            }
        }
        Ok(members)
    }
}

impl Family {
    /// The folder that it stands in.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("."))
    }

    /// The command that lists its releases, filled in.
    pub(super) fn listing(&self) -> Option<Vec<String>> {
        let registry = self.manifest.registry.as_ref()?;
        let peer = super::cache::absolute(self.folder());
        let places = Places { home: peer.clone(), build: peer.clone(), peer, version: String::new() };
        Some(places.fill_in(&registry.list))
    }
}

/// The manifests of a folder, by path.
fn manifests(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = subfolders(folder)
        .iter()
        .flat_map(|language| subfolders(language))
        .map(|peer| peer.join(manifest::FILE))
        .filter(|manifest| manifest.is_file())
        .collect();
    found.sort();
    found
}

/// A folder that is not there has no subfolders.
fn subfolders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
}

/// The mistakes of manifests that share a name and some releases: nobody knows which of them serves those.
fn meetings(families: &[Family]) -> Result<Diagnostics, ManifestError> {
    let mut mistakes = Diagnostics::default();
    for (number, family) in families.iter().enumerate() {
        let meets = |other: &&Family| family.manifest.name() == other.manifest.name() && meet(family, other);
        let Some(other) = families[..number].iter().find(meets) else { continue };
        let text = read(&family.path)?;
        let path = family.path.display().to_string();
        let (_, mut file) = TomlFile::read::<toml::Table>(&path, &text)?;
        let key = if family.manifest.id().is_some() { "id" } else { "versions" };
        let (serves, others) = (serves(family), serves(other));
        let message = format!("two manifests of `{}` serve the same releases", family.manifest.name());
        file.mistake(&[key], message, format!("`{serves}` meets `{others}` of {}", other.path.display()));
        mistakes.extend(file.finish(()).err().unwrap_or_default());
    }
    Ok(mistakes)
}

fn meet(one: &Family, other: &Family) -> bool {
    match (&one.manifest.serves, &other.manifest.serves) {
        (Serves::Releases { versions: one, .. }, Serves::Releases { versions: other, .. }) => one.meets(other),
        (Serves::One(one), Serves::One(other)) => one == other,
        (Serves::One(id), Serves::Releases { versions, .. }) | (Serves::Releases { versions, .. }, Serves::One(id)) => {
            id.version().is_some_and(|version| versions.contains(version))
        }
    }
}

fn serves(family: &Family) -> String {
    match &family.manifest.serves {
        Serves::One(id) => id.to_string(),
        Serves::Releases { versions, .. } => versions.to_string(),
    }
}

/// The text of a file that describes peers.
pub(super) fn read(path: &Path) -> Result<String, ManifestError> {
    fs::read_to_string(path).map_err(|error| ManifestError::Unreadable { path: path.to_owned(), error })
}

/// The text of one that may be missing.
pub(super) fn read_if_there(path: &Path) -> Result<Option<String>, ManifestError> {
    match read(path) {
        Ok(text) => Ok(Some(text)),
        Err(ManifestError::Unreadable { error, .. }) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
