//! The mock server: offers what a script says, and nothing else, to clients of either era.
//!
//! ```text
//! ServerSpec + Script -> Playbook        every page and result, rendered once for each revision
//!    conduct  what is done with results that the negotiated revision does not know
//!    quirk    at most one named deviation
//! Playbook -> protocol                   a request's method and parameters -> its answer
//!    stream   newline-delimited messages over any byte stream (memory, stdio)
//!    http     streamable HTTP, many scripts on one listener
//!    adapter  both again, as the peer contract launches them
//! ```
//!
//! `conformance/tools.json` in this crate is a script with the tools that the official conformance suite asks of a
//! server that offers nothing else.
//!
//! JSON text from a script is spliced, never parsed into a tree and written again: what a scenario says is what goes
//! over the wire, digit for digit.

mod adapter;
mod conduct;
mod fault;
mod holds;
mod http;
mod pages;
mod params;
mod part;
mod playbook;
mod protocol;
mod quirk;
mod render;
mod spec;
mod stream;
mod subscription;
mod template;
mod wrap;

pub use adapter::{AdapterError, run_http_adapter, run_stdio_adapter};
pub use conduct::Conduct;
pub use http::{HostError, HttpServer};
pub use playbook::{BadScript, Playbook};
pub use quirk::ServerQuirk;
pub use spec::{Answering, ServerSpec, UnknownServer};
pub use stream::{Ending, ServeError, serve, serve_playbook};
