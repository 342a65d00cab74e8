//! A client of the matrix, ready to be started.

use std::sync::Arc;

use mcp_compat_drive::{Launch, PreparationError};
use mcp_compat_mocks::client::ClientSpec;
use mcp_compat_model::record::PeerRecord;
use mcp_compat_model::{PeerId, Role, Transport};

use super::info::{MOCK_TRANSPORTS, PeerError, PeerInfo, peer_info_methods};
use crate::black_box::ClientCommand;
use crate::in_process::{Client, ClientProgram};
use crate::recording::Recording;

/// A client of the matrix.
#[derive(Clone, Debug)]
pub struct ClientPeer {
    info: PeerInfo,
    start: ClientStart,
}

peer_info_methods!(ClientPeer);

/// Way of starting a client.
#[derive(Clone, Debug)]
pub(crate) enum ClientStart {
    Mock(ClientSpec),
    /// An adapter: one process for many jobs.
    Adapter(Launch),
    /// A black box: one process for each session.
    BlackBox(ClientCommand),
    /// Code of the test, in this process.
    InProcess(ClientProgram),
    /// It is not started: what happened in its cells was recorded.
    Recorded,
}

impl ClientPeer {
    /// The mock client of that id, such as `mock/dual+auto`.
    pub fn mock(id: &str) -> Result<Self, PeerError> {
        Ok(Self::from(ClientSpec::parse(id)?))
    }

    /// A client adapter: a command that plays jobs, as `peers/README.md` says. It is one peer for each `+mode` of `id`.
    ///
    /// # Errors
    /// When the id is not valid, or is that of a mock.
    pub fn command(id: &str, command: impl Into<Launch>) -> Result<Self, PeerError> {
        let info = PeerInfo::local(id, Role::Client, ADAPTER_TRANSPORTS.to_vec())?;
        Ok(Self { info, start: ClientStart::Adapter(command.into()) })
    }

    /// A client in the test's own process. It is compiled with the features of the test: see [`in_process`].
    ///
    /// # Errors
    /// When the id is not valid, or is that of a mock.
    ///
    /// [`in_process`]: crate::in_process#which-features-are-measured
    pub fn in_process(id: &str, client: impl Client) -> Result<Self, PeerError> {
        let client = ClientProgram::new(client);
        let info = PeerInfo::local(id, Role::Client, client.transports())?;
        Ok(Self { info, start: ClientStart::InProcess(client) })
    }

    /// The client adapter of an installed release.
    pub fn installed(record: PeerRecord, launch: Launch) -> Self {
        let info = PeerInfo::new(record, ADAPTER_TRANSPORTS.to_vec());
        Self { info, start: ClientStart::Adapter(launch) }
    }

    /// A black-box client: a command that gets the server's address, as the official conformance suite runs clients, or the
    /// command of its server.
    pub fn black_box(id: PeerId, command: ClientCommand) -> Self {
        let record = PeerRecord {
            id,
            role: Role::Client,
            language: None,
            revisions: Vec::new(),
            mode: None,
            about: format!("the command `{command}`, which calls {}", command.calls()),
            isolated: None,
            calls: Some(command.calls().to_owned()),
            recorded: None,
        };
        let info = PeerInfo { is_black_box: true, ..PeerInfo::new(record, vec![command.transport()]) };
        Self { info, start: ClientStart::BlackBox(command) }
    }

    /// A client that was played on another machine.
    pub(crate) fn recorded(record: PeerRecord, transports: Vec<Transport>, recording: Arc<Recording>) -> Self {
        Self { info: PeerInfo::recorded(record, transports, recording), start: ClientStart::Recorded }
    }

    /// The same client, its program built if that has not been done yet.
    pub fn prepared(self) -> Result<Self, PreparationError> {
        let start = match self.start {
            ClientStart::Adapter(launch) => ClientStart::Adapter(launch.prepared()?),
            start @ (ClientStart::Mock(_)
            | ClientStart::BlackBox(_)
            | ClientStart::InProcess(_)
            | ClientStart::Recorded) => start,
        };
        Ok(Self { start, ..self })
    }

    pub(crate) fn black_box_command(&self) -> Option<&ClientCommand> {
        match &self.start {
            ClientStart::BlackBox(command) => Some(command),
            ClientStart::Mock(_) | ClientStart::Adapter(_) | ClientStart::InProcess(_) | ClientStart::Recorded => None,
        }
    }

    pub(crate) fn start(&self) -> &ClientStart {
        &self.start
    }
}

impl From<ClientSpec> for ClientPeer {
    fn from(spec: ClientSpec) -> Self {
        let record = PeerRecord {
            id: spec.id.clone(),
            role: Role::Client,
            language: None,
            revisions: spec.revisions.clone(),
            mode: Some(spec.mode),
            about: spec.about(),
            isolated: None,
            calls: None,
            recorded: None,
        };
        Self { info: PeerInfo::new(record, MOCK_TRANSPORTS.to_vec()), start: ClientStart::Mock(spec) }
    }
}

/// The transports of every client adapter, quickest first.
const ADAPTER_TRANSPORTS: [Transport; 2] = [Transport::Http, Transport::Stdio];
