//! Job of a client adapter: where the server is, what to do there, and how long it may take.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::peer::Mode;

/// One session that a client adapter is asked to play.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// Given back in the `Answer`.
    pub id: u64,
    /// The scenario's id, for logs.
    pub scenario: String,
    /// Address of the server.
    pub server: ServerAddress,
    /// Negotiation mode, for a client that has a choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// Steps to do, in order. A step that fails does not end the session, unless nothing further can be done.
    pub steps: Vec<JobStep>,
    /// Limits of the time for connecting, and for each step.
    pub deadlines: Deadlines,
}

/// Address at which a client finds the server.
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
        /// True if it is sent together with the step before, a call as well, without waiting for that one's answer.
        #[serde(default, skip_serializing_if = "is_false")]
        at_once: bool,
        /// Arguments that come from the structured content which the API gave for the call before: from the JSON
        /// Pointer of a member of the arguments to the pointer of a value. What is not there is left out.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        feed: BTreeMap<String, String>,
    },
    /// Call the evolve tool; if the change is notified, also wait for the notification if the SDK delivers it.
    Evolve {
        /// True if the server will send `notifications/tools/list_changed`.
        told: bool,
    },
}

impl JobStep {
    /// A call for itself.
    #[must_use]
    pub fn call(tool: impl Into<String>, arguments: Box<RawValue>) -> Self {
        Self::Call { tool: tool.into(), arguments, at_once: false, feed: BTreeMap::new() }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
const fn is_false(flag: &bool) -> bool {
    !*flag
}

/// Limits of the time of a client, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Deadlines {
    /// Until a session stands.
    pub connect_ms: u64,
    /// For each step.
    pub step_ms: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peer_contract::PROBE_STEP;

    #[test]
    fn no_job_step_has_the_name_of_the_probe() {
        let text = format!(r#"{{"{PROBE_STEP}":{{}}}}"#);
        assert!(serde_json::from_str::<JobStep>(&text).is_err());
    }
}
