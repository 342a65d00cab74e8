//! Playing a job: connecting to the server, wherever it is, and again where the probe was the end of it.

use std::time::Duration;

use mcp_compat_model::Mode;
use mcp_compat_model::contract::{Answer, Deadlines, JobStep, ServerAddress};
use mcp_compat_model::observation::{Layer, PeerError};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, timeout};

use super::connect::{LONGEST_PROBE, LONGEST_PROBE_IN_MEMORY, Unconnected, connect};
use super::dial::Dial;
use super::exchange::{Exchange, Wire};
use super::http::{HttpClient, HttpWire};
use super::process::Started;
use super::quirk::ClientQuirk;
use super::session::{Session, overdue};
use super::spec::ClientSpec;
use super::stream::StreamWire;
use crate::deviations::Carrier;

/// Plays the steps of a job against a server over a byte stream. The answer's id is 0.
pub async fn play_stream<R, W>(spec: &ClientSpec, read: R, write: W, steps: &[JobStep], deadlines: Deadlines) -> Answer
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send,
{
    over_stream(spec, (read, write), steps, deadlines, LONGEST_PROBE).await
}

/// As [`play_stream`], with a server that runs in this very process: an answer to the probe is there in milliseconds or
/// never, so that silence is taken for one sooner. The answer's id is 0.
pub async fn play_in_memory<R, W>(
    spec: &ClientSpec,
    read: R,
    write: W,
    steps: &[JobStep],
    deadlines: Deadlines,
) -> Answer
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send,
{
    over_stream(spec, (read, write), steps, deadlines, LONGEST_PROBE_IN_MEMORY).await
}

/// As [`play_stream`], with a server that may still have to be started, fetched even: silence after the probe is taken for
/// one after half of the time to connect, and not before. The answer's id is 0.
pub async fn play_patiently<R, W>(
    spec: &ClientSpec,
    read: R,
    write: W,
    steps: &[JobStep],
    deadlines: Deadlines,
) -> Answer
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send,
{
    over_stream(spec, (read, write), steps, deadlines, Duration::MAX).await
}

/// Plays over a byte stream that there is once.
async fn over_stream<R, W>(
    spec: &ClientSpec,
    (read, write): (R, W),
    steps: &[JobStep],
    deadlines: Deadlines,
    longest_probe: Duration,
) -> Answer
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send,
{
    let spec = &spec.over(Carrier::Lines);
    let job = Play { longest_probe, ..Play::new(spec, steps, deadlines) };
    job.on(StreamWire::new(read, write), spec.mode).await.unwrap_or_else(unconnected)
}

/// Plays the steps of a job against a server over a byte stream that can be had again: where the probe is the end of
/// it, the client opens another one with `initialize`. The answer's id is 0.
pub async fn play_dialled(spec: &ClientSpec, dial: &mut impl Dial, steps: &[JobStep], deadlines: Deadlines) -> Answer {
    let spec = &spec.over(Carrier::Lines);
    let begun = Instant::now();
    let dialled = async |dial: &mut _, mode, deadlines| match Dial::dial(dial).await {
        Ok((read, write)) => Play::new(spec, steps, deadlines).on(StreamWire::new(read, write), mode).await,
        Err(reason) => Err(Unconnected::Refused(no_server(reason))),
    };
    match dialled(dial, spec.mode, deadlines).await {
        Err(Unconnected::Lost(_)) if falls_back(spec) => dialled(dial, Mode::Legacy, left(deadlines, begun)).await,
        played => played,
    }
    .unwrap_or_else(unconnected)
}

/// Plays the steps of a job against a server at an HTTP address. The answer's id is 0.
pub async fn play_http(
    spec: &ClientSpec,
    http: &HttpClient,
    url: &str,
    steps: &[JobStep],
    deadlines: Deadlines,
) -> Answer {
    let spec = &spec.over(Carrier::Http);
    let begun = Instant::now();
    let requested = async |mode, deadlines| match HttpWire::new(http, url) {
        Ok(wire) => Play::new(spec, steps, deadlines).on(wire, mode).await,
        Err(trouble) => Err(Unconnected::Refused(trouble.to_peer_error())),
    };
    match requested(spec.mode, deadlines).await {
        Err(Unconnected::Lost(_)) if falls_back(spec) => requested(Mode::Legacy, left(deadlines, begun)).await,
        played => played,
    }
    .unwrap_or_else(unconnected)
}

/// Plays the steps of a job against a server wherever it is, starting it if it is a command. The answer's id is 0.
pub async fn play(
    spec: &ClientSpec,
    http: &HttpClient,
    server: &ServerAddress,
    steps: &[JobStep],
    deadlines: Deadlines,
) -> Answer {
    match server {
        ServerAddress::Http { url } => play_http(spec, http, url, steps, deadlines).await,
        ServerAddress::Stdio { command, env } => {
            let mut server = Started::new(command, env);
            let answer = play_dialled(spec, &mut server, steps, deadlines).await;
            server.stop().await;
            answer
        }
    }
}

/// Whether a client that lost its connection by the probe has something else to try.
fn falls_back(spec: &ClientSpec) -> bool {
    const ENDS: [ClientQuirk; 3] =
        [ClientQuirk::NoFallback, ClientQuirk::FallsBackOnErrors, ClientQuirk::EndsAtLostProbe];
    spec.mode == Mode::Auto && !ENDS.into_iter().any(|quirk| spec.does(quirk))
}

/// What is left of the time to connect.
fn left(deadlines: Deadlines, begun: Instant) -> Deadlines {
    let gone = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    Deadlines { connect_ms: deadlines.connect_ms.saturating_sub(gone), ..deadlines }
}

fn no_server(reason: String) -> PeerError {
    PeerError { layer: Layer::Connect, code: None, message: reason }
}

fn unconnected(error: Unconnected) -> Answer {
    let (Unconnected::Lost(error) | Unconnected::Refused(error)) = error;
    Answer { id: 0, negotiated: None, unsupported: None, error: Some(error), steps: Vec::new() }
}

/// A job about to be played.
struct Play<'a> {
    spec: &'a ClientSpec,
    steps: &'a [JobStep],
    deadlines: Deadlines,
    /// The most that silence after the probe is waited for.
    longest_probe: Duration,
}

impl<'a> Play<'a> {
    const fn new(spec: &'a ClientSpec, steps: &'a [JobStep], deadlines: Deadlines) -> Self {
        Self { spec, steps, deadlines, longest_probe: LONGEST_PROBE }
    }

    async fn on<W: Wire>(&self, wire: W, mode: Mode) -> Result<Answer, Unconnected> {
        let Self { spec, steps, deadlines, longest_probe } = *self;
        let mut exchange = Exchange::new(spec, wire);
        let time = Duration::from_millis(deadlines.connect_ms);
        // Half of the time to connect at most, so that as much is left for `initialize`.
        let patience = longest_probe.min(time / 2);
        let connected = timeout(time, connect(spec, mode, &mut exchange, patience)).await;
        let revision = match connected.unwrap_or_else(|_| Err(Unconnected::Refused(overdue("no session", time)))) {
            Ok(revision) => revision,
            Err(error) => {
                exchange.wire.close().await;
                return Err(error);
            }
        };
        let session = Session::new(spec, exchange, revision);
        let steps = session.take(steps, Duration::from_millis(deadlines.step_ms)).await;
        let negotiated = Some(revision.as_str().to_owned());
        Ok(Answer { id: 0, negotiated, unsupported: None, error: None, steps })
    }
}
