//! Matches the names and patterns that users give against peers.

use mcp_compat_run::glob::Glob;
use mcp_compat_run::peer::Peer;

/// Whether a pattern matches a peer. An invalid pattern matches none; it is reported when the request is prepared.
pub(crate) fn matches(glob: &str, peer: &Peer) -> bool {
    Glob::new(glob).is_ok_and(|glob| glob.matches(peer.id().as_str()))
}
