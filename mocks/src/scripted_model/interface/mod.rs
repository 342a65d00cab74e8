//! The interfaces of models that hosts speak: what a request holds, and how an answer is written.

mod chat_completions;
mod generate_content;
mod messages;
mod responses;

use std::fmt;

use mcp_compat_json::Json;
use serde_json::{Value, json};

use super::conversation::Conversation;
use super::plan::Say;

/// An interface of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Interface {
    /// `POST /chat/completions`, first of OpenAI and then of most others.
    ChatCompletions,
    /// `POST /responses` of OpenAI.
    Responses,
    /// `POST /messages` of Anthropic.
    Messages,
    /// `POST /models/MODEL:generateContent` of Google, and `:streamGenerateContent`.
    GenerateContent,
}

/// The body of a response, with its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    pub content_type: &'static str,
    pub body: String,
}

/// What a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// What the model says next. The interface says it with the path alone if it is to be a stream.
    Next { interface: Interface, streams: bool },
    /// The number of tokens of a text.
    Tokens(Interface),
    /// The names of the models.
    Models,
}

impl Interface {
    /// Reads a request.
    pub fn read(self, request: &Json) -> Conversation {
        match self {
            Self::ChatCompletions => chat_completions::read(request),
            Self::Responses => responses::read(request),
            Self::Messages => messages::read(request),
            Self::GenerateContent => generate_content::read(request),
        }
    }

    /// Writes an answer.
    pub fn write(self, say: &Say, streams: bool) -> Written {
        match (self, streams) {
            (Self::ChatCompletions, false) => whole(&chat_completions::whole(say)),
            (Self::ChatCompletions, true) => chat_completions::stream(say),
            (Self::Responses, false) => whole(&responses::whole(say)),
            (Self::Responses, true) => responses::stream(say),
            (Self::Messages, false) => whole(&messages::whole(say)),
            (Self::Messages, true) => messages::stream(say),
            (Self::GenerateContent, false) => whole(&generate_content::whole(say)),
            (Self::GenerateContent, true) => events([(None, generate_content::whole(say))]),
        }
    }

    /// Writes the answer to a question for the number of tokens.
    pub(super) fn write_tokens(self) -> Written {
        match self {
            Self::GenerateContent => whole(&json!({ "totalTokens": 1 })),
            Self::ChatCompletions | Self::Responses | Self::Messages => whole(&json!({ "input_tokens": 1 })),
        }
    }
}

impl Asked {
    /// Reads the end of a path, and its query.
    pub(super) fn of(path: &str, query: &str) -> Option<Self> {
        let next = |interface| Some(Self::Next { interface, streams: false });
        let last = path.rsplit('/').next().unwrap_or_default();
        match last.rsplit_once(':') {
            Some((_, "generateContent")) => return next(Interface::GenerateContent),
            Some((_, "streamGenerateContent")) if query.contains("alt=sse") => {
                return Some(Self::Next { interface: Interface::GenerateContent, streams: true });
            }
            Some((_, "countTokens")) => return Some(Self::Tokens(Interface::GenerateContent)),
            _ => {}
        }
        match last {
            "completions" => next(Interface::ChatCompletions),
            "responses" => next(Interface::Responses),
            "messages" => next(Interface::Messages),
            "count_tokens" => Some(Self::Tokens(Interface::Messages)),
            "models" => Some(Self::Models),
            _ => None,
        }
    }
}

impl fmt::Display for Interface {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::ChatCompletions => "chat completions",
            Self::Responses => "responses",
            Self::Messages => "messages",
            Self::GenerateContent => "generateContent",
        })
    }
}

/// The answer to a question for the models.
pub(super) fn models() -> Written {
    whole(&json!({
        "object": "list",
        "data": [{ "id": "scripted", "object": "model", "created": 0, "owned_by": "mcp-compat" }],
    }))
}

fn whole(body: &Value) -> Written {
    Written { content_type: "application/json", body: body.to_string() }
}

/// A stream of events, some of them with a name.
fn events<'n>(events: impl IntoIterator<Item = (Option<&'n str>, Value)>) -> Written {
    let event = |(name, data): (Option<&str>, Value)| match name {
        Some(name) => format!("event: {name}\ndata: {data}\n\n"),
        None => format!("data: {data}\n\n"),
    };
    Written { content_type: "text/event-stream", body: events.into_iter().map(event).collect() }
}

/// Arguments as a value, for the interfaces that send them so.
fn value_of(arguments: &str) -> Value {
    serde_json::from_str(arguments).unwrap_or_else(|_| json!({}))
}
