//! Changes between two runs: pure functions of their records.
//!
//! ```text
//! Record, evidence, scenarios ── Rejudge ──> Record with the verdicts of today's judge
//! Record, Record ── pairing ──> pairs of cells ── classes ──> Change ── grouping ──> Diff
//! ```
//!
//! - **Judged anew**: where two records are of different judges, the evidence of both is judged by today's judge first. So
//!   a change of a rule is never reported as a change of a peer.
//! - **Pairing**: scenario, client, server and transport. Scenarios are the same if their content is. Releases are compared
//!   with the same release, and the newest release of a family with the newest one of the other run.
//! - **Classes**: [`Class`](mcp_compat_model::diff::Class) says what each of them means.
//! - **Grouping**: changes of one class and one cause, by the release that moved.
//!
//! `diff(a, a)` is empty, and `diff(b, a)` is the mirror image of `diff(a, b)`.

mod diff;
mod grouping;
mod pairing;
mod rejudge;
mod scenarios;

pub use diff::{Incomparable, Options, Run, diff};
pub use rejudge::{Rejudge, Rejudged, is_judged_by_this};
