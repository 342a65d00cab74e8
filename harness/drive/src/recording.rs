//! The body of a response on its way through the proxy: each part is recorded and then passed on at once.

use std::error::Error;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::header;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use mcp_compat_model::Role;
use mcp_compat_model::transcript::{Event, Head};
use serde::de::IgnoredAny;
use tokio::sync::watch;

use crate::sse::{SseItem, SseParser};
use crate::tap::Tap;

/// The connection to the client ends here, without another byte, as the server's did or the route.
#[derive(Debug, thiserror::Error)]
#[error("the exchange was cut: {0}")]
pub(crate) struct Cut(pub(crate) &'static str);

/// A server's body that writes itself into the tap while the client reads it.
pub(crate) struct RecordingBody {
    inner: Incoming,
    recorder: Recorder,
    state: State,
    /// Ready when the route has been closed.
    closed: Pin<Box<dyn Future<Output = ()> + Send + Sync>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Streaming,
    Over,
}

/// Writes down what a body says.
struct Recorder {
    tap: Tap,
    head: Head,
    form: Form,
    /// True if the client asked something, and waits for a message.
    waits: bool,
}

/// Form of the messages in a body.
enum Form {
    /// The body is one message, collected here up to the bound.
    Message(Vec<u8>),
    Events(SseParser),
}

impl RecordingBody {
    /// Takes over a body that has something to come.
    pub(crate) fn new(inner: Incoming, head: Head, asked: bool, tap: Tap, mut closed: watch::Receiver<()>) -> Self {
        let events = head.header(header::CONTENT_TYPE.as_str()).is_some_and(is_event_stream);
        let form = if events {
            tap.event(Role::Server, Event::Head { http: head.clone() });
            Form::Events(SseParser::new(tap.limits().message_bytes))
        } else {
            Form::Message(Vec::new())
        };
        let closed = Box::pin(async move {
            // The sender never sends; the error after its drop is the signal.
            let _ = closed.changed().await;
        });
        Self { inner, recorder: Recorder { tap, head, form, waits: asked }, state: State::Streaming, closed }
    }
}

fn is_whole(message: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(message).is_ok()
}

fn is_event_stream(content_type: &str) -> bool {
    let essence = content_type.split(';').next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case("text/event-stream")
}

impl Recorder {
    fn data(&mut self, bytes: &Bytes) {
        let Self { tap, head, form, waits } = self;
        match form {
            Form::Message(message) => {
                // One byte beyond the bound tells the tap that there was more.
                let budget = (tap.limits().message_bytes + 1).saturating_sub(message.len());
                message.extend_from_slice(&bytes[..bytes.len().min(budget)]);
            }
            Form::Events(parser) => parser.push(bytes, |item| match item {
                // An event without data opens a stream that can be resumed; it is no message.
                SseItem::Event(event) if event.data.is_empty() => {}
                SseItem::Event(event) => {
                    *waits = false;
                    tap.message(Role::Server, &event.data, Some(head.clone()));
                }
                SseItem::Overflow(start) => tap.overflow(Role::Server, &start),
            }),
        }
    }

    /// The body has come to its end.
    fn whole(&mut self) {
        match &self.form {
            Form::Events(_) => {}
            Form::Message(message) if message.is_empty() => self.head_alone(),
            Form::Message(message) => self.tap.message(Role::Server, message, Some(self.head.clone())),
        }
    }

    /// The server broke off: what had come is all there is.
    fn broken(&mut self) {
        self.whole();
        self.tap.event(Role::Server, Event::Closed {});
    }

    /// The client went away: that a message is not whole is not the server's doing. Some go as soon as they have all of a
    /// message, and do not wait for the end of the body. Whether they are quicker than that end is chance, so it is not
    /// recorded.
    fn deserted(&mut self) {
        match &self.form {
            Form::Message(message) if is_whole(message) => self.whole(),
            Form::Message(_) => {
                self.head_alone();
                self.left();
            }
            Form::Events(_) => self.left(),
        }
    }

    fn left(&self) {
        if self.waits {
            self.tap.event(Role::Client, Event::Closed {});
        }
    }

    fn head_alone(&self) {
        self.tap.event(Role::Server, Event::Head { http: self.head.clone() });
    }
}

impl Body for RecordingBody {
    type Data = Bytes;
    type Error = Box<dyn Error + Send + Sync>;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        let this = &mut *self;
        if this.state == State::Over {
            return Poll::Ready(None);
        }
        if this.closed.as_mut().poll(cx).is_ready() {
            this.state = State::Over;
            return Poll::Ready(Some(Err(Cut("the route was closed").into())));
        }
        let frame = match std::task::ready!(Pin::new(&mut this.inner).poll_frame(cx)) {
            Some(Ok(frame)) => frame,
            Some(Err(error)) => {
                this.state = State::Over;
                this.recorder.broken();
                return Poll::Ready(Some(Err(error.into())));
            }
            None => {
                this.state = State::Over;
                this.recorder.whole();
                return Poll::Ready(None);
            }
        };
        if let Some(data) = frame.data_ref() {
            this.recorder.data(data);
        }
        // With a known length the client needs no end to know that this was the last part, and may answer it.
        if this.inner.is_end_stream() {
            this.state = State::Over;
            this.recorder.whole();
        }
        Poll::Ready(Some(Ok(frame)))
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

impl Drop for RecordingBody {
    fn drop(&mut self) {
        if self.state == State::Streaming {
            self.recorder.deserted();
        }
    }
}

impl fmt::Debug for RecordingBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordingBody").finish_non_exhaustive()
    }
}
