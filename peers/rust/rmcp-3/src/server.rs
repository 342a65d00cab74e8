//! A script offered with rmcp's low-level server API.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use peer_contract::exact;
use peer_contract::host::Endpoint;
use peer_contract::offer::{self, Process, Reply};
use peer_contract::script::Script;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, ListToolsResult,
    PaginatedRequestParams, ResultType, ServerCapabilities, ServerConfig, SubscriptionFilter, Tool,
};
use rmcp::service::{RequestContext, SubscriptionContext, SubscriptionSink};
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
    /// How far a legacy session has come.
    session: Arc<Progress>,
    /// How far the modern requests have come: they belong to no session, so all at one path share it.
    stateless: Arc<Progress>,
}

#[derive(Default)]
struct Progress {
    stage: AtomicUsize,
    listeners: Mutex<Vec<SubscriptionSink>>,
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
    let session = move || Ok(Scripted { session: Arc::default(), ..server.clone() });
    Ok(Endpoint { service: StreamableHttpService::new(session, Arc::default(), config), stop })
}

impl Scripted {
    fn new(script: &Script, process: Process) -> Result<Self, String> {
        Ok(Self {
            offer: Arc::new(Offer::new(script, process, result)?),
            list: list(script.list.clone().unwrap_or_default())?,
            session: Arc::default(),
            stateless: Arc::default(),
        })
    }

    fn progress(&self, context: &RequestContext<RoleServer>) -> &Progress {
        let modern = context.protocol_version().is_some_and(|version| !version.has_initialize());
        if modern { &self.stateless } else { &self.session }
    }

    async fn evolve(&self, context: &RequestContext<RoleServer>) -> CallToolResult {
        let progress = self.progress(context);
        let stage = progress.stage.fetch_add(1, Ordering::SeqCst) + 1;
        if self.offer.told(stage) {
            let listeners = progress.listeners.lock().unwrap_or_else(PoisonError::into_inner).clone();
            for listener in &listeners {
                // A listener that is gone is no failure of this call.
                let _ = listener.notify_tool_list_changed().await;
            }
            if std::ptr::eq(progress, &*self.session) {
                let _ = context.peer.notify_tool_list_changed().await;
            }
        }
        CallToolResult::success(vec![ContentBlock::text("the tools have changed")])
    }
}

/// A result as its author would set it: `null` is a value, and the revision's `resultType` is there by default.
fn result(value: &Value) -> Result<CallToolResult, String> {
    let mut result: CallToolResult =
        serde_json::from_value(value.clone()).map_err(|error| format!("the SDK's type for a result: {error}"))?;
    result.structured_content = value.get("structuredContent").cloned();
    exact::same("a result", value, &result)?;
    result.result_type.get_or_insert(ResultType::COMPLETE);
    Ok(result)
}

/// The result of `tools/list`, still without tools.
fn list(mut members: Map<String, Value>) -> Result<ListToolsResult, String> {
    members.insert("tools".to_owned(), Value::Array(vec![]));
    let mut list: ListToolsResult = exact::typed("a list", &Value::Object(members))?;
    list.result_type.get_or_insert(ResultType::COMPLETE);
    Ok(list)
}

impl ServerHandler for Scripted {
    fn get_info(&self) -> ServerConfig {
        let tools = ServerCapabilities::builder().enable_tools();
        ServerConfig::new(if self.offer.changes() { tools.enable_tool_list_changed().build() } else { tools.build() })
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        let stage = self.progress(&context).stage.load(Ordering::SeqCst);
        let (tools, next) = self
            .offer
            .page(stage, cursor.as_deref())
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
    ) -> Result<CallToolResponse, ErrorData> {
        let stage = self.progress(&context).stage.load(Ordering::SeqCst);
        match self.offer.reply(stage, &request.name) {
            None => Err(ErrorData::invalid_params(format!("unknown tool: {}", request.name), None)),
            Some(Reply::Result(result)) => Ok(result.clone().into()),
            Some(Reply::Error(error)) => Err(error.clone()),
            Some(Reply::Hang) => std::future::pending().await,
            Some(Reply::Exit(status)) => std::process::exit(*status),
            Some(Reply::Evolve) => Ok(self.evolve(&context).await.into()),
        }
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.supported_by(&self.get_info().capabilities))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let listeners = &self.progress(context.request_context()).listeners;
        listeners.lock().unwrap_or_else(PoisonError::into_inner).push(context.sink().clone());
        context.cancelled().await;
        Ok(())
    }
}
