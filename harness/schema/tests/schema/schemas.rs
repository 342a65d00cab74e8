//! Schemas, and others that differ from them in one place.

use mcp_compat_json::{Json, Object};
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::json;

/// Two schemas: the second is the first with a few changes, of which some matter and some do not.
pub(crate) fn pairs() -> impl Strategy<Value = (Json, Json)> {
    let change = (any::<Index>(), 0_usize..CHANGES.len());
    let dialects = (0_u8..8, 0_u8..8);
    let pairs = (schema(), prop::collection::vec(change, 1..4), any::<bool>(), dialects).prop_map(
        |(first, changes, swapped, dialects)| {
            let mut second = first.clone();
            for (place, change) in changes {
                let count = places(&second).max(1);
                let mut left = place.index(count);
                second = changed(&second, &mut left, CHANGES[change]);
            }
            let (first, second) = (in_dialect(first, dialects.0), in_dialect(second, dialects.1));
            if swapped { (second, first) } else { (first, second) }
        },
    );
    pairs.prop_filter("they differ", |(first, second)| first != second)
}

/// Now and then the schema is one of draft-07, where some of its keywords mean nothing.
fn in_dialect(schema: Json, chance: u8) -> Json {
    match &schema {
        Json::Object(members) if chance == 0 => {
            with(members, "$schema", "http://json-schema.org/draft-07/schema#".into())
        }
        Json::Object(_) | Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) => schema,
    }
}

fn schema() -> BoxedStrategy<Json> {
    let leaves = [
        "{}",
        "true",
        r#"{"type":"null"}"#,
        r#"{"type":"boolean"}"#,
        r#"{"type":"integer"}"#,
        r#"{"type":"number","minimum":0}"#,
        r#"{"type":"integer","minimum":-2,"maximum":3}"#,
        r#"{"type":"integer","multipleOf":2}"#,
        r#"{"type":"string"}"#,
        r#"{"type":"string","minLength":1,"maxLength":3}"#,
        r#"{"type":"string","pattern":"^a"}"#,
        r#"{"enum":["a","b",1,null]}"#,
        r#"{"const":1.0}"#,
        r#"{"type":["string","null"]}"#,
        r#"{"minimum":1,"minLength":2}"#,
        r##"{"$ref":"#"}"##,
        r##"{"$ref":"#/$defs/d"}"##,
        r#"{"type":"string","format":"email"}"#,
        r#"{"not":{"type":"string"}}"#,
    ];
    let leaf = select(leaves.map(json).to_vec());
    let inner = leaf.prop_recursive(3, 14, 3, |inner| {
        let list = prop::collection::vec(inner.clone(), 1..3);
        prop_oneof![
            4 => record(inner.clone()),
            2 => (inner.clone(), 0_u64..2, any::<bool>()).prop_map(|(items, least, unique)| object([
                ("type", "array".into()), ("items", items), ("minItems", least.into()), ("uniqueItems", unique.into()),
            ])),
            1 => (list.clone(), inner.clone()).prop_map(|(first, rest)| object([
                ("type", "array".into()), ("prefixItems", first.into()), ("items", rest),
            ])),
            1 => (list, select(vec!["anyOf", "oneOf", "allOf"])).prop_map(|(list, word)| object([(word, list.into())])),
            1 => (inner.clone(), inner.clone()).prop_map(|(condition, then)| object([("if", condition), ("then", then)])),
            1 => inner.clone().prop_map(|inner| object([("type", "array".into()), ("contains", inner)])),
            1 => inner.prop_map(|inner| object([("not", inner)])),
        ]
    });
    let root = prop_oneof![4 => record(inner.clone().boxed()), 1 => inner];
    (root, select(leaves[2..14].to_vec()))
        .prop_map(|(root, definition)| {
            let Json::Object(mut members) = root else { return root };
            members.push("$defs", object([("d", json(definition))]));
            members.into()
        })
        .boxed()
}

fn record(inner: impl Strategy<Value = Json> + Clone + 'static) -> BoxedStrategy<Json> {
    let members = prop::collection::vec((inner.clone(), any::<bool>()), 1..4);
    let further = prop_oneof![3 => Just(None), 2 => Just(Some(Json::Bool(false))), 1 => inner.clone().prop_map(Some)];
    let pattern = prop_oneof![4 => Just(None), 1 => inner.prop_map(Some)];
    (members, further, pattern)
        .prop_map(|(members, further, pattern)| {
            let names = ["a", "b", "xa"];
            let required = names.iter().zip(&members).filter(|(_, (_, required))| *required);
            let required: Vec<Json> = required.map(|(name, _)| (*name).into()).collect();
            let properties = object(names.into_iter().zip(members).map(|(name, (schema, _))| (name, schema)));
            let mut record = vec![("type", "object".into()), ("properties", properties), ("required", required.into())];
            record.extend(pattern.map(|schema| ("patternProperties", object([("^x", schema)]))));
            record.extend(further.map(|schema| ("additionalProperties", schema)));
            object(record)
        })
        .boxed()
}

pub(crate) fn object<'k>(members: impl IntoIterator<Item = (&'k str, Json)>) -> Json {
    Json::Object(members.into_iter().collect())
}

/// Change of one schema within the whole.
type Change = fn(&Object) -> Json;

const CHANGES: [Change; 18] = [
    |schema| without(schema, "required"),
    |schema| without(schema, "type"),
    |schema| without(schema, "additionalProperties"),
    |schema| with(schema, "additionalProperties", Json::Bool(false)),
    |schema| with(schema, "type", json(r#"["object","array","string","number","null"]"#)),
    |schema| with(schema, "required", json(r#"["a"]"#)),
    |schema| with(schema, "minimum", json("1")),
    |schema| with(schema, "maxLength", json("2")),
    |schema| with(schema, "description", "other words".into()),
    |schema| with(schema, "minItems", json("1")),
    |schema| object([("anyOf", vec![schema.clone().into(), json(r#"{"type":"null"}"#)].into())]),
    |_| json("{}"),
    |schema| with(schema, "propertyNames", json(r#"{"maxLength":1}"#)),
    |schema| with(schema, "dependentRequired", json(r#"{"a":["b"]}"#)),
    |schema| with(schema, "unevaluatedProperties", Json::Bool(false)),
    |schema| with(schema, "maxProperties", json("2")),
    |schema| with(schema, "minContains", json("0")),
    |schema| with(schema, "patternProperties", json(r#"{"^x":{"type":"integer"},"b$":true}"#)),
];

fn without(schema: &Object, keyword: &str) -> Json {
    schema
        .iter()
        .filter(|(key, _)| **key != *keyword)
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect::<Object>()
        .into()
}

fn with(schema: &Object, keyword: &str, value: Json) -> Json {
    let Json::Object(mut rest) = without(schema, keyword) else { unreachable!("it stays an object") };
    rest.push(keyword, value);
    rest.into()
}

/// Counts the objects that may be changed.
fn places(schema: &Json) -> usize {
    let mut count = usize::MAX;
    let _: Json = changed(schema, &mut count, |schema| schema.clone().into());
    usize::MAX - count
}

/// The schema with the object in that place changed. Definitions stay where they are, and so does what lists names.
fn changed(schema: &Json, left: &mut usize, change: Change) -> Json {
    match schema {
        Json::Object(members) => {
            if *left == 0 {
                *left = usize::MAX;
                return change(members);
            }
            *left -= 1;
            let part = |key: &str, value: &Json, left: &mut usize| match (key, value) {
                ("properties" | "patternProperties" | "$defs", Json::Object(named)) => named
                    .iter()
                    .map(|(name, value)| (name.clone(), changed(value, left, change)))
                    .collect::<Object>()
                    .into(),
                _ => changed(value, left, change),
            };
            let members = members.iter().map(|(key, value)| (key.clone(), part(key.as_str().unwrap(), value, left)));
            members.collect::<Object>().into()
        }
        Json::Array(elements) => {
            elements.iter().map(|element| changed(element, left, change)).collect::<Vec<_>>().into()
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => schema.clone(),
    }
}
