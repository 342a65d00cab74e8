//! The peer contract: what a peer is told and what it answers, as JSON lines.
//!
//! Anything that speaks this can be a peer, in any language. Mocks and adapters know nothing else of this project.
//!
//! ```text
//! client adapter   stdin: a [`Job`] a line          stdout: an [`Answer`] a line, in any order
//! server adapter   stdio: one process a session, its [`Script`] in the file that MCP_COMPAT_SCENARIO names
//!                  HTTP:  first line of stdout is the base URL; then stdin: a [`Hosting`] a line,
//!                         stdout: a [`Hosted`] a line; each script is served at its own path
//! both             end of input ends the process; exit status 127 says "this role is not supported"
//! ```
//!
//! Values that cross the wire stay JSON text ([`RawValue`]): no number is rounded and no key is lost on the way.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::observation::{CallResult, Layer, PeerError, Seen, SeenTool};
use crate::peer::Mode;
use crate::{Json, json::JsonError};

/// The environment variable that names the file with a stdio server's [`Script`].
pub const SCENARIO_VARIABLE: &str = "MCP_COMPAT_SCENARIO";

/// The exit status with which a peer says that it does not support a whole role or script.
pub const UNSUPPORTED_STATUS: i32 = 127;

/// The tool whose call makes a server go to the script's next stage.
///
/// A change of tools has to happen at one exact place among the calls, over any transport and with any SDK. A call
/// is the only thing that all of them order, so the change is made by one.
pub const EVOLVE_TOOL: &str = "mcp_compat_evolve";

/// The plain, correct tool that every server also offers, so that collateral damage is seen.
pub const BYSTANDER_TOOL: &str = "mcp_compat_bystander";

/// The name of the step that no adapter knows. A job with it must be answered `unsupported`: an adapter that makes
/// something up instead cannot be believed elsewhere either.
pub const PROBE_STEP: &str = "probe-that-no-adapter-knows";

/// One session that a client adapter is asked to play.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// Given back in the [`Answer`].
    pub id: u64,
    /// The scenario's id, for logs.
    pub scenario: String,
    /// Where the server is.
    pub server: ServerAddress,
    /// How to negotiate, for a client that has a choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// What to do, in order. A step that fails does not end the session, unless nothing further can be done.
    pub steps: Vec<JobStep>,
    /// How long connecting, and each step, may take.
    pub deadlines: Deadlines,
}

/// Where a client finds the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum ServerAddress {
    /// A command to be started, speaking over its standard streams.
    Stdio {
        /// Program and arguments.
        command: Vec<String>,
        /// Variables to set beside the inherited ones.
        #[serde(default)]
        env: BTreeMap<String, String>,
    },
    /// A streamable HTTP endpoint.
    Http {
        /// The endpoint, on loopback.
        url: String,
    },
}

/// One thing for a client to do through its SDK's public API.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum JobStep {
    /// List all tools, following the pages to their end.
    List {},
    /// Call a tool.
    Call {
        /// The tool's name.
        tool: String,
        /// Its arguments, a JSON object.
        #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
        arguments: Box<RawValue>,
    },
    /// Call [`EVOLVE_TOOL`]; where the change is told, also wait for the notification if the SDK hands it out.
    Evolve {
        /// Whether the server will send `notifications/tools/list_changed`.
        told: bool,
    },
}

/// How long a client may take, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Deadlines {
    /// Until a session stands.
    pub connect_ms: u64,
    /// For each step.
    pub step_ms: u64,
}

/// What a client adapter says of one [`Job`].
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The job's id.
    pub id: u64,
    /// The revision that the SDK says it speaks with this server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub negotiated: Option<String>,
    /// Why the job cannot be done at all; then there is nothing else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsupported: Option<String>,
    /// Why no session came about; then there are no steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<PeerError>,
    /// What the user of the API saw, one entry a step.
    #[serde(default)]
    pub steps: Vec<StepAnswer>,
}

/// What the user of a client's API saw of one step: `tools` for a list; `structured`, `content` and `is_error` for a
/// call; `evolved` for an evolution; or `error`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StepAnswer {
    /// The tools that the API gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<ToolAnswer>>,
    /// The structured content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structured: Option<Structured>,
    /// The content blocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<serde_json::Value>>")]
    pub content: Option<Vec<Box<RawValue>>>,
    /// Whether the API presents the result as a tool error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_error: Option<bool>,
    /// The evolution went through; `true` when its notification was seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evolved: Option<bool>,
    /// The error that the API raised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<PeerError>,
}

/// One tool as a client's API gives it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolAnswer {
    /// The tool's name.
    pub name: String,
    /// The output schema, if the API gives one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Value>")]
    pub output_schema: Option<Box<RawValue>>,
}

/// Structured content as a client's API gives it: present with a value (`null` included), or absent.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Structured {
    /// Whether the API has a value.
    pub present: bool,
    /// The value, when present. `null` and a missing member mean the same here: `present` tells them apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Value>")]
    pub value: Option<Box<RawValue>>,
}

/// Why an [`Answer`] does not follow the contract.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ContractBreach {
    /// A step answer with none, or more than one, of its forms.
    #[error(
        "step {step}: expected one of `tools`, `structured` with `content` and `is_error`, `evolved` or `error`, found {found}"
    )]
    Form {
        /// Which step, from 0.
        step: usize,
        /// The members that were there.
        found: String,
    },
    /// A value that is not JSON.
    #[error("step {step}: {error}")]
    Value {
        /// Which step, from 0.
        step: usize,
        /// What is wrong with it.
        error: JsonError,
    },
}

impl StepAnswer {
    /// Reads the answer to step number `step`.
    ///
    /// # Errors
    /// When the answer does not have exactly one of its forms.
    pub fn seen(&self, step: usize) -> Result<Seen, ContractBreach> {
        let json = |raw: &RawValue| Json::parse(raw.get()).map_err(|error| ContractBreach::Value { step, error });
        match (&self.tools, &self.structured, &self.content, self.is_error, self.evolved, &self.error) {
            (Some(tools), None, None, None, None, None) => {
                let tool = |answer: &ToolAnswer| {
                    let output_schema = answer.output_schema.as_deref().map(json).transpose()?;
                    Ok(SeenTool { name: answer.name.clone(), output_schema })
                };
                Ok(Seen::Listed { tools: tools.iter().map(tool).collect::<Result<_, _>>()? })
            }
            (None, Some(structured), Some(content), Some(is_error), None, None) => {
                let structured = match (structured.present, structured.value.as_deref()) {
                    (false, _) => None,
                    (true, None) => Some(Json::Null),
                    (true, Some(value)) => Some(json(value)?),
                };
                let content = content.iter().map(|block| json(block)).collect::<Result<_, _>>()?;
                Ok(Seen::Called(CallResult { structured, content, is_error }))
            }
            (None, None, None, None, Some(told), None) => Ok(Seen::Evolved { told }),
            (None, None, None, None, None, Some(error)) => Ok(Seen::Failed(error.clone())),
            _ => Err(ContractBreach::Form { step, found: self.members() }),
        }
    }

    fn members(&self) -> String {
        let members = [
            ("tools", self.tools.is_some()),
            ("structured", self.structured.is_some()),
            ("content", self.content.is_some()),
            ("is_error", self.is_error.is_some()),
            ("evolved", self.evolved.is_some()),
            ("error", self.error.is_some()),
        ];
        let names: Vec<_> = members.into_iter().filter(|(_, there)| *there).map(|(name, _)| name).collect();
        if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
    }
}

impl From<(Layer, String)> for StepAnswer {
    fn from((layer, message): (Layer, String)) -> Self {
        Self { error: Some(PeerError { layer, code: None, message }), ..Self::default() }
    }
}

/// What a server is to offer: the resolved scenario.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// The scenario's id, for logs.
    pub scenario: String,
    /// The tools, and what they become: the first stage holds from the start, each call of [`EVOLVE_TOOL`] goes to
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

/// A script that an HTTP server adapter is asked to serve.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hosting {
    /// Given back in [`Hosted`].
    pub id: u64,
    /// The path below the base URL, beginning with `/`.
    pub path: String,
    /// What to serve there, to any number of sessions, each from the first stage on. Absent: stop serving the path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<Script>,
}

/// What an HTTP server adapter says of one [`Hosting`].
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hosted {
    /// The hosting's id.
    pub id: u64,
    /// Why the script cannot be served; absent when it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsupported: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(text: &str) -> Answer {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn a_null_value_is_not_an_absent_one() {
        let present =
            answer(r#"{"id":1,"steps":[{"structured":{"present":true,"value":null},"content":[],"is_error":false}]}"#);
        let absent = answer(r#"{"id":1,"steps":[{"structured":{"present":false},"content":[],"is_error":false}]}"#);
        let structured = |answer: &Answer| {
            let Seen::Called(result) = answer.steps[0].seen(0).unwrap() else { unreachable!("a call") };
            result.structured
        };
        assert_eq!((structured(&present), structured(&absent)), (Some(Json::Null), None));
    }

    #[test]
    fn a_value_keeps_its_digits() {
        let text = r#"{"id":1,"steps":[{"structured":{"present":true,"value":123456789012345678901234567890},"content":[],"is_error":false}]}"#;
        let Seen::Called(CallResult { structured: Some(Json::Number(number)), .. }) =
            answer(text).steps[0].seen(0).unwrap()
        else {
            unreachable!("a call with a number");
        };
        assert_eq!(number.lexeme(), "123456789012345678901234567890");
    }

    #[test]
    fn a_step_answer_has_exactly_one_form() {
        for text in [
            r#"{"id":1,"steps":[{}]}"#,
            r#"{"id":1,"steps":[{"structured":{"present":false}}]}"#,
            r#"{"id":1,"steps":[{"tools":[],"evolved":true}]}"#,
        ] {
            assert!(matches!(answer(text).steps[0].seen(0), Err(ContractBreach::Form { .. })), "{text}");
        }
    }

    #[test]
    fn no_job_step_has_the_name_of_the_probe() {
        let text = format!(r#"{{"{PROBE_STEP}":{{}}}}"#);
        assert!(serde_json::from_str::<JobStep>(&text).is_err());
    }
}
