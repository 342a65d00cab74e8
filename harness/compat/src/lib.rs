//! Which MCP client/server pairings break on structured tool output, how badly, why, and who has to fix it: as tests.
//!
//! ```text
//! Suite             the corpus against your implementation of the protocol   ┐
//!                                                                            ├─> Report: what broke, as a test's failure
//! ServerUnderTest   your server's own tools against every client             ┘
//! ```
//!
//! - [`ClientPeer`] and [`ServerPeer`] are your implementation: a command, or code [`in_process`]. [`peers`] reads a
//!   `peer.toml`.
//! - [`clients`] and [`servers`] name the peers that your implementation plays against.
//! - [`cargo_bin()`] builds a binary of your package without the features of its tests.
//!
//! The command line `mcp-compat` does the same and more, for programs in any language.
//!
//! Unix only (Linux and macOS): peers run in process groups of their own. Rust 1.89 or later.

pub mod cargo_bin;
mod error;
mod libtest;
pub mod peers;
mod reference_peers;
mod report;
mod server_under_test;
mod suite;

pub use cargo_bin::{CargoBin, CargoBinError, cargo_bin};
pub use error::SuiteError;
pub use mcp_compat_drive::Launch;
pub use mcp_compat_model::peer_contract;
pub use mcp_compat_model::{Revision, Role, Transport, observation, record, verdict};
pub use mcp_compat_run::baseline::Baseline;
pub use mcp_compat_run::baseline_file::BaselineFile;
pub use mcp_compat_run::in_process;
pub use mcp_compat_run::peer::{ClientPeer, Peer, PeerError, PeerInfo, ServerPeer};
pub use reference_peers::{clients, servers};
pub use report::Report;
pub use server_under_test::ServerUnderTest;
pub use suite::Suite;
