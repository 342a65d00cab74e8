//! Body of a response: pieces of bytes, with a pause after each one, so that they arrive apart.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Frame, SizeHint};
use tokio::time::sleep;

use super::behaviour::StreamForm;

/// Time between two pieces.
pub(super) const PAUSE: Duration = Duration::from_millis(15);

/// A wait between two pieces.
type Wait = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A body in pieces.
pub(super) struct Pieces {
    pieces: VecDeque<Bytes>,
    pause: Option<Wait>,
    /// The wait before the last piece, in place of the pause.
    hold: Option<Wait>,
    /// The wait after the last piece.
    linger: Option<Wait>,
    /// The stream stays open after the last piece.
    is_open: bool,
    /// The length is not told, even of an empty body.
    is_chunked: bool,
}

impl Pieces {
    pub(super) fn whole(bytes: impl Into<Bytes>) -> Self {
        Self::of([bytes.into()])
    }

    pub(super) fn empty() -> Self {
        Self::of([])
    }

    /// A stream that sends nothing and stays open.
    pub(super) fn open() -> Self {
        Self { is_open: true, ..Self::of([Bytes::from_static(b": open\n\n")]) }
    }

    pub(super) fn of(pieces: impl IntoIterator<Item = Bytes>) -> Self {
        Self {
            pieces: pieces.into_iter().collect(),
            pause: None,
            hold: None,
            linger: None,
            is_open: false,
            is_chunked: false,
        }
    }

    /// An empty body in chunks.
    pub(super) fn chunked() -> Self {
        Self { is_chunked: true, ..Self::empty() }
    }

    /// Waits before the last piece.
    pub(super) fn holding(self, wait: impl Future<Output = ()> + Send + 'static) -> Self {
        Self { hold: Some(Box::pin(wait)), ..self }
    }
}

impl hyper::body::Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if let Some(pause) = &mut self.pause {
            ready!(pause.as_mut().poll(context));
            self.pause = None;
        }
        match self.pieces.pop_front() {
            Some(piece) => {
                self.pause = match self.pieces.len() {
                    0 => None,
                    1 => Some(self.hold.take().unwrap_or_else(pause)),
                    _ => Some(pause()),
                };
                Poll::Ready(Some(Ok(Frame::data(piece))))
            }
            None if self.linger.is_some() => {
                self.pause = self.linger.take();
                self.poll_frame(context)
            }
            None if self.is_open => Poll::Pending,
            None => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.pieces.is_empty() && self.pause.is_none() && self.linger.is_none() && !self.is_open && !self.is_chunked
    }

    fn size_hint(&self) -> SizeHint {
        match (self.pieces.len(), self.is_open || self.linger.is_some()) {
            (0, false) if !self.is_chunked => SizeHint::with_exact(0),
            (1, false) => SizeHint::with_exact(self.pieces[0].len() as u64),
            (_, _) => SizeHint::default(),
        }
    }
}

fn pause() -> Wait {
    Box::pin(sleep(PAUSE))
}

/// Messages as an event stream of a form.
pub(super) fn events(messages: &[Vec<u8>], form: &StreamForm) -> Pieces {
    let mut events: Vec<Bytes> =
        messages.iter().enumerate().map(|(number, message)| event(number, message, form)).collect();
    if let Some(first) = events.first_mut().filter(|_| form.marked) {
        *first = [&b"\xef\xbb\xbf"[..], &first[..]].concat().into();
    }
    let pieces = if form.pieces { cuts(&events.concat()).into_iter().map(Bytes::from).collect() } else { events };
    let linger: Option<Wait> = (!form.linger.is_zero()).then(|| Box::pin(sleep(form.linger)) as Wait);
    Pieces { linger, ..Pieces::of(pieces) }
}

/// A message as an event of a form.
fn event(number: usize, message: &[u8], form: &StreamForm) -> Bytes {
    let end = if form.crlf { "\r\n" } else { "\n" };
    let mut text = Vec::new();
    let mut line = |parts: &[&[u8]]| {
        parts.iter().for_each(|part| text.extend_from_slice(part));
        text.extend_from_slice(end.as_bytes());
    };
    if form.comments {
        line(&[b": keep-alive"]);
        line(&[]);
    }
    if form.foreign && number == 0 {
        line(&[b"event: ping"]);
        line(&[b"data: 2026-01-01T00:00:00Z"]);
        line(&[]);
    }
    if form.primed && number == 0 {
        line(&[b"id: 0"]);
        line(&[b"data: "]);
        line(&[]);
    }
    if form.numbered {
        line(&[b"id: ", (number + 1).to_string().as_bytes()]);
        line(&[b"retry: 1000"]);
    }
    if !form.terse {
        line(&[b"event: message"]);
    }
    let data: &[u8] = if form.terse { b"data:" } else { b"data: " };
    match message {
        // Line feeds between the tokens of JSON change nothing.
        [b'{', inner @ .., b'}'] if form.lines => {
            line(&[data, b"{"]);
            line(&[data, inner]);
            line(&[data, b"}"]);
        }
        message => line(&[data, message]),
    }
    line(&[]);
    text.into()
}

/// The bytes in three pieces: one ends inside a character, if there is one beyond ASCII.
pub(super) fn cuts(text: &[u8]) -> Vec<Vec<u8>> {
    let middle = text.iter().position(|byte| *byte >= 0xc0).map_or(text.len() / 2, |place| place + 1);
    let first = text.len().min(7).min(middle);
    [&text[..first], &text[first..middle], &text[middle..]].map(<[u8]>::to_vec).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(form: &StreamForm) -> String {
        let pieces = events(&["{\"a\":\"é\"}".as_bytes().to_vec()], form).pieces;
        String::from_utf8(pieces.iter().flat_map(|piece| piece.to_vec()).collect()).unwrap()
    }

    #[test]
    fn an_event_has_the_form_that_is_asked_for() {
        assert_eq!(written(&StreamForm::default()), "event: message\ndata: {\"a\":\"é\"}\n\n");
        let crlf = StreamForm { crlf: true, terse: true, ..StreamForm::default() };
        assert_eq!(written(&crlf), "data:{\"a\":\"é\"}\r\n\r\n");
        let lines = StreamForm { lines: true, numbered: true, comments: true, ..StreamForm::default() };
        let primed = StreamForm { primed: true, ..StreamForm::default() };
        assert_eq!(written(&primed), "id: 0\ndata: \n\nevent: message\ndata: {\"a\":\"é\"}\n\n");
        let expected = ": keep-alive\n\nid: 1\nretry: 1000\nevent: message\ndata: {\ndata: \"a\":\"é\"\ndata: }\n\n";
        assert_eq!(written(&lines), expected);
    }

    #[test]
    fn a_piece_ends_inside_a_character() {
        let pieces = cuts("data: é\n\n".as_bytes());
        assert_eq!(pieces.concat(), "data: é\n\n".as_bytes());
        assert!(pieces.iter().any(|piece| std::str::from_utf8(piece).is_err()), "{pieces:?}");
    }
}
