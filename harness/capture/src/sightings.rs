//! What was seen of a server: its tools, and what calls of them were answered with.

use mcp_compat_json::Json;

use mcp_compat_model::Revision;
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

impl Moment {
    /// The place of the stage that held.
    #[must_use]
    pub fn stage(&self) -> usize {
        match self {
            Self::Listed { stage } => *stage,
            Self::Called(call) => call.stage,
        }
    }
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

impl SeenTool {
    /// The tool of an entry in a list, if a scenario can have such a tool: it has one name, which is not of our own.
    pub fn of(definition: &str) -> Option<Self> {
        let parsed = Json::parse(definition).ok()?;
        let mut names = parsed.as_object()?.get_all("name");
        let name = names.next()?.as_str().filter(|name| !name.is_empty() && !is_ours(name))?.to_owned();
        names.next().is_none().then(|| Self { name, definition: definition.to_owned() })
    }
}

/// Whether a name is taken by the tools that every server of this project has besides.
pub fn is_ours(name: &str) -> bool {
    name.starts_with("mcp_compat_")
}
