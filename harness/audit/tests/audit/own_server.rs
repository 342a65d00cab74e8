//! A server that does not know mcp-compat, in memory. A test decides what it lists and answers.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use mcp_compat_audit::probe::Target;
use mcp_compat_json::Json;
use mcp_compat_model::{Era, Revision};
use mcp_compat_run::in_process::Streams;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader, duplex};

/// Request to the server.
pub(crate) struct Asked<'a> {
    /// The number of the session, from 0.
    pub(crate) session: usize,
    /// The revision that is spoken.
    pub(crate) revision: Revision,
    /// The tool that is called. `None` for tools/list.
    pub(crate) tool: Option<&'a str>,
    /// The page of the list that is asked for.
    pub(crate) cursor: Option<&'a str>,
}

/// Answer of the server.
pub(crate) enum Says {
    /// The members of a result, without the braces.
    Result(String),
    /// The members of an error.
    Error(String),
    /// Nothing, and it goes on.
    Nothing,
    /// Nothing; it ends.
    Ends,
}

type Answer = dyn Fn(&Asked<'_>) -> Says + Send + Sync;

/// A server that speaks these revisions, and what it was called for.
pub(crate) struct OwnServer {
    spoken: Vec<Revision>,
    /// Further members of the result of `initialize`, each after a comma.
    handshake: &'static str,
    /// Further members of the result of `server/discover`.
    discovery: &'static str,
    answer: Box<Answer>,
    sessions: AtomicUsize,
    called: Mutex<Vec<String>>,
}

impl OwnServer {
    pub(crate) fn new(spoken: &[Revision], answer: impl Fn(&Asked<'_>) -> Says + Send + Sync + 'static) -> Arc<Self> {
        Self::handshake_with("", "", spoken, answer)
    }

    /// A server whose results of `initialize` and `server/discover` have these members besides, each after a comma.
    pub(crate) fn handshake_with(
        handshake: &'static str,
        discovery: &'static str,
        spoken: &[Revision],
        answer: impl Fn(&Asked<'_>) -> Says + Send + Sync + 'static,
    ) -> Arc<Self> {
        let (sessions, called) = (AtomicUsize::new(0), Mutex::default());
        Arc::new(Self { spoken: spoken.to_vec(), handshake, discovery, answer: Box::new(answer), sessions, called })
    }

    /// A server of every revision with one tool, which answers always the same.
    pub(crate) fn with_tool(definition: &str, result: &str) -> Arc<Self> {
        let list = format!(r#""tools":[{definition}]"#);
        let result = result.trim_start_matches('{').strip_suffix('}').unwrap().to_owned();
        Self::new(&Revision::ALL, move |asked| match asked.tool {
            None => Says::Result(list.clone()),
            Some(_) => Says::Result(result.clone()),
        })
    }

    pub(crate) fn target(self: &Arc<Self>) -> Target {
        let server = Arc::clone(self);
        Target::Connect(Arc::new(move || {
            let (client, own) = duplex(1 << 16);
            tokio::spawn(Arc::clone(&server).serve(own));
            let (reader, writer) = tokio::io::split(client);
            Streams { reader: Box::new(reader), writer: Box::new(writer) }
        }))
    }

    /// The tools that were called, in order.
    pub(crate) fn called(&self) -> Vec<String> {
        self.called.lock().unwrap().clone()
    }

    /// Serves one session.
    pub(crate) async fn serve(self: Arc<Self>, stream: impl AsyncRead + AsyncWrite + Send) {
        let session = self.sessions.fetch_add(1, Ordering::Relaxed);
        let (reader, mut writer) = tokio::io::split(stream);
        let mut lines = BufReader::new(reader).lines();
        let mut revision = Revision::NEWEST_LEGACY;
        while let Ok(Some(line)) = lines.next_line().await {
            let message = Json::parse(&line).unwrap();
            let Some(id) = message.get("id").map(Json::to_compact) else { continue };
            let Some(body) = self.body(&message, session, &mut revision) else { return };
            if body.is_empty() {
                continue;
            }
            if writer.write_all(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},{body}}}\n").as_bytes()).await.is_err() {
                return;
            }
        }
    }

    fn body(&self, message: &Json, session: usize, revision: &mut Revision) -> Option<String> {
        let speaks = |era: Era| self.spoken.iter().copied().filter(|revision| revision.era() == era).max();
        let info = r#"{"name":"own","version":"1.0.0"}"#;
        let string = |pointer: &str| message.pointer(pointer).and_then(Json::as_str);
        let method = string("/method").unwrap_or_default();
        if method == "initialize" {
            let asked = string("/params/protocolVersion").and_then(|date| date.parse().ok());
            let Some(newest) = speaks(Era::Legacy) else {
                return Some(r#""error":{"code":-32601,"message":"Method not found"}"#.to_owned());
            };
            let has_own = self.handshake.contains(r#""capabilities""#);
            let capabilities = if has_own { "" } else { r#""capabilities":{"tools":{}},"# };
            let is_legacy = |asked: &Revision| asked.era() == Era::Legacy && self.spoken.contains(asked);
            *revision = asked.filter(is_legacy).unwrap_or(newest);
            return Some(format!(
                r#""result":{{"protocolVersion":"{revision}",{capabilities}"serverInfo":{info}{}}}"#,
                self.handshake
            ));
        }
        let stateless = string("/params/_meta/io.modelcontextprotocol~1protocolVersion");
        let modern = stateless.is_some();
        if speaks(Era::Modern).is_some() && stateless.is_some_and(|asked| asked != "2026-07-28") {
            let data = r#""data":{"supported":["2026-07-28"],"requested":"?"}"#;
            return Some(format!(r#""error":{{"code":-32022,"message":"Unsupported protocol version",{data}}}"#));
        }
        if modern && speaks(Era::Modern).is_none() {
            return Some(r#""error":{"code":-32601,"message":"Method not found"}"#.to_owned());
        }
        if modern {
            *revision = Revision::V2026_07_28;
        }
        let stamp = match (modern, method) {
            (false, _) => String::new(),
            (true, "tools/call") => r#","resultType":"complete""#.to_owned(),
            (true, _) => r#","resultType":"complete","ttlMs":0,"cacheScope":"private""#.to_owned(),
        };
        if method == "server/discover" {
            let has_own = self.discovery.contains(r#""supportedVersions""#);
            let versions = if has_own { "" } else { r#""supportedVersions":["2026-07-28"],"# };
            return Some(format!(
                r#""result":{{{versions}"capabilities":{{"tools":{{}}}},"serverInfo":{info}{stamp}{}}}"#,
                self.discovery
            ));
        }
        let tool = (method == "tools/call").then(|| string("/params/name").unwrap_or_default());
        if method == "ping" {
            return Some(r#""result":{}"#.to_owned());
        }
        if tool.is_some_and(|tool| tool.starts_with("mcp_compat_unlisted_")) {
            return Some(r#""error":{"code":-32602,"message":"Unknown tool"}"#.to_owned());
        }
        if tool.is_none() && method != "tools/list" {
            return Some(r#""error":{"code":-32601,"message":"Method not found"}"#.to_owned());
        }
        // Variations of calls are not counted. Their ids begin with 2000.
        let id = message.get("id").and_then(Json::as_number).and_then(|id| id.as_i64());
        if id.is_none_or(|id| id < 2000) {
            self.called.lock().unwrap().extend(tool.map(str::to_owned));
        }
        let cursor = string("/params/cursor");
        match (self.answer)(&Asked { session, revision: *revision, tool, cursor }) {
            Says::Result(members) => Some(format!(r#""result":{{{members}{stamp}}}"#)),
            Says::Error(members) => Some(format!(r#""error":{{{members}}}"#)),
            Says::Nothing => Some(String::new()),
            Says::Ends => None,
        }
    }
}
