//! Schemas that are small and take more work than anybody waits for. The answer is undecided, with the place in the schema.

use mcp_compat_json::Json;
use mcp_compat_schema::inclusion::{Conformance, check};
use rstest::rstest;
use serde_json::{Value, json};

/// Objects within objects.
fn nested(depth: usize) -> Value {
    (0..depth).fold(json!({}), |inner, _| json!({"c": inner}))
}

/// Definitions, each of which refers to the next one twice.
fn doubling(keyword: &str, leaf: &Value) -> Value {
    let next = |at: usize| json!({"$ref": format!("#/$defs/d{}", at + 1)});
    let mut all: serde_json::Map<String, Value> =
        (0..40).map(|at| (format!("d{at}"), json!({keyword: [next(at), next(at)]}))).collect();
    all.insert("d40".to_owned(), leaf.clone());
    all.into()
}

/// Definitions, each of which refers to all others by `name`.
fn every_way(name: impl Fn(usize) -> String, with: impl Fn(usize) -> Value) -> Value {
    let definition = |at: usize| {
        let mut definition = with(at);
        let others: Vec<Value> =
            (0..12).filter(|other| *other != at).map(|other| json!({"$ref": name(other)})).collect();
        definition["anyOf"] = others.into();
        (format!("r{at}"), definition)
    };
    Value::Object((0..12).map(definition).collect())
}

/// `unevaluatedProperties` at every level.
fn unevaluated(levels: usize) -> Value {
    let level = |inner: Value, at| json!({"anyOf": [inner, {"required": [format!("q{at}")]}], "unevaluatedProperties": {"type": "integer"}});
    (0..levels).fold(json!({"unevaluatedProperties": {"type": "integer"}}), level)
}

/// An object with so many properties.
fn wide(properties: usize) -> Value {
    let named: serde_json::Map<_, _> =
        (0..properties).map(|at| (format!("p{at}"), json!({"type": "integer"}))).collect();
    json!({"type": "object", "properties": named})
}

/// Different arrays of the same leaves.
fn trees(leaves: usize) -> Vec<Value> {
    if leaves == 1 {
        return vec![Value::Null];
    }
    let split = |left: usize| {
        let right = trees(leaves - left);
        trees(left).into_iter().flat_map(move |one| right.clone().into_iter().map(move |other| json!([one, other])))
    };
    (1..leaves).flat_map(split).collect()
}

#[rstest]
#[case::mutual_recursion_with_one_back_edge(
    json!({
        "$defs": {
            "a": {"allOf": [{"$ref": "#/$defs/b"}, {"$ref": "#/$defs/b"}]},
            "b": {"properties": {"c": {"$ref": "#/$defs/a"}}},
        },
        "$ref": "#/$defs/a",
    }),
    nested(60),
    "/$defs/a/allOf"
)]
#[case::recursion_by_an_anchor(
    json!({"properties": {"c": {
        "$anchor": "a",
        "allOf": [{"properties": {"c": {"$ref": "#a"}}}, {"properties": {"c": {"$ref": "#a"}}}],
    }}}),
    nested(60),
    "/properties/c/allOf"
)]
#[case::recursion_by_a_dynamic_anchor(
    json!({
        "$dynamicAnchor": "n",
        "allOf": [{"properties": {"c": {"$dynamicRef": "#n"}}}, {"properties": {"c": {"$dynamicRef": "#n"}}}],
    }),
    nested(60),
    "/allOf"
)]
#[case::recursion_by_an_address(
    json!({
        "$defs": {"a": {
            "$id": "https://example.com/a",
            "allOf": [{"properties": {"c": {"$ref": "https://example.com/a"}}}, {"properties": {"c": {"$ref": "a"}}}],
        }},
        "$ref": "https://example.com/a",
    }),
    nested(60),
    "/$defs/a/allOf"
)]
#[case::addresses_that_lead_to_one_another(
    json!({
        "$defs": every_way(|at| format!("https://example.com/r{at}"), |at| json!({"$id": format!("https://example.com/r{at}")})),
        "$ref": "https://example.com/r0",
    }),
    json!({"c": 1}),
    ""
)]
#[case::definitions_that_lead_to_one_another(
    json!({"$defs": every_way(|at| format!("#/$defs/r{at}"), |_| json!({"required": ["z"]})), "$ref": "#/$defs/r0", "unevaluatedProperties": false}),
    json!({"c": 1}),
    "/unevaluatedProperties"
)]
#[case::a_chain_that_fails_at_its_end(
    json!({"$defs": doubling("anyOf", &json!({"required": ["z"]})), "$ref": "#/$defs/d0"}),
    json!({"c": 1}),
    "/$defs/"
)]
#[case::a_chain_that_never_looks_at_the_value(
    json!({"$defs": doubling("allOf", &json!({})), "$ref": "#/$defs/d0"}),
    json!({"c": 1}),
    "/$defs/"
)]
#[case::a_chain_below_unevaluated_properties(
    json!({"$defs": doubling("allOf", &json!({"properties": {"a": {}}})), "$ref": "#/$defs/d0", "unevaluatedProperties": false}),
    json!({"a": 1}),
    "/unevaluatedProperties"
)]
#[case::a_nest_of_unevaluated_properties(unevaluated(40), json!({"a": 1, "b": 2}), "/")]
#[case::many_patterns(
    json!({"patternProperties": (0..5_000).map(|at| (format!("^(a|b)*{at}$"), json!({}))).collect::<serde_json::Map<_, _>>()}),
    json!({"ab1": 1}),
    "/patternProperties"
)]
#[case::many_arrays_to_compare_with(
    json!({"items": {"enum": (0..2_000).map(|at| json!([at, at])).collect::<Vec<_>>()}}),
    json!(vec![json!([1_999, 1_999]); 2_000]),
    "/items/enum"
)]
#[case::many_patterns_for_names(
    json!({"propertyNames": {"anyOf": (0..500).map(|at| json!({"pattern": format!("^x{at}n")})).collect::<Vec<_>>()}}),
    Value::Object((0..5_000).map(|at| (format!("x499n{at}"), json!(1))).collect()),
    "/propertyNames/anyOf"
)]
#[case::references_in_a_row(
    json!({"$defs": (0..3_000).map(|at| (format!("d{at}"), json!({"$ref": format!("#/$defs/d{}", at + 1)})))
        .chain([("d3000".to_owned(), json!({}))]).collect::<serde_json::Map<_, _>>(), "$ref": "#/$defs/d0"}),
    json!(1),
    "/"
)]
#[case::references_below_unevaluated_properties(
    json!({
        "$defs": {"wide": wide(2_000)},
        "allOf": vec![json!({"$ref": "#/$defs/wide"}); 200],
        "unevaluatedProperties": false,
    }),
    json!({}),
    "/unevaluatedProperties"
)]
#[case::references_into_data(
    json!({"enum": [{"allOf": [{"$ref": "#/enum/1"}, {"$ref": "#/enum/1"}]}, {}], "$ref": "#/enum/0"}),
    json!(1),
    "/$ref"
)]
fn what_takes_too_much_work_is_undecided(#[case] schema: Value, #[case] value: Value, #[case] place: &str) {
    let exact = |value: &Value| Json::parse(&value.to_string()).unwrap();
    match check(&exact(&schema), &exact(&value)) {
        Conformance::Undecided { reason, .. } => {
            let at = if place.is_empty() { "the schema".to_owned() } else { format!("the schema at {place}") };
            assert!(reason.contains(&at) && reason.contains("takes too much work"), "{reason}");
        }
        found @ (Conformance::Conforms | Conformance::Violates { .. }) => panic!("{found:?}"),
    }
}

#[rstest]
#[case::many_properties(wide(50_000))]
#[case::alternatives_in_alternatives(
    (0..13).fold(json!({}), |inner, _| json!({"anyOf": [{"properties": {"a": inner}}, {"properties": {"b": inner}}]}))
)]
fn what_takes_too_much_memory_is_undecided(#[case] schema: Value) {
    let schema = Json::parse(&schema.to_string()).unwrap();
    let found = check(&schema, &Json::parse("{}").unwrap());
    assert!(
        matches!(&found, Conformance::Undecided { reason, is_costly: false } if reason.contains("too large")),
        "{found:?}"
    );
}

#[rstest]
#[case::different_arrays_of_the_same_leaves(json!({"uniqueItems": true}), trees(10).into(), true)]
#[case::many_objects(json!({"uniqueItems": true}), (0..20_000).map(|at| json!({"a": at})).collect::<Vec<_>>().into(), true)]
#[case::many_plain_members(
    json!({"items": {"properties": {"a": {"type": "integer", "minimum": 0}}, "required": ["a"], "additionalProperties": false}}),
    (0..20_000).map(|at| json!({"a": at})).collect::<Vec<_>>().into(),
    true
)]
#[case::a_tree(
    json!({"properties": {"c": {"$ref": "#"}, "d": {"$ref": "#"}}, "additionalProperties": false}),
    nested(100),
    true
)]
#[case::a_tree_with_alternatives(
    json!({"anyOf": [{"type": "null"}, {"properties": {"c": {"$ref": "#"}}, "required": ["c"]}, {"maxProperties": 0}]}),
    nested(60),
    true
)]
#[case::many_properties(wide(15_000), json!({"p0": "1"}), false)]
#[case::references_beside_the_keywords(
    json!({"$ref": "#/components/schemas/n", "components": {"schemas": {"n": {"required": ["c"]}}}}),
    json!({}),
    false
)]
fn what_is_ordinary_is_decided(#[case] schema: Value, #[case] value: Value, #[case] conforms: bool) {
    let exact = |value: &Value| Json::parse(&value.to_string()).unwrap();
    let found = check(&exact(&schema), &exact(&value));
    assert_eq!(
        (found == Conformance::Conforms, matches!(found, Conformance::Undecided { .. })),
        (conforms, false),
        "{found:?}"
    );
}
