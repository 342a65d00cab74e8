//! From scenarios and peers to a record: what is planned is played, judged, recorded and compared with a baseline.
//!
//! ```text
//! corpus, peers ─ Request ─> Plan ─ run ─> Event… ─> Record ─ Baseline ─> new breaks, stale entries
//!                                    │
//!                      Hosts::play: start server, start client, tap the wire
//!                                    └─> Transcript + Observation ─ judge ─> Verdict
//! ```
//!
//! - [`request`], [`plan`] and [`baseline`] decide and touch nothing; `hosts` and `play` act and decide nothing.
//! - [`peer`] is a client or a server, ready to be started; [`peer_set`] has the mocks.
//! - [`events`] is what a run reports while it goes on; [`store`] writes it down; [`mod@merge`] joins the records of shards.
//!
//! A peer that fails is a result, never an error of this crate.

pub mod adapters;
pub mod baseline;
pub mod baseline_file;
mod calibrations;
mod canary;
pub mod command;
mod company;
pub mod events;
pub mod glob;
pub mod hosts;
pub mod in_process;
pub mod merge;
pub mod observe;
pub mod peer;
pub mod peer_set;
pub mod plan;
mod play;
pub mod rehearsal;
mod relay_program;
pub mod request;
pub mod run;
pub mod runtime;
mod schedule;
pub mod store;
pub mod yardstick;
