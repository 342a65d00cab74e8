//! Tests that report which MCP client/server pairings break on structured tool output, how badly, why, and who has to
//! fix it.
//!
//! ```text
//! Suite             the corpus against your implementation of the protocol   ┐
//!                                                                            ├─> Report: what broke, as a test's failure
//! ServerUnderTest   your server's own tools against every client             ┘
//! ```
//!
//! - `ClientPeer` and `ServerPeer` are your implementation: a command, or code `in_process`. `peers` reads a `peer.toml`.
//! - `clients` and `servers` name the peers that your implementation plays against.
//! - [`cargo_bin()`] builds a binary of your package without the features of its tests.
//!
//! # Without the engine
//!
//! With `default-features = false`, [`ServerUnderTest`] starts the installed program `mcp-compat` of the same version
//! in place of the engine that is compiled into the test. The test stays as it is and compiles in seconds. `Suite` and
//! servers in the process of the test need the engine.
//!
//! The command line `mcp-compat` does the same and more for programs in any language.
//!
//! Unix only (Linux and macOS): peers run in process groups of their own. Rust 1.89 or later.

#![warn(missing_docs)]

#[cfg(feature = "engine")]
pub mod cargo_bin;
mod cargo_messages;
#[cfg(feature = "engine")]
mod error;
#[cfg(feature = "engine")]
mod libtest;
/// Peers that a `peer.toml` describes. They are installed when they are first used.
#[cfg(feature = "engine")]
pub mod peers {
    pub use mcp_compat_fleet::{InstalledPeerError, from_manifest, from_release};
}
pub mod prebuilt;
#[cfg(feature = "engine")]
mod reference_peers;
#[cfg(feature = "engine")]
mod report;
#[cfg(feature = "engine")]
mod server_under_test;
#[cfg(feature = "engine")]
mod suite;
mod test_run;

#[cfg(not(feature = "engine"))]
pub use prebuilt::{Launch, Report, ServerUnderTest, SuiteError, cargo_bin};

#[cfg(feature = "engine")]
pub use cargo_bin::{CargoBin, CargoBinError, cargo_bin};
#[cfg(feature = "engine")]
pub use error::SuiteError;
#[cfg(feature = "engine")]
pub use mcp_compat_drive::Launch;
#[cfg(feature = "engine")]
pub use mcp_compat_model::peer_contract;
#[cfg(feature = "engine")]
pub use mcp_compat_model::{Revision, Role, Transport, observation, record, verdict};
#[cfg(feature = "engine")]
pub use mcp_compat_run::baseline::Baseline;
#[cfg(feature = "engine")]
pub use mcp_compat_run::baseline_file::BaselineFile;
#[cfg(feature = "engine")]
pub use mcp_compat_run::in_process;
#[cfg(feature = "engine")]
pub use mcp_compat_run::peer::{ClientPeer, Peer, PeerError, PeerInfo, ServerPeer};
#[cfg(feature = "engine")]
pub use reference_peers::{clients, servers};
#[cfg(feature = "engine")]
pub use report::Report;
#[cfg(feature = "engine")]
pub use server_under_test::ServerUnderTest;
#[cfg(feature = "engine")]
pub use suite::Suite;
