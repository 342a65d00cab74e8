//! What a mock client that stands in for an SDK does, as data.

use mcp_compat_mock_wire::deviations::{ObservedQuirk, about_profile};
use mcp_compat_model::{Mode, PeerId, Revision};

use crate::policy::Policy;
use crate::quirk::ClientQuirk;

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
    /// How it can negotiate, the default first.
    pub modes: &'static [Mode],
    /// How it reads results.
    pub policy: Policy,
    /// Where it differs from an honest client.
    pub observed: &'static [ObservedQuirk<ClientQuirk>],
}

impl ClientProfile {
    /// Its id, without a mode.
    #[must_use]
    pub fn id(&self) -> PeerId {
        PeerId::profile(self.name)
    }

    /// What it is, in a line.
    pub(crate) fn about(&self) -> String {
        about_profile(self.sdk, self.measured, self.observed.len())
    }
}
