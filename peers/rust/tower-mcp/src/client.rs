//! A session with tower-mcp's client, through its public API only.

use peer_contract::answer::{CallAnswer, Layer, PeerError, ToolAnswer};
use peer_contract::client::{Client, Session};
use peer_contract::job::{Job, Mode, ServerAddress};
use serde_json::{Map, Value};
use tokio::process::Command;
use tokio::sync::watch;
use tower_mcp::client::{
    HttpClientTransport, McpClient, NotificationHandler, StdioClientTransport, SubscriptionHandle,
};
use tower_mcp::error::Error;
use tower_mcp::protocol::SubscriptionFilter;

/// tower-mcp's client.
pub struct TowerMcp;

/// A running session, and what it listens to.
pub struct TowerSession {
    client: McpClient,
    negotiated: String,
    changes: watch::Sender<u64>,
    subscription: Option<SubscriptionHandle>,
}

impl Client for TowerMcp {
    type Session = TowerSession;

    fn unsupported(job: &Job) -> Option<String> {
        matches!(job.mode, Some(Mode::Auto)).then(|| "the SDK has no way to try both eras".to_owned())
    }

    async fn connect(job: &Job) -> Result<TowerSession, PeerError> {
        let changes = watch::Sender::new(0);
        let told = changes.clone();
        let handler = NotificationHandler::new().on_tools_changed(move || told.send_modify(|count| *count += 1));
        let client = match &job.server {
            ServerAddress::Stdio { command, env } => {
                let (program, arguments) = command
                    .split_first()
                    .ok_or_else(|| PeerError::new(Layer::Connect, "the command of the server is empty"))?;
                let mut command = Command::new(program);
                command.args(arguments).envs(env);
                let transport = StdioClientTransport::spawn_command(&mut command).await.map_err(of_connecting)?;
                McpClient::connect_with_handler(transport, handler).await
            }
            ServerAddress::Http { url } => {
                McpClient::connect_with_handler(HttpClientTransport::new(url.as_str()), handler).await
            }
        };
        let client = client.map_err(of_connecting)?;
        let (name, version) = ("mcp-compat", env!("CARGO_PKG_VERSION"));
        let mut subscription = None;
        let negotiated = if job.mode == Some(Mode::Modern) {
            client.discover(name, version).await.map_err(of_connecting)?;
            if job.waits_for_change() {
                subscription = subscribe(&client).await;
            }
            client.selected_protocol_version().await.unwrap_or_default()
        } else {
            client.initialize(name, version).await.map_err(of_connecting)?.protocol_version
        };
        Ok(TowerSession { client, negotiated, changes, subscription })
    }
}

/// Subscribes to changes, and waits until the server takes note of it.
async fn subscribe(client: &McpClient) -> Option<SubscriptionHandle> {
    let filter = SubscriptionFilter { tools_list_changed: Some(true), ..SubscriptionFilter::default() };
    match client.listen_subscriptions(filter).await {
        Ok(mut subscription) => match subscription.acknowledged().await {
            Ok(_) => Some(subscription),
            Err(error) => {
                eprintln!("no subscription: {error}");
                None
            }
        },
        Err(error) => {
            eprintln!("no subscription: {error}");
            None
        }
    }
}

impl TowerSession {
    fn failed(&self, error: Error) -> PeerError {
        of_request(error, self.client.is_connected())
    }
}

impl Session for TowerSession {
    fn negotiated(&self) -> Option<String> {
        Some(self.negotiated.clone())
    }

    async fn list(&self) -> Result<Vec<ToolAnswer>, PeerError> {
        let tools = self.client.list_all_tools().await.map_err(|error| self.failed(error))?;
        Ok(tools.into_iter().map(|tool| ToolAnswer { name: tool.name, output_schema: tool.output_schema }).collect())
    }

    async fn call(&self, tool: &str, arguments: Map<String, Value>) -> Result<CallAnswer, PeerError> {
        let result = self.client.call_tool(tool, Value::Object(arguments)).await;
        let result = result.map_err(|error| self.failed(error))?;
        let content = result.content.iter().map(serde_json::to_value).collect::<Result<_, _>>();
        Ok(CallAnswer {
            structured: result.structured_content,
            content: content.map_err(|error| PeerError::new(Layer::Decode, error))?,
            is_error: result.is_error,
        })
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    async fn close(self) {
        if let Some(subscription) = self.subscription {
            let _ = subscription.cancel().await;
        }
        let _ = self.client.shutdown().await;
    }
}

fn of_connecting(error: Error) -> PeerError {
    match &error {
        Error::JsonRpc(refusal) => PeerError::with_code(Layer::Connect, refusal.code, &error),
        _ => PeerError::new(Layer::Connect, &error),
    }
}

fn of_request(error: Error, connected: bool) -> PeerError {
    match &error {
        Error::JsonRpc(answer) => PeerError::with_code(Layer::Protocol, answer.code, &answer.message),
        Error::Serialization(_) | Error::SseEventTooLarge { .. } | Error::FrameTooLarge { .. } => {
            PeerError::new(Layer::Decode, &error)
        }
        // An answer that could not be read is of the same kind as a connection that is lost.
        Error::Transport(_) if connected => PeerError::new(Layer::Decode, &error),
        _ => PeerError::new(Layer::Connect, &error),
    }
}
