//! What rmcp 1.x and 2.x say in their own way: their structs are closed, and made by constructors.

use rmcp::model::{CallToolRequestParams, CallToolResult, JsonObject, ServerCapabilities, ServerInfo};

/// A call of a tool.
pub fn call_of(tool: String, arguments: JsonObject) -> CallToolRequestParams {
    CallToolRequestParams::new(tool).with_arguments(arguments)
}

/// What a server tells of itself.
pub fn info(capabilities: ServerCapabilities) -> ServerInfo {
    ServerInfo::new(capabilities)
}

/// The answer to the call that takes the server to its next stage. It has no text, for the two lines name the type of
/// a block of content differently.
pub fn evolved() -> CallToolResult {
    CallToolResult::success(Vec::new())
}
