//! Real clients in an audit: which releases of SDKs take a tool, and where a profile differs from its client.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cell::ScenarioId;
use crate::peer::{Mode, PeerId};
use crate::revision::Revision;
use crate::verdict::{BlastRadius, Outcome};
use crate::version::Version;

/// A rule for which clients lose tools, and the releases of SDKs that take them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Taker {
    /// The rule.
    pub rule: String,
    /// The scenario that was played with the releases: its server does the same.
    pub scenario: ScenarioId,
    /// The tools.
    pub tools: Vec<String>,
    /// The SDKs of which not every release takes them.
    pub families: Vec<TakerOfFamily>,
    /// The SDKs of which every release that was measured takes them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub all_releases_of: Vec<String>,
}

/// Since which release the clients of an SDK take something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TakerOfFamily {
    /// The SDK.
    pub family: String,
    /// The first release from which on all that were measured take it; absent if the newest does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Version>,
    /// Negotiation mode of these releases, if they let their user choose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// The newest release that was measured.
    pub newest: Version,
    /// The day of the measurement.
    pub measured: String,
}

/// A tool that a real client and the profile of its line treat differently.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProfileDifference {
    /// The tool.
    pub tool: String,
    /// The real client.
    pub client: PeerId,
    /// The profile.
    pub profile: PeerId,
    /// Outcome for the user of the real client.
    pub real: ClientFate,
    /// Outcome for the user of the profile.
    pub emulated: ClientFate,
}

/// Outcome of a tool for the user of a client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClientFate {
    /// The revision that was spoken.
    pub negotiated: Option<Revision>,
    /// The outcome for the user.
    pub outcome: Outcome,
    /// The damage, if there is any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loses: Option<BlastRadius>,
    /// The reason, in a sentence.
    pub reason: String,
}

/// A real client that could not be started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NotStarted {
    /// The client.
    pub client: PeerId,
    /// The reason, in a sentence.
    pub why: String,
}
