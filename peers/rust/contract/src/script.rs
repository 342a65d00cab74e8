//! What a server is asked to offer.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::exact;

/// Names the file with a stdio server's script.
pub const SCENARIO_VARIABLE: &str = "MCP_COMPAT_SCENARIO";

/// What a server offers.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// For logs.
    pub scenario: String,
    /// The tools, and what they become with each evolution.
    pub stages: Vec<Stage>,
    /// How many tools a page of the list holds; all when absent.
    #[serde(default)]
    pub page_size: Option<usize>,
    /// Members that the result of `tools/list` has beside `tools`.
    #[serde(default)]
    pub list: Option<Map<String, Value>>,
}

/// The tools for some time.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// In the order in which they are listed.
    pub tools: Vec<ScriptedTool>,
    /// Whether the step into this stage is told.
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
    /// What a call answers.
    pub reply: Reply,
}

/// What a call answers.
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
