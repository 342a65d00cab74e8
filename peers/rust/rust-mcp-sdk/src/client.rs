//! A session with the client of rust-mcp-sdk, through its public API only.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use peer_contract::answer::{CallAnswer, Layer, PeerError, ToolAnswer};
use peer_contract::client::{Client, Session};
use peer_contract::job::{Job, ServerAddress};
use rust_mcp_sdk::error::McpSdkError;
use rust_mcp_sdk::mcp_client::{
    ClientHandler, ClientRuntime, McpClientOptions, ToMcpClientHandler as _, client_runtime,
};
use rust_mcp_sdk::schema::{
    CallToolRequestParams, ClientCapabilities, Implementation, NotificationParams, RequestMetaObject, RequestParams,
    RpcError, SubscriptionFilter, SubscriptionsAcknowledgedNotificationParams, SubscriptionsListenRequestParams,
};
use rust_mcp_sdk::{
    ClientDetails, McpClient, RequestOptions, StdioTransport, StreamableTransportOptions, TransportOptions,
};
use serde_json::{Map, Value};
use tokio::sync::watch;

/// Longest time for a server to acknowledge a subscription.
const SUBSCRIPTION_TIMEOUT: Duration = Duration::from_secs(1);

/// The client of rust-mcp-sdk.
pub struct RustMcpSdk;

/// A running session.
pub struct SdkSession {
    client: Arc<ClientRuntime>,
    negotiated: Option<String>,
    changes: watch::Sender<u64>,
}

/// Counts what the SDK hands out.
#[derive(Clone, Default)]
struct Listener {
    changes: watch::Sender<u64>,
    subscriptions: watch::Sender<u64>,
}

#[async_trait]
impl ClientHandler for Listener {
    async fn handle_tool_list_changed_notification(
        &self,
        _: Option<NotificationParams>,
        _: &dyn McpClient,
    ) -> Result<(), RpcError> {
        self.changes.send_modify(|count| *count += 1);
        Ok(())
    }

    async fn handle_subscriptions_acknowledged_notification(
        &self,
        _: SubscriptionsAcknowledgedNotificationParams,
        _: &dyn McpClient,
    ) -> Result<(), RpcError> {
        self.subscriptions.send_modify(|count| *count += 1);
        Ok(())
    }
}

impl Client for RustMcpSdk {
    type Session = SdkSession;

    fn unsupported(_: &Job) -> Option<String> {
        None
    }

    async fn connect(job: &Job) -> Result<SdkSession, PeerError> {
        let listener = Listener::default();
        let details = ClientDetails {
            client_info: Implementation {
                name: "mcp-compat".to_owned(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
                ..Implementation::default()
            },
            capabilities: ClientCapabilities::default(),
        };
        let client = match &job.server {
            ServerAddress::Stdio { command, env } => {
                let (program, arguments) = command
                    .split_first()
                    .ok_or_else(|| PeerError::new(Layer::Connect, "the command of the server is empty"))?;
                let transport = StdioTransport::create_with_server_launch(
                    program,
                    arguments.to_vec(),
                    Some(env.clone().into_iter().collect()),
                    TransportOptions::default(),
                );
                let transport = transport.map_err(|error| PeerError::new(Layer::Connect, error))?;
                let handler = listener.clone().to_mcp_client_handler();
                client_runtime::create_client(McpClientOptions::new(details, transport, handler))
            }
            ServerAddress::Http { url } => {
                let options =
                    StreamableTransportOptions { mcp_url: url.clone(), request_options: RequestOptions::default() };
                client_runtime::with_transport_options(details, options, listener.clone(), None)
            }
        };
        client.clone().start().await.map_err(of_connecting)?;
        // The SDK stamps its revision and the client's details on every request.
        let discovered = client.request_discover(RequestParams::default()).await.map_err(of_connecting)?;
        let revision = "2026-07-28";
        let negotiated = discovered.supported_versions.iter().any(|version| version == revision);
        if job.waits_for_change() {
            subscribe(&client, &listener).await;
        }
        Ok(SdkSession { client, negotiated: negotiated.then(|| revision.to_owned()), changes: listener.changes })
    }
}

/// Subscribes to changes, and waits until the server takes note of it. The request ends when the subscription does.
async fn subscribe(client: &Arc<ClientRuntime>, listener: &Listener) {
    let mut subscriptions = listener.subscriptions.subscribe();
    let params = SubscriptionsListenRequestParams {
        meta: RequestMetaObject::default(),
        notifications: SubscriptionFilter { tools_list_changed: Some(true), ..SubscriptionFilter::default() },
    };
    let client = client.clone();
    tokio::spawn(async move {
        if let Err(error) = client.request_subscriptions_listen(params).await {
            eprintln!("no subscription: {error}");
        }
    });
    if tokio::time::timeout(SUBSCRIPTION_TIMEOUT, subscriptions.changed()).await.is_err() {
        eprintln!("the subscription was not acknowledged");
    }
}

impl Session for SdkSession {
    fn negotiated(&self) -> Option<String> {
        self.negotiated.clone()
    }

    async fn list(&self) -> Result<Vec<ToolAnswer>, PeerError> {
        let tools = self.client.list_all_tools(None, None).await.map_err(of_request)?;
        let answer = |tool: rust_mcp_sdk::schema::Tool| {
            let output_schema = tool.output_schema.map(serde_json::to_value).transpose();
            let output_schema = output_schema.map_err(|error| PeerError::new(Layer::Decode, error))?;
            Ok(ToolAnswer { name: tool.name, output_schema })
        };
        tools.into_iter().map(answer).collect()
    }

    async fn call(&self, tool: &str, arguments: Map<String, Value>) -> Result<CallAnswer, PeerError> {
        let params = CallToolRequestParams {
            name: tool.to_owned(),
            arguments: Some(arguments),
            input_responses: None,
            meta: RequestMetaObject::default(),
            request_state: None,
        };
        let result = self.client.call_tool(params).await.map_err(of_request)?;
        let content = result.content.iter().map(serde_json::to_value).collect::<Result<_, _>>();
        Ok(CallAnswer {
            structured: result.structured_content,
            content: content.map_err(|error| PeerError::new(Layer::Decode, error))?,
            is_error: result.is_error.unwrap_or(false),
        })
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    async fn close(self) {
        let _ = self.client.shut_down().await;
    }
}

fn of_connecting(error: McpSdkError) -> PeerError {
    let code = match &error {
        McpSdkError::RpcError(refusal) => i32::try_from(refusal.code).ok(),
        _ => None,
    };
    match code {
        Some(code) => PeerError::with_code(Layer::Connect, code, &error),
        None => PeerError::new(Layer::Connect, &error),
    }
}

fn of_request(error: McpSdkError) -> PeerError {
    match &error {
        McpSdkError::RpcError(answer) => match i32::try_from(answer.code) {
            Ok(code) => PeerError::with_code(Layer::Protocol, code, &answer.message),
            Err(_) => PeerError::new(Layer::Protocol, &answer.message),
        },
        McpSdkError::Transport(_) | McpSdkError::Io(_) => PeerError::new(Layer::Connect, &error),
        _ => PeerError::new(Layer::Decode, &error),
    }
}
