//! Scenarios played in memory: by every sabotaged mock, and by the honest clients with the server that hides nothing; or, if
//! they are large, by the most able of these clients only, in either era.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use mcp_compat_mocks::client::ClientSpec;
use mcp_compat_mocks::server::ServerSpec;
use mcp_compat_model::record::{CellRecord, Evidence};
use mcp_compat_model::verdict::Rating;
use mcp_compat_model::{PeerId, Role, ScenarioId};
use mcp_compat_run::empty_scenario::empty_scenario;
use mcp_compat_run::environment::HarnessError;
use mcp_compat_run::events::Event;
use mcp_compat_run::in_memory::run_in_memory;
use mcp_compat_run::peer::{ClientPeer, ServerPeer};
use mcp_compat_run::request::default_jobs;
use mcp_compat_scenario::Scenario;
use tokio_util::sync::CancellationToken;

use crate::selftest::{Trial, kills, trials};

/// The server that sends a scenario as it is to clients of either era. The client of that name reads all of it.
const PLAIN: &str = "mock/dual";

type Pair = (ClientPeer, ServerPeer);

/// A sabotaged mock that a scenario tells from the honest one.
pub(super) type Kill = (Role, PeerId);

pub(super) struct Mocks {
    trials: Vec<Trial>,
    honest: Vec<Pair>,
    /// The sabotages that even a scenario about nothing notices. They say nothing of the others.
    trivial: BTreeSet<Kill>,
    stop: CancellationToken,
}

/// Results of playing a few scenarios.
#[derive(Default)]
pub(super) struct MockRuns {
    runs: BTreeMap<ScenarioId, Vec<MockRun>>,
    kills: BTreeMap<ScenarioId, BTreeSet<Kill>>,
}

/// A cell that was played.
pub(super) struct MockRun {
    pub(super) record: CellRecord,
    /// True if it is an honest client with the plain server.
    pub(super) is_honest: bool,
    /// Evidence of the cell, if the client is honest and it did not work.
    pub(super) evidence: Option<Evidence>,
}

impl MockRuns {
    /// The cells of a scenario, in the order of their pairs.
    pub(super) fn runs(&self, id: &ScenarioId) -> &[MockRun] {
        self.runs.get(id).map_or(&[], Vec::as_slice)
    }

    /// The sabotages that a scenario notices.
    pub(super) fn kills(&self, id: &ScenarioId) -> BTreeSet<Kill> {
        self.kills.get(id).cloned().unwrap_or_default()
    }
}

impl Mocks {
    /// Every sabotaged mock and every honest client. Until `stop` is cancelled, they play.
    pub(super) async fn new(stop: CancellationToken) -> Result<Self, HarnessError> {
        let mut mocks = Self { trials: trials(), honest: honest_pairs(), trivial: BTreeSet::new(), stop };
        let empty_scenario = Arc::new(empty_scenario());
        let id = empty_scenario.id.clone();
        mocks.trivial = mocks.play(vec![empty_scenario], Vec::new()).await?.kills(&id);
        Ok(mocks)
    }

    /// The sabotages that anything notices.
    pub(super) fn trivial(&self) -> &BTreeSet<Kill> {
        &self.trivial
    }

    /// Plays scenarios whose ids differ: those that every mock plays, and those that only the plain ones do.
    pub(super) async fn play(
        &self,
        every: Vec<Arc<Scenario>>,
        plain: Vec<Arc<Scenario>>,
    ) -> Result<MockRuns, HarnessError> {
        let all_pairs = self.trials.iter().flat_map(Trial::pairs).chain(&self.honest).collect();
        let is_plain = |pair: &&Pair| pair.0.id().in_any_mode() == *pair.1.id();
        let plain_pairs = self.honest.iter().filter(is_plain).collect();
        let mut played = MockRuns::default();
        self.play_with(all_pairs, every, &mut played).await?;
        self.play_with(plain_pairs, plain, &mut played).await?;
        Ok(played)
    }

    async fn play_with(
        &self,
        pairs: Vec<&Pair>,
        scenarios: Vec<Arc<Scenario>>,
        played: &mut MockRuns,
    ) -> Result<(), HarnessError> {
        let mut evidence = BTreeMap::new();
        let mut watch = |event: Event<'_>| {
            if let Event::Recorded { cell, evidence: of_cell } = event
                && cell.rating != Rating::Works
                && self.is_honest(cell)
            {
                evidence.insert(cell.id.clone(), of_cell.clone());
            }
        };
        let record = run_in_memory(&scenarios, &pairs, default_jobs(), &mut watch, self.stop.clone()).await?;
        for sabotage in kills(&scenarios, &self.trials, &record) {
            for id in sabotage.killed_by {
                played.kills.entry(id).or_default().insert((sabotage.role, sabotage.id.clone()));
            }
        }
        for record in record.cells {
            let (is_honest, evidence) = (self.is_honest(&record), evidence.remove(&record.id));
            let runs = played.runs.entry(record.scenario.clone()).or_default();
            runs.push(MockRun { record, is_honest, evidence });
        }
        Ok(())
    }

    fn is_honest(&self, cell: &CellRecord) -> bool {
        self.honest.iter().any(|pair| *pair.0.id() == cell.client && *pair.1.id() == cell.server)
    }
}

/// Every honest client with the plain server.
fn honest_pairs() -> Vec<Pair> {
    let Ok(server) = ServerSpec::parse(PLAIN).map(ServerPeer::from) else { return Vec::new() };
    ClientSpec::catalogue().into_iter().map(|client| (ClientPeer::from(client), server.clone())).collect()
}
