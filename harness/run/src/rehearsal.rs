//! Playing scenarios among mocks, in memory: for what is to be learnt of the scenarios, not of the peers.
//!
//! Where an answer never comes, nothing is gained by patience, as in memory answers take no time worth naming: such
//! scenarios are played for themselves, all at once and with a short deadline. What a mock does to a value does not hang
//! on its size, so heavy scenarios are spared those that are wrong about something else.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use mcp_compat_mocks::client::ClientQuirk;
use mcp_compat_model::peer::PeerKind;
use mcp_compat_model::record::Record;
use mcp_compat_model::{Cell, PeerId, Transport};
use mcp_compat_scenario::Scenario;

use crate::events::Observer;
use crate::hosts::{HostError, Programs};
use crate::peer::Peer;
use crate::plan::{Plan, Weight};
use crate::run::{Patience, Run, Stop, run};

/// How long a step may take in a scenario that keeps its clients waiting.
const IMPATIENCE: Duration = Duration::from_secs(1);

/// How many cells of such scenarios wait side by side.
const WAITING: usize = 256;

/// Plays every scenario with every pair; `watch` sees each cell when it is recorded.
///
/// # Errors
/// When the harness cannot do its own part.
pub async fn rehearse(
    corpus: &[Arc<Scenario>],
    pairs: &[&(Peer, Peer)],
    jobs: usize,
    watch: &mut dyn Observer,
    stop: Stop,
) -> Result<Record, HostError> {
    let (waiting, prompt): (Vec<_>, Vec<_>) = corpus.iter().cloned().partition(|scenario| scenario.keeps_waiting());
    let (heavy, light): (Vec<_>, Vec<_>) =
        prompt.into_iter().partition(|scenario| Weight::of(scenario) == Weight::Heavy);
    let sized: Vec<_> =
        pairs.iter().copied().filter(|(client, server)| minds_size(client) && minds_size(server)).collect();
    let hurried = Patience { step: IMPATIENCE, ..Patience::default() };
    let mut record = run(every_pair(light, pairs, jobs, Patience::default()), &mut [watch], stop.clone()).await?;
    for rest in [every_pair(heavy, &sized, jobs, Patience::default()), every_pair(waiting, pairs, WAITING, hurried)] {
        let rest = run(rest, &mut [watch], stop.clone()).await?;
        record.complete &= rest.complete;
        record.cells.extend(rest.cells);
    }
    Ok(record)
}

/// Whether a mock is honest, or wrong about size.
fn minds_size(peer: &Peer) -> bool {
    match peer.id().kind() {
        PeerKind::Sabotaged { quirk } => quirk == ClientQuirk::SizeLimit.as_str(),
        PeerKind::Mock { .. } | PeerKind::Profile { .. } | PeerKind::Release { .. } | PeerKind::Own { .. } => true,
    }
}

/// The cell that a pair plays.
pub fn cell(scenario: &Scenario, client: &PeerId, server: &PeerId) -> Cell {
    Cell { scenario: scenario.id.clone(), client: client.clone(), server: server.clone(), transport: Transport::Memory }
}

fn every_pair(corpus: Vec<Arc<Scenario>>, pairs: &[&(Peer, Peer)], jobs: usize, patience: Patience) -> Run {
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
        patience,
        jobs,
        started: String::new(),
        programs: Programs::None,
        logs: None,
    }
}
