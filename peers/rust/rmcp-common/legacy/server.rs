//! A script offered with rmcp's low-level server API.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use peer_contract::offer::Process;
use peer_contract::script::Script;
use peer_contract::server::{Endpoint, Server};
use rmcp::model::{CallToolResult, ErrorData, ListToolsResult, ServerInfo};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};

use crate::common::offer::Offer;
use crate::common::transports::{HttpService, serve_http, serve_stdio};
use crate::release::{self, CallParams, PageParams};

/// A server of one script.
#[derive(Clone)]
pub struct Scripted {
    offer: Arc<Offer>,
    /// Progress of the session.
    stage: Arc<AtomicUsize>,
}

impl Server for Scripted {
    type Http = HttpService<Self>;

    fn new(script: &Script, process: Process) -> Result<Self, String> {
        Ok(Self { offer: Arc::new(Offer::new(script, process)?), stage: Arc::default() })
    }

    async fn over_stdio(self) {
        serve_stdio(self).await;
    }

    fn over_http(self) -> Endpoint<HttpService<Self>> {
        serve_http(move || Self { stage: Arc::default(), ..self.clone() })
    }
}

impl Scripted {
    fn stage(&self) -> usize {
        self.stage.load(Ordering::SeqCst)
    }

    async fn evolve(&self, context: &RequestContext<RoleServer>) -> CallToolResult {
        let stage = self.stage.fetch_add(1, Ordering::SeqCst) + 1;
        if self.offer.told(stage) {
            // A client that does not listen is no failure of this call.
            let _ = context.peer.notify_tool_list_changed().await;
        }
        release::evolved()
    }
}

impl ServerHandler for Scripted {
    fn get_info(&self) -> ServerInfo {
        release::info(self.offer.capabilities())
    }

    async fn list_tools(
        &self,
        request: Option<PageParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.offer.list(self.stage(), request)
    }

    async fn call_tool(
        &self,
        request: CallParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        match self.offer.call(self.stage(), &request.name).await? {
            Some(result) => Ok(result),
            None => Ok(self.evolve(&context).await),
        }
    }
}
