//! The releases of a family, as its package registry lists them, and which of them came after the fleet was put together.

use std::collections::BTreeMap;
use std::time::Duration;

use mcp_compat_drive::Exit;
use tokio::time::sleep;

use super::family::Family;
use super::folder::PeersFolder;
use super::steps::Options;
use super::unreachable;
use mcp_compat_drive::{Output, OutputError, output};
use mcp_compat_model::version::Version;

/// Longest time that a registry may take to list its releases.
const TIMEOUT: Duration = Duration::from_secs(120);

/// Reason why the releases could not be listed.
#[derive(Debug, thiserror::Error)]
pub enum ReleasesError {
    #[error("no manifest of {name} says where its releases are listed. Add `list` to [registry]")]
    NoRegistry { name: String },
    #[error("cannot list the releases of {name}: `{command}` {why}")]
    NotRun { name: String, command: String, why: String },
    #[error("cannot list the releases of {name}: `{command}` ended with {exit} after {tries} tries: {}", .tail.trim())]
    Failed {
        name: String,
        command: String,
        exit: Exit,
        /// Number of times it was run.
        tries: u32,
        /// The end of its standard error.
        tail: String,
    },
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Releases {
    /// Releases that a manifest serves, oldest first.
    pub served: Vec<Version>,
    /// Releases that no manifest serves, oldest first.
    pub others: Vec<Version>,
}

impl PeersFolder {
    /// Asks the registry for the releases of a family. If manifests that share a name have different registries, each is asked
    /// about its own range.
    ///
    /// # Errors
    /// When no manifest of the name says where they are listed, or a listing fails.
    pub async fn releases(&self, name: &str, options: &Options) -> Result<Releases, ReleasesError> {
        let families: Vec<&Family> = self.families().iter().filter(|family| family.manifest.name() == name).collect();
        let mut releases = Releases::default();
        let mut asked: Vec<(Vec<String>, Vec<Version>)> = Vec::new();
        for family in &families {
            let Some(command) = family.listing() else { continue };
            if !asked.iter().any(|(other, _)| *other == command) {
                let listed = listed(name, &command, family, options).await?;
                asked.push((command.clone(), listed));
            }
            let listed = asked.iter().find(|(other, _)| *other == command).map(|(_, listed)| listed.as_slice());
            let is_own = |version: &&Version| family.manifest.serves(version);
            releases.served.extend(listed.unwrap_or_default().iter().filter(is_own).cloned());
        }
        if asked.is_empty() {
            return Err(ReleasesError::NoRegistry { name: name.to_owned() });
        }
        let all = asked.into_iter().flat_map(|(_, listed)| listed);
        releases.others.extend(all.filter(|version| !releases.served.contains(version)));
        for versions in [&mut releases.served, &mut releases.others] {
            versions.sort();
            versions.dedup();
        }
        Ok(releases)
    }
}

async fn listed(
    name: &str,
    command: &[String],
    family: &Family,
    options: &Options,
) -> Result<Vec<Version>, ReleasesError> {
    let not_run = |why: OutputError| ReleasesError::NotRun {
        name: name.to_owned(),
        command: command.join(" "),
        why: why.to_string(),
    };
    let mut tries = 1;
    loop {
        let Output { stdout, stderr, exit } = output(command, family.folder(), TIMEOUT).await.map_err(not_run)?;
        if exit.is_success() {
            return Ok(versions_in(&stdout));
        }
        if !unreachable::says_so(&stderr) || tries >= options.tries {
            let (name, command) = (name.to_owned(), command.join(" "));
            return Err(ReleasesError::Failed { name, command, exit, tries, tail: stderr });
        }
        sleep(options.pause * tries).await;
        tries += 1;
    }
}

/// The versions in a listing of any format: every word that is a version with a dot, in quotes, brackets, tags or between
/// commas.
fn versions_in(listing: &str) -> Vec<Version> {
    let part_of_word = |c: char| c.is_ascii_alphanumeric() || "-_.+/@^~=:*$%#!".contains(c);
    let words = listing.split(|c| !part_of_word(c)).map(|word| word.trim_end_matches(['.', ':']));
    words.filter(|word| word.contains('.')).filter_map(|word| Version::parse(word).ok()).collect()
}

/// A release that is newer than the fleet's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRelease {
    pub release: Version,
    /// The newest release of the fleet before it, with which it can be compared.
    pub after: Version,
}

/// The newest release of each major version, where it is newer than all that the fleet has of that major version. A major
/// version that the fleet left out long ago is not new.
pub fn newer(fleet: &[Version], released: &[Version]) -> Vec<NewRelease> {
    let mut newest = BTreeMap::<u64, &Version>::new();
    for version in released.iter().filter(|version| !version.is_pre_release()) {
        let line = newest.entry(version.major()).or_insert(version);
        *line = (*line).max(version);
    }
    let is_new = |release: &Version| {
        let mut of_line = fleet.iter().filter(|known| known.major() == release.major()).peekable();
        if of_line.peek().is_some() {
            of_line.all(|known| known < release)
        } else {
            fleet.iter().all(|known| known < release)
        }
    };
    let new = newest.into_values().filter(|release| is_new(release)).filter_map(|release| {
        let after = fleet.iter().filter(|known| *known < release).max()?;
        Some(NewRelease { release: release.clone(), after: after.clone() })
    });
    new.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_listings_of_every_form() {
        for (listing, expected) in [
            ("[\n  \"1.0.0\",\n  \"2.0.0-alpha.2\"\n]\n", "1.0.0 2.0.0-alpha.2"),
            ("\"1.0.0\"\n", "1.0.0"),
            (
                "mcp (1.28.1)\nAvailable versions: 1.28.1, 1.28.0, 1.0.0rc1\n  INSTALLED: 1.28.1\n",
                "1.28.1 1.28.1 1.28.0 1.0.0rc1 1.28.1",
            ),
            ("github.com/mark3labs/mcp-go v0.1.0 v0.2.0\n", "0.1.0 0.2.0"),
            (
                "<version>0.9.0</version>\n<version>1.0.0-M1</version><lastUpdated>20250923101500</lastUpdated>",
                "0.9.0 1.0.0-M1",
            ),
            (r#"{"vers":"3.9.0","deps":[{"req":"^1.0.1"},{"req":"=0.3.1"}]}"#, "3.9.0"),
            ("2.0.0+incompatible https://example.org/1.2.3/x sdk@1.0.0 python3.11", ""),
            ("", ""),
        ] {
            let found: Vec<String> = versions_in(listing).iter().map(ToString::to_string).collect();
            assert_eq!(found.join(" "), expected, "{listing}");
        }
    }

    fn found(fleet: &[&str], released: &[&str]) -> Vec<(String, String)> {
        let versions = |texts: &[&str]| texts.iter().map(|text| Version::parse(text).unwrap()).collect::<Vec<_>>();
        let new = newer(&versions(fleet), &versions(released));
        new.into_iter().map(|new| (new.release.to_string(), new.after.to_string())).collect()
    }

    fn pair(release: &str, after: &str) -> (String, String) {
        (release.to_owned(), after.to_owned())
    }

    #[test]
    fn each_line_has_its_newest_release() {
        let fleet = ["1.25.3", "1.32.2", "2.4.0"];
        let released = ["1.32.2", "1.33.0", "1.33.1", "2.4.0", "2.5.0"];
        assert_eq!(found(&fleet, &released), [pair("1.33.1", "1.32.2"), pair("2.5.0", "2.4.0")]);
        assert_eq!(found(&fleet, &["1.25.3", "1.32.2", "2.4.0"]), []);
    }

    #[test]
    fn a_new_major_version_follows_the_newest_of_the_fleet() {
        assert_eq!(found(&["1.8.0", "3.9.0"], &["2.2.0", "3.9.0", "4.0.0"]), [pair("4.0.0", "3.9.0")]);
    }

    #[test]
    fn pre_releases_and_lines_that_were_left_out_are_not_new() {
        assert_eq!(found(&["2.4.0"], &["0.9.0", "1.32.2", "2.5.0-rc.1"]), []);
        assert_eq!(found(&[], &["1.0.0"]), [], "nothing to compare it with");
    }
}
