//! A session with rmcp's client, through its public API only.

use peer_contract::answer::{CallAnswer, Layer, PeerError, ToolAnswer};
use peer_contract::client::{Client, Session};
use peer_contract::job::{Job, Mode, ServerAddress};
use rmcp::model::{CallToolRequestParams, JsonObject, ProtocolVersion, ServerNotification, SubscriptionFilter};
use rmcp::service::{ClientLifecycleMode, NotificationContext, RunningService, Subscription};
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{ClientHandler, ClientServiceExt as _, RoleClient};
use serde_json::Value;
use tokio::process::Command;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;

use crate::errors::{of_connecting, of_request};

/// rmcp's client.
pub struct Rmcp;

/// A running session.
pub struct RmcpSession {
    service: RunningService<RoleClient, Listener>,
    changes: watch::Receiver<u64>,
    subscription: Option<Listening>,
}

/// An open `subscriptions/listen`, read in a task of its own.
struct Listening {
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

/// Counts the changes of tools that rmcp hands out.
#[derive(Clone)]
struct Listener {
    changes: watch::Sender<u64>,
}

impl Listener {
    fn changed(&self) {
        self.changes.send_modify(|count| *count += 1);
    }
}

impl ClientHandler for Listener {
    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed();
    }
}

impl Client for Rmcp {
    type Session = RmcpSession;

    fn unsupported(_: &Job) -> Option<String> {
        None
    }

    async fn connect(job: &Job) -> Result<RmcpSession, PeerError> {
        let (sender, changes) = watch::channel(0);
        let listener = Listener { changes: sender };
        let service = match &job.server {
            ServerAddress::Stdio { command, env } => {
                let (program, arguments) =
                    command.split_first().ok_or_else(|| PeerError::new(Layer::Connect, "an empty command"))?;
                let mut command = Command::new(program);
                command.args(arguments).envs(env).kill_on_drop(true);
                let process = TokioChildProcess::new(command);
                let process = process.map_err(|error| PeerError::new(Layer::Connect, format!("{program}: {error}")))?;
                listener.clone().serve_with_lifecycle(process, lifecycle(job.mode)).await
            }
            ServerAddress::Http { url } => {
                let transport = StreamableHttpClientTransport::from_uri(url.as_str());
                listener.clone().serve_with_lifecycle(transport, lifecycle(job.mode)).await
            }
        };
        let mut session = RmcpSession { service: service.map_err(of_connecting)?, changes, subscription: None };
        if job.waits_for_change() && session.is_modern(job.mode) {
            session.subscribe(listener).await;
        }
        Ok(session)
    }
}

/// Without a mode, what `ServiceExt::serve` does: `initialize`.
fn lifecycle(mode: Option<Mode>) -> ClientLifecycleMode {
    let preferred_versions = vec![ProtocolVersion::LATEST];
    match mode {
        None | Some(Mode::Legacy) => ClientLifecycleMode::Initialize,
        Some(Mode::Auto) => ClientLifecycleMode::Auto { preferred_versions, legacy_version: None },
        Some(Mode::Modern) => ClientLifecycleMode::Discover { preferred_versions },
    }
}

impl RmcpSession {
    /// Whether the session was opened in the modern era. The negotiated revision alone does not tell: a server may
    /// name a modern one in its answer to `initialize`.
    fn is_modern(&self, mode: Option<Mode>) -> bool {
        let asked = matches!(mode, Some(Mode::Auto | Mode::Modern));
        asked && self.service.peer_info().is_some_and(|info| !info.protocol_version.has_initialize())
    }

    /// In the modern era nobody is told of a change who has not asked for it.
    async fn subscribe(&mut self, listener: Listener) {
        let filter = SubscriptionFilter::builder().tools_list_changed().build();
        match self.service.listen(filter).await {
            Ok(subscription) => {
                let (stop, stopped) = oneshot::channel();
                let task = tokio::spawn(read(subscription, listener, stopped));
                self.subscription = Some(Listening { stop, task });
            }
            Err(error) => eprintln!("no subscription: {error}"),
        }
    }
}

async fn read(mut subscription: Subscription, listener: Listener, mut stopped: oneshot::Receiver<()>) {
    loop {
        tokio::select! {
            next = subscription.next() => match next {
                Ok(Some(ServerNotification::ToolListChangedNotification(_))) => listener.changed(),
                Ok(Some(_)) => {}
                Ok(None) | Err(_) => return,
            },
            _ = &mut stopped => {
                let _ = subscription.cancel().await;
                return;
            }
        }
    }
}

impl Session for RmcpSession {
    fn negotiated(&self) -> Option<String> {
        self.service.peer_info().map(|info| info.protocol_version.to_string())
    }

    async fn list(&self) -> Result<Vec<ToolAnswer>, PeerError> {
        let tools = self.service.list_all_tools().await.map_err(of_request)?;
        let answer = |tool: rmcp::model::Tool| ToolAnswer {
            name: tool.name.into_owned(),
            output_schema: tool.output_schema.map(|schema| Value::Object(schema.as_ref().clone())),
        };
        Ok(tools.into_iter().map(answer).collect())
    }

    async fn call(&self, tool: &str, arguments: JsonObject) -> Result<CallAnswer, PeerError> {
        let request = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let result = self.service.call_tool(request).await.map_err(of_request)?;
        let content = result.content.iter().map(serde_json::to_value).collect::<Result<_, _>>();
        Ok(CallAnswer {
            structured: result.structured_content,
            content: content.map_err(|error| PeerError::new(Layer::Decode, error))?,
            is_error: result.is_error.unwrap_or(false),
        })
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.changes.clone()
    }

    async fn close(self) {
        if let Some(Listening { stop, task }) = self.subscription {
            let _ = stop.send(());
            let _ = task.await;
        }
        let _ = self.service.cancel().await;
    }
}
