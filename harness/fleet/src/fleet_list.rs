//! `fleet.toml`: the default fleet, with exact versions.
//!
//! ```toml
//! [[peer]]
//! id = "rmcp@3.9.0"
//! why = "the 3.x line, which speaks both eras"
//! small = true      # in the small fleet, too, which is played on each change
//! at-run = true     # a run installs it
//! ```

use std::path::Path;

use serde::Deserialize;

use super::family::{Families, read_if_there};
use super::installation::Installation;
use super::manifest::ManifestError;
use super::release;
use super::toml_file::TomlFile;

/// The name of the file.
const FILE: &str = "fleet.toml";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    #[serde(default)]
    peer: Vec<FleetEntry>,
}

/// An entry of the list.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct FleetEntry {
    id: String,
    pub(super) why: String,
    #[serde(default)]
    pub(super) small: bool,
    #[serde(default)]
    pub(super) at_run: bool,
}

/// The entries of a folder's list, each with its release. Empty if there is no list.
pub(super) fn read(folder: &Path, families: &Families) -> Result<Vec<(FleetEntry, Installation)>, ManifestError> {
    let path = folder.join(FILE);
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
