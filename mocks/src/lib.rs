//! Wire-level mock MCP peers, with no SDK in them: what they put on the wire is exactly what a test says.
//!
//! A pairing of two real implementations cannot tell whose fault a break is. With a mock on one side, which follows
//! the specification to the letter (or breaks it in exactly one named way), it can.
//!
//! ```text
//! Script  -> server  -> byte stream | streamable HTTP              conducts and quirks
//! Job     -> client  -> byte stream | streamable HTTP -> Answer    policies and quirks
//! ```
//!
//! A quirk is one named deviation. A sabotaged mock has one; a [`profile`] has those that a released SDK was seen to have.
//!
//! [`server`] and [`client`] share [`jsonrpc`] (messages whose values stay raw text), [`lines`] (framing of byte
//! streams), `object` and `rewrite` (JSON, spliced as text), and nothing with the rest of the project but the contract
//! of its peers: a framing bug at both ends would cancel out.

pub mod client;
mod deviations;
pub mod jsonrpc;
pub mod lines;
mod object;
pub mod profile;
mod rewrite;
pub mod server;

pub use deviations::{Deviations, Trait};
