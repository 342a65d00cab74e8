//! White space between tokens, and nothing else, taken out.

use super::JsonError;
use super::tokens::each_token;

/// The same tokens without the white space between them. Every token stays as it is written: the lexemes of
/// numbers, the escapes in strings, the order and number of members.
///
/// # Errors
/// As for [`Json::parse`](super::Json::parse), if the text is not JSON.
pub fn minify(text: &str) -> Result<String, JsonError> {
    let tokens = each_token(text)?;
    let mut minified = String::with_capacity(text.len());
    minified.extend(tokens);
    Ok(minified)
}
