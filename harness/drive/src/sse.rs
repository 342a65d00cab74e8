//! Server-sent events, read incrementally from bytes.
//!
//! It is written for evidence rather than for use: data stays bytes, so that text that is not UTF-8 is seen as it
//! was, and it shares nothing with any SDK's parser. Lines end with LF, CR or CRLF, wherever the chunks are cut; a
//! byte order mark at the very beginning is passed over; an event that the end of input cuts off is no event.

use std::mem;

const BOM: &[u8] = b"\xef\xbb\xbf";

/// How much of a data field that is too long is given.
const OVERFLOW_START: usize = 1024;

/// The longest line kept whole that is not data: a comment, a name, an id.
const FIELD_SLACK: usize = 64;

/// What came in a stream of events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SseItem {
    /// An event with data.
    Event(SseEvent),
    /// An event longer than the bound: the beginning of its data.
    Overflow(Vec<u8>),
}

/// An event that came whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SseEvent {
    /// The `event` field; empty when there was none.
    pub kind: Vec<u8>,
    /// The `data` fields, joined by line feeds.
    pub data: Vec<u8>,
    /// The `id` field of this event, if it had one.
    pub id: Option<Vec<u8>>,
}

/// Parses one stream of events.
#[derive(Debug)]
pub struct SseParser {
    limit: usize,
    /// The line under way, without its end.
    line: Vec<u8>,
    event: Draft,
    position: Position,
}

/// The event under way.
#[derive(Debug, Default)]
struct Draft {
    kind: Vec<u8>,
    data: Vec<u8>,
    id: Option<Vec<u8>>,
    fields: Fields,
}

/// What the event under way has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Fields {
    #[default]
    NoData,
    Data,
    TooMuch,
}

/// Where in the stream the next byte stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Position {
    /// In the first line, which may begin with a byte order mark.
    FirstLine,
    Line,
    /// After a CR: an LF belongs to it.
    AfterReturn,
}

impl SseParser {
    /// A parser that keeps at most `limit` bytes of an event.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self { limit, line: Vec::new(), event: Draft::default(), position: Position::FirstLine }
    }

    /// Takes the next bytes and gives what they complete.
    pub fn push(&mut self, mut bytes: &[u8], mut emit: impl FnMut(SseItem)) {
        if self.position == Position::AfterReturn && !bytes.is_empty() {
            self.position = Position::Line;
            bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
        }
        while let Some(at) = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            self.grow(&bytes[..at]);
            let ended_by_return = bytes[at] == b'\r';
            bytes = &bytes[at + 1..];
            self.end_line(&mut emit);
            self.position = Position::Line;
            if ended_by_return {
                match bytes {
                    [] => self.position = Position::AfterReturn,
                    [b'\n', rest @ ..] => bytes = rest,
                    [_, ..] => {}
                }
            }
        }
        self.grow(bytes);
    }

    /// Keeps so much of a line that one too long is known to be so.
    fn grow(&mut self, bytes: &[u8]) {
        let room = (self.limit + FIELD_SLACK).saturating_sub(self.line.len());
        self.line.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    fn end_line(&mut self, emit: &mut impl FnMut(SseItem)) {
        let line = mem::take(&mut self.line);
        let field = match self.position {
            Position::FirstLine => line.strip_prefix(BOM).unwrap_or(&line),
            Position::Line | Position::AfterReturn => &line,
        };
        if field.is_empty() {
            if let Some(item) = mem::take(&mut self.event).complete() {
                emit(item);
            }
        } else {
            self.event.field(field, self.limit);
        }
        // The allocation is kept for the next line.
        self.line = line;
        self.line.clear();
    }
}

impl Draft {
    fn field(&mut self, line: &[u8], limit: usize) {
        let (name, value) = match line.iter().position(|&byte| byte == b':') {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &b""[..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"data" => self.data(value, limit),
            b"event" if value.len() <= limit => self.kind = value.to_vec(),
            b"id" if value.len() <= limit && !value.contains(&0) => self.id = Some(value.to_vec()),
            // Comments have an empty name. `retry` and whatever else says nothing about messages.
            _ => {}
        }
    }

    fn data(&mut self, value: &[u8], limit: usize) {
        match self.fields {
            Fields::TooMuch => return,
            Fields::NoData => self.fields = Fields::Data,
            Fields::Data => self.data.push(b'\n'),
        }
        self.data.extend_from_slice(value);
        if self.data.len() > limit {
            self.fields = Fields::TooMuch;
            self.data.truncate(OVERFLOW_START.min(limit));
            self.data.shrink_to_fit();
        }
    }

    fn complete(self) -> Option<SseItem> {
        match self.fields {
            Fields::NoData => None,
            Fields::Data => Some(SseItem::Event(SseEvent { kind: self.kind, data: self.data, id: self.id })),
            Fields::TooMuch => Some(SseItem::Overflow(self.data)),
        }
    }
}
