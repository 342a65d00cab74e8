//! Sessions whose messages are written by hand: each request as it is sent, and all that comes back before its answer.
//!
//! The client of other sessions sends what most clients send. Here a request may have any id, spelling and header.

use std::time::Duration;

use http::{Method, StatusCode};
use mcp_compat_drive::{PeerProcess, Route, Tap, at_work_to_the_end};
use mcp_compat_json::Json;
use mcp_compat_model::{Era, Revision};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::time::{Instant, timeout, timeout_at};

use super::flood::{Bounded, Flood};
use super::http_request::{HttpAnswer, HttpRequest, RawHttp};
use super::session::ServerProbe;
use super::{LIMITS, ProbeError, Target};

/// Bounds of the time that a request may take: half of the time to connect, which a slow machine makes longer.
const ANSWER: [Duration; 2] = [Duration::from_secs(5), Duration::from_secs(30)];

/// Time for the answer to a request before the session is open.
const EARLY: Duration = Duration::from_millis(500);

/// Time for the right answer after one with another id.
const AFTER_ANOTHER: Duration = Duration::from_millis(300);

const INFO: &str = r#"{"name":"mcp-compat-mocks","title":"mcp-compat","version":"1.0.0","websiteUrl":"https://example.org/","icons":[{"src":"https://example.org/icon.png","mimeType":"image/png","sizes":["48x48"]}]}"#;

const PLAIN_INFO: &str = r#"{"name":"mcp-compat-mocks","version":"1.0.0"}"#;

/// Form of `initialize`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opening {
    /// With the id 0, with which the TypeScript and Python SDKs begin, and with all members of `clientInfo`.
    Full,
    /// With the id 1.
    FromOne,
    /// With the id 1, a name and a version.
    Plain,
}

/// A request or a notification.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    /// The id as JSON text; `None` for a notification.
    pub(crate) id: Option<String>,
    pub(crate) method: String,
    /// The members of `params` as JSON text; `None` if there are no params.
    pub(crate) params: Option<String>,
    /// Headers that are set, or left out, beside the usual ones.
    pub(crate) headers: Vec<(&'static str, Option<String>)>,
    pub(crate) form: Form,
}

/// Form of a message on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Form {
    #[default]
    Plain,
    /// The line ends with CR LF.
    CrLf,
    /// In an array, as 2025-03-26 allows it.
    Batch,
}

impl Sent {
    pub(crate) fn request(id: &str, method: &str, params: Option<&str>) -> Self {
        let (id, params) = (Some(id.to_owned()), params.map(str::to_owned));
        Self { id, method: method.to_owned(), params, headers: Vec::new(), form: Form::Plain }
    }

    pub(crate) fn notification(method: &str, params: Option<&str>) -> Self {
        Self { id: None, ..Self::request("", method, params) }
    }

    pub(crate) fn in_form(self, form: Form) -> Self {
        Self { form, ..self }
    }

    pub(crate) fn with_header(mut self, name: &'static str, value: Option<&str>) -> Self {
        self.headers.push((name, value.map(str::to_owned)));
        self
    }
}

/// Answer to what was sent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Reply {
    Result(Json),
    Error {
        code: Option<i64>,
        message: String,
    },
    /// A response with this id in place of the one that was sent, as JSON text.
    OtherId(String),
    /// An HTTP status without a response to it, and its body.
    Status(u16, String),
    /// The end of the server.
    Ended,
    Nothing,
}

/// All that came back.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    pub(crate) reply: Reply,
    /// The HTTP status, if there was one.
    pub(crate) status: Option<u16>,
    /// Responses that have no id, or a null one, and came beside the answer, as JSON text.
    pub(crate) without_id: Vec<String>,
    pub(crate) took: Duration,
}

/// A session with a server.
pub(crate) struct Conversation<'p> {
    carrier: Carrier<'p>,
    revision: Revision,
    /// Longest time that a request may take.
    answer: Duration,
    /// The result of `initialize`.
    pub(crate) opened: Option<Json>,
    /// Answer to `initialize`, and what came after the notification that follows it.
    pub(crate) opening: Vec<Received>,
}

enum Carrier<'p> {
    Stream {
        process: Option<Box<PeerProcess>>,
        reader: BufReader<Bounded<Box<dyn AsyncRead + Send + Unpin>>>,
        writer: Option<Box<dyn AsyncWrite + Send + Unpin>>,
        line: Vec<u8>,
    },
    Http {
        http: &'p RawHttp,
        route: Route,
        session: Option<String>,
    },
}

impl ServerProbe {
    /// Opens a session. Of the modern era, nothing has to be sent for it.
    pub(crate) async fn converse(&self, revision: Revision, opening: Opening) -> Result<Conversation<'_>, ProbeError> {
        self.converse_early(revision, opening, None).await
    }

    /// Opens a session. Sends a request between the answer to `initialize` and the notification that follows it. A server may
    /// answer it once that notification has come.
    pub(crate) async fn converse_early(
        &self,
        revision: Revision,
        opening: Opening,
        early: Option<&Sent>,
    ) -> Result<Conversation<'_>, ProbeError> {
        let mut conversation = self.connect(revision)?;
        if revision.era() == Era::Legacy {
            let id = if opening == Opening::Full { "0" } else { "1" };
            let info = if opening == Opening::Plain { PLAIN_INFO } else { INFO };
            let initialize = initialize(id, revision, info);
            let answer = conversation.ask_within(&initialize, self.connect_time()).await;
            if let Reply::Result(result) = &answer.reply {
                conversation.opened = Some(result.clone());
            }
            conversation.opening.push(answer);
            if conversation.opened.is_some() {
                let answered = match early {
                    Some(sent) => conversation.ask_within(sent, EARLY).await.reply != Reply::Nothing,
                    None => true,
                };
                let told = conversation.ask(&Sent::notification("notifications/initialized", None)).await;
                conversation.opening.push(told);
                if let Some(id) = early.and_then(|sent| sent.id.as_deref()).filter(|_| !answered) {
                    conversation.wait_for(id).await;
                }
            }
        }
        Ok(conversation)
    }

    /// A connection without a session.
    pub(crate) fn connect(&self, revision: Revision) -> Result<Conversation<'_>, ProbeError> {
        let (opened, opening) = (None, Vec::new());
        let answer = (self.connect_time() / 2).clamp(ANSWER[0], ANSWER[1]);
        Ok(Conversation { carrier: self.carrier()?, revision, answer, opened, opening })
    }

    fn carrier(&self) -> Result<Carrier<'_>, ProbeError> {
        let bounded = |reader| BufReader::new(Bounded::new(reader, Flood::default()));
        Ok(match self.target() {
            Target::Command(launch) => {
                let mut process = Box::new(PeerProcess::spawn(launch, LIMITS.stderr_bytes)?);
                let (Some(stdin), Some(stdout)) = (process.take_stdin(), process.take_stdout()) else {
                    unreachable!("the streams of a new process are there")
                };
                let reader: Box<dyn AsyncRead + Send + Unpin> = Box::new(stdout);
                let (process, writer) = (Some(process), Some(Box::new(stdin) as Box<dyn AsyncWrite + Send + Unpin>));
                Carrier::Stream { process, reader: bounded(reader), writer, line: Vec::new() }
            }
            Target::Connect(connect) => {
                let streams = connect();
                Carrier::Stream {
                    process: None,
                    reader: bounded(streams.reader),
                    writer: Some(streams.writer),
                    line: Vec::new(),
                }
            }
            Target::Url { url, headers } => {
                let route = self.proxy().route_with(url, headers, Tap::new(LIMITS))?;
                Carrier::Http { http: self.raw_http(), route, session: None }
            }
        })
    }
}

impl Conversation<'_> {
    /// The id of the HTTP session, if the server gave one.
    pub(crate) fn session_id(&self) -> Option<&str> {
        match &self.carrier {
            Carrier::Http { session, .. } => session.as_deref(),
            Carrier::Stream { .. } => None,
        }
    }

    /// Sends a message. Waits for the answer to a request, and over HTTP for that to a notification.
    pub(crate) async fn ask(&mut self, sent: &Sent) -> Received {
        self.ask_within(sent, self.answer).await
    }

    pub(crate) async fn ask_within(&mut self, sent: &Sent, time: Duration) -> Received {
        let began = Instant::now();
        let message = self.message(sent);
        let mut received = match &mut self.carrier {
            Carrier::Stream { reader, writer, line, .. } => {
                let mut stream = Stream { reader, writer, line };
                stream.ask(&message, sent.id.as_deref(), began + time).await
            }
            Carrier::Http { http, route, session } => {
                let headers = headers(sent, self.revision, session.as_deref());
                let request = HttpRequest { method: Method::POST, url: route.url(), headers, body: message };
                let answer = http.send(request, sent.id.as_deref(), began + time).await;
                if sent.method == "initialize" && session.is_none() {
                    *session = answer.session.clone();
                }
                of_http(answer, sent.id.as_deref())
            }
        };
        received.took = began.elapsed();
        received
    }

    /// Sends a request and closes the input. Returns whether an answer comes after that.
    pub(super) async fn answers_at_the_end(mut self, sent: &Sent, time: Duration) -> bool {
        let message = self.message(sent);
        let Carrier::Stream { reader, writer, line, .. } = &mut self.carrier else { return false };
        let until = Instant::now() + time;
        let mut stream = Stream { reader, writer, line };
        if !matches!(timeout_at(until, stream.write(&message)).await, Ok(true)) {
            return false;
        }
        drop(stream.writer.take());
        matches!(
            stream.answer(Answers::to(sent.id.as_deref()), until).await.reply,
            Reply::Result(_) | Reply::Error { .. }
        )
    }

    /// Reads until the answer to a request that was sent before. Over HTTP it comes with the request alone.
    async fn wait_for(&mut self, id: &str) {
        if let Carrier::Stream { reader, writer, line, .. } = &mut self.carrier {
            let mut stream = Stream { reader, writer, line };
            stream.answer(Answers::to(Some(id)), Instant::now() + self.answer).await;
        }
    }

    /// Sends two requests at once, and returns the answers to both.
    pub(crate) async fn ask_together(&mut self, both: [&Sent; 2]) -> [Reply; 2] {
        let [one, other] = both.map(|sent| self.message(sent));
        let (reader, writer, line) = match &mut self.carrier {
            Carrier::Stream { reader, writer, line, .. } => (reader, writer, line),
            Carrier::Http { http, route, session } => {
                let until = Instant::now() + self.answer;
                let send = |sent: &Sent, body: String| {
                    let headers = headers(sent, self.revision, session.as_deref());
                    HttpRequest { method: Method::POST, url: route.url(), headers, body }
                };
                let [first, second] = both;
                let answers = tokio::join!(
                    http.send(send(first, one), first.id.as_deref(), until),
                    http.send(send(second, other), second.id.as_deref(), until)
                );
                return [of_http(answers.0, first.id.as_deref()).reply, of_http(answers.1, second.id.as_deref()).reply];
            }
        };
        let lines = format!("{one}\n{other}");
        let mut stream = Stream { reader, writer, line };
        let mut answers = both.map(|sent| (Answers::to(sent.id.as_deref()), None));
        let exchange = async {
            if !stream.write(&lines).await {
                return;
            }
            while answers.iter().any(|(_, reply)| reply.is_none())
                && let Some(message) = stream.next().await
            {
                for (answers, reply) in &mut answers {
                    *reply = reply.take().or_else(|| answers.read(&message));
                }
            }
        };
        let _ = timeout(self.answer, exchange).await;
        answers.map(|(_, reply)| reply.unwrap_or(Reply::Nothing))
    }

    /// Sends a request of HTTP without a message, with the usual headers of the session. Returns its status.
    pub(crate) async fn bare(&mut self, method: Method, session: Option<&str>) -> Option<u16> {
        let Carrier::Http { http, route, .. } = &self.carrier else { return None };
        let mut headers = vec![("mcp-protocol-version".to_owned(), self.revision.as_str().to_owned())];
        headers.extend(session.map(|session| ("mcp-session-id".to_owned(), session.to_owned())));
        let request = HttpRequest { method, url: route.url(), headers, body: String::new() };
        http.send(request, None, Instant::now() + self.answer).await.status
    }

    /// Writes bytes that are no line, and returns the beginning of what comes back.
    pub(super) async fn write_raw(&mut self, bytes: &[u8], time: Duration) -> String {
        let Carrier::Stream { reader, writer: Some(writer), .. } = &mut self.carrier else { return String::new() };
        let exchange = async {
            writer.write_all(bytes).await?;
            writer.flush().await?;
            let mut start = vec![0; 256];
            let read = reader.read(&mut start).await?;
            start.truncate(read);
            std::io::Result::Ok(start)
        };
        let start = timeout(time, exchange).await.ok().and_then(Result::ok).unwrap_or_default();
        String::from_utf8_lossy(&start).into_owned()
    }

    /// Closes the input of the server. Returns whether it ends in this time, or is still at work; `None` if it is no
    /// program of its own.
    pub(crate) async fn ends_with_its_input(mut self, time: Duration) -> Option<bool> {
        let Carrier::Stream { process: Some(process), writer, reader, .. } = &mut self.carrier else { return None };
        drop(writer.take());
        let mut rest = [0; 4096];
        let id = process.id();
        // A full pipe would hold it.
        let drained = async { while matches!(reader.read(&mut rest).await, Ok(1..)) {} };
        let ended = async { tokio::join!(process.wait(), drained) };
        let (ended, is_at_work) = at_work_to_the_end(&[id], timeout(time, ended)).await;
        Some(ended.is_ok() || is_at_work)
    }

    pub(super) fn message(&self, sent: &Sent) -> String {
        let id = sent.id.as_ref().map(|id| format!(r#""id":{id},"#)).unwrap_or_default();
        let modern = (self.revision.era() == Era::Modern).then(|| {
            format!(
                r#""io.modelcontextprotocol/protocolVersion":"{}","io.modelcontextprotocol/clientInfo":{INFO},"io.modelcontextprotocol/clientCapabilities":{{}}"#,
                self.revision
            )
        });
        // A row may have members of `_meta` of its own.
        let params = match (modern, &sent.params) {
            (None, params) => params.clone(),
            (Some(meta), None) => Some(format!(r#""_meta":{{{meta}}}"#)),
            (Some(meta), Some(params)) => Some(match params.split_once(r#""_meta":{"#) {
                Some((before, after)) => format!(r#"{before}"_meta":{{{meta},{after}"#),
                None if params.is_empty() => format!(r#""_meta":{{{meta}}}"#),
                None => format!(r#"{params},"_meta":{{{meta}}}"#),
            }),
        };
        let params = params.map(|params| format!(r#","params":{{{params}}}"#)).unwrap_or_default();
        let method = Json::from(sent.method.as_str()).to_compact();
        let message = format!(r#"{{"jsonrpc":"2.0",{id}"method":{method}{params}}}"#);
        match sent.form {
            Form::Plain => message,
            Form::CrLf => format!("{message}\r"),
            Form::Batch => format!("[{message}]"),
        }
    }
}

/// The request that opens a session.
pub(super) fn plain_initialize(revision: Revision) -> Sent {
    initialize("1", revision, PLAIN_INFO)
}

fn initialize(id: &str, revision: Revision, info: &str) -> Sent {
    let params = format!(r#""protocolVersion":"{revision}","capabilities":{{}},"clientInfo":{info}"#);
    Sent::request(id, "initialize", Some(&params))
}

/// The headers of a message.
fn headers(sent: &Sent, revision: Revision, session: Option<&str>) -> Vec<(String, String)> {
    let mut headers = vec![
        ("content-type".to_owned(), "application/json".to_owned()),
        ("accept".to_owned(), "application/json, text/event-stream".to_owned()),
    ];
    if sent.method != "initialize" && revision >= Revision::V2025_06_18 {
        headers.push(("mcp-protocol-version".to_owned(), revision.as_str().to_owned()));
    }
    if revision.era() == Era::Modern {
        headers.push(("mcp-method".to_owned(), sent.method.clone()));
        let params = sent.params.as_ref().and_then(|params| Json::parse(&format!("{{{params}}}")).ok());
        let name = params.as_ref().and_then(|params| params.get("name")).and_then(Json::as_str);
        // Only names in plain ASCII are sent here.
        headers.extend(name.filter(|name| name.is_ascii()).map(|name| ("mcp-name".to_owned(), name.to_owned())));
    }
    headers.extend(session.map(|session| ("mcp-session-id".to_owned(), session.to_owned())));
    for (name, value) in &sent.headers {
        headers.retain(|(known, _)| known != name);
        headers.extend(value.as_ref().map(|value| ((*name).to_owned(), value.clone())));
    }
    headers
}

/// The streams of a session.
struct Stream<'s> {
    reader: &'s mut BufReader<Bounded<Box<dyn AsyncRead + Send + Unpin>>>,
    writer: &'s mut Option<Box<dyn AsyncWrite + Send + Unpin>>,
    line: &'s mut Vec<u8>,
}

impl Stream<'_> {
    async fn ask(&mut self, message: &str, id: Option<&str>, until: Instant) -> Received {
        let answers = Answers::to(id);
        if !matches!(timeout_at(until, self.write(message)).await, Ok(true)) {
            return answers.received(Reply::Ended);
        }
        // Whatever a notification is answered with comes before the answer to the next request.
        if id.is_none() {
            return answers.received(Reply::Nothing);
        }
        self.answer(answers, until).await
    }

    /// Reads until the answer.
    async fn answer(&mut self, mut answers: Answers<'_>, mut until: Instant) -> Received {
        loop {
            match timeout_at(until, self.next()).await {
                Err(_) => return answers.given_up(),
                Ok(None) => return answers.received(Reply::Ended),
                Ok(Some(message)) => {
                    if let Some(reply) = message.get("id").filter(|_| message.get("method").is_some()) {
                        // It is no use to let a server wait for what the client did not offer.
                        let refusal = format!(
                            r#"{{"jsonrpc":"2.0","id":{},"error":{{"code":-32601,"message":"Method not found"}}}}"#,
                            reply.to_compact()
                        );
                        let _ = self.write(&refusal).await;
                    }
                    match answers.read(&message) {
                        Some(reply) => return answers.received(reply),
                        None if answers.has_another() => until = until.min(Instant::now() + AFTER_ANOTHER),
                        None => {}
                    }
                }
            }
        }
    }

    async fn write(&mut self, message: &str) -> bool {
        let Some(writer) = self.writer.as_mut() else { return false };
        let line = format!("{message}\n");
        writer.write_all(line.as_bytes()).await.is_ok() && writer.flush().await.is_ok()
    }

    /// The next message; what is none is skipped.
    async fn next(&mut self) -> Option<Json> {
        loop {
            let limit = LIMITS.message_bytes as u64;
            let read = (&mut *self.reader).take(limit).read_until(b'\n', self.line).await;
            if !matches!(read, Ok(1..)) {
                return None;
            }
            let message = Json::parse_bytes(self.line).ok();
            self.line.clear();
            if let Some(message) = message.filter(|message| message.as_object().is_some()) {
                return Some(message);
            }
        }
    }
}

/// Reads messages as answers to one request.
pub(super) struct Answers<'i> {
    id: Option<&'i str>,
    another: Option<String>,
    without_id: Vec<String>,
}

impl<'i> Answers<'i> {
    pub(super) const fn to(id: Option<&'i str>) -> Self {
        Self { id, another: None, without_id: Vec::new() }
    }

    pub(super) const fn has_another(&self) -> bool {
        self.another.is_some()
    }

    /// The answer, if the message is it.
    pub(super) fn read(&mut self, message: &Json) -> Option<Reply> {
        let (result, error) = (message.get("result"), message.get("error"));
        if message.get("method").is_some() || (result.is_none() && error.is_none()) {
            return None;
        }
        let id = message.get("id").map(Json::to_compact);
        match (&id, self.id) {
            (Some(id), Some(own)) if id == own => {
                if let Some(result) = result {
                    return Some(Reply::Result(result.clone()));
                }
                let code = error.and_then(|error| error.get("code")).and_then(Json::as_number);
                let words = error.and_then(|error| error.get("message")).and_then(Json::as_str);
                let message = words.unwrap_or_default().to_owned();
                return Some(Reply::Error { code: code.and_then(|code| code.as_i64()), message });
            }
            (Some(id), _) if id != "null" => self.another = Some(id.clone()),
            _ => self.without_id.push(message.to_compact()),
        }
        None
    }

    fn given_up(self) -> Received {
        let reply = self.another.clone().map_or(Reply::Nothing, Reply::OtherId);
        self.received(reply)
    }

    fn received(self, reply: Reply) -> Received {
        Received { reply, status: None, without_id: self.without_id, took: Duration::ZERO }
    }
}

/// Reads what came back over HTTP.
fn of_http(answer: HttpAnswer, id: Option<&str>) -> Received {
    let mut answers = Answers::to(id);
    let mut reply = None;
    for message in &answer.messages {
        reply = reply.or(answers.read(message));
    }
    let is_success =
        answer.status.is_some_and(|status| StatusCode::from_u16(status).is_ok_and(|status| status.is_success()));
    let reply = match (reply, answer.status) {
        (Some(reply), _) => reply,
        (None, Some(status)) if !is_success => Reply::Status(status, answer.body),
        (None, Some(_)) if answers.has_another() => return Received { status: answer.status, ..answers.given_up() },
        (None, _) => Reply::Nothing,
    };
    // A body that refuses a message may have no id.
    if !is_success {
        answers.without_id.clear();
    }
    Received { status: answer.status, ..answers.received(reply) }
}
