//! JSON strings: sequences of UTF-16 code units, which need not be valid Unicode.

use super::reader::Quoted;
use std::borrow::Cow;
use std::sync::Arc;

/// A JSON string. JSON can spell half of a surrogate pair (`"\ud800"`), which no Rust `str` holds; such a string
/// is kept as code units, every other one as text.
///
/// A copy shares the characters with its original: a value of megabytes is copied many times on its way from a scenario
/// over a mock to a transcript.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JsonString(Form);

/// `Units` is used only where `Text` is impossible, so that equal strings have equal forms.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Form {
    Text(Arc<str>),
    Units(Arc<[u16]>),
}

impl JsonString {
    /// Creates a string from UTF-16 code units.
    pub fn from_utf16(units: &[u16]) -> Self {
        match String::from_utf16(units) {
            Ok(text) => text.into(),
            Err(_) => Self(Form::Units(units.into())),
        }
    }

    /// Returns the text, if the string is valid Unicode.
    pub fn as_str(&self) -> Option<&str> {
        match &self.0 {
            Form::Text(text) => Some(text),
            Form::Units(_) => None,
        }
    }

    /// Returns the text, with U+FFFD for every lone surrogate. For people, not for comparing.
    pub fn to_string_lossy(&self) -> Cow<'_, str> {
        match &self.0 {
            Form::Text(text) => Cow::Borrowed(text),
            Form::Units(units) => Cow::Owned(String::from_utf16_lossy(units)),
        }
    }

    /// Returns the UTF-16 code units.
    pub fn utf16(&self) -> impl Iterator<Item = u16> + '_ {
        let (text, units) = match &self.0 {
            Form::Text(text) => (&**text, &[][..]),
            Form::Units(units) => ("", &**units),
        };
        text.encode_utf16().chain(units.iter().copied())
    }

    /// Returns whether there are no code units.
    pub fn is_empty(&self) -> bool {
        self.as_str() == Some("")
    }
}

impl JsonString {
    pub(super) fn from_quoted(quoted: &Quoted<'_>) -> Self {
        if quoted.escaped { decode(quoted.text) } else { quoted.text.into() }
    }
}

/// Resolves the escapes of a well-formed string.
fn decode(quoted: &str) -> JsonString {
    let mut text = String::with_capacity(quoted.len());
    let mut rest = quoted;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        let (unit, after) = escape(&rest[at..]);
        let Some(character) = char::from_u32(unit.into()) else {
            return decode_units(quoted);
        };
        text.push(character);
        rest = after;
    }
    text.push_str(rest);
    text.into()
}

/// Resolves the escapes of a string that has surrogates, in pairs or alone.
fn decode_units(quoted: &str) -> JsonString {
    let mut units = Vec::with_capacity(quoted.len());
    let mut rest = quoted;
    while let Some(at) = rest.find('\\') {
        units.extend(rest[..at].encode_utf16());
        let (unit, after) = escape(&rest[at..]);
        units.push(unit);
        rest = after;
    }
    units.extend(rest.encode_utf16());
    JsonString::from_utf16(&units)
}

/// Returns the code unit of the escape at the beginning of a text, and the rest of the text.
fn escape(text: &str) -> (u16, &str) {
    let mut characters = text.chars();
    let unit = match characters.by_ref().nth(1) {
        Some('b') => 0x08,
        Some('t') => 0x09,
        Some('n') => 0x0a,
        Some('f') => 0x0c,
        Some('r') => 0x0d,
        Some('u') => {
            let digits = characters.by_ref().take(4).filter_map(|digit| digit.to_digit(16));
            digits.fold(0, |unit, digit| unit << 4 | digit)
        }
        Some(itself) => itself.into(),
        None => 0,
    };
    // Four hexadecimal digits fit, and so does every character that is its own escape.
    (unit as u16, characters.as_str())
}

impl From<String> for JsonString {
    fn from(text: String) -> Self {
        Self(Form::Text(text.into()))
    }
}

impl From<&str> for JsonString {
    fn from(text: &str) -> Self {
        Self(Form::Text(text.into()))
    }
}

impl PartialEq<str> for JsonString {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == Some(other)
    }
}

impl PartialEq<&str> for JsonString {
    fn eq(&self, other: &&str) -> bool {
        self == *other
    }
}
