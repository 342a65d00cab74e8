//! Answer of a client to a job.

use serde::Serialize;
use serde_json::Value;

/// The answer to one job.
#[derive(Debug, Default, Serialize)]
pub struct Answer {
    /// The job's id.
    pub id: u64,
    /// The revision that the SDK says it speaks with this server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub negotiated: Option<String>,
    /// Reason why the job cannot be done at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unsupported: Option<String>,
    /// Reason why no session came about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<PeerError>,
    /// Observations of the user of the API, one entry a step.
    pub steps: Vec<StepAnswer>,
}

/// Observation of the API's user in one step, in one of its forms: `tools`, `structured` with `content` and
/// `is_error`, `evolved`, or `error`.
#[derive(Debug, Default, Serialize)]
pub struct StepAnswer {
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<Vec<ToolAnswer>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    structured: Option<Structured>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<Vec<Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    is_error: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    evolved: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<PeerError>,
}

impl StepAnswer {
    /// A list of tools.
    #[must_use]
    pub fn listed(tools: Vec<ToolAnswer>) -> Self {
        Self { tools: Some(tools), ..Self::default() }
    }

    /// A result.
    #[must_use]
    pub fn called(result: CallAnswer) -> Self {
        let CallAnswer { structured, content, is_error } = result;
        let structured = Structured { present: structured.is_some(), value: structured };
        Self { structured: Some(structured), content: Some(content), is_error: Some(is_error), ..Self::default() }
    }

    /// The server went to its next stage; `seen`: the user of the API was told of it.
    #[must_use]
    pub fn evolved(seen: bool) -> Self {
        Self { evolved: Some(seen), ..Self::default() }
    }

    /// The structured content of a result, if there is any.
    #[must_use]
    pub fn value(&self) -> Option<&Value> {
        self.structured.as_ref()?.value.as_ref()
    }

    /// An error.
    #[must_use]
    pub fn failed(error: PeerError) -> Self {
        Self { error: Some(error), ..Self::default() }
    }
}

/// One tool as the API gives it.
#[derive(Debug, Serialize)]
pub struct ToolAnswer {
    /// Its name.
    pub name: String,
    /// Its output schema, if the API gives one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
}

/// One result as the API gives it.
#[derive(Debug)]
pub struct CallAnswer {
    /// The structured content, if the API has any; a null is `Some`.
    pub structured: Option<Value>,
    /// The content blocks.
    pub content: Vec<Value>,
    /// True if the API presents it as a tool error.
    pub is_error: bool,
}

/// Structured content on the line: `present` tells a null from nothing.
#[derive(Debug, Serialize)]
struct Structured {
    present: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Value>,
}

/// An error that the API raised.
#[derive(Debug, Serialize)]
pub struct PeerError {
    /// Layer of the client in which it arose.
    pub layer: Layer,
    /// Its code, for a JSON-RPC error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<i64>,
    /// Its words.
    pub message: String,
}

impl PeerError {
    /// An error without a code.
    pub fn new(layer: Layer, message: impl std::fmt::Display) -> Self {
        Self { layer, code: None, message: message.to_string() }
    }

    /// A JSON-RPC error.
    pub fn with_code(layer: Layer, code: i32, message: impl std::fmt::Display) -> Self {
        Self { layer, code: Some(i64::from(code)), message: message.to_string() }
    }
}

/// Layer of a client in which an error arose.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layer {
    /// No session came about, or it was lost.
    Connect,
    /// A message could not be read as what it should be.
    Decode,
    /// A value did not conform to its schema.
    Validate,
    /// The server answered with a JSON-RPC error.
    Protocol,
    /// The API turned a tool error into an error of its own.
    Tool,
    /// The client waited no longer.
    Timeout,
}
