//! A command line as it may be shown: without the secrets among its arguments. Pure.

use crate::author::credential::{is_secret_key, without_secrets};
use crate::author::masking::MASK;

/// What announces that the next word is a secret, in the header of a request.
const SCHEMES: [&str; 2] = ["bearer", "basic"];

/// A line as its user has it, without the secrets in it.
///
/// A command line says what its words are, so what would pass for a word elsewhere is a secret here: what follows
/// `--token`, `Bearer` or `X-Api-Key:`, however short.
pub(super) fn shown(line: &str) -> String {
    let line = without_secrets(line);
    let mut shown = String::with_capacity(line.len());
    let mut rest = line.as_str();
    let mut announced = false;
    while let Some(start) = rest.find(|c: char| !c.is_whitespace()) {
        let (space, from) = rest.split_at(start);
        let (word, after) = from.split_at(end_of_word(from, announced));
        shown.push_str(space);
        let is_flag = word.starts_with('-');
        // `Authorization: Bearer …` names the scheme first.
        match announced && !is_flag && !is_scheme(word) {
            true => {
                shown.push_str(&masked(word));
                announced = false;
            }
            false => {
                let (word, announces) = apart(word);
                shown.push_str(&word);
                announced = announces;
            }
        }
        rest = after;
    }
    shown + rest
}

/// As [`shown`], of words that are known apart: a secret with a space in it is hidden whole.
pub(super) fn shown_words(words: &[String]) -> String {
    let mut announced = false;
    let shown_word = |word: &String| {
        let is_secret = announced && !word.starts_with('-') && !is_scheme(word);
        announced = if is_secret { false } else { apart(word).1 };
        if is_secret { MASK.to_owned() } else { shown(word) }
    };
    words.iter().map(shown_word).collect::<Vec<_>>().join(" ")
}

/// Where a word ends: at a space, or where it is a secret's in quotes, behind them.
fn end_of_word(text: &str, is_secret: bool) -> usize {
    let quote = text.chars().next().filter(|c| is_secret && matches!(c, '"' | '\''));
    let quoted = quote.and_then(|quote| Some(text[1..].find(quote)? + 2));
    quoted.or_else(|| text.find(char::is_whitespace)).unwrap_or(text.len())
}

/// The mask, and the quotes that stand around what it hides.
fn masked(word: &str) -> String {
    let quote = |c: char| matches!(c, '"' | '\'');
    let start = &word[..word.len() - word.trim_start_matches(quote).len()];
    let end = if start.len() == word.len() { "" } else { &word[word.trim_end_matches(quote).len()..] };
    format!("{start}{MASK}{end}")
}

/// The word without a secret that stands in it as `key:value`, and whether it says that the next one is a secret.
fn apart(word: &str) -> (String, bool) {
    let last = word.rsplit(['=', ':', '"', '\'']).next().unwrap_or(word);
    if is_scheme(last) {
        return (word.to_owned(), true);
    }
    match word.split_once(':') {
        Some((key, "")) => (word.to_owned(), is_secret_key(key)),
        Some((key, value)) if is_secret_key(key) && !key.contains('=') => (format!("{key}:{}", masked(value)), false),
        Some(_) => (word.to_owned(), false),
        None => (word.to_owned(), word.starts_with('-') && !word.contains('=') && is_secret_key(word)),
    }
}

fn is_scheme(word: &str) -> bool {
    SCHEMES.iter().any(|scheme| word.trim_start_matches(['"', '\'']).eq_ignore_ascii_case(scheme))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::assigned("me --token=SEKRIT {url}", "me --token=*** {url}")]
    #[case::as_the_next_word("me --token SEKRIT {url}", "me --token *** {url}")]
    #[case::in_quotes("me --password 'SEK RIT' -v", "me --password '***' -v")]
    #[case::in_the_environment("API_KEY=SEKRIT npx me", "API_KEY=*** npx me")]
    #[case::as_a_header("me -H 'Authorization: Bearer SEKRIT' {url}", "me -H 'Authorization: Bearer ***' {url}")]
    #[case::as_a_header_closely("me -H Authorization:Bearer SEKRIT", "me -H Authorization:Bearer ***")]
    #[case::as_another_header("me -H \"X-Api-Key: SEKRIT\"", "me -H \"X-Api-Key: ***\"")]
    #[case::as_another_header_closely("me -H X-Api-Key:SEKRIT", "me -H X-Api-Key:***")]
    #[case::in_an_address("me http://u:SEKRIT@a.example/", "me http://***@a.example/")]
    fn a_secret_is_not_shown(#[case] line: &str, #[case] expected: &str) {
        assert_eq!(shown(line), expected);
    }

    #[rstest]
    #[case::plain("node  client.mjs {url}")]
    #[case::a_flag_behind_a_flag("me --auth --verbose {url}")]
    #[case::no_secrets("me --name token --to=http://a.example:80/ A=1")]
    #[case::quotes_that_are_not_closed("sh -c 'it \"")]
    fn what_is_none_is_shown_as_it_is(#[case] line: &str) {
        assert_eq!(shown(line), line);
    }
}
