//! Record of what a client sent to a varied server, and how it was answered.

use std::time::Instant;

use super::behaviour::Refusal;
use crate::wire::jsonrpc::{ErrorObject, Malformed, Message};

/// Number of bytes that are kept of what is no message.
const KEPT: usize = 120;

/// Kind of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    Get,
    Post,
    Delete,
    Other,
}

/// One request, and its answer. A line over standard streams counts as a POST.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    pub verb: Verb,
    pub at: Instant,
    /// The method of a request or notification. `None` for a response, and without a message.
    pub method: Option<String>,
    /// The id, as JSON text. `None` for a notification.
    pub id: Option<String>,
    /// The parameters, or the result of a response, as JSON text.
    pub params: Option<String>,
    /// The `Mcp-Session-Id` header.
    pub session: Option<String>,
    /// The `MCP-Protocol-Version` header.
    pub version: Option<String>,
    pub accept: Option<String>,
    pub status: u16,
    /// The code of the error that answered it, or that it is.
    pub code: Option<i64>,
    /// The message of that error.
    pub told: Option<String>,
    /// Check that it did not pass.
    pub refused: Option<Refusal>,
    /// The beginning of what is no message.
    pub unread: Option<String>,
}

impl Exchange {
    /// A request of which nothing was read yet, and which is accepted.
    pub fn new(verb: Verb) -> Self {
        Self {
            verb,
            at: Instant::now(),
            method: None,
            id: None,
            params: None,
            session: None,
            version: None,
            accept: None,
            status: 200,
            code: None,
            told: None,
            refused: None,
            unread: None,
        }
    }

    /// Notes the message that was sent. Returns the id, as JSON text, if it asks for an answer.
    pub(super) fn note(&mut self, message: &Result<Message<'_>, Malformed>, bytes: &[u8]) -> Option<String> {
        match message {
            Ok(Message::Request { id, method, params }) => {
                (self.id, self.method) = (Some(id.get().to_owned()), Some(method.to_string()));
                self.params = params.map(|params| params.get().to_owned());
                return self.id.clone();
            }
            Ok(Message::Notification { method, params }) => {
                self.method = Some(method.to_string());
                self.params = params.map(|params| params.get().to_owned());
            }
            Ok(Message::Response { id, result }) => {
                (self.id, self.params) = (Some(id.get().to_owned()), Some(result.get().to_owned()));
            }
            Ok(Message::Failure { id: Some(id), error }) => {
                (self.id, self.params) = (Some(id.get().to_owned()), Some(error.get().to_owned()));
                self.code = ErrorObject::read(error).ok().map(|error| error.code);
            }
            Ok(Message::Failure { id: None, .. }) => {}
            Err(_) => {
                let start = &bytes[..bytes.len().min(KEPT)];
                self.unread = Some(String::from_utf8_lossy(start).into_owned());
            }
        }
        None
    }

    /// Returns true for the answer to a request of the server.
    pub fn is_answer_to(&self, id: &str) -> bool {
        self.method.is_none() && self.id.as_deref() == Some(id)
    }

    /// Returns true for a request of a method.
    pub fn is_request(&self, method: &str) -> bool {
        self.id.is_some() && self.method.as_deref() == Some(method)
    }

    /// Returns true if it was answered with a result, or accepted.
    pub fn is_accepted(&self) -> bool {
        self.status < 300 && self.code.is_none()
    }
}
