//! A script in rmcp's types: what its low-level server API answers from.

use peer_contract::exact;
use peer_contract::offer::{self, Process, Reply};
use peer_contract::script::Script;
use rmcp::model::{CallToolResult, ErrorData, ListToolsResult, ServerCapabilities, Tool};
use serde_json::{Map, Value};

use crate::release::PageParams;

/// The tools of a script and what they answer, stage by stage.
pub struct Offer {
    stages: offer::Offer<Tool, CallToolResult, ErrorData>,
    /// The result of `tools/list`, still without tools.
    list: ListToolsResult,
}

impl Offer {
    /// Puts a script into rmcp's types, or says why it cannot.
    pub fn new(script: &Script, process: Process) -> Result<Self, String> {
        Ok(Self {
            stages: offer::Offer::new(script, process, result)?,
            list: list(script.list.clone().unwrap_or_default())?,
        })
    }

    /// Returns the capabilities of a server of this script.
    pub fn capabilities(&self) -> ServerCapabilities {
        let tools = ServerCapabilities::builder().enable_tools();
        if self.stages.changes() { tools.enable_tool_list_changed().build() } else { tools.build() }
    }

    /// Returns whether the step into a stage is told.
    pub fn told(&self, stage: usize) -> bool {
        self.stages.told(stage)
    }

    /// Answers `tools/list`.
    pub fn list(&self, stage: usize, request: Option<PageParams>) -> Result<ListToolsResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        let (tools, next) = self
            .stages
            .page(stage, cursor.as_deref())
            .ok_or_else(|| ErrorData::invalid_params("no page has this cursor", None))?;
        let mut list = self.list.clone();
        list.tools = tools;
        list.next_cursor = next.or(list.next_cursor);
        Ok(list)
    }

    /// Answers a call, unless it is the one that takes the server to its next stage.
    pub async fn call(&self, stage: usize, tool: &str) -> Result<Option<CallToolResult>, ErrorData> {
        match self.stages.reply(stage, tool) {
            None => Err(ErrorData::invalid_params(format!("unknown tool: {tool}"), None)),
            Some(Reply::Result(result)) => Ok(Some(result.clone())),
            Some(Reply::Error(error)) => Err(error.clone()),
            Some(Reply::Hang) => std::future::pending().await,
            Some(Reply::Exit(status)) => std::process::exit(*status),
            Some(Reply::Evolve) => Ok(None),
        }
    }
}

/// A result as its author would set it: `null` is a value.
fn result(value: &Value) -> Result<CallToolResult, String> {
    let mut result: CallToolResult = serde_json::from_value(value.clone())
        .map_err(|error| format!("the SDK cannot represent the result ({error})"))?;
    result.structured_content = value.get("structuredContent").cloned();
    exact::same("the result", value, &result)?;
    Ok(result)
}

fn list(mut members: Map<String, Value>) -> Result<ListToolsResult, String> {
    members.insert("tools".to_owned(), Value::Array(vec![]));
    exact::typed("the list", &Value::Object(members))
}
