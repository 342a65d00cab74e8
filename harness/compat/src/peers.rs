//! Peers that a `peer.toml` describes: installed when they are first asked for.

pub use mcp_compat_fleet::{InstalledPeerError, from_manifest, from_release};
