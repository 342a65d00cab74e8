//! What programs that know nothing of mcp-compat do: a server is asked, a client is played with.
//!
//! - [`server`]: which clients lose what with a server, and which change frees them.
//! - [`probe`]: what a server says at each revision.
//! - [`contract`]: what a server declares over time, and which clients a change breaks.
//! - [`client_audit`]: what a client program does, read from the wire alone.

pub mod client_audit;
pub mod probe;
pub mod schema_lock;
pub mod server;
