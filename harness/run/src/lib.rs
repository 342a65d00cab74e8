//! Runs scenarios between clients and servers: plans the cells, plays and judges them, records them, and compares the record
//! with a baseline.
//!
//! ```text
//! corpus, peers ─ Request ─> Plan ─ run ─> Event… ─> Record ─ Baseline ─> new breaks, stale entries
//!                                    │
//!              RunEnvironment::play: start server, start client, tap the wire
//!                                    └─> Transcript + Observation ─ judge ─> Verdict
//! ```
//!
//! - [`request`], [`plan`] and [`baseline`] decide, and start nothing. [`environment`] and `play` act, and decide nothing.
//! - [`peer`] has the clients and the servers, ready to be started. [`peer_set`] has the mocks.
//! - [`events`] is what a run reports while it goes on; [`store`] writes it to files. [`mod@merge`] joins the
//!   records of shards.
//!
//! The failure of a peer is a result, never an error of this crate.

mod adapter_lease;
pub mod adapters;
pub mod baseline;
pub mod baseline_file;
pub mod black_box;
pub mod canary;
pub mod context;
pub mod empty_scenario;
pub mod environment;
pub mod events;
pub mod glob;
pub mod history;
pub mod in_memory;
pub mod in_process;
pub mod merge;
pub mod observe;
pub mod peer;
pub mod peer_set;
pub mod plan;
mod play;
pub mod programs;
pub mod recording;
pub mod redact;
pub mod request;
pub mod run;
pub mod runtime;
mod schedule;
pub mod store;
pub mod timeouts;

/// Returns how many processors this program may use: those of the machine, or those that a container is limited to.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}
