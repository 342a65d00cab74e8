//! Replaces what looks like a secret in a command by variables: the files that `init` writes are committed.

use mcp_compat_run::redact::{MASK, is_secret_key, redact_command_words};

/// Name of a variable for a secret that nothing names.
const UNNAMED: &str = "TOKEN";

/// Variables, each with the secret that it stands for.
#[derive(Default)]
pub(super) struct Variables(Vec<(String, String)>);

impl Variables {
    /// Returns `${NAME}` for a secret. Another secret of the same name gets a number.
    pub(super) fn reference(&mut self, name: &str, secret: &str) -> String {
        let wanted = variable(name);
        let numbered = (1..).map(|number| if number == 1 { wanted.clone() } else { format!("{wanted}_{number}") });
        let is_free = |name: &String| self.0.iter().all(|(known, of)| known != name || of == secret);
        let name = numbered.into_iter().find(is_free).unwrap_or(wanted);
        if self.0.iter().all(|(known, _)| *known != name) {
            self.0.push((name.clone(), secret.to_owned()));
        }
        format!("${{{name}}}")
    }

    /// Returns the words of a command with a variable in place of each secret. A variable that is there stays.
    pub(super) fn in_words(&mut self, words: Vec<String>) -> Vec<String> {
        let redacted = redact_command_words(&words);
        let mut before = String::new();
        let mut replaced = Vec::with_capacity(words.len());
        for (word, redacted) in words.into_iter().zip(redacted) {
            replaced.push(if word == redacted { word.clone() } else { self.in_word(&before, &word, &redacted) });
            before = word;
        }
        replaced
    }

    fn in_word(&mut self, before: &str, word: &str, redacted: &str) -> String {
        let mut pieces = redacted.split(MASK);
        let mut replaced = pieces.next().unwrap_or_default().to_owned();
        let mut rest = word.strip_prefix(replaced.as_str()).unwrap_or_default();
        if rest.starts_with("${") {
            return word.to_owned();
        }
        for piece in pieces {
            let end = if piece.is_empty() { rest.len() } else { rest.find(piece).unwrap_or(rest.len()) };
            let (secret, after) = rest.split_at(end);
            let named_by = if replaced.is_empty() { before } else { replaced.as_str() };
            replaced += &self.reference(name_before(named_by), secret);
            replaced += piece;
            rest = after.strip_prefix(piece).unwrap_or_default();
        }
        replaced
    }

    /// Returns the names, in the order in which they were needed.
    pub(super) fn names(self) -> Vec<String> {
        self.0.into_iter().map(|(name, _)| name).collect()
    }
}

/// Returns the key at the end of a text, such as `api-key` of `--api-key=`, if it is the key of a secret.
fn name_before(text: &str) -> &str {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let text = text.trim_end_matches(|c| !is_part(c));
    let name = text.rsplit(|c| !is_part(c)).next().unwrap_or_default().trim_start_matches('-');
    let is_scheme = ["bearer", "basic"].iter().any(|scheme| name.eq_ignore_ascii_case(scheme));
    if is_secret_key(name) && !is_scheme { name } else { UNNAMED }
}

/// Returns a key as the name of a variable.
fn variable(key: &str) -> String {
    let name: String =
        key.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) { format!("_{name}") } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_words(words: &[&str]) -> (Vec<String>, Vec<String>) {
        let mut variables = Variables::default();
        let words = variables.in_words(words.iter().map(|word| (*word).to_owned()).collect());
        (words, variables.names())
    }

    #[test]
    fn a_secret_becomes_a_variable_that_has_the_name_of_its_key() {
        for (words, replaced, names) in [
            (&["me", "--api-key", "abc 1"][..], &["me", "--api-key", "${API_KEY}"][..], &["API_KEY"][..]),
            (&["me", "--api-key=abc"], &["me", "--api-key=${API_KEY}"], &["API_KEY"]),
            (&["env", "GH_TOKEN=abc", "me"], &["env", "GH_TOKEN=${GH_TOKEN}", "me"], &["GH_TOKEN"]),
            (&["me", "-H", "Authorization: Bearer abc"], &["me", "-H", "Authorization: Bearer ${TOKEN}"], &["TOKEN"]),
            (&["me", "-H", "X-Api-Key:abc"], &["me", "-H", "X-Api-Key:${X_API_KEY}"], &["X_API_KEY"]),
            (&["me", "pg://u:p@${HOST}/db"], &["me", "pg://${TOKEN}@${HOST}/db"], &["TOKEN"]),
            (
                &["me", "--token", "a", "--token", "b", "--token", "a"],
                &["me", "--token", "${TOKEN}", "--token", "${TOKEN_2}", "--token", "${TOKEN}"],
                &["TOKEN", "TOKEN_2"],
            ),
        ] {
            assert_eq!(
                in_words(words),
                (
                    replaced.iter().map(|it| (*it).to_owned()).collect(),
                    names.iter().map(|it| (*it).to_owned()).collect()
                )
            );
        }
    }

    #[test]
    fn what_is_no_secret_or_is_a_variable_already_stays() {
        for words in [
            &["node", "server.js", "--stdio", "--port", "3000", "src/***"][..],
            &["me", "--token", "${MINE}", "--api-key=${OF_ME}", "-H", "Authorization:${HEADER}"],
            &["me", "-H", "Authorization: Bearer ${MINE}"],
        ] {
            assert_eq!(in_words(words), (words.iter().map(|it| (*it).to_owned()).collect(), Vec::new()));
        }
    }
}
