//! Reason why a client has no session with a server, as data.

use std::fmt;
use std::time::Duration;

use crate::wire::jsonrpc::UNSUPPORTED_VERSION;
use mcp_compat_model::observation::{Layer, PeerError};
use mcp_compat_model::{Era, Revision};

use crate::client::client_error::{ClientError, RpcError, shorten};

/// Reason why a client has no session. Its `Display` is the message that the user of the client gets;
/// [`server_side`](Self::server_side) is the part of it that describes the server alone.
#[derive(Clone, Debug)]
pub enum NoSession {
    /// The probe found a legacy server, and this client does not fall back to `initialize`.
    LegacyServer(ProbeEvidence),
    /// The server chose a protocol version that this client does not speak.
    UnknownVersion {
        /// The version that the server chose.
        chosen: String,
        /// The legacy revisions that this client speaks.
        known: Vec<Revision>,
    },
    /// The server is a modern one, and supports no revision that this client speaks.
    NoCommonRevision {
        /// The versions that the server supports.
        supported: Vec<String>,
        /// The revisions that this client speaks.
        known: Vec<Revision>,
    },
    /// A modern server refused `server/discover`.
    DiscoverRefused(RpcError),
    /// The client speaks no revision of this era.
    EraNotSpoken(Era),
    /// `initialize` has no result.
    InitializeFailed(ClientError),
    /// The result of `initialize` cannot be read.
    InvalidInitializeResult(String),
    /// `notifications/initialized` could not be sent.
    InitializedNotSent(ClientError),
    /// The connection ended at the probe.
    LostAtProbe(String),
    /// There is no connection to the server: its command or its address does not work.
    NoConnection(String),
    /// The deadline passed.
    TimedOut(Duration),
}

/// Answer to the probe that shows that a server is not a modern one.
#[derive(Clone, Debug)]
pub enum ProbeEvidence {
    /// The server answered with a JSON-RPC error, an HTTP status, or something that is not a valid answer.
    Answered(ClientError),
    /// The server answered with an error code of the modern era, without the data that belongs to it.
    IncompleteError {
        code: i64,
        /// The data that is missing.
        without: &'static str,
    },
    /// The result cannot be read.
    InvalidResult(String),
    /// The server listed legacy versions only.
    LegacyVersions(Vec<String>),
    /// The server did not answer in time.
    NoAnswer(Duration),
    /// The client has no modern revision to probe with.
    NotProbed,
    /// The server supports no modern revision that the client speaks, as a client with the quirk `ignores-version` reads it.
    NoCommonRevision,
}

impl ProbeEvidence {
    /// Returns whether the server answered with an error, the only case in which some clients fall back.
    pub(crate) const fn is_error(&self) -> bool {
        match self {
            Self::Answered(ClientError::Rpc(_) | ClientError::HttpStatus { .. }) | Self::IncompleteError { .. } => true,
            Self::Answered(
                ClientError::InvalidMessage(_) | ClientError::SessionExpired | ClientError::ConnectionLost(_),
            )
            | Self::InvalidResult(_)
            | Self::LegacyVersions(_)
            | Self::NoAnswer(_)
            | Self::NotProbed
            | Self::NoCommonRevision => false,
        }
    }
}

impl fmt::Display for ProbeEvidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Answered(ClientError::Rpc(error)) => {
                write!(f, "to server/discover it answered error {}: {}", error.code, error.message)
            }
            Self::Answered(error) => write!(f, "to server/discover it answered: {error}"),
            Self::IncompleteError { code, without } => write!(f, "error {code} without the {without}"),
            Self::InvalidResult(error) => write!(f, "its answer to server/discover cannot be read: {error}"),
            Self::LegacyVersions(versions) => write!(f, "it names {} only", shorten(&versions.join(", "))),
            Self::NoAnswer(time) => write!(f, "no answer to server/discover within {} ms", time.as_millis()),
            Self::NotProbed => f.write_str("this client speaks no modern revision"),
            Self::NoCommonRevision => f.write_str("it supports no modern revision of the client's"),
        }
    }
}

impl NoSession {
    /// Describes what the server did, without the reading of this client. An HTTP status stands alone, because it is no answer of
    /// a legacy MCP server.
    pub fn server_side(&self) -> String {
        match self {
            Self::LegacyServer(ProbeEvidence::Answered(error @ ClientError::HttpStatus { .. }))
            | Self::InitializeFailed(error @ ClientError::HttpStatus { .. }) => error.to_string(),
            // What is no answer of any era says nothing about the era.
            Self::LegacyServer(
                evidence @ (ProbeEvidence::NoAnswer(_)
                | ProbeEvidence::InvalidResult(_)
                | ProbeEvidence::Answered(ClientError::InvalidMessage(_))),
            ) => evidence.to_string(),
            Self::LegacyServer(evidence) => format!("the server is a legacy one ({evidence})"),
            Self::UnknownVersion { chosen, .. } => format!("the server chose protocol version {chosen:?}"),
            Self::NoCommonRevision { supported, .. } => {
                format!("the server supports {:?}", shorten(&supported.join(", ")))
            }
            Self::DiscoverRefused(error) => format!("the server refuses server/discover: {}", error.message),
            Self::EraNotSpoken(_)
            | Self::InitializeFailed(_)
            | Self::InvalidInitializeResult(_)
            | Self::InitializedNotSent(_)
            | Self::LostAtProbe(_)
            | Self::NoConnection(_)
            | Self::TimedOut(_) => self.to_string(),
        }
    }

    /// The error as the peer contract has it.
    pub(crate) fn to_peer_error(&self) -> PeerError {
        let (layer, code) = match self {
            Self::LegacyServer(_)
            | Self::UnknownVersion { .. }
            | Self::EraNotSpoken(_)
            | Self::LostAtProbe(_)
            | Self::NoConnection(_) => (Layer::Connect, None),
            Self::NoCommonRevision { .. } => (Layer::Connect, Some(UNSUPPORTED_VERSION)),
            Self::DiscoverRefused(error) => (Layer::Connect, Some(error.code)),
            Self::InitializeFailed(ClientError::InvalidMessage(_)) | Self::InvalidInitializeResult(_) => {
                (Layer::Decode, None)
            }
            // Whatever was refused or lost, what the user meets is that there is no session.
            Self::InitializeFailed(error) | Self::InitializedNotSent(error) => {
                (Layer::Connect, error.to_peer_error().code)
            }
            Self::TimedOut(_) => (Layer::Timeout, None),
        };
        PeerError { layer, code, message: self.to_string() }
    }
}

impl fmt::Display for NoSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |known: &[Revision]| known.iter().map(|known| known.as_str()).collect::<Vec<_>>().join(", ");
        match self {
            Self::LegacyServer(evidence) => {
                write!(f, "the server is a legacy one ({evidence}), and this client does not fall back to initialize")
            }
            Self::UnknownVersion { known, .. } | Self::NoCommonRevision { known, .. } => {
                write!(f, "{}, and this client knows {}", self.server_side(), list(known))
            }
            Self::DiscoverRefused(_) => f.write_str(&self.server_side()),
            Self::EraNotSpoken(era) => write!(f, "this client speaks no {} revision", era.as_str()),
            Self::InitializeFailed(error @ ClientError::InvalidMessage(_)) | Self::InitializedNotSent(error) => {
                error.fmt(f)
            }
            Self::InitializeFailed(error) => write!(f, "initialize failed: {error}"),
            Self::InvalidInitializeResult(error) => write!(f, "the result of initialize cannot be read: {error}"),
            Self::LostAtProbe(reason) | Self::NoConnection(reason) => f.write_str(reason),
            Self::TimedOut(time) => write!(f, "no session within {} ms", time.as_millis()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_side_is_told_without_what_the_client_knows() {
        let error = NoSession::UnknownVersion { chosen: "1999-12-31".to_owned(), known: vec![Revision::V2025_11_25] };
        assert_eq!(error.server_side(), "the server chose protocol version \"1999-12-31\"");
        assert_eq!(
            error.to_string(),
            "the server chose protocol version \"1999-12-31\", and this client knows 2025-11-25"
        );
        let status = ClientError::HttpStatus { status: 404, body: "gone".to_owned() };
        let probed = NoSession::LegacyServer(ProbeEvidence::Answered(status.clone()));
        assert_eq!(probed.server_side(), "HTTP status 404: gone");
        assert_eq!(NoSession::InitializeFailed(status).server_side(), "HTTP status 404: gone");
    }

    #[test]
    fn a_server_that_answers_garbage_or_nothing_is_not_called_legacy() {
        let garbage = ProbeEvidence::Answered(ClientError::InvalidMessage("a message that is not JSON".to_owned()));
        let told = NoSession::LegacyServer(garbage).server_side();
        assert_eq!(told, "to server/discover it answered: a message that is not JSON");
        let silent = NoSession::LegacyServer(ProbeEvidence::NoAnswer(Duration::from_secs(1))).server_side();
        assert_eq!(silent, "no answer to server/discover within 1000 ms");
    }

    #[test]
    fn the_sentence_of_a_legacy_server_says_what_it_answered() {
        let error = ClientError::Rpc(RpcError { code: -32601, message: "no, and this client".to_owned(), data: None });
        let probed = NoSession::LegacyServer(ProbeEvidence::Answered(error));
        assert_eq!(
            probed.server_side(),
            "the server is a legacy one (to server/discover it answered error -32601: no, and this client)"
        );
    }
}
