//! Second opinions: slow, simple, and sharing no code with what they check.

use mcp_compat_json::{Json, JsonString, Object};
use std::cmp::Ordering;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The value of a lexeme with an exponent that can be written out: its sign, and its digits before and after the
/// point, a thousand of each.
pub(crate) fn written_out(lexeme: &str) -> (bool, Vec<u8>) {
    let unsigned = lexeme.trim_start_matches('-');
    let lower = unsigned.to_lowercase();
    let (mantissa, exponent) = lower.split_once('e').unwrap_or((&lower, "0"));
    let exponent: isize = exponent.parse().expect("a short exponent");
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut digits = vec![0; 3000];
    for (at, digit) in whole.bytes().chain(fraction.bytes()).enumerate() {
        let place = 1500 - exponent - whole.len() as isize + at as isize;
        digits[usize::try_from(place).expect("a place before or after the point")] = digit - b'0';
    }
    (unsigned.len() < lexeme.len() && digits.iter().any(|digit| *digit > 0), digits)
}

pub(crate) fn compare_written_out(one: &str, other: &str) -> Ordering {
    match (written_out(one), written_out(other)) {
        ((false, one), (false, other)) => one.cmp(&other),
        ((true, one), (true, other)) => other.cmp(&one),
        ((true, _), (false, _)) => Ordering::Less,
        ((false, _), (true, _)) => Ordering::Greater,
    }
}

pub(crate) fn integer_written_out(lexeme: &str) -> Option<i64> {
    let (negative, digits) = written_out(lexeme);
    let (whole, fraction) = digits.split_at(1500);
    if fraction.iter().any(|digit| *digit > 0) {
        return None;
    }
    let digits: String = whole.iter().map(|digit| char::from(digit + b'0')).collect();
    format!("{}{digits}", if negative { "-" } else { "" }).parse().ok()
}

/// Equality word for word as it is defined, at whatever cost.
pub(crate) fn equal_by_definition(one: &Json, other: &Json) -> bool {
    match (one, other) {
        (Json::Object(one), Json::Object(other)) => {
            let values = |object: &Object, key: &JsonString| -> Vec<Json> {
                object.iter().filter(|(name, _)| *name == key).map(|(_, value)| value.clone()).collect()
            };
            one.iter().chain(other.iter()).all(|(key, _)| {
                let (one, other) = (values(one, key), values(other, key));
                one.len() == other.len() && one.iter().zip(&other).all(|(one, other)| equal_by_definition(one, other))
            })
        }
        (Json::Array(one), Json::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| equal_by_definition(one, other))
        }
        (Json::Number(one), Json::Number(other)) => compare_written_out(one.lexeme(), other.lexeme()).is_eq(),
        _ => one.to_compact() == other.to_compact(),
    }
}

/// The same value with the keys of every object in another order, the values of one key in theirs.
pub(crate) fn reordered(value: &Json, seed: u64) -> Json {
    let rank = |key: &JsonString| {
        let mut hasher = DefaultHasher::new();
        (seed, key).hash(&mut hasher);
        hasher.finish()
    };
    match value {
        Json::Object(object) => {
            let mut members: Vec<_> = object.iter().map(|(key, value)| (key.clone(), reordered(value, seed))).collect();
            members.sort_by_key(|(key, _)| rank(key));
            Json::Object(members.into_iter().collect())
        }
        Json::Array(elements) => Json::Array(elements.iter().map(|element| reordered(element, seed)).collect()),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => value.clone(),
    }
}

pub(crate) fn lexemes(value: &Json) -> Vec<String> {
    match value {
        Json::Number(number) => vec![number.lexeme().to_owned()],
        Json::Array(elements) => elements.iter().flat_map(lexemes).collect(),
        Json::Object(object) => object.iter().flat_map(|(_, value)| lexemes(value)).collect(),
        Json::Null | Json::Bool(_) | Json::String(_) => Vec::new(),
    }
}

pub(crate) fn repeats_a_key(value: &Json) -> bool {
    match value {
        Json::Object(object) => {
            let keys: Vec<_> = object.iter().map(|(key, _)| key).collect();
            (1..keys.len()).any(|at| keys[..at].contains(&keys[at]))
                || object.iter().any(|(_, value)| repeats_a_key(value))
        }
        Json::Array(elements) => elements.iter().any(repeats_a_key),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => false,
    }
}
