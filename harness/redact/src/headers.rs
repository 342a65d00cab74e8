//! Collects the secrets in the headers of a request.

use crate::keys::is_secret_key;
use crate::text::{looks_like_secret, looks_made_up};

/// Headers that describe the exchange and carry no credential.
const OPEN_HEADERS: [&str; 5] = ["accept", "accept-language", "content-type", "user-agent", "mcp-protocol-version"];

/// The authentication schemes that stand before a credential.
const SCHEMES: [&str; 3] = ["bearer", "basic", "token"];

/// Whether a word is the authentication scheme that stands before a credential, such as `Bearer`.
pub(crate) fn is_scheme(word: &str) -> bool {
    among(&SCHEMES, word)
}

/// The values of all headers that may carry a credential: those with the name of one, and those that do not look like a
/// plain word. A value such as `Bearer abc` also gives `abc`.
#[must_use]
pub fn secrets_of_headers(headers: &[(String, String)]) -> Vec<String> {
    let is_secret = |(name, value): &&(String, String)| {
        let is_open = among(&OPEN_HEADERS, name);
        !is_open && (is_secret_key(name) || looks_like_secret(value) || looks_made_up(value))
    };
    let values = headers.iter().filter(is_secret).flat_map(|(_, value)| {
        let bare = value.split_once(' ').filter(|(scheme, _)| is_scheme(scheme)).map(|(_, bare)| bare.trim());
        [Some(value.as_str()), bare]
    });
    values.flatten().map(str::to_owned).collect()
}

fn among(words: &[&str], word: &str) -> bool {
    words.iter().any(|known| word.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_credential_is_a_secret_with_and_without_its_scheme() {
        let headers =
            [("Authorization", "Bearer abc"), ("Cookie", "x y"), ("X-Key", "1a2b"), ("Accept", "text/plain1")];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(secrets_of_headers(&headers), ["Bearer abc", "abc", "x y", "1a2b"]);
    }

    #[test]
    fn a_plain_word_in_a_header_of_no_known_meaning_is_no_secret() {
        let headers = [("X-Flag", "true"), ("X-Org", "text"), ("X-Stage", "production")];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(secrets_of_headers(&headers), [""; 0]);
    }
}
