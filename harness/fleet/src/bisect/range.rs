//! The releases from one to another, as the registry lists them.

use crate::Releases;
use mcp_compat_model::version::Version;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReleaseRange {
    /// Releases that an adapter serves, oldest first, including the two ends.
    pub releases: Vec<Version>,
    /// Releases in between that no adapter serves, oldest first.
    pub unserved: Vec<Version>,
}

/// Reason why two versions make no range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidRange {
    #[error("both ends are {0}. Name two different releases")]
    Same(Version),
    #[error("the registry lists no release {version}{}", near(.nearest))]
    NotListed {
        version: Version,
        /// The releases next to it.
        nearest: Vec<Version>,
    },
}

fn near(nearest: &[Version]) -> String {
    match nearest {
        [] => String::new(),
        [only] => format!("; the nearest is {only}"),
        [below, above, ..] => format!("; the nearest are {below} and {above}"),
    }
}

impl ReleaseRange {
    /// The range between two releases, in any order. Pre-releases are omitted unless `pre` is set or they are the ends.
    pub fn between(listed: &Releases, one: &Version, other: &Version, pre: bool) -> Result<Self, InvalidRange> {
        if one == other {
            return Err(InvalidRange::Same(one.clone()));
        }
        for version in [one, other] {
            if !listed.served.contains(version) {
                let below = listed.served.iter().rfind(|release| *release < version);
                let above = listed.served.iter().find(|release| *release > version);
                let nearest = below.into_iter().chain(above).cloned().collect();
                return Err(InvalidRange::NotListed { version: version.clone(), nearest });
            }
        }
        let (from, to) = if one < other { (one, other) } else { (other, one) };
        let is_wanted = |version: &&Version| {
            let is_end = *version == from || *version == to;
            is_end || (from < *version && *version < to && (pre || !version.is_pre_release()))
        };
        let wanted = |versions: &[Version]| versions.iter().filter(is_wanted).cloned().collect();
        Ok(Self { releases: wanted(&listed.served), unserved: wanted(&listed.others) })
    }

    /// The releases after one and before another that no adapter serves.
    pub fn unserved_between<'s>(&'s self, last: &'s Version, first: &'s Version) -> impl Iterator<Item = &'s Version> {
        self.unserved.iter().filter(move |version| last < *version && *version < first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> Version {
        Version::parse(text).unwrap()
    }

    fn versions(text: &str) -> Vec<Version> {
        text.split_whitespace().map(version).collect()
    }

    fn listed() -> Releases {
        Releases {
            served: versions("1.0.0 1.1.0 1.2.0-rc.1 1.2.0 2.0.0-alpha.1 2.0.0 2.1.0"),
            others: versions("0.9.0 1.1.1 1.1.2-rc.1"),
        }
    }

    fn range_of(one: &str, other: &str, pre: bool) -> Result<ReleaseRange, InvalidRange> {
        ReleaseRange::between(&listed(), &version(one), &version(other), pre)
    }

    #[test]
    fn a_span_goes_from_the_older_to_the_newer_however_they_are_named() {
        let range = range_of("2.0.0", "1.0.0", false).unwrap();
        assert_eq!(range.releases, versions("1.0.0 1.1.0 1.2.0 2.0.0"));
        assert_eq!(range.unserved, versions("1.1.1"));
        assert_eq!(range_of("1.0.0", "2.0.0", false).unwrap(), range);
        assert_eq!(range.unserved_between(&version("1.1.0"), &version("1.2.0")).count(), 1);
        assert_eq!(range.unserved_between(&version("1.2.0"), &version("2.0.0")).count(), 0);
    }

    #[test]
    fn pre_releases_are_in_it_where_they_are_asked_for() {
        let range = range_of("1.1.0", "2.0.0", true).unwrap();
        assert_eq!(range.releases, versions("1.1.0 1.2.0-rc.1 1.2.0 2.0.0-alpha.1 2.0.0"));
        assert_eq!(range_of("1.2.0-rc.1", "2.0.0", false).unwrap().releases, versions("1.2.0-rc.1 1.2.0 2.0.0"));
    }

    #[test]
    fn two_versions_that_span_nothing_are_told() {
        assert_eq!(range_of("1.0", "1.0.0", false), Err(InvalidRange::Same(version("1.0.0"))));
        let said = |one, other| range_of(one, other, false).unwrap_err().to_string();
        assert_eq!(said("1.0.0", "1.1.5"), "the registry lists no release 1.1.5; the nearest are 1.1.0 and 1.2.0-rc.1");
        assert_eq!(said("3.0.0", "1.0.0"), "the registry lists no release 3.0.0; the nearest is 2.1.0");
    }
}
