//! One tool as a scenario of its own: as it is listed, and as it answered.

use mcp_compat_model::ScenarioId;
use mcp_compat_scenario::write::Written;
use mcp_compat_scenario::{Scenario, load};

use super::compose::{Composed, Origin, compose};
use super::sightings::{Moment, SeenCall, SeenStage, SeenTool, Sightings};
use super::unseen::made_up;

/// Why no scenario can be made of a tool.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no scenario can be made of `{tool}`: {problem}")]
pub struct Unstageable {
    /// The tool.
    pub tool: String,
    /// What is in the way, in a line.
    pub problem: String,
}

/// A scenario of a tool. Where it was not called, it answers with something made up.
///
/// # Errors
/// When a scenario cannot have such a tool.
pub fn stage(id: &ScenarioId, tool: &SeenTool, call: Option<&SeenCall>) -> Result<Scenario, Unstageable> {
    let mut sightings = Sightings::default();
    sightings.stages.push(SeenStage { tools: vec![tool.clone()], told: false });
    let call = call.cloned().unwrap_or_else(|| made_up(tool, 0));
    sightings.moments.push(Moment::Called(SeenCall { stage: 0, ..call }));
    let Composed { draft, .. } = compose(&sightings, Origin::default());
    let stem = id.as_str().rsplit('/').next().unwrap_or_default();
    let folder = id.as_str().strip_suffix(stem).unwrap_or_default();
    let Written { text, beside } = draft.write(stem);
    let bytes = |path: &str| {
        let name = path.strip_prefix(folder)?;
        beside.iter().find(|file| file.name == name).map(|file| file.bytes.clone())
    };
    let unstageable = |problem: String| Unstageable { tool: tool.name.clone(), problem };
    let scenarios = load(&format!("{id}.toml"), &text, &bytes).map_err(|diagnostics| {
        let first = diagnostics.iter().next().map(|diagnostic| diagnostic.message.clone());
        unstageable(first.unwrap_or_else(|| "its file cannot be read".to_owned()))
    })?;
    scenarios.into_iter().next().ok_or_else(|| unstageable("its file is empty".to_owned()))
}
