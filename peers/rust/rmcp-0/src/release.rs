//! Names that are particular to rmcp 0.x: its structs are open, and made by naming their fields.

#[path = "../../rmcp-common/since_0_14.rs"]
mod since_0_14;

use rmcp::model::{CallToolRequestParams, CallToolResult, Content, JsonObject, ServerCapabilities, ServerInfo};

pub use since_0_14::{CallParams, PageParams, code_of_refusal, stoppable};

/// A call of a tool.
pub fn call_of(tool: String, arguments: JsonObject) -> CallParams {
    CallToolRequestParams { meta: None, name: tool.into(), arguments: Some(arguments), task: None }
}

/// Returns a server's description of itself.
pub fn info(capabilities: ServerCapabilities) -> ServerInfo {
    ServerInfo { capabilities, ..ServerInfo::default() }
}

/// The answer to the call that takes the server to its next stage.
pub fn evolved() -> CallToolResult {
    CallToolResult::success(vec![Content::text("the tools have changed")])
}
