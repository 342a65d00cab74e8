//! Job of a client.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value};

/// The tool whose call makes a server go to its next stage.
pub const EVOLVE_TOOL: &str = "mcp_compat_evolve";

/// One session to play.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// Given back in the answer.
    pub id: u64,
    /// For logs.
    pub scenario: String,
    /// Address of the server.
    pub server: ServerAddress,
    /// Mode of negotiation, for an SDK that has a choice.
    #[serde(default)]
    pub mode: Option<Mode>,
    /// Steps, in order.
    pub steps: Vec<JobStep>,
    /// Longest time that it may take.
    pub deadlines: Deadlines,
}

/// Address of the server.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum ServerAddress {
    /// A command to start.
    Stdio {
        /// Program and arguments.
        command: Vec<String>,
        /// Variables to set beside the inherited ones.
        #[serde(default)]
        env: BTreeMap<String, String>,
    },
    /// A streamable HTTP endpoint.
    Http {
        /// Its address.
        url: String,
    },
}

/// Mode in which a client that knows both eras chooses between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// `initialize`, whatever the server could do.
    Legacy,
    /// The modern era first, then `initialize`.
    Auto,
    /// The modern era only.
    Modern,
}

/// One thing to do.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum JobStep {
    /// List all tools.
    List {},
    /// Call a tool.
    Call {
        /// Its name.
        tool: String,
        /// Its arguments.
        arguments: Map<String, Value>,
        /// True if it is sent together with the step before.
        #[serde(default)]
        at_once: bool,
        /// Arguments from the structured content of the call before: JSON Pointer to JSON Pointer.
        #[serde(default)]
        feed: BTreeMap<String, String>,
    },
    /// Call [`EVOLVE_TOOL`].
    Evolve {
        /// True if the server will tell of the change.
        told: bool,
    },
}

/// Longest time that a client may take, in milliseconds.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deadlines {
    connect_ms: u64,
    step_ms: u64,
}

impl Deadlines {
    /// Until a session stands.
    #[must_use]
    pub const fn connect(self) -> Duration {
        Duration::from_millis(self.connect_ms)
    }

    /// For each step.
    #[must_use]
    pub const fn step(self) -> Duration {
        Duration::from_millis(self.step_ms)
    }
}

impl Job {
    /// Returns whether a step waits for the server to tell of a change.
    #[must_use]
    pub fn waits_for_change(&self) -> bool {
        self.steps.iter().any(|step| matches!(step, JobStep::Evolve { told: true }))
    }
}
