//! A server that does one legal thing at a time that not every client bears, and records what the client does.
//!
//! ```text
//! Behaviour (data) + State of one client ─ answers ─> messages ─┬─ http ──> responses, and an Exchange for each request
//!                                                              └─ lines ─> lines over standard streams, and the same
//! ```
//!
//! Mock servers play scenarios, which are about tools and results. This one varies everything around them: the list's
//! members, sessions, HTTP, event streams and refusals. It speaks the revisions that have a handshake.

mod answers;
mod behaviour;
mod body;
mod exchange;
mod http;
mod lines;

pub use behaviour::{Accepted, Behaviour, CallError, Get, Instead, Members, Refusal, SessionEnd, StreamForm};
pub use exchange::{Exchange, Verb};
pub use http::VariedServer;
pub use lines::VariedLines;
