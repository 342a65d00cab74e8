//! Ranges of versions: `>=1.10.0, <2.0.0`.
//!
//! `<2.0.0` leaves out the pre-releases of 2.0.0 too: they are what comes, not what was. So the ranges of two lines
//! meet nowhere, and `>=2.0.0-alpha.1` is how the newer line takes its pre-releases in.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::version::{Key, NotAVersion, Version};

/// A range of versions, without gaps.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct Range {
    text: String,
    low: Option<Bound>,
    high: Option<Bound>,
}

/// A place between versions.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Bound {
    at: Key,
    side: Side,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    Before,
    After,
}

/// A text that is no range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotARange {
    /// A bound is not written as one.
    #[error("`{0}` is not a bound: expected one of `>=`, `>`, `<=`, `<`, `=` and a version, as in `>=1.10.0, <2.0.0`")]
    Bound(String),
    /// A bound has no version.
    #[error(transparent)]
    Version(#[from] NotAVersion),
    /// The bounds leave nothing.
    #[error("no version is in `{0}`")]
    Empty(String),
}

impl Range {
    /// Reads a range: bounds that all hold, with commas between them.
    ///
    /// # Errors
    /// When a bound cannot be read, or no version keeps all of them.
    pub fn parse(text: &str) -> Result<Self, NotARange> {
        let mut range = Self { text: text.trim().to_owned(), low: None, high: None };
        for bound in text.split(',').map(str::trim) {
            let end = bound.find(|c| !"<>=".contains(c)).unwrap_or(bound.len());
            let (sign, version) = bound.split_at(end);
            if sign.is_empty() {
                return Err(NotARange::Bound(bound.to_owned()));
            }
            let at = Version::parse(version.trim())?;
            let (low, high) = match sign {
                ">=" => (Some(Bound::new(&at, Side::Before)), None),
                ">" => (Some(Bound::new(&at, Side::After)), None),
                "<=" => (None, Some(Bound::new(&at, Side::After))),
                "<" => (None, Some(Bound::below(&at))),
                "=" | "==" => (Some(Bound::new(&at, Side::Before)), Some(Bound::new(&at, Side::After))),
                _ => return Err(NotARange::Bound(bound.to_owned())),
            };
            range.low = range.low.max(low);
            range.high = lower(range.high, high);
        }
        let empty = matches!((&range.low, &range.high), (Some(low), Some(high)) if low >= high);
        if empty { Err(NotARange::Empty(range.text)) } else { Ok(range) }
    }

    /// The range as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns true if a version is in it.
    #[must_use]
    pub fn contains(&self, version: &Version) -> bool {
        let above = self.low.as_ref().is_none_or(|low| *low <= Bound::new(version, Side::Before));
        above && !self.is_below(version)
    }

    /// Returns true if a version comes after all that are in it.
    #[must_use]
    pub fn is_below(&self, version: &Version) -> bool {
        self.high.as_ref().is_some_and(|high| Bound::new(version, Side::After) > *high)
    }

    /// Returns true if a version may be in both.
    #[must_use]
    pub fn meets(&self, other: &Self) -> bool {
        let low = self.low.as_ref().max(other.low.as_ref());
        let high = lower(self.high.as_ref(), other.high.as_ref());
        low.is_none() || high.is_none() || low < high
    }
}

/// The lower of two upper ends; nothing is no end.
fn lower<T: Ord>(one: Option<T>, other: Option<T>) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

impl Bound {
    fn new(at: &Version, side: Side) -> Self {
        Self { at: at.key.clone(), side }
    }

    /// The place below a version that is left out, and below its pre-releases unless it is one of them.
    fn below(at: &Version) -> Self {
        let key = if at.is_pre_release() { at.key.clone() } else { at.key.before_all() };
        Self { at: key, side: Side::Before }
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl FromStr for Range {
    type Err = NotARange;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

impl TryFrom<String> for Range {
    type Error = NotARange;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl From<Range> for String {
    fn from(range: Range) -> Self {
        range.text
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::version::tests::versions;

    fn range(text: &str) -> Range {
        Range::parse(text).unwrap()
    }

    fn holds(range: &str, version: &str) -> bool {
        self::range(range).contains(&Version::parse(version).unwrap())
    }

    #[test]
    fn both_bounds_hold() {
        let old = ">=1.10.0, <2.0.0";
        assert!(["1.10.0", "1.10.0.1", "1.99.0", "1.11.0-beta.1"].iter().all(|version| holds(old, version)));
        assert!(!["1.9.9", "1.10.0-rc.1", "2.0.0", "2.1.0"].iter().any(|version| holds(old, version)));
        assert!(holds("=1.2.3", "v1.2.3") && !holds("=1.2.3", "1.2.4") && holds(">1.2, <=1.3", "1.3"));
    }

    #[test]
    fn the_pre_releases_of_a_release_belong_to_its_own_line() {
        assert!(!holds("<2.0.0", "2.0.0-alpha.2") && !holds("<2", "2.0.0rc1"));
        assert!(holds(">=2.0.0-alpha.1, <3.0.0", "2.0.0-alpha.2") && !holds(">=2.0.0, <3.0.0", "2.0.0-alpha.2"));
        assert!(holds("<2.0.0-alpha.3", "2.0.0-alpha.2"));
        assert!(!range("<2.0.0").meets(&range(">=2.0.0-alpha.1")));
        assert!(range("<=2.0.0").meets(&range(">=2.0.0-alpha.1")));
    }

    #[test]
    fn what_is_no_range_says_why() {
        for (text, why) in [
            ("1.2.3", "`1.2.3` is not a bound: expected one of `>=`"),
            ("^1.2", "is not a bound"),
            (">=1.0.0,", "`` is not a bound"),
            (">=latest", "does not begin with a number"),
            (">=2.0.0, <2.0.0", "no version is in `>=2.0.0, <2.0.0`"),
        ] {
            let error = Range::parse(text).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
    }

    fn bounds() -> impl Strategy<Value = String> {
        (prop::sample::select(vec![">=", ">", "<=", "<", "="]), versions()).prop_map(|(sign, at)| format!("{sign}{at}"))
    }

    proptest! {
        #[test]
        fn a_range_holds_what_each_of_its_bounds_holds(one in bounds(), other in bounds(), version in versions()) {
            let each = range(&one).contains(&version) && range(&other).contains(&version);
            match Range::parse(&format!("{one}, {other}")) {
                Ok(both) => prop_assert_eq!(both.contains(&version), each),
                Err(_) => prop_assert!(!each),
            }
        }

        #[test]
        fn ranges_with_a_version_in_common_meet(one in bounds(), other in bounds(), version in versions()) {
            let (one, other) = (range(&one), range(&other));
            prop_assert_eq!(one.meets(&other), other.meets(&one));
            if one.contains(&version) && other.contains(&version) {
                prop_assert!(one.meets(&other));
            }
        }

        #[test]
        fn a_version_is_in_a_range_or_on_one_side_of_it(bound in bounds(), version in versions()) {
            let range = range(&bound);
            prop_assert!(!(range.contains(&version) && range.is_below(&version)));
        }
    }
}
