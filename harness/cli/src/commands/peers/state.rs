//! Words about the state of a release.

use mcp_compat_fleet::{Installation, State};

/// The state of a release, in a word or two.
pub(super) fn word(state: State) -> &'static str {
    match state {
        State::Absent => "not installed",
        State::Unfinished => "unfinished",
        State::Stale => "out of date",
        State::Ready => "installed",
    }
}

/// The command that installs a release.
pub(super) fn install_command(peer: &Installation) -> String {
    format!("mcp-compat peers install {}", peer.id())
}
