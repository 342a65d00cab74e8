//! The inputs that an input schema declares. It may allow more.
//!
//! An open object, with `additionalProperties: true` or without it, allows any property, so every property that is added to
//! the schema rejects values that were allowed before. But callers send only declared properties. So the old schema is
//! closed before it is compared, wherever an object declares its properties and no other keyword could declare more.

use std::collections::BTreeSet;

use mcp_compat_json::{Json, JsonString, Object};

/// Depth up to which a schema is closed.
const DEPTH: usize = 64;

/// The keywords that may declare more properties of an object than `properties` does.
const MORE: [&str; 14] = [
    "$ref",
    "$dynamicRef",
    "$recursiveRef",
    "allOf",
    "anyOf",
    "oneOf",
    "if",
    "dependentSchemas",
    "dependencies",
    "patternProperties",
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
    "minProperties",
];

/// The keywords that hold definitions by name.
const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];

/// The keywords whose schema becomes narrower if its parts do.
const NARROWED: [&str; 3] = ["items", "additionalProperties", "unevaluatedItems"];

/// The schema, closed to everything that it does not declare. Unchanged if that cannot be decided.
pub(crate) fn closed(schema: &Json) -> Json {
    let mut uses = Uses::default();
    uses.visit(schema, true, 0);
    // A definition that must stay unchanged needs the definitions that it refers to unchanged.
    let mut visited = 0;
    while visited < uses.kept.len() && !uses.unclear {
        visited = uses.kept.len();
        for reference in uses.kept.clone() {
            if let Some(definition) = definition(schema, &reference) {
                uses.visit(definition, false, 0);
            }
        }
    }
    if uses.unclear { schema.clone() } else { close(schema, true, &uses.kept, 0) }
}

fn definition<'s>(schema: &'s Json, reference: &str) -> Option<&'s Json> {
    schema.pointer(reference.strip_prefix('#')?)
}

/// Uses of the definitions of a schema.
#[derive(Default)]
struct Uses {
    /// The definitions that are used where a narrower definition would not narrow the whole. They stay unchanged.
    kept: BTreeSet<String>,
    /// Set if the references are too complex to decide.
    unclear: bool,
}

impl Uses {
    /// Notes the references of a schema. `narrows`: whether a narrower schema at this place narrows the whole.
    fn visit(&mut self, schema: &Json, narrows: bool, depth: usize) {
        let Some(object) = schema.as_object() else { return };
        self.unclear |= depth > DEPTH || object.has_duplicates();
        if self.unclear {
            return;
        }
        for (key, value) in object.iter() {
            let key = key.as_str().unwrap_or_default();
            match key {
                "$ref" => self.refer(value, narrows && declares_alone(object, key)),
                "anyOf" => each_below(key, value, narrows && declares_alone(object, key), &mut |below, narrows| {
                    self.visit(below, narrows, depth + 1);
                }),
                "$dynamicRef" | "$recursiveRef" | "$anchor" | "$dynamicAnchor" => self.unclear = true,
                "$id" if depth > 0 => self.unclear = true,
                key => each_below(key, value, narrows, &mut |below, narrows| {
                    self.visit(below, narrows, depth + 1);
                }),
            }
        }
    }

    fn refer(&mut self, reference: &Json, narrows: bool) {
        let Some(reference) = reference.as_str() else { return };
        let rest = DEFINITIONS.iter().find_map(|key| reference.strip_prefix(&format!("#/{key}/")));
        match rest {
            Some(name) if !name.contains('/') => {
                if !narrows {
                    self.kept.insert(reference.to_owned());
                }
            }
            Some(_) | None => self.unclear = true,
        }
    }
}

/// Calls `with` for each schema right below a keyword, and with whether a narrower one narrows its parent.
fn each_below(key: &str, value: &Json, narrows: bool, with: &mut dyn FnMut(&Json, bool)) {
    let members = || value.as_object().into_iter().flat_map(Object::iter).map(|(_, member)| member);
    let elements = || value.as_array().unwrap_or_default().iter();
    match key {
        "properties" | "patternProperties" => members().for_each(|below| with(below, narrows)),
        // A definition applies where it is used.
        "$defs" | "definitions" => members().for_each(|below| with(below, true)),
        "dependentSchemas" | "dependencies" => members().for_each(|below| with(below, false)),
        "anyOf" | "prefixItems" => elements().for_each(|below| with(below, narrows)),
        "allOf" | "oneOf" => elements().for_each(|below| with(below, false)),
        "items" if value.as_array().is_some() => elements().for_each(|below| with(below, narrows)),
        key if NARROWED.contains(&key) => with(value, narrows),
        "not" | "if" | "then" | "else" | "contains" | "propertyNames" | "additionalItems" | "unevaluatedProperties" => {
            with(value, false);
        }
        _ => {}
    }
}

fn close(schema: &Json, is_root: bool, kept: &BTreeSet<String>, depth: usize) -> Json {
    let Some(object) = schema.as_object().filter(|_| depth <= DEPTH) else { return schema.clone() };
    let below = |value: &Json| close(value, false, kept, depth + 1);
    let by_name = |value: &Json, close: &dyn Fn(&str, &Json) -> Json| match value.as_object() {
        Some(members) => members
            .iter()
            .map(|(name, member)| (name.clone(), close(name.as_str().unwrap_or_default(), member)))
            .collect::<Object>()
            .into(),
        None => value.clone(),
    };
    let mut closed = Object::new();
    for (key, value) in object.iter() {
        let name = key.as_str().unwrap_or_default();
        let narrowed = match (name, value) {
            ("properties" | "patternProperties", _) => by_name(value, &|_, member| below(member)),
            ("$defs" | "definitions", _) if is_root => by_name(value, &|definition, member| {
                if kept.contains(&format!("#/{name}/{definition}")) { member.clone() } else { below(member) }
            }),
            ("anyOf", _) if !declares_alone(object, name) => value.clone(),
            ("anyOf" | "prefixItems" | "items", Json::Array(elements)) => {
                elements.iter().map(below).collect::<Vec<_>>().into()
            }
            (name, value) if NARROWED.contains(&name) => below(value),
            (_, value) => value.clone(),
        };
        closed.push(key.clone(), narrowed);
    }
    if is_declared(object, is_root) { only_declared(closed) } else { closed.into() }
}

/// Returns true if no other keyword describes properties of the same object, which closing it would forbid.
fn declares_alone(schema: &Object, key: &str) -> bool {
    ["properties", "required"].iter().chain(&MORE).all(|other| *other == key || !says(schema, other))
}

/// Returns true if a schema has this keyword with an effect. Allowing further properties has none: an object
/// is as open without it.
fn says(schema: &Object, key: &str) -> bool {
    let is_open = |value: &Json| *value == Json::Bool(true) || value.as_object().is_some_and(Object::is_empty);
    schema.get(key).is_some_and(|value| key != "additionalProperties" || !is_open(value))
}

/// Returns true if a schema allows any further property, and no keyword but `properties` and `required` is about them.
pub(crate) fn is_open(schema: &Object) -> bool {
    MORE.iter().all(|key| !says(schema, key))
}

/// Returns true if `properties` declares everything about an object. Without `properties`, only the root, the arguments of a tool,
/// counts as declared.
fn is_declared(schema: &Object, is_root: bool) -> bool {
    (is_root || schema.contains_key("properties")) && is_open(schema)
}

/// Closes an object. Its required properties count as declared.
fn only_declared(schema: Object) -> Json {
    let mut properties = schema.get("properties").and_then(Json::as_object).cloned().unwrap_or_default();
    for name in schema.get("required").and_then(Json::as_array).unwrap_or_default() {
        if let Some(name) = name.as_str().filter(|name| !properties.contains_key(name)) {
            properties.push(name, Json::Bool(true));
        }
    }
    let is_other = |key: &JsonString| *key != *"properties" && *key != *"additionalProperties";
    let mut closed: Object = schema.into_iter().filter(|(key, _)| is_other(key)).collect();
    closed.push("properties", properties);
    closed.push("additionalProperties", Json::Bool(false));
    closed.into()
}
