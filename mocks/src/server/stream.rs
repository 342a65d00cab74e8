//! Serving a byte stream: one client, a message a line, one answer after the other.
//!
//! Messages are answered in the order in which they arrive, except calls that wait for another one by the script. Everything
//! happens on the task that reads: nothing is spawned, and the output of a session is the same in every run.

use std::collections::BTreeSet;
use std::mem;
use std::ops::ControlFlow;
use std::pin::Pin;
use std::sync::Arc;

use crate::wire::jsonrpc::{INVALID_REQUEST, Message, error_object, failure};
use crate::wire::lines::{LineError, read_line};
use mcp_compat_model::peer_contract::Script;
use mcp_compat_model::{Era, Revision};
use serde_json::value::RawValue;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};

use crate::server::compiled_script::{BadScript, CompiledScript};
use crate::server::params::Params;
use crate::server::protocol::{Answer, Position, ProtocolError, Subscription, list_changed};
use crate::server::quirk::ServerQuirk;
use crate::server::spec::ServerSpec;
use crate::server::template::RequestFields;
use crate::server::tool_behavior::{AnswerTiming, ToolBehavior};

type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
type Reader<'a> = Box<dyn AsyncRead + Unpin + Send + 'a>;
type Writer<'a> = Box<dyn AsyncWrite + Unpin + Send + 'a>;

/// The most subscriptions that one client may hold open.
const SUBSCRIPTION_LIMIT: usize = 1024;

/// End of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServeEnd {
    /// The client closed its side.
    Closed,
    /// The script ends the process with this status.
    Exit { status: i32 },
}

/// Reason why serving a stream failed.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error(transparent)]
    Script(#[from] BadScript),
    #[error(transparent)]
    Read(#[from] LineError),
    #[error("writing a message failed: {0}")]
    Write(#[source] std::io::Error),
}

/// Serves a script to one client over a byte stream, until the client closes it or the script ends it.
///
/// # Errors
/// When the script cannot be played, or the stream fails.
pub fn serve<'a>(
    spec: ServerSpec,
    script: Arc<Script>,
    read: impl AsyncRead + Unpin + Send + 'a,
    write: impl AsyncWrite + Unpin + Send + 'a,
) -> BoxFuture<'a, Result<ServeEnd, ServeError>> {
    let (read, write): (Reader<'a>, Writer<'a>) = (Box::new(read), Box::new(write));
    Box::pin(async move { serve_lines(&CompiledScript::new(spec, script)?, read, write).await })
}

/// Serves a compiled script, which many sessions can share.
///
/// # Errors
/// When the stream fails.
pub fn serve_compiled<'a>(
    compiled: &'a CompiledScript,
    read: impl AsyncRead + Unpin + Send + 'a,
    write: impl AsyncWrite + Unpin + Send + 'a,
) -> BoxFuture<'a, Result<ServeEnd, ServeError>> {
    serve_lines(compiled, Box::new(read), Box::new(write))
}

/// Serves a byte stream. Not generic, so that it is compiled once, in this crate.
fn serve_lines<'a>(
    compiled: &'a CompiledScript,
    read: Reader<'a>,
    write: Writer<'a>,
) -> BoxFuture<'a, Result<ServeEnd, ServeError>> {
    Box::pin(lines(compiled, read, write))
}

async fn lines(compiled: &CompiledScript, read: Reader<'_>, mut write: Writer<'_>) -> Result<ServeEnd, ServeError> {
    let mut read = BufReader::new(read);
    let mut line = Vec::new();
    let mut stream = Stream::new(compiled);
    loop {
        if !stream.out.is_empty() {
            write.write_all(&mem::take(&mut stream.out)).await.map_err(ServeError::Write)?;
            write.flush().await.map_err(ServeError::Write)?;
        }
        if !read_line(&mut read, &mut line).await? {
            return Ok(ServeEnd::Closed);
        }
        if let ControlFlow::Break(status) = stream.take(&line) {
            // Messages before the exit are still sent.
            write.write_all(&stream.out).await.map_err(ServeError::Write)?;
            write.flush().await.map_err(ServeError::Write)?;
            return Ok(ServeEnd::Exit { status });
        }
    }
}

/// Stream of a client: its session, its position in the script, and its pending output.
struct Stream<'p> {
    compiled: &'p CompiledScript,
    session: Option<Revision>,
    position: Position,
    subscriptions: Vec<Subscription>,
    held: HeldCalls<'p>,
    /// Tells whether an open call blocks everything else, which only a quirk does.
    stuck: bool,
    out: Vec<u8>,
}

impl<'p> Stream<'p> {
    fn new(compiled: &'p CompiledScript) -> Self {
        let noisy = compiled.spec().has(ServerQuirk::NoiseOnStdout);
        let out = if noisy { b"The mock server is up.\n".to_vec() } else { Vec::new() };
        Self {
            compiled,
            session: None,
            position: Position::default(),
            subscriptions: Vec::new(),
            held: HeldCalls::default(),
            stuck: false,
            out,
        }
    }

    /// Handles one line of the client. Breaks with a status if the script ends the process.
    fn take(&mut self, line: &[u8]) -> ControlFlow<i32> {
        if self.stuck {
            return ControlFlow::Continue(());
        }
        if line.first() == Some(&b'[') && self.session == Some(Revision::V2025_03_26) {
            self.take_batch(line)?;
        } else {
            self.take_one(line)?;
        }
        while let Some(call) = self.held.due() {
            let answer = self.perform(&call)?;
            self.push_line(answer);
        }
        ControlFlow::Continue(())
    }

    fn take_one(&mut self, line: &[u8]) -> ControlFlow<i32> {
        let answer = self.answer(line)?;
        self.push_line(answer);
        ControlFlow::Continue(())
    }

    /// Handles a batch, which only 2025-03-26 has. Messages before an answer are sent before all answers, and an answer that
    /// has to wait is sent by itself.
    fn take_batch(&mut self, line: &[u8]) -> ControlFlow<i32> {
        let messages = match serde_json::from_slice::<Vec<&RawValue>>(line) {
            Ok(messages) if !messages.is_empty() => messages,
            // Not a batch. It is answered like any other invalid line.
            Ok(_) | Err(_) => return self.take_one(line),
        };
        let mut answers = Vec::new();
        for message in messages {
            let answer = self.answer(message.get().as_bytes())?;
            if !answer.is_empty() {
                answers.push(answer);
            }
        }
        if !answers.is_empty() {
            self.push_line([b"[", answers.join(&b","[..]).as_slice(), b"]"].concat());
        }
        ControlFlow::Continue(())
    }

    /// The answer to one message; empty if there is none.
    fn answer(&mut self, bytes: &[u8]) -> ControlFlow<i32, Vec<u8>> {
        ControlFlow::Continue(match Message::read(bytes) {
            Ok(Message::Request { id, method, params }) => match Params::read(params) {
                Ok(params) => return self.request(id, &method, &params),
                Err(fault) => Answer::Refused(fault).message(self.compiled, id),
            },
            Ok(Message::Notification { method, params }) => {
                self.notification(&method, params);
                Vec::new()
            }
            // This server sends no requests, so it expects no responses.
            Ok(Message::Response { .. } | Message::Failure { .. }) => Vec::new(),
            Err(malformed) => failure(malformed.id(), &error_object(malformed.code(), &malformed.to_string(), None)),
        })
    }

    fn request(&mut self, id: &RawValue, method: &str, params: &Params<'_>) -> ControlFlow<i32, Vec<u8>> {
        let compiled = self.compiled;
        let era = compiled.era(method, params);
        let answer = match (era, method) {
            (Era::Modern, _) => compiled.modern(&self.position, method, params),
            (Era::Legacy, "initialize") => self.initialize(params),
            (Era::Legacy, _) => compiled.legacy(self.session, &self.position, method, params),
        };
        let Answer::Timed(behavior, timing) = answer else {
            return self.deliver(era, id, &answer);
        };
        let token = params.progress_token().map(str::to_owned);
        let call = HeldCall { id: id.to_owned(), token, era, behavior, timing };
        if self.held.must_wait(&call) {
            self.stuck = compiled.spec().has(ServerQuirk::AnswersInRequestOrder);
            self.held.keep(call);
            return ControlFlow::Continue(Vec::new());
        }
        self.perform(&call)
    }

    /// Answers a call that is due. Each message before the answer is a line of its own.
    fn perform(&mut self, call: &HeldCall<'p>) -> ControlFlow<i32, Vec<u8>> {
        let id = self.compiled.answered_id(call.id.get());
        for message in call.timing.before(RequestFields { id: &id, token: call.token.as_deref() }) {
            self.push_line(message);
        }
        let answer = self.compiled.perform(call.behavior, &self.position);
        let message = self.deliver(call.era, &call.id, &answer)?;
        if !matches!(answer, Answer::Hang) {
            self.held.answered(&call.timing.tool);
        }
        ControlFlow::Continue(message)
    }

    fn deliver(&mut self, era: Era, id: &RawValue, answer: &Answer<'_>) -> ControlFlow<i32, Vec<u8>> {
        match answer {
            Answer::Exit(status) => return ControlFlow::Break(*status),
            Answer::Evolved { told: true, .. } => self.notify_change(era),
            Answer::Listening { to_tool_changes } => return ControlFlow::Continue(self.listen(id, *to_tool_changes)),
            Answer::Hang => self.stuck = self.compiled.spec().has(ServerQuirk::AnswersInRequestOrder),
            Answer::Evolved { told: false, .. }
            | Answer::Result(_)
            | Answer::Refused(_)
            | Answer::Error(_)
            | Answer::Raw(_)
            | Answer::Timed(..) => {}
        }
        ControlFlow::Continue(answer.message(self.compiled, id))
    }

    /// Opens a session, or opens it anew: FastMCP's client keeps one process for many sessions, and begins each with a
    /// handshake, which the servers of the SDKs answer each time.
    fn initialize(&mut self, params: &Params<'_>) -> Answer<'p> {
        let opening = self.compiled.initialize(params);
        self.session = opening.session.or(self.session);
        opening.answer
    }

    fn notification(&mut self, method: &str, params: Option<&RawValue>) {
        if method == "notifications/cancelled"
            && let Ok(params) = Params::read(params)
            && let Some(cancelled) = params.cancelled()
        {
            self.subscriptions.retain(|subscription| subscription.id() != cancelled);
            self.held.cancel(cancelled);
        }
    }

    fn listen(&mut self, id: &RawValue, to_tool_changes: bool) -> Vec<u8> {
        if self.subscriptions.len() == SUBSCRIPTION_LIMIT {
            let fault = ProtocolError::new(200, INVALID_REQUEST, "too many subscriptions are open");
            return Answer::Refused(fault).message(self.compiled, id);
        }
        let subscription = Subscription::new(id.get(), to_tool_changes);
        let acknowledgement = subscription.acknowledgement();
        self.subscriptions.push(subscription);
        acknowledgement
    }

    /// Sends the notifications that the tools changed.
    fn notify_change(&mut self, era: Era) {
        let of_session = (era == Era::Legacy).then(list_changed);
        let of_subscriptions = self.subscriptions.iter().filter_map(Subscription::list_changed);
        for message in of_session.into_iter().chain(of_subscriptions).collect::<Vec<_>>() {
            self.push_line(message);
        }
    }

    fn push_line(&mut self, mut message: Vec<u8>) {
        if message.is_empty() {
            return;
        }
        message.push(b'\n');
        if self.out.is_empty() {
            self.out = message;
        } else {
            self.out.append(&mut message);
        }
    }
}

/// The most answers that may be held back on one stream. A call beyond them is never answered.
const LIMIT: usize = 1024;

/// A call of a tool that has an answer timing.
pub(crate) struct HeldCall<'p> {
    pub(crate) id: Box<RawValue>,
    /// Its progress token, as JSON text.
    pub(crate) token: Option<String>,
    pub(crate) era: Era,
    pub(crate) behavior: &'p ToolBehavior,
    pub(crate) timing: &'p AnswerTiming,
}

/// The calls that wait, and the tools that have been answered.
#[derive(Default)]
pub(crate) struct HeldCalls<'p> {
    waiting: Vec<HeldCall<'p>>,
    answered: BTreeSet<&'p str>,
}

impl<'p> HeldCalls<'p> {
    /// Returns whether a call has to wait for another one.
    pub(crate) fn must_wait(&self, call: &HeldCall<'p>) -> bool {
        call.timing.after.as_deref().is_some_and(|tool| !self.answered.contains(tool))
    }

    /// Holds a call back until it is due.
    pub(crate) fn keep(&mut self, call: HeldCall<'p>) {
        if self.waiting.len() < LIMIT {
            self.waiting.push(call);
        }
    }

    /// Records that a call of a tool has been answered.
    pub(crate) fn answered(&mut self, tool: &'p str) {
        self.answered.insert(tool);
    }

    /// Takes the first call that is due.
    pub(crate) fn due(&mut self) -> Option<HeldCall<'p>> {
        let due = self.waiting.iter().position(|call| !self.must_wait(call))?;
        Some(self.waiting.remove(due))
    }

    /// Forgets a call that the client has cancelled.
    pub(crate) fn cancel(&mut self, id: &str) {
        self.waiting.retain(|call| call.id.get() != id);
    }
}
