//! Writes values as text: no white space, numbers as they were written, and in strings only the escapes that JSON or a
//! lone surrogate requires.

use super::{Json, JsonString, Object};
use std::fmt::{self, Write};

impl Json {
    /// Writes the value as JSON text without white space. Numbers keep their lexemes, objects their order and
    /// duplicates; lone surrogates are written as `\uXXXX`.
    pub fn to_compact(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _: fmt::Result = write_value(&mut text, self);
        text
    }
}

fn write_value(out: &mut impl Write, value: &Json) -> fmt::Result {
    match value {
        Json::Null => out.write_str("null"),
        Json::Bool(true) => out.write_str("true"),
        Json::Bool(false) => out.write_str("false"),
        Json::Number(number) => out.write_str(number.lexeme()),
        Json::String(string) => write_string(out, string),
        Json::Array(elements) => {
            out.write_char('[')?;
            for (at, element) in elements.iter().enumerate() {
                if at > 0 {
                    out.write_char(',')?;
                }
                write_value(out, element)?;
            }
            out.write_char(']')
        }
        Json::Object(object) => write_object(out, object),
    }
}

fn write_object(out: &mut impl Write, object: &Object) -> fmt::Result {
    out.write_char('{')?;
    for (at, (key, value)) in object.iter().enumerate() {
        if at > 0 {
            out.write_char(',')?;
        }
        write_string(out, key)?;
        out.write_char(':')?;
        write_value(out, value)?;
    }
    out.write_char('}')
}

fn write_string(out: &mut impl Write, string: &JsonString) -> fmt::Result {
    out.write_char('"')?;
    match string.as_str() {
        Some(text) => write_text(out, text)?,
        None => {
            for character in char::decode_utf16(string.utf16()) {
                match character {
                    Ok(character) => write_text(out, character.encode_utf8(&mut [0; 4]))?,
                    Err(lone) => write!(out, "\\u{:04x}", lone.unpaired_surrogate())?,
                }
            }
        }
    }
    out.write_char('"')
}

fn write_text(out: &mut impl Write, mut text: &str) -> fmt::Result {
    while let Some(at) = text.bytes().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20)) {
        let (plain, rest) = text.split_at(at);
        out.write_str(plain)?;
        let (special, rest) = rest.split_at(1);
        match special {
            "\"" | "\\" => write!(out, "\\{special}")?,
            "\u{8}" => out.write_str("\\b")?,
            "\t" => out.write_str("\\t")?,
            "\n" => out.write_str("\\n")?,
            "\u{c}" => out.write_str("\\f")?,
            "\r" => out.write_str("\\r")?,
            control => write!(out, "\\u{:04x}", control.as_bytes()[0])?,
        }
        text = rest;
    }
    out.write_str(text)
}

/// The same as [`Json::to_compact`].
impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_value(f, self)
    }
}

/// JSON text, so that the output of a failed assertion can be pasted into a test.
impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_value(f, self)
    }
}

/// JSON text.
impl fmt::Debug for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_object(f, self)
    }
}

/// JSON text, in quotes.
impl fmt::Debug for JsonString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_string(f, self)
    }
}
