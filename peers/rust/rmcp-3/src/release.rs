//! Names that are particular to rmcp 3.x.

#[path = "../../rmcp-common/since_0_14.rs"]
mod since_0_14;

use rmcp::model::{CallToolRequestParams, JsonObject};

pub use since_0_14::{CallParams, PageParams, code_of_refusal, stoppable};

/// A call of a tool.
pub fn call_of(tool: String, arguments: JsonObject) -> CallParams {
    CallToolRequestParams::new(tool).with_arguments(arguments)
}
