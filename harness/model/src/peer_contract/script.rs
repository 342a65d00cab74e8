//! Script of a server: its tools, the answer to a call of each, and how they change.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::named::named;

/// Script of a server: the resolved scenario.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// The scenario's id, for logs.
    pub scenario: String,
    /// The tools, and what they become: the first stage holds from the start, each call of the evolve tool goes to
    /// the next one.
    pub stages: Vec<Stage>,
    /// Number of tools on a page of `tools/list`; all on one page when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_size: Option<u32>,
    /// Members that the result of `tools/list` has beside `tools`, or instead of those that the revision adds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")]
    pub list: Option<Box<RawValue>>,
    /// Names of members that the result of `tools/list` is sent without, although the revision asks for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub list_without: Vec<String>,
    /// Answers to requests other than calls, where that is scripted. Of several answers to the same request the first
    /// holds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<ScriptedAnswer>,
}

impl Script {
    /// Script that asks nothing of a server but to be there. The name is for its log.
    #[must_use]
    pub fn without_tools(name: &str) -> Self {
        let stages = vec![Stage { tools: Vec::new(), told: false }];
        Self {
            scenario: name.to_owned(),
            stages,
            page_size: None,
            list: None,
            list_without: Vec::new(),
            answers: Vec::new(),
        }
    }
}

/// A scripted answer to a request that is no call.
///
/// A result is the whole result: nothing of what the server would have said itself stays. Only what the revision asks
/// of any such result is added where it is absent, as elsewhere: nothing to that of `initialize`; `resultType`, `ttlMs`,
/// `cacheScope` and the server's `_meta` to those of `server/discover` and `tools/list` in the modern era.
///
/// After a result of `initialize` the session speaks the revision that it names, if that is a known one. A server that
/// does not know `initialize` or `server/discover` has no result for it, and refuses it as ever; every other reply it
/// gives.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScriptedAnswer {
    /// The request.
    pub to: AnsweredMethod,
    /// The page of `tools/list`, from 1; every page, and every cursor, when absent. There are as many pages as the
    /// tools fill or have answers, and the cursor of the page before leads to each, whoever gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// Its answer; never an evolution.
    pub reply: Reply,
}

named! {
    /// A request, other than a call, whose answer can be scripted.
    pub enum AnsweredMethod {
        /// The handshake of the legacy era.
        Initialize = "initialize",
        /// The first request of a modern client, or of one that does not know yet.
        Discover = "server/discover",
        /// A page of the list.
        ListTools = "tools/list",
    }
}

/// The tools of a server for some time.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// The tools on offer, in the order in which they are listed.
    pub tools: Vec<ScriptedTool>,
    /// True if the server sends `notifications/tools/list_changed` when it goes to this stage.
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
    /// Answer to a call.
    pub reply: Reply,
    /// Names of members that a result is sent without, although the revision asks for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<String>,
    /// Messages, or lines that are none, sent right before the answer, each on its own: a line, or an event of the
    /// answer's stream where HTTP carries it and the client takes events. They are sent before the end of the process
    /// and before silence too. `{{id}}` in them becomes the request's id and `{{progress-token}}` its progress token,
    /// both as JSON; what needs a token is left out where the client gave none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<String>,
    /// The answer waits until a call of the tool of this name, in the same session, has been answered. Where an era has
    /// no sessions, the requests to one path count. Other requests are answered meanwhile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers_after: Option<String>,
}

impl ScriptedTool {
    /// A tool that answers at once, and with nothing but its answer.
    #[must_use]
    pub fn new(name: impl Into<String>, definition: Box<RawValue>, reply: Reply) -> Self {
        Self { name: name.into(), definition, reply, without: Vec::new(), before: Vec::new(), answers_after: None }
    }
}

/// Answer to a call of a scripted tool.
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
    /// Script to serve there, to any number of sessions, each from the first stage on. Absent: stop serving the path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<Script>,
}

/// Answer of an HTTP server adapter to one [`Hosting`].
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hosted {
    /// The hosting's id.
    pub id: u64,
    /// Reason why the script cannot be served; absent when it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsupported: Option<String>,
}
