//! Tools that were captured of a server, and the answers to calls of them.

use mcp_compat_json::Json;

use mcp_compat_model::Revision;
use mcp_compat_model::peer_contract::AnsweredMethod;
use mcp_compat_scenario::write::Answer;

/// Capture of a server, in order. JSON is text, as it was spelt.
#[derive(Clone, Debug, Default)]
pub struct Captured {
    pub revision: Option<Revision>,
    /// The tools, one stage for each change of them.
    pub stages: Vec<CapturedStage>,
    pub requests: Vec<CapturedRequest>,
    /// The number of tools on a page of the list, if there was more than one page.
    pub page_size: Option<u32>,
    /// Members of the list beside the tools, as a JSON object.
    pub list: Option<String>,
    /// Members that the list lacked, although its revision requires them.
    pub list_without: Vec<String>,
    /// Answers to requests that open a session, where they are not as the specification has them.
    pub openings: Vec<Opening>,
    /// Things that were seen and are not here, a line each.
    pub left_out: Vec<String>,
}

/// The result of a request that opens a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    pub to: AnsweredMethod,
    /// The result, a JSON object.
    pub result: String,
}

/// The tools of a server between two changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CapturedStage {
    pub tools: Vec<CapturedTool>,
    /// True if the server sent a notification of the change.
    pub notified: bool,
}

/// A tool in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CapturedTool {
    pub name: String,
    /// Its entry, a JSON object.
    pub definition: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CapturedRequest {
    /// It listed the tools of this stage.
    Listed {
        /// The stage's place.
        stage: usize,
    },
    Called(CapturedCall),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CapturedCall {
    /// The place of the stage that held.
    pub stage: usize,
    pub tool: String,
    /// The arguments, a JSON object, if there were any.
    pub arguments: Option<String>,
    pub answer: Answer,
    /// Members that the result lacked, although its revision requires them.
    pub without: Vec<String>,
}

impl CapturedRequest {
    /// The place of the stage that held.
    pub fn stage(&self) -> usize {
        match self {
            Self::Listed { stage } => *stage,
            Self::Called(call) => call.stage,
        }
    }
}

impl Captured {
    pub fn calls(&self) -> impl Iterator<Item = &CapturedCall> {
        self.requests.iter().filter_map(|request| match request {
            CapturedRequest::Called(call) => Some(call),
            CapturedRequest::Listed { .. } => None,
        })
    }
}

impl CapturedTool {
    /// The tool of an entry in a list. `None` if a scenario cannot have it: it needs exactly one name, and not that of a
    /// harness tool.
    pub fn of(definition: &str) -> Option<Self> {
        let parsed = Json::parse(definition).ok()?;
        let mut names = parsed.as_object()?.get_all("name");
        let name = names.next()?.as_str().filter(|name| !name.is_empty() && !is_harness_tool(name))?.to_owned();
        names.next().is_none().then(|| Self { name, definition: definition.to_owned() })
    }
}

/// Returns true if a name belongs to the tools that every server of the harness has in addition.
pub fn is_harness_tool(name: &str) -> bool {
    name.starts_with("mcp_compat_")
}
