//! The parts of a file: texts that replace `{{NAME}}` in JSON and raw text.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::budget::LONGEST_TEXT;

/// Placeholders that are filled in when the scenario is played.
pub(crate) const TAKEN: [&str; 3] = ["canary", "id", "progress-token"];

/// Parts of a file by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parts(pub(crate) BTreeMap<String, Part>);

/// A text and its place in the file.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) text: String,
    pub(crate) place: Range<usize>,
    pub(crate) is_used: bool,
}

/// Returns the names in double braces.
fn named_in(text: &str) -> BTreeSet<String> {
    let pieces = text.split("{{").skip(1);
    pieces.filter_map(|piece| piece.split_once("}}")).map(|(name, _)| name.to_owned()).collect()
}

/// Returns whether a word in braces is a misspelling of a part's name: other case, hyphens or spaces, or one letter
/// more or less.
fn is_slip(written: &str, name: &str) -> bool {
    const SHORTEST: usize = 4;
    let letters = |word: &str| word.replace(['-', '_', ' '], "").to_ascii_lowercase();
    let (written, name) = (letters(written), letters(name));
    let is_one_more = written.len().abs_diff(name.len()) == 1 && written.len().min(name.len()) >= SHORTEST;
    written == name || (is_one_more && strsim::damerau_levenshtein(&written, &name) == 1)
}

impl Parts {
    /// Replaces every placeholder in a text; `None` if the text would become too long.
    pub(crate) fn put_into<'t>(&mut self, text: &'t str) -> Option<Cow<'t, str>> {
        let mut filled = Cow::Borrowed(text);
        let mut names = named_in(text);
        // In alphabetical order; the text of a part can contain the name of a later one.
        while let Some(name) = names.pop_first() {
            let Some(part) = self.0.get_mut(&name) else { continue };
            part.is_used = true;
            let placeholder = format!("{{{{{name}}}}}");
            let pieces: Vec<&str> = filled.split(&placeholder).collect();
            let count = pieces.len() - 1;
            if filled.len().saturating_add(part.text.len().saturating_mul(count)) > LONGEST_TEXT {
                return None;
            }
            names.extend(named_in(&part.text).into_iter().filter(|inner| *inner > name));
            filled = Cow::Owned(pieces.join(&part.text));
        }
        Some(filled)
    }

    /// Returns a placeholder without a part whose name is almost that of a part, and that name.
    pub(crate) fn misspelt_in(&self, text: &str) -> Option<(String, String)> {
        let known = || self.0.keys().map(String::as_str);
        let unknown =
            named_in(text).into_iter().filter(|name| !self.0.contains_key(name) && !TAKEN.contains(&name.as_str()));
        unknown
            .filter_map(|name| known().find(|known| is_slip(&name, known)).map(|intended| (name, intended.to_owned())))
            .next()
    }

    /// Returns the parts that no text uses: their names and places.
    pub(crate) fn unused(&self) -> impl Iterator<Item = (&str, &Range<usize>)> {
        self.0.iter().filter(|(_, part)| !part.is_used).map(|(name, part)| (name.as_str(), &part.place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_slip_in_the_name_of_a_part_is_one() {
        let names = ["digits", "a", "name"]
            .map(|name| (name.to_owned(), Part { text: String::new(), place: 0..0, is_used: false }));
        let parts = Parts(names.into());
        for text in ["{{digit}}", "{{Digits}}", "{{digitss}}", "{{di-gits}}"] {
            assert!(parts.misspelt_in(text).is_some_and(|(_, intended)| intended == "digits"), "{text}");
        }
        for text in ["{{digits}}", "{{b}}", "{{game}}", "{{id}}", "{{user.name}}", "digit", "{{ab}}"] {
            assert_eq!(parts.misspelt_in(text), None, "{text}");
        }
    }
}
