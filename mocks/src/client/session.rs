//! A session: the steps of a job, one after the other, each within its deadline.

use std::sync::Arc;
use std::time::Duration;

use mcp_compat_model::contract::{EVOLVE_TOOL, JobStep, StepAnswer};
use mcp_compat_model::observation::{Layer, PeerError};
use mcp_compat_model::{Era, Revision};
use serde_json::value::RawValue;
use tokio::time::timeout;

use super::connect::initialize;
use super::deliver::{deliver, refused};
use super::dialect::Dialect;
use super::exchange::{Ask, Exchange, Speech, Wire};
use super::feed::fed;
use super::policy::Validation;
use super::quirk::ClientQuirk;
use super::reading;
use super::schema::{self, Schema};
use super::shelf::{Reader, Shelf, Tool};
use super::spec::ClientSpec;
use super::together::{Call, together};
use super::trouble::Trouble;

/// The most pages, and the most tools, that a list may have.
const PAGES: usize = 1000;
const TOOLS: usize = 100_000;

/// The most that a told change is waited for after the call that made it, and never more than half of the step.
const TELLING: Duration = Duration::from_secs(1);

pub(super) fn overdue(what: &str, time: Duration) -> PeerError {
    PeerError { layer: Layer::Timeout, code: None, message: format!("{what} within {} ms", time.as_millis()) }
}

/// What a step that failed gives.
pub(super) fn failed(error: PeerError) -> StepAnswer {
    StepAnswer { error: Some(error), ..StepAnswer::default() }
}

/// The members of a call's parameters.
pub(super) fn call_members(tool: &str, arguments: &RawValue) -> String {
    format!(r#""name":{},"arguments":{}"#, crate::jsonrpc::quote(tool), arguments.get())
}

/// What a call failed with, before it has an answer.
pub(super) type Failed = PeerError;

pub(super) struct Session<'a, W> {
    spec: &'a ClientSpec,
    pub(super) exchange: Exchange<W>,
    revision: Revision,
    /// The latest list, if there has been one.
    shelf: Option<Shelf>,
    /// The value that the last call handed out, for its user to pass on.
    last: Option<Box<RawValue>>,
}

impl<'a, W: Wire> Session<'a, W> {
    /// A session in which this revision is spoken.
    pub(super) const fn new(spec: &'a ClientSpec, exchange: Exchange<W>, revision: Revision) -> Self {
        Self { spec, exchange, revision, shelf: None, last: None }
    }

    /// Takes the steps, one after the other, but for calls that are made at once; and then takes leave.
    pub(super) async fn take(mut self, steps: &[JobStep], time: Duration) -> Vec<StepAnswer> {
        if steps.iter().any(|step| matches!(step, JobStep::Evolve { told: true })) {
            self.exchange.listen(self.speech()).await;
        }
        let mut answers = Vec::with_capacity(steps.len());
        let mut rest = steps;
        while let Some(first) = rest.first() {
            let (now, later) = rest.split_at(together(rest, self.spec));
            rest = later;
            if now.len() == 1 {
                answers.push(self.step(first, time).await);
            } else {
                let last = self.last.take();
                let calls: Vec<_> = now.iter().filter_map(|step| Call::of(step, last.as_deref())).collect();
                answers.extend(self.call_together(&calls, time).await);
            }
            if matches!(now.last(), Some(JobStep::Call { .. })) {
                self.last = answers.last().and_then(|answer| answer.structured.as_ref()?.value.clone());
            }
        }
        self.exchange.wire.close().await;
        answers
    }

    async fn step(&mut self, step: &JobStep, time: Duration) -> StepAnswer {
        let answer = match timeout(time, self.play(step, time)).await {
            Ok(answer) => answer,
            Err(_) => {
                let _ = self.exchange.close().await;
                Err(overdue("no answer", time))
            }
        };
        answer.unwrap_or_else(failed)
    }

    async fn play(&mut self, step: &JobStep, time: Duration) -> Result<StepAnswer, Failed> {
        match step {
            JobStep::List {} => {
                let shelf = self.list().await?;
                Ok(StepAnswer { tools: Some(shelf.answer()), ..StepAnswer::default() })
            }
            JobStep::Call { tool, arguments, at_once: _, feed } => {
                let last = self.last.take();
                self.call(tool, &fed(arguments, feed, last.as_deref())).await
            }
            JobStep::Evolve { told } => self.evolve(*told, time).await,
        }
    }

    /// Lists every page, and keeps the list. Of one that breaks off, what came is kept, if there is nothing better.
    async fn list(&mut self) -> Result<&Shelf, Failed> {
        // What is told from here on is not in the list yet.
        self.exchange.wire.inbox().changed = false;
        let mut shelf = Shelf::new();
        match self.pages(&mut shelf).await {
            Ok(()) => Ok(self.shelf.insert(shelf)),
            Err(error) => {
                if self.spec.does(ClientQuirk::ForgetsSchemasOnFailedList) {
                    self.shelf = None;
                    return Err(error);
                }
                let replaceable = self.shelf.as_ref().is_none_or(Shelf::is_broken_off);
                if shelf.len() > 0 && replaceable && !self.spec.does(ClientQuirk::LosesListOnBadSchema) {
                    shelf.break_off();
                    self.shelf = Some(shelf);
                }
                Err(error)
            }
        }
    }

    async fn pages(&mut self, shelf: &mut Shelf) -> Result<(), Failed> {
        let mut cursor: Option<String> = None;
        for _ in 0..PAGES {
            let members = cursor.as_deref().map(|cursor| format!(r#""cursor":{}"#, crate::jsonrpc::quote(cursor)));
            let result = self.ask("tools/list", members.as_deref().unwrap_or_default(), None).await?;
            reading::require_complete(self.spec, self.revision, &result)?;
            let page = self.reader().page(&result)?;
            // Any cursor leads on, the empty one too.
            cursor = page.cursor.clone().filter(|_| !self.spec.does(ClientQuirk::FirstPageOnly));
            shelf.add(page);
            if shelf.len() > TOOLS {
                return Err(undecodable(format!("the list has more than {TOOLS} tools")));
            }
            if cursor.is_none() {
                return Ok(());
            }
        }
        Err(undecodable(format!("the list has more than {PAGES} pages")))
    }

    fn reader(&mut self) -> Reader<'_> {
        let mirrors = self.exchange.wire.mirrors() && self.revision.era() == Era::Modern;
        Reader { spec: self.spec, revision: self.revision, mirrors }
    }

    /// Takes note of what the server has told.
    async fn hear(&mut self) {
        self.exchange.wire.drain().await;
        let changed = std::mem::take(&mut self.exchange.wire.inbox().changed);
        if changed && !self.spec.does(ClientQuirk::IgnoresListChanged) {
            self.shelf.iter_mut().for_each(Shelf::invalidate);
            if self.spec.does(ClientQuirk::ForgetsOnChange) {
                self.shelf = Some(Shelf::new());
            }
        }
    }

    /// Sees to it that there is a list to call these tools by, unless this client needs none.
    pub(super) async fn refresh(&mut self, tools: &[&str]) -> Result<(), Failed> {
        self.hear().await;
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
        match &self.shelf {
            // What broke off serves the tools that are on it; for others the list is asked for once more.
            Some(shelf) if shelf.is_broken_off() && tools.iter().any(|tool| shelf.tool(tool).is_none()) => {
                self.list().await.map(|_| ())
            }
            Some(shelf) if !shelf.is_stale() || self.spec.does(ClientQuirk::IgnoresListChanged) => Ok(()),
            Some(_) => {
                // An older list is better than none.
                let _ = self.list().await;
                Ok(())
            }
            None => {
                let listed = self.list().await.map(|_| ());
                let on_it = tools.iter().all(|tool| self.tool(tool).is_some());
                let needless = on_it || self.spec.does(ClientQuirk::ForgetsSchemasOnFailedList);
                if needless { Ok(()) } else { listed }
            }
        }
    }

    /// Adds the first page to the list, if one of these tools is not on it.
    async fn look_up(&mut self, tools: &[&str]) -> Result<(), Failed> {
        if tools.iter().all(|tool| self.tool(tool).is_some()) {
            return Ok(());
        }
        let result = self.ask("tools/list", "", None).await?;
        let page = self.reader().page(&result)?;
        self.shelf.get_or_insert_with(Shelf::new).add(page);
        Ok(())
    }

    async fn call(&mut self, name: &str, arguments: &RawValue) -> Result<StepAnswer, Failed> {
        self.refresh(&[name]).await?;
        let schema = self.schema(name).await?;
        let result = match self.ask_tool(name, arguments).await {
            // The tool may want other headers than it did when it was listed.
            Err(PeerError { code: Some(crate::jsonrpc::HEADER_MISMATCH), .. }) if self.exchange.wire.mirrors() => {
                self.list().await?;
                self.ask_tool(name, arguments).await
            }
            result => result,
        };
        self.conclude(result, schema.as_deref())
    }

    /// What the user gets of a call's answer.
    pub(super) fn conclude(
        &self,
        result: Result<Box<RawValue>, Failed>,
        schema: Option<&Schema>,
    ) -> Result<StepAnswer, Failed> {
        let result = match result {
            Err(error) => return refused(self.spec, &error).ok_or(error),
            Ok(result) => result,
        };
        let reading = reading::read(self.spec, self.revision, &result)?;
        Ok(deliver(self.spec, &reading, schema))
    }

    /// The schema to validate a tool's results with; none when it has none, or this client does not validate.
    pub(super) async fn schema(&self, name: &str) -> Result<Option<Arc<Schema>>, Failed> {
        let validation = self.spec.validation();
        let text = self.tool(name).filter(|tool| self.validates(tool)).and_then(|tool| tool.output_schema.as_deref());
        let text = text.map(RawValue::get);
        let Some(text) = text.filter(|_| validation != Validation::Skip) else { return Ok(None) };
        let dialect = Dialect::of(self.spec);
        let schema = if self.spec.does(ClientQuirk::FetchesRef) && text.contains("http://") {
            let documents = super::fetch::documents(text).await;
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

    /// Calls the tool that changes the tools, and waits until the change is told if it will be.
    async fn evolve(&mut self, told: bool, time: Duration) -> Result<StepAnswer, Failed> {
        self.hear().await;
        let arguments = RawValue::from_string("{}".to_owned()).map_err(|error| undecodable(error.to_string()))?;
        let result = self.ask_tool(EVOLVE_TOOL, &arguments).await?;
        let reading = reading::read(self.spec, self.revision, &result)?;
        if reading.is_error {
            return Ok(StepAnswer::from((Layer::Tool, format!("{EVOLVE_TOOL} failed"))));
        }
        if told && !self.exchange.wire.inbox().changed {
            let _ = timeout(TELLING.min(time / 2), self.exchange.wire.changed()).await;
        }
        Ok(StepAnswer { evolved: Some(self.exchange.wire.inbox().changed), ..StepAnswer::default() })
    }

    async fn ask_tool(&mut self, name: &str, arguments: &RawValue) -> Result<Box<RawValue>, Failed> {
        self.ask("tools/call", &call_members(name, arguments), Some((name, arguments))).await
    }

    /// Sends a request; once more in a new session, if the server has ended the old one.
    async fn ask(
        &mut self,
        method: &str,
        members: &str,
        call: Option<(&str, &RawValue)>,
    ) -> Result<Box<RawValue>, Failed> {
        let mirrored = call.map(|(name, arguments)| self.mirrored(name, arguments)).unwrap_or_default();
        let name = call.map(|(name, _)| name);
        let ask = Ask { method, members, speech: self.speech(), name, mirrored: &mirrored };
        match self.exchange.ask(&ask).await {
            Err(Trouble::SessionGone) => {
                self.revision = initialize(self.spec, &mut self.exchange).await?;
                self.exchange.ask(&ask).await.map_err(|trouble| trouble.to_peer_error())
            }
            answer => answer.map_err(|trouble| trouble.to_peer_error()),
        }
    }

    pub(super) fn mirrored(&self, name: &str, arguments: &RawValue) -> Vec<(http::HeaderName, http::HeaderValue)> {
        let Some(tool) = self.tool(name).filter(|tool| !tool.mirrored.is_empty()) else { return Vec::new() };
        let Ok(arguments) = super::value::readable(arguments) else { return Vec::new() };
        tool.mirrored.iter().filter_map(|mirrored| mirrored.header(&arguments)).collect()
    }

    fn tool(&self, name: &str) -> Option<&Tool> {
        self.shelf.as_ref().and_then(|shelf| shelf.tool(name))
    }

    /// Whether this client validates the results of a tool that is on its list.
    fn validates(&self, tool: &Tool) -> bool {
        let of_last_page = || self.shelf.as_ref().is_some_and(|shelf| shelf.has_on_last_page(tool));
        !self.spec.does(ClientQuirk::KeepsLastPage) || of_last_page()
    }

    pub(super) fn speech(&self) -> Speech {
        match self.revision.era() {
            Era::Legacy => Speech::Legacy,
            Era::Modern => Speech::Modern(self.revision),
        }
    }
}

fn undecodable(message: String) -> PeerError {
    PeerError { layer: Layer::Decode, code: None, message }
}
