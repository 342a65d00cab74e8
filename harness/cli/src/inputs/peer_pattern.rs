//! Matches the names and patterns that users give against peers.

use mcp_compat_run::glob::Glob;
use mcp_compat_run::peer::PeerInfo;

/// Returns whether a pattern matches a peer. An invalid pattern matches none; it is reported when the request is
/// prepared.
pub fn matches(glob: &str, peer: &impl AsRef<PeerInfo>) -> bool {
    Glob::new(glob).is_ok_and(|glob| glob.matches(peer.as_ref().id().as_str()))
}
