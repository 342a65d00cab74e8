//! Secrets taken out of what was seen, before anybody writes it into a file that others will read.
//!
//! A string is a secret by the key that it stands under (`password`, `apiKey`), by a rule of gitleaks (`ghp_…`), or behind
//! a scheme (`Bearer …`). The first pass collects, the second exchanges each for `***`: there, and wherever else it stands,
//! if it is too long to be there by chance. Definitions keep what stands under their keys, for those name parameters and
//! not values. Words of the protocol and values that a schema enumerates stay. Numbers become 0 under the key of a secret.
//!
//! A server must not look broken for its masks: where the masked text checks differently against its schema, each
//! character is exchanged for one of its class instead.

use std::collections::{BTreeMap, BTreeSet};

use mcp_compat_json::{Json, JsonString, Place, map_numbers, map_strings, tokens};
use mcp_compat_run::redact::{
    MASK, find_secrets, is_secret_key, is_secret_number_key, looks_like_secret, redact_text_with,
};
use mcp_compat_scenario::write::Answer;
use mcp_compat_schema::inclusion::{Conformance, check};

use crate::capture::captured::{Captured, CapturedCall, CapturedRequest};
use crate::capture::infer;

/// Limit of the depth of JSON within strings that is looked into.
const DEPTH: usize = 3;

/// From this length on a secret is taken out wherever else it stands, and out of the midst of words too.
const LONG: usize = 8;

/// Even a string known to be a secret proves nothing below this length by standing somewhere else as well.
const SHORT: usize = 4;

/// A string that was changed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Masked {
    pub place: String,
}

#[derive(Debug, Default)]
pub(super) struct Masking {
    pub(super) masked: Vec<Masked>,
    /// The tools with a result that no mask leaves as valid, or as invalid, as it was.
    pub(super) misfits: BTreeSet<String>,
}

/// Exchanges every secret, those that are `known` beforehand too, and says where there were some.
pub(super) fn mask(captured: &mut Captured, known: &[String]) -> Masking {
    let definitions = Definitions::of(captured);
    let known = known.iter().filter(|known| known.len() >= SHORT).cloned().collect();
    let mut secrets = Secrets { known, spread: BTreeSet::new() };
    texts(captured, &mut |text, of| {
        let walk = Walk { kind: of.kind, fixed: definitions.fixed(of.tool), style: Style::Stars };
        walk.collect(text, &mut secrets.spread, DEPTH);
        None
    });
    let mut masking = Masking::default();
    texts(captured, &mut |text, of| {
        let mut places = Vec::new();
        let mut exchanged = |style| {
            places.clear();
            let walk = Walk { kind: of.kind, fixed: definitions.fixed(of.tool), style };
            walk.exchange(text, &secrets, &mut places, DEPTH)
        };
        let fits = |other: &String| definitions.checks_alike(&of, text, other);
        let mut other = exchanged(Style::Stars)?;
        if !fits(&other) {
            other = exchanged(Style::Shape)?;
            if !fits(&other) {
                masking.misfits.extend(of.tool.map(str::to_owned));
            }
        }
        let whose = of.words();
        masking.masked.extend(places.into_iter().map(|place| Masked { place: format!("{whose}{place}") }));
        Some(other)
    });
    masking.masked.sort();
    masking.masked.dedup();
    masking
}

/// Kind of a text, which says what its keys mean.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A tool's definition: its keys name parameters.
    Definition,
    Arguments,
    Result,
    /// Any other value.
    Value,
}

/// Owner of a text.
struct Of<'t> {
    tool: Option<&'t str>,
    kind: Kind,
    what: &'static str,
    stage: usize,
}

impl Of<'_> {
    fn words(&self) -> String {
        self.tool.map_or_else(|| self.what.to_owned(), |tool| format!("{} of `{tool}`", self.what))
    }
}

/// Form of a mask.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Stars,
    /// As many characters, of the same classes.
    Shape,
}

impl Style {
    fn mask(self, secret: &str) -> String {
        let class = |c: char| match c {
            _ if c.is_uppercase() => 'X',
            _ if c.is_alphabetic() => 'x',
            _ if c.is_numeric() => '0',
            _ => c,
        };
        match self {
            Self::Stars => MASK.to_owned(),
            Self::Shape => secret.chars().map(class).collect(),
        }
    }

    fn number(self, lexeme: &str) -> String {
        match self {
            Self::Stars => "0".to_owned(),
            Self::Shape => lexeme.replace(|c: char| c.is_ascii_digit(), "1"),
        }
    }
}

/// The tools as they were before anything was masked.
struct Definitions {
    /// By stage and name.
    texts: BTreeMap<(usize, String), String>,
    /// The strings that each tool's schemas spell out.
    fixed: BTreeMap<String, BTreeSet<String>>,
}

static NONE: BTreeSet<String> = BTreeSet::new();

impl Definitions {
    fn of(captured: &Captured) -> Self {
        let mut definitions = Self { texts: BTreeMap::new(), fixed: BTreeMap::new() };
        for (stage, seen) in captured.stages.iter().enumerate() {
            for tool in &seen.tools {
                let fixed = definitions.fixed.entry(tool.name.clone()).or_default();
                // What is no JSON spells nothing out.
                let _ = map_strings(&tool.definition, |place, string| {
                    let key = place.keys().last().and_then(JsonString::as_str);
                    if matches!(key, Some("enum" | "const")) {
                        fixed.extend(string.as_str().map(str::to_owned));
                    }
                    None
                });
                definitions.texts.insert((stage, tool.name.clone()), tool.definition.clone());
            }
        }
        definitions
    }

    fn fixed(&self, tool: Option<&str>) -> &BTreeSet<String> {
        tool.and_then(|tool| self.fixed.get(tool)).unwrap_or(&NONE)
    }

    /// Returns true if a text is to its tool's schema what the other is.
    fn checks_alike(&self, of: &Of<'_>, text: &str, other: &str) -> bool {
        let Some(tool) = of.tool else { return true };
        let known = (0..=of.stage).rev().find_map(|stage| self.texts.get(&(stage, tool.to_owned())));
        let Some(definition) = known else { return true };
        match of.kind {
            Kind::Result => {
                let read = |text: &str| {
                    let reading = infer::read(definition, &Answer::Returns(text.to_owned()));
                    let means = reading.means.map(|means| std::mem::discriminant(&means.value));
                    (reading.since, means, reading.conforming.is_some(), reading.does)
                };
                read(text) == read(other)
            }
            Kind::Arguments => {
                let schema = Json::parse(definition).ok().and_then(|definition| definition.get("inputSchema").cloned());
                let Some(schema) = schema else { return true };
                let conforms =
                    |text| Json::parse(text).is_ok_and(|value| check(&schema, &value) == Conformance::Conforms);
                conforms(text) == conforms(other)
            }
            Kind::Definition | Kind::Value => true,
        }
    }
}

/// Offers every text of what was seen, and takes what is to stand in its place.
fn texts(captured: &mut Captured, change: &mut dyn FnMut(&str, Of<'_>) -> Option<String>) {
    let mut apply = |tool: Option<&str>, stage: usize, what: &'static str, text: &mut String, kind: Kind| {
        if let Some(other) = change(text, Of { tool, kind, what, stage }) {
            *text = other;
        }
    };
    for (stage, seen) in captured.stages.iter_mut().enumerate() {
        for tool in &mut seen.tools {
            apply(Some(&tool.name), stage, "the definition", &mut tool.definition, Kind::Definition);
        }
    }
    for request in &mut captured.requests {
        let CapturedRequest::Called(CapturedCall { tool, arguments, answer, stage, without: _ }) = request else {
            continue;
        };
        let (tool, stage) = (Some(tool.as_str()), *stage);
        if let Some(arguments) = arguments {
            apply(tool, stage, "the arguments", arguments, Kind::Arguments);
        }
        match answer {
            Answer::Returns(text) => apply(tool, stage, "the result", text, Kind::Result),
            Answer::Error(text) => apply(tool, stage, "the error", text, Kind::Value),
            Answer::Raw(bytes) => {
                let mut text = String::from_utf8_lossy(bytes).into_owned();
                let before = text.clone();
                apply(tool, stage, "the answer", &mut text, Kind::Value);
                if text != before {
                    *bytes = text.into_bytes();
                }
            }
            Answer::Hang | Answer::Exit => {}
        }
    }
    if let Some(list) = &mut captured.list {
        apply(None, 0, "the list of tools", list, Kind::Value);
    }
    for opening in &mut captured.openings {
        apply(None, 0, "the answer that opens the session", &mut opening.result, Kind::Value);
    }
}

/// Strings that are exchanged wherever they stand.
struct Secrets {
    known: BTreeSet<String>,
    /// Seen in one place, and too long to be in another by chance.
    spread: BTreeSet<String>,
}

/// The way through one text.
struct Walk<'d> {
    kind: Kind,
    /// Strings that the schemas spell out.
    fixed: &'d BTreeSet<String>,
    style: Style,
}

impl Walk<'_> {
    fn collect(&self, text: &str, spread: &mut BTreeSet<String>, depth: usize) {
        if self.kind != Kind::Definition {
            // With the key before it, a value can be a secret that it is not by itself.
            self.collect_within(text, spread, 0);
        }
        let walked = map_strings(text, |place, string| {
            if let Some(string) = string.as_str().filter(|string| !self.stays(place, string, depth)) {
                if self.is_below(place, is_secret_key) && spreads(string) {
                    spread.insert(string.to_owned());
                }
                self.collect_within(string, spread, depth);
            }
            None
        });
        if walked.is_err() {
            self.collect_within(text, spread, 0);
        }
    }

    /// Secrets within a string, which may be JSON itself.
    fn collect_within(&self, string: &str, spread: &mut BTreeSet<String>, depth: usize) {
        match depth.checked_sub(1) {
            Some(depth) if is_json(string) => self.collect(string, spread, depth),
            Some(_) | None => {
                let found = find_secrets(string).into_iter().map(|range| &string[range]);
                let found = found.filter(|secret| spreads(secret) && !self.fixed.contains(*secret));
                spread.extend(found.map(str::to_owned));
            }
        }
    }

    fn exchange(&self, text: &str, secrets: &Secrets, places: &mut Vec<String>, depth: usize) -> Option<String> {
        let before = places.len();
        let mut note = |place: &Place<'_>| {
            let pointer = place.pointer();
            places.push(if pointer.is_empty() { String::new() } else { format!(" at {pointer}") });
        };
        let strings = map_strings(text, |place, string| {
            let string = string.as_str().filter(|string| !self.stays(place, string, depth))?;
            let other = if self.is_below(place, is_secret_key) {
                (!string.is_empty()).then(|| self.style.mask(string))
            } else {
                self.within(string, secrets, depth)
            };
            let other = other.filter(|other| string != other)?;
            note(place);
            Some(JsonString::from(other))
        });
        let numbers = strings.and_then(|text| {
            map_numbers(&text, |place, lexeme| {
                let other = self.style.number(lexeme);
                let secret = self.is_below(place, is_secret_number_key) && lexeme != other;
                secret.then(|| note(place)).map(|()| other)
            })
        });
        match numbers {
            Ok(mut text) => {
                self.rename_members(&mut text, places);
                (places.len() > before).then_some(text)
            }
            Err(_) => {
                let other = self.without_secrets(text, secrets)?;
                places.push(String::new());
                Some(other)
            }
        }
    }

    /// Gives members whose names hold a secret other names, each one of its own. Definitions name parameters, and no secrets.
    fn rename_members(&self, text: &mut String, places: &mut Vec<String>) {
        if self.kind == Kind::Definition {
            return;
        }
        let tokens = tokens(text).unwrap_or_default();
        let names = tokens.windows(2).filter(|pair| pair[1] == ":").map(|pair| pair[0]);
        let secret: BTreeSet<String> = names.filter(|name| !find_secrets(name).is_empty()).map(str::to_owned).collect();
        for (number, quoted) in secret.iter().enumerate() {
            let name = Json::parse(quoted).ok().and_then(|name| name.as_str().map(|name| self.style.mask(name)));
            let number = if number == 0 { String::new() } else { (number + 1).to_string() };
            let other =
                Json::from(format!("{}{number}", name.unwrap_or_else(|| MASK.to_owned())).as_str()).to_compact();
            *text = text.replace(quoted.as_str(), &other);
            places.push(" in the name of a member".to_owned());
        }
    }

    fn within(&self, string: &str, secrets: &Secrets, depth: usize) -> Option<String> {
        match depth.checked_sub(1) {
            // Places within are all the one place where the string stands.
            Some(depth) if is_json(string) => self.exchange(string, secrets, &mut Vec::new(), depth),
            Some(_) | None => self.without_secrets(string, secrets),
        }
    }

    /// The string with every secret exchanged: those in it, and then those that are known, the longest first.
    fn without_secrets(&self, string: &str, secrets: &Secrets) -> Option<String> {
        let mut masked = redact_text_with(string, |secret| self.style.mask(secret));
        let known = secrets.known.iter().map(|secret| (secret, true));
        let mut by_length: Vec<_> = known.chain(secrets.spread.iter().map(|secret| (secret, false))).collect();
        by_length.sort_by_key(|(secret, _)| std::cmp::Reverse(secret.len()));
        for (secret, known) in by_length {
            // A definition may well name the parameter by the word that somebody used as its value.
            let is_word = secret.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-'));
            if !masked.contains(secret.as_str()) || (self.kind == Kind::Definition && is_word && !known) {
                continue;
            }
            let mask = self.style.mask(secret);
            masked = if secret.len() >= LONG {
                masked.replace(secret.as_str(), &mask)
            } else {
                replace_words(&masked, secret, &mask)
            };
        }
        (masked != string).then_some(masked)
    }

    /// Returns true if a string is the protocol's, or the schema's, and nobody's secret.
    fn stays(&self, place: &Place<'_>, string: &str, depth: usize) -> bool {
        self.fixed.contains(string) || (depth == DEPTH && self.is_protocol(place))
    }

    fn is_protocol(&self, place: &Place<'_>) -> bool {
        let mut keys: Vec<&str> = place.keys().filter_map(JsonString::as_str).collect();
        if self.kind == Kind::Definition {
            return matches!(keys[..], ["name"])
                || matches!(keys.last(), Some(&("type" | "required" | "pattern" | "format" | "$ref" | "$schema")));
        }
        if self.kind == Kind::Value && keys.first() == Some(&"result") {
            keys.remove(0);
        }
        self.kind != Kind::Arguments
            && matches!(
                keys[..],
                ["content", "type" | "mimeType" | "role"]
                    | ["content", "resource", "mimeType"]
                    | ["content", "annotations", "audience"]
                    | ["resultType" | "jsonrpc" | "method" | "role" | "mimeType"]
            )
    }

    fn is_below(&self, place: &Place<'_>, is_secret: fn(&str) -> bool) -> bool {
        self.kind != Kind::Definition && place.keys().filter_map(JsonString::as_str).any(is_secret)
    }
}

/// Returns true if a secret of one place is one in every other.
fn spreads(secret: &str) -> bool {
    secret.len() >= LONG || looks_like_secret(secret)
}

/// The text with a word exchanged where it stands alone.
fn replace_words(text: &str, word: &str, mask: &str) -> String {
    let mut replaced = String::with_capacity(text.len());
    let mut copied = 0;
    for (at, _) in text.match_indices(word) {
        let alone =
            !text[..at].ends_with(char::is_alphanumeric) && !text[at + word.len()..].starts_with(char::is_alphanumeric);
        if alone {
            replaced.push_str(&text[copied..at]);
            replaced.push_str(mask);
            copied = at + word.len();
        }
    }
    replaced.push_str(&text[copied..]);
    replaced
}

fn is_json(string: &str) -> bool {
    string.starts_with(['{', '[']) && Json::parse(string).is_ok()
}
