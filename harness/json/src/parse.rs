//! Parses text to [`Json`], from the events of the reader.

use super::reader::MAX_VALUES;
use super::reader::{Event, Reader};
use super::{Json, JsonError, JsonErrorKind, JsonString, Number};

/// An open array or object: the index of its first value or member on the stack.
enum Open {
    Array { from: usize },
    Object { from: usize },
}

impl Json {
    /// Reads a text that is one JSON value by RFC 8259, no more and no less.
    ///
    /// # Errors
    /// The first thing in the text that the grammar does not allow, with its place.
    pub fn parse(text: &str) -> Result<Self, JsonError> {
        Self::parse_at_most(MAX_VALUES, text).map(|(json, _)| json)
    }

    /// Reads a text with a limit on the number of values in all depths; returns that number, too.
    ///
    /// # Errors
    /// As for [`Json::parse`], and [`JsonErrorKind::TooManyValues`] for a text with more than `most`.
    pub fn parse_at_most(most: usize, text: &str) -> Result<(Self, usize), JsonError> {
        let mut reader = Reader::of_at_most(most.min(MAX_VALUES), text);
        // The parts of open containers are on stacks, so that a closed one takes no more memory than it needs.
        let (mut open, mut values, mut members, mut keys) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        while let Some(event) = reader.next()? {
            let value = match event {
                Event::ArrayStart => {
                    open.push(Open::Array { from: values.len() });
                    continue;
                }
                Event::ObjectStart => {
                    open.push(Open::Object { from: members.len() });
                    continue;
                }
                Event::Key(quoted) => {
                    keys.push(JsonString::from_quoted(&quoted));
                    continue;
                }
                Event::ArrayEnd | Event::ObjectEnd => match open.pop() {
                    Some(Open::Array { from }) => Self::Array(values.drain(from..).collect()),
                    Some(Open::Object { from }) => Self::Object(members.drain(from..).collect()),
                    None => continue,
                },
                Event::Null => Self::Null,
                Event::Bool(value) => Self::Bool(value),
                Event::Number(lexeme) => Self::Number(Number::from_valid_lexeme(lexeme)),
                Event::String(quoted) => Self::String(JsonString::from_quoted(&quoted)),
            };
            match open.last() {
                None | Some(Open::Array { .. }) => values.push(value),
                Some(Open::Object { .. }) => members.extend(keys.pop().map(|key| (key, value))),
            }
        }
        let read = values.pop().map(|json| (json, reader.values()));
        read.ok_or(JsonError { offset: 0, kind: JsonErrorKind::Empty })
    }

    /// Reads bytes that are one JSON value in UTF-8. A byte order mark is an error, as RFC 8259 allows; so is invalid
    /// UTF-8, wherever it stands.
    ///
    /// # Errors
    /// As for [`Json::parse`]. Invalid UTF-8 is reported before anything else.
    pub fn parse_bytes(bytes: &[u8]) -> Result<Self, JsonError> {
        Self::parse_bytes_at_most(MAX_VALUES, bytes).map(|(json, _)| json)
    }

    /// Reads bytes that are one JSON value in UTF-8, with a limit on the number of values; returns that number, too.
    ///
    /// # Errors
    /// As for [`Json::parse_bytes`] and [`Json::parse_at_most`].
    pub fn parse_bytes_at_most(most: usize, bytes: &[u8]) -> Result<(Self, usize), JsonError> {
        let text = std::str::from_utf8(bytes)
            .map_err(|error| JsonError { offset: error.valid_up_to(), kind: JsonErrorKind::InvalidUtf8 })?;
        Self::parse_at_most(most, text)
    }
}
