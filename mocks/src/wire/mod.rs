//! Code that the mock client and the mock server share, and nothing else of the project uses.
//!
//! ```text
//! jsonrpc      messages whose values stay raw text: bytes <-> Request | Notification | Response | Failure
//! lines        messages on a byte stream, one a line, bounded
//! object       one level of a JSON object as text, so that members can be added and removed without parsing the rest
//! rewrite      JSON text as a reader with other number types, or without duplicate keys, would write it again
//! serde_float  doubles as serde_json reads them, not always the nearest ones
//! deviations   quirks: named deviations from the specification, and the sets of them that a mock has
//! ```

pub mod deviations;
pub mod jsonrpc;
pub mod lines;
pub mod object;
pub mod rewrite;
mod serde_float;
