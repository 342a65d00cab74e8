//! Releases that came after the fleet was put together.

use std::collections::BTreeMap;

use mcp_compat_model::version::Version;

/// A release that is newer than the fleet's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRelease {
    pub release: Version,
    /// The newest release of the fleet before it, with which it can be compared.
    pub after: Version,
}

/// The newest release of each major version, where it is newer than all that the fleet has of that major version. A major
/// version that the fleet left out long ago is not new.
#[must_use]
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
