//! What rmcp 0.x says in its own way: its structs are open, and made by naming their fields.

use rmcp::model::{CallToolRequestParams, CallToolResult, Content, JsonObject, ServerCapabilities, ServerInfo};

/// A call of a tool.
pub fn call_of(tool: String, arguments: JsonObject) -> CallToolRequestParams {
    CallToolRequestParams { meta: None, name: tool.into(), arguments: Some(arguments), task: None }
}

/// What a server tells of itself.
pub fn info(capabilities: ServerCapabilities) -> ServerInfo {
    ServerInfo { capabilities, ..ServerInfo::default() }
}

/// The answer to the call that takes the server to its next stage.
pub fn evolved() -> CallToolResult {
    CallToolResult::success(vec![Content::text("the tools have changed")])
}
