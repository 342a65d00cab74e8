//! From the words of the suite to ids: `draft2020-12/any-of/any-of-with-base-schema[mismatch-base-schema]`.
//!
//! The suite names nothing but in prose, so ids are made of that. They stay as long as the descriptions do, whatever is
//! added around them.

use std::collections::BTreeMap;

/// How long a part of an id may be: descriptions may go on for lines.
const LENGTH: usize = 60;

/// The words of a text, parted by hyphens: `any-of-with-base-schema` for `anyOf with base schema`.
pub(super) fn slug(text: &str) -> String {
    let mut slug = String::with_capacity(text.len());
    let mut before = ' ';
    for c in text.chars() {
        if c.is_ascii_alphanumeric() {
            if begins_word(before, c) {
                slug.push('-');
            }
            slug.push(c.to_ascii_lowercase());
        } else if c != '\'' && !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
        before = c;
    }
    if slug.len() > LENGTH {
        let end = slug[..=LENGTH].rfind('-').unwrap_or(LENGTH);
        slug.truncate(end);
    }
    slug.truncate(slug.trim_end_matches('-').len());
    if slug.is_empty() { "unnamed".to_owned() } else { slug }
}

/// Whether a capital goes on from a small letter, as in `anyOf`.
const fn begins_word(before: char, c: char) -> bool {
    c.is_ascii_uppercase() && (before.is_ascii_lowercase() || before.is_ascii_digit())
}

/// A pattern over ids with the suite's own names spelled as ids have them: `draft2020-12/any-of/*` for
/// `draft2020-12/anyOf/*`. An id has neither capitals nor underscores, so no other pattern changes its meaning.
#[must_use]
pub fn spelled(pattern: &str) -> String {
    let mut spelled = String::with_capacity(pattern.len());
    let mut before = ' ';
    for c in pattern.chars() {
        if begins_word(before, c) {
            spelled.push('-');
        }
        spelled.push(if c == '_' { '-' } else { c.to_ascii_lowercase() });
        before = c;
    }
    spelled
}

/// Names that have been given, so that no two are the same.
#[derive(Default)]
pub(super) struct Names(BTreeMap<String, usize>);

impl Names {
    /// A name for what is described so: the words, with a number from the second of the same words on.
    pub(super) fn of(&mut self, description: &str) -> String {
        let words = slug(description);
        let mut name = words.clone();
        loop {
            if !self.0.contains_key(&name) {
                self.0.insert(name.clone(), 1);
                return name;
            }
            let times = self.0.entry(words.clone()).or_insert(1);
            *times += 1;
            name = format!("{words}-{times}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_become_words() {
        let names = [
            ("anyOf with base schema", "any-of-with-base-schema"),
            ("boolean_schema", "boolean-schema"),
            ("$ref to $ref doesn't recurse", "ref-to-ref-doesnt-recurse"),
            ("  -1 is (not) ñ a URI!  ", "1-is-not-a-uri"),
            ("✓", "unnamed"),
        ];
        for (text, expected) in names {
            assert_eq!(slug(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_long_description_ends_with_a_whole_word() {
        let long = slug(&"many words ".repeat(20));
        assert!(long.len() <= LENGTH && long.split('-').all(|word| ["many", "words"].contains(&word)), "{long}");
        assert_eq!(slug(&"x".repeat(200)).len(), LENGTH);
    }

    #[test]
    fn the_same_words_get_a_number_from_the_second_on() {
        let mut names = Names::default();
        let given = ["a b", "a-b", "a b 2", "A b", "c"].map(|words| names.of(words));
        assert_eq!(given, ["a-b", "a-b-2", "a-b-2-2", "a-b-3", "c"]);
    }

    #[test]
    fn a_pattern_may_have_the_names_of_the_suite() {
        assert_eq!(spelled("draft2020-12/anyOf/*"), "draft2020-12/any-of/*");
        assert_eq!(spelled("*/boolean_schema/*[?-b]"), "*/boolean-schema/*[?-b]");
        let id = "draft2020-12/any-of/any-of[neither]";
        assert_eq!(spelled(id), id);
    }
}
