//! A session: the steps of a job, one after the other, each within its deadline.

use std::time::Duration;

use mcp_compat_model::contract::{Answer, Deadlines, EVOLVE_TOOL, JobStep, ServerAddress, StepAnswer};
use mcp_compat_model::observation::{Layer, PeerError};
use mcp_compat_model::{Era, Revision};
use serde_json::value::RawValue;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;

use super::connect::{connect, initialize};
use super::deliver::{deliver, refused};
use super::exchange::{Ask, Exchange, Speech, Wire};
use super::http::{HttpClient, HttpWire};
use super::policy::Validation;
use super::process;
use super::quirk::ClientQuirk;
use super::reading;
use super::schema::{self, Dialect, Schema};
use super::shelf::{Reader, Shelf, Tool};
use super::spec::ClientSpec;
use super::stream::StreamWire;
use super::trouble::Trouble;

/// The most pages, and the most tools, that a list may have.
const PAGES: usize = 1000;
const TOOLS: usize = 100_000;

/// The most that a told change is waited for after the call that made it, and never more than half of the step.
const TELLING: Duration = Duration::from_secs(1);

/// Plays the steps of a job against a server over a byte stream. The answer's id is 0.
pub async fn play_stream<R, W>(spec: &ClientSpec, read: R, write: W, steps: &[JobStep], deadlines: Deadlines) -> Answer
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send,
{
    run(spec, StreamWire::new(read, write), steps, deadlines).await
}

/// Plays the steps of a job against a server at an HTTP address. The answer's id is 0.
pub async fn play_http(
    spec: &ClientSpec,
    http: &HttpClient,
    url: &str,
    steps: &[JobStep],
    deadlines: Deadlines,
) -> Answer {
    match HttpWire::new(http, url) {
        Ok(wire) => run(spec, wire, steps, deadlines).await,
        Err(trouble) => unconnected(trouble.to_peer_error()),
    }
}

/// Plays the steps of a job against a server wherever it is, starting it if it is a command. The answer's id is 0.
pub async fn play(
    spec: &ClientSpec,
    http: &HttpClient,
    server: &ServerAddress,
    steps: &[JobStep],
    deadlines: Deadlines,
) -> Answer {
    match server {
        ServerAddress::Http { url } => play_http(spec, http, url, steps, deadlines).await,
        ServerAddress::Stdio { command, env } => match process::start(command, env) {
            Ok(mut server) => {
                let answer = play_stream(spec, server.stdout, server.stdin, steps, deadlines).await;
                server.process.stop().await;
                answer
            }
            Err(error) => unconnected(PeerError { layer: Layer::Connect, code: None, message: error.to_string() }),
        },
    }
}

fn unconnected(error: PeerError) -> Answer {
    Answer { id: 0, negotiated: None, unsupported: None, error: Some(error), steps: Vec::new() }
}

async fn run<W: Wire>(spec: &ClientSpec, wire: W, steps: &[JobStep], deadlines: Deadlines) -> Answer {
    let mut exchange = Exchange::new(wire, !spec.does(ClientQuirk::OmitsMeta));
    let time = Duration::from_millis(deadlines.connect_ms);
    let connected = timeout(time, connect(spec, &mut exchange, deadlines)).await;
    let revision = match connected.unwrap_or_else(|_| Err(overdue("no session", time))) {
        Ok(revision) => revision,
        Err(error) => {
            exchange.wire.close().await;
            return unconnected(error);
        }
    };
    let mut session = Session { spec, exchange, revision, shelf: None };
    if steps.iter().any(|step| matches!(step, JobStep::Evolve { told: true })) {
        session.exchange.listen(session.speech()).await;
    }
    let mut answers = Vec::with_capacity(steps.len());
    for step in steps {
        answers.push(session.step(step, Duration::from_millis(deadlines.step_ms)).await);
    }
    session.exchange.wire.close().await;
    let negotiated = Some(revision.as_str().to_owned());
    Answer { id: 0, negotiated, unsupported: None, error: None, steps: answers }
}

fn overdue(what: &str, time: Duration) -> PeerError {
    PeerError { layer: Layer::Timeout, code: None, message: format!("{what} within {} ms", time.as_millis()) }
}

/// What a call failed with, before it has an answer.
type Failed = PeerError;

struct Session<'a, W> {
    spec: &'a ClientSpec,
    exchange: Exchange<W>,
    revision: Revision,
    /// The latest list, if there has been one.
    shelf: Option<Shelf>,
}

impl<W: Wire> Session<'_, W> {
    async fn step(&mut self, step: &JobStep, time: Duration) -> StepAnswer {
        let answer = match timeout(time, self.play(step, time)).await {
            Ok(answer) => answer,
            Err(_) => {
                self.exchange.abandon().await;
                Err(overdue("no answer", time))
            }
        };
        answer.unwrap_or_else(|error| StepAnswer { error: Some(error), ..StepAnswer::default() })
    }

    async fn play(&mut self, step: &JobStep, time: Duration) -> Result<StepAnswer, Failed> {
        match step {
            JobStep::List {} => {
                let shelf = self.list().await?;
                Ok(StepAnswer { tools: Some(shelf.answer()), ..StepAnswer::default() })
            }
            JobStep::Call { tool, arguments, at_once: _, feed: _ } => self.call(tool, arguments).await,
            JobStep::Evolve { told } => self.evolve(*told, time).await,
        }
    }

    /// Lists every page, and keeps the list.
    async fn list(&mut self) -> Result<&Shelf, Failed> {
        // What is told from here on is not in the list yet.
        self.exchange.wire.inbox().changed = false;
        let mut shelf = Shelf::new();
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
                return Ok(self.shelf.insert(shelf));
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
        }
    }

    /// Sees to it that there is a list to call by, unless this client needs none.
    async fn refresh(&mut self) -> Result<(), Failed> {
        self.hear().await;
        if self.spec.validation() == Validation::Skip {
            return Ok(());
        }
        match &self.shelf {
            Some(shelf) if !shelf.is_stale() || self.spec.does(ClientQuirk::IgnoresListChanged) => Ok(()),
            Some(_) => {
                // An older list is better than none.
                let _ = self.list().await;
                Ok(())
            }
            None => self.list().await.map(|_| ()),
        }
    }

    async fn call(&mut self, name: &str, arguments: &RawValue) -> Result<StepAnswer, Failed> {
        self.refresh().await?;
        let schema = self.schema(name).await?;
        let result = match self.ask_tool(name, arguments).await {
            // The tool may want other headers than it did when it was listed.
            Err(PeerError { code: Some(crate::jsonrpc::HEADER_MISMATCH), .. }) if self.exchange.wire.mirrors() => {
                self.list().await?;
                self.ask_tool(name, arguments).await?
            }
            Err(error) => return refused(self.spec, &error).ok_or(error),
            Ok(result) => result,
        };
        let reading = reading::read(self.spec, self.revision, &result)?;
        Ok(deliver(self.spec, &reading, schema.as_deref()))
    }

    /// The schema to validate a tool's results with; none when it has none, or this client does not validate.
    async fn schema(&mut self, name: &str) -> Result<Option<std::sync::Arc<Schema>>, Failed> {
        let validation = self.spec.validation();
        let text = self.tool(name).and_then(|tool| tool.output_schema.as_deref()).map(RawValue::get);
        let Some(text) = text.filter(|_| validation != Validation::Skip) else { return Ok(None) };
        let dialect = if self.spec.does(ClientQuirk::Draft07Only) { Dialect::Draft07 } else { Dialect::Declared };
        let schema = if self.spec.does(ClientQuirk::FetchesRef) && text.contains("http://") {
            let documents = super::fetch::documents(text).await;
            schema::compile(text, dialect, documents).map(std::sync::Arc::new)
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
        let members = format!(r#""name":{},"arguments":{}"#, crate::jsonrpc::quote(name), arguments.get());
        self.ask("tools/call", &members, Some((name, arguments))).await
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

    fn mirrored(&self, name: &str, arguments: &RawValue) -> Vec<(http::HeaderName, http::HeaderValue)> {
        let Some(tool) = self.tool(name).filter(|tool| !tool.mirrored.is_empty()) else { return Vec::new() };
        let Ok(arguments) = super::value::readable(arguments) else { return Vec::new() };
        tool.mirrored.iter().filter_map(|mirrored| mirrored.header(&arguments)).collect()
    }

    fn tool(&self, name: &str) -> Option<&Tool> {
        self.shelf.as_ref().and_then(|shelf| shelf.tool(name))
    }

    fn speech(&self) -> Speech {
        match self.revision.era() {
            Era::Legacy => Speech::Legacy,
            Era::Modern => Speech::Modern(self.revision),
        }
    }
}

fn undecodable(message: String) -> PeerError {
    PeerError { layer: Layer::Decode, code: None, message }
}
