//! What a server is told: its tools, what a call of each answers, and what they become.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// What a server is to offer: the resolved scenario.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// The scenario's id, for logs.
    pub scenario: String,
    /// The tools, and what they become: the first stage holds from the start, each call of the evolve tool goes to
    /// the next one.
    pub stages: Vec<Stage>,
    /// How many tools a page of `tools/list` holds; all on one page when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_size: Option<u32>,
    /// Members that the result of `tools/list` has beside `tools`, or instead of those that the revision adds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")]
    pub list: Option<Box<RawValue>>,
}

/// The tools of a server for some time.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// The tools on offer, in the order in which they are listed.
    pub tools: Vec<ScriptedTool>,
    /// Whether the step into this stage is told with `notifications/tools/list_changed`.
    #[serde(default)]
    pub told: bool,
}

/// A tool and its one answer.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScriptedTool {
    /// The tool's name, as in its definition.
    pub name: String,
    /// The definition as it stands in `tools/list`, a JSON object.
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    pub definition: Box<RawValue>,
    /// What a call answers.
    pub reply: Reply,
}

/// What a call of a scripted tool answers.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Reply {
    /// A result, as it stands on the wire (a JSON object).
    Result(#[schemars(with = "serde_json::Map<String, serde_json::Value>")] Box<RawValue>),
    /// A JSON-RPC error object: `code`, `message` and perhaps `data`.
    Error(#[schemars(with = "serde_json::Map<String, serde_json::Value>")] Box<RawValue>),
    /// Bytes in place of the whole message, base64; every `{{id}}` in them becomes the request's id as JSON.
    Raw(String),
    /// No answer, ever.
    Hang {},
    /// The end of the process, or of the connection where one process serves many.
    Exit {
        /// The exit status.
        status: i32,
    },
    /// The step to the next stage, answered with one line of text.
    Evolve {},
}
