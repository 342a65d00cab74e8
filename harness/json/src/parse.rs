//! From text to [`Json`]: the events of the reader, put together to a tree.

use super::reader::{Event, Reader};
use super::{Json, JsonError, JsonErrorKind, JsonString, Number, Object};

/// An array or object whose end has not come yet.
enum Open {
    Array(Vec<Json>),
    Object { object: Object, key: Option<JsonString> },
}

impl Json {
    /// Reads a text that is one JSON value by RFC 8259, no more and no less.
    ///
    /// # Errors
    /// The first thing in the text that the grammar does not allow, with its place.
    pub fn parse(text: &str) -> Result<Self, JsonError> {
        let mut reader = Reader::new(text);
        let mut open = Vec::new();
        let mut root = None;
        while let Some(event) = reader.next()? {
            let value = match event {
                Event::ArrayStart => {
                    open.push(Open::Array(Vec::new()));
                    continue;
                }
                Event::ObjectStart => {
                    open.push(Open::Object { object: Object::new(), key: None });
                    continue;
                }
                Event::Key(quoted) => {
                    if let Some(Open::Object { key, .. }) = open.last_mut() {
                        *key = Some(JsonString::from_quoted(&quoted));
                    }
                    continue;
                }
                Event::ArrayEnd | Event::ObjectEnd => match open.pop() {
                    Some(Open::Array(elements)) => Self::Array(elements),
                    Some(Open::Object { object, .. }) => Self::Object(object),
                    None => continue,
                },
                Event::Null => Self::Null,
                Event::Bool(value) => Self::Bool(value),
                Event::Number(lexeme) => Self::Number(Number::from_valid_lexeme(lexeme)),
                Event::String(quoted) => Self::String(JsonString::from_quoted(&quoted)),
            };
            match open.last_mut() {
                None => root = Some(value),
                Some(Open::Array(elements)) => elements.push(value),
                Some(Open::Object { object, key }) => {
                    if let Some(key) = key.take() {
                        object.push(key, value);
                    }
                }
            }
        }
        root.ok_or(JsonError { offset: 0, kind: JsonErrorKind::Empty })
    }

    /// Reads bytes that are one JSON value in UTF-8. A byte order mark is an error, as RFC 8259 lets a reader
    /// have it; so is a byte that is not UTF-8, wherever it stands.
    ///
    /// # Errors
    /// As for [`Json::parse`]. Invalid UTF-8 is reported before anything else.
    pub fn parse_bytes(bytes: &[u8]) -> Result<Self, JsonError> {
        let text = std::str::from_utf8(bytes)
            .map_err(|error| JsonError { offset: error.valid_up_to(), kind: JsonErrorKind::InvalidUtf8 })?;
        Self::parse(text)
    }
}
