//! Classification of rmcp's errors by the layer of the client in which they arose.

use peer_contract::answer::{Layer, PeerError};
use rmcp::ServiceError;
use rmcp::service::ClientInitializeError;
use rmcp::transport::DynamicTransportError;
use rmcp::transport::streamable_http_client::StreamableHttpError;

use crate::release;

/// No session came about.
pub fn of_connecting(error: ClientInitializeError) -> PeerError {
    match release::code_of_refusal(&error) {
        Some(code) => PeerError::with_code(Layer::Connect, code, &error),
        None => PeerError::new(Layer::Connect, &error),
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

/// Tells errors of reading from errors of sending, which the HTTP transport reports in the same way.
fn of_transport(error: &DynamicTransportError) -> Layer {
    use StreamableHttpError::{Deserialize, Sse, UnexpectedContentType, UnexpectedServerResponse};
    match error.error.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
        Some(Deserialize(_) | Sse(_) | UnexpectedContentType(_) | UnexpectedServerResponse(_)) => Layer::Decode,
        Some(_) | None => Layer::Connect,
    }
}
