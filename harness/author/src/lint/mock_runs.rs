//! The scenarios played in memory: by every sabotaged mock, and by the honest clients with the server that hides nothing.
//!
//! Beside them plays a empty_scenario, a scenario about nothing: a sabotage that even it notices says nothing of the others.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use mcp_compat_mocks::client::ClientSpec;
use mcp_compat_mocks::server::ServerSpec;
use mcp_compat_model::record::{CellRecord, Evidence};
use mcp_compat_model::verdict::Rating;
use mcp_compat_model::{PeerId, Role, ScenarioId};
use mcp_compat_scenario::Placed;

use crate::selftest::{Trial, kills, trials};
use mcp_compat_run::empty_scenario::empty_scenario;
use mcp_compat_run::environment::HarnessError;
use mcp_compat_run::events::Event;
use mcp_compat_run::in_memory::run_in_memory;
use mcp_compat_run::peer::{ClientPeer, ServerPeer};
use mcp_compat_run::request::default_jobs;
use tokio_util::sync::CancellationToken;

/// The server that sends a scenario as it is to clients of either era.
const PLAIN_SERVER: &str = "mock/dual";

/// What playing has shown.
pub(super) struct MockRuns {
    cells: BTreeMap<ScenarioId, Vec<MockRun>>,
    kills: BTreeMap<ScenarioId, BTreeSet<Kill>>,
    empty_scenario: ScenarioId,
}

/// A cell that was played.
pub(super) struct MockRun {
    pub(super) record: CellRecord,
    /// Whether it is an honest client with the plain server.
    pub(super) is_honest: bool,
    /// What happened in it, if it is honest and did not work.
    pub(super) evidence: Option<Evidence>,
}

/// A sabotaged mock that a scenario tells from the honest one.
pub(super) type Kill = (Role, PeerId);

impl MockRuns {
    /// The cells of a scenario, in the order of their pairs.
    pub(super) fn runs(&self, id: &ScenarioId) -> &[MockRun] {
        self.cells.get(id).map_or(&[], Vec::as_slice)
    }

    /// The sabotages that a scenario notices.
    pub(super) fn kills(&self, id: &ScenarioId) -> &BTreeSet<Kill> {
        static NONE: BTreeSet<Kill> = BTreeSet::new();
        self.kills.get(id).unwrap_or(&NONE)
    }

    /// The sabotages that anything notices.
    pub(super) fn trivial(&self) -> &BTreeSet<Kill> {
        self.kills(&self.empty_scenario)
    }
}

/// Plays scenarios whose ids differ.
pub(super) async fn play(set: &[&Placed], stop: CancellationToken) -> Result<MockRuns, HarnessError> {
    let empty_scenario = Arc::new(empty_scenario());
    let mut played =
        MockRuns { cells: BTreeMap::new(), kills: BTreeMap::new(), empty_scenario: empty_scenario.id.clone() };
    let corpus: Vec<_> = set.iter().map(|placed| Arc::new(placed.scenario.clone())).chain([empty_scenario]).collect();
    let (trials, honest) = (trials(), honest_pairs());
    let pairs: Vec<_> = trials.iter().flat_map(Trial::pairs).chain(&honest).collect();
    let mut watch = |event: Event<'_>| {
        if let Event::Recorded { cell, evidence } = event {
            let is_honest = honest.iter().any(|pair| *pair.0.id() == cell.client && *pair.1.id() == cell.server);
            let evidence = (is_honest && cell.rating != Rating::Works).then(|| evidence.clone());
            let runs = played.cells.entry(cell.scenario.clone()).or_default();
            runs.push(MockRun { record: cell.clone(), is_honest, evidence });
        }
    };
    let record = run_in_memory(&corpus, &pairs, default_jobs(), &mut watch, stop).await?;
    for sabotage in kills(&corpus, &trials, &record) {
        for id in sabotage.killed_by {
            played.kills.entry(id).or_default().insert((sabotage.role, sabotage.id.clone()));
        }
    }
    Ok(played)
}

/// Every honest client with the plain server.
fn honest_pairs() -> Vec<(ClientPeer, ServerPeer)> {
    let Ok(server) = ServerSpec::parse(PLAIN_SERVER).map(ServerPeer::from) else { return Vec::new() };
    ClientSpec::catalogue().into_iter().map(|client| (ClientPeer::from(client), server.clone())).collect()
}
