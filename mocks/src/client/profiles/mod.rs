//! Mock clients that stand in for released SDKs, for machines without Node or Python.
//!
//! ```text
//! observation of the real SDK -> ClientProfile   revisions, modes, policy and observed quirks, as data
//!                                -> ClientSpec   a mock client like any other
//! ```
//!
//! An observed quirk is one that the SDK was seen to have, with the line of its source that explains it. If a profile and
//! the real SDK differ, the real SDK is right: `fidelity` of the lab plays both and reports the differences.

mod go;
mod java;
mod python;
mod rmcp;
mod typescript;

use mcp_compat_model::{Mode, PeerId, Revision};

use crate::client::policy::Policy;
use crate::client::quirk::ClientQuirk;
use crate::wire::deviations::{ObservedQuirk, about_profile};

const CLIENTS: [&ClientProfile; 7] = [
    &go::CLIENT_1,
    &java::CLIENT_2,
    &python::CLIENT_1,
    &python::CLIENT_2,
    &rmcp::CLIENT_3,
    &typescript::CLIENT_1,
    &typescript::CLIENT_2,
];

/// The clients, by name.
pub fn clients() -> impl Iterator<Item = &'static ClientProfile> {
    CLIENTS.into_iter()
}

/// The client of this name, such as `typescript@1`.
pub(crate) fn client(name: &str) -> Option<&'static ClientProfile> {
    clients().find(|profile| profile.name == name)
}

/// A client that stands in for a release line of an SDK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientProfile {
    /// The SDK and the release line, such as `typescript@1`.
    pub name: &'static str,
    pub sdk: &'static str,
    pub measured: &'static str,
    /// The revisions that it speaks, oldest first.
    pub revisions: &'static [Revision],
    /// Modes of negotiation, the default first.
    pub modes: &'static [Mode],
    /// Policy for reading results.
    pub policy: Policy,
    /// Differences from an honest client.
    pub observed: &'static [ObservedQuirk<ClientQuirk>],
}

impl ClientProfile {
    /// Its id, without a mode.
    pub fn id(&self) -> PeerId {
        PeerId::profile(self.name)
    }

    /// Describes it in one line.
    pub(crate) fn about(&self) -> String {
        about_profile(self.sdk, self.measured, self.observed.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_observed_quirk_has_its_cause_and_its_source() {
        for profile in clients() {
            assert_eq!(crate::wire::deviations::problem(profile.observed), None, "{}", profile.name);
            assert!(
                PeerId::new(profile.id().as_str()).is_ok()
                    && !profile.modes.is_empty()
                    && !profile.revisions.is_empty()
            );
        }
    }
}
