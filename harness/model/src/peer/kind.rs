//! Kind of a peer, as its id names it, its role and its mode.

use std::fmt;
use std::str::FromStr;

use crate::named::named;
use crate::revision::Revision;
use crate::version::Version;

named! {
    /// Role of a peer in a pairing.
    pub enum Role {
        /// Lists and calls tools.
        Client = "client",
        /// Offers tools.
        Server = "server",
    }
}

named! {
    /// Negotiation mode of a client that knows both eras.
    pub enum Mode {
        /// Opens with `initialize`, whatever the server could do.
        Legacy = "legacy",
        /// Probes for the modern era first and falls back to `initialize`.
        Auto = "auto",
        /// Speaks the modern era only.
        Modern = "modern",
    }
}

impl FromStr for Mode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::named(text).ok_or_else(|| format!("{text:?} is not a negotiation mode: expected legacy, auto or modern"))
    }
}

/// Kind of a peer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PeerKind {
    /// An honest mock: `mock/dual/omit`.
    Mock {
        /// Revisions that it speaks.
        revisions: MockRevisions,
        /// Its conduct and its form of answer (a server), or its policy (a client). Empty for the usual ones.
        variants: Vec<String>,
    },
    /// A mock that behaves as a released SDK was seen to: `profile/rmcp@3`.
    Profile {
        /// The SDK and its release line, such as `rmcp@3`.
        name: String,
    },
    /// A mock with one defect: `sabotaged/drops-value`.
    Sabotaged {
        /// The defect.
        quirk: String,
    },
    /// A release of a package: `rmcp@3.9.0/typed`.
    Release {
        /// The package, such as `rmcp`.
        family: String,
        /// Its release.
        version: Version,
        /// The API that its server is written with, if it is not the usual one.
        flavour: Option<String>,
    },
    /// A peer of the user's own.
    Own {
        /// Name given by the user.
        name: String,
    },
}

/// The revisions that a mock speaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MockRevisions {
    /// All of them: both eras.
    Dual,
    /// One of them.
    One(Revision),
    /// A word that this version of mcp-compat does not know.
    Unknown(String),
}

/// Text that asks for a release: `family[@version][/flavour][+mode]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReleaseText<'t> {
    /// The package.
    pub family: &'t str,
    /// Its release: not yet known to be a version.
    pub version: Option<&'t str>,
    /// The API that its server is written with.
    pub flavour: Option<&'t str>,
    /// Its negotiation mode.
    pub mode: Option<Mode>,
}

named! {
    /// The kinds of peers that are part of mcp-compat. Each has ids of its own, which begin with its name and a slash.
    pub enum BuiltIn {
        /// [`PeerKind::Mock`]
        Mock = "mock",
        /// [`PeerKind::Profile`]
        Profile = "profile",
        /// [`PeerKind::Sabotaged`]
        Sabotaged = "sabotaged",
    }
}

impl BuiltIn {
    /// The kind that an id or a pattern over ids is about, if it names one: `profile/*` is about profiles.
    #[must_use]
    pub fn of(pattern: &str) -> Option<Self> {
        Self::split(pattern).map(|(kind, _)| kind)
    }

    /// The kind, and what follows the slash.
    pub(super) fn split(text: &str) -> Option<(Self, &str)> {
        let (word, rest) = text.split_once('/')?;
        Self::named(word).map(|kind| (kind, rest))
    }
}

impl PeerKind {
    /// Reads an id without its mode.
    pub(super) fn read(name: &str) -> Self {
        match BuiltIn::split(name) {
            Some((BuiltIn::Mock, rest)) => {
                let mut parts = rest.split('/');
                let revisions = MockRevisions::read(parts.next().unwrap_or_default());
                Self::Mock { revisions, variants: parts.map(str::to_owned).collect() }
            }
            Some((BuiltIn::Profile, name)) => Self::Profile { name: name.to_owned() },
            Some((BuiltIn::Sabotaged, quirk)) => Self::Sabotaged { quirk: quirk.to_owned() },
            None => Self::release(name).unwrap_or_else(|| Self::Own { name: name.to_owned() }),
        }
    }

    fn release(name: &str) -> Option<Self> {
        let ReleaseText { family, version, flavour, .. } = ReleaseText::read(name);
        let version = Version::parse(version?).ok()?;
        Some(Self::Release { family: family.to_owned(), version, flavour: flavour.map(str::to_owned) })
    }

    /// The kind, if peers of it are part of mcp-compat.
    #[must_use]
    pub fn built_in(&self) -> Option<BuiltIn> {
        match self {
            Self::Mock { .. } => Some(BuiltIn::Mock),
            Self::Profile { .. } => Some(BuiltIn::Profile),
            Self::Sabotaged { .. } => Some(BuiltIn::Sabotaged),
            Self::Release { .. } | Self::Own { .. } => None,
        }
    }
}

impl<'t> ReleaseText<'t> {
    /// Takes the text apart. None of the parts is checked.
    #[must_use]
    pub fn read(text: &'t str) -> Self {
        let (name, mode) = split_mode(text);
        let (family, release) = split_off(name, '@');
        let (last, flavour) = split_off(release.unwrap_or(family), '/');
        match release {
            Some(_) => Self { family, version: Some(last), flavour, mode },
            None => Self { family: last, version: None, flavour, mode },
        }
    }
}

/// An id without its mode, and the mode. What follows a `+` but is not a mode is part of the name.
pub(super) fn split_mode(text: &str) -> (&str, Option<Mode>) {
    let split = text.split_once('+').and_then(|(name, mode)| Some((name, mode.parse().ok()?)));
    split.map_or((text, None), |(name, mode)| (name, Some(mode)))
}

fn split_off(text: &str, separator: char) -> (&str, Option<&str>) {
    text.split_once(separator).map_or((text, None), |(before, after)| (before, Some(after)))
}

impl MockRevisions {
    fn read(word: &str) -> Self {
        match word {
            "dual" => Self::Dual,
            // Another name of the only modern revision.
            "modern" => Self::One(Revision::NEWEST),
            word => word.parse().map_or_else(|_| Self::Unknown(word.to_owned()), Self::One),
        }
    }

    /// The revisions, oldest first. `None` if this version does not know them.
    #[must_use]
    pub fn all(&self) -> Option<Vec<Revision>> {
        match self {
            Self::Dual => Some(Revision::ALL.to_vec()),
            Self::One(revision) => Some(vec![*revision]),
            Self::Unknown(_) => None,
        }
    }
}

/// As in an id.
impl fmt::Display for MockRevisions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dual => f.write_str("dual"),
            Self::One(revision) => f.write_str(revision.as_str()),
            Self::Unknown(word) => f.write_str(word),
        }
    }
}

/// As in an id, without the mode.
impl fmt::Display for PeerKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let built_in = self.built_in().map(BuiltIn::as_str).unwrap_or_default();
        match self {
            Self::Mock { revisions, variants } => {
                write!(f, "{built_in}/{revisions}")?;
                variants.iter().try_for_each(|variant| write!(f, "/{variant}"))
            }
            Self::Profile { name: rest } | Self::Sabotaged { quirk: rest } => write!(f, "{built_in}/{rest}"),
            Self::Release { family, version, flavour } => {
                write!(f, "{family}@{version}")?;
                flavour.iter().try_for_each(|flavour| write!(f, "/{flavour}"))
            }
            Self::Own { name } => f.write_str(name),
        }
    }
}
