//! Server-sent events, read incrementally from bytes.
//!
//! The parser records evidence: data stays bytes, so text that is not UTF-8 is kept as it came, and no code is shared
//! with an SDK. Lines end with LF, CR or CRLF, wherever the chunks are cut. A byte order mark at the beginning is
//! skipped. An event that is cut off by the end of input is dropped.

use std::mem;

const BOM: &[u8] = b"\xef\xbb\xbf";

/// Number of bytes that are given of a data field that is too long.
const OVERFLOW_START: usize = 1024;

/// The longest line kept whole that is not data: a comment, a name, an id.
const FIELD_SLACK: usize = 64;

/// Item of a stream of events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SseItem {
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

/// Fields of the current event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Fields {
    #[default]
    NoData,
    Data,
    TooMuch,
}

/// Position of the next byte in the stream.
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
        let budget = (self.limit + FIELD_SLACK).saturating_sub(self.line.len());
        self.line.extend_from_slice(&bytes[..bytes.len().min(budget)]);
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
            // Comments have an empty name. `retry` and other fields say nothing about messages.
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse<'a>(limit: usize, chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<SseItem> {
        let mut items = Vec::new();
        let mut parser = SseParser::new(limit);
        for chunk in chunks {
            parser.push(chunk, |item| items.push(item));
        }
        items
    }

    fn data(text: &str) -> Vec<String> {
        let text_of = |item| match item {
            SseItem::Event(event) => String::from_utf8(event.data).unwrap(),
            SseItem::Overflow(_) => "overflow".to_owned(),
        };
        parse(100, [text.as_bytes()]).into_iter().map(text_of).collect()
    }

    #[test]
    fn lines_end_with_any_of_the_three_ends() {
        for text in ["data: a\n\ndata: b\n\n", "data: a\r\rdata: b\r\r", "data: a\r\n\r\ndata: b\r\n\r\n"] {
            assert_eq!(data(text), ["a", "b"], "{text:?}");
        }
    }

    #[test]
    fn data_fields_are_joined_and_lose_one_space() {
        assert_eq!(data("data: a\ndata:b\ndata:  c\ndata\n\n"), ["a\nb\n c\n"]);
    }

    #[test]
    fn comments_and_unknown_fields_make_no_event() {
        assert_eq!(data(": ping\n\nretry: 10\n\nother: x\n\nevent: only\n\n"), [""; 0]);
    }

    #[test]
    fn an_empty_data_field_makes_an_event_without_data() {
        assert_eq!(data("id: 1\ndata:\n\n"), [""]);
    }

    #[test]
    fn a_byte_order_mark_counts_only_at_the_beginning() {
        assert_eq!(data("\u{feff}data: a\n\n"), ["a"]);
        assert_eq!(data("data: a\n\n\u{feff}data: b\n\n"), ["a"]);
    }

    #[test]
    fn an_event_that_the_end_cuts_off_is_none() {
        assert_eq!(data("data: a\n"), [""; 0]);
        assert_eq!(data("data: a\n\ndata: b"), ["a"]);
    }

    #[test]
    fn kind_and_id_belong_to_their_event_and_an_id_with_nul_is_no_id() {
        let items = parse(100, [b"event: message\nid: 7\ndata: a\n\nid: \0\ndata: b\n\n".as_slice()]);
        let named = SseEvent { kind: b"message".to_vec(), data: b"a".to_vec(), id: Some(b"7".to_vec()) };
        let plain = SseEvent { data: b"b".to_vec(), ..SseEvent::default() };
        assert_eq!(items, [SseItem::Event(named), SseItem::Event(plain)]);
    }

    #[test]
    fn bytes_that_are_not_text_stay_as_they_are() {
        let items = parse(100, [b"data: \xff\xc3".as_slice(), b"\x28\n\n"]);
        assert_eq!(items, [SseItem::Event(SseEvent { data: b"\xff\xc3\x28".to_vec(), ..SseEvent::default() })]);
    }

    #[test]
    fn an_event_at_the_bound_is_kept_and_one_beyond_it_is_not() {
        let event = |data: &[u8]| SseItem::Event(SseEvent { data: data.to_vec(), ..SseEvent::default() });
        assert_eq!(parse(4, [b"data: 1234\n\n".as_slice()]), [event(b"1234")]);
        let overflow = SseItem::Overflow(b"1234".to_vec());
        assert_eq!(parse(4, [b"data: 12345\n\ndata: 6\n\n".as_slice()]), [overflow.clone(), event(b"6")]);
        assert_eq!(parse(4, [b"data: 12\ndata: 34\ndata: 5\n\n".as_slice()])[0], SseItem::Overflow(b"12\n3".to_vec()));
    }

    #[test]
    fn a_line_without_end_is_not_kept() {
        let mut parser = SseParser::new(100);
        for _ in 0..10_000 {
            parser.push(&[b'x'; 1000], |_| ());
        }
        assert!(parser.line.len() <= 100 + FIELD_SLACK);
    }

    proptest! {
        #[test]
        fn it_does_not_matter_how_the_bytes_are_cut(
            pieces in prop::collection::vec(
                prop::sample::select(vec![
                    b"data".as_slice(), b": ", b":", b"\n", b"\r", b"\r\n", b"\n\n", b"id", b"event", b"\xef\xbb\xbf",
                    b"\xf0\x9f\x98\x80", b"\xff", b"x", b"\0", b"data: abc\n", b"data: a long line of data\r\n\r\n",
                ]),
                0..40,
            ),
            cuts in prop::collection::vec(1usize..6, 1..20),
            limit in 1usize..20,
        ) {
            let bytes = pieces.concat();
            let mut chunks = Vec::new();
            let mut rest = bytes.as_slice();
            for cut in cuts.iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                let (chunk, tail) = rest.split_at((*cut).min(rest.len()));
                chunks.push(chunk);
                rest = tail;
            }
            prop_assert_eq!(parse(limit, chunks), parse(limit, [bytes.as_slice()]));
        }
    }
}
