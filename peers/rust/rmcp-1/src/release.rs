//! Names that are particular to rmcp 1.x and 2.x: their structs are closed, and made by constructors.

#[path = "../../rmcp-common/since_0_14.rs"]
mod since_0_14;

use rmcp::model::{CallToolRequestParams, CallToolResult, JsonObject, ServerCapabilities, ServerInfo};

pub use since_0_14::{CallParams, PageParams, code_of_refusal, stoppable};

/// A call of a tool.
pub fn call_of(tool: String, arguments: JsonObject) -> CallParams {
    CallToolRequestParams::new(tool).with_arguments(arguments)
}

/// Returns a server's description of itself.
pub fn info(capabilities: ServerCapabilities) -> ServerInfo {
    ServerInfo::new(capabilities)
}

/// The answer to the call that takes the server to its next stage. It has no text, for the two lines name the type of
/// a block of content differently.
pub fn evolved() -> CallToolResult {
    CallToolResult::success(Vec::new())
}
