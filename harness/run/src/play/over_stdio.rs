//! Cells over standard streams: the server is a process for one session, and so may be the client's relay to it.

use std::pin::Pin;

use mcp_compat_drive::{
    End as StreamEnd, Limits, PipeReader, PipeWriter, RelayTicket, StdioServerAdapter, StdioServerError, plain_link,
    tapped_link,
};
use mcp_compat_mocks::client::{ByteStream, ClientSpec, Connector, play_connector};
use mcp_compat_mocks::server::{ServerSpec, serve_compiled};
use mcp_compat_model::Role;
use mcp_compat_model::observation::{End, Observation};
use mcp_compat_model::peer_contract::{Answer, ServerAddress};
use mcp_compat_model::transcript::{Event, StopStage};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, timeout};

use super::attempt::{Attempt, RECORDED, harness_failed, unplayable};
use crate::black_box::{ClientCommand, ServerPlace};
use crate::observe::{answered, ended, with_log_tail};
use crate::peer::{ClientStart, ServerStart};
use crate::timeouts::GRACE;

impl Attempt<'_> {
    pub(super) async fn over_stdio(&self) -> Observation {
        match self.client.start() {
            ClientStart::Mock(client) => self.mock_client_over_stdio(client).await,
            ClientStart::Adapter(_) => self.client_adapter_over_stdio().await,
            ClientStart::BlackBox(command) => self.command_over_stdio(command).await,
            ClientStart::InProcess(_) => unplayable("a client of this process starts no server"),
            ClientStart::Recorded => unplayable(RECORDED),
        }
    }

    async fn mock_client_over_stdio(&self, client: &ClientSpec) -> Observation {
        let (mut connector, connections) = connector();
        let play = async {
            let played = play_connector(client, &mut connector, &self.steps, self.deadlines()).await;
            answered(played.unwrap_or_else(Answer::from), self.steps.len())
        };
        self.with_sessions(play, connections).await
    }

    async fn client_adapter_over_stdio(&self) -> Observation {
        match self.relay().await {
            Ok((command, ticket)) => {
                let address = ServerAddress::Stdio { command, env: ticket.env().clone() };
                self.with_sessions(self.job(address), ticket).await
            }
            Err(observation) => observation,
        }
    }

    async fn command_over_stdio(&self, command: &ClientCommand) -> Observation {
        match self.relay().await {
            Ok((mut words, ticket)) => {
                words.extend(ticket.arguments());
                self.with_sessions(self.command(command, ServerPlace::Command(&words)), ticket).await
            }
            Err(observation) => observation,
        }
    }

    /// The command of a relay, and the ticket for those that the client will start.
    async fn relay(&self) -> Result<(Vec<String>, RelayTicket), Observation> {
        let command = self.environment.programs.relay().await.map_err(|error| harness_failed(error.to_string()))?;
        let relays = self.environment.relays().await.map_err(|error| harness_failed(error.to_string()))?;
        let ticket = relays.expect().map_err(|error| harness_failed(error.to_string()))?;
        Ok((command, ticket))
    }

    /// Serves the sessions that a client opens while it plays. A client may start its server more than once, say to find
    /// out which era it speaks. The last session counts.
    async fn with_sessions(
        &self,
        play: impl Future<Output = Observation> + Send,
        mut connections: impl Connections,
    ) -> Observation {
        tokio::pin!(play);
        let (mut session, mut end) = (None, None);
        let without_server = sleep(self.timeouts.step);
        tokio::pin!(without_server);
        let seen = loop {
            tokio::select! {
                seen = &mut play => break seen,
                (read, write) = connections.next(), if session.is_none() => {
                    end = None;
                    session = Some(Box::pin(self.serve_stream(read, write)));
                }
                ended = async { session.as_mut()?.await }, if session.is_some() => {
                    session = None;
                    end = ended;
                    without_server.as_mut().reset(Instant::now() + self.timeouts.step);
                }
                // The end of the stream tells the client; the wait for its reaction is short.
                () = &mut without_server, if end.is_some() => break ended(End::Answered {}),
            }
        };
        // The client may be quicker to say what it saw than the server is to end.
        if let Some(open) = session {
            end = timeout(4 * GRACE, open).await.ok().flatten();
        }
        Observation { end: end.unwrap_or(seen.end), ..seen }
    }

    /// Serves one session over a byte stream. Gives an end where it was the server that ended the session.
    async fn serve_stream<R, W>(&self, read: R, write: W) -> Option<End>
    where
        R: AsyncRead + Unpin + Send,
        W: AsyncWrite + Unpin + Send,
    {
        let launch = match self.server.start() {
            ServerStart::Mock(server) => match self.environment.programs.mock_server(&server.id) {
                Some(launch) => launch,
                None => return self.serve_in_process(server, read, write).await,
            },
            ServerStart::Adapter { stdio: Some(launch), .. } => launch.clone(),
            ServerStart::Adapter { stdio: None, .. } | ServerStart::InProcess(_) | ServerStart::Recorded => {
                return Some(unplayable("the server has no stdio command").end);
            }
        };
        let launch = self.environment.logged(self.server.id(), Role::Server, &launch);
        let mut server = match StdioServerAdapter::spawn(&launch, &self.script, Limits::default()) {
            Ok(server) => server,
            Err(StdioServerError::NotStarted(error)) => {
                return Some(End::NotStarted { who: Role::Server, why: error.to_string() });
            }
            Err(error @ StdioServerError::Script(_)) => return Some(End::HarnessFailed { why: error.to_string() }),
        };
        let (Some(stdin), Some(stdout)) = (server.process.take_stdin(), server.process.take_stdout()) else {
            return Some(End::HarnessFailed { why: "a new process has no standard streams".to_owned() });
        };
        let first = tapped_link(self.tap.clone(), (read, write), (stdout, stdin), GRACE).await;
        let stage = server.process.stop(GRACE).await;
        if stage != StopStage::InputClosed {
            self.tap.event(Role::Server, Event::Stopped { stage });
        }
        let exit = server.process.wait().await;
        self.tap.event(Role::Server, Event::Exited { how: exit.to_string() });
        if exit.says_unsupported() {
            return Some(End::Unsupported { by: Role::Server, reason: server.process.log_tail() });
        }
        // How a server ends after its client has gone is its own affair.
        let how = || with_log_tail(exit.to_string(), &server.process.log_tail());
        (first == Role::Server).then(|| End::Crashed { who: Role::Server, how: how() })
    }

    async fn serve_in_process<R, W>(&self, server: &ServerSpec, read: R, write: W) -> Option<End>
    where
        R: AsyncRead + Unpin + Send,
        W: AsyncWrite + Unpin + Send,
    {
        let compiled_script = match self.compiled_script(server) {
            Ok(compiled_script) => compiled_script,
            Err(observation) => return Some(observation.end),
        };
        let (up, down) = plain_link();
        let link = tapped_link(self.tap.clone(), (read, write), (up.reader, up.writer), GRACE);
        let (_, _) = tokio::join!(serve_compiled(&compiled_script, down.reader, down.writer), link);
        None
    }
}

/// Connections that a client opens, one after the other.
trait Connections: Send {
    type Read: AsyncRead + Unpin + Send;
    type Write: AsyncWrite + Unpin + Send;

    /// Waits for the next connection. Never ends of itself.
    fn next(&mut self) -> impl Future<Output = (Self::Read, Self::Write)> + Send;
}

impl Connections for RelayTicket {
    type Read = OwnedReadHalf;
    type Write = OwnedWriteHalf;

    async fn next(&mut self) -> (OwnedReadHalf, OwnedWriteHalf) {
        self.accept().await
    }
}

impl Connections for mpsc::Receiver<StreamEnd> {
    type Read = PipeReader;
    type Write = PipeWriter;

    async fn next(&mut self) -> (PipeReader, PipeWriter) {
        match self.recv().await {
            Some(StreamEnd { reader, writer }) => (reader, writer),
            None => std::future::pending().await,
        }
    }
}

/// A way for a client of this process to start its server, and the connections that it opens so.
fn connector() -> (InProcessConnector, mpsc::Receiver<StreamEnd>) {
    let (to_server, connections) = mpsc::channel(1);
    (InProcessConnector { to_server }, connections)
}

/// Way in which a client of this process starts its server.
struct InProcessConnector {
    to_server: mpsc::Sender<StreamEnd>,
}

impl Connector for InProcessConnector {
    fn connect(&mut self) -> Pin<Box<dyn Future<Output = Result<ByteStream<'static>, String>> + Send + '_>> {
        Box::pin(async move {
            let (up, down) = plain_link();
            let over = |_| "the cell is over".to_owned();
            self.to_server.send(down).await.map_err(over)?;
            Ok(ByteStream::new(up.reader, up.writer))
        })
    }
}
