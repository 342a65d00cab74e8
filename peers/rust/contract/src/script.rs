//! Script of a server.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use crate::exact;

/// Names the file with a stdio server's script.
pub const SCENARIO_VARIABLE: &str = "MCP_COMPAT_SCENARIO";

/// Script of a server.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// For logs.
    pub scenario: String,
    /// The tools, and what they become with each evolution.
    pub stages: Vec<Stage>,
    /// Number of tools on a page of the list; all when absent.
    #[serde(default)]
    pub page_size: Option<usize>,
    /// Members that the result of `tools/list` has beside `tools`.
    #[serde(default)]
    pub list: Option<Map<String, Value>>,
    /// Members that the result of `tools/list` is sent without.
    #[serde(default)]
    pub list_without: Vec<String>,
    /// Answers to requests that are no calls.
    #[serde(default)]
    pub answers: Vec<IgnoredAny>,
}

/// The tools for some time.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// In the order in which they are listed.
    pub tools: Vec<ScriptedTool>,
    /// True if the step into this stage is told.
    #[serde(default)]
    pub told: bool,
}

/// A tool and its one answer.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptedTool {
    /// As in its definition.
    pub name: String,
    /// As in `tools/list`.
    pub definition: Value,
    /// Answer to a call.
    pub reply: Reply,
    /// Members that a result is sent without.
    #[serde(default)]
    pub without: Vec<String>,
    /// Messages that are sent right before the answer.
    #[serde(default)]
    pub before: Vec<String>,
    /// The tool whose call must have been answered first.
    #[serde(default)]
    pub answers_after: Option<String>,
}

/// Answer to a call.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Reply {
    /// A result.
    Result(Value),
    /// A JSON-RPC error object.
    Error(Value),
    /// Bytes in place of the whole message.
    Raw(String),
    /// No answer, ever.
    Hang {},
    /// The end of the process.
    Exit {
        /// The exit status.
        status: i32,
    },
    /// The step to the next stage.
    Evolve {},
}

impl Script {
    /// Returns the reason why no server of an SDK can play it, if there is one.
    #[must_use]
    pub fn beyond_an_sdk(&self) -> Option<&'static str> {
        let tools = || self.stages.iter().flat_map(|stage| &stage.tools);
        if !self.answers.is_empty() {
            Some("the SDK's server API cannot script answers to requests other than tools/call")
        } else if !self.list_without.is_empty() || tools().any(|tool| !tool.without.is_empty()) {
            Some("the SDK's server API adds the members that the revision requires")
        } else if tools().any(|tool| !tool.before.is_empty()) {
            Some("the SDK's server API cannot send a scripted message before an answer")
        } else if tools().any(|tool| tool.answers_after.is_some()) {
            Some("the adapter cannot delay one answer until after another")
        } else {
            None
        }
    }

    /// Reads the script of a stdio server. Ends the process as `unsupported` when there is none that can be held.
    #[must_use]
    pub fn from_environment() -> Self {
        let read = || {
            let path = std::env::var(SCENARIO_VARIABLE).map_err(|error| format!("{SCENARIO_VARIABLE}: {error}"))?;
            let text = std::fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
            exact::read(&text)
        };
        read().unwrap_or_else(|reason| crate::unsupported(&reason))
    }
}
