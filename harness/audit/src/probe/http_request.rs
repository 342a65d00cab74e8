//! Requests of HTTP, with any headers.

use bytes::Bytes;
use http::{Method, Request};
use http_body_util::{BodyExt as _, Full};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use mcp_compat_drive::{SseItem, SseParser};
use mcp_compat_json::Json;
use tokio::time::{Instant, timeout_at};

use super::LIMITS;
use super::conversation::Answers;

/// Most characters of a body that a report shows.
const SHOWN: usize = 300;

/// A pool of connections.
#[derive(Debug)]
pub(super) struct RawHttp(Client<HttpConnector, Full<Bytes>>);

pub(super) struct HttpRequest<'u> {
    pub(super) method: Method,
    pub(super) url: &'u str,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: String,
}

#[derive(Debug, Default)]
pub(super) struct HttpAnswer {
    /// `None` if nothing came back.
    pub(super) status: Option<u16>,
    pub(super) session: Option<String>,
    pub(super) messages: Vec<Json>,
    /// The beginning of a body that is no message.
    pub(super) body: String,
}

impl RawHttp {
    pub(super) fn new() -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        Self(Client::builder(TokioExecutor::new()).build(connector))
    }

    /// Sends a request, and reads until the answer to this id, or to the end.
    pub(super) async fn send(&self, request: HttpRequest<'_>, id: Option<&str>, until: Instant) -> HttpAnswer {
        let mut answer = HttpAnswer::default();
        // What came before the deadline counts.
        let _ = timeout_at(until, self.exchange(request, id, &mut answer)).await;
        answer
    }

    async fn exchange(&self, request: HttpRequest<'_>, id: Option<&str>, answer: &mut HttpAnswer) -> Option<()> {
        let mut built = Request::builder().method(request.method).uri(request.url);
        for (name, value) in &request.headers {
            built = built.header(name.as_str(), value.as_str());
        }
        let built = built.body(Full::new(Bytes::from(request.body))).ok()?;
        let response = self.0.request(built).await.ok()?;
        answer.status = Some(response.status().as_u16());
        let header = |name: &str| response.headers().get(name)?.to_str().ok().map(str::to_owned);
        answer.session = header("mcp-session-id");
        let is_stream = header("content-type").is_some_and(|kind| kind.starts_with("text/event-stream"));
        // Nobody asked for the messages of a stream that is opened by itself.
        if is_stream && id.is_none() {
            return Some(());
        }
        let mut body = response.into_body();
        let mut parser = SseParser::new(LIMITS.message_bytes);
        let mut whole = Vec::new();
        while let Some(frame) = body.frame().await {
            let frame = frame.ok()?;
            let Some(data) = frame.data_ref() else { continue };
            if is_stream {
                parser.push(data, |item| {
                    if let SseItem::Event(event) = item {
                        answer.messages.extend(Json::parse_bytes(&event.data).ok());
                    }
                });
                let mut answers = Answers::to(id);
                if answer.messages.iter().any(|message| answers.read(message).is_some()) {
                    return Some(());
                }
            } else {
                whole.extend_from_slice(data);
                if whole.len() > LIMITS.message_bytes {
                    return None;
                }
            }
        }
        match Json::parse_bytes(&whole) {
            Ok(Json::Array(messages)) => answer.messages.extend(messages),
            Ok(message) => answer.messages.push(message),
            Err(_) => {}
        }
        answer.body = String::from_utf8_lossy(&whole).chars().take(SHOWN).collect();
        Some(())
    }
}
