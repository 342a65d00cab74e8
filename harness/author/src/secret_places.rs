//! Finds the secrets of a JSON text that neither their own key nor their looks as a value give away.
//!
//! In `{"name": "API_KEY", "value": "open sesame"}` the key of the secret is the value of another member. In
//! `{"ghp_…": 1}` the secret is the name of a member.

use std::collections::BTreeSet;

use mcp_compat_json::{Json, Place};
use mcp_compat_redact::{find_secrets, is_secret_key};

/// The members that name what another member is the value of. An `id` names an object and not a value.
const NAMES: [&str; 5] = ["name", "key", "header", "variable", "field"];

/// The members that are such a value. `content` and `data` hold what a document says, whatever it is called.
const VALUES: [&str; 2] = ["value", "val"];

/// The secrets of one JSON text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct SecretPlaces {
    /// The JSON pointers of secret values.
    pub(crate) values: BTreeSet<String>,
    /// The names of members that are secrets.
    pub(crate) names: BTreeSet<String>,
}

impl SecretPlaces {
    /// Empty for a text that is not JSON.
    pub(crate) fn of(text: &str) -> Self {
        let mut places = Self::default();
        if let Ok(json) = Json::parse(text) {
            places.search(&json, &mut String::new());
        }
        places
    }

    /// Whether there is a secret value.
    pub(crate) fn has(&self, place: &Place<'_>) -> bool {
        !self.values.is_empty() && self.values.contains(&place.pointer())
    }

    /// Gives the members other names in the text, each one of its own.
    pub(crate) fn rename(&self, text: &mut String, mask: impl Fn(&str) -> String) {
        for (number, name) in self.names.iter().enumerate() {
            let quoted = |name: &str| Json::from(name).to_compact();
            let number = if number == 0 { String::new() } else { (number + 1).to_string() };
            *text = text.replace(&quoted(name), &quoted(&format!("{}{number}", mask(name))));
        }
    }

    fn search(&mut self, json: &Json, pointer: &mut String) {
        let length = pointer.len();
        match json {
            Json::Object(members) => {
                let text = |name: &str| members.get(name).and_then(Json::as_str);
                let keys: Vec<&str> =
                    NAMES.iter().filter_map(|name| text(name)).filter(|name| is_secret_key(name)).collect();
                let is_secret = |value: &str| !keys.is_empty() && !keys.iter().any(|key| repeats(key, value));
                for (name, value) in members.iter() {
                    let Some(name) = name.as_str() else { continue };
                    if find_secrets(name).contains(&(0..name.len())) {
                        self.names.insert(name.to_owned());
                    }
                    pointer.push('/');
                    pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
                    if VALUES.contains(&name) && value.as_str().is_some_and(is_secret) {
                        self.values.insert(pointer.clone());
                    }
                    self.search(value, pointer);
                    pointer.truncate(length);
                }
            }
            Json::Array(items) => {
                for (place, item) in items.iter().enumerate() {
                    pointer.push_str(&format!("/{place}"));
                    self.search(item, pointer);
                    pointer.truncate(length);
                }
            }
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
        }
    }
}

/// Whether a value says no more than its name, as in `{"name": "Access Token", "value": "accessToken"}`: it is one of the
/// choices of a form. Of 3,142 pairs that nine servers of the registries sent, 22 had the name of a secret, and all were such.
fn repeats(name: &str, value: &str) -> bool {
    let letters = |text: &str| -> String {
        text.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    letters(name).contains(&letters(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_known_by_its_neighbour() {
        let text =
            r#"{"env":[{"name":"API_KEY","value":"open"},{"name":"LANG","value":"C"},{"key":"pass/word","value":1}]}"#;
        assert_eq!(SecretPlaces::of(text).values.into_iter().collect::<Vec<_>>(), ["/env/0/value"]);
    }

    #[test]
    fn a_choice_of_a_form_is_no_secret() {
        for pair in [
            r#"{"name":"Access Token","value":"accessToken"}"#,
            r#"{"name":"OAuth2 JWT","value":"jwt"}"#,
            r#"{"id":"password","value":"eight letters"}"#,
            r#"{"name":"password-rules.md","content":"Passwords have eight letters."}"#,
            r#"{"name":"Token budget","value":"12"}"#,
        ] {
            assert_eq!(SecretPlaces::of(pair), SecretPlaces::default(), "{pair}");
        }
        for pair in [
            r#"{"name":"Access Token","value":"accessToken1"}"#,
            r#"{"key":"DB_PASSWORD","val":"hunter"}"#,
            r#"{"header":"Authorization","value":"open"}"#,
        ] {
            assert_eq!(SecretPlaces::of(pair).values.len(), 1, "{pair}");
        }
    }

    #[test]
    fn a_name_can_be_a_secret() {
        let key = format!("ghp_{}", "q7Zx9L".repeat(6));
        let text = format!(r#"{{"keys":{{"{key}":1,"other":2}}}}"#);
        assert_eq!(SecretPlaces::of(&text).names.into_iter().collect::<Vec<_>>(), [key]);
        assert_eq!(SecretPlaces::of("no JSON"), SecretPlaces::default());
    }
}
