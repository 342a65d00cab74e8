//! White space between tokens, and nothing else, taken out.

use super::JsonError;
use super::reader::Reader;

/// The same tokens without the white space between them. Every token stays as it is written: the lexemes of
/// numbers, the escapes in strings, the order and number of members.
///
/// # Errors
/// As for [`Json::parse`](super::Json::parse), if the text is not JSON.
pub fn minify(text: &str) -> Result<String, JsonError> {
    let mut reader = Reader::new(text);
    while reader.next()?.is_some() {}

    // In a well-formed text a quote begins or ends a string unless a backslash stands before it.
    let mut minified = String::with_capacity(text.len());
    let (mut in_string, mut escaped) = (false, false);
    for character in text.chars() {
        let ends_here = character == '"' && !escaped;
        escaped = in_string && character == '\\' && !escaped;
        in_string ^= ends_here;
        if in_string || !matches!(character, ' ' | '\t' | '\n' | '\r') {
            minified.push(character);
        }
    }
    Ok(minified)
}
