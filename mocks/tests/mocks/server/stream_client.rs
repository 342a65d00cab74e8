//! A raw client on a byte stream: lines out, lines in.

use std::sync::Arc;
use std::time::Duration;

use mcp_compat_mocks::server::{ServeEnd, ServeError, ServerSpec, serve};
use mcp_compat_model::peer_contract::Script;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::server::scripts::initialize;

/// Far more than anything here takes.
pub(crate) const LONG: Duration = Duration::from_secs(20);

/// A client, and the server that it talks to.
pub(crate) struct StreamClient {
    read: BufReader<ReadHalf<DuplexStream>>,
    write: WriteHalf<DuplexStream>,
    server: JoinHandle<Result<ServeEnd, ServeError>>,
}

impl StreamClient {
    pub(crate) fn new(id: &str, script: Arc<Script>) -> Self {
        let spec = ServerSpec::parse(id).unwrap();
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let server = tokio::spawn(async move {
            let (read, write) = tokio::io::split(theirs);
            serve(spec, script, read, write).await
        });
        let (read, write) = tokio::io::split(ours);
        Self { read: BufReader::new(read), write, server }
    }

    /// A client in a legacy session.
    pub(crate) async fn in_session(id: &str, version: &str, script: Arc<Script>) -> Self {
        let mut client = Self::new(id, script);
        client.ask(&initialize(version)).await;
        client.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
        client
    }

    pub(crate) async fn send(&mut self, line: &str) {
        self.send_bytes(format!("{line}\n").as_bytes()).await;
    }

    pub(crate) async fn send_bytes(&mut self, bytes: &[u8]) {
        timeout(LONG, self.write.write_all(bytes)).await.unwrap().unwrap();
    }

    /// The next line; empty when the server is gone.
    pub(crate) async fn receive(&mut self) -> String {
        let mut line = String::new();
        timeout(LONG, self.read.read_line(&mut line)).await.unwrap().unwrap();
        line.trim_end_matches('\n').to_owned()
    }

    /// The line that answers a line.
    pub(crate) async fn ask(&mut self, line: &str) -> String {
        self.send(line).await;
        self.receive().await
    }

    pub(crate) async fn ask_json(&mut self, line: &str) -> Value {
        serde_json::from_str(&self.ask(line).await).unwrap()
    }

    /// Closes the client's side; what the server made of it, and what it still had to say.
    pub(crate) async fn close(mut self) -> (Result<ServeEnd, ServeError>, Vec<String>) {
        // A server that ended the session has closed its side already.
        let _ = self.write.shutdown().await;
        let mut rest = Vec::new();
        loop {
            let line = self.receive().await;
            if line.is_empty() {
                break;
            }
            rest.push(line);
        }
        (timeout(LONG, self.server).await.unwrap().unwrap(), rest)
    }
}
