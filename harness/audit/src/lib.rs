//! Programs that do not know mcp-compat: a server is probed, and a client is played with.
//!
//! - [`probe`]: what a server says at each revision that it speaks.
//! - [`server`]: the audit of a server: its defects, which clients lose what, and which change helps most.
//! - [`named_tests`]: the audit of a server as tests.
//! - [`client_audit`]: the audit of a client, from the wire alone.

pub mod client_audit;
pub mod named_tests;
pub mod probe;
pub mod schema_lock;
pub mod server;
