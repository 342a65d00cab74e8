//! A session: what a client knows of the server's tools, and the requests that list and call them.

use std::collections::HashSet;
use std::sync::Arc;

use crate::wire::jsonrpc::{HEADER_MISMATCH, quote};
use http::{HeaderName, HeaderValue};
use mcp_compat_model::observation::{Layer, PeerError};
use mcp_compat_model::peer_contract::StepAnswer;
use mcp_compat_model::{Era, Revision};
use serde_json::value::RawValue;
use tokio::time::Instant;

use crate::client::client_error::{ClientError, undecodable};
use crate::client::connect::initialize;
use crate::client::deliver::{deliver, refused};
use crate::client::dialect::{Dialect, is_passed_over};
use crate::client::exchange::Exchange;
use crate::client::policy::Validation;
use crate::client::quirk::ClientQuirk;
use crate::client::schema::{self, Schema, Violation};
use crate::client::spec::ClientSpec;
use crate::client::tool_cache::{Page, PageReader, Tool, ToolCache};
use crate::client::wire::{NewRequest, RequestEra};
use crate::client::{call_result, remote_refs, value};

/// The members of a call's parameters.
pub(crate) fn call_members(tool: &str, arguments: &RawValue) -> String {
    format!(r#""name":{},"arguments":{}"#, quote(tool), arguments.get())
}

pub(crate) struct Session<'a> {
    pub(crate) spec: &'a ClientSpec,
    pub(crate) exchange: Exchange<'a>,
    pub(crate) revision: Revision,
    /// The latest list, if there is one.
    cache: Option<ToolCache>,
    /// The pages that were read last, in their order, each with the result that it was read from. A server whose lists
    /// hold for no time is asked for the same list before each call.
    read: Vec<(Box<RawValue>, Page)>,
    /// Number of bytes of the results and errors so far.
    received: usize,
    /// Tells whether a validation without an end has the only thread of the client.
    pub(crate) is_blocked: bool,
    /// Limit of the mock that hides what such a client does with a result.
    pub(crate) beyond: Option<String>,
}

impl<'a> Session<'a> {
    /// A session in which this revision is spoken.
    pub(crate) const fn new(spec: &'a ClientSpec, exchange: Exchange<'a>, revision: Revision) -> Self {
        Self { spec, exchange, revision, cache: None, read: Vec::new(), received: 0, is_blocked: false, beyond: None }
    }

    /// Returns whether the client has no time or room left for a further step.
    pub(crate) fn is_over(&self) -> bool {
        self.spec.until.is_some_and(|until| Instant::now() >= until) || self.received >= self.spec.most_bytes
    }

    /// Lists every page, and keeps the list. If a page fails, the pages that arrived are kept, unless there is a complete
    /// list.
    pub(crate) async fn list(&mut self) -> Result<&ToolCache, PeerError> {
        // A change that is reported from here on is not in this list.
        self.exchange.wire.inbox().changed = false;
        let mut cache = ToolCache::new();
        match self.pages(&mut cache).await {
            Ok(()) => Ok(self.cache.insert(cache)),
            Err(error) => {
                if self.spec.does(ClientQuirk::ForgetsSchemasOnFailedList) {
                    self.cache = None;
                    return Err(error);
                }
                let replaceable = self.cache.as_ref().is_none_or(ToolCache::is_incomplete);
                if cache.len() > 0 && replaceable && !self.spec.does(ClientQuirk::LosesListOnBadSchema) {
                    cache.mark_incomplete();
                    self.cache = Some(cache);
                }
                Err(error)
            }
        }
    }

    /// The tools for a user who asks for them: some clients ask the server only if their list holds no longer.
    pub(crate) async fn list_for_user(&mut self) -> Result<&ToolCache, PeerError> {
        let holds = self.spec.policy.lists.holds(self.revision);
        if holds {
            self.read_notifications().await;
        }
        if !(holds && self.cache.as_ref().is_some_and(ToolCache::is_held)) {
            self.list().await?;
        }
        self.cache.as_ref().ok_or_else(|| undecodable("there is no list".to_owned()))
    }

    async fn pages(&mut self, cache: &mut ToolCache) -> Result<(), PeerError> {
        self.require_tools()?;
        let mut cursor: Option<String> = None;
        let (mut pages, mut bytes) = (0_usize, 0_usize);
        let mut last: Option<Box<RawValue>> = None;
        let mut read = HashSet::new();
        loop {
            let members = cursor.as_deref().map(|cursor| format!(r#""cursor":{}"#, quote(cursor)));
            let result = self.ask("tools/list", members.as_deref().unwrap_or_default(), None).await?;
            if !self.spec.does(ClientQuirk::GoesByInputRequests) {
                call_result::require_complete(self.spec, self.revision, &result)?;
            }
            bytes = bytes.saturating_add(result.get().len());
            let text = self.spec.policy.lists.ends_at_repeated_page().then(|| result.clone());
            let is_repeated = self.spec.longest_list.ends_at_repeated_page && !read.insert(result.get().to_owned());
            let page = self.page(pages, result)?;
            let repeats = |(last, text): (&RawValue, &RawValue)| cursor == page.cursor && last.get() == text.get();
            if last.as_deref().zip(text.as_deref()).is_some_and(repeats) {
                return Ok(());
            }
            last = text;
            // An empty cursor is a cursor too.
            cursor = if self.spec.does(ClientQuirk::FirstPageOnly) { None } else { page.cursor.clone() };
            if self.spec.does(ClientQuirk::EndsAtEmptyCursor) {
                cursor = cursor.filter(|cursor| !cursor.is_empty());
            }
            cache.add(page);
            if cursor.is_none() {
                return Ok(());
            }
            if is_repeated {
                return Err(undecodable("the list leads back to a page that was read before".to_owned()));
            }
            pages += 1;
            if let Some(reached) = self.spec.longest_list.reached(pages, cache.len(), bytes) {
                return Err(undecodable(format!("the list goes on after {reached}")));
            }
        }
    }

    /// Fails if this client goes by what the server declares, and that is no tools.
    fn require_tools(&self) -> Result<(), PeerError> {
        if self.exchange.declares_tools || !self.spec.does(ClientQuirk::WantsToolsDeclared) {
            return Ok(());
        }
        let message = "the server declares no tools among its capabilities".to_owned();
        Err(PeerError { layer: Layer::Protocol, code: None, message })
    }

    /// The page in a result. A page that came in the same place of the list before is not read again.
    fn page(&mut self, place: usize, result: Box<RawValue>) -> Result<Page, PeerError> {
        if let Some((_, known)) = self.read.get(place).filter(|(known, _)| known.get() == result.get()) {
            return Ok(known.clone());
        }
        let page = self.reader().page(&result)?;
        self.read.truncate(place);
        self.read.push((result, page.clone()));
        Ok(page)
    }

    fn reader(&mut self) -> PageReader<'_> {
        let sends_header_params = self.exchange.wire.sends_header_params() && self.revision.era() == Era::Modern;
        PageReader { spec: self.spec, revision: self.revision, sends_header_params }
    }

    /// Reads the notifications that arrived, and invalidates the list if the tools changed.
    pub(crate) async fn read_notifications(&mut self) {
        self.exchange.wire.drain().await;
        let changed = std::mem::take(&mut self.exchange.wire.inbox().changed);
        if changed && !self.spec.does(ClientQuirk::IgnoresListChanged) {
            self.cache.iter_mut().for_each(ToolCache::invalidate);
            if self.spec.does(ClientQuirk::ForgetsOnChange) {
                self.cache = Some(ToolCache::new());
            }
        }
    }

    /// Lists the tools if the client needs a list to call these and has none that it can use.
    pub(crate) async fn refresh(&mut self, tools: &[&str]) -> Result<(), PeerError> {
        self.read_notifications().await;
        self.require_tools()?;
        if self.spec.does(ClientQuirk::RefusesUnlisted)
            && let Some(unlisted) = tools.iter().find(|tool| self.tool(tool).is_none())
        {
            let message = format!("the tool {unlisted} has not been listed");
            return Err(PeerError { layer: Layer::Validate, code: None, message });
        }
        if self.spec.validation() == Validation::Skip || self.spec.does(ClientQuirk::ListsOnRequest) {
            return Ok(());
        }
        if self.spec.does(ClientQuirk::LooksUpFirstPage) {
            return self.look_up(tools).await;
        }
        match &self.cache {
            // An incomplete list serves the tools that are on it. For others the client lists once more.
            Some(cache) if cache.is_incomplete() && tools.iter().any(|tool| cache.tool(tool).is_none()) => {
                self.list().await.map(|_| ())
            }
            Some(cache) if !cache.is_stale() || self.spec.does(ClientQuirk::IgnoresListChanged) => Ok(()),
            Some(_) => {
                // An older list is better than none.
                let _ = self.list().await;
                Ok(())
            }
            None => {
                let listed = self.list().await.map(|_| ());
                let listed_anyway = tools.iter().all(|tool| self.tool(tool).is_some());
                let needless = listed_anyway || self.spec.does(ClientQuirk::ForgetsSchemasOnFailedList);
                if needless { Ok(()) } else { listed }
            }
        }
    }

    /// Adds the first page to the list, if one of these tools is not on it.
    async fn look_up(&mut self, tools: &[&str]) -> Result<(), PeerError> {
        if tools.iter().all(|tool| self.tool(tool).is_some()) {
            return Ok(());
        }
        let result = self.ask("tools/list", "", None).await?;
        let page = self.page(0, result)?;
        self.cache.get_or_insert_with(ToolCache::new).add(page);
        Ok(())
    }

    pub(crate) async fn call(&mut self, name: &str, arguments: &RawValue) -> Result<StepAnswer, PeerError> {
        self.refresh(&[name]).await?;
        let schema = self.schema(name).await?;
        let result = match self.ask_tool(name, arguments).await {
            // The tool may want other headers than it did when it was listed.
            Err(PeerError { code: Some(HEADER_MISMATCH), .. }) if self.exchange.wire.sends_header_params() => {
                self.list().await?;
                self.ask_tool(name, arguments).await
            }
            result => result,
        };
        self.conclude(result, schema.as_deref())
    }

    /// Returns what the user gets for the answer to a call.
    pub(crate) fn conclude(
        &mut self,
        result: Result<Box<RawValue>, PeerError>,
        schema: Option<&Schema>,
    ) -> Result<StepAnswer, PeerError> {
        let result = match result {
            Err(error) => return refused(self.spec, &error).ok_or(error),
            Ok(result) => result,
        };
        let result = call_result::read(self.spec, self.revision, &result)?;
        deliver(self.spec, &result, schema).map_err(|violation| {
            if let Violation::BeyondTheMock(limit) = &violation {
                self.beyond.get_or_insert_with(|| limit.clone());
                return PeerError { layer: Layer::Validate, code: None, message: limit.clone() };
            }
            self.is_blocked |= self.spec.has_one_thread();
            // Waiting for the deadline would show nothing more.
            PeerError { layer: Layer::Timeout, code: None, message: violation.to_string() }
        })
    }

    /// The schema that a tool's results are validated with. `None` if the tool has none, or this client does not validate.
    pub(crate) async fn schema(&mut self, name: &str) -> Result<Option<Arc<Schema>>, PeerError> {
        let validation = self.spec.validation();
        let text = self.tool(name).filter(|tool| self.validates(tool)).and_then(|tool| tool.output_schema.as_deref());
        let text = text.map(RawValue::get);
        let Some(text) = text else { return Ok(None) };
        if validation == Validation::Skip || is_passed_over(self.spec, text) {
            return Ok(None);
        }
        let dialect = Dialect::of(self.spec);
        let schema = if self.spec.does(ClientQuirk::FetchesRef) && text.contains("http://") {
            let documents = remote_refs::documents(text).await;
            schema::compile(text, dialect, documents).map(Arc::new)
        } else {
            schema::compiled(text, dialect)
        };
        match schema {
            Ok(schema) => Ok(Some(schema)),
            Err(_) if validation == Validation::Warn || self.spec.does(ClientQuirk::PermissiveSchemas) => Ok(None),
            Err(error) => {
                Err(PeerError { layer: Layer::Validate, code: None, message: format!("tool {name}: {error}") })
            }
        }
    }

    pub(crate) async fn ask_tool(&mut self, name: &str, arguments: &RawValue) -> Result<Box<RawValue>, PeerError> {
        self.ask("tools/call", &call_members(name, arguments), Some((name, arguments))).await
    }

    /// Sends a request. If the server has ended the HTTP session, opens another one and sends the request again.
    async fn ask(
        &mut self,
        method: &str,
        members: &str,
        call: Option<(&str, &RawValue)>,
    ) -> Result<Box<RawValue>, PeerError> {
        let header_params = call.map(|(name, arguments)| self.header_params(name, arguments)).unwrap_or_default();
        let name = call.map(|(name, _)| name);
        let request = NewRequest { method, members, era: self.era(), name, header_params: &header_params };
        let answer = match self.exchange.ask(&request).await {
            Err(ClientError::SessionExpired) => {
                self.revision =
                    initialize(self.spec, &mut self.exchange).await.map_err(|reason| reason.to_peer_error())?;
                self.read.clear();
                self.exchange.ask(&request).await.map_err(|error| error.to_peer_error())
            }
            answer => answer.map_err(|error| error.to_peer_error()),
        };
        let bytes = answer.as_ref().map_or_else(|error| error.message.len(), |result| result.get().len());
        self.received = self.received.saturating_add(bytes);
        answer
    }

    /// The headers that repeat arguments of a call.
    pub(crate) fn header_params(&self, name: &str, arguments: &RawValue) -> Vec<(HeaderName, HeaderValue)> {
        let Some(tool) = self.tool(name).filter(|tool| !tool.header_params.is_empty()) else { return Vec::new() };
        let Ok(arguments) = value::readable(arguments) else { return Vec::new() };
        tool.header_params.iter().filter_map(|param| param.header(&arguments)).collect()
    }

    fn tool(&self, name: &str) -> Option<&Tool> {
        self.cache.as_ref().and_then(|cache| cache.tool(name))
    }

    /// Returns whether this client validates the results of a tool that is on its list.
    fn validates(&self, tool: &Tool) -> bool {
        let of_last_page = || self.cache.as_ref().is_some_and(|cache| cache.has_on_last_page(tool));
        !self.spec.does(ClientQuirk::KeepsLastPage) || of_last_page()
    }

    pub(crate) fn era(&self) -> RequestEra {
        match self.revision.era() {
            Era::Legacy => RequestEra::Legacy,
            Era::Modern => RequestEra::Modern(self.revision),
        }
    }
}
