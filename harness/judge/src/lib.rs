//! The verdict: a pure function of a scenario, a transcript and an observation.

mod excerpt;
pub mod exchange;
pub mod expectation;
pub mod facts;
pub mod outcome;
pub mod rules;
pub mod schema;
pub mod session;
pub mod wire;

use mcp_compat_model::Cell;
use mcp_compat_model::observation::Observation;
use mcp_compat_model::transcript::Transcript;
use mcp_compat_model::verdict::{Outcome, Rating, Verdict};
use mcp_compat_scenario::Scenario;

/// Judges cells. One judge may serve a whole run and many threads.
#[derive(Debug, Default)]
pub struct Judge {
}

impl Judge {
    /// A judge.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Judges one cell.
    #[must_use]
    pub fn judge(&self, _: &Scenario, _: &Cell, _: &Transcript, _: &Observation) -> Verdict {
        Verdict {
            negotiated: None,
            outcome: Outcome::Incomplete,
            rating: Rating::Skipped,
            silent: false,
            vacuous: false,
            blast_radius: None,
            expected: None,
            findings: Vec::new(),
            fault: None,
            signature: None,
            reason: "not judged yet".to_owned(),
        }
    }
}
