//! Names that are the same in rmcp since 0.14: a part of `release`.

use std::sync::Arc;

use peer_contract::server::CancellationToken;
use rmcp::model::{CallToolRequestParams, PaginatedRequestParams};
use rmcp::service::ClientInitializeError;
use rmcp::transport::streamable_http_server::StreamableHttpServerConfig;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;

/// The parameters of a call.
pub type CallParams = CallToolRequestParams;

/// The parameters of a request for a page of a list.
pub type PageParams = PaginatedRequestParams;

/// The code of the server's error answer to `initialize`, if that is why no session came about.
pub fn code_of_refusal(error: &ClientInitializeError) -> Option<i32> {
    match error {
        ClientInitializeError::JsonRpcError(data) => Some(data.code.0),
        _ => None,
    }
}

/// The default settings of an HTTP service, and what ends its sessions.
pub fn stoppable(_: &Arc<LocalSessionManager>) -> (StreamableHttpServerConfig, CancellationToken) {
    let config = StreamableHttpServerConfig::default();
    let stop = config.cancellation_token.clone();
    (config, stop)
}
