//! The calls that a scripted model makes for a job, and their order.

use mcp_compat_mocks::scripted_model::{Plan, PlannedCall};
use mcp_compat_model::peer_contract::{CONTROL_SUFFIX, JobStep};

/// Places of the calls among the steps, in the order in which they are made. Calls of controls are made last: some hosts end
/// at a result that its schema does not allow.
pub(crate) fn calls_in_order(steps: &[JobStep]) -> Vec<usize> {
    let is_call = |place: &usize| matches!(steps.get(*place), Some(JobStep::Call { .. }));
    let is_control = |place: &usize| match steps.get(*place) {
        Some(JobStep::Call { tool, .. }) => tool.ends_with(CONTROL_SUFFIX),
        Some(JobStep::List {} | JobStep::Evolve { .. }) | None => false,
    };
    let (controls, others): (Vec<usize>, Vec<usize>) = (0..steps.len()).filter(is_call).partition(is_control);
    others.into_iter().chain(controls).collect()
}

/// The plan of a job, or the reason why hosts cannot play it.
pub(crate) fn plan(steps: &[JobStep]) -> Result<Plan, String> {
    if steps.iter().any(|step| matches!(step, JobStep::Evolve { .. })) {
        return Err("a host is not told to wait for a change of its tools".to_owned());
    }
    let call = |place: usize| match steps.get(place) {
        Some(JobStep::Call { tool, arguments, at_once: false, feed }) if feed.is_empty() => {
            Ok(PlannedCall { tool: tool.clone(), arguments: arguments.get().to_owned() })
        }
        Some(_) | None => Err("a host makes one call after the other".to_owned()),
    };
    Ok(Plan { calls: calls_in_order(steps).into_iter().map(call).collect::<Result<_, _>>()? })
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;

    fn call(tool: &str) -> JobStep {
        JobStep::call(tool, RawValue::from_string("{}".to_owned()).unwrap_or_default())
    }

    #[test]
    fn controls_are_called_last() {
        let steps = [JobStep::List {}, call("find"), call("find_control"), call("mcp_compat_bystander")];
        assert_eq!(calls_in_order(&steps), [1, 3, 2]);
    }
}
