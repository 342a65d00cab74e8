//! The lock of a server that was asked for its tools.

use mcp_compat_json::{Json, JsonError};
use mcp_compat_judge::wire;
use mcp_compat_model::Revision;
use mcp_compat_model::observation::Seen;

use super::lock::{Listing, Lock, LockError, ServerName};
use crate::probe::{ProbeSession, ProbedServer, Refused};

/// Why there is nothing of a server to be kept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ListingError {
    /// Without its list, every tool would seem to be gone.
    #[error(
        "at {0} the server gave no list of its tools: nothing can be said of that revision, so nothing was compared or kept"
    )]
    Unlisted(Revision),
    /// Whether it speaks a revision is not known, and to leave it out would be to forget what it promises there.
    #[error("whether the server speaks {} is not known, so nothing was compared or kept: {}", .0.revision, .0.why)]
    Unclear(Refused),
    /// What it lists is not JSON.
    #[error("at {revision} the definition of a tool cannot be read: {error}")]
    Unreadable {
        /// Where.
        revision: Revision,
        /// What is wrong.
        error: JsonError,
    },
    /// What it lists cannot be kept.
    #[error(transparent)]
    Lock(#[from] LockError),
}

/// The lock of a server.
///
/// # Errors
/// When a list is missing at a revision that it speaks, or cannot be kept.
pub fn lock_of(probed: &ProbedServer) -> Result<Lock, ListingError> {
    if let Some(refused) = probed.refused.iter().find(|refused| !refused.certain) {
        return Err(ListingError::Unclear(refused.clone()));
    }
    let mut listing = Listing::new();
    for session in &probed.spoken {
        listing.insert(session.revision, definitions(session)?);
    }
    let server = ServerName { name: probed.server.name.clone(), version: probed.server.version.clone() };
    Ok(Lock::new(server, &listing)?)
}

fn definitions(session: &ProbeSession) -> Result<Vec<Json>, ListingError> {
    // Our client may refuse what is listed: that is a matter for an audit, as long as the list came to its end.
    let listed = matches!(session.observation.steps.first(), Some(Seen::Listed { .. }));
    if !listed && (session.tools.is_empty() || goes_on(session)) {
        return Err(ListingError::Unlisted(session.revision));
    }
    let unreadable = |error| ListingError::Unreadable { revision: session.revision, error };
    session.tools.iter().map(|tool| Json::parse(&tool.definition).map_err(unreadable)).collect()
}

/// Whether the last page that came of the list says that there is another one.
fn goes_on(session: &ProbeSession) -> bool {
    let messages = wire::read(&session.transcript);
    let mut pages =
        messages.iter().filter_map(|message| message.result().filter(|result| result.get("tools").is_some()));
    pages.next_back().and_then(|page| page.get("nextCursor")).is_some_and(|cursor| !cursor.is_null())
}
