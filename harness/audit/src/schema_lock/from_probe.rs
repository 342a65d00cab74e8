//! The lock of a server that was probed.

use std::collections::BTreeSet;

use mcp_compat_json::{Json, JsonError};
use mcp_compat_judge::wire::message::messages;
use mcp_compat_model::Revision;
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::observation::Seen;

use crate::probe::{ProbeSession, ProbedServer, Refused};
use crate::schema_lock::lock::{Listing, Lock, LockError};

/// Error about a probed server that cannot be locked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ListingError {
    #[error("at {0} the server did not list its tools, so nothing was compared or saved")]
    Unlisted(Revision),
    #[error(
        "at {revision} the list of tools is too long: it was read up to {after}, and the server has more, so nothing was \
         compared or saved"
    )]
    Cut {
        revision: Revision,
        /// The end of the part that was read, in words.
        after: String,
    },
    #[error("it is unknown whether the server speaks {}, so nothing was compared or saved: {}", .0.revision, .0.why)]
    Unclear(Refused),
    #[error("at {revision} the definition of a tool cannot be read: {error}")]
    Unreadable { revision: Revision, error: JsonError },
    #[error("at {0} the server lists an entry that is not a tool with a name, so nothing was compared or saved")]
    NoTool(Revision),
    #[error("at {revision} the server lists `{name}` more than once, so nothing was compared or saved")]
    Twice {
        revision: Revision,
        /// The name, with what cannot be seen made visible.
        name: String,
    },
    #[error(transparent)]
    Lock(#[from] LockError),
}

pub fn lock_of(probed: &ProbedServer) -> Result<Lock, ListingError> {
    if let Some(refused) = probed.refused.iter().find(|refused| !refused.certain) {
        return Err(ListingError::Unclear(refused.clone()));
    }
    let mut listing = Listing::new();
    for session in &probed.spoken {
        listing.insert(session.revision, definitions(session)?);
    }
    Ok(Lock::new(probed.server.clone(), &listing)?)
}

fn definitions(session: &ProbeSession) -> Result<Vec<Json>, ListingError> {
    if let Some(after) = &session.cut {
        return Err(ListingError::Cut { revision: session.revision, after: after.clone() });
    }
    // The client may reject what is listed. An audit reports that; a lock only needs the complete list.
    let listed = matches!(session.observation.steps.first(), Some(Seen::Listed { .. }));
    if !listed && (session.tools.is_empty() || goes_on(session)) {
        return Err(ListingError::Unlisted(session.revision));
    }
    names_are_unique(session)?;
    let unreadable = |error| ListingError::Unreadable { revision: session.revision, error };
    session.tools.iter().map(|tool| Json::parse(&tool.definition).map_err(unreadable)).collect()
}

/// A session has the first of several tools of one name, and no entry without a name.
fn names_are_unique(session: &ProbeSession) -> Result<(), ListingError> {
    let revision = session.revision;
    let mut names = BTreeSet::new();
    for message in messages(&session.transcript) {
        let tools = message.result().and_then(|result| result.get("tools")).and_then(Json::as_array);
        for tool in tools.unwrap_or_default() {
            let name = tool.get("name").and_then(Json::as_str).ok_or(ListingError::NoTool(revision))?;
            if !names.insert(name.to_owned()) {
                return Err(ListingError::Twice { revision, name: neutralised(name) });
            }
        }
    }
    Ok(())
}

/// Returns true if the last page of the list announces another page.
fn goes_on(session: &ProbeSession) -> bool {
    let messages = messages(&session.transcript);
    let mut pages =
        messages.iter().filter_map(|message| message.result().filter(|result| result.get("tools").is_some()));
    pages.next_back().and_then(|page| page.get("nextCursor")).is_some_and(|cursor| !cursor.is_null())
}
