//! A scenario of one tool, as it was listed and as it answered.

use mcp_compat_model::ScenarioId;
use mcp_compat_scenario::write::Written;
use mcp_compat_scenario::{Scenario, load};

use super::captured::{Captured, CapturedCall, CapturedRequest, CapturedStage, CapturedTool};
use super::compose::{Composed, Origin, compose};
use super::placeholder::placeholder_call;

/// Reason for which no scenario can be made of a tool.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no scenario can be made of `{tool}`: {problem}")]
pub struct NoScenario {
    pub tool: String,
    pub problem: String,
}

/// The scenario of a tool. A tool that was not called has a placeholder result.
///
/// # Errors
/// When a scenario cannot have such a tool.
pub fn tool_scenario(
    id: &ScenarioId,
    tool: &CapturedTool,
    call: Option<&CapturedCall>,
) -> Result<Scenario, NoScenario> {
    let mut captured = Captured::default();
    captured.stages.push(CapturedStage { tools: vec![tool.clone()], notified: false });
    let call = call.cloned().unwrap_or_else(|| placeholder_call(tool, 0));
    captured.requests.push(CapturedRequest::Called(CapturedCall { stage: 0, ..call }));
    let Composed { draft, .. } = compose(&captured, Origin::default());
    let stem = id.as_str().rsplit('/').next().unwrap_or_default();
    let folder = id.as_str().strip_suffix(stem).unwrap_or_default();
    let Written { text, beside } = draft.write(stem);
    let bytes = |path: &str| {
        let name = path.strip_prefix(folder)?;
        beside.iter().find(|file| file.name == name).map(|file| file.bytes.clone())
    };
    let no_scenario = |problem: String| NoScenario { tool: tool.name.clone(), problem };
    let scenarios = load(&format!("{id}.toml"), &text, &bytes).map_err(|diagnostics| {
        let first = diagnostics.iter().next().map(|diagnostic| diagnostic.message.clone());
        no_scenario(first.unwrap_or_else(|| "its file cannot be read".to_owned()))
    })?;
    scenarios.into_iter().next().ok_or_else(|| no_scenario("its file is empty".to_owned()))
}
