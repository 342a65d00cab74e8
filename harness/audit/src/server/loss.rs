//! What a client loses, as its cell shows it.

use std::collections::BTreeMap;

use mcp_compat_model::audit::Loss;
use mcp_compat_model::record::{CellRecord, Record};
use mcp_compat_model::verdict::{BlastRadius, Outcome};
use mcp_compat_model::{PeerId, Revision};
use mcp_compat_run::peer::ClientPeer;

use super::replay::spoken_with;

/// The loss of a cell that does not work.
pub(super) fn loss(cell: &CellRecord) -> Loss {
    Loss {
        client: cell.client.clone(),
        negotiated: cell.negotiated,
        rating: cell.rating,
        outcome: cell.outcome,
        silent: cell.silent,
        loses: cell.blast_radius.unwrap_or(BlastRadius::Call),
        fault: cell.fault,
        signature: cell.signature.clone(),
        reason: cell.reason.clone(),
    }
}

/// The clients that have no session with the server because they speak no revision of it.
pub(super) fn shut_out(record: &Record, clients: &[ClientPeer], spoken: &[Revision]) -> Vec<Loss> {
    let mut by_client: BTreeMap<&PeerId, Vec<&CellRecord>> = BTreeMap::new();
    for cell in &record.cells {
        by_client.entry(&cell.client).or_default().push(cell);
    }
    // A client that speaks one rejects what the server says, which is a loss of its tools.
    let has_one = |id: &PeerId| clients.iter().any(|peer| peer.id() == id && spoken_with(peer, spoken).is_some());
    let is_out = |cell: &&CellRecord| cell.outcome == Outcome::Unreachable && cell.negotiated.is_none();
    let apart = by_client.into_iter().filter(|(id, cells)| !has_one(id) && cells.iter().all(is_out));
    let dates = |revisions: &[Revision]| revisions.iter().map(|date| date.as_str()).collect::<Vec<_>>().join(", ");
    let words = |cell: &CellRecord| {
        let offered: Vec<Revision> =
            clients.iter().filter(|peer| *peer.id() == cell.client).flat_map(ClientPeer::offered).collect();
        format!("{} speaks only {}, and the server only {}", cell.client, dates(&offered), dates(spoken))
    };
    // The reason of the cell describes the stand-in and not the server.
    let loss = |cell: &CellRecord| Loss { reason: words(cell), fault: None, ..loss(cell) };
    apart.filter_map(|(_, cells)| cells.first().map(|cell| loss(cell))).collect()
}
