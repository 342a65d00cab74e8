//! The lock of a server that was probed.

use mcp_compat_json::{Json, JsonError};
use mcp_compat_judge::wire;
use mcp_compat_model::Revision;
use mcp_compat_model::observation::Seen;

use super::lock::{Listing, Lock, LockError, ServerName};
use crate::probe::{ProbeSession, ProbedServer, Refused};

/// Why no lock can be made of a probed server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ListingError {
    /// A list is missing. Without it, all tools would seem to be removed.
    #[error("at {0} the server did not list its tools, so nothing was compared or saved")]
    Unlisted(Revision),
    /// It is unknown whether the server speaks a revision. A lock without it would lose what the server declares there.
    #[error("it is unknown whether the server speaks {}, so nothing was compared or saved: {}", .0.revision, .0.why)]
    Unclear(Refused),
    /// What it lists is not JSON.
    #[error("at {revision} the definition of a tool cannot be read: {error}")]
    Unreadable {
        /// Where.
        revision: Revision,
        /// What is wrong.
        error: JsonError,
    },
    /// No lock can be made of what it lists.
    #[error(transparent)]
    Lock(#[from] LockError),
}

/// The lock of a server.
///
/// # Errors
/// When a list is missing at a revision that the server speaks, or a tool cannot be locked.
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
    // The client may reject what is listed. An audit reports that; a lock only needs the complete list.
    let listed = matches!(session.observation.steps.first(), Some(Seen::Listed { .. }));
    if !listed && (session.tools.is_empty() || goes_on(session)) {
        return Err(ListingError::Unlisted(session.revision));
    }
    let unreadable = |error| ListingError::Unreadable { revision: session.revision, error };
    session.tools.iter().map(|tool| Json::parse(&tool.definition).map_err(unreadable)).collect()
}

/// Whether the last page of the list announces another page.
fn goes_on(session: &ProbeSession) -> bool {
    let messages = wire::read(&session.transcript);
    let mut pages =
        messages.iter().filter_map(|message| message.result().filter(|result| result.get("tools").is_some()));
    pages.next_back().and_then(|page| page.get("nextCursor")).is_some_and(|cursor| !cursor.is_null())
}
