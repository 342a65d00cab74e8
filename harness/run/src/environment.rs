//! Shared by the cells of a run: the recording proxy, the hub of the relays, the mock servers over HTTP, the canary and
//! the adapters. Each part is bound or started when a cell first needs it, and then stays until the run ends.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mcp_compat_drive::{ContractViolation, HttpProxy, Launch, RelayHub};
use mcp_compat_mocks::client::HttpClient;
use mcp_compat_mocks::server::{BadScript, CompiledScript, HttpServer, ScriptCache, ServerSpec};
use mcp_compat_model::peer_contract::Script;
use mcp_compat_model::verdict::Verdict;
use mcp_compat_model::{PeerId, Role};
use tokio::sync::OnceCell;

use crate::adapters::{Adapters, GRACE, Violator};
use crate::black_box::ExitStatusControls;
use crate::canary::Canary;
use crate::programs::Programs;

/// Memory in bytes that a peer may take unless the user says otherwise: what the runtimes of the SDKs need, several
/// times.
pub const DEFAULT_PEER_MEMORY: u64 = 2 << 30;

/// Everything that the cells of a run share.
#[derive(Debug)]
pub struct RunEnvironment {
    proxy: OnceCell<HttpProxy>,
    relays: OnceCell<RelayHub>,
    mock_servers: OnceCell<HttpServer>,
    canary: OnceCell<Canary>,
    pub(crate) http: HttpClient,
    /// For all cells. A cell that is played once more has adapters of its own.
    pub(crate) adapters: Adapters,
    /// Adapters of single cells that violated the peer contract.
    violators: Mutex<Vec<Violator>>,
    pub(crate) exit_status_controls: ExitStatusControls,
    pub(crate) programs: Programs,
    logs: Option<PathBuf>,
    peer_memory: u64,
    paths: AtomicU64,
    scripts: ScriptCache,
}

/// Error of the harness itself.
#[derive(Debug, thiserror::Error)]
pub enum HarnessError {
    #[error("the system does not give {what}: {error}")]
    System {
        /// The thing that it was asked for.
        what: &'static str,
        /// The system's reason.
        error: io::Error,
    },
    #[error(transparent)]
    Relays(#[from] mcp_compat_drive::RelayError),
    #[error("a panic in mcp-compat, which is a defect of mcp-compat: {0}")]
    Panicked(String),
}

impl RunEnvironment {
    /// The environment of a run. What peers write to their standard error is kept in the folder `logs`.
    pub fn new(programs: Programs, logs: Option<PathBuf>) -> Self {
        Self {
            proxy: OnceCell::new(),
            relays: OnceCell::new(),
            mock_servers: OnceCell::new(),
            canary: OnceCell::new(),
            http: HttpClient::new(),
            adapters: Adapters::default(),
            violators: Mutex::default(),
            exit_status_controls: ExitStatusControls::default(),
            programs,
            logs,
            peer_memory: DEFAULT_PEER_MEMORY,
            paths: AtomicU64::new(0),
            scripts: ScriptCache::default(),
        }
    }

    /// With another limit for the memory of each peer, in bytes.
    pub fn with_peer_memory(self, peer_memory: u64) -> Self {
        Self { peer_memory, ..self }
    }

    /// The proxy that records what goes over HTTP.
    pub(crate) async fn proxy(&self) -> Result<&HttpProxy, HarnessError> {
        let start = async || HttpProxy::start().await.map_err(no_port("a port of 127.0.0.1 for the recording proxy"));
        self.proxy.get_or_try_init(start).await
    }

    pub(crate) async fn relays(&self) -> Result<&RelayHub, HarnessError> {
        Ok(self.relays.get_or_try_init(RelayHub::start).await?)
    }

    pub(crate) async fn mock_servers(&self) -> Result<&HttpServer, HarnessError> {
        let bind = async || HttpServer::bind().await.map_err(no_port("a port of 127.0.0.1 for the mock servers"));
        self.mock_servers.get_or_try_init(bind).await
    }

    pub(crate) async fn canary(&self) -> Result<&Canary, HarnessError> {
        let open = async || Canary::open().await.map_err(no_port("a port of 127.0.0.1 for the canary"));
        self.canary.get_or_try_init(open).await
    }

    /// A verdict in which a fixed address stands in for the canary's, which is a new one in each run.
    pub fn with_canary_stand_in(&self, verdict: Verdict) -> Verdict {
        match self.canary.get() {
            Some(canary) => canary.with_stand_in(verdict),
            None => verdict,
        }
    }

    /// A script as a mock server plays it. Each script is compiled once for each server.
    pub(crate) fn compiled_script(
        &self,
        spec: &ServerSpec,
        script: &Arc<Script>,
    ) -> Result<Arc<CompiledScript>, BadScript> {
        self.scripts.compiled(spec, script)
    }

    /// The launch of a peer, with bounded memory and with its standard error written to a log of its own.
    pub(crate) fn logged(&self, peer: &PeerId, role: Role, launch: &Launch) -> Launch {
        let launch = Launch { memory: Some(self.peer_memory), ..launch.clone() };
        match &self.logs {
            Some(folder) => launch.log(folder.join(log_name(peer, role))),
            None => launch,
        }
    }

    /// A path that no cell has had.
    pub(crate) fn fresh_path(&self) -> String {
        format!("/cell/{}", self.paths.fetch_add(1, Ordering::Relaxed))
    }

    /// Ends all processes, gently at first, and returns the adapters that violated the peer contract.
    pub async fn close(&self) -> Vec<Violator> {
        self.close_within(GRACE).await
    }

    /// Ends all processes at once, and returns the adapters that violated the peer contract.
    pub(crate) async fn kill(&self) -> Vec<Violator> {
        self.close_within(Duration::ZERO).await
    }

    /// Ends the adapters of one cell.
    pub(crate) async fn close_separate(&self, adapters: Adapters) {
        let violators = adapters.close(GRACE).await;
        self.violators.lock().unwrap_or_else(PoisonError::into_inner).extend(violators);
    }

    /// Notes what a client that is only a command did wrong.
    pub(crate) fn note_violation(&self, client: &PeerId, violation: ContractViolation) {
        let violator = Violator { peer: client.clone(), role: Role::Client, violations: vec![violation] };
        self.violators.lock().unwrap_or_else(PoisonError::into_inner).push(violator);
    }

    /// Returns each violator once, sorted.
    async fn close_within(&self, grace: Duration) -> Vec<Violator> {
        let mut violators = self.adapters.close(grace).await;
        violators.append(&mut self.violators.lock().unwrap_or_else(PoisonError::into_inner));
        violators.sort_by(|a, b| (&a.peer, a.role).cmp(&(&b.peer, b.role)));
        violators.dedup_by(|a, b| (&a.peer, a.role) == (&b.peer, b.role));
        violators
    }
}

fn no_port(what: &'static str) -> impl FnOnce(io::Error) -> HarnessError {
    move |error| HarnessError::System { what, error }
}

/// The name of a peer's log. Every mode of a peer has the same one, and two peers never do.
fn log_name(peer: &PeerId, role: Role) -> String {
    // No id has a percent sign, so two ids never become one name.
    format!("{}.{role}.log", peer.name().replace('/', "%2F"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_peer_has_a_log_of_its_own() {
        let name = |id| log_name(&PeerId::new(id).unwrap(), Role::Server);
        assert_eq!(name("a-b@1"), "a-b@1.server.log");
        assert_ne!(name("a/b@1"), name("a-b@1"));
        assert_eq!(name("a/b@1+auto"), name("a/b@1+legacy"), "its modes are one process");
    }

    #[tokio::test]
    async fn what_no_cell_needs_is_not_bound() {
        let environment = RunEnvironment::new(Programs::None, None);
        let bound = || {
            let RunEnvironment { proxy, relays, mock_servers, canary, .. } = &environment;
            [proxy.initialized(), relays.initialized(), mock_servers.initialized(), canary.initialized()]
        };
        assert_eq!(bound(), [false; 4]);
        let first = environment.mock_servers().await.unwrap().base_url().to_string();
        assert_eq!(bound(), [false, false, true, false]);
        assert_eq!(environment.mock_servers().await.unwrap().base_url().to_string(), first, "it is bound once");
    }
}
