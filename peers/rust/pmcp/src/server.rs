//! A script offered with pmcp's server and its tool handlers.

use std::sync::Arc;

use async_trait::async_trait;
use peer_contract::exact;
use peer_contract::offer::Process;
use peer_contract::script::{Reply, Script, ScriptedTool};
use peer_contract::server::{CancellationToken, Endpoint, Server};
use pmcp::types::protocol::PROTOCOL_VERSION_2026_07_28;
use pmcp::types::{CallToolResult, ProtocolVersion, SUPPORTED_PROTOCOL_VERSIONS, ToolInfo};
use pmcp::{Error, RequestHandlerExtra, ToolHandler, ToolOutput};
use serde_json::{Value, json};

use crate::axum_common::AxumService;

/// A server of one script.
pub struct Scripted {
    server: pmcp::Server,
}

/// A tool that owns its result, as `ToolOutput::Result` allows.
struct Tool {
    info: ToolInfo,
    answer: Answer,
}

/// Answer to a call.
#[derive(Clone)]
enum Answer {
    Result(CallToolResult),
    Hang,
    Exit(i32),
}

impl Server for Scripted {
    type Http = AxumService;

    fn new(script: &Script, process: Process) -> Result<Self, String> {
        if let Some(reason) = script.beyond_an_sdk() {
            return Err(reason.to_owned());
        }
        if script.page_size.is_some() {
            return Err("the SDK's server lists all tools on one page".to_owned());
        }
        if script.list.as_ref().is_some_and(|members| !members.is_empty()) {
            return Err("the SDK's server API cannot set other members of a list than its tools".to_owned());
        }
        let [stage] = script.stages.as_slice() else {
            return Err("the tools of the SDK's server do not change once it is built".to_owned());
        };
        // Without the list of revisions, it does not speak the modern era.
        let versions = SUPPORTED_PROTOCOL_VERSIONS.iter().copied().chain([PROTOCOL_VERSION_2026_07_28]);
        let mut builder = pmcp::Server::builder()
            .name("mcp-compat-pmcp")
            .version(env!("CARGO_PKG_VERSION"))
            .with_supported_protocol_versions(versions.map(|version| ProtocolVersion(version.to_owned())));
        for scripted in &stage.tools {
            builder = builder.tool(&scripted.name, offered(scripted, process)?);
        }
        let server = builder.build().map_err(|error| format!("the SDK cannot represent the tools ({error})"))?;
        Ok(Self { server })
    }

    async fn over_stdio(self) {
        if let Err(error) = self.server.run_stdio().await {
            eprintln!("the session ended: {error}");
        }
    }

    fn over_http(self) -> Endpoint<AxumService> {
        let router = pmcp::axum::concurrent_router(Arc::new(self.server));
        Endpoint { service: AxumService::new(router, "/"), stop: CancellationToken::new() }
    }
}

#[async_trait]
impl ToolHandler for Tool {
    async fn handle(&self, _: Value, _: RequestHandlerExtra) -> pmcp::Result<Value> {
        Err(Error::Internal("the tool answers with a whole result".to_owned()))
    }

    async fn handle_output(&self, _: Value, _: RequestHandlerExtra) -> pmcp::Result<ToolOutput> {
        match &self.answer {
            Answer::Result(result) => Ok(ToolOutput::Result(result.clone())),
            Answer::Hang => std::future::pending().await,
            Answer::Exit(status) => std::process::exit(*status),
        }
    }

    fn metadata(&self) -> Option<ToolInfo> {
        Some(self.info.clone())
    }
}

fn offered(scripted: &ScriptedTool, process: Process) -> Result<Tool, String> {
    let info = exact::typed("the tool", &scripted.definition)?;
    let answer = match &scripted.reply {
        Reply::Result(value) => Answer::Result(result(value)?),
        Reply::Error(_) => return Err("the SDK gives each error of a tool the code -32603 and other words".to_owned()),
        Reply::Raw(_) => return Err("the SDK's server API cannot send raw bytes".to_owned()),
        Reply::Hang {} => Answer::Hang,
        Reply::Exit { status } => match process {
            Process::OfOneSession => Answer::Exit(*status),
            Process::OfManySessions => return Err("the SDK's HTTP server cannot drop one connection".to_owned()),
        },
        Reply::Evolve {} => return Err("the tools of the SDK's server do not change once it is built".to_owned()),
    };
    Ok(Tool { info, answer })
}

/// A result as its author would set it: `null` is a value, and `isError` is a member that the type always writes.
fn result(value: &Value) -> Result<CallToolResult, String> {
    let mut value = value.clone();
    if let Some(members) = value.as_object_mut() {
        members.entry("isError").or_insert_with(|| json!(false));
    }
    let mut result: CallToolResult = serde_json::from_value(value.clone())
        .map_err(|error| format!("the SDK cannot represent the result ({error})"))?;
    result.structured_content = value.get("structuredContent").cloned();
    exact::same("the result", &value, &result)?;
    Ok(result)
}
