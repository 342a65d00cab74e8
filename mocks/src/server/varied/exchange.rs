//! Record of what a client sent to a varied server, and how it was answered.

use super::behaviour::Refusal;

/// Kind of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    Get,
    Post,
    Delete,
    Other,
}

/// One request, and its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    pub verb: Verb,
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
    /// The code of the error that answered it.
    pub code: Option<i64>,
    /// The message of that error.
    pub told: Option<String>,
    /// Check that it did not pass.
    pub refused: Option<Refusal>,
}

impl Exchange {
    /// Returns true for a request of a method.
    pub fn is_request(&self, method: &str) -> bool {
        self.id.is_some() && self.method.as_deref() == Some(method)
    }

    /// Returns true if it was answered with a result, or accepted.
    pub fn is_accepted(&self) -> bool {
        self.status < 300 && self.code.is_none()
    }
}
