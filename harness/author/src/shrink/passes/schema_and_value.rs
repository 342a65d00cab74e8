//! The moves that a schema makes together with its value, or with another part of itself.

use std::ops::ControlFlow;

use mcp_compat_json::Json;
use mcp_compat_scenario::Scenario;

use crate::shrink::location::{self, Location, ToolIndex};
use crate::shrink::reducer::{Halt, Reducer};
use crate::shrink::{text_fallback, tree};

/// How many members or elements of one value are tried in its place.
const TRIED: usize = 64;

/// Where schemas are kept to be referred to, by dialect.
const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];

/// A part of a tool's schema, and the part of its value that it is about: ways down from the two roots.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pair {
    schema: Vec<usize>,
    value: Vec<usize>,
}

/// Tries to put a member or element of the value in the place of the whole, and its schema in the place of the whole's.
pub(in crate::shrink) fn descend(reducer: &mut Reducer<'_>, index: ToolIndex) -> ControlFlow<Halt> {
    let mut waiting = vec![Pair { schema: Vec::new(), value: Vec::new() }];
    while let Some(pair) = waiting.pop() {
        while step_down(reducer, index, &pair)? {}
        let Some((schema, value)) = schema_and_value(reducer.best(), index) else { break };
        waiting.extend(parts(&schema, &value, &pair).into_iter().rev());
    }
    ControlFlow::Continue(())
}

fn step_down(reducer: &mut Reducer<'_>, index: ToolIndex, whole: &Pair) -> ControlFlow<Halt, bool> {
    let Some((schema, value)) = schema_and_value(reducer.best(), index) else { return ControlFlow::Continue(false) };
    for part in parts(&schema, &value, whole) {
        let candidate = stepped_down(reducer.best(), index, (&schema, &value), (whole, &part));
        let done = reducer.attempt(candidate, |scenario| {
            let (part, whole) = (tree::pointer(&value, &part.value), tree::pointer(&value, &whole.value));
            let whole = if whole.is_empty() { "the whole value" } else { &whole };
            let owner = Location::Answer(index).owner(scenario);
            format!("replaced {whole} and its schema with {part} in {owner}")
        })?;
        if done {
            return ControlFlow::Continue(true);
        }
    }
    ControlFlow::Continue(false)
}

fn stepped_down(
    scenario: &Scenario,
    index: ToolIndex,
    (schema, value): (&Json, &Json),
    (whole, part): (&Pair, &Pair),
) -> Option<Scenario> {
    let mut lower = tree::at(schema, &part.schema)?.clone();
    if whole.schema.is_empty() {
        // What the schema refers to comes along.
        for key in DEFINITIONS {
            if let (Some(kept), Json::Object(_)) = (schema.get(key), &lower) {
                lower = tree::with_member(&lower, key, kept.clone())?;
            }
        }
    }
    let schema = tree::replaced(schema, &whole.schema, lower)?;
    let value = tree::replaced(value, &whole.value, tree::at(value, &part.value)?.clone())?;
    let declared = with_schema(scenario, index, schema)?;
    let answer = tree::with_member(&location::answer(scenario, index)?, "structuredContent", value)?;
    Location::Answer(index).write(&declared, answer)
}

/// The members or elements of a value that have a schema of their own.
fn parts(schema: &Json, value: &Json, whole: &Pair) -> Vec<Pair> {
    let (Some(inner_schema), Some(inner)) = (tree::at(schema, &whole.schema), tree::at(value, &whole.value)) else {
        return Vec::new();
    };
    let pair = |place: usize| {
        let below = schema_below(inner_schema, inner, place)?;
        Some(Pair { schema: [&whole.schema[..], &below].concat(), value: [&whole.value[..], &[place]].concat() })
    };
    (0..tree::children(inner)).take(TRIED).filter_map(pair).collect()
}

/// The way down in a schema to what it says of the member or element at `place`.
fn schema_below(schema: &Json, value: &Json, place: usize) -> Option<Vec<usize>> {
    let below = |keyword: &str| {
        let place = tree::place(schema, keyword)?;
        Some((place, tree::child(schema, place)?))
    };
    match tree::key(value, place) {
        Some(key) => {
            let listed = below("properties")
                .and_then(|(at, properties)| Some(vec![at, tree::place(properties, key.as_str()?)?]));
            listed.or_else(|| Some(vec![below("additionalProperties")?.0]))
        }
        None => {
            let listed = below("prefixItems").filter(|(_, listed)| place < tree::children(listed));
            listed.map(|(at, _)| vec![at, place]).or_else(|| Some(vec![below("items")?.0]))
        }
    }
}

/// Tries to put what is referred to in the place of each reference, where nothing else refers to it.
pub(in crate::shrink) fn resolve_references(reducer: &mut Reducer<'_>, index: ToolIndex) -> ControlFlow<Halt> {
    let mut waiting = vec![Vec::new()];
    while let Some(path) = waiting.pop() {
        let Some(schema) = schema(reducer.best(), index) else { break };
        let candidate = resolved(&schema, &path).and_then(|schema| with_schema(reducer.best(), index, schema));
        reducer.attempt(candidate, |scenario| {
            let (pointer, owner) = (tree::pointer(&schema, &path), Location::Definition(index).owner(scenario));
            format!("replaced /outputSchema{pointer} with what it refers to in {owner}")
        })?;
        let Some(schema) = self::schema(reducer.best(), index) else { break };
        let children = tree::at(&schema, &path).map_or(0, tree::children);
        waiting.extend((0..children).map(|child| [&path[..], &[child]].concat()));
    }
    ControlFlow::Continue(())
}

/// A schema with the reference at `path` resolved, and what it refers to gone from where it was kept.
fn resolved(schema: &Json, path: &[usize]) -> Option<Json> {
    let reference = tree::at(schema, path)?.get("$ref")?.as_str()?;
    let pointer = reference.strip_prefix('#')?;
    let target = schema.pointer(pointer)?.clone();
    let (kept, name) = pointer.strip_prefix('/')?.split_once('/')?;
    let kept = DEFINITIONS.contains(&kept).then(|| tree::place(schema, kept))??;
    let name = tree::place(tree::child(schema, kept)?, name)?;
    let inlined = tree::replaced(schema, path, target)?;
    if path.first() == Some(&kept) { None } else { tree::without(&inlined, &[kept], &(name..name + 1)) }
}

fn schema(scenario: &Scenario, index: ToolIndex) -> Option<Json> {
    location::definition(scenario, index)?.get("outputSchema").cloned()
}

fn schema_and_value(scenario: &Scenario, index: ToolIndex) -> Option<(Json, Json)> {
    let value = text_fallback::structured(&location::answer(scenario, index)?)?.clone();
    Some((schema(scenario, index)?, value))
}

fn with_schema(scenario: &Scenario, index: ToolIndex, schema: Json) -> Option<Scenario> {
    let definition = tree::with_member(&location::definition(scenario, index)?, "outputSchema", schema)?;
    Location::Definition(index).write(scenario, definition)
}
