//! Why a peer cannot be used.

use mcp_compat_mocks::client::SpecError;
use mcp_compat_mocks::server::UnknownServer;
use mcp_compat_model::peer::InvalidPeerId;

/// Why a peer cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PeerError {
    /// There is no such mock client.
    #[error(transparent)]
    MockClient(#[from] SpecError),
    /// There is no such mock server.
    #[error(transparent)]
    MockServer(#[from] UnknownServer),
    /// The id is not valid.
    #[error(transparent)]
    Id(#[from] InvalidPeerId),
    /// The id is that of a mock.
    #[error("{0:?} is the id of one of the mocks: call the peer by its own name and version, such as my-sdk@0.1.0")]
    Taken(String),
}
