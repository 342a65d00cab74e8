//! The quirk `strict-meta`: rejects names in `_meta` that do not follow the grammar.
//!
//! A name is an optional prefix of dotted labels with a slash after it, and a word.

use crate::wire::object::Object;
use mcp_compat_model::observation::{Layer, PeerError};

/// Rejects an object whose `_meta` has an invalid name.
///
/// # Errors
/// The first such name.
pub(crate) fn require_names(object: &str, what: &str) -> Result<(), PeerError> {
    let object = Object::read(object);
    let Some(mut meta) = object.as_ref().and_then(|object| object.get("_meta")).and_then(Object::read) else {
        return Ok(());
    };
    match meta.members_mut().find(|member| !member.key().is_some_and(is_name)) {
        None => Ok(()),
        Some(member) => {
            let message = format!("{what}: metadata key {:?} has an invalid name", member.key().unwrap_or_default());
            Err(PeerError { layer: Layer::Decode, code: None, message })
        }
    }
}

fn is_name(key: &str) -> bool {
    let (prefix, word) = key.split_once('/').map_or((None, key), |(prefix, word)| (Some(prefix), word));
    prefix.is_none_or(|prefix| prefix.split('.').all(is_label)) && is_word(word)
}

/// Letters, digits and hyphens, from a letter to a letter or digit.
fn is_label(label: &str) -> bool {
    label.starts_with(|c: char| c.is_ascii_alphabetic())
        && label.ends_with(|c: char| c.is_ascii_alphanumeric())
        && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// Empty, or letters, digits, hyphens, underscores and dots, from a letter or digit to a letter or digit.
fn is_word(word: &str) -> bool {
    let ends = |c: char| c.is_ascii_alphanumeric();
    word.is_empty()
        || (word.starts_with(ends)
            && word.ends_with(ends)
            && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_grammar() {
        for name in ["progressToken", "io.modelcontextprotocol/serverInfo", "com.example/", "a.b-c1/x_y.z", ""] {
            assert!(is_name(name), "{name:?}");
        }
        for name in ["_fastmcp", "1a/x", "a..b/x", "a/b/c", "a-/x", "x-", "ü", "a b"] {
            assert!(!is_name(name), "{name:?}");
        }
    }
}
