//! Secrets taken out of what was seen, before anybody writes it into a file that others will read.
//!
//! A string is a secret by the key that it stands under (`password`, `apiKey`), or by its looks (`ghp_…`, `Bearer …`).
//! The first pass collects, the second exchanges each for `***`: there, and wherever else it stands. Definitions keep
//! what stands under their keys, for those name parameters and not values. Numbers stay.

use std::collections::BTreeSet;

use mcp_compat_model::Json;
use mcp_compat_model::json::{JsonString, Place, map_strings};
use mcp_compat_scenario::write::Answer;

use super::credential;
use super::sightings::{Moment, SeenCall, Sightings};

/// What stands in the place of a secret.
pub const MASK: &str = "***";

/// How deep JSON within strings is looked into.
const DEPTH: usize = 3;

/// From this length on a secret is taken out of the midst of words too.
const LONG: usize = 8;

/// A shorter string proves nothing by standing somewhere else as well.
const SHORT: usize = 4;

/// A string that was changed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Masked {
    /// Where it stood, in words.
    pub place: String,
}

/// Exchanges every secret, and says where there were some.
pub fn mask(sightings: &mut Sightings) -> Vec<Masked> {
    let mut secrets = BTreeSet::new();
    texts(sightings, &mut |_, text, kind| {
        collect(text, kind, &mut secrets, DEPTH);
        None
    });
    let mut masked = Vec::new();
    texts(sightings, &mut |whose, text, kind| {
        let mut places = Vec::new();
        let text = exchange(text, kind, &secrets, &mut places, DEPTH)?;
        masked.extend(places.into_iter().map(|place| Masked { place: format!("{whose}{place}") }));
        Some(text)
    });
    masked.sort();
    masked.dedup();
    masked
}

/// What a text is, and so what its keys mean.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A tool's definition: its keys name parameters.
    Definition,
    /// Arguments, a result or an error.
    Value,
}

/// Offers every text of what was seen, and takes what is to stand in its place.
fn texts(sightings: &mut Sightings, change: &mut dyn FnMut(&str, &str, Kind) -> Option<String>) {
    let mut apply = |whose: &str, text: &mut String, kind: Kind| {
        if let Some(other) = change(whose, text, kind) {
            *text = other;
        }
    };
    for tool in sightings.stages.iter_mut().flat_map(|stage| &mut stage.tools) {
        apply(&format!("the definition of `{}`", tool.name), &mut tool.definition, Kind::Definition);
    }
    for moment in &mut sightings.moments {
        let Moment::Called(SeenCall { tool, arguments, answer, .. }) = moment else { continue };
        if let Some(arguments) = arguments {
            apply(&format!("the arguments of `{tool}`"), arguments, Kind::Value);
        }
        match answer {
            Answer::Returns(text) => apply(&format!("the result of `{tool}`"), text, Kind::Value),
            Answer::Error(text) => apply(&format!("the error of `{tool}`"), text, Kind::Value),
            Answer::Raw(bytes) => {
                let mut text = String::from_utf8_lossy(bytes).into_owned();
                let before = text.clone();
                apply(&format!("the answer of `{tool}`"), &mut text, Kind::Value);
                if text != before {
                    *bytes = text.into_bytes();
                }
            }
            Answer::Hang | Answer::Exit => {}
        }
    }
    if let Some(list) = &mut sightings.list {
        apply("the list of tools", list, Kind::Value);
    }
}

fn collect(text: &str, kind: Kind, secrets: &mut BTreeSet<String>, depth: usize) {
    let walked = map_strings(text, |place, string| {
        if let Some(string) = string.as_str() {
            if is_below_secret_key(place, kind) {
                secrets.insert(string.to_owned());
            }
            collect_within(string, kind, secrets, depth);
        }
        None
    });
    if walked.is_err() {
        collect_within(text, kind, secrets, 0);
    }
}

/// Secrets within a string, which may be JSON itself.
fn collect_within(string: &str, kind: Kind, secrets: &mut BTreeSet<String>, depth: usize) {
    match depth.checked_sub(1) {
        Some(depth) if is_json(string) => collect(string, kind, secrets, depth),
        Some(_) | None => secrets.extend(credential::find(string).into_iter().map(|range| string[range].to_owned())),
    }
}

fn exchange(
    text: &str,
    kind: Kind,
    secrets: &BTreeSet<String>,
    places: &mut Vec<String>,
    depth: usize,
) -> Option<String> {
    let before = places.len();
    let exchanged = map_strings(text, |place, string| {
        let other = match string.as_str() {
            Some(string) if is_below_secret_key(place, kind) => (!string.is_empty()).then(|| MASK.to_owned()),
            Some(string) => within(string, kind, secrets, depth),
            None => None,
        };
        let other = other.filter(|other| *string != other.as_str())?;
        let pointer = place.pointer();
        places.push(if pointer.is_empty() { String::new() } else { format!(" at {pointer}") });
        Some(JsonString::from(other))
    });
    match exchanged {
        Ok(text) => (places.len() > before).then_some(text),
        Err(_) => {
            let other = without_secrets(text, kind, secrets)?;
            places.push(String::new());
            Some(other)
        }
    }
}

fn within(string: &str, kind: Kind, secrets: &BTreeSet<String>, depth: usize) -> Option<String> {
    match depth.checked_sub(1) {
        // Places within are all the one place where the string stands.
        Some(depth) if is_json(string) => exchange(string, kind, secrets, &mut Vec::new(), depth),
        Some(_) | None => without_secrets(string, kind, secrets),
    }
}

/// The string with every known secret exchanged, the longest first.
fn without_secrets(string: &str, kind: Kind, secrets: &BTreeSet<String>) -> Option<String> {
    let mut masked = string.to_owned();
    let mut by_length: Vec<&String> = secrets.iter().filter(|secret| secret.len() >= SHORT).collect();
    by_length.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    for secret in by_length {
        // A definition may well name the parameter by the word that somebody used as its value.
        let is_word = secret.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-'));
        if !masked.contains(secret.as_str()) || (kind == Kind::Definition && is_word) {
            continue;
        }
        masked =
            if secret.len() >= LONG { masked.replace(secret.as_str(), MASK) } else { replace_words(&masked, secret) };
    }
    (masked != string).then_some(masked)
}

/// The text with a word exchanged where it stands alone.
fn replace_words(text: &str, word: &str) -> String {
    let mut replaced = String::with_capacity(text.len());
    let mut copied = 0;
    for (at, _) in text.match_indices(word) {
        let alone =
            !text[..at].ends_with(char::is_alphanumeric) && !text[at + word.len()..].starts_with(char::is_alphanumeric);
        if alone {
            replaced.push_str(&text[copied..at]);
            replaced.push_str(MASK);
            copied = at + word.len();
        }
    }
    replaced.push_str(&text[copied..]);
    replaced
}

fn is_below_secret_key(place: &Place<'_>, kind: Kind) -> bool {
    kind == Kind::Value && place.keys().filter_map(JsonString::as_str).any(credential::is_secret_key)
}

fn is_json(string: &str) -> bool {
    string.starts_with(['{', '[']) && Json::parse(string).is_ok()
}
