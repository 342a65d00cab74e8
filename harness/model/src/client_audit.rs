//! The report on a client that is only a command: what it did with a few servers, and what follows from it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::verdict::{Fault, Level, Outcome, Rating};
use crate::{PeerId, Revision, ScenarioId};

/// A client, looked at from the wire.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClientAudit {
    /// The version of mcp-compat that looked.
    pub tool_version: String,
    /// The command.
    pub client: String,
    /// The tool that it calls.
    pub calls: String,
    /// Whether every probe was played.
    pub complete: bool,
    /// What it did, server by server.
    pub servers: Vec<Visit>,
    /// The servers that were not played: they send a client of its revision what `mock/dual` sends it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped_servers: Vec<PeerId>,
    /// What follows from it, worst first.
    pub conclusions: Vec<Conclusion>,
}

/// What a client did with one server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Visit {
    /// The server.
    pub server: PeerId,
    /// Probe by probe.
    pub probes: Vec<Probe>,
}

/// What a client did in one scenario. It was run once, or twice where it lost the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Probe {
    /// The scenario.
    pub scenario: ScenarioId,
    /// What it is about.
    pub title: String,
    /// Whether it sent anything.
    pub connected: bool,
    /// The revision that the two spoke.
    pub revision: Option<Revision>,
    /// Whether it asked for the tools, and was answered.
    pub listed: bool,
    /// Whether it called its tool.
    pub called: bool,
    /// Whether it fetched an address only because a schema names it.
    pub fetched: bool,
    /// Whether it could still call a plain tool beside this one; `None` if it never tried.
    pub neighbour: Option<bool>,
    /// How it ended.
    pub ended: String,
    /// What became of what the tool meant.
    pub outcome: Outcome,
    /// How that fares.
    pub rating: Rating,
    /// Why, in a sentence.
    pub reason: String,
}

/// Something that follows from what a client did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Conclusion {
    /// Whether the client has to move.
    pub is_the_clients: bool,
    /// Who has to; `None` if a rule was violated but nothing was lost.
    pub fault: Option<Fault>,
    /// Whether the damage is silent: the user gets no error.
    pub silent: bool,
    /// What happens, in a sentence.
    pub what: String,
    /// The rule that is broken, if it is one.
    pub rule: Option<BrokenRule>,
    /// Where: scenario and server.
    pub seen: Vec<Place>,
}

/// A rule that is broken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BrokenRule {
    /// Its id.
    pub id: String,
    /// How strict it is.
    pub level: Level,
    /// The specification's address.
    pub source: String,
}

/// A probe with a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Place {
    /// The scenario.
    pub scenario: ScenarioId,
    /// The server.
    pub server: PeerId,
}

impl ClientAudit {
    /// Whether the client breaks where it must not.
    #[must_use]
    pub fn is_the_clients(&self) -> bool {
        self.conclusions.iter().any(|conclusion| conclusion.is_the_clients)
    }
}
