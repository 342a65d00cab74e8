//! Where nobody says between whom a scenario breaks: who is asked first.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use mcp_compat_model::record::{CellRecord, Record};
use mcp_compat_model::verdict::{Outcome, Rating};
use mcp_compat_model::{Cell, Revision, Transport};

use mcp_compat_run::peer::{ClientPeer, PeerInfo, ServerPeer};
use mcp_compat_run::run::Run;

/// Puts the cells of a run into the order in which a break is looked for: the reference mocks, then other mocks with
/// them, then real peers; each pair over its quickest transport first. Two that have no revision in common are left
/// out: they break in every scenario, and so say nothing of this one.
pub fn look_in_order(run: &mut Run) {
    let Run { plan, clients, servers, .. } = run;
    let client = |cell: &Cell| clients.iter().find(|peer| *peer.id() == cell.client);
    let server = |cell: &Cell| servers.iter().find(|peer| *peer.id() == cell.server);
    plan.cells.retain(|cell| match (client(cell), server(cell)) {
        (Some(client), Some(server)) => speak_alike(client, server),
        (Some(_) | None, _) => false,
    });
    plan.cells.sort_by_cached_key(|cell| {
        let pair: [Option<&PeerInfo>; 2] = [client(cell).map(AsRef::as_ref), server(cell).map(AsRef::as_ref)];
        let references = pair.iter().flatten().filter(|peer| peer.is_reference()).count();
        let real = pair.iter().flatten().filter(|peer| peer.record().language.is_some()).count();
        (real, Reverse(references), quickness(cell.transport), cell.clone())
    });
}

/// The first cell that breaks, or else the first one from which the value is only harder to get. Where several pairs
/// have played, those that come to no session are passed over: they would not in any other scenario either.
#[must_use]
pub fn first_break(record: &Record) -> Option<&CellRecord> {
    let pairs: BTreeSet<_> = record.cells.iter().map(|cell| (&cell.client, &cell.server)).collect();
    let telling = |cell: &&CellRecord| pairs.len() == 1 || cell.outcome != Outcome::Unreachable;
    let rated = |rating: Rating| record.cells.iter().filter(telling).find(|cell| cell.rating == rating);
    rated(Rating::Breaks).or_else(|| rated(Rating::Degraded))
}

fn speak_alike(client: &ClientPeer, server: &ServerPeer) -> bool {
    let offered: Vec<Revision> = server.offered().collect();
    client.offered().any(|revision| offered.contains(&revision))
}

const fn quickness(transport: Transport) -> u8 {
    match transport {
        Transport::Memory => 0,
        Transport::Http => 1,
        Transport::Stdio => 2,
    }
}
