//! A script offered with rmcp's low-level server API.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use peer_contract::offer::Process;
use peer_contract::script::Script;
use peer_contract::server::{Endpoint, Server};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, ListToolsResult,
    PaginatedRequestParams, ResultType, ServerConfig, SubscriptionFilter,
};
use rmcp::service::{RequestContext, SubscriptionContext, SubscriptionSink};
use rmcp::{RoleServer, ServerHandler};

use crate::common::offer::Offer;
use crate::common::transports::{HttpService, serve_http, serve_stdio};

/// A server of one script.
#[derive(Clone)]
pub struct Scripted {
    offer: Arc<Offer>,
    /// Progress of a legacy session.
    session: Arc<Progress>,
    /// Progress of the modern requests: they belong to no session, so all at one path share it.
    stateless: Arc<Progress>,
}

#[derive(Default)]
struct Progress {
    stage: AtomicUsize,
    listeners: Mutex<Vec<SubscriptionSink>>,
}

impl Server for Scripted {
    type Http = HttpService<Self>;

    fn new(script: &Script, process: Process) -> Result<Self, String> {
        let offer = Arc::new(Offer::new(script, process)?);
        Ok(Self { offer, session: Arc::default(), stateless: Arc::default() })
    }

    async fn over_stdio(self) {
        serve_stdio(self).await;
    }

    fn over_http(self) -> Endpoint<HttpService<Self>> {
        serve_http(move || Self { session: Arc::default(), ..self.clone() })
    }
}

impl Scripted {
    fn progress(&self, context: &RequestContext<RoleServer>) -> &Progress {
        let modern = context.protocol_version().is_some_and(|version| !version.has_initialize());
        if modern { &self.stateless } else { &self.session }
    }

    fn stage(&self, context: &RequestContext<RoleServer>) -> usize {
        self.progress(context).stage.load(Ordering::SeqCst)
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

/// As its author would have it, a result has the revision's `resultType` by default.
impl ServerHandler for Scripted {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(self.offer.capabilities())
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut list = self.offer.list(self.stage(&context), request)?;
        list.result_type.get_or_insert(ResultType::COMPLETE);
        Ok(list)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let mut result = match self.offer.call(self.stage(&context), &request.name).await? {
            Some(result) => result,
            None => self.evolve(&context).await,
        };
        result.result_type.get_or_insert(ResultType::COMPLETE);
        Ok(result.into())
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
