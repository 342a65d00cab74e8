//! The vocabulary of mcp-compat.
//!
//! Every other crate speaks in these types, and a run flows through them in this order:
//!
//! ```text
//! Revision, PeerId, Cell            what is paired with what           (revision, peer, cell)
//! Script, Job, Answer               what peers receive and answer      (peer_contract)
//! Transcript, Observation           what happened                      (transcript, observation)
//! Evidence                          both, as they are kept             (evidence)
//! Verdict                           whether it is right, and whose turn it is (verdict)
//! Record                            one run, as stored                 (record)
//! Diff                              what changed between two runs (diff)
//! Audit                             the report on a server that needs no adapter (audit)
//! ```
//!
//! Values are exact JSON, of the crate `mcp_compat_json`.
//!
//! The crate is pure: it reads no file, clock, environment or socket (`clippy.toml` beside it says so to the
//! compiler), and it decides nothing. Deciding is the judge's work.

#![warn(missing_docs)]

pub mod audit;
pub mod cause;
pub mod cell;
pub mod client_audit;
pub mod comparison;
pub mod count;
pub mod data_file;
pub mod diff;
pub mod division;
pub mod evidence;
pub mod excerpt;
pub mod fidelity;
pub mod host_view;
pub mod invisible_chars;
pub mod missed;
mod named;
pub mod observation;
pub mod peer;
pub mod peer_contract;
pub mod projection;
pub mod query;
pub mod range;
pub mod read_limit;
pub mod record;
pub mod revision;
pub mod run_verdicts;
pub mod shapes;
pub mod shared_evidence;
pub mod signature;
pub mod stale_entry;
pub mod suggestions;
pub mod support;
pub mod tool;
pub mod transcript;
pub mod triangle;
pub mod verdict;
pub mod version;

pub use cell::{Cell, CellId, ScenarioId, Transport};
pub use peer::{Mode, PeerId, Role};
pub use revision::{Era, Revision};
