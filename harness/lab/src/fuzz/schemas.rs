//! Untrusted schemas: the validator ends and agrees with one without a budget, and inclusion claims nothing false.

use mcp_compat_json::{Json, JsonString};
use mcp_compat_schema::inclusion::{Conformance, Inclusion, Schemas, Validity};

use crate::fuzz::draw::Draw;
use crate::fuzz::mutate::values;

/// Number of values that are drawn to check a proof.
const DRAWN: usize = 40;

fn documents(bytes: &[u8]) -> Vec<Json> {
    let text = str::from_utf8(bytes).unwrap_or_default();
    values(text).into_iter().filter_map(|text| Json::parse(text).ok()).take(12).collect()
}

/// Runs the target. The first value is a schema, the others are instances.
pub(crate) fn validator(bytes: &[u8]) {
    let documents = documents(bytes);
    let Some((schema, given)) = documents.split_first() else { return };
    let schemas = Schemas::default();
    let plain = plain(schema);
    let mut draw = Draw::new(schema, bytes.len() as u64);
    let drawn: Vec<Json> = (0..4).map(|_| draw.value()).collect();
    for value in given.iter().chain(&drawn) {
        let conformance = schemas.check(schema, value);
        let decided = match conformance {
            Conformance::Conforms => true,
            Conformance::Violates { .. } => false,
            Conformance::Undecided { .. } => continue,
        };
        let (Some(plain), Ok(held)) = (&plain, value.to_value()) else { continue };
        assert_eq!(decided, plain.is_valid(&held), "{value} by {schema}");
    }
}

/// Returns the validator without a budget; `None` for a schema that it reads differently.
fn plain(schema: &Json) -> Option<jsonschema::Validator> {
    // The validator under test reads patterns by ECMA-262, and knows only the drafts of MCP.
    if has_key(schema, &["pattern", "patternProperties", "format", "$schema", "$id", "id"]) {
        return None;
    }
    if Schemas::default().validity(schema) != Validity::Valid {
        return None;
    }
    let options = jsonschema::options().with_draft(jsonschema::Draft::Draft202012).should_validate_formats(false);
    options.build(&schema.to_value().ok()?).ok()
}

fn has_key(json: &Json, keys: &[&str]) -> bool {
    let is = |key: &JsonString| key.as_str().is_none_or(|key| keys.contains(&key));
    match json {
        Json::Object(members) => members.iter().any(|(key, value)| is(key) || has_key(value, keys)),
        Json::Array(elements) => elements.iter().any(|element| has_key(element, keys)),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => false,
    }
}

/// Runs the target. The first two values are schemas, the others are instances. No instance contradicts an inclusion,
/// and an exclusion has a witness.
pub(crate) fn inclusion(bytes: &[u8]) {
    let documents = documents(bytes);
    let [first, second, given @ ..] = documents.as_slice() else { return };
    let schemas = Schemas::default();
    match schemas.inclusion(first, second) {
        Inclusion::Included => {
            let mut by_first = Draw::new(first, bytes.len() as u64);
            let mut by_second = Draw::new(second, bytes.len() as u64);
            let drawn: Vec<Json> = (0..DRAWN).flat_map(|_| [by_first.value(), by_second.value()]).collect();
            for value in given.iter().chain(&drawn) {
                let taken = schemas.check(first, value) == Conformance::Conforms;
                let refused = taken && matches!(schemas.check(second, value), Conformance::Violates { .. });
                assert!(!refused, "{value} is in {first} and not in {second}");
            }
        }
        Inclusion::Excluded { witness, .. } => {
            assert_eq!(schemas.check(first, &witness), Conformance::Conforms, "{witness} by {first}");
            let refused = matches!(schemas.check(second, &witness), Conformance::Violates { .. });
            assert!(refused, "{witness} is in {second}");
            if let (Some(first), Some(second), Ok(held)) = (plain(first), plain(second), witness.to_value()) {
                assert!(first.is_valid(&held) && !second.is_valid(&held), "{witness} without a meter");
            }
        }
        Inclusion::Unknown { .. } => {}
    }
}
