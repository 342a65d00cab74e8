//! A server of the matrix, ready to be started.

use std::sync::Arc;

use mcp_compat_drive::{Launch, PreparationError};
use mcp_compat_mocks::server::ServerSpec;
use mcp_compat_model::peer_contract::Script;
use mcp_compat_model::record::PeerRecord;
use mcp_compat_model::{Role, Transport};

use super::info::{MOCK_TRANSPORTS, PeerError, PeerInfo, peer_info_methods};
use crate::in_process::{AnyError, ServerProgram, Wire};
use crate::recording::Recording;

/// A server of the matrix.
#[derive(Clone, Debug)]
pub struct ServerPeer {
    info: PeerInfo,
    start: ServerStart,
}

peer_info_methods!(ServerPeer);

/// Way of starting a server.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "a run has a few dozen servers, each for as long as it lasts")]
pub(crate) enum ServerStart {
    /// A mock, in this process. Over stdio it is a process of its own if there is a program for it.
    Mock(ServerSpec),
    /// An adapter: one process for each session over stdio, and one process for all sessions over HTTP.
    Adapter {
        /// The command over stdio.
        stdio: Option<Launch>,
        /// The command over HTTP.
        http: Option<Launch>,
    },
    /// Code of the test, in this process.
    InProcess(ServerProgram),
    /// It is not started: what happened in its cells was recorded.
    Recorded,
}

impl ServerPeer {
    /// The mock server of that id, such as `mock/dual/omit`.
    pub fn mock(id: &str) -> Result<Self, PeerError> {
        Ok(Self::from(ServerSpec::parse(id)?))
    }

    /// A server adapter over stdio: a command that serves the script in the file that `MCP_COMPAT_SCENARIO` names.
    ///
    /// # Errors
    /// When the id is not valid, or is that of a mock.
    pub fn command(id: &str, command: impl Into<Launch>) -> Result<Self, PeerError> {
        let info = PeerInfo::local(id, Role::Server, vec![Transport::Stdio])?;
        Ok(Self { info, start: ServerStart::Adapter { stdio: Some(command.into()), http: None } })
    }

    /// A server adapter over HTTP: a command that prints its address and serves scripts, each at its own path.
    ///
    /// # Errors
    /// When the id is not valid, or is that of a mock.
    pub fn http_command(id: &str, command: impl Into<Launch>) -> Result<Self, PeerError> {
        let info = PeerInfo::local(id, Role::Server, vec![Transport::Http])?;
        Ok(Self { info, start: ServerStart::Adapter { stdio: None, http: Some(command.into()) } })
    }

    /// A server in the test's own process: `serve` declares the tools of the script and serves one session of them over
    /// the wire, to its end. It is compiled with the features of the test: see [`in_process`].
    ///
    /// ```
    /// use mcp_compat_run::peer::ServerPeer;
    /// use mcp_compat_model::peer_contract::Script;
    /// use mcp_compat_run::in_process::Wire;
    ///
    /// let server = ServerPeer::in_process("my-sdk@0.1.0", |script: Script, wire: Wire| async move {
    ///     # let _ = (script, wire);
    ///     // my_sdk::Server::new(tools_of(script)).serve(wire).await?;
    ///     Ok(())
    /// });
    /// # assert!(server.is_ok());
    /// ```
    ///
    /// # Errors
    /// When the id is not valid, or is that of a mock.
    ///
    /// [`in_process`]: crate::in_process#which-features-are-measured
    pub fn in_process<F, S>(id: &str, serve: F) -> Result<Self, PeerError>
    where
        F: Fn(Script, Wire) -> S + Send + Sync + 'static,
        S: Future<Output = Result<(), AnyError>> + Send + 'static,
    {
        let info = PeerInfo::local(id, Role::Server, vec![Transport::Memory])?;
        Ok(Self { info, start: ServerStart::InProcess(ServerProgram::new(serve)) })
    }

    /// The server adapter of an installed release.
    pub fn installed(record: PeerRecord, stdio: Option<Launch>, http: Option<Launch>) -> Self {
        let over_http = http.as_ref().map(|_| Transport::Http);
        let transports = over_http.into_iter().chain(stdio.as_ref().map(|_| Transport::Stdio)).collect();
        Self { info: PeerInfo::new(record, transports), start: ServerStart::Adapter { stdio, http } }
    }

    /// A server that was played on another machine.
    pub(crate) fn recorded(record: PeerRecord, transports: Vec<Transport>, recording: Arc<Recording>) -> Self {
        Self { info: PeerInfo::recorded(record, transports, recording), start: ServerStart::Recorded }
    }

    /// The same server, its programs built if that has not been done yet.
    pub fn prepared(self) -> Result<Self, PreparationError> {
        let start = match self.start {
            ServerStart::Adapter { stdio, http } => ServerStart::Adapter {
                stdio: stdio.map(Launch::prepared).transpose()?,
                http: http.map(Launch::prepared).transpose()?,
            },
            start @ (ServerStart::Mock(_) | ServerStart::InProcess(_) | ServerStart::Recorded) => start,
        };
        Ok(Self { start, ..self })
    }

    pub(crate) fn start(&self) -> &ServerStart {
        &self.start
    }
}

impl From<ServerSpec> for ServerPeer {
    fn from(spec: ServerSpec) -> Self {
        let record = PeerRecord {
            id: spec.id.clone(),
            role: Role::Server,
            language: None,
            revisions: spec.revisions.clone(),
            mode: None,
            about: spec.about(),
            isolated: None,
            calls: None,
            recorded: None,
        };
        Self { info: PeerInfo::new(record, MOCK_TRANSPORTS.to_vec()), start: ServerStart::Mock(spec) }
    }
}
