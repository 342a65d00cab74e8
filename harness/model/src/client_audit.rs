//! The report on a client that is only a command: what it did with a few servers, and what follows from it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::audit::Severity;
use crate::named::named;
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
    /// True if every probe was played, and every variation unless the client hangs.
    pub complete: bool,
    /// Numbers that were to be played, where they are more than were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planned: Option<Planned>,
    /// Its visits, server by server.
    pub servers: Vec<Visit>,
    /// The servers that were not played: they send a client of its revision what `mock/dual` sends it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped_servers: Vec<PeerId>,
    /// What was changed of a plain server, one thing at a time. Empty if the client does not work with the plain one, or
    /// connects over stdio.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variations: Vec<Variation>,
    /// Conclusions, worst first.
    pub conclusions: Vec<Conclusion>,
    /// The entries of the baseline that no longer hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stale: Vec<String>,
}

/// Visit of a client to one server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Visit {
    /// The server.
    pub server: PeerId,
    /// Probe by probe.
    pub probes: Vec<Probe>,
}

/// Run of a client in one scenario. It was run once, or twice where it lost the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Probe {
    /// The scenario.
    pub scenario: ScenarioId,
    /// Its subject.
    pub title: String,
    /// True if it sent anything.
    pub connected: bool,
    /// The revision that the two spoke.
    pub revision: Option<Revision>,
    /// True if it asked for the tools, and was answered.
    pub listed: bool,
    /// True if it called its tool.
    pub called: bool,
    /// True if it fetched an address only because a schema names it.
    pub fetched: bool,
    /// True if it could still call a plain tool beside this one; `None` if it never tried.
    pub neighbour: Option<bool>,
    /// Its end.
    pub ended: String,
    /// The outcome for what the tool meant.
    pub outcome: Outcome,
    /// Its rating.
    pub rating: Rating,
    /// The reason, in a sentence.
    pub reason: String,
}

/// A legal thing that a server does, and whether the client bears it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Variation {
    /// Its id: group and name.
    pub id: String,
    /// What the server does, after the words "the server".
    pub does: String,
    /// True if the client did as with the plain server, or what is due.
    pub passes: bool,
}

/// Numbers of what an audit was to play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Planned {
    /// The probes, all servers together.
    pub probes: usize,
    /// The variations. `None` if it ended before they were chosen.
    pub variations: Option<usize>,
}

named! {
    /// Loss of the user of a client, the smallest first.
    pub enum Loss {
        /// A value, a part of a result, or a message.
        Value = "value",
        /// A call.
        Call = "call",
        /// Some tools.
        Tool = "tool",
        /// All tools.
        Tools = "all tools",
        /// The session.
        Session = "session",
    }
}

/// Something that follows from what a client did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Conclusion {
    /// True if the client has to move.
    pub is_the_clients: bool,
    /// The party that has to; `None` if a rule was violated but nothing was lost.
    pub fault: Option<Fault>,
    /// The loss with servers that do so; `None` if nothing is lost or it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost: Option<Loss>,
    /// True if the damage is silent: the user gets no error.
    pub silent: bool,
    /// Its severity: `error` if the client breaks a MUST or loses something, `warning` if it breaks a SHOULD.
    pub severity: Severity,
    /// True if a baseline knows all of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub known: bool,
    /// The event, in a sentence.
    pub what: String,
    /// The rule that is broken, if it is one.
    pub rule: Option<BrokenRule>,
    /// The address of what says so, if no rule does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The places: scenario and server.
    pub seen: Vec<Place>,
    /// The ids of the variations that show it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variations: Vec<String>,
}

impl Conclusion {
    /// A conclusion about the client that nothing more is known of.
    #[must_use]
    pub fn of_client(severity: Severity, what: String) -> Self {
        Self {
            is_the_clients: true,
            fault: None,
            lost: None,
            silent: false,
            severity,
            known: false,
            what,
            rule: None,
            source: None,
            seen: Vec::new(),
            variations: Vec::new(),
        }
    }
}

/// A rule that is broken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BrokenRule {
    /// Its id.
    pub id: String,
    /// Its level.
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
    /// The worst severity among the conclusions that no baseline knows of.
    #[must_use]
    pub fn worst(&self) -> Option<Severity> {
        self.conclusions.iter().filter(|conclusion| !conclusion.known).map(|conclusion| conclusion.severity).max()
    }

    /// Returns true if the user of the client loses something that no baseline knows of, and the client has to move.
    #[must_use]
    pub fn has_loss(&self) -> bool {
        self.conclusions.iter().any(|it| !it.known && it.is_the_clients && it.fault.is_some())
    }
}
