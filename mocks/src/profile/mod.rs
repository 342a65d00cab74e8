//! Mocks that stand in for released SDKs, for who has no Node or Python to test against.
//!
//! ```text
//! observation of the real peer -> ClientProfile | ServerProfile   revisions, modes, policy and traits, as data
//!                                   -> ClientSpec | ServerSpec    a mock like any other
//! ```
//!
//! A trait is a quirk that the SDK was seen to have, with the line of its source that explains it. Nothing stands here
//! that was not observed, and where a profile and the real peer differ, the real peer is right: `mcp-compat fidelity`
//! plays both and tells.

mod page;
mod python;
mod rmcp;
mod typescript;

use mcp_compat_model::peer::InvalidPeerId;
use mcp_compat_model::{Mode, PeerId, Revision};

use crate::client::{ClientQuirk, Policy};
use crate::deviations::Trait;
use crate::server::{Answering, Conduct, ServerQuirk};

pub use page::page;

/// A client that stands in for a release line of an SDK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientProfile {
    /// The SDK and the release line, such as `typescript@1`.
    pub name: &'static str,
    /// The SDK in words.
    pub sdk: &'static str,
    /// The release that was measured.
    pub measured: &'static str,
    /// What it speaks, oldest first.
    pub revisions: &'static [Revision],
    /// How it can negotiate, the default first.
    pub modes: &'static [Mode],
    /// How it reads results.
    pub policy: Policy,
    /// What it does otherwise than an honest client.
    pub traits: &'static [Trait<ClientQuirk>],
}

/// A server that stands in for a release line of an SDK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerProfile {
    /// The SDK and the release line, such as `typescript@1`.
    pub name: &'static str,
    /// The SDK in words, with the one of its APIs that is meant.
    pub sdk: &'static str,
    /// The release that was measured.
    pub measured: &'static str,
    /// What it speaks, oldest first.
    pub revisions: &'static [Revision],
    /// How it treats clients of a revision that does not know what it has to send.
    pub conduct: Conduct,
    /// How it answers over HTTP.
    pub answering: Answering,
    /// What it does otherwise than an honest server.
    pub traits: &'static [Trait<ServerQuirk>],
}

impl ClientProfile {
    /// Its id, its mode left open.
    ///
    /// # Errors
    /// When its name is none.
    pub(crate) fn id(&self) -> Result<PeerId, InvalidPeerId> {
        PeerId::new(format!("profile/{}", self.name))
    }

    /// What it is, in a line.
    pub(crate) fn about(&self) -> String {
        about(self.sdk, self.measured, self.traits.len())
    }
}

impl ServerProfile {
    /// Its id.
    ///
    /// # Errors
    /// When its name is none.
    pub(crate) fn id(&self) -> Result<PeerId, InvalidPeerId> {
        PeerId::new(format!("profile/{}", self.name))
    }

    /// What it is, in a line.
    pub(crate) fn about(&self) -> String {
        about(self.sdk, self.measured, self.traits.len())
    }
}

fn about(sdk: &str, measured: &str, traits: usize) -> String {
    format!("stands in for {sdk}: what {measured} was seen to do, {traits} traits")
}

const CLIENTS: [&ClientProfile; 5] =
    [&python::CLIENT_1, &python::CLIENT_2, &rmcp::CLIENT_3, &typescript::CLIENT_1, &typescript::CLIENT_2];

const SERVERS: [&ServerProfile; 5] =
    [&python::SERVER_1, &python::SERVER_2, &rmcp::SERVER_3, &typescript::SERVER_1, &typescript::SERVER_2];

/// The clients, by name.
pub fn clients() -> impl Iterator<Item = &'static ClientProfile> {
    CLIENTS.into_iter()
}

/// The servers, by name.
pub fn servers() -> impl Iterator<Item = &'static ServerProfile> {
    SERVERS.into_iter()
}

/// The client with this id, such as `profile/typescript@1`.
pub(crate) fn client(id: &str) -> Option<&'static ClientProfile> {
    let name = id.strip_prefix("profile/")?;
    clients().find(|profile| profile.name == name)
}

/// The server with this id.
pub(crate) fn server(id: &str) -> Option<&'static ServerProfile> {
    let name = id.strip_prefix("profile/")?;
    servers().find(|profile| profile.name == name)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fmt::Debug;
    use std::{env, fs, path::PathBuf};

    use super::*;

    /// A trait stands once for a wire, with a clause that says why and a place that can be looked up.
    fn assert_sound<Q: Copy + Debug + Ord>(name: &str, traits: &[Trait<Q>]) {
        let mut seen = BTreeSet::new();
        for known in traits {
            assert!(seen.insert((known.quirk, known.over)), "{name}: {:?} twice", known.quirk);
            assert!(!known.cause.is_empty() && !known.cause.ends_with('.'), "{name}: {known:?}");
            let place = known.source.strip_prefix("https://github.com/").unwrap_or_default();
            assert!(place.contains("#L") || place.contains("/issues/"), "{name}: {}", known.source);
        }
    }

    #[test]
    fn every_trait_has_its_cause_and_its_source() {
        for profile in clients() {
            assert_sound(profile.name, profile.traits);
            assert!(profile.id().is_ok() && !profile.modes.is_empty() && !profile.revisions.is_empty());
        }
        for profile in servers() {
            assert_sound(profile.name, profile.traits);
            assert!(profile.id().is_ok() && !profile.revisions.is_empty());
            assert!(
                profile.traits.iter().all(|known| known.over.is_none()),
                "a server's answers are made for any wire"
            );
        }
    }

    #[test]
    fn the_page_is_what_the_data_says() {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("PROFILES.md");
        if env::var_os("UPDATE_GENERATED").is_some() {
            fs::write(&path, page()).unwrap();
        }
        assert!(
            fs::read_to_string(&path).unwrap_or_default() == page(),
            "PROFILES.md is not what src/profile/ says; run with UPDATE_GENERATED=1"
        );
    }
}
