//! Collects the secrets in the headers of a request.

/// Headers that describe the exchange and carry no credential.
const OPEN_HEADERS: [&str; 5] = ["accept", "accept-language", "content-type", "user-agent", "mcp-protocol-version"];

/// The authentication schemes that stand before a credential.
const SCHEMES: [&str; 3] = ["bearer", "basic", "token"];

/// The values of all headers that may carry a credential. A value such as `Bearer abc` also gives `abc`.
#[must_use]
pub fn secrets_of_headers(headers: &[(String, String)]) -> Vec<String> {
    let among = |words: &[&str], word: &str| words.iter().any(|known| word.eq_ignore_ascii_case(known));
    let secret = headers.iter().filter(|(name, _)| !among(&OPEN_HEADERS, name));
    let values = secret.flat_map(|(_, value)| {
        let bare = value.split_once(' ').filter(|(scheme, _)| among(&SCHEMES, scheme)).map(|(_, bare)| bare.trim());
        [Some(value.as_str()), bare]
    });
    values.flatten().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_credential_is_a_secret_with_and_without_its_scheme() {
        let headers = [("Authorization", "Bearer abc"), ("X-Key", "x y"), ("Accept", "text/plain")];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(secrets_of_headers(&headers), ["Bearer abc", "abc", "x y"]);
    }
}
