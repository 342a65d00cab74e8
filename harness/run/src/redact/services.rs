//! Finds the credentials of well-known services by their shapes.
//!
//! The shapes are data: the rules of gitleaks, which its authors keep (`services.json` says which version). A rule is tried
//! only on a text that has one of its keywords, so most texts cost one pass.

use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use regex::bytes::{Captures, Regex, RegexBuilder, RegexSet, RegexSetBuilder};
use serde::Deserialize;

/// All rules, with their keywords.
static SERVICES: LazyLock<Services> = LazyLock::new(Services::read);

#[derive(Deserialize)]
struct File {
    rules: Vec<Rule>,
}

/// The shape of one kind of credential.
#[derive(Deserialize)]
struct Rule {
    /// Lower case. A text without any of them has no such credential.
    keywords: Vec<String>,
    pattern: String,
    /// The bits per character that a credential has at least.
    #[serde(default)]
    entropy: f64,
    /// The group of the pattern that is the credential. Otherwise it is the first one that matches, or all of it.
    group: Option<usize>,
    #[serde(skip)]
    regex: OnceLock<Option<Regex>>,
}

struct Services {
    rules: Vec<Rule>,
    keywords: RegexSet,
    /// Place of the rule of each keyword.
    owners: Vec<usize>,
}

impl Services {
    /// The rules are part of the program, and a test reads all of them. If they cannot be read, there are none.
    fn read() -> Self {
        let file = serde_json::from_str::<File>(include_str!("services.json"));
        let rules = file.map(|file| file.rules).unwrap_or_default();
        let all = || rules.iter().enumerate().flat_map(|(at, rule)| rule.keywords.iter().map(move |word| (at, word)));
        let keywords = RegexSetBuilder::new(all().map(|(_, word)| regex::escape(word)))
            .case_insensitive(true)
            .unicode(false)
            .build();
        let owners = all().map(|(at, _)| at).collect();
        Self { rules, keywords: keywords.unwrap_or_else(|_| RegexSet::empty()), owners }
    }
}

impl Rule {
    fn regex(&self) -> Option<&Regex> {
        // Where the patterns come from, `\w` is ASCII.
        self.regex.get_or_init(|| RegexBuilder::new(&self.pattern).unicode(false).build().ok()).as_ref()
    }

    fn credential(&self, captures: &Captures<'_>) -> Option<Range<usize>> {
        let group = match self.group {
            Some(group) => captures.get(group),
            None => captures.iter().skip(1).flatten().find(|group| !group.is_empty()),
        };
        let credential = group.or_else(|| captures.get(0))?;
        (entropy(credential.as_bytes()) >= self.entropy).then(|| credential.range())
    }
}

/// The entropy of a word in bits per byte.
fn entropy(word: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    word.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
    let length = f64::from(u32::try_from(word.len()).unwrap_or(u32::MAX));
    let shares = counts.iter().filter(|count| **count > 0).map(|count| f64::from(*count) / length);
    shares.map(|share| -share * share.log2()).sum()
}

/// The credentials of services in a text, in any order.
pub(crate) fn of_services(text: &str) -> Vec<Range<usize>> {
    let services = &*SERVICES;
    let mut places: Vec<usize> = services
        .keywords
        .matches(text.as_bytes())
        .iter()
        .filter_map(|keyword| services.owners.get(keyword).copied())
        .collect();
    places.dedup();
    let rules = places.iter().filter_map(|place| services.rules.get(*place));
    let found = rules.filter_map(|rule| Some((rule, rule.regex()?)));
    let found = found.flat_map(|(rule, regex)| {
        regex.captures_iter(text.as_bytes()).filter_map(|captures| rule.credential(&captures))
    });
    found.map(|range| whole_characters(text, range)).collect()
}

/// The range, larger by the rest of the characters at its ends.
fn whole_characters(text: &str, range: Range<usize>) -> Range<usize> {
    let start = (0..=range.start).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    let end = (range.end..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    start..end
}

#[cfg(test)]
mod tests {
    use proptest::strategy::{Strategy as _, ValueTree as _};
    use proptest::string::string_regex;
    use proptest::test_runner::TestRunner;

    use super::*;
    use crate::redact::text::redact_text;

    #[test]
    fn every_rule_can_be_used() {
        assert_eq!(SERVICES.rules.len(), 220);
        for rule in &SERVICES.rules {
            assert!(!rule.keywords.is_empty() && rule.regex().is_some(), "{}", rule.pattern);
        }
        assert_eq!(SERVICES.keywords.len(), SERVICES.owners.len());
    }

    /// Makes up texts of the shape of each rule.
    #[test]
    fn what_has_the_shape_of_a_credential_is_masked() {
        let mut runner = TestRunner::deterministic();
        let mut shapes = 0;
        for rule in &SERVICES.rules {
            // A generator knows no boundaries of words.
            let Ok(shape) = string_regex(&rule.pattern.replace("\\b", "").replace("|$)", ")").replace("|\\z)", ")"))
            else {
                continue;
            };
            shapes += 1;
            for _ in 0..20 {
                let text = format!("{} {} ", rule.keywords[0], shape.new_tree(&mut runner).unwrap().current());
                let regex = rule.regex().unwrap();
                let Some(secret) = regex.captures(text.as_bytes()).and_then(|found| rule.credential(&found)) else {
                    continue;
                };
                let secret = &text[whole_characters(&text, secret)];
                assert!(!redact_text(&text).contains(secret), "{text:?} by {}", rule.pattern);
            }
        }
        assert!(shapes > 200, "only {shapes} shapes can be generated");
    }

    #[test]
    fn the_credential_is_the_part_that_is_secret() {
        let text = format!("curl -H \"X-Api-Key: {}\" https://a.example", "q7Zx9Lm2Kv8Rt");
        assert_eq!(of_services(&text).into_iter().map(|range| &text[range]).collect::<Vec<_>>(), ["q7Zx9Lm2Kv8Rt"]);
        assert!(of_services("nothing is secret here, not even a keyword such as curl").is_empty());
    }
}
