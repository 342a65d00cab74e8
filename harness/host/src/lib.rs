//! Hosts: programs that offer the tools of MCP servers to a model, and hand it the results of its calls.
//!
//! A host is a client whose user is a model. This adapter starts one with a scripted model, so that the requests to the
//! model show what a model gets to see. It speaks the peer contract: a job goes in, an answer comes out.
//!
//! ```text
//! Job ─ plan ─> ScriptedModel, fresh home ─ start ─> requests ─ ModelView ─ answer ─> Answer
//! ```

mod adapter;
mod answer;
mod form;
mod home;
mod isolation;
mod plan;
mod play;
mod tool_result;

pub use adapter::serve;
pub use form::{HostForm, PLACEHOLDERS};
pub use isolation::{Isolation, enter};
