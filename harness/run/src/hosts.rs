//! What is started once for a run and shared by its cells: the tap's proxy, the relays' hub, the mocks over HTTP, the
//! canary, and the adapters.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use std::time::Duration;

use mcp_compat_drive::{HttpProxy, Launch, RelayHub};
use mcp_compat_mocks::client::HttpClient;
use mcp_compat_mocks::server::{HttpServer, ScriptCache};
use mcp_compat_model::{PeerId, Role};

use crate::adapters::{Adapters, Violator};
use crate::calibrations::Calibrations;
use crate::canary::Canary;
use crate::company::Companies;
use crate::relay_program::{RelayProgram, RelayProgramError};

/// How the programs of our own are started that a run needs as processes.
#[derive(Clone, Debug, Default)]
pub enum Programs {
    /// The command line of mcp-compat: it is every one of them.
    CommandLine(PathBuf),
    /// There is none, as under `cargo test`: mock servers stay in this process, and the relay is compiled when a
    /// client needs one.
    #[default]
    None,
}

impl Programs {
    /// The process of a mock server over stdio.
    pub(crate) fn mock_server(&self, id: &PeerId) -> Option<Launch> {
        match self {
            Self::CommandLine(program) => {
                Some(Launch::new(program).args(["mock", "server", "--adapter", "--id", id.as_str()]))
            }
            Self::None => None,
        }
    }
}

/// What the cells of a run share.
#[derive(Debug)]
pub struct Hosts {
    pub(crate) proxy: HttpProxy,
    pub(crate) relays: RelayHub,
    pub(crate) mocks: HttpServer,
    pub(crate) http: HttpClient,
    pub(crate) canary: Canary,
    pub(crate) adapters: Adapters,
    pub(crate) companies: Companies,
    pub(crate) calibrations: Calibrations,
    pub(crate) programs: Programs,
    logs: Option<PathBuf>,
    relay: RelayProgram,
    paths: AtomicU64,
    /// What mock servers answer, compiled once.
    pub(crate) scripts: ScriptCache,
}

/// Why the harness cannot do its own part.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// The system does not give what every run needs.
    #[error("the system does not give {what}: {error}")]
    System {
        /// What it was asked for.
        what: &'static str,
        /// Why not.
        error: io::Error,
    },
    /// The relays have no hub.
    #[error(transparent)]
    Relays(#[from] mcp_compat_drive::RelayError),
    /// A cell panicked, which is our mistake.
    #[error("a cell panicked, which is a defect of mcp-compat: {0}")]
    Panicked(String),
}

impl Hosts {
    /// Opens what every run needs; adapters are started when a cell needs them.
    pub async fn open(programs: Programs, logs: Option<PathBuf>) -> Result<Self, HostError> {
        let socket = |what| move |error| HostError::System { what, error };
        Ok(Self {
            proxy: HttpProxy::start().await.map_err(socket("a port of 127.0.0.1 for the recording proxy"))?,
            relays: RelayHub::start().await?,
            mocks: HttpServer::bind().await.map_err(socket("a port of 127.0.0.1 for the mock servers"))?,
            http: HttpClient::new(),
            canary: Canary::open().await.map_err(socket("a port of 127.0.0.1 for the canary"))?,
            adapters: Adapters::default(),
            companies: Companies::default(),
            calibrations: Calibrations::default(),
            relay: RelayProgram::new(&programs),
            programs,
            logs,
            paths: AtomicU64::new(0),
            scripts: ScriptCache::default(),
        })
    }

    /// How a peer is started so that its log is kept.
    pub(crate) fn logged(&self, peer: &PeerId, role: Role, launch: &Launch) -> Launch {
        match &self.logs {
            Some(folder) => {
                let name = format!("{}.{role}.log", peer.name().replace('/', "-"));
                launch.clone().log(folder.join(name))
            }
            None => launch.clone(),
        }
    }

    /// A path that no cell has had.
    pub(crate) fn fresh_path(&self) -> String {
        format!("/cell/{}", self.paths.fetch_add(1, Ordering::Relaxed))
    }

    /// The command of the relay.
    pub(crate) async fn relay(&self) -> Result<Vec<String>, RelayProgramError> {
        self.relay.command().await
    }

    /// Ends everything, gently at first, and gives what adapters did that they must not do.
    pub async fn close(&self) -> Vec<Violator> {
        self.adapters.close().await
    }
}

/// How long a server may take to end after its client has gone, before it is pressed.
pub const GRACE: Duration = Duration::from_millis(300);
