//! Large schemas that differ in many places.

use rstest::rstest;

use super::*;

/// Schemas that would take longer than anybody waits if each of their differences had a budget of its own.
#[rstest]
#[case::many_properties(properties(2_000, "number"), properties(2_000, "integer"), BreaksCallers)]
#[case::alternatives_in_alternatives(
    nested(12, r#"{"type":"integer"}"#),
    nested(12, r#"{"type":"number","minimum":1}"#),
    Unknown
)]
#[case::many_alternatives(alternatives("integer"), alternatives("number"), Unknown)]
#[case::many_values(values(0, |at| format!("\"v{at}\"")), values(1, |at| format!("\"v{at}\"")), BreaksCallers)]
#[case::many_arrays(values(0, |at| format!("[{at}]")), values(1, |at| format!("[{at}]")), Unknown)]
#[case::many_patterns(patterns("b-z"), patterns("b-y"), Unknown)]
fn a_comparison_has_one_budget(#[case] old: String, #[case] new: String, #[case] effect: Effect) {
    let found = compared("inputSchema", &old, &new);
    let left_out: Vec<_> = found.all_changes().filter(|change| change.unlisted.is_some()).collect();
    assert_eq!(found.effect(), effect);
    assert!(left_out.len() <= 1 && left_out.iter().all(|change| change.effect == Unknown), "{left_out:?}");
    assert!(found.all_changes().count() <= 101);
}

/// Each of the values that show a change of a result has to have all other properties, too.
#[rstest]
#[case::few(20, BreaksCallers)]
#[case::many(2_000, Unknown)]
fn a_result_with_many_required_properties_has_one_budget(#[case] count: usize, #[case] effect: Effect) {
    let found = compared("outputSchema", &required(count, "integer"), &required(count, "number"));
    assert_eq!(found.effect(), effect);
    assert!(found.all_changes().all(|change| change.effect == effect), "{found:?}");
}

fn properties(count: usize, kind: &str) -> String {
    let all: Vec<String> = (0..count).map(|at| format!(r#""p{at}":{{"type":"{kind}"}}"#)).collect();
    format!(r#"{{"type":"object","properties":{{{}}}}}"#, all.join(","))
}

fn required(count: usize, kind: &str) -> String {
    let names: Vec<String> = (0..count).map(|at| format!(r#""p{at}""#)).collect();
    properties(count, kind).replacen('{', &format!(r#"{{"required":[{}],"#, names.join(",")), 1)
}

fn nested(levels: usize, leaf: &str) -> String {
    let level =
        |inner: String, at| format!(r#"{{"anyOf":[{inner},{{"type":"object","properties":{{"k{at}":{inner}}}}}]}}"#);
    let value = (0..levels).fold(leaf.to_owned(), level);
    format!(r#"{{"type":"object","properties":{{"v":{value}}}}}"#)
}

fn alternatives(kind: &str) -> String {
    let one = |at| {
        format!(r#"{{"type":"object","properties":{{"k":{{"const":{at}}},"a":{{"type":"{kind}"}}}},"required":["k"]}}"#)
    };
    let all: Vec<String> = (0..60).map(one).collect();
    format!(r#"{{"type":"object","properties":{{"v":{{"oneOf":[{}]}}}}}}"#, all.join(","))
}

fn values(first: usize, value: impl Fn(usize) -> String) -> String {
    let all: Vec<String> = (first..10_000).map(value).collect();
    format!(r#"{{"type":"object","properties":{{"v":{{"enum":[{}]}}}}}}"#, all.join(","))
}

fn patterns(last: &str) -> String {
    let all: Vec<String> = (0..100).map(|at| format!(r#""^a{at}[{last}]+$":{{"type":"integer"}}"#)).collect();
    format!(r#"{{"type":"object","patternProperties":{{{}}}}}"#, all.join(","))
}
