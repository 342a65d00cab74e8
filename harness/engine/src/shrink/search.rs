//! Where nobody says between whom a scenario breaks: who is asked first.

use std::cmp::Reverse;

use mcp_compat_model::record::{CellRecord, Record};
use mcp_compat_model::verdict::{Outcome, Rating};
use mcp_compat_model::{Cell, Revision, Transport};

use crate::peer::Peer;
use crate::run::Run;

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
        let pair = [client(cell), server(cell)];
        let references = pair.iter().flatten().filter(|peer| peer.is_reference()).count();
        let real = pair.iter().flatten().filter(|peer| peer.record().language.is_some()).count();
        (real, Reverse(references), quickness(cell.transport), cell.clone())
    });
}

/// The first cell that breaks; or else the first one from which the value is only harder to get; or else the first one
/// without a session, which may have nothing to do with the scenario.
#[must_use]
pub fn first_break(record: &Record) -> Option<&CellRecord> {
    let find = |wanted: &dyn Fn(&CellRecord) -> bool| record.cells.iter().find(|cell| wanted(cell));
    let breaks = |cell: &CellRecord| cell.rating == Rating::Breaks;
    find(&|cell| breaks(cell) && cell.outcome != Outcome::Unreachable)
        .or_else(|| find(&|cell| cell.rating == Rating::Degraded))
        .or_else(|| find(&breaks))
}

fn speak_alike(client: &Peer, server: &Peer) -> bool {
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
