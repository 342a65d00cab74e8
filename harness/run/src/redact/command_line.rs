//! Removes the secrets from a command line before it is printed.

use crate::redact::keys::is_secret_key;
use crate::redact::known::is_scheme;
use crate::redact::text::{MASK, redact_text, until_settled};

/// The authentication schemes that are known for one wherever they stand. `token` is a plain word, too.
const UNMISTAKABLE: [&str; 2] = ["bearer", "basic"];

/// A line for the shell without the secrets in it.
///
/// This hides more than [`redact_text`]: every word after `--token`, `Bearer` or `X-Api-Key:` is a secret, however short.
pub fn redact_command_line(line: &str) -> String {
    until_settled(line, redact_once)
}

fn redact_once(line: &str) -> String {
    let line = redact_text(line);
    let mut redacted = String::with_capacity(line.len());
    let mut rest = line.as_str();
    let mut announced = false;
    while let Some(start) = rest.find(|c: char| !c.is_whitespace()) {
        let (space, from) = rest.split_at(start);
        let (word, after) = from.split_at(end_of_word(from, announced));
        redacted.push_str(space);
        let is_flag = word.starts_with('-');
        // In `Authorization: Bearer …` the scheme stands before the secret.
        let scheme = is_scheme(unquoted(word));
        if announced && !is_flag && !scheme {
            redacted.push_str(&masked(word));
            announced = false;
        } else {
            let (word, announces) = redact_word(word);
            redacted.push_str(&word);
            announced = announces || (announced && scheme);
        }
        rest = after;
    }
    redacted + rest
}

/// As [`redact_command_line`], but for separate words: a secret with a space in it is hidden whole.
pub fn redact_command_words(words: &[String]) -> Vec<String> {
    let mut announced = false;
    let redacted = |word: &String| {
        let scheme = is_scheme(unquoted(word));
        let is_secret = announced && !word.starts_with('-') && !scheme;
        announced = !is_secret && (redact_word(word).1 || (announced && scheme));
        if is_secret { MASK.to_owned() } else { redact_command_line(word) }
    };
    words.iter().map(redacted).collect()
}

/// End of a word: at a space, or behind the closing quote if it is a secret in quotes.
fn end_of_word(text: &str, is_secret: bool) -> usize {
    let quote = text.chars().next().filter(|c| is_secret && matches!(c, '"' | '\''));
    let quoted = quote.and_then(|quote| Some(text[1..].find(quote)? + 2));
    quoted.or_else(|| text.find(char::is_whitespace)).unwrap_or(text.len())
}

/// The mask between the quotes of the word.
fn masked(word: &str) -> String {
    let quote = |c: char| matches!(c, '"' | '\'');
    let start = &word[..word.len() - word.trim_start_matches(quote).len()];
    let end = if start.len() == word.len() { "" } else { &word[word.trim_end_matches(quote).len()..] };
    format!("{start}{MASK}{end}")
}

/// The word without the secret of a `key:value` in it, and whether the next word is a secret.
fn redact_word(word: &str) -> (String, bool) {
    let last = word.rsplit(['=', ':', '"', '\'']).next().unwrap_or(word);
    let of_a_secret = || word.split_once(':').is_some_and(|(key, _)| is_secret_key(key));
    if UNMISTAKABLE.iter().any(|scheme| last.eq_ignore_ascii_case(scheme)) || (is_scheme(last) && of_a_secret()) {
        return (word.to_owned(), true);
    }
    match word.split_once(':') {
        Some((key, "")) => (word.to_owned(), is_secret_key(key)),
        Some((key, value)) if is_secret_key(key) && !key.contains('=') => (format!("{key}:{}", masked(value)), false),
        Some(_) => (word.to_owned(), false),
        None => (word.to_owned(), word.starts_with('-') && !word.contains('=') && is_secret_key(word)),
    }
}

fn unquoted(word: &str) -> &str {
    word.trim_start_matches(['"', '\''])
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
    #[case::of_another_scheme("me -H 'Authorization: Token SEKRIT' {url}", "me -H 'Authorization: Token ***' {url}")]
    #[case::of_another_scheme_closely("me -H Authorization:Token SEKRIT", "me -H Authorization:Token ***")]
    #[case::as_another_header("me -H \"X-Api-Key: SEKRIT\"", "me -H \"X-Api-Key: ***\"")]
    #[case::as_another_header_closely("me -H X-Api-Key:SEKRIT", "me -H X-Api-Key:***")]
    #[case::in_an_address("me http://u:SEKRIT@a.example/", "me http://***@a.example/")]
    fn a_secret_is_hidden(#[case] line: &str, #[case] expected: &str) {
        assert_eq!(redact_command_line(line), expected);
    }

    #[rstest]
    #[case::plain("node  client.mjs {url}")]
    #[case::a_flag_behind_a_flag("me --auth --verbose {url}")]
    #[case::the_word_token("me token sub --name token --to=http://a.example:80/ A=1")]
    #[case::quotes_that_are_not_closed("sh -c 'it \"")]
    fn a_line_without_secrets_stays_as_it_is(#[case] line: &str) {
        assert_eq!(redact_command_line(line), line);
    }
}
