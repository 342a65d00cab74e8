//! Which scenario can break which rule, found out by playing.
//!
//! Nothing is declared: scenarios are played in memory, and the findings say what was broken. Plain mocks play every
//! scenario: what is broken between them is broken by what the scenario scripts. Any other breach takes a mock that is
//! sabotaged, or of another policy or conduct, and is told with it. Those play the first member of each family: what
//! they do wrong does not hang on which member it is, and the page has to be made in seconds.

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
    /// The mocks that break it, each with the first members of the families in which it shows and that do not script
    /// it.
    pub shown: BTreeMap<PeerId, BTreeSet<ScenarioId>>,
}

/// Plays `corpus`, and notes which rules were broken where.
///
/// # Errors
/// When the harness cannot do its own part.
pub async fn rulebook(corpus: &[Arc<Scenario>], jobs: usize, stop: Stop) -> Result<Rulebook, HostError> {
    let (trials, honest) = (trials(), honest_pairs().collect::<Vec<_>>());
    let (plain, other): (Vec<_>, Vec<_>) = trials
        .iter()
        .flat_map(Trial::pairs)
        .chain(&honest)
        .partition(|(client, server)| is_plain(client.id()) && is_plain(server.id()));
    let firsts = firsts(corpus);
    let mut broken: BTreeMap<String, Breakers> = BTreeMap::new();
    for cell in rehearse(corpus, &plain, jobs, &mut |_: Event<'_>| {}, stop.clone()).await?.cells {
        for finding in cell.findings {
            broken.entry(finding.rule).or_default().scripted.insert(cell.scenario.clone());
        }
    }
    for cell in rehearse(&firsts, &other, jobs, &mut |_: Event<'_>| {}, stop).await?.cells {
        let culprit = if is_plain(&cell.client) { &cell.server } else { &cell.client };
        for finding in cell.findings {
            let breakers = broken.entry(finding.rule).or_default();
            if !breakers.scripted.contains(&cell.scenario) {
                breakers.shown.entry(culprit.in_any_mode()).or_default().insert(cell.scenario.clone());
            }
        }
    }
    Ok(Rulebook { broken })
}

/// The first member of each family, and whatever is none.
#[must_use]
pub fn firsts(corpus: &[Arc<Scenario>]) -> Vec<Arc<Scenario>> {
    let mut files = BTreeSet::new();
    corpus.iter().filter(|scenario| files.insert(scenario.id.file())).cloned().collect()
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
