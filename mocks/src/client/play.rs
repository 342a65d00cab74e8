//! Playing a job: connects to the server, and connects again if the probe ended the first connection.
//!
//! Every function here returns a boxed future, so that sessions are compiled once, in this crate.

use std::time::Duration;

use crate::wire::deviations::Carrier;
use mcp_compat_model::Mode;
use mcp_compat_model::peer_contract::{Answer, Deadlines, JobStep, ServerAddress};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, timeout};

use crate::client::connect::{LONGEST_PROBE_IN_MEMORY, connect};
use crate::client::exchange::Exchange;
use crate::client::http_wire::{HttpClient, HttpWire};
use crate::client::no_session::NoSession;
use crate::client::quirk::ClientQuirk;
use crate::client::server_process::ServerProcess;
use crate::client::session::Session;
use crate::client::spec::ClientSpec;
use crate::client::steps::play_steps;
use crate::client::stream_wire::{ByteStream, Connector, StreamWire};
use crate::client::wire::{BoxFuture, Wire};

/// Outcome of a job: its answer, or why there was no session. `Answer::from` turns the latter into the answer that the
/// peer contract has for it. The answer's id is 0.
pub type Played = Result<Answer, NoSession>;

/// Plays the steps of a job against a server over a byte stream. The server may have to start first, so the client waits
/// half of the connect deadline for the answer to the probe, however long that is.
pub fn play_stream<'a>(
    spec: &'a ClientSpec,
    read: impl AsyncRead + Unpin + Send + 'a,
    write: impl AsyncWrite + Unpin + Send + 'a,
    steps: &'a [JobStep],
    deadlines: Deadlines,
) -> BoxFuture<'a, Played> {
    over_stream(spec, ByteStream::new(read, write), steps, deadlines, Duration::MAX)
}

/// As [`play_stream`], with a server in this process. It answers the probe within milliseconds or never, so the client
/// waits less long for the answer.
pub fn play_in_memory<'a>(
    spec: &'a ClientSpec,
    read: impl AsyncRead + Unpin + Send + 'a,
    write: impl AsyncWrite + Unpin + Send + 'a,
    steps: &'a [JobStep],
    deadlines: Deadlines,
) -> BoxFuture<'a, Played> {
    over_stream(spec, ByteStream::new(read, write), steps, deadlines, LONGEST_PROBE_IN_MEMORY)
}

/// Plays over a byte stream that cannot be opened again.
fn over_stream<'a>(
    spec: &'a ClientSpec,
    stream: ByteStream<'a>,
    steps: &'a [JobStep],
    deadlines: Deadlines,
    longest_probe: Duration,
) -> BoxFuture<'a, Played> {
    Box::pin(async move {
        let spec = &spec.over(Carrier::Lines);
        let mut run = JobRun::new(spec, steps, deadlines);
        run.probe_time = run.probe_time.min(longest_probe);
        run.on(Box::new(StreamWire::new(stream)), spec.mode).await
    })
}

/// Plays the steps of a job against a server over a byte stream that can be opened again. If the connection ends at the
/// probe, the client opens another one with `initialize`.
pub fn play_connector<'a>(
    spec: &'a ClientSpec,
    connector: &'a mut dyn Connector,
    steps: &'a [JobStep],
    deadlines: Deadlines,
) -> BoxFuture<'a, Played> {
    Box::pin(reconnecting(spec.over(Carrier::Lines), Server::Stream(connector), steps, deadlines))
}

/// Plays the steps of a job against a server at an HTTP address.
pub fn play_http<'a>(
    spec: &'a ClientSpec,
    http: &'a HttpClient,
    url: &'a str,
    steps: &'a [JobStep],
    deadlines: Deadlines,
) -> BoxFuture<'a, Played> {
    Box::pin(reconnecting(spec.over(Carrier::Http), Server::Http(http, url), steps, deadlines))
}

/// A server that can be connected to again.
enum Server<'a> {
    Stream(&'a mut dyn Connector),
    Http(&'a HttpClient, &'a str),
}

impl Server<'_> {
    async fn connect(&mut self) -> Result<Box<dyn Wire>, NoSession> {
        Ok(match self {
            Self::Stream(connector) => {
                Box::new(StreamWire::new(connector.connect().await.map_err(NoSession::NoConnection)?))
            }
            Self::Http(http, url) => {
                Box::new(HttpWire::new(http, url).map_err(|error| NoSession::NoConnection(error.to_string()))?)
            }
        })
    }
}

async fn reconnecting(spec: ClientSpec, mut server: Server<'_>, steps: &[JobStep], deadlines: Deadlines) -> Played {
    let begun = Instant::now();
    let wire = server.connect().await?;
    match JobRun::new(&spec, steps, deadlines).on(wire, spec.mode).await {
        Err(NoSession::LostAtProbe(_)) if falls_back(&spec) => {
            let left = remaining(deadlines, begun);
            let wire = server.connect().await?;
            JobRun::new(&spec, steps, left).on(wire, Mode::Legacy).await
        }
        played => played,
    }
}

/// Plays the steps of a job against the server at an address, and starts it if it is a command.
pub fn play<'a>(
    spec: &'a ClientSpec,
    http: &'a HttpClient,
    server: &'a ServerAddress,
    steps: &'a [JobStep],
    deadlines: Deadlines,
) -> BoxFuture<'a, Played> {
    Box::pin(async move {
        match server {
            ServerAddress::Http { url } => play_http(spec, http, url, steps, deadlines).await,
            ServerAddress::Stdio { command, env } => {
                let mut server = ServerProcess::new(command, env);
                let played = play_connector(spec, &mut server, steps, deadlines).await;
                server.stop().await;
                played
            }
        }
    })
}

/// Returns whether a client whose connection ended at the probe tries `initialize`.
fn falls_back(spec: &ClientSpec) -> bool {
    const ENDS: [ClientQuirk; 3] =
        [ClientQuirk::NoFallback, ClientQuirk::FallsBackOnErrors, ClientQuirk::EndsAtLostProbe];
    spec.mode == Mode::Auto && !ENDS.into_iter().any(|quirk| spec.does(quirk))
}

/// The deadlines, less the time to connect that has passed.
fn remaining(deadlines: Deadlines, begun: Instant) -> Deadlines {
    let gone = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    Deadlines { connect_ms: deadlines.connect_ms.saturating_sub(gone), ..deadlines }
}

impl From<NoSession> for Answer {
    fn from(reason: NoSession) -> Self {
        Self { id: 0, negotiated: None, unsupported: None, error: Some(reason.to_peer_error()), steps: Vec::new() }
    }
}

/// A job about to be played.
struct JobRun<'a> {
    spec: &'a ClientSpec,
    steps: &'a [JobStep],
    deadlines: Deadlines,
    /// Returns the time that the client waits for the answer to the probe.
    probe_time: Duration,
}

impl<'a> JobRun<'a> {
    /// Half of the time to connect is for the probe, so that as much is left for `initialize`.
    fn new(spec: &'a ClientSpec, steps: &'a [JobStep], deadlines: Deadlines) -> Self {
        Self { spec, steps, deadlines, probe_time: Duration::from_millis(deadlines.connect_ms) / 2 }
    }

    async fn on(&self, wire: Box<dyn Wire + '_>, mode: Mode) -> Played {
        let Self { spec, steps, deadlines, probe_time } = *self;
        let mut exchange = Exchange::new(spec, wire);
        let time = Duration::from_millis(deadlines.connect_ms);
        let connected = timeout(time, connect(spec, mode, &mut exchange, probe_time)).await;
        let revision = match connected.unwrap_or(Err(NoSession::TimedOut(time))) {
            Ok(revision) => revision,
            Err(reason) => {
                exchange.wire.close().await;
                return Err(reason);
            }
        };
        let session = Session::new(spec, exchange, revision);
        let played = play_steps(session, steps, Duration::from_millis(deadlines.step_ms)).await;
        Ok(match played {
            Ok(steps) => {
                let negotiated = Some(revision.as_str().to_owned());
                Answer { id: 0, negotiated, unsupported: None, error: None, steps }
            }
            Err(reason) => {
                Answer { id: 0, negotiated: None, unsupported: Some(reason), error: None, steps: Vec::new() }
            }
        })
    }
}
