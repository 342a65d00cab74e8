//! Start of a session: the handshake of the legacy era, or the probe that finds out the era.
//!
//! ```text
//! legacy   initialize -> the server's revision, if this client speaks it -> notifications/initialized
//! auto     server/discover -> a modern server: a common revision
//!                          -> legacy revisions only, or anything else (another error, no answer, garbage): as legacy
//!                          -> the connection ends: as legacy, on a new connection if one can be opened
//! modern   server/discover -> a modern server: a common revision; anything else is an error
//! ```
//!
//! A server that ends at the probe has not answered it, so it is a legacy server. A client should restart a server that
//! ended unexpectedly, so it is started again and receives `initialize`.
//!
//! On HTTP the probe is the same request. What counts is whether the body of the answer is modern, more than its status.

use std::borrow::Cow;
use std::time::Duration;

use crate::wire::jsonrpc::{HEADER_MISMATCH, UNSUPPORTED_VERSION};
use mcp_compat_model::shapes::{DISCOVER, INITIALIZE};
use mcp_compat_model::{Era, Mode, Revision};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::time::timeout;

use crate::client::client_error::{ClientError, RpcError, RpcResult, shorten};
use crate::client::exchange::Exchange;
use crate::client::no_session::{NoSession, ProbeEvidence};
use crate::client::quirk::ClientQuirk;
use crate::client::request_style::RequestStyle;
use crate::client::spec::ClientSpec;
use crate::client::types;
use crate::client::wire::{NewRequest, RequestEra};

/// A modern server needs a capability that the client did not declare.
const MISSING_CAPABILITY: i64 = -32021;

/// Time that the client waits for the answer to the probe in memory, where the server is running and answers within
/// milliseconds.
pub(crate) const LONGEST_PROBE_IN_MEMORY: Duration = Duration::from_secs(1);

/// Longer than any deadline.
const UNBOUNDED: Duration = Duration::from_secs(3600);

/// Result of the probe.
enum Probed {
    /// A modern server, and the revision to speak with it.
    Modern(Revision),
    /// A modern server, but no session is possible with it.
    Unusable(NoSession),
    /// A server that is not modern.
    NotModern(ProbeEvidence),
}

/// Part about tools in the results of `initialize` and `server/discover`.
#[derive(Deserialize)]
struct Offer<'a> {
    #[serde(borrow, default)]
    capabilities: Option<Capabilities<'a>>,
}

#[derive(Deserialize)]
struct Capabilities<'a> {
    #[serde(borrow, default)]
    tools: Option<&'a RawValue>,
}

/// Returns whether such a result declares tools.
fn declares_tools(result: &RawValue) -> bool {
    let offer = serde_json::from_str::<Offer<'_>>(result.get()).ok();
    offer.and_then(|offer| offer.capabilities?.tools).is_some()
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

/// Opens a session, and returns the revision that is spoken in it. The probe has to be answered within `probe_time`.
///
/// # Errors
/// When there is no session.
pub(crate) async fn connect(
    spec: &ClientSpec,
    mode: Mode,
    exchange: &mut Exchange<'_>,
    probe_time: Duration,
) -> Result<Revision, NoSession> {
    let probed = match mode {
        Mode::Legacy => return initialize(spec, exchange).await,
        Mode::Auto | Mode::Modern if spec.assumes_modern(mode) => assume_modern(spec, exchange),
        Mode::Auto | Mode::Modern => probe(spec, exchange, probe_time).await?,
    };
    match probed {
        Probed::Modern(revision) => Ok(revision),
        Probed::Unusable(reason) => Err(reason),
        Probed::NotModern(evidence) if mode == Mode::Auto && falls_back(spec, &evidence) => {
            initialize(spec, exchange).await
        }
        Probed::NotModern(evidence) => Err(NoSession::LegacyServer(evidence)),
    }
}

/// Returns whether a client continues with `initialize` after such an answer to its probe.
fn falls_back(spec: &ClientSpec, evidence: &ProbeEvidence) -> bool {
    !spec.does(ClientQuirk::NoFallback) && (evidence.is_error() || !spec.does(ClientQuirk::FallsBackOnErrors))
}

/// The handshake.
///
/// # Errors
/// When the server refuses it, or chooses a revision that this client does not speak.
pub(crate) async fn initialize(spec: &ClientSpec, exchange: &mut Exchange<'_>) -> Result<Revision, NoSession> {
    let Some(newest) = spec.newest(Era::Legacy) else {
        return Err(NoSession::EraNotSpoken(Era::Legacy));
    };
    exchange.wire.inbox().revision = None;
    let RequestStyle { capabilities, client_info, asks_for, .. } = spec.style;
    let asked = asks_for.unwrap_or(newest.as_str());
    let members = format!(r#""protocolVersion":"{asked}","capabilities":{capabilities},"clientInfo":{client_info}"#);
    let revision = match exchange.ask(&NewRequest::new("initialize", &members, RequestEra::Legacy)).await {
        Ok(result) => {
            exchange.declares_tools = declares_tools(&result);
            chosen(spec, &result, newest)?
        }
        Err(ClientError::Rpc(_)) if spec.does(ClientQuirk::OpensRegardless) => newest,
        Err(ClientError::Rpc(_)) if spec.does(ClientQuirk::WaitsAfterRefusal) => std::future::pending().await,
        Err(error) => return Err(NoSession::InitializeFailed(error)),
    };
    exchange.wire.inbox().revision = Some(revision);
    if spec.does(ClientQuirk::StreamsInNewest) {
        exchange.wire.stream_in(newest).await.map_err(NoSession::InitializeFailed)?;
    }
    if !spec.does(ClientQuirk::SkipsInitialized) {
        let sent = exchange.wire.notify("notifications/initialized", None).await;
        sent.map_err(NoSession::InitializedNotSent)?;
    }
    Ok(revision)
}

/// The revision that the server chose.
///
/// # Errors
/// When the result of `initialize` cannot be read, or names a revision that this client does not speak.
fn chosen(spec: &ClientSpec, result: &RawValue, newest: Revision) -> Result<Revision, NoSession> {
    let chosen: InitializeResult<'_> =
        serde_json::from_str(result.get()).map_err(|error| NoSession::InvalidInitializeResult(error.to_string()))?;
    if let Some(misfit) = types::misfit(spec.policy.types, newest, &INITIALIZE, result.get()) {
        return Err(NoSession::InvalidInitializeResult(misfit));
    }
    let known = chosen.protocol_version.parse().ok().filter(|revision| spec.revisions.contains(revision));
    match known.filter(|revision: &Revision| revision.era() == Era::Legacy) {
        Some(revision) => Ok(revision),
        None if spec.does(ClientQuirk::IgnoresEra) && known.is_some() => Ok(known.unwrap_or(newest)),
        None if spec.does(ClientQuirk::IgnoresVersion) => Ok(newest),
        None => {
            let legacy = spec.revisions.iter().copied().filter(|revision| revision.era() == Era::Legacy);
            Err(NoSession::UnknownVersion { chosen: shorten(&chosen.protocol_version), known: legacy.collect() })
        }
    }
}

/// Result for a client that does not probe.
fn assume_modern(spec: &ClientSpec, exchange: &mut Exchange<'_>) -> Probed {
    let Some(newest) = spec.newest(Era::Modern) else {
        return Probed::NotModern(ProbeEvidence::NotProbed);
    };
    exchange.wire.inbox().revision = Some(newest);
    Probed::Modern(newest)
}

/// Sends `server/discover`.
///
/// # Errors
/// When the connection ends.
async fn probe(spec: &ClientSpec, exchange: &mut Exchange<'_>, time: Duration) -> Result<Probed, NoSession> {
    let Some(newest) = spec.newest(Era::Modern) else {
        return Ok(Probed::NotModern(ProbeEvidence::NotProbed));
    };
    let request = NewRequest::new("server/discover", "", RequestEra::Modern(newest));
    let time = if spec.does(ClientQuirk::WaitsForProbe) { UNBOUNDED } else { time };
    let probed = match timeout(time, exchange.ask(&request)).await {
        Ok(Err(ClientError::ConnectionLost(reason))) => return Err(NoSession::LostAtProbe(reason)),
        Ok(answer) => {
            exchange.declares_tools = answer.as_ref().is_ok_and(|result| declares_tools(result));
            classify(spec, newest, answer)
        }
        Err(_) => Probed::NotModern(ProbeEvidence::NoAnswer(time)),
    };
    if let Probed::Modern(revision) = &probed {
        exchange.wire.inbox().revision = Some(*revision);
    }
    Ok(probed)
}

/// Reads the answer to `server/discover`.
fn classify(spec: &ClientSpec, newest: Revision, answer: RpcResult) -> Probed {
    match answer {
        Ok(result) => match types::misfit(spec.policy.types, newest, &DISCOVER, result.get()) {
            Some(misfit) => Probed::NotModern(ProbeEvidence::InvalidResult(misfit)),
            None => match serde_json::from_str::<DiscoverResult>(result.get()) {
                Ok(result) => discovered(spec, result.supported_versions),
                Err(error) => Probed::NotModern(ProbeEvidence::InvalidResult(error.to_string())),
            },
        },
        Err(ClientError::Rpc(error)) => refused(spec, error),
        Err(error) => Probed::NotModern(ProbeEvidence::Answered(error)),
    }
}

/// A server that lists legacy revisions only is asked to speak one of them, by its handshake: the client is to select from
/// the versions that the server supports.
fn discovered(spec: &ClientSpec, supported: Vec<String>) -> Probed {
    let legacy = |version: &String| version.parse().is_ok_and(|revision: Revision| revision.era() == Era::Legacy);
    let is_known = |version: &String| spec.revisions.iter().any(|revision| revision.as_str() == version);
    if spec.does(ClientQuirk::IgnoresListedVersions)
        && let Some(newest) = spec.newest(Era::Modern)
    {
        return Probed::Modern(newest);
    }
    if !supported.is_empty() && supported.iter().all(legacy) && supported.iter().any(is_known) {
        return Probed::NotModern(ProbeEvidence::LegacyVersions(supported));
    }
    choose(spec, supported)
}

/// An error identifies a modern server only by a code of the modern era with the data that belongs to it.
fn refused(spec: &ClientSpec, error: RpcError) -> Probed {
    let data = error.data.as_deref().map_or("null", RawValue::get);
    let incomplete = |without| Probed::NotModern(ProbeEvidence::IncompleteError { code: error.code, without });
    match error.code {
        UNSUPPORTED_VERSION => match serde_json::from_str::<UnsupportedVersion>(data) {
            Ok(unsupported) => choose(spec, unsupported.supported),
            Err(_) => incomplete("versions supported"),
        },
        MISSING_CAPABILITY => match serde_json::from_str::<MissingCapability<'_>>(data) {
            Ok(missing) if missing.required.get().starts_with('{') => {
                Probed::Unusable(NoSession::DiscoverRefused(error))
            }
            Ok(_) | Err(_) => incomplete("capabilities required"),
        },
        HEADER_MISMATCH => Probed::Unusable(NoSession::DiscoverRefused(error)),
        _ => Probed::NotModern(ProbeEvidence::Answered(ClientError::Rpc(error))),
    }
}

/// The newest modern revision that both speak. A modern server without one is not asked to speak a legacy revision.
fn choose(spec: &ClientSpec, supported: Vec<String>) -> Probed {
    let modern = spec.revisions.iter().rev().filter(|revision| revision.era() == Era::Modern);
    let mutual = modern.copied().find(|revision| supported.iter().any(|version| version == revision.as_str()));
    match mutual {
        Some(revision) => Probed::Modern(revision),
        None if spec.does(ClientQuirk::IgnoresVersion) => Probed::NotModern(ProbeEvidence::NoCommonRevision),
        None => Probed::Unusable(NoSession::NoCommonRevision { supported, known: spec.revisions.clone() }),
    }
}
