//! The grammar of RFC 8259: a text as a sequence of events, or the first error.
//!
//! The nesting is kept in a list, so that no text can exhaust the stack.

use super::{JsonError, JsonErrorKind};

/// Event in a text.
pub(super) enum Event<'t> {
    Null,
    Bool(bool),
    Number(&'t str),
    String(Quoted<'t>),
    Key(Quoted<'t>),
    ArrayStart,
    ArrayEnd,
    ObjectStart,
    ObjectEnd,
}

/// Text between the quotes of a well-formed string.
pub(super) struct Quoted<'t> {
    pub(super) text: &'t str,
    /// True if there are escapes in it.
    pub(super) escaped: bool,
}

#[derive(Clone, Copy)]
enum Container {
    Array,
    Object,
}

/// Tokens that the grammar allows next.
enum Expected {
    Value,
    ElementOrEnd,
    MemberOrEnd,
    CommaOrEnd,
    Nothing,
}

pub(super) struct Reader<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    open: Vec<Container>,
    /// Number of values that have begun, and its limit.
    values: usize,
    most: usize,
    expected: Expected,
}

type Step<T> = Result<T, JsonError>;

impl<'t> Reader<'t> {
    /// Creates a reader with the default limit on values.
    pub(super) fn new(text: &'t str) -> Self {
        Self::of_at_most(MAX_VALUES, text)
    }

    pub(super) fn of_at_most(most: usize, text: &'t str) -> Self {
        Self { text, bytes: text.as_bytes(), at: 0, open: Vec::new(), values: 0, most, expected: Expected::Value }
    }

    /// Returns the number of values that have been read.
    pub(super) fn values(&self) -> usize {
        self.values
    }

    /// Returns the offset at which the last event ended.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Returns whether the value has ended, whatever follows it.
    pub(super) fn has_ended(&self) -> bool {
        matches!(self.expected, Expected::Nothing)
    }

    /// Returns the next event, or nothing once the value has ended properly.
    pub(super) fn next(&mut self) -> Step<Option<Event<'t>>> {
        self.skip_white_space();
        match self.expected {
            Expected::Value => self.value().map(Some),
            Expected::ElementOrEnd if self.peek() == Some(b']') => Ok(Some(self.close(Event::ArrayEnd))),
            Expected::ElementOrEnd => self.value().map(Some),
            Expected::MemberOrEnd if self.peek() == Some(b'}') => Ok(Some(self.close(Event::ObjectEnd))),
            Expected::MemberOrEnd => self.key().map(Some),
            Expected::CommaOrEnd => self.comma_or_end().map(Some),
            Expected::Nothing if self.at == self.bytes.len() => Ok(None),
            Expected::Nothing => Err(self.unexpected(JsonErrorKind::TextAfterValue)),
        }
    }

    fn value(&mut self) -> Step<Event<'t>> {
        if self.values == self.most {
            return Err(self.error(JsonErrorKind::TooManyValues));
        }
        self.values += 1;
        let event = match self.peek() {
            Some(b'"') => Event::String(self.string()?),
            Some(b'-' | b'0'..=b'9') => Event::Number(self.number()?),
            Some(b'{') => return self.enter(Container::Object),
            Some(b'[') => return self.enter(Container::Array),
            Some(b't') => self.word("true", Event::Bool(true))?,
            Some(b'f') => self.word("false", Event::Bool(false))?,
            Some(b'n') => self.word("null", Event::Null)?,
            Some(b'a'..=b'z' | b'A'..=b'Z') => return Err(self.error(JsonErrorKind::UnknownWord)),
            Some(_) if self.at == 0 && self.text.starts_with('\u{feff}') => {
                return Err(self.error(JsonErrorKind::ByteOrderMark));
            }
            Some(_) => return Err(self.unexpected(JsonErrorKind::ExpectedValue)),
            None if self.open.is_empty() => return Err(JsonError { offset: 0, kind: JsonErrorKind::Empty }),
            None => return Err(self.error(JsonErrorKind::UnexpectedEnd)),
        };
        self.value_ended();
        Ok(event)
    }

    fn key(&mut self) -> Step<Event<'t>> {
        if self.peek() != Some(b'"') {
            return Err(self.unexpected(JsonErrorKind::ExpectedKey));
        }
        let key = self.string()?;
        self.skip_white_space();
        if self.peek() != Some(b':') {
            return Err(self.unexpected(JsonErrorKind::ExpectedColon));
        }
        self.at += 1;
        self.expected = Expected::Value;
        Ok(Event::Key(key))
    }

    fn comma_or_end(&mut self) -> Step<Event<'t>> {
        match (self.open.last(), self.peek()) {
            (Some(Container::Array), Some(b']')) => Ok(self.close(Event::ArrayEnd)),
            (Some(Container::Object), Some(b'}')) => Ok(self.close(Event::ObjectEnd)),
            (Some(Container::Array), Some(b',')) => {
                self.comma()?;
                self.value()
            }
            (Some(Container::Object), Some(b',')) => {
                self.comma()?;
                self.key()
            }
            (Some(Container::Array), _) => Err(self.unexpected(JsonErrorKind::ExpectedCommaOrBracket)),
            (Some(Container::Object) | None, _) => Err(self.unexpected(JsonErrorKind::ExpectedCommaOrBrace)),
        }
    }

    fn comma(&mut self) -> Step<()> {
        self.at += 1;
        self.skip_white_space();
        match self.peek() {
            Some(b']' | b'}' | b',') => Err(self.unexpected(JsonErrorKind::TrailingComma)),
            Some(_) | None => Ok(()),
        }
    }

    fn enter(&mut self, container: Container) -> Step<Event<'t>> {
        if self.open.len() == MAX_DEPTH {
            return Err(self.error(JsonErrorKind::TooDeep));
        }
        self.at += 1;
        self.open.push(container);
        Ok(match container {
            Container::Array => {
                self.expected = Expected::ElementOrEnd;
                Event::ArrayStart
            }
            Container::Object => {
                self.expected = Expected::MemberOrEnd;
                Event::ObjectStart
            }
        })
    }

    fn close(&mut self, event: Event<'t>) -> Event<'t> {
        self.at += 1;
        self.open.pop();
        self.value_ended();
        event
    }

    fn value_ended(&mut self) {
        self.expected = if self.open.is_empty() { Expected::Nothing } else { Expected::CommaOrEnd };
    }

    fn word(&mut self, word: &str, event: Event<'t>) -> Step<Event<'t>> {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        if &rest[..length] == word.as_bytes() {
            self.at += length;
            Ok(event)
        } else if length == rest.len() && word.as_bytes().starts_with(rest) {
            self.at = self.bytes.len();
            Err(self.error(JsonErrorKind::UnexpectedEnd))
        } else {
            Err(self.error(JsonErrorKind::UnknownWord))
        }
    }

    fn number(&mut self) -> Step<&'t str> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let first = self.at;
        self.digits()?;
        if self.bytes[first] == b'0' && self.at > first + 1 {
            return Err(JsonError { offset: first, kind: JsonErrorKind::LeadingZero });
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(&self.text[start..self.at])
    }

    fn digits(&mut self) -> Step<()> {
        let count = self.bytes[self.at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += count;
        if count == 0 { Err(self.unexpected(JsonErrorKind::ExpectedDigit)) } else { Ok(()) }
    }

    fn string(&mut self) -> Step<Quoted<'t>> {
        self.at += 1;
        let start = self.at;
        let mut escaped = false;
        loop {
            let special = self.bytes[self.at..].iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20));
            self.at = special.map_or(self.bytes.len(), |distance| self.at + distance);
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => {
                    escaped = true;
                    self.escape()?;
                }
                Some(_) | None => return Err(self.unexpected(JsonErrorKind::ControlCharacter)),
            }
        }
        let text = &self.text[start..self.at];
        self.at += 1;
        Ok(Quoted { text, escaped })
    }

    fn escape(&mut self) -> Step<()> {
        self.at += 1;
        match self.peek() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 1,
            Some(b'u') => {
                self.at += 1;
                for _ in 0..4 {
                    if !self.peek().is_some_and(|byte| byte.is_ascii_hexdigit()) {
                        return Err(self.unexpected(JsonErrorKind::ExpectedHexDigit));
                    }
                    self.at += 1;
                }
            }
            Some(_) | None => return Err(self.unexpected(JsonErrorKind::UnknownEscape)),
        }
        Ok(())
    }

    fn skip_white_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn error(&self, kind: JsonErrorKind) -> JsonError {
        JsonError { offset: self.at, kind }
    }

    /// Returns an error about the next character, or about the end of the text.
    fn unexpected(&self, kind: impl FnOnce(char) -> JsonErrorKind) -> JsonError {
        self.error(self.text[self.at..].chars().next().map_or(JsonErrorKind::UnexpectedEnd, kind))
    }
}

/// The deepest nesting of arrays and objects that is read; a deeper text is an error.
///
/// Eight times the limit of `serde_json`. Recursion over this depth needs less than half of a thread's usual 2 MiB of
/// stack, even unoptimised.
pub const MAX_DEPTH: usize = 1024;

/// A million, the most values that are read in one text, counted in all depths; a text with more is an error.
///
/// A value takes up to forty bytes, and two bytes of text may make one: without a limit a message of 16 MB takes more than
/// half a gigabyte.
pub const MAX_VALUES: usize = 1_000_000;
