//! Observation of one cell by the user of a client's API, and the end of the session.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Role;
use crate::named::named;
use mcp_compat_json::Json;

/// Everything that was seen from outside the wire.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Observation {
    /// The revision that the client says was negotiated, if it says so. The wire has the last word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub negotiated: Option<String>,
    /// Results of the steps, in the order of the job; shorter than the job where the session ended before.
    pub steps: Vec<Seen>,
    /// End of the session.
    pub end: End,
}

/// Result of one step for the user of the API.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Seen {
    /// A list of tools.
    Listed {
        /// The tools, in the order given.
        tools: Vec<SeenTool>,
    },
    /// A result.
    Called(CallResult),
    /// The server went to its next stage.
    Evolved {
        /// True if the client's user was notified of the change.
        told: bool,
    },
    /// An error.
    Failed(PeerError),
    /// There was no error, and the client does not report the value: it is a program that says no more than how it ends.
    #[serde(rename = "untold")]
    NotReported {},
}

/// A tool as the API gives it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SeenTool {
    /// Its name.
    pub name: String,
    /// Its output schema, if the API gives one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Json>,
    /// For a host: the schema of the arguments as its model is offered it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_schema: Option<Json>,
    /// For a host: the reason why the interface of its model refuses a request with this tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// For a host: true if its model has to search for tools, so that those it did not search for are not known.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub found: bool,
}

/// A result as the API gives it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CallResult {
    /// The structured content; `None` when the API has none, `Some(Json::Null)` when it has a null.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub structured: Option<Json>,
    /// The content blocks.
    pub content: Vec<Json>,
    /// True if the API presents it as a tool error.
    pub is_error: bool,
}

/// Keeps a null that is there apart from a member that is not.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Json>, D::Error> {
    Json::deserialize(deserializer).map(Some)
}

/// An error that a client's API raised.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PeerError {
    /// Layer of the client in which it arose.
    pub layer: Layer,
    /// Its code, for a JSON-RPC error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<i64>,
    /// Its words, as the API gives them.
    pub message: String,
}

impl Observation {
    /// The words of an error that came because the machine refused a process, a descriptor or memory: no peer is to blame.
    #[must_use]
    pub fn refused_by_machine(&self) -> Option<&str> {
        let of_connecting = |error: &PeerError| error.layer == Layer::Connect;
        let by_step = self.steps.iter().filter_map(|seen| match seen {
            Seen::Failed(error) if of_connecting(error) => Some(error.message.as_str()),
            Seen::Failed(_) | Seen::Listed { .. } | Seen::Called(_) | Seen::Evolved { .. } | Seen::NotReported {} => {
                None
            }
        });
        let by_end = match &self.end {
            End::NoSession(error) => Some(error.message.as_str()).filter(|_| of_connecting(error)),
            End::NotStarted { why, .. } => Some(why.as_str()),
            End::Answered {}
            | End::Unsupported { .. }
            | End::TimedOut { .. }
            | End::Crashed { .. }
            | End::HarnessFailed { .. } => None,
        };
        by_end.into_iter().chain(by_step).find(|words| is_refusal_of_machine(words))
    }
}

/// Returns true for the words of an operating system that has no process, descriptor or memory left, as runtimes print them.
fn is_refusal_of_machine(words: &str) -> bool {
    let names = ["EAGAIN", "EMFILE", "ENFILE", "ENOMEM"];
    let sentences = [
        "resource temporarily unavailable",
        "too many open files",
        "cannot allocate memory",
        "not enough memory resources",
    ];
    let words_in_small = words.to_ascii_lowercase();
    let is_name = |word: &str| names.contains(&word);
    words.split(|letter: char| !letter.is_ascii_alphanumeric()).any(is_name)
        || sentences.iter().any(|sentence| words_in_small.contains(sentence))
}

named! {
    /// Layer of a client in which an error arose.
    pub enum Layer {
        /// No session was opened.
        Connect = "connect",
        /// A message could not be read as what it should be.
        Decode = "decode",
        /// A value did not conform to its schema, or a schema could not be used.
        Validate = "validate",
        /// The server answered with a JSON-RPC error.
        Protocol = "protocol",
        /// The API turned a tool error into an error of its own.
        Tool = "tool",
        /// The client waited no longer.
        Timeout = "timeout",
    }
}

/// End of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum End {
    /// The client did its steps and said what it saw.
    Answered {},
    /// The client could not establish a session, and said so.
    NoSession(PeerError),
    /// A peer says that it cannot play this scenario.
    Unsupported {
        /// The peer.
        by: Role,
        /// The reason, in its own words.
        reason: String,
    },
    /// A peer did not answer before its deadline.
    TimedOut {
        /// Whom the harness was waiting for.
        waiting_for: Role,
        /// The step that it was waiting for, such as `step 3 (call list_users)`.
        what: String,
    },
    /// A peer's process ended, or its connection broke, before it had answered.
    Crashed {
        /// The peer.
        who: Role,
        /// The sign of it: an exit status, a signal, or what it sent instead of an answer.
        how: String,
    },
    /// A peer could not be started at all.
    NotStarted {
        /// The peer.
        who: Role,
        /// The reason.
        why: String,
    },
    /// The harness itself failed; no peer is to blame.
    HarnessFailed {
        /// The failure.
        why: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_machine_refuses_is_told_by_its_words() {
        let ended = |layer, message: &str| {
            let end = End::NoSession(PeerError { layer, code: None, message: message.to_owned() });
            Observation { negotiated: None, steps: Vec::new(), end }
        };
        for words in [
            "spawn mcp-compat EAGAIN",
            "[Errno 11] Resource temporarily unavailable: 'mcp-compat'",
            "fork/exec /usr/bin/mcp-compat: resource temporarily unavailable",
            "Too many open files (os error 24)",
            "Cannot run program: error=12, Cannot allocate memory",
        ] {
            assert_eq!(ended(Layer::Connect, words).refused_by_machine(), Some(words));
            assert_eq!(ended(Layer::Timeout, words).refused_by_machine(), None);
        }
        for words in ["spawn mcp-compat ENOENT", "connection refused", "REAGAIN"] {
            assert_eq!(ended(Layer::Connect, words).refused_by_machine(), None, "{words}");
        }
    }

    #[test]
    fn a_stored_null_stays_a_null() {
        for structured in [None, Some(Json::Null)] {
            let result = CallResult { structured, content: vec![], is_error: false };
            let text = serde_json::to_string(&result).unwrap();
            assert_eq!(serde_json::from_str::<CallResult>(&text).unwrap(), result, "{text}");
        }
    }
}
