//! Finds the scenarios that violate each rule, by playing them.
//!
//! The scenarios are played in memory, and the findings name the violated rules. Plain mocks play every scenario; a
//! rule that is violated between them is violated by the script of the scenario. Any other violation needs a mock that
//! is sabotaged or has another downgrade, and is listed with this mock.
//!
//! The page must be made in seconds, so other mocks play fewer scenarios. Their violations depend neither on the member
//! of a family nor on size: they play the first quick member of each family. Those with a handshake play only the first
//! scenario of each class, and the scenarios that lead to an address on the network. Large scenarios are played only by
//! the reference mocks.

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

/// Size in bytes from which a scenario is large.
const LARGE: usize = 1 << 14;

/// Scenarios and mocks that violate a rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Violations {
    /// The scenarios whose script violates it.
    pub(super) scripted: BTreeSet<ScenarioId>,
    /// The mocks that violate it in other scenarios, each with the first members of the families.
    pub(super) shown: BTreeMap<PeerId, BTreeSet<ScenarioId>>,
}

/// Plays the corpus and returns the violations of each rule, by its id.
///
/// # Errors
/// When the harness cannot do its own part.
pub(super) async fn play(
    corpus: &[Arc<Scenario>],
    jobs: usize,
    stop: CancellationToken,
) -> Result<BTreeMap<String, Violations>, HarnessError> {
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
    let mut violated = BTreeMap::new();
    for (scenarios, pairs) in parts {
        for cell in run_in_memory(scenarios, &pairs, jobs, &mut |_: Event<'_>| {}, stop.clone()).await?.cells {
            note(&mut violated, cell);
        }
    }
    Ok(violated)
}

/// Adds the violations of a cell. Plain mocks come first; a scenario that violates a rule with them is not listed with
/// other mocks.
fn note(violated: &mut BTreeMap<String, Violations>, cell: CellRecord) {
    let culprit = [&cell.client, &cell.server].into_iter().find(|peer| !is_plain(peer)).map(PeerId::in_any_mode);
    for finding in cell.findings {
        let violations = violated.entry(finding.rule).or_default();
        match &culprit {
            None => {
                violations.scripted.insert(cell.scenario.clone());
            }
            Some(_) if violations.scripted.contains(&cell.scenario) => {}
            Some(culprit) => {
                violations.shown.entry(culprit.clone()).or_default().insert(cell.scenario.clone());
            }
        }
    }
}

/// Returns the scenarios that mocks with deliberate bugs play: single scenarios and the first member of each family,
/// except for large scenarios and those that keep clients waiting.
pub(super) fn firsts(corpus: &[Arc<Scenario>]) -> Vec<Arc<Scenario>> {
    let mut files = BTreeSet::new();
    let quick = corpus.iter().filter(|scenario| scenario.size() < LARGE && !scenario.keeps_waiting());
    quick.filter(|scenario| files.insert(scenario.id.file())).cloned().collect()
}

/// Returns whether a schema has the address at which mcp-compat notices a fetch. The rules about it depend on the
/// revision.
fn names_an_address(scenario: &Scenario) -> bool {
    scenario.stages.iter().flat_map(|stage| &stage.tools).any(|tool| tool.definition.contains("{{canary}}"))
}

/// Returns the plain clients of all revisions and modes, each with the reference servers.
fn plain_pairs() -> Vec<(ClientPeer, ServerPeer)> {
    let servers = PeerSet::references().servers;
    let plain = PeerSet::mocks().clients.into_iter().filter(|client| is_plain(client.id()));
    plain
        .flat_map(|client| servers.iter().map(move |server| (client.clone(), server.clone())).collect::<Vec<_>>())
        .collect()
}

/// Returns whether a mock has no sabotage and the default policy and downgrade, so that its violations are scripted.
fn is_plain(peer: &PeerId) -> bool {
    peer.is_plain_mock()
}
