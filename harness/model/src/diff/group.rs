//! Changes with one cause, and the two runs that are compared.

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
    /// Obstacles to a comparison; for the class `not-comparable`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub obstacles: Vec<Obstacle>,
    /// Its changes: places in the list of all changes, from 0.
    pub changes: Vec<u32>,
    /// The change that stands for all: one that is not known rather than a known one, a silent one rather than a loud one.
    pub example: u32,
    /// Bisection that finds the release between the two that changed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bisection: Option<Bisection>,
}

/// The arguments of `mcp-compat peers bisect`.
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
    /// Carrier of the messages.
    pub transport: Transport,
}

/// One of the two runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Side {
    /// Name given by the user: a folder, a file or a peer.
    pub name: String,
    /// When the run began, RFC 3339, UTC.
    pub started: String,
    /// The version of mcp-compat that ran.
    pub tool_version: String,
    /// The digest of the judge that gave the verdicts, if the record has it.
    pub judge: Option<String>,
    /// The digest of the scenarios that were played.
    pub corpus: String,
    /// True if every planned cell has its verdict.
    pub complete: bool,
    /// Number of its cells.
    pub cells: u64,
    /// Number of cells that were judged anew, with the rules of today.
    pub judged_anew: u64,
}
