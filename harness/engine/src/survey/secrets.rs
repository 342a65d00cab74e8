//! What a server was given in confidence, taken out of everything that it says.
//!
//! A server may well repeat a credential: in an error, a description, its log. Here it is masked before anything else sees
//! it, so that no report, lock or error has to think of it.

use std::fmt;

use mcp_compat_model::Json;
use mcp_compat_model::observation::Observation;
use mcp_compat_model::transcript::{Event, Raw, Transcript};

use super::Target;
use crate::author::credential::{is_secret_key, looks_like_one};
use crate::author::masking::{MASK, secrets_of_headers};

/// Shorter than this nothing is taken for a secret: it would stand in ordinary words.
const SHORTEST: usize = 4;

/// What a server was given in confidence.
#[derive(Default)]
pub(super) struct Secrets(Vec<String>);

/// Without what they are.
impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secrets").finish_non_exhaustive()
    }
}

impl Secrets {
    pub(super) fn of(target: &Target) -> Self {
        let mut secrets: Vec<String> = match target {
            Target::Url { headers, .. } => secrets_of_headers(headers),
            Target::Command(launch) => {
                let text = launch.env.iter().filter_map(|(name, value)| Some((name, value.to_str()?)));
                let secret = text.filter(|(name, value)| is_secret_key(name) || looks_like_one(value));
                secret.map(|(_, value)| value.to_owned()).collect()
            }
            Target::Connect(_) => Vec::new(),
        };
        secrets.retain(|secret| secret.len() >= SHORTEST);
        // As JSON spells it, where that is otherwise.
        let spelt: Vec<String> = secrets.iter().map(|secret| Json::from(secret.as_str()).to_compact()).collect();
        secrets.extend(spelt.iter().map(|spelt| spelt.trim_matches('"').to_owned()));
        // The longest first, so that what is part of another leaves nothing of it.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        secrets.dedup();
        Self(secrets)
    }

    /// A text without them.
    pub(super) fn masked(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, secret| text.replace(secret, MASK))
    }

    /// A transcript without them.
    pub(super) fn mask(&self, transcript: &mut Transcript) {
        if self.0.is_empty() {
            return;
        }
        for entry in &mut transcript.entries {
            if let Event::Message { raw: Raw::Text(text), .. } = &mut entry.event {
                *text = self.masked(text);
            }
        }
    }

    /// What our client saw, without them.
    pub(super) fn mask_seen(&self, seen: Observation) -> Observation {
        if self.0.is_empty() {
            return seen;
        }
        let text = serde_json::to_string(&seen).map(|text| self.masked(&text));
        // Masks stand within strings, so that it stays what it was.
        text.and_then(|text| serde_json::from_str(&text)).unwrap_or(seen)
    }
}

#[cfg(test)]
mod tests {
    use mcp_compat_drive::Launch;

    use super::*;

    #[test]
    fn credentials_are_taken_out_and_other_words_stay() {
        let headers = [("Authorization", "Bearer abcd-efgh"), ("X-Key", "s3cr3t\"value"), ("Accept", "text/plain")];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
        let secrets = Secrets::of(&Target::Url { url: String::new(), headers });
        let said = r#"{"a":"abcd-efgh","b":"Bearer abcd-efgh","c":"s3cr3t\"value","d":"text/plain"}"#;
        assert_eq!(secrets.masked(said), r#"{"a":"***","b":"***","c":"***","d":"text/plain"}"#);
    }

    #[test]
    fn a_variable_is_a_secret_by_its_name_or_by_its_looks() {
        let launch = Launch::new("x").env("API_KEY", "hunter2hunter2").env("LOG_LEVEL", "debug");
        let secrets = Secrets::of(&Target::Command(launch));
        assert_eq!(secrets.masked("hunter2hunter2 at debug"), "*** at debug");
    }
}
