//! A request to a model, the same for all interfaces.

use mcp_compat_json::Json;

/// What a request to a model holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conversation {
    /// Tools that the model may call, in order.
    pub offered: Vec<OfferedTool>,
    /// Calls that the model made, in order, with their results.
    pub calls: Vec<MadeCall>,
    /// True if the answer is to be a stream of events.
    pub streams: bool,
}

/// A tool as a model is offered it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedTool {
    /// The namespace that a call has to name, where the interface has them.
    pub namespace: Option<String>,
    pub name: String,
    pub description: Option<String>,
    /// The schema of the arguments as it was sent.
    pub schema: Option<Json>,
}

/// A call in the history of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeCall {
    /// `None` where the interface has no ids.
    pub id: Option<String>,
    pub name: String,
    /// JSON text.
    pub arguments: String,
    /// `None` if the request has no result for it.
    pub answer: Option<ToolAnswer>,
}

/// The result of a call as a model is sent it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolAnswer {
    pub parts: Vec<Part>,
    /// Flag of an error; `None` where the interface has none.
    pub is_error: Option<bool>,
}

/// A part of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    Text(String),
    /// An image, a file, or a value that is sent as JSON.
    Other(Json),
}

impl ToolAnswer {
    /// A result of which the interface sends this: a text, a list of parts, or something else.
    pub(super) fn of(content: Option<&Json>, is_error: Option<bool>) -> Self {
        let parts = match content {
            None | Some(Json::Null) => Vec::new(),
            Some(Json::Array(parts)) => parts.iter().map(Part::of).collect(),
            Some(one) => vec![Part::of(one)],
        };
        Self { parts, is_error }
    }
}

impl Part {
    fn of(part: &Json) -> Self {
        match part {
            Json::String(text) => Self::Text(text.to_string_lossy().into_owned()),
            Json::Object(_) => match text_at(part, "text") {
                Some(text) => Self::Text(text),
                None => Self::Other(part.clone()),
            },
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::Array(_) => Self::Other(part.clone()),
        }
    }
}

/// The text under a key.
pub(super) fn text_at(object: &Json, key: &str) -> Option<String> {
    match object.get(key)? {
        Json::String(text) => Some(text.to_string_lossy().into_owned()),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_) => None,
    }
}

/// The elements of the array under a key; none if there is no array.
pub(super) fn array_at<'j>(object: &'j Json, key: &str) -> &'j [Json] {
    object.get(key).and_then(Json::as_array).unwrap_or_default()
}
