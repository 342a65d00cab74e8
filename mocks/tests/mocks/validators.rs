//! What the libraries make of a schema and a value. Each pair was played with Ajv 8.20 as the TypeScript SDKs 1.32.2 and
//! 2.4.0 configure it, and with jsonschema 4.26; `fidelity --generated` of the lab plays thousands of them.

use mcp_compat_mocks::validators::{Class, Library, Refusal};
use rstest::rstest;
use serde_json::{Value, json};

/// When a library refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    /// It takes the value.
    Taken,
    /// It refuses the schema, without a value.
    AtSchema,
    /// It refuses the value, or fails when it has one.
    AtValue,
    Endless,
    /// It is not known: the engine here has a limit that the library has not.
    Unknown,
}

use Found::{AtSchema, AtValue, Endless, Taken, Unknown};

fn found(library: Library, schema: &Value, value: &Value) -> Found {
    let at = |refusal, moment| match refusal {
        Refusal::Endless => Endless,
        Refusal::BeyondTheMock(_) => Unknown,
        Refusal::Schema(_) | Refusal::Value(_) => moment,
    };
    match library.compile(schema.clone()) {
        Err(refusal) => at(refusal, AtSchema),
        Ok(compiled) => compiled.check(value).map_or_else(|refusal| at(refusal, AtValue), |()| Taken),
    }
}

/// By the default class of Ajv, by the class for the declared dialect, and by `jsonschema`.
fn all(schema: &Value, value: &Value) -> [Found; 3] {
    [Library::Ajv(Class::Default), Library::Ajv(Class::Declared), Library::Jsonschema]
        .map(|library| found(library, schema, value))
}

/// The value of a property with a schema.
fn of_property(schema: Value, value: Value) -> [Found; 3] {
    let mut root = json!({ "type": "object", "properties": { "b": schema } });
    if let Some(definitions) = root["properties"]["b"].as_object_mut().and_then(|schema| schema.remove("$defs")) {
        root["$defs"] = definitions;
    }
    all(&root, &json!({ "b": value }))
}

#[rstest]
#[case::negative_length(json!({"type": "string", "minLength": -1}), json!("x"), [Taken, Taken, AtSchema])]
#[case::null_note(json!({"description": null}), json!(1), [Taken, Taken, AtSchema])]
#[case::empty_enum(json!({"enum": []}), json!(1), [AtSchema, AtSchema, AtValue])]
#[case::bound_of_draft_04(json!({"exclusiveMinimum": true}), json!(1), [AtSchema, AtSchema, AtSchema])]
#[case::id_of_draft_04(json!({"id": "x"}), json!(1), [AtSchema, AtSchema, Taken])]
#[case::dangling(json!({"$ref": "#/$defs/none"}), json!(1), [AtSchema, AtSchema, AtValue])]
#[case::nullable_alone(json!({"nullable": true}), json!(null), [AtSchema, AtSchema, Taken])]
#[case::nullable(json!({"type": "string", "nullable": true}), json!(null), [Taken, Taken, AtValue])]
#[case::tuple(json!({"items": [{"type": "string"}]}), json!([1]), [AtValue, AtSchema, AtSchema])]
#[case::prefix(json!({"prefixItems": [{"type": "string"}]}), json!([1]), [Taken, AtValue, AtValue])]
#[case::null_for_a_schema(json!({"patternProperties": {"^x": null}}), json!(1), [AtSchema; 3])]
#[case::no_alternatives(json!({"anyOf": []}), json!(1), [AtValue, AtValue, AtSchema])]
#[case::one_is_enough(json!({"anyOf": [{}, {"type": "strnig"}]}), json!(1), [Taken, AtSchema, AtSchema])]
#[case::bad_anchor(json!({"$anchor": "1x"}), json!(1), [AtSchema; 3])]
#[case::bad_anchor_in_a_prefix(json!({"prefixItems": [{"$anchor": "1x"}]}), json!(1), [Taken, Taken, AtSchema])]
#[case::anchor_in_a_prefix(json!({"prefixItems": [{"$anchor": "n"}], "not": {"not": {"$ref": "#n"}}}), json!([1]), [AtSchema, AtSchema, Taken])]
#[case::format(json!({"format": "date"}), json!("x"), [AtValue, AtValue, Taken])]
#[case::no_divisor(json!({"multipleOf": 0}), json!(1), [AtValue, AtValue, AtSchema])]
#[case::quotient_with_an_exponent(json!({"multipleOf": 1e-8}), json!(1e300), [AtValue, AtValue, Taken])]
#[case::tenths(json!({"multipleOf": 0.1}), json!(0.3), [AtValue; 3])]
#[case::inline_flags(json!({"pattern": "(?i)^a$"}), json!("A"), [AtSchema, AtSchema, Taken])]
#[case::property_of_unicode(json!({"pattern": "^\\p{L}$"}), json!("é"), [Taken, Taken, AtSchema])]
#[case::unevaluated(json!({"properties": {"a": {}}, "unevaluatedProperties": false}), json!({"c": 1}), [Taken, AtValue, AtValue])]
#[case::unevaluated_items_of_an_object(json!({"unevaluatedItems": false}), json!({"a": 1}), [Taken; 3])]
#[case::names_that_objects_inherit(json!({"required": ["toString"]}), json!({}), [Taken, Taken, AtValue])]
#[case::property_that_objects_inherit(json!({"properties": {"constructor": {"type": "number"}}}), json!({}), [AtValue, AtValue, Taken])]
#[case::own_property_of_that_name(json!({"properties": {"constructor": {"type": "number"}}}), json!({"constructor": 1}), [Taken; 3])]
#[case::inherited_property_of_any_type(json!({"properties": {"valueOf": {"minimum": 1}}}), json!({}), [Taken; 3])]
#[case::truth_is_no_number(json!({"enum": [1]}), json!(true), [AtValue; 3])]
fn a_property(#[case] schema: Value, #[case] value: Value, #[case] expected: [Found; 3]) {
    assert_eq!(of_property(schema, value), expected);
}

/// Recorded outcomes that the table does not give, each with what it gives: `lib.rs` says why.
#[rstest]
#[case::unevaluated_after_a_condition(
    json!({"if": {"properties": {"a": {"const": 1}}}, "then": {"minProperties": 1}, "unevaluatedProperties": false}),
    json!({"a": 2}),
    [Taken, Taken, AtValue], [Taken, AtValue, AtValue])]
#[case::unevaluated_after_a_branch(
    json!({"anyOf": [{"prefixItems": [{"type": "string"}]}, {}], "unevaluatedItems": false}),
    json!([1]),
    [Taken, Taken, AtValue], [Taken, AtValue, AtValue])]
#[case::patterns_joined(
    json!({"patternProperties": {"$^": {}, "(?i)^a$": {}}, "additionalProperties": false}),
    json!({"A": 1}),
    [AtSchema, AtSchema, AtValue], [AtSchema, AtSchema, Taken])]
fn known_to_differ(#[case] schema: Value, #[case] value: Value, #[case] real: [Found; 3], #[case] ours: [Found; 3]) {
    assert_eq!(of_property(schema, value), ours);
    assert_ne!(ours, real);
}

#[rstest]
#[case::unused_definition(json!({"$defs": {"x": {"type": "strnig"}}}), [Taken, Taken, AtSchema])]
#[case::draft_04(json!({"$schema": "http://json-schema.org/draft-04/schema#"}), [Taken, AtSchema, Taken])]
#[case::unknown_dialect(json!({"$schema": "https://example.com/dialect"}), [Taken, AtSchema, Taken])]
#[case::dialect_of_no_text(json!({"$schema": 7}), [Taken, Taken, AtSchema])]
#[case::id_of_no_text(json!({"$id": 7}), [AtSchema; 3])]
#[case::anchor(
    json!({"properties": {"a": {"$ref": "#x"}}, "$defs": {"x": {"$anchor": "x", "minimum": 5}}}),
    [AtValue; 3]
)]
#[case::bad_anchor_of_the_root(json!({"$anchor": "1x"}), [Taken, Taken, AtSchema])]
#[case::anchor_of_the_root(json!({"$anchor": "n", "properties": {"a": {"not": {"$ref": "#n"}}}}), [AtSchema, AtSchema, AtValue])]
#[case::rebased(
    json!({
        "properties": {"a": {"$ref": "x.json"}},
        "$defs": {"x": {"$id": "x.json", "$ref": "#/$defs/y", "$defs": {"y": {}}}},
    }),
    [AtSchema, AtSchema, Taken]
)]
#[case::two_of_one_name(json!({"$id": "x.json", "$defs": {"a": {"$id": "x.json"}}}), [AtSchema, AtSchema, Taken])]
#[case::other_document(json!({"properties": {"z": {"$ref": "https://example.com/x"}}}), [AtSchema, AtSchema, Taken])]
#[case::base_without_a_path(
    json!({
        "$id": "https://example.com",
        "properties": {"a": {"$ref": "https://example.com/x.json"}},
        "$defs": {"x": {"$id": "x.json", "minimum": 5}},
    }),
    [AtValue; 3]
)]
#[case::below_a_schema_that_says_nothing(
    json!({
        "properties": {
            "a": {"$ref": "#/properties/b/definitions/x"},
            "b": {"definitions": {"x": {"minimum": 5}}},
        },
    }),
    [AtValue; 3]
)]
#[case::below_a_keyword_that_says_nothing(
    json!({
        "properties": {"a": {"$ref": "#/properties/b/anyOf/1"}, "b": {"anyOf": [{}, {"minimum": 5}]}},
    }),
    [AtValue; 3]
)]
#[case::siblings_of_draft_07(
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "properties": {"a": {"$ref": "#/definitions/x", "minimum": 5}},
        "definitions": {"x": {}},
    }),
    [AtValue, AtValue, Taken]
)]
fn a_document(#[case] schema: Value, #[case] expected: [Found; 3]) {
    assert_eq!(all(&schema, &json!({ "a": 1 })), expected);
}

#[test]
fn a_validation_that_doubles_at_each_link_does_not_end() {
    let link = |n: usize| {
        let next = json!({ "$ref": format!("#/$defs/d{}", n + 1) });
        (format!("d{n}"), json!({ "allOf": [next, next] }))
    };
    let mut links: serde_json::Map<_, _> = (0..40).map(link).collect();
    links.insert("d40".to_owned(), json!({ "type": "object" }));
    let schema = json!({ "$defs": links, "$ref": "#/$defs/d0" });
    assert_eq!(all(&schema, &json!({})), [Endless; 3]);
}

/// A pattern that is longer than the engine here reads, and one that takes it more work than it does.
#[test]
fn what_the_engine_here_cannot_run_is_not_known() {
    let long = "a".repeat(21_000);
    assert_eq!(of_property(json!({ "pattern": long }), json!("x")), [Unknown; 3]);
    assert_eq!(of_property(json!({ "pattern": long }), json!(1)), [Taken; 3], "a pattern is for texts");
    assert_eq!(of_property(json!({ "pattern": "^(a|aa|a*)*(?=b)$" }), json!("a".repeat(64))), [Unknown; 3]);
}

/// All keywords must hold, so one that is violated decides, whichever comes first.
#[test]
fn what_is_not_known_does_not_hide_what_is_violated() {
    let long = "a".repeat(21_000);
    let of = |pattern: &str, property: &str| json!({ "patternProperties": { pattern: false }, "properties": { "b": { "type": property } } });
    let value = json!({ "b": 1 });
    assert_eq!(all(&of(&long, "string"), &value), [AtValue; 3]);
    assert_eq!(all(&of(&long, "integer"), &value), [Unknown; 3]);
    assert_eq!(
        all(&json!({ "maxProperties": 0, "patternProperties": { long.as_str(): false } }), &value),
        [AtValue; 3]
    );
    let evaluates = json!({ "allOf": [{ "patternProperties": { long: {} } }], "unevaluatedProperties": false });
    assert_eq!(all(&evaluates, &value)[1..], [Unknown; 2], "the pattern may match");
}

/// The engine here runs neither of two patterns of one object.
#[test]
fn of_several_patterns_that_are_not_run_each_may_match() {
    let [one, other] = ["a", "b"].map(|letter| letter.repeat(21_000));
    for (first, second) in [(&one, &other), (&other, &one)] {
        let schema = json!({ "patternProperties": { first.as_str(): { "type": "string" }, second.as_str(): {} } });
        assert_eq!(all(&schema, &json!({ "b": 1 })), [Unknown; 3]);
    }
    let beside = json!({ "patternProperties": { "": { "type": "string" }, one: {} } });
    assert_eq!(all(&beside, &json!({ "b": 1 })), [AtValue; 3]);
}

#[test]
fn a_large_value_takes_many_steps_and_comes_to_an_end() {
    let item = json!({ "properties": { "a": { "type": "integer" }, "b": { "allOf": [{ "type": "string" }] } } });
    let items: Vec<Value> = (0..100_000).map(|n| json!({ "a": n, "b": "x" })).collect();
    assert_eq!(of_property(json!({ "type": "array", "items": item }), json!(items)), [Taken; 3]);
}
