//! Hostile schemas: they neither take long nor exhaust the stack.

use mcp_compat_json::MAX_DEPTH;
use mcp_compat_schema::inclusion::{Inclusion, endless_reference, inclusion};
use rstest::rstest;

use crate::json;

/// A schema of that many choices, each of two branches that need not part.
fn choices(count: usize, last: &str) -> String {
    let choice = |at: usize| format!(r#"{{"anyOf":[{{"minLength":{at}}},{{"maxLength":{at}}},{{"pattern":"{at}"}}]}}"#);
    let all: Vec<String> = (0..count).map(choice).collect();
    format!(r#"{{"type":"string","allOf":[{}],{last}}}"#, all.join(","))
}

/// Objects in one another, each with several members.
fn nested(depth: usize, leaf: &str) -> String {
    (0..depth).fold(leaf.to_owned(), |inner, _| {
        format!(r#"{{"type":"object","required":["a"],"properties":{{"a":{inner},"b":{{"type":"string"}}}}}}"#)
    })
}

/// A definition that refers to itself in many places.
fn tangled(extra: &str) -> String {
    let members: Vec<String> =
        (0..12).map(|at| format!(r##""m{at}":{{"anyOf":[{{"$ref":"#"}},{{"type":"null"}}]}}"##)).collect();
    format!(r#"{{"type":["object","null"],{extra}"properties":{{{}}}}}"#, members.join(","))
}

#[rstest]
#[case::choices_that_multiply(choices(40, r#""title":"a""#), choices(39, r#""title":"b""#))]
#[case::choices_on_both_sides(choices(30, r#""maxLength":9"#), choices(30, r#""maxLength":8"#))]
#[case::deep(nested(40, r#"{"type":"integer"}"#), nested(40, r#"{"type":"number"}"#))]
#[case::deep_and_wrong(nested(40, r#"{"type":"number"}"#), nested(40, r#"{"type":"integer"}"#))]
#[case::tangled(tangled(r#""maxProperties":3,"#), tangled(r#""maxProperties":4,"#))]
#[case::tangled_and_wrong(tangled(r#""maxProperties":4,"#), tangled(r#""maxProperties":3,"#))]
#[case::denied_over_and_over(r##"{"not":{"not":{"not":{"$ref":"#"}}}}"##.to_owned(), r##"{"not":{"$ref":"#"}}"##.to_owned())]
#[case::referring_to_itself(r##"{"$ref":"#"}"##.to_owned(), r##"{"allOf":[{"$ref":"#"},{"$ref":"#"}]}"##.to_owned())]
#[case::a_slow_pattern(
    r#"{"type":"string","minLength":60}"#.to_owned(),
    r#"{"type":"string","pattern":"^(a|aa|a*)*(?=b)$"}"#.to_owned()
)]
#[case::many_names(
    format!(r#"{{"type":"object","properties":{{{}}}}}"#, (0..1_000).map(|at| format!(r#""n{at}":{{"type":"integer"}}"#)).collect::<Vec<_>>().join(",")),
    format!(r#"{{"type":"object","patternProperties":{{"^n":{{"type":"number"}}}},"additionalProperties":{{"maxLength":{}}}}}"#, 3)
)]
#[case::huge_counts(r#"{"type":"array","minItems":4000000000}"#.to_owned(), r#"{"type":"array","minItems":5000000000}"#.to_owned())]
fn an_answer_comes(#[case] a: String, #[case] b: String) {
    // Which one does not matter, as long as there is one.
    let _: Inclusion = inclusion(&json(&a), &json(&b));
}

/// A list of so many parts, below a name of so many bytes.
fn far_below(bytes: usize, parts: usize, part: impl Fn(usize) -> String) -> String {
    let parts: Vec<String> = (0..parts).map(part).collect();
    format!(r#"{{"properties":{{"{}":{{"anyOf":[{}]}}}}}}"#, "k".repeat(bytes), parts.join(","))
}

/// If each part or reference had its pointer, some of these would take gigabytes. If a name were looked for among all
/// members, the others would take minutes.
#[rstest]
#[case::below_a_long_name(far_below(200_000, 100_000, |_| "true".to_owned()))]
#[case::anchors_below_a_long_name(far_below(200_000, 50_000, |at| format!(r#"{{"$anchor":"a{at}"}}"#)))]
#[case::references_to_an_anchor_below_a_long_name(format!(
    r#"{{"anyOf":[{}],"properties":{{"{}":{{"$anchor":"a"}}}}}}"#,
    vec![r##"{"$ref":"#a"}"##; 50_000].join(","),
    "k".repeat(500_000)
))]
#[case::references_to_a_part_with_an_address_and_very_many_members(format!(
    r#"{{"anyOf":[{}],"$defs":{{"first":{{"$id":"https://example.com/first",{}}}}}}}"#,
    vec![r##"{"$ref":"#/$defs/first"}"##; 50_000].join(","),
    (0..100_000).map(|at| format!(r#""d{at}":0"#)).collect::<Vec<_>>().join(",")
))]
#[case::a_branch_given_very_many_times(format!("{{{}}}", vec![r#""then":0"#; 200_000].join(",")))]
#[case::the_same_in_draft_7(format!(
    r#"{{"$schema":"http://json-schema.org/draft-07/schema#",{}}}"#,
    vec![r#""then":0"#; 200_000].join(",")
))]
#[case::references_to_one_of_very_many(format!(
    r#"{{"anyOf":[{}],"$defs":{{"first":{{}},{}}}}}"#,
    vec![r##"{"$ref":"#/$defs/first"}"##; 50_000].join(","),
    (0..100_000).map(|at| format!(r#""d{at}":0"#)).collect::<Vec<_>>().join(",")
))]
#[case::references_in_a_row(format!(
    r##"{{"$ref":"#/$defs/d0","$defs":{{{},"d20000":{{}}}}}}"##,
    (0..20_000).map(|at| format!(r##""d{at}":{{"$ref":"#/$defs/d{}"}}"##, at + 1)).collect::<Vec<_>>().join(",")
))]
fn a_search_that_finds_nothing_takes_linear_time_and_memory(#[case] schema: String) {
    assert_eq!(endless_reference(&json(&schema)), None);
}

#[test]
fn the_greatest_depth_takes_half_the_stack_that_threads_have() {
    let search = || {
        for (open, close) in [(r#"{"not":"#, "}"), (r#"{"anyOf":["#, "]}")] {
            let levels = (MAX_DEPTH - 2) / open.matches(['[', '{']).count();
            let schema = format!(r##"{}{{"$ref":"#"}}{}"##, open.repeat(levels), close.repeat(levels));
            assert_eq!(endless_reference(&json(&schema)).as_deref(), Some("#"));
        }
    };
    let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(search);
    thread.expect("a thread can be started").join().expect("it ends");
}
