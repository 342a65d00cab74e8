//! What was seen of a server: its tools, and what calls of them were answered with.

use mcp_compat_model::Revision;
use mcp_compat_model::contract::{BYSTANDER_TOOL, EVOLVE_TOOL};
use mcp_compat_scenario::write::Answer;

/// What was seen of a server, in order. JSON is text, as it was spelt.
#[derive(Clone, Debug, Default)]
pub struct Sightings {
    /// The revision that was spoken.
    pub revision: Option<Revision>,
    /// The tools, and what they became.
    pub stages: Vec<SeenStage>,
    /// What the client did.
    pub moments: Vec<Moment>,
    /// How many tools a page of the list held, where there was more than one.
    pub page_size: Option<u32>,
    /// Members of the list beside the tools, as a JSON object.
    pub list: Option<String>,
}

/// The tools of a server for some time, as far as they matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeenStage {
    /// Each with its name.
    pub tools: Vec<SeenTool>,
    /// Whether the change to them was told.
    pub told: bool,
}

/// A tool in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenTool {
    /// Its name.
    pub name: String,
    /// Its entry, a JSON object.
    pub definition: String,
}

/// One thing that the client did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Moment {
    /// It listed the tools, and got those of this stage.
    Listed {
        /// The stage's place.
        stage: usize,
    },
    /// It called a tool.
    Called(SeenCall),
}

/// A call and its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenCall {
    /// The place of the stage that held.
    pub stage: usize,
    /// The tool's name.
    pub tool: String,
    /// The arguments, a JSON object, where there were any.
    pub arguments: Option<String>,
    /// What it was answered with.
    pub answer: Answer,
}

impl Sightings {
    /// The calls, in order.
    pub fn calls(&self) -> impl Iterator<Item = &SeenCall> {
        self.moments.iter().filter_map(|moment| match moment {
            Moment::Called(call) => Some(call),
            Moment::Listed { .. } => None,
        })
    }
}

/// Whether a tool is one of those that every server of this project has besides.
pub(super) fn is_ours(name: &str) -> bool {
    [BYSTANDER_TOOL, EVOLVE_TOOL].contains(&name)
}
