//! The folder of real peers: the manifests of all families, and the list of the default fleet.
//!
//! ```text
//! peers/
//!   fleet.toml                         which releases make the fleet
//!   hosts.toml                         which releases of hosts are measured
//!   recorded/<name>@<version>[-role]/  releases that were recorded on another machine
//!   <language>/<adapter>/peer.toml     what each family is
//! ```
//!
//! An entry of `fleet.toml`:
//!
//! ```toml
//! [[peer]]
//! id = "rmcp@3.9.0"
//! why = "the 3.x line, which speaks both eras"
//! small = true      # in the small fleet, too, which is played on each change
//! at-run = true     # a run installs it
//! ```

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::cache::{Cache, file_name};
use super::family::{Families, Family, manifests, read_if_there, subfolders};
use super::installation::{Installation, State};
use super::manifest::ManifestError;
use super::release::{self, NoRelease};
use super::toml_file::TomlFile;
use mcp_compat_model::version::Version;
use mcp_compat_model::{PeerId, Role};

/// A release of the fleet.
#[derive(Clone, Debug)]
pub struct Member {
    pub installation: Installation,
    /// Reason why it is in the fleet. `None` if `fleet.toml` does not list it.
    pub why: Option<String>,
    /// True if it is in the small fleet, too.
    pub small: bool,
    /// True if a run installs it.
    pub at_run: bool,
}

#[derive(Clone, Debug)]
pub struct PeersFolder {
    path: PathBuf,
    families: Families,
    fleet: Vec<Member>,
    hosts: Vec<Member>,
}

impl PeersFolder {
    /// The folder `peers` in `start`, or in the nearest folder above it that has one with a peer in it.
    pub fn find(start: &Path) -> Option<PathBuf> {
        let has_manifest = |folder: &PathBuf| !manifests(folder).is_empty();
        start.ancestors().map(|folder| folder.join("peers")).find(has_manifest)
    }

    /// Reads a folder. `cache` is where releases are installed.
    ///
    /// # Errors
    /// When a manifest or the list of the fleet cannot be used, with every mistake in every file.
    pub fn read(path: &Path, cache: &Cache) -> Result<Self, ManifestError> {
        let families = Families::read(path, cache.clone())?;
        let mut folder = Self { path: path.to_owned(), families, fleet: Vec::new(), hosts: Vec::new() };
        folder.fleet = folder.members()?;
        folder.hosts = members(listed(path, &folder.families, HOSTS)?);
        Ok(folder)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Folder in which its releases are installed.
    pub fn cache(&self) -> &Cache {
        self.families.cache()
    }

    /// The release of a family, if a manifest serves it.
    pub(super) fn served(&self, name: &str, version: &Version) -> Option<Installation> {
        self.families.served(name, version)
    }

    /// Every family in it, by path.
    pub fn families(&self) -> &[Family] {
        self.families.all()
    }

    /// The names of its families, each once.
    pub fn names(&self) -> Vec<&str> {
        self.families.names()
    }

    /// The default fleet: the releases in `fleet.toml`, in that order, then every manifest that describes one release.
    pub fn fleet(&self) -> &[Member] {
        &self.fleet
    }

    /// The releases of hosts in `hosts.toml`, in that order.
    pub fn hosts(&self) -> &[Member] {
        &self.hosts
    }

    /// Folders of the releases that were recorded on another machine.
    pub fn recordings(&self) -> Vec<PathBuf> {
        let mut found = subfolders(&self.path.join(RECORDED));
        let is_hidden = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        found.retain(|path| !is_hidden(path));
        found.sort();
        found
    }

    /// Folder of the recording of a release, or of its recording in one role.
    pub fn recording_of(&self, release: &PeerId, only_role: Option<Role>) -> PathBuf {
        let role = only_role.map(|role| format!("-{role}")).unwrap_or_default();
        self.path.join(RECORDED).join(file_name(release) + &role)
    }

    /// The releases outside the fleet that are installed on this machine, completely or in part.
    pub fn beyond(&self) -> Vec<Installation> {
        let is_listed = |found: &Installation| self.fleet.iter().any(|member| member.installation.id() == found.id());
        let is_there = |found: &Installation| !matches!(found.state(), Ok(State::Absent));
        self.families.cached().filter(|found| !is_listed(found) && is_there(found)).collect()
    }

    /// The release of an id, `name@version`, installed or not.
    ///
    /// # Errors
    /// When no manifest serves it. The error names what they serve.
    pub fn release(&self, id: &str) -> Result<Installation, NoRelease> {
        release::find(&self.families, id)
    }

    /// The release of an id, `name@version`, that is to be installed.
    ///
    /// # Errors
    /// As those of [`release`](Self::release), and when the version is only the beginning of one.
    pub fn to_install(&self, id: &str) -> Result<Installation, NoRelease> {
        release::find_whole(&self.families, id)
    }

    /// The places of the oldest and the newest release of each manifest of a family, among releases in order.
    pub fn ends(&self, name: &str, releases: &[Version]) -> Vec<usize> {
        let manifests = self.families().iter().filter(|family| family.manifest.name() == name);
        let ends = manifests.flat_map(|family| {
            let serves = |version: &Version| family.manifest.serves(version);
            [releases.iter().position(serves), releases.iter().rposition(serves)]
        });
        let mut ends: Vec<usize> = ends.flatten().collect();
        ends.sort_unstable();
        ends.dedup();
        ends
    }

    fn members(&self) -> Result<Vec<Member>, ManifestError> {
        let mut members = members(listed(&self.path, &self.families, FLEET)?);
        for family in self.families.all().iter().filter(|family| family.manifest.id().is_some()) {
            let installation = self.families.installation(family, None);
            if members.iter().all(|member| member.installation.id() != installation.id()) {
                members.push(Member { installation, why: None, small: false, at_run: true });
            }
        }
        Ok(members)
    }
}

fn members(listed: Vec<(FleetEntry, Installation)>) -> Vec<Member> {
    let member =
        |(FleetEntry { why, small, at_run, .. }, installation)| Member { installation, why: Some(why), small, at_run };
    listed.into_iter().map(member).collect()
}

/// The file name of the list of the default fleet.
const FLEET: &str = "fleet.toml";

/// The file name of the list of hosts, which are large and play only where they are asked for.
const HOSTS: &str = "hosts.toml";

/// The folder of recordings.
const RECORDED: &str = "recorded";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    #[serde(default)]
    peer: Vec<FleetEntry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct FleetEntry {
    id: String,
    why: String,
    #[serde(default)]
    small: bool,
    #[serde(default)]
    at_run: bool,
}

/// The entries of a folder's list, each with its release. Empty if there is no list.
fn listed(folder: &Path, families: &Families, file: &str) -> Result<Vec<(FleetEntry, Installation)>, ManifestError> {
    let path = folder.join(file);
    let Some(text) = read_if_there(&path)? else { return Ok(Vec::new()) };
    let path = path.display().to_string();
    let (list, mut file) = TomlFile::read::<List>(&path, &text)?;
    let mut listed: Vec<(FleetEntry, Installation)> = Vec::new();
    for (number, entry) in list.peer.into_iter().enumerate() {
        let number = number.to_string();
        match release::find(families, &entry.id) {
            Ok(release) if listed.iter().any(|(_, other)| other.id() == release.id()) => {
                file.mistake(&["peer", &number, "id"], format!("{} is listed twice", entry.id), "this is the second");
            }
            Ok(release) => listed.push((entry, release)),
            Err(error) => file.mistake(&["peer", &number, "id"], error.to_string(), "this release cannot be played"),
        }
    }
    Ok(file.finish(listed)?)
}
