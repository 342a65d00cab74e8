//! Which scenario can break which rule, found out by playing.
//!
//! Nothing is declared: scenarios are played in memory, and the findings say what was broken. Plain mocks play every
//! scenario: what is broken between them is broken by what the scenario scripts. Any other breach takes a mock that is
//! sabotaged, or of another downgrade, and is told with it.
//!
//! The page has to be made in seconds, so what tells little is left out. What a wrong mock does hangs neither on the
//! member of a family nor on size: it plays the first of each family that is quick, and with a handshake the first of
//! each class, and what leads to an address on the network. What is large is played by the reference mocks alone.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use mcp_compat_model::record::CellRecord;
use mcp_compat_model::{Mode, PeerId, ScenarioId};
use mcp_compat_scenario::Scenario;

use mcp_compat_author::selftest::trials;
use mcp_compat_run::environment::HarnessError;
use mcp_compat_run::events::Event;
use mcp_compat_run::in_memory::run_in_memory;
use mcp_compat_run::peer::{ClientPeer, ServerPeer};
use mcp_compat_run::peer_set::PeerSet;
use tokio_util::sync::CancellationToken;

/// From how many bytes on a scenario is large.
const LARGE: usize = 1 << 14;

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
pub async fn rulebook(
    corpus: &[Arc<Scenario>],
    jobs: usize,
    stop: CancellationToken,
) -> Result<Rulebook, HarnessError> {
    let (trials, plain) = (trials(), plain_pairs());
    let plain: Vec<_> = plain.iter().collect();
    let other = trials.iter().map(|trial| trial.pairs()[0]);
    let (small, large): (Vec<_>, Vec<_>) = corpus.iter().cloned().partition(|scenario| scenario.size() < LARGE);
    let references = plain.iter().copied().filter(|(client, _)| client.is_reference()).collect();
    let (with_handshake, without): (Vec<_>, Vec<_>) =
        other.partition(|(client, _)| client.id().mode() == Some(Mode::Legacy));
    let firsts = firsts(corpus);
    let mut of_classes = BTreeSet::new();
    let class_firsts: Vec<_> = firsts
        .iter()
        .filter(|scenario| of_classes.insert(scenario.id.class()) || names_an_address(scenario))
        .cloned()
        .collect();
    let parts = [(&small, plain), (&large, references), (&firsts, without), (&class_firsts, with_handshake)];
    let mut broken: BTreeMap<String, Breakers> = BTreeMap::new();
    for (scenarios, pairs) in parts {
        for cell in run_in_memory(scenarios, &pairs, jobs, &mut |_: Event<'_>| {}, stop.clone()).await?.cells {
            note(&mut broken, cell);
        }
    }
    Ok(Rulebook { broken })
}

/// Notes what a cell shows. Plain mocks come first: what they break is not told of others.
fn note(broken: &mut BTreeMap<String, Breakers>, cell: CellRecord) {
    let culprit = [&cell.client, &cell.server].into_iter().find(|peer| !is_plain(peer)).map(PeerId::in_any_mode);
    for finding in cell.findings {
        let breakers = broken.entry(finding.rule).or_default();
        match &culprit {
            None => {
                breakers.scripted.insert(cell.scenario.clone());
            }
            Some(_) if breakers.scripted.contains(&cell.scenario) => {}
            Some(culprit) => {
                breakers.shown.entry(culprit.clone()).or_default().insert(cell.scenario.clone());
            }
        }
    }
}

/// What wrong peers play: the first member of each family, and whatever is none, but nothing large, and nothing that
/// keeps its clients waiting.
#[must_use]
pub fn firsts(corpus: &[Arc<Scenario>]) -> Vec<Arc<Scenario>> {
    let mut files = BTreeSet::new();
    let quick = corpus.iter().filter(|scenario| scenario.size() < LARGE && !scenario.keeps_waiting());
    quick.filter(|scenario| files.insert(scenario.id.file())).cloned().collect()
}

/// Returns whether a schema leads to the address at which mcp-compat notices a fetch. What is asked about that depends
/// on the revision.
fn names_an_address(scenario: &Scenario) -> bool {
    scenario.stages.iter().flat_map(|stage| &stage.tools).any(|tool| tool.definition.contains("{{canary}}"))
}

/// A plain client of each revision and mode, with the server that speaks all of them.
fn plain_pairs() -> Vec<(ClientPeer, ServerPeer)> {
    let servers = PeerSet::references().servers;
    let plain = PeerSet::mocks().clients.into_iter().filter(|client| is_plain(client.id()));
    plain
        .flat_map(|client| servers.iter().map(move |server| (client.clone(), server.clone())).collect::<Vec<_>>())
        .collect()
}

/// Returns whether a mock is neither sabotaged nor of another policy or downgrade than the usual: then what it breaks
/// is scripted.
fn is_plain(peer: &PeerId) -> bool {
    peer.is_plain_mock()
}
