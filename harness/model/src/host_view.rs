//! A server as hosts show it to their models: what each is offered, and what it reads of each result.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::named::named;
use crate::peer::PeerId;
use crate::revision::Revision;
use crate::verdict::Outcome;

/// A server, as the model of one host sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HostView {
    /// The host.
    pub host: PeerId,
    /// The revision that it speaks with the server; absent without a session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub negotiated: Option<Revision>,
    /// Reason why its model was never asked anything; absent if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The tools of the server, in the order listed; empty if the model was never asked anything.
    pub tools: Vec<HostTool>,
}

/// A tool, as a model sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HostTool {
    /// Its name.
    pub tool: String,
    /// True if the model is offered it; absent if it finds tools by searches, and did not search for this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offered: Option<bool>,
    /// Reason why the interface of the model refuses a request with it; absent if it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// Its result; absent if the audit has none of it, or the host ended before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<HostResult>,
}

/// A result, as a model reads it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HostResult {
    /// The server's answer.
    pub answer: AnswerKind,
    /// The outcome for the model, as for the user of a client.
    pub outcome: Outcome,
    /// The beginning of what the model reads, or the error of the host.
    pub read: String,
}

named! {
    /// Kind of a tool's answer.
    pub enum AnswerKind {
        /// Structured content.
        Value = "value",
        /// Text alone.
        Text = "text",
        /// A tool error.
        Error = "error",
        /// A result that its own schema or the protocol does not allow.
        Invalid = "invalid",
    }
}
