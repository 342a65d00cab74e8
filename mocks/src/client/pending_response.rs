//! A response to a POST, read part by part as it arrives.

use std::future::{Future, pending, poll_fn};
use std::pin::pin;
use std::task::Poll;

use crate::wire::jsonrpc::MESSAGE_LIMIT;
use http::header::{CONTENT_TYPE, HeaderMap};
use http::{Response, StatusCode};
use http_body_util::BodyExt as _;
use hyper::body::{Bytes, Incoming};
use hyper_util::client::legacy::ResponseFuture;

use crate::client::client_error::ClientError;
use crate::client::sse::Events;

/// A response that is still arriving. Dropping it closes it.
pub(crate) struct PendingResponse(State);

enum State {
    Sent(ResponseFuture),
    Events(Incoming, Events),
    Body(StatusCode, HeaderMap, Incoming, Vec<u8>),
    Over,
}

pub(crate) enum ResponsePart {
    /// The head; an event or the body follows.
    Head(StatusCode, HeaderMap),
    Event(Vec<u8>),
    Body(StatusCode, HeaderMap, Vec<u8>),
    /// Reason why nothing more will arrive.
    Failed(ClientError),
}

impl From<ResponseFuture> for PendingResponse {
    fn from(response: ResponseFuture) -> Self {
        Self(State::Sent(response))
    }
}

impl PendingResponse {
    /// The next part. May be dropped and called again. A body or a failure is the last part.
    async fn next(&mut self) -> ResponsePart {
        loop {
            match &mut self.0 {
                State::Sent(response) => match response.await {
                    Ok(response) => return self.opened(response),
                    Err(error) => return self.failed(no_response(&error)),
                },
                State::Events(body, events) => {
                    if let Some(event) = events.next() {
                        return ResponsePart::Event(event);
                    }
                    match frame(body).await {
                        Some(Ok(data)) if events.push(&data).is_ok() => {}
                        Some(Ok(_)) => return self.failed(too_long()),
                        Some(Err(error)) => return self.failed(error),
                        None => {
                            let reason = if events.is_unfinished() {
                                "the response's last event has no empty line after it, so that clients do not read it"
                            } else {
                                "the response's events end without an answer"
                            };
                            return self.failed(ClientError::InvalidMessage(reason.to_owned()));
                        }
                    }
                }
                State::Body(status, headers, body, bytes) => match frame(body).await {
                    Some(Ok(data)) if bytes.len() + data.len() <= MESSAGE_LIMIT => bytes.extend_from_slice(&data),
                    Some(Ok(_)) => return self.failed(too_long()),
                    Some(Err(error)) => return self.failed(error),
                    None => {
                        let part = ResponsePart::Body(*status, std::mem::take(headers), std::mem::take(bytes));
                        self.0 = State::Over;
                        return part;
                    }
                },
                State::Over => return pending().await,
            }
        }
    }

    pub(crate) fn close(&mut self) {
        self.0 = State::Over;
    }

    fn opened(&mut self, response: Response<Incoming>) -> ResponsePart {
        let streams = is_stream(&response);
        let (head, body) = response.into_parts();
        let (status, headers) = (head.status, head.headers.clone());
        self.0 = if streams {
            State::Events(body, Events::default())
        } else {
            State::Body(head.status, head.headers, body, Vec::new())
        };
        ResponsePart::Head(status, headers)
    }

    fn failed(&mut self, error: ClientError) -> ResponsePart {
        self.0 = State::Over;
        ResponsePart::Failed(error)
    }
}

/// The first part that arrives of any of these responses, with the index of the response.
pub(crate) async fn first(responses: &mut [PendingResponse]) -> (usize, ResponsePart) {
    poll_fn(|context| {
        for (number, response) in responses.iter_mut().enumerate() {
            if let Poll::Ready(part) = pin!(response.next()).poll(context) {
                return Poll::Ready((number, part));
            }
        }
        Poll::Pending
    })
    .await
}

/// The next bytes of a body. Trailers are skipped.
async fn frame(body: &mut Incoming) -> Option<Result<Bytes, ClientError>> {
    loop {
        match body.frame().await? {
            Ok(frame) => {
                if let Ok(data) = frame.into_data() {
                    return Some(Ok(data));
                }
            }
            Err(error) => return Some(Err(ClientError::ConnectionLost(format!("the response broke off: {error}")))),
        }
    }
}

/// Reason why there is no response.
pub(crate) fn no_response(error: &hyper_util::client::legacy::Error) -> ClientError {
    let cause = std::error::Error::source(error).map(|cause| format!(": {cause}")).unwrap_or_default();
    ClientError::ConnectionLost(format!("no HTTP response from the server: {error}{cause}"))
}

fn too_long() -> ClientError {
    ClientError::InvalidMessage(format!("a message of more than {MESSAGE_LIMIT} bytes"))
}

/// Returns whether a response is an event stream.
pub(crate) fn is_stream(response: &Response<Incoming>) -> bool {
    response.status().is_success() && content_type(response.headers()).eq_ignore_ascii_case("text/event-stream")
}

/// The type of the content, without parameters; empty when there is none.
pub(crate) fn content_type(headers: &HeaderMap) -> &str {
    let value = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim()
}
