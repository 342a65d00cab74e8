//! The health of a release on this machine: whether it is installed, whether its tools exist, and whether it answers.

use std::sync::Arc;
use std::time::Duration;

use mcp_compat_model::record::CellRecord;
use mcp_compat_model::verdict::Outcome;
use mcp_compat_model::{Revision, Role, Transport};
use mcp_compat_scenario::Scenario;
use tokio_util::sync::CancellationToken;

use super::install::Installer;
use super::install_error::InstallError;
use super::installation::{Installation, State};
use super::sources::FileError;
use super::tools::MissingTool;
use mcp_compat_run::empty_scenario::empty_scenario;
use mcp_compat_run::environment::HarnessError;
use mcp_compat_run::peer::{ClientPeer, ServerPeer};
use mcp_compat_run::peer_set::PeerSet;
use mcp_compat_run::plan::Coverage;
use mcp_compat_run::programs::Programs;
use mcp_compat_run::request::{Request, RequestError};
use mcp_compat_run::run::run;

/// Longest time that a step may take. Some runtimes start slowly.
const TIMEOUT: Duration = Duration::from_secs(10);

/// A client that speaks every revision and sends no probe.
const OPENS_WITH_INITIALIZE: &str = "mock/dual+legacy";

#[derive(Debug)]
pub enum Health {
    /// The release is installed, and every peer of it answers.
    Healthy,
    NotInstalled,
    Unhealthy(Problem),
}

#[derive(Debug, thiserror::Error)]
pub enum Problem {
    #[error("its installation did not finish")]
    Unfinished,
    #[error("its adapter has changed since it was installed")]
    Stale,
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    MissingTools(Vec<MissingTool>),
    #[error("{0}")]
    Broken(String),
    #[error(transparent)]
    Unreadable(FileError),
}

impl Installer {
    /// Examines a release. If it is installed, each of its peers is played with.
    pub async fn examine(&self, peer: &Installation, programs: &Programs) -> Result<Health, HarnessError> {
        let state = match peer.state() {
            Ok(state) => state,
            Err(error) => return Ok(Health::Unhealthy(Problem::Unreadable(error))),
        };
        if let Err(InstallError::Tools { missing, .. }) = self.check_tools(peer).await {
            return Ok(Health::Unhealthy(Problem::MissingTools(missing)));
        }
        Ok(match state {
            State::Absent => Health::NotInstalled,
            State::Unfinished => Health::Unhealthy(Problem::Unfinished),
            State::Stale => Health::Unhealthy(Problem::Stale),
            State::Ready => match broken(peer, programs).await? {
                None => Health::Healthy,
                Some(why) => Health::Unhealthy(Problem::Broken(why)),
            },
        })
    }
}

/// The first peer of a release that never answers, and why.
async fn broken(installation: &Installation, programs: &Programs) -> Result<Option<String>, HarnessError> {
    let peers = installation.peers();
    let mut all = counterparts();
    let ids = |role: Role| {
        let of_role = peers.iter().filter(|peer| peer.record().role == role);
        of_role.map(|peer| peer.id().to_string()).collect::<Vec<_>>()
    };
    let references = |role| {
        let of_role = all.infos().filter(move |peer| peer.record().role == role);
        of_role.map(|peer| peer.id().to_string()).collect::<Vec<_>>()
    };
    let sides = [(ids(Role::Client), references(Role::Server)), (references(Role::Client), ids(Role::Server))];
    all.extend(peers.clone());
    for (side, (clients, servers)) in [Role::Client, Role::Server].into_iter().zip(sides) {
        if clients.is_empty() || servers.is_empty() {
            continue;
        }
        let cells = play(&all, clients, servers, programs).await?;
        for peer in peers.iter().filter(|peer| peer.record().role == side) {
            let plays = |cell: &&CellRecord| match side {
                Role::Client => cell.client == *peer.id(),
                Role::Server => cell.server == *peer.id(),
            };
            for transport in peer.transports() {
                let own: Vec<_> = cells.iter().filter(plays).filter(|cell| cell.transport == *transport).collect();
                if let Some(first) = own.first()
                    && own.iter().all(|cell| is_silent(cell))
                {
                    return Ok(Some(format!("the {side} {} over {transport}: {}", peer.id(), first.reason)));
                }
            }
        }
    }
    Ok(None)
}

/// The mocks that a release is played with: the reference mocks, and a client that opens with `initialize`, because an old
/// server may end at a probe.
fn counterparts() -> PeerSet {
    let PeerSet { mut clients, mut servers } = PeerSet::mocks();
    clients.retain(|client: &ClientPeer| client.is_reference() || client.id().as_str() == OPENS_WITH_INITIALIZE);
    servers.retain(ServerPeer::is_reference);
    PeerSet { clients, servers }
}

/// Plays a scenario that only needs an answer.
async fn play(
    peers: &PeerSet,
    clients: Vec<String>,
    servers: Vec<String>,
    programs: &Programs,
) -> Result<Vec<CellRecord>, HarnessError> {
    let scenario = Scenario { since: Revision::V2024_11_05, ..empty_scenario() };
    let request = Request {
        clients,
        servers,
        transports: vec![Transport::Http, Transport::Stdio],
        coverage: Coverage::Everything,
        step_timeout: Some(TIMEOUT),
        programs: programs.clone(),
        ..Request::default()
    };
    match request.prepare(peers, &[Arc::new(scenario)], None) {
        Ok(prepared) => {
            let stop = CancellationToken::new();
            Ok(run(prepared, &mut [], stop).await?.cells)
        }
        // Without a counterpart nothing can be tested.
        Err(RequestError::Select(_) | RequestError::Empty(_) | RequestError::Baseline(_)) => Ok(Vec::new()),
    }
}

/// Returns whether the peers did not get to an answer in a cell.
fn is_silent(cell: &CellRecord) -> bool {
    matches!(cell.outcome, Outcome::Unreachable | Outcome::Hung | Outcome::Crashed | Outcome::Incomplete)
}
