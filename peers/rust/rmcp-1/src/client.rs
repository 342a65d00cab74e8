//! A session with rmcp's client, through its public API only.

use peer_contract::answer::{CallAnswer, Layer, PeerError, ToolAnswer};
use peer_contract::client::{Client, Session};
use peer_contract::job::{Job, Mode, ServerAddress};
use rmcp::model::{CallToolRequestParams, JsonObject, Tool};
use rmcp::service::{NotificationContext, RunningService};
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{ClientHandler, RoleClient, ServiceExt as _};
use serde_json::Value;
use tokio::process::Command;
use tokio::sync::watch;

use crate::errors::{of_connecting, of_request};

/// rmcp's client.
pub struct Rmcp;

/// A running session.
pub struct RmcpSession {
    service: RunningService<RoleClient, Listener>,
    changes: watch::Receiver<u64>,
}

/// Counts the changes of tools that rmcp hands out.
struct Listener {
    changes: watch::Sender<u64>,
}

impl ClientHandler for Listener {
    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changes.send_modify(|count| *count += 1);
    }
}

impl Client for Rmcp {
    type Session = RmcpSession;

    fn unsupported(job: &Job) -> Option<String> {
        match job.mode {
            None | Some(Mode::Legacy) => None,
            Some(Mode::Auto | Mode::Modern) => Some("this release opens every session with `initialize`".to_owned()),
        }
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
                listener.serve(process).await
            }
            ServerAddress::Http { url } => listener.serve(StreamableHttpClientTransport::from_uri(url.as_str())).await,
        };
        Ok(RmcpSession { service: service.map_err(of_connecting)?, changes })
    }
}

impl Session for RmcpSession {
    fn negotiated(&self) -> Option<String> {
        self.service.peer_info().map(|info| info.protocol_version.to_string())
    }

    async fn list(&self) -> Result<Vec<ToolAnswer>, PeerError> {
        let tools = self.service.list_all_tools().await.map_err(of_request)?;
        let answer = |tool: Tool| ToolAnswer {
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
        let _ = self.service.cancel().await;
    }
}
