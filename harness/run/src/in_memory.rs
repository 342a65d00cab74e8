//! Runs scenarios among mocks in memory, to learn about the scenarios and not about the peers.
//!
//! In memory an answer takes next to no time, so scenarios whose answers never come are played by themselves, many at once
//! and with a short timeout. What a mock does to a value does not depend on its size, so heavy scenarios are played only
//! by the mocks that are honest or wrong about sizes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use mcp_compat_mocks::client::ClientQuirk;
use mcp_compat_model::peer::PeerKind;
use mcp_compat_model::record::Record;
use mcp_compat_model::{Cell, PeerId, Transport};
use mcp_compat_scenario::Scenario;
use tokio_util::sync::CancellationToken;

use crate::environment::{DEFAULT_PEER_MEMORY, HarnessError};
use crate::events::Observer;
use crate::peer::{ClientPeer, ServerPeer};
use crate::plan::{Plan, Weight};
use crate::programs::Programs;
use crate::run::{IsKnown, Run, run};
use crate::timeouts::Timeouts;

/// Time limit of a step in a scenario that keeps its clients waiting.
pub const SHORT_STEP: Duration = Duration::from_secs(1);

/// Number of cells of such scenarios that wait side by side.
const WAITING: usize = 256;

/// Plays every scenario with every pair; `watch` sees each cell when it is recorded.
pub async fn run_in_memory(
    corpus: &[Arc<Scenario>],
    pairs: &[&(ClientPeer, ServerPeer)],
    jobs: usize,
    watch: &mut dyn Observer,
    stop: CancellationToken,
) -> Result<Record, HarnessError> {
    let (waiting, prompt): (Vec<_>, Vec<_>) = corpus.iter().cloned().partition(|scenario| scenario.keeps_waiting());
    let (heavy, light): (Vec<_>, Vec<_>) =
        prompt.into_iter().partition(|scenario| Weight::of(scenario) == Weight::Heavy);
    let sized: Vec<_> = pairs
        .iter()
        .copied()
        .filter(|(client, server)| tells_sizes_apart(client.id()) && tells_sizes_apart(server.id()))
        .collect();
    let short = Timeouts { step: SHORT_STEP, ..Timeouts::default() };
    let mut record = run(every_pair(light, pairs, jobs, Timeouts::default()), &mut [watch], stop.clone()).await?;
    for rest in [every_pair(heavy, &sized, jobs, Timeouts::default()), every_pair(waiting, pairs, WAITING, short)] {
        let rest = run(rest, &mut [watch], stop.clone()).await?;
        record.complete &= rest.complete;
        record.cells.extend(rest.cells);
    }
    Ok(record)
}

/// Returns true if a mock is honest, or wrong about size.
fn tells_sizes_apart(peer: &PeerId) -> bool {
    match peer.kind() {
        PeerKind::Sabotaged { quirk } => quirk == ClientQuirk::SizeLimit.as_str(),
        PeerKind::Mock { .. } | PeerKind::Profile { .. } | PeerKind::Release { .. } | PeerKind::Own { .. } => true,
    }
}

/// The cell that a pair plays.
pub fn cell(scenario: &Scenario, client: &PeerId, server: &PeerId) -> Cell {
    Cell { scenario: scenario.id.clone(), client: client.clone(), server: server.clone(), transport: Transport::Memory }
}

fn every_pair(corpus: Vec<Arc<Scenario>>, pairs: &[&(ClientPeer, ServerPeer)], jobs: usize, timeouts: Timeouts) -> Run {
    let (mut clients, mut servers, mut cells) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
    for (client, server) in pairs {
        clients.insert(client.id().clone(), client.clone());
        servers.insert(server.id().clone(), server.clone());
        for scenario in &corpus {
            cells.insert(cell(scenario, client.id(), server.id()));
        }
    }
    Run {
        plan: Plan { cells: cells.into_iter().collect(), left_out: Vec::new(), division: None },
        scenarios: corpus,
        clients: clients.into_values().collect(),
        servers: servers.into_values().collect(),
        timeouts,
        jobs,
        started: String::new(),
        programs: Programs::None,
        logs: None,
        peer_memory: DEFAULT_PEER_MEMORY,
        is_known: IsKnown::default(),
    }
}
