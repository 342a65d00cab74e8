//! The body of a response: one message, a list of events, or events as they happen.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::{Response, StatusCode, header};
use hyper::body::{Frame, SizeHint};
use tokio::sync::{mpsc, oneshot};

use super::answered_calls::AnsweredOnDrop;

/// Number of events that may wait for a client that does not read.
const BACKLOG: usize = 64;

/// The script says that the connection ends here.
#[derive(Debug, thiserror::Error)]
#[error("the script ends the connection")]
pub(super) struct ConnectionAborted;

/// The body of a response.
#[derive(Debug)]
pub(super) struct Body {
    kind: Kind,
    /// Dropped with the body, which is when all of it is written.
    #[expect(dead_code, reason = "it takes effect when it is dropped")]
    given: Option<AnsweredOnDrop>,
}

#[derive(Debug)]
enum Kind {
    /// A body of one piece, or an empty one.
    Whole(Option<Bytes>),
    /// Known events, and what comes after them.
    Events(VecDeque<Bytes>, AfterEvents),
    /// Events as they happen.
    Live(Box<Live>),
}

/// End of the stream after the last event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AfterEvents {
    End,
    /// Nothing, for as long as the client waits.
    Silence,
    /// The end of the connection, once the events are written.
    Break,
    /// The end of the connection, now.
    Broken,
}

/// An event stream that stays open until one side ends it.
#[derive(Debug)]
pub(super) struct Live {
    opening: Option<Bytes>,
    events: mpsc::Receiver<Event>,
    written: Option<oneshot::Sender<()>>,
    closing_message: Option<Bytes>,
}

/// An event on its way into a live stream.
#[derive(Debug)]
pub(super) struct Event {
    bytes: Bytes,
    written: oneshot::Sender<()>,
}

/// The sending end of a live stream.
#[derive(Clone, Debug)]
pub(super) struct EventSender(mpsc::Sender<Event>);

impl EventSender {
    /// Sends a message as an event. The receiver resolves when the event is on its way, or never will be. `None` if the client
    /// is gone, or has stopped reading.
    pub(super) fn send(&self, message: &[u8]) -> Option<oneshot::Receiver<()>> {
        let (written, receiver) = oneshot::channel();
        self.0.try_send(Event { bytes: event(message), written }).ok()?;
        Some(receiver)
    }

    /// Returns whether the client still listens.
    pub(super) fn is_open(&self) -> bool {
        !self.0.is_closed()
    }
}

impl Body {
    /// A live stream with its first and last message, if it has them.
    pub(super) fn live(opening: Option<&[u8]>, closing_message: Option<&[u8]>) -> (EventSender, Self) {
        let (feed, events) = mpsc::channel(BACKLOG);
        let live =
            Live { opening: opening.map(event), events, written: None, closing_message: closing_message.map(event) };
        (EventSender(feed), Kind::Live(Box::new(live)).into())
    }

    /// The same body, which drops `given` when it is written.
    pub(super) fn giving(self, given: Option<AnsweredOnDrop>) -> Self {
        Self { given, ..self }
    }
}

impl From<Kind> for Body {
    fn from(kind: Kind) -> Self {
        Self { kind, given: None }
    }
}

/// A message as a server-sent event. A `\n` in it, which only a raw answer can have, is kept in the event's data.
fn event(message: &[u8]) -> Bytes {
    let mut bytes = Vec::with_capacity(message.len() + 32);
    bytes.extend_from_slice(b"event: message\n");
    for line in message.split(|byte| *byte == b'\n') {
        bytes.extend_from_slice(b"data: ");
        bytes.extend_from_slice(line);
        bytes.push(b'\n');
    }
    bytes.push(b'\n');
    bytes.into()
}

/// A response without a body.
pub(super) fn empty(status: StatusCode) -> Response<Body> {
    respond_with(status, Kind::Whole(None).into())
}

pub(super) fn json(status: StatusCode, message: Vec<u8>) -> Response<Body> {
    let mut response = respond_with(status, Kind::Whole(Some(message.into())).into());
    response.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static("application/json"));
    response
}

pub(super) fn events<'m>(messages: impl IntoIterator<Item = &'m [u8]>, then: AfterEvents) -> Response<Body> {
    event_stream(Kind::Events(messages.into_iter().map(event).collect(), then).into())
}

/// A response whose body is an event stream.
///
/// The events have no ids: an id would invite the client to resume, but streams of this server end with their connection.
pub(super) fn event_stream(body: Body) -> Response<Body> {
    let mut response = respond_with(StatusCode::OK, body);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, header::HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, header::HeaderValue::from_static("no-cache"));
    headers.insert("x-accel-buffering", header::HeaderValue::from_static("no"));
    response
}

fn respond_with(status: StatusCode, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response
}

impl hyper::body::Body for Body {
    type Data = Bytes;
    type Error = ConnectionAborted;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let bytes = match &mut self.get_mut().kind {
            Kind::Whole(bytes) => bytes.take(),
            Kind::Events(events, then) => match (events.pop_front(), then) {
                (None, AfterEvents::Silence) => return Poll::Pending,
                (None, then @ AfterEvents::Break) => {
                    // The connection writes what it has while it waits for more, and drops it at an error.
                    *then = AfterEvents::Broken;
                    context.waker().wake_by_ref();
                    return Poll::Pending;
                }
                (None, AfterEvents::Broken) => return Poll::Ready(Some(Err(ConnectionAborted))),
                (event, AfterEvents::End | AfterEvents::Silence | AfterEvents::Break | AfterEvents::Broken) => event,
            },
            Kind::Live(live) => ready!(live.poll_event(context)),
        };
        Poll::Ready(bytes.map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        match &self.kind {
            Kind::Whole(bytes) => bytes.is_none(),
            Kind::Events(events, then) => events.is_empty() && *then == AfterEvents::End,
            Kind::Live(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.kind {
            Kind::Whole(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64)),
            Kind::Events(..) | Kind::Live(_) => SizeHint::default(),
        }
    }
}

impl Live {
    fn poll_event(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if let Some(written) = self.written.take() {
            // A request for more means that the connection took the last event.
            let _ = written.send(());
        }
        if let Some(opening) = self.opening.take() {
            return Poll::Ready(Some(opening));
        }
        match ready!(self.events.poll_recv(context)) {
            Some(Event { bytes, written }) => {
                self.written = Some(written);
                Poll::Ready(Some(bytes))
            }
            None => Poll::Ready(self.closing_message.take()),
        }
    }
}
