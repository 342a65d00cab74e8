//! How a session begins: the handshake of the legacy era, or the probe that tells the eras apart.
//!
//! ```text
//! legacy   initialize -> the server's choice, if this client knows it -> notifications/initialized
//! auto     server/discover -> a modern server: a revision of both
//!                          -> legacy revisions only, or anything else (an error of another kind, silence, garbage): as legacy
//!                          -> the end of the connection: as legacy, on another one if it can be had
//! modern   server/discover -> a modern server: a revision of both; anything else ends it
//! ```
//!
//! A server that ends at the probe has not answered it, which makes it a legacy one, and a client should start a server
//! again that ended unexpectedly: so it is started again, and asked with `initialize`.
//!
//! On HTTP the probe is the same request: the status of the answer matters less than whether its body is modern.

use std::borrow::Cow;
use std::time::Duration;

use mcp_compat_model::observation::{Layer, PeerError};
use mcp_compat_model::{Era, Mode, Revision};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::time::timeout;

use crate::jsonrpc::{HEADER_MISMATCH, UNSUPPORTED_VERSION};

use super::exchange::{Ask, CLIENT_INFO, Exchange, Speech, Wire};
use super::quirk::ClientQuirk;
use super::spec::ClientSpec;
use super::trouble::{Answered, Refusal, Trouble, shorten};

/// A modern server needs a capability that the client did not declare.
const MISSING_CAPABILITY: i64 = -32021;

/// The most that silence after the probe is waited for, where the server may have to start first.
pub(super) const LONGEST_PROBE: Duration = Duration::from_secs(3);

/// The most that it is waited for in memory: the server is up, and an answer takes it milliseconds.
pub(super) const LONGEST_PROBE_IN_MEMORY: Duration = Duration::from_secs(1);

/// Longer than anybody waits for a session.
const UNBOUNDED: Duration = Duration::from_secs(3600);

/// Why there is no session.
pub(super) enum Unconnected {
    /// The connection ended at the probe.
    Lost(PeerError),
    /// Anything else.
    Refused(PeerError),
}

/// What the probe has found.
enum Probed {
    /// A modern server, and the revision to speak with it.
    Modern(Revision),
    /// A modern server with which no session can be had.
    Unusable(PeerError),
    /// A server that is not modern, as an error of its says.
    Erred(String),
    /// A server that is not modern, for another reason.
    NotModern(String),
}

#[derive(Deserialize)]
struct InitializeResult<'a> {
    #[serde(borrow, rename = "protocolVersion")]
    protocol_version: Cow<'a, str>,
}

#[derive(Deserialize)]
struct DiscoverResult {
    #[serde(rename = "supportedVersions")]
    supported_versions: Vec<String>,
}

#[derive(Deserialize)]
struct UnsupportedVersion {
    supported: Vec<String>,
}

#[derive(Deserialize)]
struct MissingCapability<'a> {
    #[serde(borrow, rename = "requiredCapabilities")]
    required: &'a RawValue,
}

/// Brings a session about, and says what is spoken in it. A probe that is not answered within `patience` is over.
///
/// # Errors
/// When there can be none.
pub(super) async fn connect<W: Wire>(
    spec: &ClientSpec,
    mode: Mode,
    exchange: &mut Exchange<W>,
    patience: Duration,
) -> Result<Revision, Unconnected> {
    let probed = match mode {
        Mode::Legacy => return initialize(spec, exchange).await.map_err(Unconnected::Refused),
        Mode::Auto | Mode::Modern if spec.assumes_modern(mode) => assumed(spec, exchange),
        Mode::Auto | Mode::Modern => probe(spec, exchange, patience).await.map_err(Unconnected::Lost)?,
    };
    match probed {
        Probed::Modern(revision) => Ok(revision),
        Probed::Unusable(error) => Err(Unconnected::Refused(error)),
        Probed::Erred(_) if mode == Mode::Auto && !spec.does(ClientQuirk::NoFallback) => {
            initialize(spec, exchange).await.map_err(Unconnected::Refused)
        }
        Probed::NotModern(_)
            if mode == Mode::Auto
                && !spec.does(ClientQuirk::NoFallback)
                && !spec.does(ClientQuirk::FallsBackOnErrors) =>
        {
            initialize(spec, exchange).await.map_err(Unconnected::Refused)
        }
        Probed::Erred(reason) | Probed::NotModern(reason) => Err(Unconnected::Refused(no_session(format!(
            "the server is a legacy one ({reason}), and this client does not fall back to initialize"
        )))),
    }
}

/// The handshake.
///
/// # Errors
/// When the server refuses it, or chooses a revision that this client does not know.
pub(super) async fn initialize<W: Wire>(spec: &ClientSpec, exchange: &mut Exchange<W>) -> Result<Revision, PeerError> {
    let Some(newest) = spec.newest(Era::Legacy) else {
        return Err(no_session("this client speaks no legacy revision".to_owned()));
    };
    exchange.wire.inbox().revision = None;
    let members = format!(r#""protocolVersion":"{newest}","capabilities":{{}},"clientInfo":{CLIENT_INFO}"#);
    let revision = match exchange.ask(&Ask::new("initialize", &members, Speech::Legacy)).await {
        Ok(result) => chosen(spec, &result, newest)?,
        Err(Trouble::Refused(_)) if spec.does(ClientQuirk::OpensRegardless) => newest,
        Err(trouble) => return Err(not_opened(&trouble)),
    };
    exchange.wire.inbox().revision = Some(revision);
    if !spec.does(ClientQuirk::SkipsInitialized) {
        let told = exchange.wire.notify("notifications/initialized", None).await;
        told.map_err(|trouble| PeerError { layer: Layer::Connect, ..trouble.to_peer_error() })?;
    }
    Ok(revision)
}

/// What the user is told of an `initialize` without a result.
fn not_opened(trouble: &Trouble) -> PeerError {
    let error = trouble.to_peer_error();
    match trouble {
        // Whatever was refused or lost, what the user meets is that there is no session.
        Trouble::Refused(_) | Trouble::Status { .. } | Trouble::SessionGone | Trouble::Lost(_) => {
            PeerError { layer: Layer::Connect, message: format!("initialize failed: {}", error.message), ..error }
        }
        Trouble::Garbled(_) => error,
    }
}

/// The revision that the server chose.
///
/// # Errors
/// When the result of `initialize` cannot be read, or names a revision that this client does not know.
fn chosen(spec: &ClientSpec, result: &RawValue, newest: Revision) -> Result<Revision, PeerError> {
    let chosen: InitializeResult<'_> = serde_json::from_str(result.get()).map_err(|error| PeerError {
        layer: Layer::Decode,
        code: None,
        message: format!("the result of initialize cannot be read: {error}"),
    })?;
    let known = chosen.protocol_version.parse().ok().filter(|revision| spec.revisions.contains(revision));
    match known.filter(|revision: &Revision| revision.era() == Era::Legacy) {
        Some(revision) => Ok(revision),
        None if spec.does(ClientQuirk::IgnoresEra) && known.is_some() => Ok(known.unwrap_or(newest)),
        None if spec.does(ClientQuirk::IgnoresVersion) => Ok(newest),
        None => {
            let legacy = spec.revisions.iter().filter(|revision| revision.era() == Era::Legacy);
            let legacy: Vec<_> = legacy.map(|revision| revision.as_str()).collect();
            let chosen = shorten(&chosen.protocol_version);
            Err(no_session(format!(
                "the server chose protocol version {chosen:?}, and this client knows {}",
                legacy.join(", ")
            )))
        }
    }
}

/// What a client finds that does not look.
fn assumed<W: Wire>(spec: &ClientSpec, exchange: &mut Exchange<W>) -> Probed {
    let Some(newest) = spec.newest(Era::Modern) else {
        return Probed::NotModern("this client speaks no modern revision".to_owned());
    };
    exchange.wire.inbox().revision = Some(newest);
    Probed::Modern(newest)
}

/// # Errors
/// When the connection ends.
async fn probe<W: Wire>(
    spec: &ClientSpec,
    exchange: &mut Exchange<W>,
    patience: Duration,
) -> Result<Probed, PeerError> {
    let Some(newest) = spec.newest(Era::Modern) else {
        return Ok(Probed::NotModern("this client speaks no modern revision".to_owned()));
    };
    let speech = Speech::Modern(newest);
    let ask = Ask::new("server/discover", "", speech);
    let patience = if spec.does(ClientQuirk::WaitsForProbe) { UNBOUNDED } else { patience };
    let probed = match timeout(patience, exchange.ask(&ask)).await {
        Ok(Err(Trouble::Lost(reason))) => return Err(no_session(reason)),
        Ok(answer) => judge(spec, answer),
        Err(_) => {
            let reason = format!("no answer to server/discover within {} ms", patience.as_millis());
            Probed::NotModern(reason)
        }
    };
    if let Probed::Modern(revision) = &probed {
        exchange.wire.inbox().revision = Some(*revision);
    }
    Ok(probed)
}

/// What the answer to `server/discover` says of the server.
fn judge(spec: &ClientSpec, answer: Answered) -> Probed {
    match answer {
        Ok(result) => match serde_json::from_str::<DiscoverResult>(result.get()) {
            Ok(result) => discovered(spec, &result.supported_versions),
            Err(error) => Probed::NotModern(format!("its answer to server/discover cannot be read: {error}")),
        },
        Err(Trouble::Refused(refusal)) => refused(spec, &refusal),
        Err(trouble @ Trouble::Status { .. }) => Probed::Erred(answered(&trouble)),
        Err(trouble @ (Trouble::Garbled(_) | Trouble::SessionGone | Trouble::Lost(_))) => {
            Probed::NotModern(answered(&trouble))
        }
    }
}

fn answered(trouble: &Trouble) -> String {
    format!("to server/discover it answered: {}", trouble.to_peer_error().message)
}

/// A server that answers, and names legacy revisions only, is asked to speak one of them: the client is to select from what
/// it names, and the way to a legacy revision is its handshake.
fn discovered(spec: &ClientSpec, supported: &[String]) -> Probed {
    let legacy = |version: &String| version.parse().is_ok_and(|revision: Revision| revision.era() == Era::Legacy);
    let is_known = |version: &String| spec.revisions.iter().any(|revision| revision.as_str() == version);
    if spec.does(ClientQuirk::IgnoresListedVersions)
        && let Some(newest) = spec.newest(Era::Modern)
    {
        return Probed::Modern(newest);
    }
    if !supported.is_empty() && supported.iter().all(legacy) && supported.iter().any(is_known) {
        return Probed::NotModern(format!("it names {} only", shorten(&supported.join(", "))));
    }
    choose(spec, supported)
}

/// An error identifies a modern server only by a code of the modern era with the data that belongs to it.
fn refused(spec: &ClientSpec, refusal: &Refusal) -> Probed {
    let data = refusal.data.as_deref().map_or("null", RawValue::get);
    let unusable = || {
        let message = format!("the server refuses server/discover: {}", refusal.message);
        Probed::Unusable(PeerError { layer: Layer::Connect, code: Some(refusal.code), message })
    };
    match refusal.code {
        UNSUPPORTED_VERSION => match serde_json::from_str::<UnsupportedVersion>(data) {
            Ok(unsupported) => choose(spec, &unsupported.supported),
            Err(_) => Probed::Erred(format!("error {} without the versions supported", refusal.code)),
        },
        MISSING_CAPABILITY => match serde_json::from_str::<MissingCapability<'_>>(data) {
            Ok(missing) if missing.required.get().starts_with('{') => unusable(),
            Ok(_) | Err(_) => Probed::Erred(format!("error {} without the capabilities required", refusal.code)),
        },
        HEADER_MISMATCH => unusable(),
        code => Probed::Erred(format!("to server/discover it answered error {code}: {}", refusal.message)),
    }
}

/// The newest modern revision of both. A modern server without one is not asked to speak a legacy one.
fn choose(spec: &ClientSpec, supported: &[String]) -> Probed {
    let modern = spec.revisions.iter().rev().filter(|revision| revision.era() == Era::Modern);
    let mutual = modern.copied().find(|revision| supported.iter().any(|version| version == revision.as_str()));
    if mutual.is_none() && spec.does(ClientQuirk::IgnoresVersion) {
        return Probed::NotModern("it supports no modern revision of the client's".to_owned());
    }
    mutual.map_or_else(
        || {
            let supported = shorten(&supported.join(", "));
            let known: Vec<_> = spec.revisions.iter().map(|revision| revision.as_str()).collect();
            Probed::Unusable(PeerError {
                layer: Layer::Connect,
                code: Some(UNSUPPORTED_VERSION),
                message: format!("the server supports {supported:?}, and this client knows {}", known.join(", ")),
            })
        },
        Probed::Modern,
    )
}

fn no_session(message: String) -> PeerError {
    PeerError { layer: Layer::Connect, code: None, message }
}
