//! A message that was posted, and what comes back for it, piece by piece.

use std::future::{Future, pending, poll_fn};
use std::pin::pin;
use std::task::Poll;

use http::header::{CONTENT_TYPE, HeaderMap};
use http::{Response, StatusCode};
use http_body_util::BodyExt as _;
use hyper::body::{Bytes, Incoming};
use hyper_util::client::legacy::ResponseFuture;

use crate::jsonrpc::MESSAGE_LIMIT;

use super::sse::Events;
use super::trouble::Trouble;

/// A message on its way. Dropping it closes its response.
pub(super) struct Posted(State);

enum State {
    Sent(ResponseFuture),
    Events(Incoming, Events),
    Body(StatusCode, HeaderMap, Incoming, Vec<u8>),
    Over,
}

/// A piece of what comes back.
pub(super) enum Piece {
    /// The head of the response; what the response holds follows.
    Head(StatusCode, HeaderMap),
    /// The data of an event.
    Event(Vec<u8>),
    /// The whole body.
    Body(StatusCode, HeaderMap, Vec<u8>),
    /// Why nothing more comes.
    Failed(Trouble),
}

impl From<ResponseFuture> for Posted {
    fn from(response: ResponseFuture) -> Self {
        Self(State::Sent(response))
    }
}

impl Posted {
    /// The next piece. May be dropped and called again; behind a body or a failure nothing comes.
    async fn next(&mut self) -> Piece {
        loop {
            match &mut self.0 {
                State::Sent(response) => match response.await {
                    Ok(response) => return self.opened(response),
                    Err(error) => return self.failed(no_response(&error)),
                },
                State::Events(body, events) => {
                    if let Some(event) = events.next() {
                        return Piece::Event(event);
                    }
                    match frame(body).await {
                        Some(Ok(data)) if events.push(&data).is_ok() => {}
                        Some(Ok(_)) => return self.failed(too_long()),
                        Some(Err(trouble)) => return self.failed(trouble),
                        None => {
                            let reason = "the response's events end without an answer".to_owned();
                            return self.failed(Trouble::Garbled(reason));
                        }
                    }
                }
                State::Body(status, headers, body, bytes) => match frame(body).await {
                    Some(Ok(data)) if bytes.len() + data.len() <= MESSAGE_LIMIT => bytes.extend_from_slice(&data),
                    Some(Ok(_)) => return self.failed(too_long()),
                    Some(Err(trouble)) => return self.failed(trouble),
                    None => {
                        let piece = Piece::Body(*status, std::mem::take(headers), std::mem::take(bytes));
                        self.0 = State::Over;
                        return piece;
                    }
                },
                State::Over => return pending().await,
            }
        }
    }

    /// Wants nothing more of it.
    pub(super) fn close(&mut self) {
        self.0 = State::Over;
    }

    fn opened(&mut self, response: Response<Incoming>) -> Piece {
        let streams = is_stream(&response);
        let (head, body) = response.into_parts();
        let (status, headers) = (head.status, head.headers.clone());
        self.0 = if streams {
            State::Events(body, Events::default())
        } else {
            State::Body(head.status, head.headers, body, Vec::new())
        };
        Piece::Head(status, headers)
    }

    fn failed(&mut self, trouble: Trouble) -> Piece {
        self.0 = State::Over;
        Piece::Failed(trouble)
    }
}

/// The first piece of any of these, with its number.
pub(super) async fn first(posted: &mut [Posted]) -> (usize, Piece) {
    poll_fn(|context| {
        for (number, posted) in posted.iter_mut().enumerate() {
            if let Poll::Ready(piece) = pin!(posted.next()).poll(context) {
                return Poll::Ready((number, piece));
            }
        }
        Poll::Pending
    })
    .await
}

/// The next bytes of a body; trailers are none.
async fn frame(body: &mut Incoming) -> Option<Result<Bytes, Trouble>> {
    loop {
        match body.frame().await? {
            Ok(frame) => {
                if let Ok(data) = frame.into_data() {
                    return Some(Ok(data));
                }
            }
            Err(error) => return Some(Err(Trouble::Lost(format!("the response broke off: {error}")))),
        }
    }
}

/// Why there is no response.
pub(super) fn no_response(error: &hyper_util::client::legacy::Error) -> Trouble {
    let cause = std::error::Error::source(error).map(|cause| format!(": {cause}")).unwrap_or_default();
    Trouble::Lost(format!("no HTTP response from the server: {error}{cause}"))
}

fn too_long() -> Trouble {
    Trouble::Garbled(format!("a message of more than {MESSAGE_LIMIT} bytes"))
}

/// Whether a response is an event stream.
pub(super) fn is_stream(response: &Response<Incoming>) -> bool {
    response.status().is_success() && content_type(response.headers()).eq_ignore_ascii_case("text/event-stream")
}

/// The type of the content, without parameters; empty when there is none.
pub(super) fn content_type(headers: &HeaderMap) -> &str {
    let value = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim()
}
