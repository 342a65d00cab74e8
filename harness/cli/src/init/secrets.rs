//! Replaces what looks like a secret in a command by variables: the files that `init` writes are committed.

use mcp_compat_run::redact::{MASK, is_secret_key, redact_command_words};

use crate::inputs::server_lists::{covered, is_public, is_variable};

/// Name of a variable for a secret that nothing names.
const UNNAMED: &str = "TOKEN";

/// Schemes that stand before the secret of a header.
const SCHEMES: [&str; 2] = ["bearer", "basic"];

/// Variables, each with the secret that it stands for.
pub(super) struct SecretVariables {
    known: Vec<(String, String)>,
    /// Variables that stand for something else.
    reserved: Vec<String>,
}

impl SecretVariables {
    pub(super) const fn besides(reserved: Vec<String>) -> Self {
        Self { known: Vec::new(), reserved }
    }

    /// Returns the value if it is a variable already, or else a new variable for it.
    pub(super) fn value(&mut self, name: &str, value: String) -> String {
        if is_kept(&value) { value } else { self.reference(name, &value) }
    }

    /// Returns `${NAME}` for a secret. Another secret of the same name gets a number.
    fn reference(&mut self, name: &str, secret: &str) -> String {
        let wanted = variable(name);
        let numbered = (1..).map(|number| if number == 1 { wanted.clone() } else { format!("{wanted}_{number}") });
        let is_free = |name: &String| {
            let is_other = |(known, of): &(String, String)| known == name && of != secret;
            !is_public(name) && !self.reserved.contains(name) && !self.known.iter().any(is_other)
        };
        let name = numbered.into_iter().find(is_free).unwrap_or(wanted);
        if self.known.iter().all(|(known, _)| *known != name) {
            self.known.push((name.clone(), secret.to_owned()));
        }
        format!("${{{name}}}")
    }

    /// Returns the words of a command with a variable in place of each secret. A variable that is there stays.
    pub(super) fn in_words(&mut self, words: Vec<String>) -> Vec<String> {
        // A brace would end a secret, so variables are covered; then only a default in one can have a secret of its own.
        let covered: Vec<String> = words.iter().map(|word| covered(word)).collect();
        let of_covered = covered.iter().zip(redact_command_words(&covered));
        let of_words = words.iter().zip(redact_command_words(&words));
        let mut before = "";
        let mut replaced = Vec::with_capacity(words.len());
        for ((covered, of_covered), (word, of_word)) in of_covered.zip(of_words) {
            let found = if *covered == of_covered { (word, of_word) } else { (covered, of_covered) };
            let is_plain = *found.0 == found.1;
            replaced.push(if is_plain { word.clone() } else { self.in_word(before, word, found.0, &found.1) });
            before = word;
        }
        replaced
    }

    /// Replaces what `redacted` masks. Bytes of `word` and `searched` have the same places.
    fn in_word(&mut self, before: &str, word: &str, searched: &str, redacted: &str) -> String {
        let mut pieces = redacted.split(MASK);
        let first = pieces.next().unwrap_or_default();
        if !searched.starts_with(first) {
            return self.value(name_before(before), word.to_owned());
        }
        let part = |from: usize, to: usize| word.get(from..to).unwrap_or_default().to_owned();
        let mut at = first.len();
        let mut replaced = part(0, at);
        for piece in pieces {
            let found = searched.get(at..).and_then(|rest| rest.find(piece)).filter(|_| !piece.is_empty());
            let end = found.map_or(word.len(), |found| at + found);
            let named_by = if replaced.is_empty() { before } else { replaced.as_str() };
            replaced += &self.value(name_before(named_by), part(at, end));
            at = (end + piece.len()).min(word.len());
            replaced += &part(end, at);
        }
        replaced
    }
}

/// Returns whether a value is a variable, also behind a scheme: there is no secret in it.
fn is_kept(value: &str) -> bool {
    let of_scheme = |(scheme, value): (&str, &str)| is_scheme(scheme) && is_variable(value.trim_start());
    is_variable(value) || value.split_once(' ').is_some_and(of_scheme)
}

fn is_scheme(word: &str) -> bool {
    SCHEMES.iter().any(|scheme| word.eq_ignore_ascii_case(scheme))
}

/// Returns the key at the end of a text, such as `api-key` of `--api-key=`, if it is the key of a secret.
fn name_before(text: &str) -> &str {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let text = text.trim_end_matches(|c| !is_part(c));
    let name = text.rsplit(|c| !is_part(c)).next().unwrap_or_default().trim_start_matches('-');
    if is_secret_key(name) && !is_scheme(name) { name } else { UNNAMED }
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
        let mut variables = SecretVariables::besides(vec!["MY_TOKEN".to_owned()]);
        let words = variables.in_words(words.iter().map(|word| (*word).to_owned()).collect());
        (words, variables.known.into_iter().map(|(name, _)| name).collect())
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
            (&["me", "pg://${U}:hunter2@db"], &["me", "pg://${TOKEN}@db"], &["TOKEN"]),
            (&["me", "--token=${A}hunter2"], &["me", "--token=${TOKEN}"], &["TOKEN"]),
            (&["me", "--dsn=${A:-pg://u:hunter2@db}"], &["me", "--dsn=${A:-pg://${TOKEN}@db}"], &["TOKEN"]),
            (&["me", "--token", "hunter2${A}"], &["me", "--token", "${TOKEN}"], &["TOKEN"]),
            (&["me", "--token", "hunter2 ${A}"], &["me", "--token", "${TOKEN}"], &["TOKEN"]),
            (&["me", "--my-token", "a"], &["me", "--my-token", "${MY_TOKEN_2}"], &["MY_TOKEN_2"]),
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
            &["me", "-H", "Authorization: Bearer ${MINE}", "--token", "Basic ${MINE:-}"],
        ] {
            assert_eq!(in_words(words), (words.iter().map(|it| (*it).to_owned()).collect(), Vec::new()));
        }
    }
}
