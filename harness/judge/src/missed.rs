//! Newer revisions that two peers could have spoken, and why they did not, as far as the wire shows it.

use mcp_compat_json::Json;
use mcp_compat_model::missed::{Because, Missed};
use mcp_compat_model::peer_contract::AnsweredMethod;
use mcp_compat_model::record::PeerRecord;
use mcp_compat_model::transcript::Transcript;
use mcp_compat_model::{Era, Mode, Revision};
use mcp_compat_scenario::Scenario;

use crate::wire::exchange::{Answer, Exchanges, exchanges};
use crate::wire::message::{Message, messages};
use crate::wire::session::META_VERSION;
use mcp_compat_model::excerpt::bounded;

/// Limit of the characters of a message that are recorded.
const SAID: usize = 100;

/// The newest revision that both peers know, where they spoke an older one, and why.
///
/// `None` if no revision was spoken, or if the scenario scripts the negotiation.
pub fn missed(
    scenario: &Scenario,
    client: &PeerRecord,
    server: &PeerRecord,
    negotiated: Option<Revision>,
    transcript: &Transcript,
) -> Option<Missed> {
    let common = client.revisions.iter().filter(|revision| server.revisions.contains(revision));
    let revision = common.max().copied().filter(|common| negotiated.is_some_and(|spoken| spoken < *common))?;
    let openings = [AnsweredMethod::Initialize, AnsweredMethod::Discover];
    if scenario.answers.iter().any(|answer| openings.contains(&answer.to)) {
        return None;
    }
    let messages = messages(transcript);
    let exchanges = exchanges(&messages, transcript);
    let (because, said) = match revision.era() {
        Era::Modern if client.mode == Some(Mode::Legacy) => (Because::ModeLegacy, None),
        Era::Modern => of_probe(&messages, &exchanges),
        Era::Legacy => of_handshake(revision, &messages, &exchanges),
    };
    Some(Missed { revision, because, said: said.map(|said| bounded(&said, SAID)) })
}

/// Fate of the first request in the modern way.
fn of_probe(messages: &[Message<'_>], exchanges: &Exchanges) -> (Because, Option<String>) {
    let modern = |request: usize| messages[request].meta(META_VERSION).is_some();
    // A session that was opened with a handshake is no probe any more.
    let until_opened = exchanges.all.iter().take_while(|exchange| messages[exchange.request].method() != INITIALIZE);
    let Some(probe) = until_opened.into_iter().find(|exchange| modern(exchange.request)) else {
        return (Because::NotProbed, None);
    };
    match probe.answer {
        Answer::None => (Because::ProbeUnanswered, None),
        Answer::Unreadable(_) => (Because::ProbeRefused, Some("its answer cannot be read".to_owned())),
        Answer::Status { status, .. } => (Because::ProbeRefused, Some(format!("HTTP {status}"))),
        Answer::Error(at) => (Because::ProbeRefused, Some(error(&messages[at]))),
        Answer::Result(at) => {
            let versions = messages[at].result().and_then(|result| result.get("supportedVersions"));
            let dates = versions.and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str);
            let dates: Vec<&str> = dates.collect();
            (Because::ProbeAnswered, (!dates.is_empty()).then(|| dates.join(", ")))
        }
    }
}

/// Revisions that client and server named in the handshake.
fn of_handshake(revision: Revision, messages: &[Message<'_>], exchanges: &Exchanges) -> (Because, Option<String>) {
    let mut openings = exchanges.all.iter().filter(|exchange| messages[exchange.request].method() == INITIALIZE);
    let asked = openings.next_back().and_then(|exchange| messages[exchange.request].param("protocolVersion"));
    let asked = asked.and_then(Json::as_str).unwrap_or_default();
    // Dates are written so that they sort.
    let because = if asked < revision.as_str() { Because::AskedForOlder } else { Because::NamedOlder };
    (because, None)
}

/// The method that opens a legacy session.
const INITIALIZE: Option<&str> = Some("initialize");

/// The code of an error, and its words.
fn error(message: &Message<'_>) -> String {
    let code = message.error_code().map(|code| code.to_string()).unwrap_or_default();
    let words = message.json.pointer("/error/message").and_then(Json::as_str).unwrap_or_default();
    let status = message.status().filter(|status| *status >= 400).map(|status| format!("HTTP {status}"));
    let parts = [status.unwrap_or_default(), code, words.to_owned()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}
