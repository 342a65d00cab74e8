//! Ids of peers: parsed once, and then asked for their parts.

use std::borrow::Cow;
use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::kind::{BuiltIn, MockRevisions, Mode, PeerKind, split_mode};
use crate::revision::Revision;
use crate::version::Version;

/// Description of a peer id for the published JSON Schemas.
const DESCRIPTION: &str = "The name of a peer: what it is, which release, and the negotiation mode where it has one.\n\n```text\nmock/dual              the mock that speaks both eras\nmock/2025-11-25        the mock of one revision\nmock/dual/omit         with the conduct (server) or policy (client) `omit`\nrmcp@3.9.0+auto        a released SDK, asked to negotiate automatically\nrmcp@3.9.0/typed       its server, written with another API of it than `rmcp@3.9.0`\n```";

/// The id of a peer: what it is, which release, and the negotiation mode if it has one.
///
/// ```text
/// mock/dual              the mock that speaks both eras
/// mock/2025-11-25        the mock of one revision
/// mock/dual/omit         with the conduct (server) or policy (client) `omit`
/// profile/rmcp@3         a mock that behaves as a released SDK
/// sabotaged/drops-value  a mock with a defect
/// rmcp@3.9.0+auto        a released SDK, asked to negotiate automatically
/// rmcp@3.9.0/typed       its server, written with another API of it than `rmcp@3.9.0`
/// my-server              a peer of the user's own
/// ```
///
/// In files an id is its text. Ids are equal, and ordered, by their texts.
#[derive(Clone, Debug)]
pub struct PeerId(Arc<Parsed>);

/// An id with what it says. A record holds each id many times, so that copies share it.
#[derive(Debug)]
struct Parsed {
    text: String,
    kind: PeerKind,
    mode: Option<Mode>,
}

impl PeerId {
    /// Reads a peer id.
    ///
    /// # Errors
    /// If the text is empty, or holds anything but ASCII letters, digits and `-_./@+`. Double colons separate
    /// the components of a cell id, so a peer id never holds a colon.
    pub fn new(text: impl Into<String>) -> Result<Self, InvalidPeerId> {
        let text = text.into();
        if text.is_empty() || !text.chars().all(is_allowed) {
            return Err(InvalidPeerId(text));
        }
        let (name, mode) = split_mode(&text);
        Ok(Self::parsed(PeerKind::read(name), mode, text))
    }

    /// An honest mock of these revisions, with the variants of its behaviour.
    #[must_use]
    pub fn mock(revisions: MockRevisions, variants: &[&str]) -> Self {
        let variants = variants.iter().map(|variant| allowed(variant)).collect();
        Self::of(PeerKind::Mock { revisions, variants }, None)
    }

    /// The mock of one revision.
    #[must_use]
    pub fn mock_of(revision: Revision, variants: &[&str]) -> Self {
        Self::mock(MockRevisions::One(revision), variants)
    }

    /// A mock that behaves as a release line of an SDK, such as `rmcp@3`.
    #[must_use]
    pub fn profile(name: &str) -> Self {
        Self::of(PeerKind::Profile { name: allowed(name) }, None)
    }

    /// A mock with a defect.
    #[must_use]
    pub fn sabotaged(quirk: &str) -> Self {
        Self::of(PeerKind::Sabotaged { quirk: allowed(quirk) }, None)
    }

    /// A release of a package.
    #[must_use]
    pub fn released(family: &str, version: &Version) -> Self {
        Self::of(PeerKind::Release { family: allowed(family), version: version.clone(), flavour: None }, None)
    }

    /// A peer that calls itself so. A character that no id can hold, or that means something in an id, becomes `-`.
    #[must_use]
    pub fn own(name: &str) -> Self {
        let plain = |c| if is_allowed(c) && !"/@+".contains(c) { c } else { '-' };
        let name: String = name.chars().map(plain).collect();
        Self::of(PeerKind::Own { name }, None)
    }

    fn of(kind: PeerKind, mode: Option<Mode>) -> Self {
        let mode_part = mode.map(|mode| format!("+{mode}")).unwrap_or_default();
        let text = format!("{kind}{mode_part}");
        Self::parsed(kind, mode, text)
    }

    fn parsed(kind: PeerKind, mode: Option<Mode>, text: String) -> Self {
        Self(Arc::new(Parsed { text, kind, mode }))
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0.text
    }

    /// Kind of the peer.
    #[must_use]
    pub fn kind(&self) -> &PeerKind {
        &self.0.kind
    }

    /// The id as text without its mode: `rmcp@3.9.0` for `rmcp@3.9.0+auto`.
    #[must_use]
    pub fn name(&self) -> &str {
        split_mode(&self.0.text).0
    }

    /// The same peer in another mode.
    #[must_use]
    pub fn with_mode(&self, mode: Mode) -> Self {
        Self::parsed(self.0.kind.clone(), Some(mode), format!("{}+{mode}", self.name()))
    }

    /// The same peer, its mode left open.
    #[must_use]
    pub fn in_any_mode(&self) -> Self {
        Self::parsed(self.0.kind.clone(), None, self.name().to_owned())
    }

    /// The server of the same release that is written with another API: `rmcp@3.9.0/typed`.
    #[must_use]
    pub fn with_flavour(&self, flavour: &str) -> Self {
        let text = format!("{}/{}", self.name(), allowed(flavour));
        Self::parsed(PeerKind::read(&text), None, text)
    }

    /// The mode that the id names, if any.
    #[must_use]
    pub fn mode(&self) -> Option<Mode> {
        self.0.mode
    }

    /// The family and the version, if the peer is a release of a package: `rmcp` and `3.9.0` for `rmcp@3.9.0+auto`
    /// and for `rmcp@3.9.0/typed`.
    #[must_use]
    pub fn release(&self) -> Option<(&str, &Version)> {
        if let PeerKind::Release { family, version, .. } = &self.0.kind { Some((family, version)) } else { None }
    }

    /// Returns true if this is the profile of the line that a release belongs to, in the same mode:
    /// `profile/rmcp@3+auto` for `rmcp@3.9.0+auto`.
    #[must_use]
    pub fn is_profile_of(&self, release: &Self) -> bool {
        let (PeerKind::Profile { name }, Some((family, version))) = (&self.0.kind, release.release()) else {
            return false;
        };
        let line = name.strip_prefix(family).and_then(|line| line.strip_prefix('@'));
        let is_of_line = |line: &str| version.as_str() == line || version.as_str().starts_with(&format!("{line}."));
        self.mode() == release.mode() && line.is_some_and(is_of_line)
    }

    /// The version, if the peer is a release of a package.
    #[must_use]
    pub fn version(&self) -> Option<&Version> {
        self.release().map(|(_, version)| version)
    }

    /// The API that the server of a release is written with, if the id names one.
    #[must_use]
    pub fn flavour(&self) -> Option<&str> {
        if let PeerKind::Release { flavour, .. } = &self.0.kind { flavour.as_deref() } else { None }
    }

    /// Returns true if this is an honest mock.
    #[must_use]
    pub fn is_mock(&self) -> bool {
        self.0.kind.built_in() == Some(BuiltIn::Mock)
    }

    /// Returns true if this is an honest mock without a variant: no conduct and no policy but the usual ones.
    #[must_use]
    pub fn is_plain_mock(&self) -> bool {
        matches!(&self.0.kind, PeerKind::Mock { variants, .. } if variants.is_empty())
    }

    /// Returns true if this is a mock that speaks both eras.
    #[must_use]
    pub fn is_dual_mock(&self) -> bool {
        matches!(&self.0.kind, PeerKind::Mock { revisions: MockRevisions::Dual, .. })
    }

    /// Returns true if the peer is part of mcp-compat: a mock, honest or sabotaged, or a profile.
    #[must_use]
    pub fn is_built_in(&self) -> bool {
        self.0.kind.built_in().is_some()
    }
}

fn is_allowed(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-_./@+".contains(c)
}

/// A part of an id, with `-` for every character that no id can hold.
fn allowed(part: &str) -> String {
    part.chars().map(|c| if is_allowed(c) { c } else { '-' }).collect()
}

impl fmt::Display for PeerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0.text)
    }
}

impl FromStr for PeerId {
    type Err = InvalidPeerId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::new(text)
    }
}

impl PartialEq for PeerId {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.text == other.0.text
    }
}

impl Eq for PeerId {}

impl PartialOrd for PeerId {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for PeerId {
    fn cmp(&self, other: &Self) -> Ordering {
        if Arc::ptr_eq(&self.0, &other.0) { Ordering::Equal } else { self.0.text.cmp(&other.0.text) }
    }
}

impl Hash for PeerId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.text.hash(state);
    }
}

impl Serialize for PeerId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.text)
    }
}

impl<'de> Deserialize<'de> for PeerId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Text)
    }
}

/// The text of an id, where one is read from a file.
struct Text;

impl Visitor<'_> for Text {
    type Value = PeerId;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the id of a peer")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<PeerId, E> {
        shared(text).map_err(E::custom)
    }
}

/// Limit of the ids that share their copies.
const SHARED: usize = 4_096;

thread_local! {
    /// Ids that were read: a record has each of them many times, and all of these are one copy.
    static READ: RefCell<HashMap<String, PeerId>> = RefCell::default();
}

fn shared(text: &str) -> Result<PeerId, InvalidPeerId> {
    READ.with_borrow_mut(|read| {
        if let Some(id) = read.get(text) {
            return Ok(id.clone());
        }
        let id = PeerId::new(text)?;
        if read.len() == SHARED {
            read.clear();
        }
        read.insert(text.to_owned(), id.clone());
        Ok(id)
    })
}

impl JsonSchema for PeerId {
    fn schema_name() -> Cow<'static, str> {
        "PeerId".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "description": DESCRIPTION, "type": "string" })
    }
}

/// A text that cannot be a peer id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a peer id: expected something like mock/dual or rmcp@3.9.0+auto, of letters, digits and -_./@+")]
pub struct InvalidPeerId(pub String);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ids_that_are_read_share_one_copy() {
        let read = |text: &str| serde_json::from_str::<PeerId>(text);
        let (one, other) = (read("\"rmcp@3.9.0+auto\"").unwrap(), read("\"rmcp@3.9.0+auto\"").unwrap());
        assert!(Arc::ptr_eq(&one.0, &other.0) && one == PeerId::new("rmcp@3.9.0+auto").unwrap());
        assert!(read("\"a b\"").is_err() && read("\"\"").is_err() && read("7").is_err());
        // More ids than any run has.
        for number in 0..2 * SHARED {
            assert_eq!(read(&format!("\"mine-{number}\"")).unwrap().as_str(), format!("mine-{number}"));
        }
        assert!(READ.with_borrow(|read| read.len() <= SHARED));
    }

    fn id(text: &str) -> PeerId {
        PeerId::new(text).unwrap()
    }

    #[test]
    fn an_id_is_made_of_its_parts() {
        let release = id("rmcp@3.9.0+auto");
        let version = Version::parse("3.9.0").unwrap();
        assert_eq!(
            (release.version(), release.mode(), release.name()),
            (Some(&version), Some(Mode::Auto), "rmcp@3.9.0")
        );
        assert!(!release.is_mock() && !release.is_built_in());
        let typed = release.with_flavour("typed");
        assert_eq!(
            (typed.as_str(), typed.version(), typed.flavour()),
            ("rmcp@3.9.0/typed", Some(&version), Some("typed"))
        );
        assert_eq!(release.in_any_mode(), PeerId::released("rmcp", &version));
        let mock = id("mock/dual/omit");
        assert_eq!((mock.version(), mock.mode(), mock.is_mock(), mock.is_plain_mock()), (None, None, true, false));
        assert!(id("mock/dual+auto").is_plain_mock() && id("mock/dual/wrap/sse").is_dual_mock());
        for built_in in ["profile/rmcp@3+legacy", "sabotaged/drops-value", "mock/some-day"] {
            assert!(id(built_in).is_built_in() && id(built_in).version().is_none(), "{built_in}");
        }
        assert!(!id("mocking@1").is_built_in());
        assert_eq!(id("my-server@main").release(), None, "what no registry has is not a release");
    }

    #[test]
    fn a_profile_is_that_of_one_line_and_mode() {
        let is_profile_of = |profile: &str, release: &str| id(profile).is_profile_of(&id(release));
        assert!(is_profile_of("profile/typescript@1", "typescript@1.12.3"));
        assert!(is_profile_of("profile/rmcp@3+auto", "rmcp@3.9.0+auto"));
        for (profile, release) in [
            ("profile/rmcp@3+auto", "rmcp@3.9.0+legacy"),
            ("profile/rmcp@3", "rmcp@30.1.0"),
            ("profile/python@1", "python@2.3.0"),
            ("profile/go@1", "mcp-go@1.2.1"),
            ("mock/dual", "rmcp@3.9.0"),
            ("profile/rmcp@3", "profile/rmcp@3"),
        ] {
            assert!(!is_profile_of(profile, release), "{profile} {release}");
        }
    }

    #[test]
    fn what_is_made_of_parts_reads_back() {
        let version = Version::parse("v1.6.1").unwrap();
        let made = [
            (PeerId::mock(MockRevisions::Dual, &["wrap", "sse"]), "mock/dual/wrap/sse"),
            (PeerId::mock_of(Revision::V2025_06_18, &[]), "mock/2025-06-18"),
            (PeerId::profile("rmcp@3").with_mode(Mode::Modern), "profile/rmcp@3+modern"),
            (PeerId::sabotaged("drops-value"), "sabotaged/drops-value"),
            (PeerId::released("go-sdk", &version), "go-sdk@1.6.1"),
            (PeerId::own("my/server + 1"), "my-server---1"),
        ];
        for (made, text) in made {
            assert_eq!(made.as_str(), text);
            let read = id(text);
            assert_eq!((read.kind(), read.mode()), (made.kind(), made.mode()), "{text}");
        }
    }

    #[test]
    fn an_id_cannot_break_a_cell_id_or_a_terminal() {
        for text in ["", "a b", "a::b", "a\u{1b}[31m", "é"] {
            assert!(PeerId::new(text).is_err(), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn every_id_displays_as_it_was_written(text in "(mock/|profile/|sabotaged/)?[a-z0-9@./+_-]{1,20}(\\+auto)?") {
            let read = PeerId::new(text.clone()).unwrap();
            prop_assert_eq!(read.to_string(), text.clone());
            prop_assert!(text.starts_with(read.name()));
            prop_assert_eq!(serde_json::from_str::<PeerId>(&serde_json::to_string(&read).unwrap()).unwrap(), read);
        }
    }
}
