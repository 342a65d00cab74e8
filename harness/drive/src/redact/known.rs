//! Removes secrets that are known beforehand from everything that a server sends.
//!
//! A server may repeat a credential in an error, in a description or in its log. The secrets are taken out of the
//! transcript before any other code reads it, so reports and locks need not think of them.

use std::fmt;

use mcp_compat_json::Json;
use mcp_compat_model::observation::Observation;
use mcp_compat_model::transcript::{Event, Raw, Transcript};

use super::headers::secrets_of_headers;
use super::keys::is_secret_key;
use super::text::{MASK, looks_like_secret};
use crate::process::Launch;

/// Shorter values are not treated as secrets: they occur in ordinary words.
const SHORTEST: usize = 4;

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
    #[must_use]
    pub fn of_headers(headers: &[(String, String)]) -> Self {
        Self::new(secrets_of_headers(headers))
    }

    /// The secrets in the environment that a program gets beside ours.
    #[must_use]
    pub fn of_environment(launch: &Launch) -> Self {
        let variables = launch.env.iter().filter_map(|(name, value)| Some((name, value.to_str()?)));
        let secret = variables.filter(|(name, value)| is_secret_key(name) || looks_like_secret(value));
        Self::new(secret.map(|(_, value)| value.to_owned()).collect())
    }

    fn new(mut secrets: Vec<String>) -> Self {
        secrets.retain(|secret| secret.len() >= SHORTEST);
        // JSON spells some of them differently.
        let spelt: Vec<String> = secrets.iter().map(|secret| Json::from(secret.as_str()).to_compact()).collect();
        secrets.extend(spelt.iter().map(|spelt| spelt.trim_matches('"').to_owned()));
        // The longest first: a secret that is part of another leaves no rest of it.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        secrets.dedup();
        Self(secrets)
    }

    /// The text without the secrets.
    #[must_use]
    pub fn redact_text(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, secret| text.replace(secret, MASK))
    }

    /// Removes the secrets from all messages of a transcript.
    pub fn redact_transcript(&self, transcript: &mut Transcript) {
        if self.0.is_empty() {
            return;
        }
        for entry in &mut transcript.entries {
            if let Event::Message { raw: Raw::Text(text), .. } = &mut entry.event {
                *text = self.redact_text(text);
            }
        }
    }

    /// What a client saw, without the secrets.
    #[must_use]
    pub fn redact_observation(&self, observation: Observation) -> Observation {
        if self.0.is_empty() {
            return observation;
        }
        let text = serde_json::to_string(&observation).map(|text| self.redact_text(&text));
        // A mask stands within a string, so the JSON stays an observation.
        text.and_then(|text| serde_json::from_str(&text)).unwrap_or(observation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_removed_and_other_words_stay() {
        let headers = [("Authorization", "Bearer abcd-efgh"), ("X-Key", "s3cr3t\"value"), ("Accept", "text/plain")];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
        let secrets = KnownSecrets::of_headers(&headers);
        let said = r#"{"a":"abcd-efgh","b":"Bearer abcd-efgh","c":"s3cr3t\"value","d":"text/plain"}"#;
        assert_eq!(secrets.redact_text(said), r#"{"a":"***","b":"***","c":"***","d":"text/plain"}"#);
    }

    #[test]
    fn a_variable_is_a_secret_by_its_name_or_by_its_looks() {
        let launch = Launch::new("x").env("API_KEY", "hunter2hunter2").env("LOG_LEVEL", "debug");
        let secrets = KnownSecrets::of_environment(&launch);
        assert_eq!(secrets.redact_text("hunter2hunter2 at debug"), "*** at debug");
    }
}
