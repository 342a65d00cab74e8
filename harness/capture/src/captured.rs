//! What was seen of a server: its tools, and what calls of them were answered with.

use mcp_compat_json::Json;

use mcp_compat_model::Revision;
use mcp_compat_scenario::write::Answer;

/// What was seen of a server, in order. JSON is text, as it was spelt.
#[derive(Clone, Debug, Default)]
pub struct Captured {
    /// The revision that was spoken.
    pub revision: Option<Revision>,
    /// The tools, and what they became.
    pub stages: Vec<CapturedStage>,
    /// What the client did.
    pub requests: Vec<CapturedRequest>,
    /// How many tools a page of the list held, where there was more than one.
    pub page_size: Option<u32>,
    /// Members of the list beside the tools, as a JSON object.
    pub list: Option<String>,
}

/// The tools of a server for some time, as far as they matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CapturedStage {
    /// Each with its name.
    pub tools: Vec<CapturedTool>,
    /// Whether the change to them was told.
    pub told: bool,
}

/// A tool in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CapturedTool {
    /// Its name.
    pub name: String,
    /// Its entry, a JSON object.
    pub definition: String,
}

/// One thing that the client did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CapturedRequest {
    /// It listed the tools, and got those of this stage.
    Listed {
        /// The stage's place.
        stage: usize,
    },
    /// It called a tool.
    Called(CapturedCall),
}

/// A call and its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CapturedCall {
    /// The place of the stage that held.
    pub stage: usize,
    /// The tool's name.
    pub tool: String,
    /// The arguments, a JSON object, where there were any.
    pub arguments: Option<String>,
    /// What it was answered with.
    pub answer: Answer,
}

impl CapturedRequest {
    /// The place of the stage that held.
    #[must_use]
    pub fn stage(&self) -> usize {
        match self {
            Self::Listed { stage } => *stage,
            Self::Called(call) => call.stage,
        }
    }
}

impl Captured {
    /// The calls, in order.
    pub fn calls(&self) -> impl Iterator<Item = &CapturedCall> {
        self.requests.iter().filter_map(|request| match request {
            CapturedRequest::Called(call) => Some(call),
            CapturedRequest::Listed { .. } => None,
        })
    }
}

impl CapturedTool {
    /// The tool of an entry in a list, if a scenario can have such a tool: it has one name, which is not of our own.
    pub fn of(definition: &str) -> Option<Self> {
        let parsed = Json::parse(definition).ok()?;
        let mut names = parsed.as_object()?.get_all("name");
        let name = names.next()?.as_str().filter(|name| !name.is_empty() && !is_harness_tool(name))?.to_owned();
        names.next().is_none().then(|| Self { name, definition: definition.to_owned() })
    }
}

/// Whether a name is taken by the tools that every server of this project has besides.
pub fn is_harness_tool(name: &str) -> bool {
    name.starts_with("mcp_compat_")
}
