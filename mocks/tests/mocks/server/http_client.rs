//! A raw HTTP client: text into a socket, text out of it.

use std::sync::Arc;

use mcp_compat_mocks::server::{HttpServer, ServerSpec};
use mcp_compat_model::peer_contract::Script;
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::server::stream_client::LONG;

/// A response, read to its end.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: String,
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.header("content-type"), Some("application/json"), "{self:?}");
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub(crate) fn code(&self) -> i64 {
        self.json()["error"]["code"].as_i64().unwrap_or_else(|| panic!("no error: {self:?}"))
    }

    /// The data of its events.
    pub(crate) fn events(&self) -> Vec<&str> {
        assert_eq!(self.header("content-type"), Some("text/event-stream"), "{self:?}");
        self.body.lines().filter_map(|line| line.strip_prefix("data: ")).collect()
    }
}

/// A server with one script at `/mcp`, and a client of it.
pub(crate) struct HttpClient {
    pub(crate) server: HttpServer,
    pub(crate) session: Option<String>,
}

/// Headers that a client sends: names and values.
pub(crate) type Headers<'h> = &'h [(&'h str, &'h str)];

/// What any client accepts.
pub(crate) const ACCEPT: (&str, &str) = ("Accept", "application/json, text/event-stream");

impl HttpClient {
    pub(crate) async fn new(id: &str, script: Arc<Script>) -> Self {
        let server = HttpServer::bind().await.unwrap();
        server.host("/mcp", ServerSpec::parse(id).unwrap(), script).unwrap();
        Self { server, session: None }
    }

    /// Opens a connection, sends a request on it, and leaves reading to the caller.
    pub(crate) async fn open(&self, method: &str, path: &str, headers: Headers<'_>, body: &str) -> Connection {
        let address = self.server.base_url();
        let address = address.strip_prefix("http://").unwrap();
        let mut stream = TcpStream::connect(address).await.unwrap();
        let mut request = format!("{method} {path} HTTP/1.1\r\n");
        if !headers.iter().any(|(name, _)| *name == "Content-Length") {
            request.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        if !headers.iter().any(|(name, _)| *name == "Host") {
            request.push_str(&format!("Host: {address}\r\n"));
        }
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        request.push_str(&format!("\r\n{body}"));
        timeout(LONG, stream.write_all(request.as_bytes())).await.unwrap().unwrap();
        Connection { stream, received: Vec::new() }
    }

    pub(crate) async fn request(&self, method: &str, headers: Headers<'_>, body: &str) -> Reply {
        let headers = [headers, &[("Connection", "close")]].concat();
        self.open(method, "/mcp", &headers, body).await.reply().await
    }

    /// A legacy POST, in the session if there is one.
    pub(crate) async fn post(&self, body: &str) -> Reply {
        let mut headers = vec![ACCEPT];
        if let Some(session) = &self.session {
            headers.push(("Mcp-Session-Id", session));
        }
        self.request("POST", &headers, body).await
    }

    /// A modern POST with the headers that belong to it.
    pub(crate) async fn post_modern(&self, method: &str, name: Option<&str>, body: &str) -> Reply {
        let mut headers = vec![ACCEPT, ("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", method)];
        headers.extend(name.map(|name| ("Mcp-Name", name)));
        self.request("POST", &headers, body).await
    }
}

/// A connection with a response coming in.
pub(crate) struct Connection {
    stream: TcpStream,
    received: Vec<u8>,
}

impl Connection {
    /// Reads until some text has come in; what came in so far.
    pub(crate) async fn until(&mut self, text: &str) -> String {
        loop {
            let received = String::from_utf8_lossy(&self.received).into_owned();
            if received.contains(text) {
                return received;
            }
            assert!(self.read_on().await, "the response ended before {text:?}: {received}");
        }
    }

    /// Reads to the end of the response.
    pub(crate) async fn reply(mut self) -> Reply {
        while self.read_on().await {}
        let received = String::from_utf8(self.received).unwrap();
        let (head, body) = received.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no response: {received:?}"));
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
        let body = if chunked { dechunked(body) } else { body.to_owned() };
        Reply { status, head: head.to_owned(), body }
    }

    /// Sends another request on the same connection, behind the one that is open.
    pub(crate) async fn also(mut self, body: &str, headers: Headers<'_>) -> Self {
        let mut request = format!("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n", body.len());
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        request.push_str(&format!("\r\n{body}"));
        timeout(LONG, self.stream.write_all(request.as_bytes())).await.unwrap().unwrap();
        self
    }

    /// Whether nothing has come in so far.
    pub(crate) fn is_silent(&self) -> bool {
        let mut byte = [0];
        self.received.is_empty() && self.stream.try_read(&mut byte).is_err()
    }

    /// Reads until the server closes the connection, wherever the response is by then.
    pub(crate) async fn until_closed(mut self) -> String {
        while self.read_on().await {}
        String::from_utf8(self.received).unwrap()
    }

    /// Whether the server closed the connection without a response.
    pub(crate) async fn hangs_up(mut self) -> bool {
        while self.read_on().await {}
        self.received.is_empty()
    }

    async fn read_on(&mut self) -> bool {
        timeout(LONG, self.stream.read_buf(&mut self.received)).await.unwrap().unwrap_or(0) > 0
    }
}

fn dechunked(mut body: &str) -> String {
    let mut whole = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        whole.push_str(&rest[..size]);
        body = &rest[size + 2..];
    }
    whole
}
