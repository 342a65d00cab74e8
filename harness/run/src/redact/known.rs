//! Removes secrets that are known beforehand from everything that a server sends.
//!
//! A server may repeat a credential in an error, in a description or in its log. The secrets are taken out of the
//! transcript before any other code reads it, so reports and locks need not think of them. A number in JSON is left: a value
//! of another type would be another value.

use std::fmt;

use base64::Engine as _;
use base64::engine::GeneralPurpose;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use mcp_compat_json::{Json, lexemes};
use mcp_compat_model::observation::{End, Observation};
use mcp_compat_model::transcript::{Event, Raw, Transcript};

use crate::redact::keys::is_secret_key;
use crate::redact::text::{MASK, looks_like_secret, looks_made_up};

/// Shorter values are not treated as secrets: they occur in ordinary words.
const SHORTEST: usize = 4;

/// Shorter values are not looked for in an encoding: it would occur in other encoded text.
const SHORTEST_ENCODED: usize = 8;

/// Values that are no secrets although they stand under the key of one, as in `DISABLE_AUTH=true`, and words of the
/// protocol and of JSON Schema, without which no message could be read.
const WORDS: [&str; 31] = [
    "arguments",
    "array",
    "audio",
    "boolean",
    "code",
    "content",
    "data",
    "enum",
    "error",
    "false",
    "image",
    "integer",
    "items",
    "jsonrpc",
    "message",
    "method",
    "name",
    "none",
    "null",
    "number",
    "object",
    "params",
    "properties",
    "required",
    "resource",
    "result",
    "string",
    "text",
    "tools",
    "true",
    "type",
];

/// The secrets that a server was given.
#[derive(Default)]
pub struct KnownSecrets(Vec<String>);

/// Prints no secret.
impl fmt::Debug for KnownSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KnownSecrets").finish_non_exhaustive()
    }
}

impl KnownSecrets {
    /// The secrets in the headers of requests.
    pub fn of_headers(headers: &[(String, String)]) -> Self {
        Self::new(secrets_of_headers(headers))
    }

    /// The secrets among variables of an environment, names with values.
    pub fn of_environment<'v>(variables: impl Iterator<Item = (&'v str, &'v str)>) -> Self {
        let secret = variables.filter(|(name, value)| is_secret_key(name) || looks_like_secret(value));
        Self::new(secret.map(|(_, value)| value.to_owned()).collect())
    }

    /// Values that are all secret, whatever they look like.
    pub fn of_values<'v>(values: impl Iterator<Item = &'v str>) -> Self {
        Self::new(values.map(ToOwned::to_owned).collect())
    }

    fn new(mut secrets: Vec<String>) -> Self {
        secrets.retain(|secret| secret.len() >= SHORTEST && !WORDS.contains(&secret.as_str()));
        // JSON spells some of them differently.
        let spelt: Vec<String> = secrets.iter().map(|secret| Json::from(secret.as_str()).to_compact()).collect();
        let encoded: Vec<String> = secrets
            .iter()
            .filter(|secret| secret.len() >= SHORTEST_ENCODED)
            .flat_map(|secret| encodings(secret))
            .collect();
        secrets.extend(spelt.iter().map(|spelt| spelt[1..spelt.len() - 1].to_owned()).chain(encoded));
        // The longest first: a secret that is part of another leaves no rest of it.
        secrets.sort_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
        secrets.dedup();
        Self(secrets)
    }

    /// The text without the secrets.
    pub fn redact_text(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, secret| text.replace(secret, MASK))
    }

    /// A message without the secrets. Of JSON, only strings and names are searched: a number, or a `true`, is what it was.
    fn redact_message(&self, text: &str) -> String {
        if Json::parse(text).is_err() {
            return self.redact_text(text);
        }
        let pieces = lexemes(text.as_bytes()).map(String::from_utf8_lossy);
        pieces.map(|piece| if piece.starts_with('"') { self.redact_string(&piece).into() } else { piece }).collect()
    }

    /// A string as JSON spells it, without the secrets.
    fn redact_string(&self, spelt: &str) -> String {
        // What has half of a surrogate pair is searched as it is spelt.
        let Ok(string) = serde_json::from_str::<String>(spelt) else { return self.redact_text(spelt) };
        // The text of a value stays that value.
        let holds_json = string.starts_with(['{', '[']) && Json::parse(&string).is_ok();
        let redacted = if holds_json { self.redact_message(&string) } else { self.redact_text(&string) };
        if redacted == string { spelt.to_owned() } else { Json::from(redacted.as_str()).to_compact() }
    }

    /// Removes the secrets from all messages of a transcript.
    pub fn redact_transcript(&self, transcript: &mut Transcript) {
        if self.0.is_empty() {
            return;
        }
        for entry in &mut transcript.entries {
            if let Event::Message { raw: Raw::Text(text), .. } = &mut entry.event {
                *text = self.redact_message(text);
            }
        }
    }

    /// Observation of a client, without the secrets.
    pub fn redact_observation(&self, observation: Observation) -> Observation {
        if self.0.is_empty() {
            return observation;
        }
        let text = serde_json::to_string(&observation).map(|text| self.redact_message(&text));
        // It stays an observation unless a secret is one of the words that an observation is written with.
        text.and_then(|text| serde_json::from_str(&text)).unwrap_or_else(|_| Observation {
            negotiated: observation.negotiated,
            steps: Vec::new(),
            end: End::HarnessFailed { why: "what the server did could not be told without a secret".to_owned() },
        })
    }
}

/// A secret as others may repeat it: in hexadecimal digits, percent-encoded, and in base64, with whatever stands before it.
fn encodings(secret: &str) -> Vec<String> {
    let digits = |format: fn(&u8) -> String| secret.as_bytes().iter().map(format).collect::<String>();
    let percent = |byte: &u8| match byte {
        b'-' | b'.' | b'_' | b'~' => char::from(*byte).to_string(),
        byte if byte.is_ascii_alphanumeric() => char::from(*byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    let base64 = (0..3)
        .flat_map(|before| [&STANDARD_NO_PAD, &URL_SAFE_NO_PAD].map(|engine| within_base64(engine, before, secret)));
    let others = [digits(|byte| format!("{byte:02x}")), digits(|byte| format!("{byte:02X}")), digits(percent)];
    base64.chain(others).collect()
}

/// The digits of base64 that depend on a secret alone, if the number of bytes before it has this remainder by three.
fn within_base64(engine: &GeneralPurpose, before: usize, secret: &str) -> String {
    let bytes = [&vec![0; before], secret.as_bytes()].concat();
    let (first, end) = ((before * 8).div_ceil(6), bytes.len() * 8 / 6);
    engine.encode(&bytes)[first..end].to_owned()
}

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
    use mcp_compat_model::observation::{Layer, PeerError};

    use super::*;

    #[test]
    fn credentials_are_removed_and_other_words_stay() {
        let headers = [("Authorization", "Bearer abcd-efgh"), ("X-Key", "s3cr3t\"value"), ("Accept", "text/plain")];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
        let secrets = KnownSecrets::of_headers(&headers);
        let said = r#"{"a":"abcd-efgh","b":"Bearer abcd-efgh","c":"s3cr3t\"value","d":"text/plain"}"#;
        assert_eq!(secrets.redact_text(said), r#"{"a":"***","b":"***","c":"***","d":"text/plain"}"#);
    }

    fn of_token(token: &str) -> KnownSecrets {
        KnownSecrets::of_headers(&[("X-Token".to_owned(), token.to_owned())])
    }

    #[test]
    fn a_message_stays_json_with_its_numbers_and_words() {
        for (secret, message, expected) in [
            ("true", r#"{"a":true,"b":"true"}"#, r#"{"a":true,"b":"true"}"#),
            ("1234", r#"{"a":1234,"1234":"12345"}"#, r#"{"a":1234,"***":"***5"}"#),
            ("text", r#"{"type":"text"}"#, r#"{"type":"text"}"#),
            (
                "abc\"",
                r#"{"a":"abc\"","b":"abc","c":"{\"d\":\"abc\\\"\"}"}"#,
                r#"{"a":"***","b":"abc","c":"{\"d\":\"***\"}"}"#,
            ),
            ("abcd", r#"{ "a" : "\u0061bcd" , "b" : "\u00e9" }"#, r#"{ "a" : "***" , "b" : "\u00e9" }"#),
            ("abcd", r#"{"a":"\ud800abcd"}"#, r#"{"a":"\ud800***"}"#),
            ("abcd", "no JSON: abcd", "no JSON: ***"),
            (
                "1234",
                r#"{"n":1234,"text":"{\"n\":1234,\"s\":\"1234\"}"}"#,
                r#"{"n":1234,"text":"{\"n\":1234,\"s\":\"***\"}"}"#,
            ),
        ] {
            assert_eq!(of_token(secret).redact_message(message), expected, "{secret}");
        }
    }

    #[test]
    fn what_cannot_be_told_without_a_secret_is_not_told() {
        let failed = Observation {
            negotiated: None,
            steps: Vec::new(),
            end: End::NoSession(PeerError { layer: Layer::Connect, code: None, message: "no to s3cr3t".to_owned() }),
        };
        let told = |secret: &str| serde_json::to_string(&of_token(secret).redact_observation(failed.clone())).unwrap();
        assert!(told("s3cr3t").contains("no to ***"), "{}", told("s3cr3t"));
        assert!(!told("no-session").contains("no to"), "{}", told("no-session"));
    }

    #[test]
    fn a_variable_is_a_secret_by_its_name_or_by_its_looks() {
        let variables = [("API_KEY", "hunter2hunter2"), ("LOG_LEVEL", "debug")];
        let secrets = KnownSecrets::of_environment(variables.into_iter());
        assert_eq!(secrets.redact_text("hunter2hunter2 at debug"), "*** at debug");
    }

    #[test]
    fn a_secret_that_is_repeated_in_an_encoding_is_removed() {
        let secrets = of_token("ab/cd?ef>gh~ij");
        for text in [
            "YWIvY2Q/ZWY+Z2h+aWo=",
            "eDphYi9jZD9lZj5naH5pag==",
            "eHg6YWIvY2Q/ZWY+Z2h+aWp5",
            "eHg6YWIvY2Q_ZWY-Z2h-aWp5",
            "ab%2Fcd%3Fef%3Egh~ij",
            "61622f63643f65663e67687e696a",
            "61622F63643F65663E67687E696A",
            "\\u0061b/cd?ef>gh~ij",
        ] {
            let redacted = secrets.redact_message(&format!(r#"{{"a":"{text}"}}"#));
            let left = redacted.len() - r#"{"a":"***"}"#.len();
            assert!(redacted.contains(MASK) && left <= 7, "{text}: {redacted}");
        }
        assert_eq!(of_token("abcd").redact_text("YWJjZA=="), "YWJjZA==", "short ones occur in other text");
    }

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
