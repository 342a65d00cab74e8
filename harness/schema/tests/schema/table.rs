//! Pairs of schemas, each with the expected answer.

use mcp_compat_schema::inclusion::{Conformance, check};
use mcp_compat_schema::inclusion::{Inclusion, inclusion};
use rstest::rstest;

use crate::json;

/// The expected answer.
#[derive(Debug)]
enum Said {
    Included,
    /// And where in the second schema it is refused.
    Excluded(&'static str),
    /// And where in the second schema it was not shown.
    Unknown(&'static str),
}

use Said::{Excluded, Included, Unknown};

const DRAFT_7: &str = r#""$schema":"http://json-schema.org/draft-07/schema#""#;

#[rstest]
// The same.
#[case::equal(r#"{"type":"object"}"#, r#"{"type":"object"}"#, Included)]
#[case::equal_but_for_order(r#"{"type":"array","minItems":1}"#, r#"{"minItems":1.0,"type":"array"}"#, Included)]
#[case::words_only(r#"{"type":"string","title":"A"}"#, r#"{"description":"B","type":"string"}"#, Included)]
#[case::equal_though_elsewhere(r#"{"$ref":"https://example.com/a"}"#, r#"{"$ref":"https://example.com/a"}"#, Included)]
// Everything and nothing.
#[case::anything_is_anything("true", "{}", Included)]
#[case::nothing_is_something("false", r#"{"type":"string"}"#, Included)]
#[case::nothing_in_other_words(r#"{"not":{}}"#, r#"{"type":"string"}"#, Included)]
#[case::something_is_not_nothing(r#"{"type":"string"}"#, "false", Excluded(""))]
#[case::anything_is_not_a_string("{}", r#"{"type":"string"}"#, Excluded("/type"))]
// Types.
#[case::an_integer_is_a_number(r#"{"type":"integer"}"#, r#"{"type":"number"}"#, Included)]
#[case::a_number_is_no_integer(r#"{"type":"number"}"#, r#"{"type":"integer"}"#, Excluded("/type"))]
#[case::multiples_of_one_are_integers(r#"{"type":"number","multipleOf":1}"#, r#"{"type":"integer"}"#, Included)]
#[case::null_added(r#"{"type":["string","null"]}"#, r#"{"type":"string"}"#, Excluded("/type"))]
#[case::null_removed(r#"{"type":"string"}"#, r#"{"type":["string","null"]}"#, Included)]
#[case::types_as_branches(
    r#"{"type":["string","null"]}"#,
    r#"{"anyOf":[{"type":"null"},{"type":"string"}]}"#,
    Included
)]
#[case::branches_as_types(
    r#"{"oneOf":[{"type":"null"},{"type":"string"}]}"#,
    r#"{"type":["string","null"]}"#,
    Included
)]
// Constants.
#[case::enum_narrowed(r#"{"enum":["a"]}"#, r#"{"enum":["a","b"]}"#, Included)]
#[case::enum_widened(r#"{"enum":["a","b","c"]}"#, r#"{"enum":["a","b"]}"#, Excluded("/enum"))]
#[case::one_is_one_point_zero(r#"{"const":1.0}"#, r#"{"type":"integer","maximum":1}"#, Included)]
#[case::both_truths(r#"{"type":"boolean"}"#, r#"{"enum":[true,false]}"#, Included)]
#[case::constant_within_its_type(r#"{"type":"string","enum":["a",1]}"#, r#"{"const":"a"}"#, Included)]
#[case::constants_and_a_pattern(r#"{"enum":["abc","x"],"minLength":2}"#, r#"{"pattern":"^a"}"#, Included)]
// Numbers.
#[case::bounds_narrowed(r#"{"type":"number","minimum":2,"maximum":3}"#, r#"{"type":"number","minimum":1.5}"#, Included)]
#[case::bounds_widened(r#"{"type":"integer","minimum":0}"#, r#"{"type":"integer","minimum":1}"#, Excluded("/minimum"))]
#[case::open_bound(r#"{"type":"number","minimum":0}"#, r#"{"exclusiveMinimum":0}"#, Excluded("/exclusiveMinimum"))]
#[case::open_bound_of_integers(r#"{"type":"integer","exclusiveMinimum":0}"#, r#"{"minimum":1}"#, Included)]
#[case::beyond_doubles(r#"{"type":"integer","minimum":9007199254740993}"#, r#"{"minimum":9007199254740992}"#, Included)]
#[case::no_number_in_between(r#"{"type":"integer","exclusiveMinimum":1,"exclusiveMaximum":2}"#, "false", Included)]
#[case::multiples(r#"{"type":"integer","multipleOf":6}"#, r#"{"multipleOf":3}"#, Included)]
#[case::no_multiples(r#"{"type":"integer","multipleOf":3}"#, r#"{"multipleOf":6}"#, Excluded("/multipleOf"))]
// Strings.
#[case::length_narrowed(
    r#"{"type":"string","minLength":2,"maxLength":4}"#,
    r#"{"minLength":1,"maxLength":5}"#,
    Included
)]
#[case::length_widened(
    r#"{"type":"string","maxLength":9}"#,
    r#"{"type":"string","maxLength":8}"#,
    Excluded("/maxLength")
)]
#[case::same_pattern(r#"{"type":"string","pattern":"^[a-z]+$","minLength":1}"#, r#"{"pattern":"^[a-z]+$"}"#, Included)]
#[case::pattern_added(r#"{"type":"string"}"#, r#"{"type":"string","pattern":"^[0-9]+$"}"#, Excluded("/pattern"))]
#[case::patterns_that_imply(r#"{"type":"string","pattern":"^ab"}"#, r#"{"pattern":"^a"}"#, Unknown("/pattern"))]
#[case::formats_say_nothing(r#"{"type":"string"}"#, r#"{"type":"string","format":"email"}"#, Included)]
// Objects.
#[case::optional_added(r#"{"type":"object","properties":{"a":{"type":"string"}}}"#, r#"{"type":"object"}"#, Included)]
#[case::optional_added_to_closed(
    r#"{"type":"object","properties":{"a":{},"b":{}},"additionalProperties":false}"#,
    r#"{"type":"object","properties":{"a":{}},"additionalProperties":false}"#,
    Excluded("/additionalProperties")
)]
#[case::required_added(r#"{"type":"object","required":["a","b"]}"#, r#"{"required":["a"]}"#, Included)]
#[case::required_removed(r#"{"type":"object","required":["a"]}"#, r#"{"required":["a","b"]}"#, Excluded("/required"))]
#[case::closed(
    r#"{"type":"object","properties":{"a":{}},"additionalProperties":false}"#,
    r#"{"properties":{"a":{}}}"#,
    Included
)]
#[case::opened(
    r#"{"type":"object","properties":{"a":{}}}"#,
    r#"{"properties":{"a":{}},"additionalProperties":false}"#,
    Excluded("/additionalProperties")
)]
#[case::a_member_of_another_type(
    r#"{"type":"object","properties":{"a":{"type":"integer"}}}"#,
    r#"{"type":"object","properties":{"a":{"type":"string"}}}"#,
    Excluded("/properties/a/type")
)]
#[case::a_member_no_longer_described(
    r#"{"type":"object"}"#,
    r#"{"properties":{"a":{"type":"string"}}}"#,
    Excluded("/properties/a/type")
)]
#[case::a_pattern_of_names(
    r#"{"type":"object","properties":{"x-a":{"type":"integer"}},"additionalProperties":{"type":"integer"}}"#,
    r#"{"patternProperties":{"^x-":{"type":"number"}}}"#,
    Included
)]
#[case::a_pattern_that_covers_a_name(
    r#"{"properties":{"x-a":{"const":1}},"patternProperties":{"^x-":{"type":"integer"}},"additionalProperties":false,"type":"object"}"#,
    r#"{"patternProperties":{"^x-":{"type":"integer"}},"additionalProperties":false}"#,
    Included
)]
#[case::names(r#"{"type":"object","propertyNames":{"maxLength":3}}"#, r#"{"propertyNames":{"maxLength":4}}"#, Included)]
#[case::names_of_a_closed_object(
    r#"{"type":"object","properties":{"ab":{}},"additionalProperties":false}"#,
    r#"{"propertyNames":{"maxLength":2}}"#,
    Included
)]
#[case::members_counted_by_their_names(
    r#"{"type":"object","required":["a"],"properties":{"a":{},"b":{}},"additionalProperties":false}"#,
    r#"{"minProperties":1,"maxProperties":2}"#,
    Included
)]
#[case::a_member_that_cannot_be(r#"{"type":"object","required":["a"],"properties":{"a":false}}"#, "false", Included)]
#[case::dependent_required(r#"{"type":"object","required":["b"]}"#, r#"{"dependentRequired":{"a":["b"]}}"#, Included)]
#[case::dependent_required_added(
    r#"{"type":"object"}"#,
    r#"{"dependentRequired":{"a":["b"]}}"#,
    Excluded("/dependentRequired")
)]
#[case::unevaluated_is_additional(
    r#"{"type":"object","properties":{"a":{}},"unevaluatedProperties":false}"#,
    r#"{"properties":{"a":{}},"additionalProperties":false}"#,
    Included
)]
#[case::unevaluated_across_branches(
    r#"{"type":"object","properties":{"a":{}},"additionalProperties":false}"#,
    r#"{"allOf":[{"properties":{"a":{}}}],"unevaluatedProperties":false}"#,
    Unknown("/unevaluatedProperties")
)]
// Arrays.
#[case::items_narrowed(r#"{"type":"array","items":{"type":"integer"}}"#, r#"{"items":{"type":"number"}}"#, Included)]
#[case::items_widened(
    r#"{"type":"array","items":{"type":"number"}}"#,
    r#"{"items":{"type":"integer"}}"#,
    Excluded("/items/type")
)]
#[case::a_tuple_of_its_items(
    r#"{"type":"array","prefixItems":[{"const":1},{"const":2}],"items":false}"#,
    r#"{"items":{"type":"integer"},"maxItems":2}"#,
    Included
)]
#[case::a_tuple_reopened(
    r#"{"type":"array","prefixItems":[{"const":1}]}"#,
    r#"{"prefixItems":[{"const":1}],"items":false}"#,
    Excluded("/items")
)]
#[case::at_least_one(r#"{"type":"array"}"#, r#"{"type":"array","minItems":1}"#, Excluded("/minItems"))]
#[case::one_has_nothing_to_repeat(r#"{"type":"array","maxItems":1}"#, r#"{"uniqueItems":true}"#, Included)]
#[case::may_repeat(
    r#"{"type":"array","items":{"type":"boolean"}}"#,
    r#"{"uniqueItems":true}"#,
    Excluded("/uniqueItems")
)]
#[case::contains(
    r#"{"type":"array","items":{"const":1},"minItems":1}"#,
    r#"{"contains":{"type":"integer"}}"#,
    Included
)]
// Combinations.
#[case::a_branch_added(
    r#"{"anyOf":[{"type":"string"},{"type":"integer"},{"type":"null"}]}"#,
    r#"{"anyOf":[{"type":"string"},{"type":"integer"}]}"#,
    Excluded("/anyOf")
)]
#[case::a_tagged_branch_removed(
    r#"{"oneOf":[{"type":"object","required":["k"],"properties":{"k":{"const":"a"}}}]}"#,
    r#"{"oneOf":[{"type":"object","required":["k"],"properties":{"k":{"const":"a"}}},
                 {"type":"object","required":["k"],"properties":{"k":{"const":"b"}}}]}"#,
    Included
)]
#[case::two_branches_hold(
    r#"{"type":"integer"}"#,
    r#"{"oneOf":[{"type":"integer"},{"type":"number"}]}"#,
    Excluded("/oneOf")
)]
#[case::taken_together(
    r#"{"allOf":[{"type":"integer"},{"minimum":3}]}"#,
    r#"{"type":"integer","minimum":2}"#,
    Included
)]
#[case::what_must_not_be(r#"{"type":"integer"}"#, r#"{"not":{"type":"string"}}"#, Included)]
#[case::what_must_not_be_is_less(r#"{"type":"string","not":{"enum":["a","b"]}}"#, r#"{"not":{"const":"a"}}"#, Included)]
#[case::a_condition_is_met(
    r#"{"type":"object","required":["a","b"]}"#,
    r#"{"if":{"required":["a"]},"then":{"required":["b"]}}"#,
    Included
)]
#[case::a_condition_is_kept(
    r#"{"type":"integer","if":{"minimum":5},"then":{"multipleOf":4},"else":{"multipleOf":2}}"#,
    r#"{"multipleOf":2}"#,
    Included
)]
// References.
#[case::by_reference(r##"{"$ref":"#/$defs/n","$defs":{"n":{"type":"integer"}}}"##, r#"{"type":"number"}"#, Included)]
#[case::by_anchor(
    r#"{"type":"integer"}"#,
    r##"{"$ref":"#n","$defs":{"x":{"$anchor":"n","type":"number"}}}"##,
    Included
)]
#[case::a_tree_and_a_wider_one(
    r##"{"type":"object","required":["v"],"properties":{"v":{"type":"integer"},"next":{"$ref":"#"}}}"##,
    r##"{"$ref":"#/$defs/t","$defs":{"t":{"type":"object","properties":{"v":{"type":"number"},"next":{"$ref":"#/$defs/t"}}}}}"##,
    Included
)]
#[case::a_tree_and_a_narrower_one(
    r##"{"type":"object","properties":{"v":{"type":"number"},"next":{"$ref":"#"}}}"##,
    r##"{"type":"object","properties":{"next":{"$ref":"#"}},"additionalProperties":{"type":"integer"}}"##,
    Excluded("/additionalProperties/type")
)]
#[case::what_is_just_what_it_is_not(r#"{"type":"string"}"#, r##"{"not":{"$ref":"#"}}"##, Unknown(""))]
#[case::a_reference_to_itself(r##"{"anyOf":[{"$ref":"#"},{"type":"string"}]}"##, r#"{"type":"string"}"#, Unknown(""))]
#[case::a_value_that_has_no_end(
    r##"{"type":"object","required":["a"],"properties":{"a":{"$ref":"#"}}}"##,
    r#"{"maxProperties":0}"#,
    Unknown("/maxProperties")
)]
// Dialects.
#[case::items_of_draft_7(
    &format!(r#"{{{DRAFT_7},"type":"array","items":[{{"type":"integer"}}],"additionalItems":false}}"#),
    r#"{"type":"array","prefixItems":[{"type":"number"}],"maxItems":1}"#,
    Included
)]
#[case::prefix_items_mean_nothing_in_draft_7(
    &format!(r#"{{{DRAFT_7},"type":"array","prefixItems":[{{"type":"integer"}}]}}"#),
    r#"{"type":"array","prefixItems":[{"type":"integer"}]}"#,
    Excluded("/prefixItems/0/type")
)]
#[case::a_reference_hides_its_neighbours_in_draft_7(
    &format!(r##"{{{DRAFT_7},"type":"array","items":{{"$ref":"#/definitions/n","maximum":1}},"definitions":{{"n":{{"type":"integer"}}}}}}"##),
    r#"{"items":{"maximum":1}}"#,
    Excluded("/items/maximum")
)]
#[case::another_dialect(
    r#"{"$schema":"http://json-schema.org/draft-06/schema#","type":"integer"}"#,
    r#"{"type":"number"}"#,
    Unknown("")
)]
#[case::an_unknown_dialect(r#"{"$schema":"https://example.com/mine"}"#, "{}", Unknown(""))]
#[case::elsewhere(r#"{"$ref":"https://example.com/a"}"#, "{}", Unknown(""))]
#[case::no_schema(r#"{"type":"strnig"}"#, "{}", Unknown(""))]
#[case::a_key_given_twice(r#"{"type":"string","type":"null"}"#, "{}", Unknown(""))]
fn what_is_said_of_a_pair(#[case] a: &str, #[case] b: &str, #[case] expected: Said) {
    let (a, b) = (json(a), json(b));
    let found = inclusion(&a, &b);
    match (&expected, &found) {
        (Included, Inclusion::Included) => {}
        (Excluded(place), Inclusion::Excluded { witness, pointer, .. }) => {
            assert_eq!(place, pointer, "of {witness}");
            assert_eq!(check(&a, witness), Conformance::Conforms, "{witness}");
            assert!(matches!(check(&b, witness), Conformance::Violates { .. }), "{witness}");
        }
        (Unknown(place), Inclusion::Unknown { pointer, why }) => assert_eq!(place, pointer, "{why}"),
        (Included | Excluded(_) | Unknown(_), _) => panic!("{expected:?} expected, not {found:?}"),
    }
}

#[test]
fn one_value_more_in_a_long_list_is_found() {
    let listed = |many: usize| {
        let values: Vec<String> = (0..many).map(|at| format!("\"v{at:03}\"")).collect();
        json(&format!(r#"{{"type":"object","properties":{{"state":{{"enum":[{}]}}}}}}"#, values.join(",")))
    };
    let found = inclusion(&listed(801), &listed(800));
    let Inclusion::Excluded { witness, .. } = found else { panic!("{found:?}") };
    assert_eq!(witness.to_compact(), r#"{"state":"v800"}"#);
}

#[test]
fn the_witness_is_the_plainest_there_is() {
    let schema = |ids: &str| {
        json(&format!(
            r#"{{"type":"array","items":{{"type":"object","required":["id"],"properties":{{"id":{ids}}}}}}}"#
        ))
    };
    let Inclusion::Excluded { witness, message, .. } =
        inclusion(&schema(r#"{"type":["string","integer"]}"#), &schema(r#"{"type":"string"}"#))
    else {
        panic!("an integer is no string");
    };
    assert_eq!(witness, json(r#"[{"id":0}]"#));
    assert_eq!(message, r#"0 is not of type "string""#);
}
