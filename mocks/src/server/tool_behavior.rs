//! Scripted behavior of a tool: its answer, when it is due, and what is sent before it.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::wire::object::one_line;
use mcp_compat_model::peer_contract::{Reply, ScriptedTool};

use crate::server::template::{RequestFields, Template};

/// The answer to a request, rendered for a revision.
#[derive(Clone, Debug)]
pub(crate) enum RenderedReply {
    Result(String),
    Error(String),
    Raw(Arc<Template>),
    Hang,
    Exit(i32),
    Evolve(String),
}

/// Behavior of a tool when it is called.
#[derive(Debug)]
pub(crate) struct ToolBehavior {
    pub(crate) reply: RenderedReply,
    /// Work of the transport before the answer. Most answers are sent at once.
    pub(crate) timing: Option<AnswerTiming>,
}

/// Conditions of an answer: the call that it waits for, and the messages that precede it.
#[derive(Debug)]
pub(crate) struct AnswerTiming {
    pub(crate) tool: String,
    /// The tool whose call has to be answered first.
    pub(crate) after: Option<String>,
    before: Vec<Template>,
}

impl RenderedReply {
    /// Renders a reply. `raw` is a decoded raw reply, and `result` renders a result for a revision.
    pub(crate) fn new(reply: &Reply, raw: Option<&Arc<Template>>, result: impl Fn(&str) -> String) -> Self {
        match reply {
            Reply::Result(text) => Self::Result(result(text.get())),
            Reply::Error(error) => Self::Error(one_line(error.get()).into_owned()),
            // Decoded when the script was compiled, so it is there.
            Reply::Raw(_) => raw.map_or(Self::Hang, |raw| Self::Raw(Arc::clone(raw))),
            Reply::Hang {} => Self::Hang,
            Reply::Exit { status } => Self::Exit(*status),
            Reply::Evolve {} => {
                Self::Evolve(result(r#"{"content":[{"type":"text","text":"The tools have moved on."}]}"#))
            }
        }
    }
}

impl AnswerTiming {
    /// The timing of a tool, if it needs one: something is sent before its answer, its answer waits for another one, or
    /// another one waits for it.
    pub(crate) fn of(tool: &ScriptedTool, awaited: &BTreeSet<&str>) -> Option<Self> {
        let needed = tool.answers_after.is_some() || !tool.before.is_empty() || awaited.contains(tool.name.as_str());
        needed.then(|| Self {
            tool: tool.name.clone(),
            after: tool.answers_after.clone(),
            before: tool.before.iter().map(|message| Template::message(message.as_bytes())).collect(),
        })
    }

    /// The messages before the answer to a request.
    pub(crate) fn before<'c>(&'c self, fields: RequestFields<'c>) -> impl Iterator<Item = Vec<u8>> + 'c {
        self.before.iter().filter_map(move |message| message.fill(fields))
    }
}
