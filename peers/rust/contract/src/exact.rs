//! Reads JSON only where nothing of it is lost.
//!
//! An SDK that models values as `serde_json::Value` cannot send a duplicate key, or a number that does not fit. Were
//! such a script played all the same, the server would be blamed for a value that this adapter had already changed.
//! So the script is refused with the reason, and the adapter says `unsupported`.

use std::collections::HashSet;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};

/// Reads a message of the contract.
///
/// # Errors
/// When it is not the message expected, or holds a value that `serde_json::Value` would change.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    match lost(text) {
        Some(reason) => Err(reason),
        None => serde_json::from_str(text).map_err(|error| error.to_string()),
    }
}

/// Makes a value of an SDK's type, if that type holds all of it.
///
/// # Errors
/// When the type refuses the value, or would not give it back as it was.
pub fn typed<T: DeserializeOwned + Serialize>(what: &str, value: &Value) -> Result<T, String> {
    let typed =
        serde_json::from_value(value.clone()).map_err(|error| format!("the SDK cannot represent {what} ({error})"))?;
    same(what, value, &typed)?;
    Ok(typed)
}

/// Returns whether an SDK's value gives back exactly what it was made of.
///
/// # Errors
/// Says where it differs.
pub fn same(what: &str, value: &Value, typed: &impl Serialize) -> Result<(), String> {
    let held = serde_json::to_value(typed).map_err(|error| format!("the SDK cannot represent {what} ({error})"))?;
    match difference(value, &held, String::new()) {
        None => Ok(()),
        Some(pointer) => Err(format!("the SDK changes {} in {what}", quoted(&pointer))),
    }
}

fn quoted(pointer: &str) -> &str {
    if pointer.is_empty() { "the whole value" } else { pointer }
}

/// The pointer to the first difference.
fn difference(left: &Value, right: &Value, at: String) -> Option<String> {
    match (left, right) {
        (Value::Object(left), Value::Object(right)) => {
            let keys: HashSet<_> = left.keys().chain(right.keys()).collect();
            let mut keys: Vec<_> = keys.into_iter().collect();
            keys.sort();
            keys.into_iter().find_map(|key| {
                let at = format!("{at}/{key}");
                match (left.get(key), right.get(key)) {
                    (Some(left), Some(right)) => difference(left, right, at),
                    _ => Some(at),
                }
            })
        }
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => left
            .iter()
            .zip(right)
            .enumerate()
            .find_map(|(index, (left, right))| difference(left, right, format!("{at}/{index}"))),
        _ => (left != right).then_some(at),
    }
}

/// Returns what `serde_json::Value` would change of a JSON text: a number that does not fit, or a key that is there twice.
fn lost(text: &str) -> Option<String> {
    let mut open: Vec<HashSet<String>> = Vec::new();
    let mut rest = text;
    loop {
        let start = rest.find(|c: char| "\"{}-".contains(c) || c.is_ascii_digit())?;
        rest = &rest[start..];
        let end = match rest.as_bytes().first()? {
            b'{' => {
                open.push(HashSet::new());
                1
            }
            b'}' => {
                open.pop();
                1
            }
            b'"' => end_of_string(rest),
            _ => rest.find(|c: char| !c.is_ascii_digit() && !"+-.eE".contains(c)).unwrap_or(rest.len()),
        };
        let (token, after) = rest.split_at(end);
        rest = after;
        if token.starts_with('"') {
            if let (true, Some(keys), Ok(key)) =
                (after.trim_start().starts_with(':'), open.last_mut(), serde_json::from_str::<String>(token))
                && let Some(key) = keys.replace(key)
            {
                return Some(format!("serde_json keeps only one of two keys {key:?}"));
            }
        } else if !["{", "}"].contains(&token) && !holds(token) {
            return Some(format!("serde_json cannot represent the number {token}"));
        }
    }
}

/// Returns the length of the string at the beginning of a text, with its quotes.
fn end_of_string(text: &str) -> usize {
    let mut escaped = false;
    for (index, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return index + 1,
            _ => {}
        }
    }
    text.len()
}

/// Returns whether serde_json reads the number exactly. Without `float_roundtrip`, which an SDK's users do not get
/// either, it misreads some of 17 digits.
fn holds(lexeme: &str) -> bool {
    serde_json::from_str::<Number>(lexeme).is_ok_and(|number| decimal(lexeme) == decimal(&number.to_string()))
}

/// A decimal in one normal form: sign, digits without outer zeros, and the power of ten of the last one.
fn decimal(lexeme: &str) -> Option<(bool, String, i64)> {
    let (mantissa, exponent) = lexeme.split_once(['e', 'E']).unwrap_or((lexeme, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let (negative, whole) = whole.strip_prefix('-').map_or((false, whole), |whole| (true, whole));
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_end_matches('0');
    let zeros = i64::try_from(digits.len() - significant.len()).ok()?;
    let significant = significant.trim_start_matches('0');
    if significant.is_empty() {
        return Some((false, String::new(), 0));
    }
    let scale = i64::try_from(fraction.len()).ok()?;
    let power = exponent.parse::<i64>().ok()?.checked_add(zeros)?.checked_sub(scale)?;
    Some((negative, significant.to_owned(), power))
}

/// The `id` of a message of the contract, whatever else is wrong with it.
#[must_use]
pub fn id(text: &str) -> Option<u64> {
    #[derive(Deserialize)]
    struct Addressed {
        id: u64,
    }
    serde_json::from_str::<Addressed>(text).ok().map(|message| message.id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_serde_json_keeps_is_read() {
        for text in ["[1, 1.0, -0, 1e2, 0.1, 18446744073709551615, \"1e999 \\\" 2\"]", "{\"a\":{\"b\":1},\"b\":1}"] {
            assert!(read::<Value>(text).is_ok(), "{text}: {:?}", read::<Value>(text));
        }
    }

    #[test]
    fn a_value_that_serde_json_would_change_is_refused() {
        for text in [
            "[123456789012345678901234567890]",
            "[1e400]",
            "[18894.988582774542]",
            "[0.30000000000000000001]",
            "{\"a\":1,\"a\":2}",
            "[{\"x\": {\"a\": {}, \"b\": [{\"a\": 1}], \"\\u0061\" : 2}}]",
            "[\"\\ud800\"]",
        ] {
            assert!(read::<Value>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_message_that_cannot_be_read_still_tells_its_id() {
        assert_eq!(id(r#"{"id": 7, "script": {"x": 1e400, "y": "\ud800"}}"#), Some(7));
    }

    #[test]
    fn a_type_that_drops_a_member_does_not_hold_it() {
        #[derive(Serialize, Deserialize)]
        struct Narrow {
            name: String,
        }
        let error = typed::<Narrow>("the tool", &serde_json::json!({"name": "a", "x": {"y": 1}})).err();
        assert_eq!(error.as_deref(), Some("the SDK changes /x in the tool"));
    }
}
