//! What a credential looks like: by the key that it stands under, or by itself.

use std::ops::Range;

/// Words that a key of a secret holds, in lower case and without anything between letters.
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

/// Keys that are a secret's when they end so.
const ENDS: [&str; 3] = ["pwd", "jwt", "sessionid"];

/// Words too short to be looked for within others: a key's last word is one of them, or it is none.
const LAST_WORDS: [&str; 4] = ["pass", "auth", "sig", "otp"];

/// Keys that end like those of tokens and mean a place in a list, or a kind.
const PLACES: [&str; 5] = ["pagetoken", "nexttoken", "continuationtoken", "progresstoken", "synctoken"];

/// How the keys of well-known services begin.
const PREFIXES: [&str; 26] = [
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "sk-",
    "sk_live_",
    "sk_test_",
    "pk_live_",
    "rk_live_",
    "xoxb-",
    "xoxp-",
    "xoxa-",
    "xoxs-",
    "xoxr-",
    "xapp-",
    "npm_",
    "pypi-",
    "hf_",
    "ya29.",
    "dop_v1_",
    "shpat_",
    "SG.",
    "AIza",
];

/// The shortest key of any of these services.
const SHORTEST_KEY: usize = 16;

/// How long something is that is taken for a key by its looks alone; what is longer is data.
const BY_LOOKS: std::ops::RangeInclusive<usize> = 32..=200;

/// Whether a key says that its value is a secret.
pub(crate) fn is_secret_key(key: &str) -> bool {
    let last = last_word(key);
    let key: String = key.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    let token = key.ends_with("token") || key.ends_with("tokens");
    LAST_WORDS.contains(&last.as_str())
        || ENDS.iter().any(|end| key.ends_with(end))
        || SECRET_KEYS.iter().any(|word| key.contains(word))
        || (token && !PLACES.iter().any(|place| key.ends_with(place)))
}

/// Whether a key says that a number below it is a secret; `max_tokens` counts something.
pub(super) fn is_secret_key_of_numbers(key: &str) -> bool {
    is_secret_key(key) && !key.to_lowercase().ends_with("tokens")
}

/// Whether a whole string looks like a credential, whatever stands beside it.
pub(crate) fn looks_like_one(string: &str) -> bool {
    is_key(string) || !private_keys(string).is_empty()
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

/// The value that a text gives to a key which ends at `end`: `=value` up to what cannot belong to it, or `: "value"`.
fn assigned(text: &str, end: usize) -> Option<Range<usize>> {
    let rest = text[end..].trim_start_matches('\\').trim_start_matches(['"', '\'']).trim_start_matches(' ');
    let value = rest.strip_prefix('=').filter(|value| !value.starts_with(['=', '>']));
    let (equals, value) = value.map_or_else(|| (false, rest.strip_prefix(':')), |value| (true, Some(value)));
    let value = value?.trim_start_matches(' ').trim_start_matches('\\');
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
    let value = quote.map_or(value, |_| &value[1..]);
    let length = match quote {
        Some(quote) => value.find([quote, '\\', '\n']),
        None if equals => value.find(|c: char| c.is_whitespace() || "&\"'<>;,()[]{}#\\".contains(c)),
        None => return None,
    };
    let start = text.len() - value.len();
    let length = length.unwrap_or(value.len());
    (length > 0).then_some(start..start + length)
}

/// The headers that say how to talk, and nothing in confidence.
const OPEN_HEADERS: [&str; 5] = ["accept", "accept-language", "content-type", "user-agent", "mcp-protocol-version"];

/// The words before a credential.
const SCHEMES: [&str; 3] = ["bearer", "basic", "token"];

/// The values of headers, whole and without the scheme before a credential. What says how to talk is no secret.
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

/// A text with what looks like a credential in it exchanged for the mask.
pub(crate) fn without_secrets(text: &str) -> String {
    let mut rest = 0;
    let mut harmless = String::with_capacity(text.len());
    for found in find(text) {
        harmless.push_str(&text[rest..found.start]);
        harmless.push_str(super::masking::MASK);
        rest = found.end;
    }
    harmless.push_str(&text[rest..]);
    harmless
}

/// The credentials in a text, in order, none within another.
pub(super) fn find(text: &str) -> Vec<Range<usize>> {
    let mut found = private_keys(text);
    found.extend(user_information(text));
    let words = words(text);
    for (index, word) in words.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|index| words.get(index));
        let said = before.is_some_and(|before| announces(&text[before.clone()], &text[before.end..word.start]));
        let token = &text[word.clone()];
        if is_secret_key(token) {
            found.extend(assigned(text, word.end));
        }
        if is_key(token) || (said && looks_made_up(token)) {
            found.push(word.clone());
        }
    }
    found.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
    found.dedup_by(|next, kept| next.start < kept.end);
    found
}

/// Whether a word says that the next one is a secret: `Bearer`, or a key with `=` or `:` behind it.
fn announces(word: &str, between: &str) -> bool {
    let scheme = ["bearer", "basic"].iter().any(|scheme| word.eq_ignore_ascii_case(scheme)) && between == " ";
    let key = matches!(between, "=" | ":" | ": " | " = " | "=\"" | ": \"" | "\": \"" | "\":\"") && is_secret_key(word);
    scheme || key
}

/// Whether somebody could have typed a word as a word.
fn looks_made_up(word: &str) -> bool {
    word.len() >= 4 && word.bytes().any(|byte| byte.is_ascii_digit()) || word.len() >= 20
}

fn is_key(word: &str) -> bool {
    let has_digit = word.bytes().any(|byte| byte.is_ascii_digit());
    let known = PREFIXES.iter().any(|prefix| word.starts_with(prefix));
    let aws = word.len() == 20
        && (word.starts_with("AKIA") || word.starts_with("ASIA"))
        && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    let web_token = word.starts_with("eyJ") && word.matches('.').count() == 2 && word.len() >= 30;
    (known && has_digit && word.len() >= SHORTEST_KEY) || aws || web_token || is_random(word)
}

/// Whether a word has the length and the mixture of a generated key.
fn is_random(word: &str) -> bool {
    let count = |is: fn(&u8) -> bool| word.as_bytes().iter().filter(|byte| is(byte)).count();
    BY_LOOKS.contains(&word.len())
        && !word.contains('.')
        && count(u8::is_ascii_uppercase) >= 3
        && count(u8::is_ascii_lowercase) >= 3
        && count(u8::is_ascii_digit) >= 3
        && entropy(word) >= 3.5
}

/// Bits a character, by how often each occurs.
fn entropy(word: &str) -> f64 {
    let mut counts = [0_u32; 256];
    word.bytes().for_each(|byte| counts[usize::from(byte)] += 1);
    let length = f64::from(u32::try_from(word.len()).unwrap_or(u32::MAX));
    let shares = counts.iter().filter(|count| **count > 0).map(|count| f64::from(*count) / length);
    shares.map(|share| -share * share.log2()).sum()
}

/// The runs of characters that keys are made of. `=` belongs to a run only at its end, as padding.
fn words(text: &str) -> Vec<Range<usize>> {
    let mut words: Vec<Range<usize>> = Vec::new();
    for (at, byte) in text.bytes().enumerate() {
        if !(byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'+' | b'~')) {
            continue;
        }
        match words.last_mut() {
            Some(word) if word.end == at => word.end += 1,
            Some(_) | None => words.push(at..at + 1),
        }
    }
    for word in &mut words {
        // The end of a sentence belongs to no key.
        word.end = word.start + text[word.clone()].trim_end_matches('.').len();
    }
    words
}

/// Keys in PEM.
fn private_keys(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for (start, _) in text.match_indices("-----BEGIN ") {
        let rest = &text[start..];
        let is_private = rest.find("PRIVATE KEY-----").is_some_and(|at| at < 40);
        if is_private {
            let end = rest.find("-----END ").and_then(|end| Some(end + rest[end..].find("KEY-----")? + 8));
            found.push(start..end.map_or(text.len(), |end| start + end));
        }
    }
    found
}

/// The `user:password` of addresses.
fn user_information(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("://") {
        let start = at + 3;
        let authority = text[start..].split(['/', ' ', '"', '\n', '<', '>', '?', '#']).next().unwrap_or_default();
        if let Some((user, _)) = authority.rsplit_once('@').filter(|(user, _)| user.contains(':')) {
            found.push(start..start + user.len());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        find(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn keys_that_name_a_secret_are_known_however_they_are_spelt() {
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

    /// Letters and digits in an order that looks like none.
    fn mixed(length: usize) -> String {
        let all: Vec<char> = ('a'..='z').chain('A'..='Z').chain('0'..='9').collect();
        (0..length).map(|at| all[(at * 37 + 11) % all.len()]).collect()
    }

    #[test]
    fn credentials_are_found_within_any_text() {
        // Put together here, so that nothing that looks like a key stands in this file.
        let key = |prefix: &str| format!("{prefix}{}", mixed(36));
        for secret in [
            key("ghp_"),
            key("sk-"),
            key("xoxb-"),
            format!("AKIA{}", "Q1W2E3R4".repeat(2)),
            key(""),
            format!("eyJ{0}.eyJ{0}.{0}", "abc123".repeat(3)),
        ] {
            for around in ["{}", "key={}&b=c", "Use {}.", "https://a.example/{}/b", "(\"{}\")"] {
                let text = around.replace("{}", &secret);
                let found = found(&text);
                assert!(found.len() == 1 && found[0].trim_end_matches('.') == secret, "{text}: {found:?}");
            }
        }
    }

    #[test]
    fn what_is_announced_as_a_secret_is_one() {
        assert_eq!(found("Authorization: Bearer abc12345"), ["abc12345"]);
        assert_eq!(found("https://a.example/?token=x1y2z&page=2"), ["x1y2z"]);
        assert_eq!(found("https://a.example/?password=open&page=2"), ["open"]);
        assert_eq!(found("PWD=p@ss!word; x"), ["p@ss!word"]);
        assert_eq!(found("{\"id\":{{id}},\"pass\": \"open\"}"), ["open"]);
        assert_eq!(found("if token == null"), [""; 0]);
        assert_eq!(found("postgres://me:pass@db.example/x"), ["me:pass"]);
        assert_eq!(found("a -----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- b").len(), 1);
    }

    #[test]
    fn what_only_resembles_a_secret_is_left_alone() {
        for text in [
            "The bearer of this letter",
            "basic information",
            "a token: it expires",
            "sk-learn",
            "2025-11-25T12:00:00Z",
            "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
            "da39a3ee5e6b4b0d3255bfef95601890afd80709",
            "getTheUserAccountInformationByIdentifier",
            "https://example.org/a@b",
            "io.modelcontextprotocol/serverInfo",
        ] {
            assert_eq!(found(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn nothing_found_lies_within_another() {
        let text = format!("https://u:ghp_{0}@x.example/ {0}", mixed(36));
        let ranges = find(&text);
        assert_eq!(ranges.len(), 2);
        assert!(ranges.windows(2).all(|pair| pair[0].end <= pair[1].start), "{ranges:?}");
    }
}
