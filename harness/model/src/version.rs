//! Versions as package registries have them, in one order for all of them.
//!
//! crates.io and npm have `2.0.0-alpha.2`, PyPI `2.0.0rc1` and `2.13.0.2`, Go `v1.6.1`, Maven `1.0.0-M1`. A crate for one
//! of them refuses the others' (`semver` takes three numbers and nothing after them without a dash), so they are read
//! here: numbers, and then words and numbers of a pre-release or, seldom, of what comes after a release.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Longer ones are none: they would be in file names.
const LONGEST: usize = 64;

/// The words of a release that is the release itself, as Maven has them.
const RELEASE_WORDS: [&str; 3] = ["final", "ga", "release"];

/// The words of what comes after a release.
const AFTER_WORDS: [&str; 3] = ["post", "rev", "sp"];

/// A version, as its registry writes it but without a leading `v`.
///
/// Versions that mean the same are equal: `1.2` and `1.2.0`, `2.0.0a1` and `2.0.0-alpha.1`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct Version {
    text: String,
    pub(crate) key: Key,
}

/// Key by which versions are compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Key {
    /// Without zeros at the end.
    numbers: Vec<u64>,
    stage: Stage,
}

/// Position of a version relative to the release with its numbers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Stage {
    /// No version is there: it is the place before all pre-releases.
    BeforeAll,
    Before(Vec<Part>),
    Release,
    After(Vec<Part>),
}

/// A part of what follows the numbers; the last one is always the end.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Part {
    /// `dev`, which is before whatever it is added to.
    Dev,
    End,
    Number(u64),
    Word(String),
}

/// A text that is no version.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a version: {why}")]
pub struct NotAVersion {
    text: String,
    why: &'static str,
}

impl Version {
    /// Reads a version.
    ///
    /// # Errors
    /// When the text does not begin with a number, or holds what no id can hold.
    pub fn parse(text: &str) -> Result<Self, NotAVersion> {
        let refuse = |why| NotAVersion { text: text.chars().take(LONGEST).collect(), why };
        if text.len() > LONGEST {
            return Err(refuse("it is too long"));
        }
        let plain = text.strip_prefix(['v', 'V']).unwrap_or(text);
        if !plain.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(refuse("it does not begin with a number, as `1.2.3` or `2.0.0-rc.1` do"));
        }
        if plain.contains('+') {
            return Err(refuse("what a `+` adds does not make another release; leave it out"));
        }
        if !plain.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c)) {
            return Err(refuse("it holds more than letters, digits and `-_.`"));
        }
        let (numbers, rest) = numbers(plain).ok_or_else(|| refuse("one of its numbers is too large"))?;
        let stage = stage(rest).ok_or_else(|| refuse("something is missing between two of its dots or dashes"))?;
        Ok(Self { text: plain.to_owned(), key: Key { numbers, stage } })
    }

    /// The version as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The first number, which says what is compatible with what from 1 on.
    #[must_use]
    pub fn major(&self) -> u64 {
        self.key.numbers.first().copied().unwrap_or_default()
    }

    /// Returns true if something was still to come when it was published.
    #[must_use]
    pub fn is_pre_release(&self) -> bool {
        matches!(self.key.stage, Stage::Before(_))
    }
}

impl Key {
    /// The place before all pre-releases of the same release.
    pub(crate) fn before_all(&self) -> Self {
        Self { numbers: self.numbers.clone(), stage: Stage::BeforeAll }
    }
}

/// The numbers at the beginning, and the rest. Nothing where a number has no place in 64 bits.
fn numbers(text: &str) -> Option<(Vec<u64>, &str)> {
    let mut numbers = Vec::new();
    let mut rest = text;
    loop {
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        numbers.push(rest[..end].parse().ok()?);
        rest = &rest[end..];
        match rest.strip_prefix('.') {
            Some(next) if next.starts_with(|c: char| c.is_ascii_digit()) => rest = next,
            Some(_) | None => break,
        }
    }
    while numbers.last() == Some(&0) {
        numbers.pop();
    }
    Some((numbers, rest))
}

/// Part after the numbers. Nothing where a separator separates nothing.
fn stage(rest: &str) -> Option<Stage> {
    if rest.is_empty() {
        return Some(Stage::Release);
    }
    let rest = rest.strip_prefix(['-', '_', '.']).unwrap_or(rest);
    let mut parts = Vec::new();
    for identifier in rest.split(['-', '_', '.']) {
        if identifier.is_empty() {
            return None;
        }
        let mut left = identifier;
        while let Some(first) = left.chars().next() {
            let another = |c: char| c.is_ascii_digit() != first.is_ascii_digit();
            let (run, next) = left.split_at(left.find(another).unwrap_or(left.len()));
            parts.push(Part::of(run));
            left = next;
        }
    }
    let first = match parts.first() {
        Some(Part::Word(word)) => word.clone(),
        Some(Part::Dev | Part::End | Part::Number(_)) | None => String::new(),
    };
    if parts.len() == 1 && RELEASE_WORDS.contains(&first.as_str()) {
        return Some(Stage::Release);
    }
    parts.push(Part::End);
    Some(if AFTER_WORDS.contains(&first.as_str()) { Stage::After(parts) } else { Stage::Before(parts) })
}

impl Part {
    fn of(run: &str) -> Self {
        if let Ok(number) = run.parse() {
            return Self::Number(number);
        }
        let word = run.to_ascii_lowercase();
        match word.as_str() {
            "dev" => Self::Dev,
            "a" => Self::Word("alpha".to_owned()),
            "b" => Self::Word("beta".to_owned()),
            "c" => Self::Word("rc".to_owned()),
            _ => Self::Word(word),
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl FromStr for Version {
    type Err = NotAVersion;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

impl TryFrom<String> for Version {
    type Error = NotAVersion;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl From<Version> for String {
    fn from(version: Version) -> Self {
        version.text
    }
}

impl PartialEq for Version {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for Version {}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key.cmp(&other.key)
    }
}

impl Hash for Version {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key.hash(state);
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

    fn version(text: &str) -> Version {
        Version::parse(text).unwrap()
    }

    /// Versions of all registries, few enough to meet each other.
    pub(crate) fn versions() -> impl Strategy<Value = Version> {
        let tails =
            ["", "-alpha", "-alpha.2", "a1", ".dev3", "-0", "b2", "-M1", "rc1", "rc1.dev2", "-SNAPSHOT", ".post1"];
        let number = || 0..3_u64;
        let numbers = prop::collection::vec(number(), 1..4);
        (numbers, prop::sample::select(tails.to_vec())).prop_map(|(numbers, tail)| {
            let numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
            version(&format!("{}{tail}", numbers.join(".")))
        })
    }

    #[test]
    fn each_registry_has_its_order() {
        let rows = [
            // npm and crates.io, from the semantic versioning specification.
            "1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1 1.0.0 1.0.1",
            "1.9.0 1.10.0 2.0.0-0 2.0.0-alpha.2 2.0.0-alpha.10 2.0.0",
            // PyPI, from PEP 440.
            "1.dev0 1.0.dev456 1.0a1 1.0a2.dev456 1.0a12.dev456 1.0a12 1.0b1.dev456 1.0b2 1.0b2.post345 1.0rc1.dev456 1.0rc1 \
             1.0 1.0.post456 1.1.dev1",
            "2.13.0 2.13.0.1 2.13.0.2 2.13.1",
            // Go and Maven.
            "v0.1.0 v0.2.0-pre.1 v0.2.0 v1.6.1",
            "1.0.0-M1 1.0.0-M2 1.0.0-RC1 1.0.0-SNAPSHOT 1.0.0 1.0.1.Final",
        ];
        for row in rows {
            let versions: Vec<Version> = row.split_whitespace().map(version).collect();
            for pair in versions.windows(2) {
                assert!(pair[0] < pair[1], "{} < {}", pair[0], pair[1]);
            }
        }
    }

    #[test]
    fn what_means_the_same_is_equal_and_keeps_its_spelling() {
        for (one, other) in [("1.2", "1.2.0"), ("v1.6.1", "1.6.1"), ("2.0a1", "2.0.0-alpha.1"), ("1.0.0.Final", "1")] {
            assert_eq!(version(one), version(other));
        }
        assert_eq!(version("v1.6.0").to_string(), "1.6.0");
        assert_eq!(version("2.0rc1").to_string(), "2.0rc1");
    }

    #[test]
    fn what_is_still_to_come_is_known() {
        for text in ["2.0.0-alpha.2", "2.0.0rc1", "1.0.dev3", "1.0-SNAPSHOT", "1.0.0-0"] {
            assert!(version(text).is_pre_release(), "{text}");
        }
        for text in ["2.13.0.2", "1.0.post1", "1.0.0.RELEASE", "0.1"] {
            assert!(!version(text).is_pre_release(), "{text}");
        }
    }

    #[test]
    fn what_is_no_version_says_why() {
        for (text, why) in [
            ("", "does not begin with a number"),
            ("latest", "does not begin with a number"),
            ("1..2", "missing between"),
            ("1.0-", "missing between"),
            ("1.0.0+build", "leave it out"),
            ("1.0 0", "letters, digits"),
            ("1.0/2", "letters, digits"),
            ("99999999999999999999", "too large"),
            (&"1".repeat(65), "too long"),
        ] {
            let error = Version::parse(text).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
    }

    proptest! {
        #[test]
        fn no_text_is_too_strange_and_a_version_is_read_again(text in "[v0-9a-zA-Z.+_-]{0,12}|\\PC{0,12}") {
            if let Ok(read) = Version::parse(&text) {
                let again = version(read.as_str());
                prop_assert_eq!(&again, &read);
                prop_assert_eq!(again.as_str(), read.as_str());
            }
        }

        #[test]
        fn the_order_is_total(one in versions(), two in versions(), three in versions()) {
            prop_assert_eq!(one.cmp(&two), two.cmp(&one).reverse());
            prop_assert_eq!(one == two, one.cmp(&two) == Ordering::Equal);
            if one <= two && two <= three {
                prop_assert!(one <= three);
            }
        }

        #[test]
        fn a_pre_release_is_between_the_release_before_and_its_own(version in versions()) {
            prop_assume!(version.is_pre_release());
            let release = Key { numbers: version.key.numbers.clone(), stage: Stage::Release };
            prop_assert!(version.key < release && version.key > release.before_all());
        }
    }
}
