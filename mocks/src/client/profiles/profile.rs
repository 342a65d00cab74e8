//! Profile of an SDK's client, as data.

use crate::wire::deviations::{ObservedQuirk, about_profile};
use mcp_compat_model::{Mode, PeerId, Revision};

use crate::client::policy::Policy;
use crate::client::quirk::ClientQuirk;

/// A client that stands in for a release line of an SDK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientProfile {
    /// The SDK and the release line, such as `typescript@1`.
    pub name: &'static str,
    /// The SDK in words.
    pub sdk: &'static str,
    /// The release that was measured.
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
    #[must_use]
    pub fn id(&self) -> PeerId {
        PeerId::profile(self.name)
    }

    /// Describes it in one line.
    pub(crate) fn about(&self) -> String {
        about_profile(self.sdk, self.measured, self.observed.len())
    }
}
