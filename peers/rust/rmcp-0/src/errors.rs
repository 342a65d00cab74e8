//! Where in the client an error of rmcp arose.

use std::error::Error;

use peer_contract::answer::{Layer, PeerError};
use rmcp::ServiceError;
use rmcp::service::ClientInitializeError;
use rmcp::transport::DynamicTransportError;

/// No session came about.
pub fn of_connecting(error: ClientInitializeError) -> PeerError {
    match &error {
        ClientInitializeError::JsonRpcError(data) => PeerError::with_code(Layer::Connect, data.code.0, &error),
        _ => PeerError::new(Layer::Connect, &error),
    }
}

/// A request failed.
pub fn of_request(error: ServiceError) -> PeerError {
    match &error {
        ServiceError::McpError(data) => PeerError::with_code(Layer::Protocol, data.code.0, &data.message),
        ServiceError::UnexpectedResponse => PeerError::new(Layer::Decode, &error),
        ServiceError::TransportSend(cause) => PeerError::new(of_transport(cause), &error),
        ServiceError::TransportClosed => PeerError::new(Layer::Connect, &error),
        ServiceError::Timeout { .. } => PeerError::new(Layer::Timeout, &error),
        _ => PeerError::new(Layer::Protocol, &error),
    }
}

/// The transport reports what it could not read in the same way as what it could not send.
fn of_transport(error: &DynamicTransportError) -> Layer {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error.error.as_ref());
    while let Some(error) = cause {
        if error.is::<serde_json::Error>() {
            return Layer::Decode;
        }
        cause = error.source();
    }
    Layer::Connect
}
