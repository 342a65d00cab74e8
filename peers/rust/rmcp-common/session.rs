//! A session with rmcp's client, through its public API only.

use peer_contract::answer::{CallAnswer, Layer, PeerError, ToolAnswer};
use peer_contract::client::Session;
use rmcp::model::{JsonObject, Tool};
use rmcp::service::{NotificationContext, RunningService};
use rmcp::{ClientHandler, RoleClient};
use serde_json::Value;
use tokio::sync::watch;

use super::errors::of_request;
use crate::release;

/// A running session.
pub struct RmcpSession {
    pub service: RunningService<RoleClient, Listener>,
}

/// Counts the changes of tools that rmcp hands out.
#[derive(Clone, Default)]
pub struct Listener {
    changes: watch::Sender<u64>,
}

impl Listener {
    pub fn changed(&self) {
        self.changes.send_modify(|count| *count += 1);
    }
}

impl ClientHandler for Listener {
    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed();
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
        let request = release::call_of(tool.to_owned(), arguments);
        let result = self.service.call_tool(request).await.map_err(of_request)?;
        let content = result.content.iter().map(serde_json::to_value).collect::<Result<_, _>>();
        Ok(CallAnswer {
            structured: result.structured_content,
            content: content.map_err(|error| PeerError::new(Layer::Decode, error))?,
            is_error: result.is_error.unwrap_or(false),
        })
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.service.service().changes.subscribe()
    }

    async fn close(self) {
        let _ = self.service.cancel().await;
    }
}
