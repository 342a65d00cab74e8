//! The outcome of each step by itself, for comparing two sessions step by step.

use mcp_compat_model::Cell;
use mcp_compat_model::observation::{Layer, Observation, Seen};
use mcp_compat_model::transcript::Transcript;
use mcp_compat_model::verdict::Outcome;
use mcp_compat_scenario::Scenario;

use crate::facts::Facts;
use mcp_compat_inclusion::Schemas;

/// The outcome of each step of a scenario; `None` if the session ended before it. A list or an evolution that succeeds is
/// `intact`.
#[must_use]
pub fn step_outcomes(
    scenario: &Scenario,
    cell: &Cell,
    transcript: &Transcript,
    observation: &Observation,
) -> Vec<Option<Outcome>> {
    let schemas = Schemas::default();
    let facts = Facts::gather(scenario, cell, transcript, observation, &schemas);
    let of_step = |step: usize| {
        let seen = observation.steps.get(step)?;
        let call = facts.calls.iter().find(|call| call.step == step);
        Some(match (call, seen) {
            (Some(call), seen) => facts.outcome_of(call, seen),
            (None, Seen::Failed(error)) => of_layer(error.layer),
            (None, Seen::Listed { .. } | Seen::Called(_) | Seen::Evolved { .. } | Seen::NotReported {}) => {
                Outcome::Intact
            }
        })
    };
    (0..scenario.steps.len()).map(of_step).collect()
}

/// The outcome of a list or an evolution that failed.
pub(crate) const fn of_layer(layer: Layer) -> Outcome {
    match layer {
        Layer::Connect => Outcome::Unreachable,
        Layer::Timeout => Outcome::Hung,
        Layer::Decode | Layer::Validate | Layer::Protocol | Layer::Tool => Outcome::Rejected,
    }
}
