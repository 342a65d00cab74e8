//! A script offered with rmcp's low-level server API.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use peer_contract::exact;
use peer_contract::host::Endpoint;
use peer_contract::offer::{self, Process, Reply};
use peer_contract::script::Script;
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ErrorData, ListToolsResult, PaginatedRequestParams, ServerCapabilities,
    ServerInfo, Tool,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{RoleServer, ServerHandler, ServiceExt as _};
use serde_json::{Map, Value};

type Offer = offer::Offer<Tool, CallToolResult, ErrorData>;

/// A server of one script.
#[derive(Clone)]
pub struct Scripted {
    offer: Arc<Offer>,
    list: ListToolsResult,
    /// How far the session has come.
    stage: Arc<AtomicUsize>,
}

/// Serves one session over the standard streams.
pub async fn over_stdio() {
    let script = Script::from_environment();
    let server = Scripted::new(&script, Process::OfOneSession).unwrap_or_else(|why| peer_contract::unsupported(&why));
    match server.serve(rmcp::transport::stdio()).await {
        Ok(session) => drop(session.waiting().await),
        Err(error) => eprintln!("no session: {error}"),
    }
}

/// Makes rmcp's HTTP service of a script, with rmcp's defaults.
pub fn over_http(script: &Script) -> Result<Endpoint<StreamableHttpService<Scripted, LocalSessionManager>>, String> {
    let server = Scripted::new(script, Process::OfManySessions)?;
    let config = StreamableHttpServerConfig::default();
    let stop = config.cancellation_token.clone();
    let session = move || Ok(Scripted { stage: Arc::default(), ..server.clone() });
    Ok(Endpoint { service: StreamableHttpService::new(session, Arc::default(), config), stop })
}

impl Scripted {
    fn new(script: &Script, process: Process) -> Result<Self, String> {
        Ok(Self {
            offer: Arc::new(Offer::new(script, process, result)?),
            list: list(script.list.clone().unwrap_or_default())?,
            stage: Arc::default(),
        })
    }

    async fn evolve(&self, context: &RequestContext<RoleServer>) -> CallToolResult {
        let stage = self.stage.fetch_add(1, Ordering::SeqCst) + 1;
        if self.offer.told(stage) {
            // A client that does not listen is no failure of this call.
            let _ = context.peer.notify_tool_list_changed().await;
        }
        CallToolResult::success(Vec::new())
    }
}

/// A result as its author would set it: `null` is a value.
fn result(value: &Value) -> Result<CallToolResult, String> {
    let mut result: CallToolResult =
        serde_json::from_value(value.clone()).map_err(|error| format!("the SDK's type for a result: {error}"))?;
    result.structured_content = value.get("structuredContent").cloned();
    exact::same("a result", value, &result)?;
    Ok(result)
}

/// The result of `tools/list`, still without tools.
fn list(mut members: Map<String, Value>) -> Result<ListToolsResult, String> {
    members.insert("tools".to_owned(), Value::Array(vec![]));
    exact::typed("a list", &Value::Object(members))
}

impl ServerHandler for Scripted {
    fn get_info(&self) -> ServerInfo {
        let tools = ServerCapabilities::builder().enable_tools();
        ServerInfo::new(if self.offer.changes() { tools.enable_tool_list_changed().build() } else { tools.build() })
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        let (tools, next) = self
            .offer
            .page(self.stage.load(Ordering::SeqCst), cursor.as_deref())
            .ok_or_else(|| ErrorData::invalid_params("no page has this cursor", None))?;
        let mut list = self.list.clone();
        list.tools = tools;
        list.next_cursor = next.or(list.next_cursor);
        Ok(list)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        match self.offer.reply(self.stage.load(Ordering::SeqCst), &request.name) {
            None => Err(ErrorData::invalid_params(format!("unknown tool: {}", request.name), None)),
            Some(Reply::Result(result)) => Ok(result.clone()),
            Some(Reply::Error(error)) => Err(error.clone()),
            Some(Reply::Hang) => std::future::pending().await,
            Some(Reply::Exit(status)) => std::process::exit(*status),
            Some(Reply::Evolve) => Ok(self.evolve(&context).await),
        }
    }
}
