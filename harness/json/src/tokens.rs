//! JSON text cut into its tokens, each as it is spelt, and without the white space between them.

use super::JsonError;
use super::reader::Reader;

/// Returns the tokens of a JSON text in their order: strings, numbers, words, brackets, colons and commas.
///
/// # Errors
/// As for [`Json::parse`](super::Json::parse), if the text is not JSON.
pub fn tokens(text: &str) -> Result<Vec<&str>, JsonError> {
    each_token(text).map(Iterator::collect)
}

/// Iterates over the tokens of a JSON text.
pub(super) fn each_token(text: &str) -> Result<impl Iterator<Item = &str>, JsonError> {
    let mut reader = Reader::new(text);
    while reader.next()?.is_some() {}
    Ok(split(text))
}

/// Iterates over the tokens of a text that is known to be JSON.
pub(super) fn split(text: &str) -> impl Iterator<Item = &str> {
    let mut at = 0;
    let pieces = lexemes(text.as_bytes()).map(move |lexeme| {
        let start = at;
        at += lexeme.len();
        // Characters beyond ASCII occur only in strings, which are taken whole.
        text.get(start..at).unwrap_or_default()
    });
    pieces.filter(|piece| !matches!(*piece, " " | "\t" | "\n" | "\r"))
}

/// Splits bytes that need not be JSON: strings, numbers and words whole, everything else byte by byte, white space
/// included. Concatenated, the pieces are the bytes again. An unterminated string reaches to the end.
pub fn lexemes(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let length = match rest.first()? {
            b'"' => string_length(rest),
            first if is_of_scalar(*first) => rest.iter().take_while(|byte| is_of_scalar(**byte)).count(),
            _ => 1,
        };
        let (lexeme, behind) = rest.split_at(length);
        rest = behind;
        Some(lexeme)
    })
}

/// Returns whether a number or a word can hold this byte.
const fn is_of_scalar(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.')
}

/// Returns the length of the string that the bytes begin with, quotes included.
fn string_length(bytes: &[u8]) -> usize {
    let mut escaped = false;
    for (at, byte) in bytes.iter().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    bytes.len()
}

/// Removes the white space between tokens. Every token stays as it is written: the lexemes of numbers, the escapes in
/// strings, the order and number of members.
///
/// # Errors
/// As for [`Json::parse`](super::Json::parse), if the text is not JSON.
pub fn minify(text: &str) -> Result<String, JsonError> {
    let tokens = each_token(text)?;
    let mut minified = String::with_capacity(text.len());
    minified.extend(tokens);
    Ok(minified)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_as_they_are_spelt() {
        let text = "{ \"a\\\"é[\" : [ -1.50e+3 ,true\n,{} ] }";
        let expected = ["{", r#""a\"é[""#, ":", "[", "-1.50e+3", ",", "true", ",", "{", "}", "]", "}"];
        assert_eq!(tokens(text).unwrap(), expected);
        for broken in ["", "[1", "{,}", "1 2"] {
            assert!(tokens(broken).is_err(), "{broken:?}");
        }
    }

    #[test]
    fn pieces_of_any_bytes_make_the_bytes_again() {
        for bytes in [&b"[\"\xff\\\" "[..], b"\xef\xbb\xbf{}", b"1e400,tru\0e", b"\"\\", b""] {
            assert_eq!(lexemes(bytes).collect::<Vec<_>>().concat(), bytes);
        }
    }
}
