//! Whether a tool was called, and why its value was not seen.

use std::collections::HashMap;

use mcp_compat_model::Revision;
use mcp_compat_model::audit::CallState;
use mcp_compat_model::observation::Seen as SeenStep;
use mcp_compat_model::peer_contract::JobStep;
use mcp_compat_scenario::write::Answer;

use super::arguments::{NoArguments, does_not_conform, takes_arguments};
use super::calls::{Decision, Planned, option};
use super::failing_revisions::succeeded;
use super::lost_calls::is_lost;
use super::observed::ObservedServer;
use super::snapshot::ToolSnapshot;
use crate::probe::{ProbeSession, was_not_read};

/// What became of the call of a tool.
pub(super) fn call_state(planned: &Planned, observed: &ObservedServer, steps: &LastSteps<'_>) -> CallState {
    let Decision::Call { arguments, .. } = &planned.call else {
        return planned.left().unwrap_or_else(|| unreachable!("a tool that is not called has that state"));
    };
    let snapshots = observed.snapshots.get(&planned.name).map(Vec::as_slice).unwrap_or_default();
    let called = snapshots.iter().filter(|snapshot| snapshot.call.is_some());
    let (answered, failed): (Vec<_>, Vec<_>) = called.partition(|snapshot| succeeded(snapshot));
    if !answered.is_empty() {
        let [at, failed] =
            [answered, failed].map(|some| some.iter().map(|snapshot| snapshot.revision).collect::<Vec<Revision>>());
        let again = observed.again.get(&planned.name).is_some_and(|(_, revision)| at.contains(revision));
        return CallState::Answered { arguments: arguments.clone(), at, again, failed };
    }
    let step = steps.get(planned.name.as_str()).copied();
    let is_open =
        |snapshot: &ToolSnapshot| snapshot.call.as_ref().is_some_and(|call| matches!(call.answer, Answer::Hang));
    let waited = || unanswered(step?).map(|why| format!("{why}. If it needs longer, raise `--timeout`"));
    let why = snapshots.iter().rev().find_map(|snapshot| match is_open(snapshot) {
        true => waited().or_else(|| snapshot.failure()),
        false => snapshot.failure(),
    });
    if why.is_none() {
        let cut_short = observed.why_not_begun(&planned.name).map(|why| why.to_string());
        let ended = |_: &str| format!("the server had ended before. To audit it alone, give `--tool {}`", planned.name);
        if let Some(why) = cut_short.or_else(|| step.and_then(|(session, _)| session.death()).map(ended)) {
            return CallState::NotCalled { why, option: None };
        }
    }
    // Other arguments are no advice for a tool that has no parameters, or whose failure has another cause.
    let has_parameters = snapshots.last().is_none_or(|snapshot| takes_arguments(&snapshot.tool.definition));
    let helps = has_parameters && !snapshots.iter().any(is_lost);
    let why = why
        .or_else(|| unanswered(step?))
        .or_else(|| observed.sessions.called.last()?.0.not_read.map(was_not_read))
        .unwrap_or_else(|| "no answer came".to_owned());
    let refused = snapshots.last().and_then(|snapshot| does_not_conform(&snapshot.tool.definition, arguments));
    CallState::Failed {
        arguments: arguments.clone(),
        why: match refused.filter(|_| helps) {
            Some(problem) => {
                format!("the arguments do not conform to its inputSchema ({problem}): {why}")
            }
            None => why,
        },
        option: helps.then(|| option(&planned.name, Some(&NoArguments::Inconsistent(String::new())))),
    }
}

/// The last session that was to call each tool, and the place of the step.
pub(super) type LastSteps<'o> = HashMap<&'o str, (&'o ProbeSession, usize)>;

/// Which step of which session was the last to call each tool.
pub(super) fn last_steps(observed: &ObservedServer) -> LastSteps<'_> {
    let sessions = &observed.sessions.called;
    // Sessions at older revisions say nothing beside the newest one.
    let newest = sessions.last().map(|(session, _)| session.revision);
    let sessions = sessions.iter().filter(|(session, _)| Some(session.revision) == newest);
    let calls = sessions.flat_map(|(session, steps)| {
        steps.iter().enumerate().filter_map(move |(at, step)| match step {
            JobStep::Call { tool, .. } => Some((tool.as_str(), (session, at))),
            JobStep::List {} | JobStep::Evolve { .. } => None,
        })
    });
    calls.collect()
}

/// What the probe reports about the step of a call that was not answered.
fn unanswered((session, at): (&ProbeSession, usize)) -> Option<String> {
    match session.observation.steps.get(at) {
        Some(SeenStep::Failed(error)) => Some(error.message.clone()),
        Some(SeenStep::Called(_) | SeenStep::Listed { .. } | SeenStep::Evolved { .. } | SeenStep::NotReported {})
        | None => session.death().map(|how| format!("the server ended: {how}")),
    }
}
