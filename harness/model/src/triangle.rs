//! Three sides of a break between two real peers: the two together, and each of them with a mock in the other's place.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cell::CellId;
use crate::verdict::{Fault, Outcome, Rating};

/// Evidence about a break between two real peers beside their own cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Triangle {
    /// Fault by the cell alone.
    pub alone: Fault,
    /// The client with a mock server; absent where that was not played, or in another era.
    pub client: Option<Witness>,
    /// The server with a mock client; absent likewise.
    pub server: Option<Witness>,
    /// Fix of a peer that the reason of the cell alone does not say: the end of the reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub also_to_fix: Option<String>,
}

/// Result of one of two peers in the same scenario with a mock in the other's place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Witness {
    /// The cell.
    pub cell: CellId,
    /// Its outcome there.
    pub outcome: Outcome,
    /// Its rating there.
    pub rating: Rating,
    /// Its testimony about the peer.
    pub says: Testimony,
}

/// Testimony of a cell with a mock about the peer in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Testimony {
    /// It breaks the same way there, by its own fault.
    Guilty,
    /// It works there.
    Clear,
    /// Neither: it breaks another way, or not by its own fault.
    Unclear,
}

impl Triangle {
    /// Returns true if each of the two gets on with a mock, so that only together they break.
    #[must_use]
    pub fn only_together(&self) -> bool {
        let clear = |witness: &Option<Witness>| witness.as_ref().is_some_and(|it| it.says == Testimony::Clear);
        clear(&self.client) && clear(&self.server)
    }

    /// Returns true if a mock in the other's place shows whose fault it is.
    #[must_use]
    pub fn tells(&self) -> bool {
        let witnesses = self.client.iter().chain(&self.server);
        witnesses.into_iter().any(|witness| witness.says == Testimony::Guilty)
    }
}
