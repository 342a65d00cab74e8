//! Which MCP client/server pairings break on structured tool output, how badly, why, and who has to fix it.
//!
//! ```text
//! corpus, fleet ─ Request ─> Plan ─ run ─> Event… ─> Record ─ Baseline ─> what is news
//!                                    │
//!                      Hosts::play: start server, start client, tap the wire
//!                                    └─> Transcript + Observation ─ judge ─> Verdict
//! ```
//!
//! - [`Suite`] and [`ServerUnderTest`] are the entry for `cargo test`: the corpus against your implementation of the
//!   protocol, and your server's own tools against every client.
//! - [`Request`] and [`run()`] are the entry for a program: the command line is built on them.
//! - [`likeness`] holds a profile against the real peer that it stands in for.
//! - [`mod@shrink`] reduces a scenario that breaks to what it takes to break.
//! - [`bisect`] finds the release of an SDK that changed an outcome; [`mod@merge`] joins the records of shards.
//! - [`mod@audit`] tells which clients lose what by a server that knows nothing of us; [`survey`] asks it, at every revision.
//! - [`contract`] keeps what a server promises, and says of a later version whom it breaks.
//! - [`mod@client_audit`] looks at any client program from the wire.
//! - [`author`] makes scenarios of bug reports and of recorded traffic; it too only decides.
//! - [`plan`], [`baseline`] and [`request`] decide and touch nothing; `hosts` and `play` act and decide nothing.
//!
//! A peer that fails is a result, never an error of this crate.

mod adapters;
pub mod audit;
pub mod author;
pub mod baseline;
pub mod baseline_file;
pub mod bisect;
mod calibrations;
mod canary;
pub mod cargo_bin;
pub mod client_audit;
mod command;
mod company;
pub mod contract;
mod counterparts;
pub mod editions;
pub mod events;
mod failure;
pub mod fleet;
pub mod glob;
mod hosts;
pub mod in_process;
pub mod likeness;
pub mod lint;
pub mod merge;
mod named;
mod observe;
mod peer;
pub mod plan;
mod play;
mod rehearsal;
mod relay_program;
mod report;
pub mod request;
pub mod rulebook;
mod run;
mod runtime;
mod schedule;
pub mod schema_suite;
pub mod schemas;
pub mod selftest;
mod server_under_test;
pub mod shrink;
pub mod store;
mod suite;
pub mod survey;
mod yardstick;

pub use baseline::Baseline;
pub use baseline_file::BaselineFile;
pub use cargo_bin::{CargoBin, CargoBinError, cargo_bin};
pub use command::{ClientCommand, Deeds, SUITE_TOOL, URL};
pub use counterparts::{clients, servers};
pub use events::{Event, Observer};
pub use fleet::Fleet;
pub use hosts::{HostError, Programs};
pub use mcp_compat_drive::Launch;
pub use mcp_compat_judge::triangulate;
pub use mcp_compat_model::contract as peer_contract;
pub use mcp_compat_model::{Revision, Role, Transport, observation, record, verdict};
pub use peer::{Peer, PeerError};
pub use report::Report;
pub use request::{Request, RequestError, default_jobs};
pub use run::{Patience, Run, Stop, run};
pub use schema_suite::{SchemaSuite, SchemaSuiteError};
pub use server_under_test::ServerUnderTest;
pub use suite::{Suite, SuiteError};
