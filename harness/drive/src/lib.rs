//! Starts peers, carries bytes between them, and records what passes.
//!
//! ```text
//!   in-process peer ── memory link ───────────────┐
//!   StdioServerAdapter ── tapped link ────────────┤
//!   our own streams ── forward ───────────────────┤
//!   ClientAdapter   ── RelayHub ── tapped link ───┼──> Tap ──> Transcript
//!   HttpServerAdapter, ClientAdapter ── HttpProxy ┤
//!   a client's command               ── HttpProxy ┘
//! ```
//!
//! Bytes come from a client or a server, go to the other one unchanged, and are recorded in the [`Tap`] of their cell,
//! which becomes the transcript. This crate does not judge. It knows no scenario, no mock and no rule, only the peer
//! contract and the transcript.
//!
//! Two rules hold everywhere. Peers are not trusted: every line, body, log and wait has a limit, and no input makes the
//! harness panic. Nothing is left behind: dropping a value ends what it stands for, a process with its whole group.
//!
//! [`shell_word`] quotes a word for the shell that a command line is given to.

#[cfg(not(unix))]
compile_error!(
    "mcp-compat runs on Unix only (Linux and macOS): it starts and ends process groups, which this system does not have"
);

mod carrier;
mod client_adapter;
mod client_command;
mod descendants;
mod exchange;
mod failure;
pub mod files;
mod forward;
mod group;
mod json_line_process;
mod lines;
mod log;
mod memory;
mod memory_limit;
mod order;
mod output;
mod pending_requests;
mod pipe;
mod process;
mod processor_time;
mod proxy;
mod recording;
pub mod relay;
mod relay_hub;
mod server_adapter;
mod sse;
mod tap;
mod token;
mod upstream;

pub use client_adapter::{AdapterOptions, ClientAdapter};
pub use client_command::{CommandEnd, run_client};
pub use descendants::{adopt_orphans, end_descendants};
pub use failure::{AdapterFailure, ContractViolation};
pub use forward::forward;
pub use lines::{Line, LineSplitter};
pub use memory::{End, PipeReader, PipeWriter, memory_link, plain_link};
pub use output::{Output, OutputError, OutputReport, output, output_with_reports};
pub use pipe::tapped_link;
pub use process::{Exit, Launch, PeerProcess, Preparation, PreparationError, SpawnError, Stderr, shell_word};
pub use processor_time::at_work_to_the_end;
pub use proxy::{HttpProxy, Route, RouteError, likely_address};
pub use relay::{RELAY_ADDRESS_VARIABLE, RELAY_TOKEN_VARIABLE};
pub use relay_hub::{RELAY_SOURCE, RelayError, RelayHub, RelayStream, RelayTicket};
pub use server_adapter::{HostFailure, HttpServerAdapter, ScriptFile, StdioServerAdapter, StdioServerError};
pub use sse::{SseEvent, SseItem, SseParser};
pub use tap::{Limits, Tap};
pub use upstream::ConnectFailure;
