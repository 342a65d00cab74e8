//! Which scenario can break which rule, found out by playing.
//!
//! Nothing is declared: the corpus is played in memory, between the honest mocks of every revision and policy and with
//! each sabotaged one, and the findings say what was broken. A rule that a scenario breaks between plain mocks is broken
//! by what the scenario scripts; any other takes a mock that is wrong, lax or old as well, and is told with it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use mcp_compat_model::{PeerId, ScenarioId};
use mcp_compat_scenario::Scenario;

use crate::events::Event;
use crate::fleet::Fleet;
use crate::hosts::HostError;
use crate::peer::Peer;
use crate::rehearsal::rehearse;
use crate::run::Stop;
use crate::selftest::{Trial, trials};

/// What was found out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rulebook {
    /// The rules that are broken by something, by id.
    pub broken: BTreeMap<String, Breakers>,
}

/// What breaks a rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Breakers {
    /// The scenarios that script it.
    pub scripted: BTreeSet<ScenarioId>,
    /// The mocks that break it, each with the scenarios in which it shows and that do not script it.
    pub shown: BTreeMap<PeerId, BTreeSet<ScenarioId>>,
}

/// Plays `corpus`, and notes which rules were broken where.
///
/// # Errors
/// When the harness cannot do its own part.
pub async fn rulebook(corpus: &[Arc<Scenario>], jobs: usize, stop: Stop) -> Result<Rulebook, HostError> {
    let (trials, honest) = (trials(), honest_pairs().collect::<Vec<_>>());
    let pairs: Vec<_> = trials.iter().flat_map(Trial::pairs).chain(&honest).collect();
    let record = rehearse(corpus, &pairs, jobs, &mut |_: Event<'_>| {}, stop).await?;
    let mut found: BTreeMap<String, Breakers> = BTreeMap::new();
    for cell in &record.cells {
        for finding in &cell.findings {
            let breakers = found.entry(finding.rule.clone()).or_default();
            match [&cell.client, &cell.server].into_iter().find(|peer| !is_plain(peer)) {
                None => breakers.scripted.insert(cell.scenario.clone()),
                Some(culprit) => breakers.shown.entry(culprit.in_any_mode()).or_default().insert(cell.scenario.clone()),
            };
        }
    }
    for Breakers { scripted, shown } in found.values_mut() {
        for scenarios in shown.values_mut() {
            scenarios.retain(|scenario| !scripted.contains(scenario));
        }
        shown.retain(|_, scenarios| !scenarios.is_empty());
    }
    Ok(Rulebook { broken: found })
}

/// Every honest mock with each reference of the other side.
fn honest_pairs() -> impl Iterator<Item = (Peer, Peer)> {
    let (all, references) = (Fleet::mocks(), Fleet::references());
    let pair = |client: &Peer, server: &Peer| (client.clone(), server.clone());
    let with_clients: Vec<_> = all
        .clients
        .iter()
        .flat_map(|client| references.servers.iter().map(move |server| pair(client, server)))
        .collect();
    let with_servers: Vec<_> = all
        .servers
        .iter()
        .flat_map(|server| references.clients.iter().map(move |client| pair(client, server)))
        .collect();
    with_clients.into_iter().chain(with_servers)
}

/// Whether a mock is neither sabotaged nor of another policy or conduct than the usual: then what it breaks is scripted.
fn is_plain(peer: &PeerId) -> bool {
    peer.is_mock() && peer.without_mode().matches('/').count() == 1
}
