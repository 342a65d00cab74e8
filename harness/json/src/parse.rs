//! Parses text to [`Json`], from the events of the reader, or gives the error with its place.

use super::reader::{Event, MAX_DEPTH, MAX_VALUES, Reader};
use super::{Json, JsonString, Number};

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

/// Reason why a text is not JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{kind} (at byte {offset})")]
pub struct JsonError {
    /// The byte at which the text stops being JSON.
    pub offset: usize,
    pub kind: JsonErrorKind,
}

/// Kinds of errors of a text that is not JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum JsonErrorKind {
    #[error("there is no JSON value, only an empty text")]
    Empty,
    #[error("the text ends before its value does")]
    UnexpectedEnd,
    #[error("the value is complete, but the text goes on with {0:?}")]
    TextAfterValue(char),
    #[error("expected a value, found {0:?}")]
    ExpectedValue(char),
    #[error("expected a key in double quotes, found {0:?}")]
    ExpectedKey(char),
    #[error("expected `:` after the key, found {0:?}")]
    ExpectedColon(char),
    #[error("expected `,` or `]`, found {0:?}")]
    ExpectedCommaOrBracket(char),
    #[error("expected `,` or `}}`, found {0:?}")]
    ExpectedCommaOrBrace(char),
    #[error("a comma must be followed by another item, found {0:?}")]
    TrailingComma(char),
    #[error("the only words in JSON are `true`, `false` and `null`; NaN and Infinity are no JSON numbers")]
    UnknownWord,
    #[error("a number must not begin with superfluous zeros")]
    LeadingZero,
    #[error("a digit is missing in the number, found {0:?}")]
    ExpectedDigit(char),
    #[error("the control character {0:?} must be escaped in a string")]
    ControlCharacter(char),
    #[error("`\\` followed by {0:?} is not an escape")]
    UnknownEscape(char),
    #[error("`\\u` must be followed by four hexadecimal digits, found {0:?}")]
    ExpectedHexDigit(char),
    #[error("arrays and objects nest more than {} deep", MAX_DEPTH)]
    TooDeep,
    #[error("it has more than a million values")]
    TooManyValues,
    #[error("the text begins with a byte order mark")]
    ByteOrderMark,
    #[error("the text is not valid UTF-8")]
    InvalidUtf8,
}

impl JsonError {
    /// Returns the line and the column of the error in the text that was parsed, both from 1; columns are characters.
    pub fn line_column(&self, text: &str) -> (usize, usize) {
        let mut end = self.offset.min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let before = &text[..end];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }
}
