//! The mock MCP client: lists and calls tools over the wire, with no SDK in it, and reports what its user would get.
//!
//! ```text
//! ClientSpec (spec, policy, quirk)   the revisions, the negotiation, how results are read, what is done wrong
//!   -> play                          opens a connection, and a second one if the probe ended the first
//!   -> Wire (stream_wire, http_wire) sends requests and reads their answers; all other input goes to the inbox
//!   -> connect                       the handshake, or the probe that finds out the era: selects the revision
//!   -> steps                         the steps of the job: list, call, concurrent calls, evolve
//!      -> session                    tool_cache, then call_result, schema, deliver
//!   -> Answer                        what each step gave
//! ```
//!
//! An honest client returns the bytes that arrived. Values stay [`RawValue`](serde_json::value::RawValue) from the line
//! to the answer. They are parsed into a tree only for validation.
//!
//! # Choices where the specification leaves one
//! - **Schema used for validation**: the one in the latest list. A list becomes stale at
//!   `notifications/tools/list_changed`, or when its `ttlMs` has passed (0 passes at once). The client lists again before
//!   the next call, without telling its user. If that list fails, the older one is used. If there is no older one, the
//!   call fails with the error of the list. A client that never validates (`skip`) never lists on its own.
//! - **A list that fails on a later page** is an error for the user who asked for it. Tools on the pages that arrived can
//!   be called and are validated, unless the client has an older, complete list. A call of any other tool requests the
//!   list once more and fails if that fails.
//! - **Missing `content`** is read as an empty array. `null` for an optional member is read as its absence.
//!   `structuredContent: null` is a value.
//! - **An unusable schema** (unknown dialect, `$ref` to the network, not a schema) disables its own tool: calls of it
//!   fail in `validate` before anything is sent. The other tools stay usable.
//! - **Lines that are not messages**: a line that does not start like JSON is a log line and is skipped. A broken message
//!   fails the pending request, because nothing else could be its answer. If several requests are pending, it fails the
//!   one that remains without an answer.
//! - **Notifications** are accepted at any time. A change of the tools is recorded. Progress (each call carries a token,
//!   as several SDKs always do), log messages and unknown notifications are ignored.
//! - **Concurrent calls** share one deadline and one refresh of the list. A call that takes arguments from an earlier value
//!   gets the value of the call before it. Concurrent calls all get the value of the call before the group.
//! - **No answer to the probe** means a legacy server. The client waits half of the connect deadline,
//!   in memory at most 1 second.
//! - **A connection that ends at the probe** means a legacy server: the specification tells clients to fall back if there
//!   is no modern answer, and to restart a server that ended unexpectedly. A command is started again and a URL is
//!   requested again. A byte stream cannot be reopened, so there is no session.

mod adapter;
mod args_from;
mod call_result;
mod client_error;
mod concurrent_calls;
mod connect;
mod decoding;
mod deliver;
mod dialect;
mod exchange;
mod header_params;
mod http_wire;
mod inbox;
mod meta_names;
mod no_session;
mod pending_requests;
mod pending_response;
mod play;
mod policy;
pub mod profiles;
mod quirk;
mod ref_cycles;
mod remote_refs;
mod request_style;
mod schema;
mod server_process;
mod session;
mod spec;
mod sse;
mod steps;
mod stream_wire;
mod tool_cache;
mod types;
mod value;
mod wire;

pub use adapter::run_adapter;
pub use client_error::{ClientError, RpcError};

pub use http_wire::HttpClient;
pub use no_session::NoSession;
pub use play::{Played, play, play_connector, play_http, play_in_memory, play_stream};
pub use policy::{Lists, Policy, Preference, Roots, Types, Typing, Validation, Variant};
pub use quirk::ClientQuirk;
pub use request_style::RequestStyle;
pub use spec::{ClientSpec, ListLimits, SpecError};
pub use stream_wire::{ByteStream, Connector};
