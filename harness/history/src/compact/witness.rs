//! A witness of a triangle, by what its cell does not share with the cell that it is a witness of.

use mcp_compat_model::PeerId;
use mcp_compat_model::cell::{Cell, CellId, Transport};
use mcp_compat_model::triangle::{Testimony, Witness};
use mcp_compat_model::verdict::{Outcome, Rating};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A witness.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CompactWitness {
    place: WitnessCell,
    outcome: Outcome,
    rating: Rating,
    says: Testimony,
}

/// The cell of a witness.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum WitnessCell {
    /// The same scenario and the same peer, with this one in the place of the other.
    With(PeerId, Transport),
    /// Any other cell.
    Cell(CellId),
}

impl CompactWitness {
    /// What is said of the client of a cell.
    pub(super) fn of_client(witness: Witness, of: &Cell) -> Self {
        Self::of(witness, |there| {
            (there.scenario == of.scenario && there.client == of.client).then_some((there.server, there.transport))
        })
    }

    /// What is said of the server of a cell.
    pub(super) fn of_server(witness: Witness, of: &Cell) -> Self {
        Self::of(witness, |there| {
            (there.scenario == of.scenario && there.server == of.server).then_some((there.client, there.transport))
        })
    }

    fn of(witness: Witness, other_peer: impl Fn(Cell) -> Option<(PeerId, Transport)>) -> Self {
        let Witness { cell, outcome, rating, says } = witness;
        // A text that only looks like an id would read back as another one.
        let there = CellId::parse(cell.as_str()).ok().filter(|there| there.id() == cell);
        let place = match there.and_then(other_peer) {
            Some((peer, transport)) => WitnessCell::With(peer, transport),
            None => WitnessCell::Cell(cell),
        };
        Self { place, outcome, rating, says }
    }

    /// The witness of the client of a cell.
    pub(super) fn for_client(self, cell: &Cell) -> Witness {
        self.with(|peer, transport| Cell { server: peer, transport, ..cell.clone() })
    }

    /// The witness of the server of a cell.
    pub(super) fn for_server(self, cell: &Cell) -> Witness {
        self.with(|peer, transport| Cell { client: peer, transport, ..cell.clone() })
    }

    fn with(self, cell: impl Fn(PeerId, Transport) -> Cell) -> Witness {
        let Self { place, outcome, rating, says } = self;
        let cell = match place {
            WitnessCell::With(peer, transport) => cell(peer, transport).id(),
            WitnessCell::Cell(cell) => cell,
        };
        Witness { cell, outcome, rating, says }
    }
}
