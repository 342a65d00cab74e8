//! Who takes part: the names of clients and servers, mock or real.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a peer is in a pairing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Lists and calls tools.
    Client,
    /// Offers tools.
    Server,
}

impl Role {
    /// The name used in files and reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Server => "server",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// How a client that knows both eras chooses between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Opens with `initialize`, whatever the server could do.
    Legacy,
    /// Probes for the modern era first and falls back to `initialize`.
    Auto,
    /// Speaks the modern era only.
    Modern,
}

impl Mode {
    /// The name used in peer ids and files.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Legacy => "legacy",
            Self::Auto => "auto",
            Self::Modern => "modern",
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Mode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        [Self::Legacy, Self::Auto, Self::Modern]
            .into_iter()
            .find(|mode| mode.as_str() == text)
            .ok_or_else(|| format!("{text:?} is not a negotiation mode: expected legacy, auto or modern"))
    }
}

/// The name of a peer: what it is, which release, and the negotiation mode where it has one.
///
/// ```text
/// mock/dual              the mock that speaks both eras
/// mock/2025-11-25        the mock of one revision
/// mock/dual/omit         with the conduct (server) or policy (client) `omit`
/// rmcp@3.9.0+auto        a released SDK, asked to negotiate automatically
/// rmcp@3.9.0/typed       its server, written with another API of it than `rmcp@3.9.0`
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct PeerId(String);

impl PeerId {
    /// Reads a peer id.
    ///
    /// # Errors
    /// When the text is empty, or holds anything but ASCII letters, digits and `-_./@+`. Double colons part
    /// the components of a cell id, so a peer id never holds a colon.
    pub fn new(text: impl Into<String>) -> Result<Self, InvalidPeerId> {
        let text = text.into();
        let allowed = |c: char| c.is_ascii_alphanumeric() || "-_./@+".contains(c);
        if text.is_empty() || !text.chars().all(allowed) {
            return Err(InvalidPeerId(text));
        }
        Ok(Self(text))
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The id without its mode: `rmcp@3.9.0` for `rmcp@3.9.0+auto`.
    #[must_use]
    pub fn without_mode(&self) -> &str {
        self.0.split_once('+').map_or(self.as_str(), |(peer, _)| peer)
    }

    /// The same peer in another mode.
    #[must_use]
    pub fn with_mode(&self, mode: Mode) -> Self {
        Self(format!("{}+{mode}", self.without_mode()))
    }

    /// The same peer, its mode left open.
    #[must_use]
    pub fn in_any_mode(&self) -> Self {
        Self(self.without_mode().to_owned())
    }

    /// Another peer of the same release, written in another way: `rmcp@3.9.0/typed`.
    #[must_use]
    pub fn with_flavour(&self, flavour: &str) -> Self {
        Self(format!("{}/{flavour}", self.without_mode()))
    }

    /// The mode that the id names, if any.
    #[must_use]
    pub fn mode(&self) -> Option<Mode> {
        self.0.split_once('+').and_then(|(_, mode)| mode.parse().ok())
    }

    /// The family and the release that the id names, if any: `rmcp` and `3.9.0` for `rmcp@3.9.0+auto` and for
    /// `rmcp@3.9.0/typed`.
    #[must_use]
    pub fn release(&self) -> Option<(&str, &str)> {
        let (family, version) = self.without_mode().split_once('@')?;
        Some((family, version.split('/').next()?))
    }

    /// The release that the id names, if any.
    #[must_use]
    pub fn version(&self) -> Option<&str> {
        Some(self.release()?.1)
    }

    /// Whether this is one of our own mocks, and an honest one.
    #[must_use]
    pub fn is_mock(&self) -> bool {
        self.0.starts_with("mock/")
    }

    /// Whether this is one of our own mocks: honest, sabotaged, or in the place of a released SDK.
    #[must_use]
    pub fn is_ours(&self) -> bool {
        ["mock/", "profile/", "sabotaged/"].iter().any(|kind| self.0.starts_with(kind))
    }
}

impl fmt::Display for PeerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl FromStr for PeerId {
    type Err = InvalidPeerId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::new(text)
    }
}

impl<'de> Deserialize<'de> for PeerId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

/// A text that cannot be a peer id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a peer id: expected something like mock/dual or rmcp@3.9.0+auto, of letters, digits and -_./@+")]
pub struct InvalidPeerId(pub String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_tells_its_version_and_mode() {
        let id = PeerId::new("rmcp@3.9.0+auto").unwrap();
        assert_eq!((id.version(), id.mode(), id.without_mode()), (Some("3.9.0"), Some(Mode::Auto), "rmcp@3.9.0"));
        assert!(!id.is_mock());
        let id = id.with_flavour("typed");
        assert_eq!((id.as_str(), id.version()), ("rmcp@3.9.0/typed", Some("3.9.0")));
        let id = PeerId::new("mock/dual/omit").unwrap();
        assert_eq!((id.version(), id.mode(), id.is_mock()), (None, None, true));
    }

    #[test]
    fn an_id_cannot_break_a_cell_id_or_a_terminal() {
        for text in ["", "a b", "a::b", "a\u{1b}[31m", "é"] {
            assert!(PeerId::new(text).is_err(), "{text:?}");
        }
    }
}
