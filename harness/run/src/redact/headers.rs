//! Collects the secrets in the headers of a request.

use crate::redact::keys::is_secret_key;
use crate::redact::text::{looks_like_secret, looks_made_up};

/// Headers that describe the exchange and carry no credential.
const OPEN_HEADERS: [&str; 5] = ["accept", "accept-language", "content-type", "user-agent", "mcp-protocol-version"];

/// The authentication schemes that stand before a credential.
const SCHEMES: [&str; 3] = ["bearer", "basic", "token"];

/// Returns true if a word is the authentication scheme that stands before a credential, such as `Bearer`.
pub(crate) fn is_scheme(word: &str) -> bool {
    among(&SCHEMES, word)
}

/// The values of all headers that may carry a credential: those with the name of one, those with a scheme, and those that
/// do not look like a plain word. A value such as `Bearer abc` also gives `abc`.
#[must_use]
pub fn secrets_of_headers(headers: &[(String, String)]) -> Vec<String> {
    let bare = |value: &str| {
        let (scheme, bare) = value.split_once(' ')?;
        is_scheme(scheme).then(|| bare.trim().to_owned())
    };
    let is_secret = |(name, value): &&(String, String)| {
        let is_named_so = is_secret_key(name) || name.to_ascii_lowercase().ends_with("key");
        let looks_so = || looks_like_secret(value) || looks_made_up(value);
        !among(&OPEN_HEADERS, name) && (is_named_so || bare(value).is_some() || looks_so())
    };
    let values = headers.iter().filter(is_secret).flat_map(|(_, value)| [Some(value.clone()), bare(value)]);
    values.flatten().collect()
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
            [("Authorization", "Bearer abc"), ("X-Upstream", "Basic d"), ("X-Key", "x y"), ("Accept", "text/plain1")];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(secrets_of_headers(&headers), ["Bearer abc", "abc", "Basic d", "d", "x y"]);
    }

    #[test]
    fn a_plain_word_in_a_header_of_no_known_meaning_is_no_secret() {
        let headers = [("X-Flag", "true"), ("X-Org", "text"), ("X-Stage", "production")];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(secrets_of_headers(&headers), [""; 0]);
    }
}
