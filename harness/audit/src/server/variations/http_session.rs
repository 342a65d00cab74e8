//! Ids of HTTP sessions: unknown ones, ended ones and none.

use http::Method;
use mcp_compat_model::Era;
use mcp_compat_model::audit::AuditFinding;

use super::Trial;
use super::reply::in_words;
use super::rules::UNKNOWN_SESSION_IS_404;
use crate::probe::{ProbeError, Received, Reply, Sent};

/// An id that no server gives.
const UNKNOWN: &str = "mcp-compat-0d7e0f1c-unknown-session";

/// DAWNCR0W/affine-mcp-server#301, punkpeye/mcp-proxy#108, aklivity/zilla#2525.
const LOST: &str = "Claude and other clients that open a new session at 404 only: every request after the server has restarted or \
                    ended the session, until the user reconnects";

/// Sends requests with ids of sessions that the server does not know.
pub(super) async fn findings(trial: &mut Trial<'_>) -> Result<Option<AuditFinding>, ProbeError> {
    let Some(own) = trial.conversation.session_id().map(str::to_owned) else { return Ok(None) };
    if trial.revision.era() != Era::Legacy || trial.is_over() {
        return Ok(None);
    }
    let list =
        |session: &str| Sent::request("1003", "tools/list", Some("")).with_header("mcp-session-id", Some(session));
    let unknown = trial.ask(&list(UNKNOWN)).await?;
    let mut told = refused_otherwise(&unknown).map(|did| format!("a request with an unknown `Mcp-Session-Id` {did}"));
    trial.is_doubtful = false;
    let ended = trial.conversation.bare(Method::DELETE, Some(&own)).await;
    if told.is_none() && ended.is_some_and(|status| (200..300).contains(&status)) {
        let after = trial.ask(&list(&own)).await?;
        told = refused_otherwise(&after).map(|did| format!("a request of a session that a DELETE has ended {did}"));
    }
    Ok(told.map(|detail| {
        let finding = UNKNOWN_SESSION_IS_404.violated(format!("{detail}, where 404 is due"), vec![trial.revision]);
        AuditFinding { lost_elsewhere: Some(LOST.to_owned()), ..finding }
    }))
}

/// Action of a server that refuses the request by something else than the status. One that serves the request needs no
/// session.
fn refused_otherwise(received: &Received) -> Option<String> {
    let status = received.status?;
    let is_served = matches!(received.reply, Reply::Result(_));
    let error = if let Reply::Error { code, message } = &received.reply {
        format!(" and error {}", in_words(*code, message))
    } else {
        String::new()
    };
    (status != 404 && !is_served).then(|| format!("is answered with HTTP status {status}{error}"))
}
