//! The table `[host]` of a manifest.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a host is started with a scripted model and a server.
///
/// Beside the placeholders of other commands, `{user}` is a home folder that is made for one start, `{model}` the base
/// address of the model, `{server}` the command of the server as a JSON array, `{program}` its first word as a JSON
/// string and `{arguments}` the other words as a JSON array.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct HostForm {
    /// The command that gives the host a task, and ends when the model ends its turn.
    pub command: Vec<String>,
    /// Commands that set it up in its fresh home, before the files are written.
    #[serde(default)]
    pub before: Vec<Vec<String>>,
    /// Variables to set. The environment is otherwise empty but for `PATH`, `HOME`, the language and the proxies.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Files to write: the path, and the name of the template beside the manifest.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// Patterns of what the host puts around a result. What they match is left out of the result, and kept in the evidence.
    #[serde(default)]
    pub strip: Vec<String>,
    /// Patterns of texts by which the host tells a model that a call failed, where its interface has no flag for that.
    #[serde(default)]
    pub errors: Vec<String>,
    /// Names of the tools that the host has without a server; needed if it offers those of servers by their plain names.
    #[serde(default)]
    pub own_tools: Vec<String>,
    /// True if it hands the array `content` of a result to the model as JSON.
    #[serde(default)]
    pub content_as_json: bool,
    /// True if it hands a text to the model as a JSON string, as the programs of a model return it.
    #[serde(default)]
    pub texts_as_json: bool,
    /// Members of the JSON object in which it hands on a result, beside `structuredContent`.
    #[serde(default)]
    pub wrapper: Option<Wrapper>,
}

/// Members of a JSON object that a host makes of each result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wrapper {
    /// The text of the result, or its value.
    pub result: String,
    /// The text of an error.
    pub error: String,
}

/// Placeholders that only a host has.
pub const PLACEHOLDERS: [&str; 5] = ["user", "model", "server", "program", "arguments"];

/// Name under which the server is configured.
pub(crate) const SERVER_NAME: &str = "srv";
