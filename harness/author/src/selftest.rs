//! The harness proves itself: the corpus against mocks that are wrong in exactly one known way each.
//!
//! Each sabotaged mock plays every scenario, and so does the honest mock in its place. A scenario *kills* a sabotage
//! when its verdict differs between the two. A sabotage that nothing kills is a hole in the corpus or in the judge. What
//! even a scenario about nothing kills is plain to see, so a scenario that kills nothing else proves nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use mcp_compat_mocks::client::ClientSpec;
use mcp_compat_mocks::server::{Downgrade, ServerSpec};
use mcp_compat_model::record::{CellRecord, Record};
use mcp_compat_model::verdict::{BlastRadius, Outcome, Rating};
use mcp_compat_model::{Mode, PeerId, Role, ScenarioId};
use mcp_compat_scenario::Scenario;

use mcp_compat_run::empty_scenario::empty_scenario;
use mcp_compat_run::environment::HarnessError;
use mcp_compat_run::events::Event;
use mcp_compat_run::in_memory::{cell, run_in_memory};
use mcp_compat_run::peer::{ClientPeer, ServerPeer};
use tokio_util::sync::CancellationToken;

/// Findings of the self-test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kills {
    /// Each sabotage with the scenarios that kill it.
    pub sabotages: Vec<Sabotage>,
    /// The scenarios that kill nothing but what is plain to see.
    pub idle: Vec<ScenarioId>,
    /// Number of scenarios that were played.
    pub scenarios: usize,
    /// Number of cells that were played.
    pub cells: usize,
}

/// One thing that a mock does wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sabotage {
    pub id: PeerId,
    pub role: Role,
    pub about: String,
    /// The scenarios that kill it. Heavy ones are spared most sabotages.
    pub killed_by: BTreeSet<ScenarioId>,
    /// True if even a scenario about nothing kills it, so that doing so proves nothing.
    pub is_plain_to_see: bool,
}

impl Kills {
    /// Returns true if every sabotage is killed and every scenario kills.
    pub fn is_proven(&self) -> bool {
        self.idle.is_empty() && self.survivors().next().is_none()
    }

    /// The sabotages that nothing kills.
    pub fn survivors(&self) -> impl Iterator<Item = &Sabotage> {
        self.sabotages.iter().filter(|sabotage| sabotage.killed_by.is_empty())
    }
}

/// A sabotaged pair, and the honest pair that it is compared with.
pub struct Trial {
    role: Role,
    sabotaged: (ClientPeer, ServerPeer),
    honest: (ClientPeer, ServerPeer),
}

impl Trial {
    /// The pairs that play in it.
    pub fn pairs(&self) -> [&(ClientPeer, ServerPeer); 2] {
        [&self.sabotaged, &self.honest]
    }

    /// The mock that is wrong, whatever its mode.
    fn culprit(&self) -> (Role, PeerId, &str) {
        let record = match self.role {
            Role::Client => self.sabotaged.0.record(),
            Role::Server => self.sabotaged.1.record(),
        };
        (self.role, record.id.in_any_mode(), &record.about)
    }
}

/// Runs the self-test over `corpus`.
pub async fn selftest(corpus: &[Arc<Scenario>], jobs: usize, stop: CancellationToken) -> Result<Kills, HarnessError> {
    let trials = trials();
    let pairs: Vec<_> = trials.iter().flat_map(Trial::pairs).collect();
    let empty_scenario = Arc::new(empty_scenario());
    let measured: Vec<_> = corpus.iter().chain([&empty_scenario]).cloned().collect();
    let record = run_in_memory(&measured, &pairs, jobs, &mut |_: Event<'_>| {}, stop).await?;
    let mut sabotages = kills(&measured, &trials, &record);
    for sabotage in &mut sabotages {
        sabotage.is_plain_to_see = sabotage.killed_by.remove(&empty_scenario.id);
    }
    let telling = sabotages.iter().filter(|sabotage| !sabotage.is_plain_to_see);
    let killing: BTreeSet<&ScenarioId> = telling.flat_map(|sabotage| &sabotage.killed_by).collect();
    let idle = corpus.iter().map(|scenario| &scenario.id).filter(|id| !killing.contains(id)).cloned().collect();
    Ok(Kills { idle, scenarios: corpus.len(), cells: record.cells.len(), sabotages })
}

/// Every sabotage, in both eras.
pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    let honest_server = || ServerSpec::parse("mock/dual").ok().map(ServerPeer::from);
    for mode in [Mode::Auto, Mode::Legacy] {
        let client = |id: &str| {
            let spec = ClientSpec::parse(&format!("{id}+{mode}")).ok()?;
            Some(ClientPeer::from(spec))
        };
        let Some(honest_client) = client("mock/dual") else { continue };
        for spec in ClientSpec::sabotaged() {
            let (Some(sabotaged), Some(server)) = (client(spec.id.as_str()), honest_server()) else { continue };
            trials.push(Trial {
                role: Role::Client,
                sabotaged: (sabotaged, server.clone()),
                honest: (honest_client.clone(), server),
            });
        }
        for spec in ServerSpec::sabotaged().into_iter().chain(downgrades()) {
            let Some(server) = honest_server() else { continue };
            trials.push(Trial {
                role: Role::Server,
                sabotaged: (honest_client.clone(), ServerPeer::from(spec)),
                honest: (honest_client.clone(), server),
            });
        }
    }
    trials
}

/// The downgrades that change what a client gets.
fn downgrades() -> impl Iterator<Item = ServerSpec> {
    [Downgrade::Omit, Downgrade::Wrap, Downgrade::TextOnly].into_iter().map(ServerSpec::dual)
}

/// Returns which of the scenarios kill which sabotage, as the cells of the trials show.
pub(crate) fn kills(corpus: &[Arc<Scenario>], trials: &[Trial], record: &Record) -> Vec<Sabotage> {
    let verdicts: BTreeMap<&str, &CellRecord> = record.cells.iter().map(|cell| (cell.id.as_str(), cell)).collect();
    let find = |scenario: &Scenario, pair: &(ClientPeer, ServerPeer)| {
        let id = cell(scenario, pair.0.id(), pair.1.id()).id();
        verdicts.get(id.as_str()).map(|cell| essence(cell))
    };
    let mut sabotages = BTreeMap::<(Role, PeerId), Sabotage>::new();
    for trial in trials {
        let (role, id, about) = trial.culprit();
        let sabotage = sabotages.entry((role, id.clone())).or_insert_with(|| Sabotage {
            id,
            role,
            about: about.to_owned(),
            killed_by: BTreeSet::new(),
            is_plain_to_see: false,
        });
        for scenario in corpus {
            let (Some(sabotaged), Some(honest)) = (find(scenario, &trial.sabotaged), find(scenario, &trial.honest))
            else {
                continue;
            };
            if sabotaged != honest {
                sabotage.killed_by.insert(scenario.id.clone());
            }
        }
    }
    sabotages.into_values().collect()
}

/// Essence of a verdict, without what differs between any two peers.
pub(crate) type Essence<'r> = (Outcome, Rating, bool, Option<BlastRadius>, BTreeSet<&'r str>);

pub(crate) fn essence(cell: &CellRecord) -> Essence<'_> {
    let rules = cell.findings.iter().map(|finding| finding.rule.as_str()).collect();
    (cell.outcome, cell.rating, cell.vacuous, cell.blast_radius, rules)
}
