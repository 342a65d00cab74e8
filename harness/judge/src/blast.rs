//! The damage of a broken call.

use mcp_compat_model::observation::{End, Observation, Seen};
use mcp_compat_model::peer_contract::BYSTANDER_TOOL;
use mcp_compat_model::verdict::{BlastRadius, Outcome};
use mcp_compat_scenario::scenario::{Scenario, Step};

use crate::outcome::{Sent, outcome};

/// The thing that broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken<'a> {
    Session,
    List,
    /// A step that is neither a list nor a call.
    Step,
    Call(&'a str),
}

/// The damage, by the outcomes of the list and of the plain tool beside the broken one.
#[must_use]
pub fn blast_radius(scenario: &Scenario, observation: &Observation, broken: Broken<'_>) -> BlastRadius {
    let tool = match broken {
        Broken::Session => return BlastRadius::Session,
        Broken::List | Broken::Step => "",
        Broken::Call(tool) => tool,
    };
    match observation.end {
        End::Answered {} => {}
        End::NoSession(_)
        | End::Unsupported { .. }
        | End::TimedOut { .. }
        | End::Crashed { .. }
        | End::NotStarted { .. }
        | End::HarnessFailed { .. } => return BlastRadius::Session,
    }
    let mut seen = scenario.steps.iter().zip(&observation.steps);
    if every_step_failed_to_connect(observation) {
        return BlastRadius::Session;
    }
    if broken == Broken::List {
        return BlastRadius::Server;
    }
    let harmed = |(step, seen): (&Step, &Seen)| match step {
        Step::List => matches!(seen, Seen::Failed(_)),
        Step::Call(call) if call.tool == BYSTANDER_TOOL => {
            !matches!(seen, Seen::NotReported {}) && outcome(&call.means, seen, Sent::Success) != Outcome::Intact
        }
        Step::Call(_) | Step::Evolve { .. } => false,
    };
    if seen.any(harmed) {
        BlastRadius::Server
    } else if is_listed(observation, tool) {
        BlastRadius::Call
    } else {
        BlastRadius::Tool
    }
}

fn every_step_failed_to_connect(observation: &Observation) -> bool {
    observation
        .steps
        .iter()
        .all(|seen| matches!(seen, Seen::Failed(error) if error.layer == mcp_compat_model::observation::Layer::Connect))
}

/// Returns true if the last list that the user got has the tool; a user who never asked for a list loses nothing by
/// that.
fn is_listed(observation: &Observation, tool: &str) -> bool {
    let last = observation.steps.iter().rev().find_map(|seen| match seen {
        Seen::Listed { tools } => Some(tools),
        Seen::Called(_) | Seen::Evolved { .. } | Seen::Failed(_) | Seen::NotReported {} => None,
    });
    last.is_none_or(|tools| tools.iter().any(|listed| listed.name == tool))
}
