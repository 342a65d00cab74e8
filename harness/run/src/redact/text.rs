//! Finds credentials in any text, by the rules of gitleaks or by the key or the scheme before them, and replaces them.

use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use crate::redact::keys::is_secret_key;
use crate::redact::services::of_services;

/// Stands in place of a secret.
pub const MASK: &str = "***";

/// Limit of the searches of one text before it is cut.
const PASSES: usize = 8;

/// Returns true for a string that is a credential as a whole, by the rules of gitleaks.
pub fn looks_like_secret(string: &str) -> bool {
    of_services(string).contains(&(0..string.len()))
}

/// The value after a key that ends at `end`: of `key=value` up to a delimiter, of `key: "value"` what is in quotes.
fn assigned(text: &str, end: usize) -> Option<Range<usize>> {
    let rest = text[end..].trim_start_matches('\\').trim_start_matches(['"', '\'']).trim_start_matches(' ');
    let value = rest.strip_prefix('=').filter(|value| !value.starts_with(['=', '>']));
    let (equals, value) = value.map_or_else(|| (false, rest.strip_prefix(':')), |value| (true, Some(value)));
    let value = value?.trim_start_matches(' ').trim_start_matches('\\');
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
    let value = quote.map_or(value, |_| &value[1..]);
    let length = match quote {
        Some(quote) => value.find([quote, '\\', '\n']),
        None if equals => value.find(|c: char| c.is_whitespace() || "&\"'<>;,()[]{}#\\".contains(c)),
        None => return None,
    };
    let start = text.len() - value.len();
    let length = length.unwrap_or(value.len());
    (length > 0).then_some(start..start + length)
}

/// The text with [`MASK`] in place of everything that looks like a credential. Nothing is left that looks like one.
pub fn redact_text(text: &str) -> String {
    until_settled(text, |text| redact_text_with(text, |_| MASK.to_owned()))
}

/// Redacts until nothing more is found: a mask can change what its neighbours look like. Of a text that does not settle, only
/// what stands before the first secret is kept.
pub(crate) fn until_settled(text: &str, redact: impl Fn(&str) -> String) -> String {
    let mut redacted = text.to_owned();
    for pass in 0..2 * PASSES {
        let again = redact(&redacted);
        if again == redacted {
            return redacted;
        }
        redacted = if pass < PASSES { again } else { common_start(&redacted, &again).to_owned() + MASK };
    }
    MASK.to_owned()
}

/// The common prefix of both texts.
fn common_start<'t>(text: &'t str, other: &str) -> &'t str {
    let length = text.chars().zip(other.chars()).take_while(|(a, b)| a == b).map(|(c, _)| c.len_utf8()).sum();
    &text[..length]
}

/// The text with everything that looks like a credential replaced by what `mask` returns for it.
pub fn redact_text_with(text: &str, mask: impl Fn(&str) -> String) -> String {
    let mut copied = 0;
    let mut redacted = String::with_capacity(text.len());
    for found in find_secrets(text) {
        redacted.push_str(&text[copied..found.start]);
        redacted.push_str(&mask(&text[found.clone()]));
        copied = found.end;
    }
    redacted.push_str(&text[copied..]);
    redacted
}

/// The credentials in a text, in order and without overlaps.
pub fn find_secrets(text: &str) -> Vec<Range<usize>> {
    let mut found = of_services(text);
    found.extend(user_information(text));
    found.extend(basic_credentials(text));
    let words = words(text);
    for (index, word) in words.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|index| words.get(index));
        let said = before.is_some_and(|before| announces(&text[before.clone()], &text[before.end..word.start]));
        let token = &text[word.clone()];
        if is_secret_key(token) {
            found.extend(assigned(text, word.end));
        }
        if said && looks_made_up(token) {
            found.push(word.clone());
        }
    }
    found.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
    found.dedup_by(|next, kept| {
        let overlaps = next.start < kept.end;
        if overlaps {
            kept.end = kept.end.max(next.end);
        }
        overlaps
    });
    found
}

/// Returns true if the word before a secret announces it: `Bearer`, or a secret's key followed by `=` or `:`.
fn announces(word: &str, between: &str) -> bool {
    let scheme = ["bearer", "basic"].iter().any(|scheme| word.eq_ignore_ascii_case(scheme)) && between == " ";
    let key = matches!(between, "=" | ":" | ": " | " = " | "=\"" | ": \"" | "\": \"" | "\":\"") && is_secret_key(word);
    scheme || key
}

/// Returns true for a word that is unlikely to be a plain word of a sentence.
pub(crate) fn looks_made_up(word: &str) -> bool {
    word.len() >= 4 && word.bytes().any(|byte| byte.is_ascii_digit()) || word.len() >= 20
}

/// The runs of characters that keys are made of. `=` belongs to a run only at its end, as padding.
fn words(text: &str) -> Vec<Range<usize>> {
    let mut words: Vec<Range<usize>> = Vec::new();
    for (at, byte) in text.bytes().enumerate() {
        if !(byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'+' | b'~')) {
            continue;
        }
        match words.last_mut() {
            Some(word) if word.end == at => word.end += 1,
            Some(_) | None => words.push(at..at + 1),
        }
    }
    for word in &mut words {
        // A full stop at the end of a sentence is not part of a key.
        word.end = word.start + text[word.clone()].trim_end_matches('.').len();
    }
    words
}

/// Text behind `Basic` that decodes to a name and a password.
fn basic_credentials(text: &str) -> Vec<Range<usize>> {
    let is_base64 = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/');
    let mut found = Vec::new();
    for (at, _) in text.match_indices("asic ") {
        let start = at + "asic ".len();
        let length = text[start..].find(|c| !is_base64(c)).unwrap_or(text.len() - start);
        let decoded = STANDARD_NO_PAD.decode(&text[start..start + length]).unwrap_or_default();
        let padding = text[start + length..].bytes().take_while(|byte| *byte == b'=').take(2).count();
        if decoded.len() >= 3 && decoded.contains(&b':') && decoded.iter().all(|byte| !byte.is_ascii_control()) {
            found.push(start..start + length + padding);
        }
    }
    found
}

/// The `user:password` of URLs.
fn user_information(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("://") {
        let start = at + 3;
        let authority = text[start..].split(['/', ' ', '"', '\n', '<', '>', '?', '#']).next().unwrap_or_default();
        if let Some((user, _)) = authority.rsplit_once('@').filter(|(user, _)| user.contains(':')) {
            found.push(start..start + user.len());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        find_secrets(text).into_iter().map(|range| &text[range]).collect()
    }

    /// Letters and digits in an order that looks random.
    fn mixed(length: usize) -> String {
        let all: Vec<char> = ('a'..='z').chain('A'..='Z').chain('0'..='9').collect();
        (0..length).map(|at| all[(at * 37 + 11) % all.len()]).collect()
    }

    #[test]
    fn credentials_are_found_within_any_text() {
        // Composed here, so that secret scanners find nothing in this file.
        for secret in [format!("ghp_{}", mixed(36)), format!("AKIA{}", "Q3W2E5R4".repeat(2))] {
            for around in ["{}", "key={}&b=c", "Use {}.", "https://a.example/{}/b", "(\"{}\")"] {
                let text = around.replace("{}", &secret);
                assert_eq!(found(&text), [&secret], "{text}");
            }
        }
        let token = format!("eyJ{0}.eyJ{0}.{0}", mixed(18));
        assert_eq!(found(&format!("(\"{token}\")")), [&token]);
        let key = format!("-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----", mixed(62).repeat(2));
        assert_eq!(found(&format!("a {key} b")), [&key]);
    }

    #[test]
    fn a_word_after_a_secrets_key_is_a_secret() {
        assert_eq!(found("Authorization: Bearer abc12345"), ["abc12345"]);
        assert_eq!(found("https://a.example/?token=x1y2z&page=2"), ["x1y2z"]);
        assert_eq!(found("https://a.example/?password=open&page=2"), ["open"]);
        assert_eq!(found("PWD=p@ss!word; x"), ["p@ss!word"]);
        assert_eq!(found("{\"id\":{{id}},\"pass\": \"open\"}"), ["open"]);
        assert_eq!(found("if token == null"), [""; 0]);
        assert_eq!(found("postgres://me:pass@db.example/x"), ["me:pass"]);
        assert_eq!(found("Basic dXNlcjpvcGVu sent"), ["dXNlcjpvcGVu"]);
        assert_eq!(found("basic YTpi==."), ["YTpi=="]);
    }

    #[test]
    fn text_that_only_resembles_a_secret_is_kept() {
        for text in [
            "The bearer of this letter",
            "basic information",
            "a token: it expires",
            "sk-learn",
            "2025-11-25T12:00:00Z",
            "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
            "da39a3ee5e6b4b0d3255bfef95601890afd80709",
            "getTheUserAccountInformationByIdentifier",
            "https://example.org/a@b",
            "io.modelcontextprotocol/serverInfo",
        ] {
            assert_eq!(found(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn what_is_redacted_has_nothing_more_to_redact() {
        // Of two assignments within each other, the first pass leaves the quote between them.
        for text in ["token=\"password='open=\"password='sesame\\\\\"", "pass=\"a'b\" pass='c\"d'"] {
            let once = redact_text(text);
            assert_ne!(once, text);
            assert_eq!(redact_text(&once), once, "{text}");
        }
    }

    #[test]
    fn a_text_that_does_not_settle_is_cut_before_its_first_secret() {
        let growing = |text: &str| text.replace('é', "éx");
        assert_eq!(until_settled("a é b", growing), "***", "what cannot be cut to rest is hidden whole");
        let to_the_end = |text: &str| if text.ends_with(MASK) { text.to_owned() } else { format!("{text}x") };
        assert_eq!(until_settled("a é b", to_the_end), format!("a é b{}***", "x".repeat(PASSES)));
        assert_eq!(until_settled("a é b", str::to_owned), "a é b");
    }

    #[test]
    fn found_ranges_do_not_overlap() {
        let text = format!("https://u:ghp_{0}@x.example/ ghp_{0}", mixed(36));
        let ranges = find_secrets(&text);
        assert_eq!(ranges.len(), 2);
        assert!(ranges.windows(2).all(|pair| pair[0].end <= pair[1].start), "{ranges:?}");
    }
}
