//! Changes with one cause.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::change::{Move, Obstacle};
use super::class::Class;
use crate::signature::Signature;
use crate::{PeerId, Role, ScenarioId, Transport};

/// Changes of one class with one cause, by the same releases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Group {
    /// The class of its changes.
    pub class: Class,
    /// The cause of the break: the later one, or for what is better the earlier one. Without its pointer.
    pub cause: Option<Signature>,
    /// The releases that moved, without their modes.
    pub moves: Vec<Move>,
    /// The role of the release that the change is due to: the one that moved. Where both did, the one at fault.
    pub due_to: Option<Role>,
    /// The peers that are new or gone, without their modes; for the classes `peer-added` and `peer-gone`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub peers: Vec<PeerId>,
    /// Why the cells cannot be compared; for the class `not-comparable`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub obstacles: Vec<Obstacle>,
    /// Its changes: places in the list of all changes, from 0.
    pub changes: Vec<u32>,
    /// The change that stands for all: one that is not known rather than a known one, a silent one rather than a loud one.
    pub example: u32,
    /// How to find the release between the two that changed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bisection: Option<Bisection>,
}

/// The arguments of `mcp-compat bisect`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Bisection {
    /// The scenario.
    pub scenario: ScenarioId,
    /// The folder or file that the scenario was read from; absent for the embedded corpus.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_from: Option<String>,
    /// The side whose releases are tried.
    pub role: Role,
    /// Their family, with the API that the server is written with: `python/typed`.
    pub family: String,
    /// The release with the better outcome, with its mode: `1.25.3`, `2.4.0+auto`.
    pub good: String,
    /// The other one.
    pub bad: String,
    /// With whom they play.
    pub against: PeerId,
    /// What carries the messages.
    pub transport: Transport,
}
