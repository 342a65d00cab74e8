//! Outcome of a request: its result, or a typed error.

use std::fmt;
use std::time::Duration;

use mcp_compat_model::observation::{Layer, PeerError};
use mcp_compat_model::peer_contract::StepAnswer;
use serde_json::value::RawValue;

/// The answer to a request: the result as it arrived, or why there is none.
pub(crate) type RpcResult = Result<Box<RawValue>, ClientError>;

/// Reason why a request has no result. Its `Display` is the message that the user of the client gets.
#[derive(Clone, Debug)]
pub enum ClientError {
    /// The server answered with a JSON-RPC error.
    Rpc(RpcError),
    /// The server sent something that is not a valid answer; the text says what.
    InvalidMessage(String),
    /// The server answered with an HTTP status and no JSON-RPC message.
    HttpStatus { status: u16, body: String },
    /// The server no longer knows the HTTP session.
    SessionExpired,
    /// The server cannot be reached, or the connection ended; the text says how.
    ConnectionLost(String),
}

/// A JSON-RPC error.
#[derive(Clone, Debug)]
pub struct RpcError {
    pub code: i64,
    pub message: String,
    pub(crate) data: Option<Box<RawValue>>,
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rpc(error) => f.write_str(&error.message),
            Self::InvalidMessage(reason) | Self::ConnectionLost(reason) => f.write_str(reason),
            Self::HttpStatus { status: status @ 301..=308, .. } => {
                write!(f, "HTTP status {status}, a redirect, which is not followed: give the address that it leads to")
            }
            Self::HttpStatus { status, body } if body.is_empty() => write!(f, "HTTP status {status}"),
            Self::HttpStatus { status, body } if is_page(body) => {
                write!(f, "HTTP status {status}, with a page of HTML")
            }
            Self::HttpStatus { status, body } => write!(f, "HTTP status {status}: {body}"),
            Self::SessionExpired => f.write_str("the server ended the session"),
        }
    }
}

/// Returns whether a text is meant for a browser. It says nothing to who reads an error.
fn is_page(body: &str) -> bool {
    let begins = |with: &str| body.trim_start().get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with));
    begins("<!doctype html") || begins("<html")
}

impl ClientError {
    /// The error as the peer contract has it.
    pub(crate) fn to_peer_error(&self) -> PeerError {
        let (layer, code) = match self {
            Self::Rpc(error) => (Layer::Protocol, Some(error.code)),
            Self::InvalidMessage(_) => (Layer::Decode, None),
            Self::HttpStatus { .. } => (Layer::Protocol, None),
            Self::SessionExpired | Self::ConnectionLost(_) => (Layer::Connect, None),
        };
        PeerError { layer, code, message: self.to_string() }
    }
}

/// The error for something that cannot be read as what it should be.
pub(crate) fn undecodable(message: String) -> PeerError {
    PeerError { layer: Layer::Decode, code: None, message }
}

/// The error for a deadline that passed.
pub(crate) fn timed_out(what: &str, time: Duration) -> PeerError {
    PeerError { layer: Layer::Timeout, code: None, message: format!("{what} within {} ms", time.as_millis()) }
}

pub(crate) fn failed(error: PeerError) -> StepAnswer {
    StepAnswer { error: Some(error), ..StepAnswer::default() }
}

/// A quotation from a peer, cut to a length that a person reads.
pub(crate) fn shorten(text: &str) -> String {
    const KEPT: usize = 600;
    match text.char_indices().nth(KEPT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
