//! Reads JSON with comments and trailing commas, as editors allow it in configurations.

use anyhow::{Result, anyhow};
use mcp_compat_json::Json;

/// Parses a text.
///
/// # Errors
/// If it is not JSON, with the line and the column.
pub(super) fn parse(text: &str) -> Result<Json> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let plain = without_comments(text);
    Json::parse(&plain).map_err(|error| {
        let before = plain.get(..error.offset).unwrap_or(&plain);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().map_or(0, |line| line.chars().count()) + 1;
        anyhow!("it is not JSON (line {line}, column {column}): {}", error.kind)
    })
}

/// Replaces comments and trailing commas by blanks, so that every other byte keeps its place.
fn without_comments(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    // The last byte that is no blank and in no comment, and the place of a comma that follows a value.
    let (mut at, mut last, mut comma) = (0, b'[', None);
    while at < bytes.len() {
        let byte = bytes[at];
        at = match (byte, bytes.get(at + 1)) {
            (b'/', Some(b'/')) => blank(&mut bytes, at, |rest| rest.starts_with(b"\n"), 0),
            (b'/', Some(b'*')) => blank(&mut bytes, at, |rest| rest.starts_with(b"*/"), 2),
            (blank, _) if blank.is_ascii_whitespace() => at + 1,
            (byte, _) => {
                if let (b'}' | b']', Some(comma)) = (byte, comma) {
                    bytes[comma] = b' ';
                }
                comma = (byte == b',' && !matches!(last, b',' | b'[' | b'{' | b':')).then_some(at);
                last = byte;
                if byte == b'"' { end_of_string(&bytes, at) } else { at + 1 }
            }
        };
    }
    // Only whole characters were replaced.
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Blanks a comment, line ends excepted, and returns its end.
fn blank(bytes: &mut [u8], start: usize, is_end: impl Fn(&[u8]) -> bool, length: usize) -> usize {
    // A comment begins with two characters that are not its end.
    let end = (start + 2..bytes.len()).find(|at| is_end(&bytes[*at..])).map_or(bytes.len(), |at| at + length);
    bytes[start..end].iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_trailing_commas_are_no_part_of_the_value() {
        let text = "\u{feff}// ü\n{\"a\": [1, 2, /* , ] \" */ ],\n \"b//\": \"/* , } \\\" // *\", // end\n}";
        let value = Json::parse(r#"{"a": [1, 2], "b//": "/* , } \" // *"}"#).unwrap();
        assert_eq!(parse(text).unwrap(), value);
        assert_eq!(without_comments("[1, 2] /**/ // x").len(), "[1, 2] /**/ // x".len());
    }

    #[test]
    fn a_mistake_is_named_by_its_place_in_the_file() {
        for (text, place) in [
            ("{\n  // ü\n  \"a\": x}", "line 3, column 8"),
            ("[1,, 2]", "line 1, column 4"),
            ("[,]", "line 1"),
            ("{\"a\": 1 /* never closed", "line 1"),
            ("{\"a", "line 1"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(place), "{text}: {error}");
        }
    }
}
