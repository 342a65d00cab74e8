//! The families of peers: every manifest of a folder, and the releases that they serve.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mcp_compat_model::version::Version;
use mcp_compat_scenario::Diagnostics;

use super::cache::Cache;
use super::installation::Installation;
use super::manifest::{self, Manifest, ManifestError, Serves};
use super::places::Places;
use super::toml_file::TomlFile;

#[derive(Clone, Debug)]
pub struct Family {
    pub path: PathBuf,
    pub manifest: Arc<Manifest>,
}

/// Every family of a folder.
#[derive(Clone, Debug)]
pub(super) struct Families {
    cache: Cache,
    all: Vec<Family>,
}

impl Families {
    /// Reads the manifests of a folder. `cache` is where releases are installed.
    ///
    /// # Errors
    /// When a manifest cannot be used, with every mistake in every file.
    pub(super) fn read(folder: &Path, cache: Cache) -> Result<Self, ManifestError> {
        let mut mistakes = Diagnostics::default();
        let mut all = Vec::new();
        for path in manifests(folder) {
            match Manifest::read(&path) {
                Ok(manifest) => all.push(Family { path, manifest: Arc::new(manifest) }),
                Err(ManifestError::Mistakes(found)) => mistakes.extend(found),
                Err(other) => return Err(other),
            }
        }
        mistakes.extend(overlaps(&all)?);
        if mistakes.is_empty() { Ok(Self { cache, all }) } else { Err(mistakes.into()) }
    }

    /// Folder in which releases are installed.
    pub(super) fn cache(&self) -> &Cache {
        &self.cache
    }

    pub(super) fn all(&self) -> &[Family] {
        &self.all
    }

    /// The names of the families, each once.
    pub(super) fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.all.iter().map(|family| family.manifest.name()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The release of a name and version, if a manifest serves it.
    pub(super) fn served(&self, name: &str, version: &Version) -> Option<Installation> {
        let serves = |family: &&Family| family.manifest.name() == name && family.manifest.serves(version);
        self.all.iter().find(serves).map(|family| self.installation(family, Some(version)))
    }

    /// A release of a family. The version may be absent if the family has only one release.
    pub(super) fn installation(&self, family: &Family, version: Option<&Version>) -> Installation {
        Installation::new(&family.path, Arc::clone(&family.manifest), version, &self.cache)
    }

    /// The releases of which something is in the cache.
    pub(super) fn cached(&self) -> impl Iterator<Item = Installation> {
        let names = self.names().into_iter().filter(|name| !name.is_empty());
        let cached = names.flat_map(|name| self.cache.versions(name).into_iter().map(move |version| (name, version)));
        cached.filter_map(|(name, version)| self.served(name, &version))
    }
}

impl Family {
    pub fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("."))
    }

    /// The command that lists its releases, with its placeholders replaced.
    pub(super) fn listing(&self) -> Option<Vec<String>> {
        let registry = self.manifest.registry.as_ref()?;
        let peer = super::cache::absolute(self.folder());
        let places = Places { home: peer.clone(), build: peer.clone(), peer, version: String::new() };
        Some(places.fill_in(&registry.list))
    }
}

pub(super) fn manifests(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = subfolders(folder)
        .iter()
        .flat_map(|language| subfolders(language))
        .map(|peer| peer.join(manifest::FILE))
        .filter(|manifest| manifest.is_file())
        .collect();
    found.sort();
    found
}

/// The subfolders of a folder. A missing folder has none.
pub(super) fn subfolders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
}

/// The mistakes of manifests that share a name and some releases: it is unclear which of them serves these releases.
fn overlaps(families: &[Family]) -> Result<Diagnostics, ManifestError> {
    let mut mistakes = Diagnostics::default();
    for (number, family) in families.iter().enumerate() {
        let overlaps = |other: &&Family| family.manifest.name() == other.manifest.name() && meet(family, other);
        let Some(other) = families[..number].iter().find(overlaps) else { continue };
        let text = manifest::text(&family.path)?;
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

/// The text of a file that may be missing.
pub(super) fn read_if_there(path: &Path) -> Result<Option<String>, ManifestError> {
    match manifest::text(path) {
        Ok(text) => Ok(Some(text)),
        Err(ManifestError::Unreadable { error, .. }) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
