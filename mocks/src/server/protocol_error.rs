//! Errors that the mock server itself answers with, as opposed to the errors in a script.

use std::borrow::Cow;

use crate::wire::jsonrpc::{INVALID_PARAMS, METHOD_NOT_FOUND, error_object};

/// An error of the server itself.
#[derive(Debug)]
pub(crate) struct ProtocolError {
    pub(crate) code: i64,
    message: Cow<'static, str>,
    pub(crate) data: Option<String>,
    /// The HTTP status that carries it to a modern client.
    pub(crate) status: u16,
}

impl ProtocolError {
    pub(crate) fn new(status: u16, code: i64, message: impl Into<Cow<'static, str>>) -> Self {
        Self { code, message: message.into(), data: None, status }
    }

    /// Invalid parameters.
    pub(crate) fn invalid_params(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(200, INVALID_PARAMS, message)
    }

    /// A request that lacks what every modern request needs.
    pub(crate) fn malformed(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(400, INVALID_PARAMS, message)
    }

    pub(crate) fn method_not_found(method: &str) -> Self {
        Self::new(404, METHOD_NOT_FOUND, format!("Method not found: {method}"))
    }

    /// Adds the versions that a request may name, as a JSON array: a client can act on them.
    pub(crate) fn naming(mut self, supported: &str) -> Self {
        self.message = format!("{} (supported protocol versions: {supported})", self.message).into();
        self.data = Some(format!(r#"{{"supported":{supported}}}"#));
        self
    }

    /// The error object, as JSON text.
    pub(crate) fn object(&self) -> String {
        error_object(self.code, &self.message, self.data.as_deref())
    }
}
