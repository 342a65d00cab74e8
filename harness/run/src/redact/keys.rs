//! Recognizes the key of a secret: `password`, `API_KEY`, `accessToken`.

/// A key that contains one of these words is the key of a secret. Compared in lower case, letters and digits only.
const SECRET_KEYS: [&str; 13] = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "apikey",
    "authorization",
    "cookie",
    "credential",
    "privatekey",
    "accesskey",
    "sessionkey",
    "bearer",
    "signature",
];

/// A key that ends with one of these is the key of a secret.
const ENDS: [&str; 3] = ["pwd", "jwt", "sessionid"];

/// These words are too short to search for within others. They count only as the last word of a key.
const LAST_WORDS: [&str; 4] = ["pass", "auth", "sig", "otp"];

/// Tokens that are positions in a list, not credentials.
const CURSORS: [&str; 5] = ["pagetoken", "nexttoken", "continuationtoken", "progresstoken", "synctoken"];

/// Returns true if a value under this key, or in a variable of this name, is a secret.
pub fn is_secret_key(key: &str) -> bool {
    let last = last_word(key);
    let key: String = key.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    let token = key.ends_with("token") || key.ends_with("tokens");
    LAST_WORDS.contains(&last.as_str())
        || ENDS.iter().any(|end| key.ends_with(end))
        || SECRET_KEYS.iter().any(|word| key.contains(word))
        || (token && !CURSORS.iter().any(|place| key.ends_with(place)))
}

/// Returns true if a number under this key is a secret. A number under `max_tokens` is a count.
pub fn is_secret_number_key(key: &str) -> bool {
    is_secret_key(key) && !key.to_lowercase().ends_with("tokens")
}

/// The last word of a key, in lower case: `pass` of `db_pass` and of `dbPass`.
fn last_word(key: &str) -> String {
    let end = key.trim_end_matches(|c: char| !c.is_alphanumeric());
    let mut last: Vec<char> = Vec::new();
    for c in end.chars().rev() {
        let shouted = last.last().is_none_or(|after| after.is_uppercase());
        if !c.is_alphanumeric() || (c.is_lowercase() && last.last().is_some_and(|after| after.is_uppercase())) {
            break;
        }
        if c.is_uppercase() && !shouted {
            last.push(c);
            break;
        }
        last.push(c);
    }
    last.into_iter().rev().flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_secrets_are_recognized_in_every_spelling() {
        for key in [
            "password",
            "API_KEY",
            "x-api-key",
            "apiKey",
            "accessToken",
            "Authorization",
            "Set-Cookie",
            "token",
            "client_secret",
            "privateKey",
            "pwd",
            "DB_PASS",
            "userPass",
            "auth",
            "jwt",
            "session_id",
            "sessionId",
            "sig",
            "otp",
        ] {
            assert!(is_secret_key(key), "{key}");
        }
        for key in [
            "name",
            "nextPageToken",
            "max_tokens_count",
            "tokenizer",
            "progressToken",
            "key",
            "author",
            "path",
            "compass",
            "otpional",
        ] {
            assert!(!is_secret_key(key), "{key}");
        }
    }
}
