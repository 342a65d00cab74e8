//! Tests of the schema module: each answer, each dialect, and what a hostile schema may not do.

use mcp_compat_json::Json;
use rstest::rstest;

use super::*;

fn json(text: &str) -> Json {
    Json::parse(text).unwrap()
}

fn conformance_of(schema: &str, value: &str) -> Conformance {
    check(&json(schema), &json(value))
}

#[test]
fn a_conforming_value_conforms() {
    let schema = r#"{"type":"array","items":{"type":"object","required":["id"]}}"#;
    assert_eq!(conformance_of(schema, r#"[{"id":1}]"#), Conformance::Conforms);
}

#[test]
fn a_violation_says_where_and_why() {
    let schema = r#"{"type":"array","items":{"type":"object","required":["id"]}}"#;
    let Conformance::Violates { instance_pointer, schema_pointer, keyword, .. } =
        conformance_of(schema, r#"[{"id":1},{"name":1}]"#)
    else {
        unreachable!("the second item has no id");
    };
    let found = (instance_pointer.as_str(), schema_pointer.as_str(), keyword.as_str());
    assert_eq!(found, ("/1", "/items/required", "required"));
}

#[rstest]
#[case::the_default_is_2020_12(r#"{"prefixItems":[{"type":"string"}]}"#, "[1]", false)]
#[case::draft_7_does_not_know_prefix_items(
    r#"{"$schema":"http://json-schema.org/draft-07/schema#","prefixItems":[{"type":"string"}]}"#,
    "[1]",
    true
)]
#[case::draft_7_has_lists_of_items(
    r#"{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}]}"#,
    "[1]",
    false
)]
#[case::dependencies_are_of_older_dialects(r#"{"dependencies":{"a":["b"]}}"#, r#"{"a":1}"#, true)]
#[case::draft_7_has_dependencies(
    r#"{"$schema":"http://json-schema.org/draft-07/schema#","dependencies":{"a":["b"]}}"#,
    r#"{"a":1}"#,
    false
)]
#[case::a_multiple_beyond_doubles(r#"{"multipleOf":9007199254740993}"#, "9007199254740993", true)]
#[case::no_multiple_beyond_doubles(r#"{"multipleOf":9007199254740993}"#, "9007199254740994", false)]
#[case::formats_are_annotations(r#"{"type":"string","format":"email"}"#, "\"no address\"", true)]
#[case::one_is_one_point_zero(r#"{"const":1}"#, "1.0", true)]
#[case::null_is_a_value(r#"{"type":"null"}"#, "null", true)]
fn dialects_and_defaults(#[case] schema: &str, #[case] value: &str, #[case] conforms: bool) {
    assert_eq!(conformance_of(schema, value) == Conformance::Conforms, conforms);
}

#[rstest]
#[case::unknown_dialect(r#"{"$schema":"https://example.com/mine"}"#, "1")]
#[case::dialect_that_is_no_text(r#"{"$schema":7}"#, "1")]
#[case::constant_beyond_doubles(r#"{"const":123456789012345678901234567890}"#, "1")]
#[case::value_beyond_doubles(r#"{"type":"integer"}"#, "123456789012345678901234567890")]
#[case::a_key_given_twice(r#"{"type":"object"}"#, r#"{"a":1,"a":2}"#)]
#[case::an_invalid_schema(r#"{"type":"strnig"}"#, "1")]
#[case::a_reference_to_the_network(r#"{"$ref":"https://example.com/s.json"}"#, "1")]
#[case::a_reference_to_a_file(r#"{"$ref":"file:///etc/passwd"}"#, "1")]
#[case::a_dangling_reference(r##"{"$ref":"#/$defs/none"}"##, "1")]
fn what_cannot_be_said_is_undecided(#[case] schema: &str, #[case] value: &str) {
    let found = conformance_of(schema, value);
    assert!(matches!(found, Conformance::Undecided { .. }), "{found:?}");
}

#[test]
fn the_validity_of_a_schema() {
    assert_eq!(schema_is_valid(&json(r#"{"type":["object","null"]}"#)), Validity::Valid);
    assert_eq!(schema_is_valid(&json("true")), Validity::Valid);
    let Validity::Invalid { pointer, message } = schema_is_valid(&json(r#"{"properties":{"a":{"type":"strnig"}}}"#))
    else {
        unreachable!("there is no such type");
    };
    assert_eq!((&*pointer, &*message), ("/properties/a/type", "JSON Schema has no type `strnig`"));
    assert!(matches!(schema_is_valid(&json("null")), Validity::Invalid { .. }));
    let elsewhere = r#"{"$schema":"https://example.com/mine"}"#;
    assert!(matches!(schema_is_valid(&json(elsewhere)), Validity::Undecided { .. }));
}

#[test]
fn a_schema_that_refers_to_itself_still_answers() {
    for schema in [
        r##"{"$ref":"#"}"##,
        r##"{"allOf":[{"$ref":"#"}]}"##,
        r##"{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}},"$ref":"#/$defs/a"}"##,
        r##"{"$dynamicAnchor":"n","anyOf":[{"$dynamicRef":"#n"},{"type":"string"}]}"##,
        r##"{"not":{"$ref":"#"}}"##,
    ] {
        // Which answer does not matter; that there is one does.
        let _: Conformance = conformance_of(schema, "[[1]]");
    }
}

#[test]
fn a_tree_conforms_to_the_schema_of_a_tree() {
    let schema = r##"{"type":"object","properties":{"left":{"$ref":"#"},"right":{"$ref":"#"}}}"##;
    assert_eq!(conformance_of(schema, r#"{"left":{"left":{}},"right":{}}"#), Conformance::Conforms);
    assert!(matches!(conformance_of(schema, r#"{"left":{"left":1}}"#), Conformance::Violates { .. }));
}

#[test]
fn references_that_multiply_are_not_followed() {
    let mut definitions = vec![r#""d0":{"type":"integer"}"#.to_owned()];
    for level in 1..40 {
        let below = level - 1;
        definitions
            .push(format!(r##""d{level}":{{"allOf":[{{"$ref":"#/$defs/d{below}"}},{{"$ref":"#/$defs/d{below}"}}]}}"##));
    }
    let schema = format!(r##"{{"$defs":{{{}}},"$ref":"#/$defs/d39"}}"##, definitions.join(","));
    assert!(matches!(conformance_of(&schema, "1"), Conformance::Undecided { .. }));

    let schema = r##"{"items":{"allOf":[{"$ref":"#"},{"$ref":"#"}]}}"##;
    let nested = format!("{}{}", "[".repeat(60), "]".repeat(60));
    assert!(matches!(conformance_of(schema, &nested), Conformance::Undecided { .. }));
    assert_eq!(conformance_of(schema, "[[[]]]"), Conformance::Conforms);
}

#[test]
fn what_is_nested_too_deep_is_undecided() {
    let deep = |inner: &str| format!("{}{inner}{}", r#"{"items":"#.repeat(500), "}".repeat(500));
    assert!(matches!(conformance_of(&deep("{}"), "1"), Conformance::Undecided { .. }));
    let value = format!("{}{}", "[".repeat(500), "]".repeat(500));
    assert!(matches!(conformance_of(r#"{"type":"array"}"#, &value), Conformance::Undecided { .. }));
}

#[test]
fn a_pattern_that_takes_too_long_is_undecided_or_answered_at_once() {
    let value = format!("\"{}!\"", "a".repeat(64));
    let found = conformance_of(r#"{"pattern":"^(a|aa|a*)*(?=b)$"}"#, &value);
    assert!(!matches!(found, Conformance::Conforms), "{found:?}");
}

#[test]
fn a_cache_answers_as_none() {
    let schemas = Schemas::default();
    let schema = json(r#"{"type":"array"}"#);
    for _ in 0..2 {
        assert_eq!(schemas.check(&schema, &json("[]")), Conformance::Conforms);
        assert_eq!(schemas.check(&schema, &json("1")), check(&schema, &json("1")));
        assert_eq!(schemas.validity(&schema), Validity::Valid);
    }
}

#[test]
fn nothing_is_looked_at_once_nobody_waits_for_the_answer() {
    let waits = Arc::new(AtomicBool::new(true));
    let asked = Arc::clone(&waits);
    let schemas = Schemas::until(move || !asked.load(Ordering::Relaxed));
    let python = json(r#"{"pattern":"\\p{L}"}"#);
    let fetched = json(r#"{"$ref":"https://example.com/a.json"}"#);
    assert_eq!(schemas.check(&json("{}"), &json("1")), Conformance::Conforms);
    assert!(schemas.validity(&json("{}")) == Validity::Valid && schemas.refused_by_python(&python).is_some());
    assert!(schemas.outside(&fetched).is_some() && schemas.needs_the_network(&fetched));
    assert!(!schemas.left_out());
    waits.store(false, Ordering::Relaxed);
    assert!(matches!(schemas.check(&json("{}"), &json("1")), Conformance::Undecided { is_costly: false, .. }));
    assert!(matches!(schemas.validity(&json("{}")), Validity::Undecided { .. }));
    assert!(schemas.refused_by_python(&python).is_none());
    assert!(schemas.outside(&fetched).is_none() && !schemas.needs_the_network(&fetched));
    assert!(schemas.left_out());
}

#[rstest]
#[case::another_document(r#"{"items":{"$ref":"https://example.com/a.json#/b"}}"#, Some("https://example.com/a.json"))]
#[case::another_dialect(r#"{"$schema":"https://example.com/mine"}"#, Some("https://example.com/mine"))]
#[case::relative_to_its_id(r#"{"$id":"https://example.com/a","$ref":"b"}"#, Some("https://example.com/b"))]
#[case::what_stands_within(r#"{"$id":"https://example.com/a","$ref":"b","$defs":{"b":{"$id":"b"}}}"#, None)]
#[case::a_dialect_that_is_known(r#"{"$ref":"https://json-schema.org/draft/2020-12/schema"}"#, None)]
#[case::nothing_at_all(r##"{"$ref":"#/$defs/none"}"##, None)]
#[case::no_reference(r#"{"const":{"$ref":"https://example.com/a.json"}}"#, None)]
fn what_would_have_to_be_fetched_is_named(#[case] schema: &str, #[case] expected: Option<&str>) {
    assert_eq!(Schemas::default().outside(&json(schema)).as_deref(), expected);
}

#[test]
fn a_format_is_an_assertion_only_if_that_is_asked_for() {
    let schema = Json::parse(r#"{"type":"string","format":"email"}"#).unwrap();
    let value = Json::parse("\"no address\"").unwrap();
    assert_eq!(check(&schema, &value), Conformance::Conforms);
    assert!(
        matches!(check_with_formats(&schema, &value), Conformance::Violates { keyword, .. } if keyword == "format")
    );
}

#[test]
fn a_schema_with_an_endless_reference_is_valid_by_its_meta_schema_and_has_no_meaning() {
    let endless = json(r##"{"properties":{"a":{"$ref":"#/$defs/l"}},"$defs":{"l":{"$ref":"#/$defs/l"}}}"##);
    assert_eq!(schema_is_valid(&endless), Validity::Endless { reference: "#/$defs/l".to_owned() });
    let tree = json(r##"{"properties":{"children":{"items":{"$ref":"#"}}}}"##);
    assert_eq!(schema_is_valid(&tree), Validity::Valid);
}
