//! What a request came to: its result, or why there is none and what the user of the client is told of that.

use mcp_compat_model::observation::{Layer, PeerError};
use serde_json::value::RawValue;

/// The answer to a request: the result as it came, or why there is none.
pub(super) type Answered = Result<Box<RawValue>, Trouble>;

/// Why a request has no result.
#[derive(Clone, Debug)]
pub(super) enum Trouble {
    /// The server answered with a JSON-RPC error.
    Refused(Refusal),
    /// The server answered with something that is no answer.
    Garbled(String),
    /// The server answered with a bare HTTP status.
    Status {
        /// The status.
        status: u16,
        /// The start of the body.
        body: String,
    },
    /// The server knows the HTTP session no more.
    SessionGone,
    /// There is no server to talk to, or no more.
    Lost(String),
}

/// A JSON-RPC error.
#[derive(Clone, Debug)]
pub(super) struct Refusal {
    pub(super) code: i64,
    pub(super) message: String,
    pub(super) data: Option<Box<RawValue>>,
}

impl Trouble {
    /// What the user of the client is told.
    pub(super) fn to_peer_error(&self) -> PeerError {
        let (layer, code, message) = match self {
            Self::Refused(refusal) => (Layer::Protocol, Some(refusal.code), refusal.message.clone()),
            Self::Garbled(reason) => (Layer::Decode, None, reason.clone()),
            Self::Status { status, body } if body.is_empty() => {
                (Layer::Protocol, None, format!("HTTP status {status}"))
            }
            Self::Status { status, body } => (Layer::Protocol, None, format!("HTTP status {status}: {body}")),
            Self::SessionGone => (Layer::Connect, None, "the server ended the session".to_owned()),
            Self::Lost(reason) => (Layer::Connect, None, reason.clone()),
        };
        PeerError { layer, code, message }
    }
}

/// What is quoted from a peer, kept to a length that a person reads.
pub(super) fn shorten(text: &str) -> String {
    const KEPT: usize = 600;
    match text.char_indices().nth(KEPT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
