//! The answer to a job, from what a model got to see. Pure.

use mcp_compat_mocks::scripted_model::{
    ModelView, OfferedTool, SeenResult, ToolAnswer as ModelAnswer, offered_as, refusals,
};
use mcp_compat_model::observation::{Layer, PeerError};
use mcp_compat_model::peer_contract::{Answer, JobStep, StepAnswer, ToolAnswer};
use regex::Regex;
use serde_json::value::RawValue;

use crate::form::{SERVER_NAME, Wrapper};
use crate::plan::calls_in_order;
use crate::tool_result::step_answer;

/// How a start of a host ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HostEnd {
    /// How it ended, in words; `None` if it had to be ended.
    pub(crate) exit: Option<String>,
    /// The end of what it printed.
    pub(crate) words: String,
}

/// What reading a start needs to know of the host.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    pub(crate) strip: Vec<Regex>,
    pub(crate) errors: Vec<Regex>,
    pub(crate) own_tools: Vec<String>,
    pub(crate) content_as_json: bool,
    pub(crate) texts_as_json: bool,
    pub(crate) wrapper: Option<Wrapper>,
}

impl Reading {
    /// Answers a job.
    pub(crate) fn answer(&self, id: u64, steps: &[JobStep], view: &ModelView, end: &HostEnd) -> Answer {
        let mut answer = Answer { id, negotiated: None, unsupported: None, error: None, steps: Vec::new() };
        if view.interface.is_none() {
            answer.error = Some(end.error("never asked the model with tools"));
            return answer;
        }
        let made = calls_in_order(steps);
        let result = |place: usize| view.results.get(made.iter().position(|made| *made == place)?);
        answer.steps = steps
            .iter()
            .enumerate()
            .map(|(place, step)| match step {
                JobStep::List {} => {
                    let tools = self.of_server(view, steps);
                    StepAnswer { tools: Some(tools), ..StepAnswer::default() }
                }
                JobStep::Call { tool, .. } => match result(place) {
                    Some(SeenResult::Answered(result)) => step_answer(result, self),
                    // The host says nothing, and the model cannot call it.
                    Some(SeenResult::NotOffered) => {
                        step_answer(&ModelAnswer { parts: Vec::new(), is_error: None }, self)
                    }
                    Some(SeenResult::NotAnswered) | None => {
                        let error = end.error(&format!("did not hand the model a result of {tool}"));
                        StepAnswer { error: Some(error), ..StepAnswer::default() }
                    }
                },
                JobStep::Evolve { .. } => failed(Layer::Connect, "a host is not told to wait for a change".to_owned()),
            })
            .collect();
        answer
    }

    /// The tools of the server among those that were offered, by the names that the server gave them, as far as a call names
    /// them.
    fn of_server(&self, view: &ModelView, steps: &[JobStep]) -> Vec<ToolAnswer> {
        let called = steps.iter().filter_map(called);
        let known: Vec<(&str, &OfferedTool)> =
            called.filter_map(|name| Some((name, offered_as(name, &view.offered)?))).collect();
        let refused = view.interface.map_or_else(Vec::new, |interface| refusals(interface, &view.offered));
        let name = |tool: &OfferedTool| {
            let original = known.iter().find(|(_, offered)| *offered == tool).map(|(name, _)| *name);
            let own = || self.own_tools.is_empty() || self.own_tools.contains(&tool.name);
            original.or_else(|| prefixed(tool)).or_else(|| (!own()).then_some(&*tool.name)).map(ToOwned::to_owned)
        };
        let answer = |tool: &OfferedTool| {
            let refused =
                refused.iter().find(|refused| refused.tool == tool.name).map(|refused| refused.why.to_owned());
            let input_schema = tool.schema.as_ref().and_then(|schema| RawValue::from_string(schema.to_compact()).ok());
            Some(ToolAnswer { name: name(tool)?, output_schema: None, input_schema, refused, found: view.searches })
        };
        view.offered.iter().filter_map(answer).collect()
    }
}

fn called(step: &JobStep) -> Option<&str> {
    match step {
        JobStep::Call { tool, .. } => Some(tool),
        JobStep::List {} | JobStep::Evolve { .. } => None,
    }
}

/// The name after that of the server: `mcp__srv__tool`, `srv_tool`, or `tool` in the namespace `mcp__srv`.
fn prefixed(tool: &OfferedTool) -> Option<&str> {
    if tool.namespace.as_deref().is_some_and(|space| space.ends_with(SERVER_NAME)) {
        return Some(&tool.name);
    }
    let (before, after) = tool.name.split_once(SERVER_NAME)?;
    let is_prefix = before.is_empty() || before.trim_end_matches(['_', '-', '.']).eq_ignore_ascii_case("mcp");
    let name = after.trim_start_matches(['_', '-', '.', '/']);
    (is_prefix && name.len() < after.len()).then_some(name)
}

fn failed(layer: Layer, message: String) -> StepAnswer {
    StepAnswer::from((layer, message))
}

impl HostEnd {
    fn error(&self, what: &str) -> PeerError {
        let (layer, how) = match &self.exit {
            Some(exit) => (Layer::Connect, format!("ended ({exit}) and {what}")),
            None => (Layer::Timeout, format!("did not end in time and {what}")),
        };
        let words = self.words.trim();
        let message = if words.is_empty() { format!("the host {how}") } else { format!("the host {how}: {words}") };
        PeerError { layer, code: None, message }
    }
}
