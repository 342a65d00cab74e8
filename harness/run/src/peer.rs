//! A client or a server of the matrix, ready to be started.

use mcp_compat_drive::{Launch, PreparationError};
use mcp_compat_mocks::client::{ClientSpec, SpecError as ClientSpecError};
use mcp_compat_mocks::server::{ServerSpec, UnknownServer};
use mcp_compat_model::peer::InvalidPeerId;
use mcp_compat_model::peer_contract::Script;
use mcp_compat_model::record::PeerRecord;
use mcp_compat_model::{Era, Mode, PeerId, Revision, Role, Transport};

use crate::black_box::ClientCommand;
use crate::in_process::{AnyError, Client, ClientProgram, ServerProgram, Wire};

/// A client or a server of the matrix.
#[derive(Clone, Debug)]
pub struct Peer {
    record: PeerRecord,
    transports: Vec<Transport>,
    reference: bool,
    local: bool,
    start: Start,
}

/// How a peer is started.
#[derive(Clone, Debug)]
pub(crate) enum Start {
    /// In this process.
    MockClient(ClientSpec),
    /// In this process, or as a process of its own over stdio where there is a program for it.
    MockServer(ServerSpec),
    /// As one process for many jobs.
    ClientAdapter(Launch),
    /// As a process a session, over HTTP.
    ClientCommand(ClientCommand),
    /// As a process a session over stdio, as one process for all over HTTP.
    ServerAdapter { stdio: Option<Launch>, http: Option<Launch> },
    /// In this process, written by whoever tests.
    OwnClient(ClientProgram),
    /// In this process, written by whoever tests.
    OwnServer(ServerProgram),
}

/// Why a peer cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PeerError {
    /// There is no such mock client.
    #[error(transparent)]
    MockClient(#[from] ClientSpecError),
    /// There is no such mock server.
    #[error(transparent)]
    MockServer(#[from] UnknownServer),
    /// Its id is none.
    #[error(transparent)]
    Id(#[from] InvalidPeerId),
    /// Its id is one of a mock.
    #[error("{0:?} is the id of one of the mocks: call the peer by its own name and version, such as my-sdk@0.1.0")]
    Taken(String),
}

impl Peer {
    /// The mock client of that id, such as `mock/dual+auto`.
    ///
    /// # Errors
    /// When there is no such mock client.
    pub fn mock_client(id: &str) -> Result<Self, PeerError> {
        Ok(Self::from_client_spec(ClientSpec::parse(id)?))
    }

    /// The mock server of that id, such as `mock/dual/omit`.
    ///
    /// # Errors
    /// When there is no such mock server.
    pub fn mock_server(id: &str) -> Result<Self, PeerError> {
        Ok(Self::from_server_spec(ServerSpec::parse(id)?))
    }

    /// A client adapter that is described from outside, as an installed release is.
    #[must_use]
    pub fn client_adapter(record: PeerRecord, launch: Launch) -> Self {
        let transports = vec![Transport::Http, Transport::Stdio];
        Self { record, transports, reference: false, local: false, start: Start::ClientAdapter(launch) }
    }

    /// A server adapter that is described from outside, as an installed release is.
    #[must_use]
    pub fn server_adapter(record: PeerRecord, stdio: Option<Launch>, http: Option<Launch>) -> Self {
        let http_transport = http.as_ref().map(|_| Transport::Http);
        let transports = http_transport.into_iter().chain(stdio.as_ref().map(|_| Transport::Stdio)).collect();
        let start = Start::ServerAdapter { stdio, http };
        Self { record, transports, reference: false, local: false, start }
    }

    /// A client adapter: a command that plays jobs, as `peers/README.md` says. It is one peer for each `+mode` of `id`.
    ///
    /// # Errors
    /// When the id is none, or one of a mock.
    pub fn client_command(id: &str, command: impl Into<Launch>) -> Result<Self, PeerError> {
        let transports = vec![Transport::Http, Transport::Stdio];
        Self::own(id, Role::Client, transports, Start::ClientAdapter(command.into()))
    }

    /// A server adapter over stdio: a command that serves the script of which `MCP_COMPAT_SCENARIO` names the file.
    ///
    /// # Errors
    /// When the id is none, or one of a mock.
    pub fn server_command(id: &str, command: impl Into<Launch>) -> Result<Self, PeerError> {
        let start = Start::ServerAdapter { stdio: Some(command.into()), http: None };
        Self::own(id, Role::Server, vec![Transport::Stdio], start)
    }

    /// A server adapter over HTTP: a command that prints its address and serves scripts, each at its own path.
    ///
    /// # Errors
    /// When the id is none, or one of a mock.
    pub fn http_server_command(id: &str, command: impl Into<Launch>) -> Result<Self, PeerError> {
        let start = Start::ServerAdapter { stdio: None, http: Some(command.into()) };
        Self::own(id, Role::Server, vec![Transport::Http], start)
    }

    /// A client in the test's own process. It is measured with the features of the test: see [`in_process`].
    ///
    /// # Errors
    /// When the id is none, or one of a mock.
    ///
    /// [`in_process`]: crate::in_process#which-features-are-measured
    pub fn client_in_process(id: &str, client: impl Client) -> Result<Self, PeerError> {
        let client = ClientProgram::new(client);
        Self::own(id, Role::Client, client.transports(), Start::OwnClient(client))
    }

    /// A server in the test's own process: `serve` declares the tools of the script and serves one session of them over
    /// the wire, to its end. It is measured with the features of the test: see [`in_process`].
    ///
    /// ```
    /// use mcp_compat::Peer;
    /// use mcp_compat::peer_contract::Script;
    /// use mcp_compat::in_process::Wire;
    ///
    /// let server = Peer::server_in_process("my-sdk@0.1.0", |script: Script, wire: Wire| async move {
    ///     # let _ = (script, wire);
    ///     // my_sdk::Server::new(tools_of(script)).serve(wire).await?;
    ///     Ok(())
    /// });
    /// # assert!(server.is_ok());
    /// ```
    ///
    /// # Errors
    /// When the id is none, or one of a mock.
    ///
    /// [`in_process`]: crate::in_process#which-features-are-measured
    pub fn server_in_process<F, S>(id: &str, serve: F) -> Result<Self, PeerError>
    where
        F: Fn(Script, Wire) -> S + Send + Sync + 'static,
        S: Future<Output = Result<(), AnyError>> + Send + 'static,
    {
        Self::own(id, Role::Server, vec![Transport::Memory], Start::OwnServer(ServerProgram::new(serve)))
    }

    /// The same peer, speaking these revisions and no others. Unless that is said, one that is made of a command, or in
    /// the test's own process, counts as speaking all of them.
    #[must_use]
    pub fn speaking(mut self, revisions: impl IntoIterator<Item = Revision>) -> Self {
        self.record.revisions = revisions.into_iter().collect();
        self.record.revisions.sort_unstable();
        self.record.revisions.dedup();
        self
    }

    fn own(id: &str, role: Role, transports: Vec<Transport>, start: Start) -> Result<Self, PeerError> {
        let id = PeerId::new(id)?;
        if id.is_built_in() {
            return Err(PeerError::Taken(id.to_string()));
        }
        let record = PeerRecord {
            mode: id.mode(),
            id,
            role,
            language: None,
            revisions: Revision::ALL.to_vec(),
            about: "made by the test".to_owned(),
        };
        Ok(Self { record, transports, reference: false, local: true, start })
    }

    /// A client that is only a command, as the official conformance suite takes them.
    #[must_use]
    pub fn unadapted_client(id: PeerId, command: ClientCommand) -> Self {
        let record = PeerRecord {
            id,
            role: Role::Client,
            language: None,
            // It offers what it offers: only the wire can tell.
            revisions: Vec::new(),
            mode: None,
            about: format!("the command `{command}`, which calls {}", command.calls()),
        };
        Self {
            record,
            transports: vec![Transport::Http],
            reference: false,
            local: false,
            start: Start::ClientCommand(command),
        }
    }

    pub fn from_client_spec(spec: ClientSpec) -> Self {
        let record = PeerRecord {
            id: spec.id.clone(),
            role: Role::Client,
            language: None,
            revisions: spec.revisions.clone(),
            mode: Some(spec.mode),
            about: spec.about(),
        };
        Self {
            record,
            transports: MOCK_TRANSPORTS.to_vec(),
            reference: false,
            local: false,
            start: Start::MockClient(spec),
        }
    }

    pub fn from_server_spec(spec: ServerSpec) -> Self {
        let record = PeerRecord {
            id: spec.id.clone(),
            role: Role::Server,
            language: None,
            revisions: spec.revisions.clone(),
            mode: None,
            about: spec.about(),
        };
        Self {
            record,
            transports: MOCK_TRANSPORTS.to_vec(),
            reference: false,
            local: false,
            start: Start::MockServer(spec),
        }
    }

    /// The same peer, as one that everything is held against.
    #[must_use]
    pub(crate) fn into_reference(mut self) -> Self {
        self.reference = true;
        self
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> &PeerId {
        &self.record.id
    }

    /// What a record says of it.
    #[must_use]
    pub fn record(&self) -> &PeerRecord {
        &self.record
    }

    /// The transports that it has, quickest first.
    #[must_use]
    pub fn transports(&self) -> &[Transport] {
        &self.transports
    }

    /// The revisions that it offers in its mode; of one that is only a command, those that it may offer.
    pub fn offered(&self) -> impl Iterator<Item = Revision> {
        let mode = self.record.mode;
        let revisions = match self.start {
            Start::ClientCommand(_) => Revision::ALL.as_slice(),
            Start::MockClient(_)
            | Start::MockServer(_)
            | Start::ClientAdapter(_)
            | Start::ServerAdapter { .. }
            | Start::OwnClient(_)
            | Start::OwnServer(_) => self.record.revisions.as_slice(),
        };
        let offers = move |revision: &Revision| match mode {
            None | Some(Mode::Auto) => true,
            Some(Mode::Legacy) => revision.era() == Era::Legacy,
            Some(Mode::Modern) => revision.era() == Era::Modern,
        };
        revisions.iter().copied().filter(offers)
    }

    /// Whether it is one that everything is held against.
    #[must_use]
    pub fn is_reference(&self) -> bool {
        self.reference
    }

    /// The peer with its programs made, such as a binary that has to be built.
    ///
    /// # Errors
    /// When a program cannot be made.
    pub fn prepared(mut self) -> Result<Self, PreparationError> {
        self.start = match self.start {
            Start::ClientAdapter(launch) => Start::ClientAdapter(launch.prepared()?),
            Start::ServerAdapter { stdio, http } => Start::ServerAdapter {
                stdio: stdio.map(Launch::prepared).transpose()?,
                http: http.map(Launch::prepared).transpose()?,
            },
            other @ (Start::MockClient(_)
            | Start::MockServer(_)
            | Start::OwnClient(_)
            | Start::OwnServer(_)
            | Start::ClientCommand(_)) => other,
        };
        Ok(self)
    }

    /// Whether only the test that made it knows it, so that no command line can name it.
    pub fn is_local(&self) -> bool {
        self.local
    }

    /// How it is started, where it is only a command.
    pub(crate) fn command(&self) -> Option<&ClientCommand> {
        match &self.start {
            Start::ClientCommand(command) => Some(command),
            Start::MockClient(_)
            | Start::MockServer(_)
            | Start::ClientAdapter(_)
            | Start::ServerAdapter { .. }
            | Start::OwnClient(_)
            | Start::OwnServer(_) => None,
        }
    }

    pub(crate) fn start(&self) -> &Start {
        &self.start
    }
}

const MOCK_TRANSPORTS: [Transport; 3] = [Transport::Memory, Transport::Http, Transport::Stdio];
