//! A script offered with the server handler of rust-mcp-sdk.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use peer_contract::exact;
use peer_contract::offer::{Offer, Process, Reply};
use peer_contract::script::Script;
use peer_contract::server::{CancellationToken, Endpoint, Server};
use rust_mcp_axum::mcp_routes;
use rust_mcp_sdk::id_generator::{FastIdGenerator, UuidGenerator};
use rust_mcp_sdk::mcp_http::{DEFAULT_MAX_LISTEN_STREAMS, McpAppState, McpHttpHandler, McpMountOptions};
use rust_mcp_sdk::mcp_server::{McpServerOptions, ServerHandler, server_runtime};
use rust_mcp_sdk::schema::{
    CallToolRequestParams, CallToolResult, Implementation, ListToolsResult, PaginatedRequestParams, RequestId,
    RpcError, ServerCapabilities, ServerCapabilitiesTools, ServerResult, SubscriptionsListenRequestParams,
    SubscriptionsListenResult, SubscriptionsListenResultMetaObject, TextContent, Tool,
};
use rust_mcp_sdk::{
    McpServer, RequestContext, ServerDetails, StdioTransport, ToMcpServerHandler as _, TransportOptions,
};
use serde_json::{Map, Value, json};

use crate::axum_common::AxumService;

/// A server of one script. The requests belong to no session, so all share its progress.
pub struct Scripted {
    offer: Offer<Tool, CallToolResult, RpcError>,
    /// The result of `tools/list`, still without tools.
    list: ListToolsResult,
    stage: AtomicUsize,
    /// Each with a subscription that is open.
    listeners: Mutex<Vec<Arc<dyn McpServer>>>,
}

impl Server for Scripted {
    type Http = AxumService;

    fn new(script: &Script, process: Process) -> Result<Self, String> {
        Ok(Self {
            offer: Offer::new(script, process, result)?,
            list: list(script.list.clone().unwrap_or_default())?,
            stage: AtomicUsize::new(0),
            listeners: Mutex::default(),
        })
    }

    async fn over_stdio(self) {
        let server_details = self.details();
        let transport = match StdioTransport::new(TransportOptions::default()) {
            Ok(transport) => transport,
            Err(error) => return eprintln!("no transport: {error}"),
        };
        let handler = self.to_mcp_server_handler();
        let options = McpServerOptions { server_details, transport, handler, message_observer: None };
        if let Err(error) = server_runtime::create_server(options).start().await {
            eprintln!("the session ended: {error}");
        }
    }

    fn over_http(self) -> Endpoint<AxumService> {
        // As `create_axum_server` fills it in.
        let state = McpAppState {
            id_generator: Arc::new(UuidGenerator {}),
            stream_id_gen: Arc::new(FastIdGenerator::new(Some("s_"))),
            server_details: Arc::new(self.details()),
            handler: self.to_mcp_server_handler(),
            ping_interval: Duration::from_secs(12),
            transport_options: Arc::default(),
            enable_json_response: false,
            message_observer: None,
            extensions: Arc::default(),
            active_listen_streams: Arc::default(),
            max_listen_streams: DEFAULT_MAX_LISTEN_STREAMS,
        };
        let routes = mcp_routes(Arc::new(state), &McpMountOptions::default(), McpHttpHandler::new(None, vec![], None));
        Endpoint { service: AxumService::new(routes, "/mcp"), stop: CancellationToken::new() }
    }
}

impl Scripted {
    fn details(&self) -> ServerDetails {
        ServerDetails {
            server_info: Implementation {
                name: "mcp-compat-rust-mcp-sdk".to_owned(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
                ..Implementation::default()
            },
            capabilities: ServerCapabilities {
                tools: Some(ServerCapabilitiesTools { list_changed: self.offer.changes().then_some(true) }),
                ..ServerCapabilities::default()
            },
            instructions: None,
            meta: None,
        }
    }

    async fn evolve(&self) -> CallToolResult {
        let stage = self.stage.fetch_add(1, Ordering::SeqCst) + 1;
        if self.offer.told(stage) {
            let listeners = self.listeners.lock().unwrap_or_else(PoisonError::into_inner).clone();
            for listener in &listeners {
                // A listener that is gone is no failure of this call.
                let _ = listener.notify_tool_list_changed(None).await;
            }
        }
        CallToolResult {
            content: vec![TextContent::new("the tools have changed".to_owned(), None, None).into()],
            is_error: None,
            meta: None,
            result_type: "complete".to_owned(),
            structured_content: None,
        }
    }
}

#[async_trait]
impl ServerHandler for Scripted {
    async fn handle_list_tools_request(
        &self,
        params: Option<PaginatedRequestParams>,
        _: &RequestContext,
        _: Arc<dyn McpServer>,
    ) -> Result<ListToolsResult, RpcError> {
        let cursor = params.and_then(|params| params.cursor);
        let (tools, next) = self
            .offer
            .page(self.stage.load(Ordering::SeqCst), cursor.as_deref())
            .ok_or_else(|| RpcError::invalid_params().with_message("no page has this cursor"))?;
        let mut list = self.list.clone();
        list.tools = tools;
        list.next_cursor = next.or(list.next_cursor);
        Ok(list)
    }

    async fn handle_call_tool_request_mrtr(
        &self,
        params: CallToolRequestParams,
        _: &RequestContext,
        _: Arc<dyn McpServer>,
    ) -> Result<ServerResult, RpcError> {
        match self.offer.reply(self.stage.load(Ordering::SeqCst), &params.name) {
            None => Err(RpcError::invalid_params().with_message(format!("unknown tool: {}", params.name))),
            Some(Reply::Result(result)) => Ok(result.clone().into()),
            Some(Reply::Error(error)) => Err(error.clone()),
            Some(Reply::Hang) => std::future::pending().await,
            Some(Reply::Exit(status)) => std::process::exit(*status),
            Some(Reply::Evolve) => Ok(self.evolve().await.into()),
        }
    }

    /// Does as the default does, and remembers the listener.
    async fn handle_subscriptions_listen_request(
        &self,
        request_id: RequestId,
        params: SubscriptionsListenRequestParams,
        _: &RequestContext,
        runtime: Arc<dyn McpServer>,
    ) -> Result<SubscriptionsListenResult, RpcError> {
        runtime.store_subscription(params.notifications);
        let server_info = runtime.server_details().server_info.clone();
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner).push(runtime);
        Ok(SubscriptionsListenResult {
            meta: SubscriptionsListenResultMetaObject {
                io_modelcontextprotocol_server_info: Some(server_info),
                io_modelcontextprotocol_subscription_id: request_id,
                extra: None,
            },
            result_type: "complete".to_owned(),
        })
    }
}

/// A result as its author would set it: `null` is a value, and `resultType` is a member that the type requires.
fn result(value: &Value) -> Result<CallToolResult, String> {
    let mut value = value.clone();
    if let Some(members) = value.as_object_mut() {
        members.entry("resultType").or_insert_with(|| json!("complete"));
    }
    let mut result: CallToolResult = serde_json::from_value(value.clone())
        .map_err(|error| format!("the SDK cannot represent the result ({error})"))?;
    result.structured_content = value.get("structuredContent").cloned();
    exact::same("the result", &value, &result)?;
    Ok(result)
}

/// A list with the members that the type requires, as the SDK's examples set them.
fn list(members: Map<String, Value>) -> Result<ListToolsResult, String> {
    let mut list = json!({"tools": [], "resultType": "complete", "ttlMs": 0, "cacheScope": "private"});
    if let Some(list) = list.as_object_mut() {
        list.extend(members);
    }
    exact::typed("the list", &list)
}
