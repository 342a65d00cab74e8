//! Wire-level mock MCP peers, with no SDK in them: they send exactly what a test says.
//!
//! If two real implementations fail together, nobody can tell which one is at fault. If one side is a mock that follows
//! the specification (or breaks it in exactly one named way), the other side is at fault.
//!
//! ```text
//! Script  -> server  -> byte stream | streamable HTTP              downgrades and quirks
//! Job     -> client  -> byte stream | streamable HTTP -> Answer    policies and quirks
//! ```
//!
//! A quirk is one named deviation. A sabotaged mock has one. A profile has those that a released SDK was seen to have:
//! [`profiles_page`] describes them.
//!
//! [`client`] and [`server`] share [`wire`], and nothing else of the project except exact JSON, the validator and the types and
//! peer contract of `model`: if both ends of a wire used the same code, its bugs would cancel out.

pub mod client;
mod profiles_page;
pub mod scripted_model;
pub mod server;
pub mod validators;
pub mod wire;

pub use crate::wire::deviations::{Deviations, ObservedQuirk};
pub use profiles_page::page as profiles_page;
