//! What a server adapter over HTTP receives and answers: which script to serve at which path.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Script;

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
