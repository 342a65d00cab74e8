//! Descriptions of the violations beside the first one.
//!
//! A check ends at the first violation. The others are looked for only where a violation is reported, because the second look
//! costs as much as the first.

use crate::validator::{Violation, Violations};
use mcp_compat_json::Json;
use mcp_compat_model::excerpt::{bounded, excerpt};

use super::kept;

/// Number of violations that are reported beside the first.
const REPORTED: usize = 2;

/// Report of further violations that cannot be counted within the budget.
const NOT_COUNTED: &str = ". Other violations were not counted, because that takes too much work";

/// Length up to which a place in a value is reported.
const PLACE: usize = 120;

/// The violations beside the first one, which [`super::check`] has found at a place in the value with a message: a few in
/// words, and the number of the rest. Empty if the first one is the only one, and else to be put behind its message.
pub fn further_violations(schema: &Json, value: &Json, place: &str, message: &str) -> String {
    // One more than is reported, since the first one is among them.
    let found = kept::compiled(schema, false).violations(value, REPORTED + 1);
    words(&found, &|violation| violation.instance_pointer == place && excerpt(&violation.message) == message)
}

fn words(found: &Violations, is_first: &dyn Fn(&Violation) -> bool) -> String {
    let further: Vec<&Violation> = found.first.iter().filter(|violation| !is_first(violation)).take(REPORTED).collect();
    if further.is_empty() {
        return if found.is_complete { String::new() } else { NOT_COUNTED.to_owned() };
    }
    let mut reported: Vec<String> = further.iter().map(|violation| one(violation)).collect();
    match (found.number.saturating_sub(1 + further.len()), found.is_complete) {
        (0, true) => {}
        (others, true) => reported.push(format!("and {others} more")),
        (_, false) => reported.push("and perhaps more".to_owned()),
    }
    let label = if reported.len() == 1 { "Another violation" } else { "Other violations" };
    format!(". {label}: {}", reported.join("; "))
}

fn one(violation: &Violation) -> String {
    let place = match violation.instance_pointer.as_str() {
        "" => "its root".to_owned(),
        pointer => bounded(pointer, PLACE),
    };
    format!("at {place}: {}", excerpt(&violation.message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inclusion::validator::{Conformance, check};

    fn further(schema: &str, value: &str) -> String {
        let (schema, value) = (Json::parse(schema).unwrap(), Json::parse(value).unwrap());
        match check(&schema, &value) {
            Conformance::Violates { instance_pointer, message, .. } => {
                further_violations(&schema, &value, &instance_pointer, &message)
            }
            other @ (Conformance::Conforms | Conformance::Undecided { .. }) => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_single_violation_stands_alone() {
        assert_eq!(further(r#"{"type": "object", "required": ["a"]}"#, "{}"), "");
        assert_eq!(further(r#"{"anyOf": [{"type": "string"}, {"type": "null"}]}"#, "1"), "");
    }

    #[test]
    fn the_others_are_told_with_their_places() {
        let schema = r#"{"properties": {"a": {"type": "integer"}, "b": {"type": "string"}}, "required": ["c"]}"#;
        let said = further(schema, r#"{"a": "x", "b": 1, "c": 1}"#);
        assert_eq!(said, ". Another violation: at /b: 1 is not of type \"string\"");
        // The first violation is that of `required`.
        let said = further(schema, r#"{"a": "x", "b": 1}"#);
        assert_eq!(
            said,
            ". Other violations: at /a: \"x\" is not of type \"integer\"; at /b: 1 is not of type \"string\""
        );
    }

    #[test]
    fn many_are_counted() {
        let value = format!("[{}]", vec!["0"; 40].join(","));
        let said = further(r#"{"items": {"type": "string"}}"#, &value);
        assert_eq!(
            said,
            ". Other violations: at /1: 0 is not of type \"string\"; at /2: 0 is not of type \"string\"; and 37 more"
        );
    }

    #[test]
    fn a_count_that_takes_too_much_work_is_not_finished() {
        let value = format!("[{}]", vec!["0"; 40_000].join(","));
        assert_eq!(further(r#"{"items": {"type": "string"}}"#, &value), NOT_COUNTED);
    }
}
