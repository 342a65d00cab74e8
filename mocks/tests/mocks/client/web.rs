//! A tiny HTTP server that says what a test has it say, one connection a request.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::broadcast;
use tokio::task::AbortHandle;

use crate::client::fake::Heard;

/// A request.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) verb: String,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: String,
}

impl Asked {
    pub(crate) fn heard(&self) -> Heard {
        Heard::read(&self.body)
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }
}

/// What is answered.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: String,
    /// Whether the body goes on, with what is told to everybody.
    pub(crate) goes_on: bool,
}

pub(crate) fn json(body: &str) -> Reply {
    let headers = vec![("content-type", "application/json; charset=utf-8".to_owned())];
    Reply { status: 200, headers, body: body.to_owned(), goes_on: false }
}

/// An event stream with these messages.
pub(crate) fn events(messages: &[String]) -> Reply {
    let body = messages.iter().map(|message| event(message)).collect();
    Reply { status: 200, headers: vec![("content-type", "Text/Event-Stream".to_owned())], body, goes_on: false }
}

pub(crate) fn event(message: &str) -> String {
    format!(": note\r\nevent: message\r\ndata: {message}\r\n\r\n")
}

pub(crate) fn status(status: u16, body: &str) -> Reply {
    Reply { status, ..json(body) }
}

/// A server, until it is dropped.
pub(crate) struct Web {
    pub(crate) url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
    serving: AbortHandle,
}

impl Web {
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

pub(crate) async fn serve(answer: impl FnMut(&Asked) -> Reply + Send + 'static) -> Web {
    serve_telling(answer, broadcast::channel(8).0).await
}

/// Serves, and sends what `told` is given on every answer that goes on.
pub(crate) async fn serve_telling(
    answer: impl FnMut(&Asked) -> Reply + Send + 'static,
    told: broadcast::Sender<String>,
) -> Web {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let asked = Arc::new(Mutex::new(Vec::new()));
    let (log, answer) = (Arc::clone(&asked), Arc::new(Mutex::new(answer)));
    let serving = tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let (log, answer, hears) = (Arc::clone(&log), Arc::clone(&answer), told.subscribe());
            tokio::spawn(async move {
                // A client that goes is its own affair.
                let _ = one(stream, &log, &answer, hears).await;
            });
        }
    });
    Web { url, asked, serving: serving.abort_handle() }
}

async fn one(
    mut stream: TcpStream,
    log: &Mutex<Vec<Asked>>,
    answer: &Mutex<impl FnMut(&Asked) -> Reply>,
    mut hears: broadcast::Receiver<String>,
) -> std::io::Result<()> {
    let mut bytes = Vec::new();
    let head = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        if stream.read_buf(&mut bytes).await? == 0 {
            return Ok(());
        }
    };
    let text = String::from_utf8(bytes[..head].to_vec()).unwrap();
    let mut lines = text.lines();
    let verb = lines.next().unwrap_or_default().split(' ').next().unwrap_or_default().to_owned();
    let header = |line: &str| line.split_once(": ").map(|(name, value)| (name.to_lowercase(), value.to_owned()));
    let headers: BTreeMap<_, _> = lines.filter_map(header).collect();
    let length: usize = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = bytes.split_off(head + 4);
    while body.len() < length {
        stream.read_buf(&mut body).await?;
    }
    let asked = Asked { verb, headers, body: String::from_utf8(body).unwrap() };
    let reply = (answer.lock().unwrap())(&asked);
    log.lock().unwrap().push(asked);
    let mut head = format!("HTTP/1.1 {} Told\r\nconnection: close\r\n", reply.status);
    for (name, value) in &reply.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if !reply.goes_on {
        head.push_str(&format!("content-length: {}\r\n", reply.body.len()));
    }
    stream.write_all(format!("{head}\r\n{}", reply.body).as_bytes()).await?;
    if reply.goes_on {
        while let Ok(message) = hears.recv().await {
            stream.write_all(event(&message).as_bytes()).await?;
        }
    }
    stream.shutdown().await
}
