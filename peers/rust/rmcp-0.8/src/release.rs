//! Names that are particular to rmcp before 0.13: its structs are open, and made by naming their fields.

use std::sync::Arc;

use peer_contract::server::CancellationToken;
use rmcp::model::{
    CallToolRequestParam, CallToolResult, Content, JsonObject, PaginatedRequestParam, ServerCapabilities, ServerInfo,
};
use rmcp::service::ClientInitializeError;
use rmcp::transport::streamable_http_server::StreamableHttpServerConfig;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;

/// The parameters of a call.
pub type CallParams = CallToolRequestParam;

/// The parameters of a request for a page of a list.
pub type PageParams = PaginatedRequestParam;

/// A call of a tool.
pub fn call_of(tool: String, arguments: JsonObject) -> CallParams {
    CallToolRequestParam { name: tool.into(), arguments: Some(arguments) }
}

/// Returns a server's description of itself.
pub fn info(capabilities: ServerCapabilities) -> ServerInfo {
    ServerInfo { capabilities, ..ServerInfo::default() }
}

/// The answer to the call that takes the server to its next stage.
pub fn evolved() -> CallToolResult {
    CallToolResult::success(vec![Content::text("the tools have changed")])
}

/// No code: these releases pass over an error answer to `initialize` and wait for another message.
pub fn code_of_refusal(_: &ClientInitializeError) -> Option<i32> {
    None
}

/// The default settings of an HTTP service, and what ends its sessions. The settings have no switch for that; a session
/// ends when its handle is dropped.
pub fn stoppable(sessions: &Arc<LocalSessionManager>) -> (StreamableHttpServerConfig, CancellationToken) {
    let stop = CancellationToken::new();
    let (stopped, sessions) = (stop.clone(), sessions.clone());
    tokio::spawn(async move {
        stopped.cancelled().await;
        sessions.sessions.write().await.clear();
    });
    (StreamableHttpServerConfig::default(), stop)
}
