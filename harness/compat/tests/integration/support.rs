//! Runs for tests.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, LazyLock};

use mcp_compat::{Peer, Report};
use mcp_compat_model::record::{CellRecord, Evidence, Record};
use mcp_compat_model::verdict::Outcome;
use mcp_compat_run::peer_set::PeerSet;
use mcp_compat_run::request::Request;
use mcp_compat_run::run::run;
use mcp_compat_scenario::Scenario;
use tokio_util::sync::CancellationToken;

/// The embedded corpus, read once.
pub(crate) fn corpus() -> Vec<Arc<Scenario>> {
    static CORPUS: LazyLock<Vec<Arc<Scenario>>> =
        LazyLock::new(|| mcp_compat_scenario::corpus::load().unwrap().into_iter().map(Arc::new).collect());
    CORPUS.clone()
}

/// A request for everything between these clients and servers.
pub(crate) fn request(scenarios: &[&str], clients: &[&str], servers: &[&str]) -> Request {
    let owned = |names: &[&str]| names.iter().map(ToString::to_string).collect();
    Request {
        scenarios: owned(scenarios),
        clients: owned(clients),
        servers: owned(servers),
        coverage: mcp_compat_run::plan::Coverage::Everything,
        ..Request::default()
    }
}

/// What a run gave: the record, and what happened in each cell.
pub(crate) struct Played {
    pub(crate) record: Record,
    pub(crate) evidence: Vec<Evidence>,
}

impl Played {
    /// The one cell that the selection leaves.
    pub(crate) fn only(&self) -> (&CellRecord, &Evidence) {
        assert_eq!(self.record.cells.len(), 1, "expected one cell: {:#?}", self.record.cells);
        (&self.record.cells[0], &self.evidence[0])
    }

    /// The outcome of the cell between two peers in a scenario.
    pub(crate) fn outcome(&self, scenario: &str, client: &str, server: &str) -> Outcome {
        self.cell(scenario, client, server).outcome
    }

    pub(crate) fn cell(&self, scenario: &str, client: &str, server: &str) -> &CellRecord {
        let wanted = |cell: &&CellRecord| {
            cell.scenario.as_str() == scenario && cell.client.as_str() == client && cell.server.as_str() == server
        };
        self.record.cells.iter().find(wanted).unwrap_or_else(|| panic!("no cell {scenario} {client} {server}"))
    }
}

/// Plays what is asked for with the mocks.
pub(crate) async fn play(request: Request) -> Played {
    play_with(PeerSet::mocks(), &corpus(), request).await
}

/// Plays what is asked for with further peers and scenarios.
pub(crate) async fn play_with(peers: PeerSet, corpus: &[Arc<Scenario>], request: Request) -> Played {
    let run_it = request.prepare(&peers, corpus, None).unwrap();
    let stop = CancellationToken::new();
    let mut evidence = Vec::new();
    let mut keep = |event: mcp_compat_run::events::Event<'_>| {
        if let mcp_compat_run::events::Event::Recorded { evidence: one, .. } = event {
            evidence.push(one.clone());
        }
    };
    let record = run(run_it, &mut [&mut keep], stop).await.unwrap();
    Played { record, evidence }
}

/// The mocks and one more peer.
pub(crate) fn mocks_and(peers: impl IntoIterator<Item = impl Into<Peer>>) -> PeerSet {
    let mut all = PeerSet::mocks();
    all.extend(peers);
    all
}

/// Returns the message of a failed assertion that nothing breaks.
pub(crate) fn failure_text(report: &Report) -> String {
    let panic = catch_unwind(AssertUnwindSafe(|| report.assert_no_breaks())).unwrap_err();
    *panic.downcast::<String>().unwrap()
}
