//! What rmcp 3.x says in its own way.

use rmcp::model::{CallToolRequestParams, JsonObject};

/// A call of a tool.
pub fn call_of(tool: String, arguments: JsonObject) -> CallToolRequestParams {
    CallToolRequestParams::new(tool).with_arguments(arguments)
}
