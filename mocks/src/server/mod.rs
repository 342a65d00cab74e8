//! The mock MCP server: offers what a script says, and nothing else, to clients of either era.
//!
//! ```text
//! ServerSpec + Script -> CompiledScript   every page and every result, rendered once for each revision
//!    downgrade   what is done with results that the negotiated revision does not know
//!    quirk       at most one named deviation (a profile: all of its SDK)
//! CompiledScript -> protocol              a request's method and parameters -> its answer
//!    stream      messages as lines over any byte stream (memory, stdio)
//!    http        streamable HTTP, many scripts on one listener
//!    adapter     both, as the peer contract starts them
//! ```
//!
//! JSON text from a script is spliced. It is never parsed into a tree and written again, so that the wire carries exactly
//! what a scenario says, digit for digit.

mod adapter;
mod compiled_script;
mod downgrade;
pub(crate) mod http;
mod pages;
mod params;
pub mod profiles;
mod protocol;
mod quirk;
mod rendering;
mod script_cache;
mod spec;
mod stream;
mod template;
mod tool_behavior;
pub mod varied;
mod wrap;

pub use adapter::{AdapterError, run_http_adapter, run_stdio_adapter};
pub use compiled_script::{BadScript, CompiledScript};
pub use downgrade::Downgrade;
pub use http::{HostError, HttpServer};
pub use profiles::ResponseFormat;
pub use quirk::ServerQuirk;
pub use script_cache::{ScriptCache, ScriptKey};
pub use spec::{ServerSpec, UnknownServer};
pub use stream::{ServeEnd, ServeError, serve, serve_compiled};
