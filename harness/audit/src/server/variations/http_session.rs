//! Ids of HTTP sessions: unknown ones, ended ones and none.

use http::Method;
use mcp_compat_json::Json;
use mcp_compat_model::Era;
use mcp_compat_model::audit::{AuditFinding, Severity};

use super::super::findings::bounded;
use super::super::outage::forgets;
use super::Trial;
use super::reply::in_words;
use super::rules::{OWN_SESSION_IS_KNOWN, REFUSALS_HAVE_AN_ERROR, SESSIONS_ARE_INDEPENDENT, UNKNOWN_SESSION_IS_404};
use crate::probe::{Opening, ProbeError, Received, Reply, Sent};

/// An id that no server gives.
const UNKNOWN: &str = "mcp-compat-0d7e0f1c-unknown-session";

/// Report: DAWNCR0W/affine-mcp-server#301, punkpeye/mcp-proxy#108, aklivity/zilla#2525.
const LOST: &str = "Claude and other clients that open a new session at 404 only: every request after the server has restarted or \
                    ended the session, until the user reconnects";

/// Report: modelcontextprotocol/csharp-sdk#682.
const LOST_NOW_AND_THEN: &str =
    "every client, now and then: the session or the call, as it has to send the id that it was given";

const LOST_BESIDE_ANOTHER: &str = "every client that connects while another one is connected: the session";

/// Sends requests with ids of sessions that the server does not know.
pub(super) async fn findings(trial: &mut Trial<'_>) -> Result<Vec<AuditFinding>, ProbeError> {
    let mut found = Vec::new();
    let Some(own) = trial.conversation.session_id().map(str::to_owned) else { return Ok(found) };
    if trial.revision.era() != Era::Legacy || trial.is_over() {
        return Ok(found);
    }
    if let Some(forgotten) = trial.conversation.forgotten().await {
        let finding = OWN_SESSION_IS_KNOWN.violated(forgets(forgotten), vec![trial.revision]);
        let severity = if forgotten.is_certain() { finding.severity } else { Severity::Warning };
        found.push(AuditFinding { severity, lost_elsewhere: Some(LOST_NOW_AND_THEN.to_owned()), ..finding });
        // Nothing is known of other ids then.
        return Ok(found);
    }
    if let Some(did) = refuses_second_session(trial).await? {
        let detail = format!("while a session is open, `initialize` of another client {did}");
        let finding = SESSIONS_ARE_INDEPENDENT.violated(detail, vec![trial.revision]);
        found.push(AuditFinding { lost_elsewhere: Some(LOST_BESIDE_ANOTHER.to_owned()), ..finding });
    }
    let list =
        |session: &str| Sent::request("1003", "tools/list", Some("")).with_header("mcp-session-id", Some(session));
    let unknown = trial.ask(&list(UNKNOWN)).await?;
    let mut told = refused_otherwise(&unknown).map(|did| format!("a request with an unknown `Mcp-Session-Id` {did}"));
    if let Reply::Status(404, body) = &unknown.reply
        && is_empty_response(body)
    {
        let detail =
            "the body of the 404 to an unknown `Mcp-Session-Id` is a JSON-RPC response without `result` and `error`";
        let finding = REFUSALS_HAVE_AN_ERROR.violated(detail.to_owned(), vec![trial.revision]);
        let (wire, lost) = (Some(bounded(body)), Some(LOST_REASON.to_owned()));
        found.push(AuditFinding { wire, lost_elsewhere: lost, ..finding });
    }
    trial.is_doubtful = false;
    let ended = trial.conversation.bare(Method::DELETE, Some(&own)).await;
    if told.is_none() && ended.is_some_and(|status| (200..300).contains(&status)) {
        let after = trial.ask(&list(&own)).await?;
        told = refused_otherwise(&after).map(|did| format!("a request of a session that a DELETE has ended {did}"));
    }
    found.extend(told.map(|detail| {
        let finding = UNKNOWN_SESSION_IS_404.violated(format!("{detail}, where 404 is due"), vec![trial.revision]);
        AuditFinding { lost_elsewhere: Some(LOST.to_owned()), ..finding }
    }));
    Ok(found)
}

/// Opens another session beside the one that is open, twice if the first try fails. Returns what the server does in place of
/// opening it; `None` if it opens one, or serves the first session no more.
async fn refuses_second_session(trial: &mut Trial<'_>) -> Result<Option<String>, ProbeError> {
    let mut refused = None;
    for _ in 0..2 {
        let mut other = trial.probe.converse(trial.revision, Opening::Plain).await?;
        if other.opened.is_some() {
            if let Some(session) = other.session_id().map(str::to_owned) {
                other.bare(Method::DELETE, Some(&session)).await;
            }
            return Ok(None);
        }
        // A server may ask for authorization or be busy, and a gateway before it may fail.
        let is_of_server = |answer: &&Received| !matches!(answer.status, Some(401 | 403 | 429 | 502..=504));
        refused = other.opening.first().filter(is_of_server).and_then(with_status);
    }
    let first = trial.ask(&Sent::request("1004", "tools/list", Some(""))).await?;
    Ok(refused.filter(|_| matches!(first.reply, Reply::Result(_))))
}

/// Report: helidon-io/helidon-mcp#152.
const LOST_REASON: &str = "clients that read the body, such as Claude Code: the reason, and with it the new session";

/// Returns whether a body is a JSON-RPC response with nothing in it.
fn is_empty_response(body: &str) -> bool {
    let Ok(Json::Object(response)) = Json::parse(body) else { return false };
    response.contains_key("jsonrpc") && !response.contains_key("result") && !response.contains_key("error")
}

/// Action of a server that refuses the request by something else than the status. One that serves the request needs no
/// session.
fn refused_otherwise(received: &Received) -> Option<String> {
    let is_served = matches!(received.reply, Reply::Result(_));
    with_status(received).filter(|_| received.status != Some(404) && !is_served)
}

/// The status of an answer, and its error, in words.
fn with_status(received: &Received) -> Option<String> {
    let status = received.status?;
    let error = if let Reply::Error { code, message } = &received.reply {
        format!(" and error {}", in_words(*code, message))
    } else {
        String::new()
    };
    Some(format!("is answered with HTTP status {status}{error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_without_result_and_error_is_empty() {
        assert!(is_empty_response(r#"{"jsonrpc":"2.0","id":1}"#));
        for body in ["", "Not Found", r#"{"detail":"gone"}"#, r#"{"jsonrpc":"2.0","id":null,"error":{}}"#] {
            assert!(!is_empty_response(body), "{body}");
        }
    }
}
