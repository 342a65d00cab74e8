//! The mock client: lists and calls tools over the wire, with no SDK in it, and says what a user of it would see.
//!
//! ```text
//! ClientSpec (spec, policy, quirk)   which revisions, how to negotiate, how to read a result, what to do wrong
//!   -> play                          a connection, and another one where the probe was the end of it
//!   -> Wire (stream | http)          requests out, their answers in; what else comes in goes to the inbox (legible)
//!   -> connect                       the handshake, or the probe: which revision is spoken
//!   -> session                       list (shelf), call (reading, schema, dialect, deliver), calls at once (together), evolve
//!   -> Answer                        what each step gave
//! ```
//!
//! An honest client hands out the bytes that came: values stay [`RawValue`](serde_json::value::RawValue) from the
//! line to the answer, and are read as a tree only to be validated.
//!
//! # Choices where the specification leaves one
//! - **Which schema counts**: that of the latest list the client has. A list that was invalidated (by
//!   `notifications/tools/list_changed`, or because its `ttlMs` is over; 0 is over at once) is listed again, silently,
//!   before the next call. If that fails, the older list still serves; without any, the call fails as the list did.
//!   A client that never validates (`skip`) never lists on its own.
//! - **A list that breaks off** on a later page is an error to who asked for it. The tools of the pages that came can be
//!   called and are validated as ever, unless an older list is there, which is whole. A call of any other tool asks for
//!   the list once more, and fails as that does.
//! - **Missing `content`** is read as no blocks, and `null` for an optional member as its absence.
//!   `structuredContent: null` is a value.
//! - **A schema that cannot be used** (unknown dialect, `$ref` into the network, not a schema) takes its own tool out
//!   of use: its calls fail in `validate` before anything is sent. The other tools stay.
//! - **Lines that are no message**: what does not begin like JSON is a log line, and skipped; a broken message fails
//!   the request that waits, as nothing else could be its answer. Where several wait, it fails the one that is left
//!   without an answer.
//! - **Notifications** are taken whenever they come. Those of a change of tools count; progress (each call brings a
//!   token, as several SDKs always do), log messages and whatever has no name yet are let go.
//! - **Calls at once** share one deadline, and one look at the list beforehand. What a call passes on to the next is the
//!   value that this client handed out for the call before it; a call at once has that of the call before them all.
//! - **Silence after the probe** is taken for a legacy server's after half of the time to connect, 3 seconds at most; in
//!   memory 1 second at most.
//! - **The end of the connection at the probe** means a legacy server: the specification has the client fall back
//!   where there is no modern answer, and start a server again that ended unexpectedly. So a command is started again,
//!   and a URL asked again. Where the byte stream is given, and is no more, there is no session.

mod adapter;
mod awaited;
mod circle;
mod connect;
mod cost;
mod deliver;
mod dial;
mod dialect;
mod exchange;
mod feed;
mod fetch;
mod http;
mod inbox;
mod legible;
mod meta;
mod mirror;
mod play;
mod policy;
mod posted;
mod process;
mod quirk;
mod reading;
mod schema;
mod session;
mod shelf;
mod spec;
mod sse;
mod stream;
mod together;
mod trouble;
mod value;

pub use adapter::run_adapter;
pub use dial::Dial;
pub use http::HttpClient;
pub use play::{play, play_dialled, play_http, play_in_memory, play_patiently, play_stream};
pub use policy::{Policy, Preference, Typing, Validation};
pub use quirk::ClientQuirk;
pub use spec::{ClientSpec, SpecError};
