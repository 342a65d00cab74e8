//! The code of the keywords: `vocabularies/` of Ajv.

use serde_json::{Map, Number, Value};

use super::class::Engine;
use super::evaluated::{Evaluated, Items, Props};
use super::formats::has_format;
use super::types::{has, is_type, property_name, same, schema_types};
use super::validate::{At, Outcome, Run};
use crate::json::{length, size};
use crate::refusal::Refusal;

type Done = Result<(), Refusal>;

/// Runs the code of a keyword.
///
/// # Errors
/// When the code fails.
pub(super) fn run<'s>(
    run: &Run<'_, 's>,
    at: At<'_, 's>,
    keyword: &str,
    argument: &'s Value,
    value: &Value,
    outcome: &mut Outcome,
) -> Done {
    match value {
        Value::Object(object) => of_object(run, at, keyword, argument, value, object, outcome)?,
        Value::Array(items) => of_array(run, at, keyword, argument, items, outcome)?,
        Value::Number(number) => outcome.valid &= fits_number(keyword, argument, number),
        Value::String(text) => outcome.valid &= fits_text(run, keyword, argument, text)?,
        Value::Null | Value::Bool(_) => {}
    }
    match keyword {
        "unevaluatedItems" | "unevaluatedProperties" => unevaluated(run, at, keyword, argument, value, outcome)?,
        "const" => outcome.valid &= same(argument, value),
        "enum" => outcome.valid &= list(argument).iter().any(|choice| same(choice, value)),
        "format" => {
            if let Value::String(format) = argument {
                outcome.valid &= has_format(value, format, run.patterns)?;
            }
        }
        "not" => {
            outcome.valid &= run
                .engine
                .always_valid(argument)?
                .then_some(false)
                .map_or_else(|| run.apply(at, argument, value).map(|found| !found.valid), Ok)?
        }
        "allOf" => {
            for schema in list(argument) {
                if !run.engine.always_valid(schema)? {
                    outcome.include(run.apply(at, schema, value)?);
                }
            }
        }
        "anyOf" => any_of(run, at, list(argument), value, outcome)?,
        "oneOf" => one_of(run, at, list(argument), value, outcome)?,
        "if" => condition(run, at, argument, value, outcome)?,
        _ => {}
    }
    Ok(())
}

/// The default class stops at the first that is valid; the others need to know what all have evaluated.
fn any_of<'s>(run: &Run<'_, 's>, at: At<'_, 's>, schemas: &'s [Value], value: &Value, outcome: &mut Outcome) -> Done {
    if !run.engine.is_modern() {
        for schema in schemas {
            if run.engine.always_valid(schema)? {
                return Ok(());
            }
        }
    }
    let mut valid = false;
    for schema in schemas {
        let found = run.apply(at, schema, value)?;
        valid |= found.valid;
        outcome.evaluated.add_if(found.valid, found.evaluated);
        if valid && !run.engine.is_modern() {
            break;
        }
    }
    outcome.valid &= valid;
    Ok(())
}

fn one_of<'s>(run: &Run<'_, 's>, at: At<'_, 's>, schemas: &'s [Value], value: &Value, outcome: &mut Outcome) -> Done {
    let mut valid = false;
    for schema in schemas {
        let found = run.apply(at, schema, value)?;
        if found.valid && valid {
            valid = false;
            break;
        }
        valid |= found.valid;
        outcome.evaluated.add_if(found.valid, found.evaluated);
    }
    outcome.valid &= valid;
    Ok(())
}

/// What the condition evaluates counts, even if it does not hold.
fn condition<'s>(run: &Run<'_, 's>, at: At<'_, 's>, schema: &'s Value, value: &Value, outcome: &mut Outcome) -> Done {
    let mut branches = [None, None];
    for (branch, keyword) in branches.iter_mut().zip(["then", "else"]) {
        if let Some(schema) = at.schema.get(keyword)
            && !run.engine.always_valid(schema)?
        {
            *branch = Some(schema);
        }
    }
    if branches == [None, None] {
        return Ok(());
    }
    let condition = run.apply(at, schema, value)?;
    outcome.evaluated.add(condition.evaluated);
    let [then, otherwise] = branches;
    if let Some(branch) = if condition.valid { then } else { otherwise } {
        let found = run.apply(at, branch, value)?;
        outcome.valid &= found.valid;
        outcome.evaluated.add_if(found.valid, found.evaluated);
    }
    Ok(())
}

fn of_object<'s>(
    run: &Run<'_, 's>,
    at: At<'_, 's>,
    keyword: &str,
    argument: &'s Value,
    value: &Value,
    object: &Map<String, Value>,
    outcome: &mut Outcome,
) -> Done {
    match keyword {
        "properties" => {
            outcome.evaluated.props.add(Props::Names(members(argument).map(|(name, _)| name.clone()).collect()));
            for (name, schema) in members(argument) {
                if let Some(member) = object.get(name)
                    && !run.engine.always_valid(schema)?
                {
                    outcome.valid &= run.apply(at, schema, member)?.valid;
                }
            }
        }
        "patternProperties" => pattern_properties(run, at, argument, object, outcome)?,
        "additionalProperties" => {
            outcome.evaluated.props = Props::All;
            if !run.engine.always_valid(argument)? {
                additional_properties(run, at, argument, object, outcome)?;
            }
        }
        "propertyNames" => {
            for name in object.keys() {
                outcome.valid &= run.apply(at, argument, &Value::String(name.clone()))?.valid;
            }
        }
        "required" => outcome.valid &= list(argument).iter().all(|name| has(object, &property_name(name))),
        "minProperties" => outcome.valid &= !less(size(object.len()), argument),
        "maxProperties" => outcome.valid &= !more(size(object.len()), argument),
        "dependentRequired" => outcome.valid &= has_dependencies(object, argument),
        "dependentSchemas" | "dependencies" => {
            outcome.valid &= keyword == "dependentSchemas" || has_dependencies(object, argument);
            for (name, schema) in members(argument).filter(|(_, schema)| !schema.is_array()) {
                if has(object, name) && !run.engine.always_valid(schema)? {
                    let found = run.apply(at, schema, value)?;
                    outcome.valid &= found.valid;
                    outcome.evaluated.add_if(found.valid, found.evaluated);
                }
            }
        }
        _ => {}
    }
    Ok(())
}

fn pattern_properties<'s>(
    run: &Run<'_, 's>,
    at: At<'_, 's>,
    argument: &'s Value,
    object: &Map<String, Value>,
    outcome: &mut Outcome,
) -> Done {
    let mut needed = run.engine.is_modern();
    for (_, schema) in members(argument) {
        needed |= !run.engine.always_valid(schema)?;
    }
    if !needed || (!run.engine.is_modern() && members(argument).next().is_none()) {
        return Ok(());
    }
    let mut names = std::collections::BTreeSet::new();
    for (pattern, schema) in members(argument) {
        for (name, member) in object {
            if run.patterns.matches(pattern, name)? {
                names.insert(name.clone());
                if !run.engine.always_valid(schema)? {
                    outcome.valid &= run.apply(at, schema, member)?.valid;
                }
            }
        }
    }
    outcome.evaluated.props.add(Props::Names(names));
    Ok(())
}

fn additional_properties<'s>(
    run: &Run<'_, 's>,
    at: At<'_, 's>,
    argument: &'s Value,
    object: &Map<String, Value>,
    outcome: &mut Outcome,
) -> Done {
    let named = at.schema.get("properties");
    let patterns = at.schema.get("patternProperties").and_then(Value::as_object);
    for (name, member) in object.iter().filter(|(name, _)| named.is_none_or(|named| named.get(name.as_str()).is_none()))
    {
        let mut matched = false;
        for pattern in patterns.into_iter().flat_map(Map::keys) {
            matched |= run.patterns.matches(pattern, name)?;
        }
        if !matched {
            outcome.valid &= run.apply(at, argument, member)?.valid;
        }
    }
    Ok(())
}

fn has_dependencies(object: &Map<String, Value>, argument: &Value) -> bool {
    members(argument)
        .filter(|(name, _)| has(object, name))
        .all(|(_, needed)| list(needed).iter().all(|name| has(object, &property_name(name))))
}

fn of_array<'s>(
    run: &Run<'_, 's>,
    at: At<'_, 's>,
    keyword: &str,
    argument: &'s Value,
    items: &[Value],
    outcome: &mut Outcome,
) -> Done {
    match (keyword, argument) {
        ("items", Value::Array(schemas)) => tuple(run, at, schemas, items, outcome)?,
        ("prefixItems", _) => tuple(run, at, list(argument), items, outcome)?,
        ("items", _) => {
            let prefix = at.schema.get("prefixItems").filter(|_| run.engine == Engine::Ajv2020);
            rest(run, at, argument, items, prefix.map_or(0, |prefix| list(prefix).len()), outcome)?;
            outcome.all_items();
        }
        ("additionalItems", _) => {
            if let Some(Value::Array(schemas)) = at.schema.get("items") {
                rest(run, at, argument, items, schemas.len(), outcome)?;
                outcome.all_items();
            }
        }
        ("contains", _) => contains(run, at, argument, items, outcome)?,
        ("minItems", _) => outcome.valid &= !less(size(items.len()), argument),
        ("maxItems", _) => outcome.valid &= !more(size(items.len()), argument),
        ("uniqueItems", Value::Bool(true)) => outcome.valid &= is_unique(at, items)?,
        _ => {}
    }
    Ok(())
}

fn tuple<'s>(run: &Run<'_, 's>, at: At<'_, 's>, schemas: &'s [Value], items: &[Value], outcome: &mut Outcome) -> Done {
    if !schemas.is_empty() {
        outcome.evaluated.items.add(Items::First(schemas.len()));
    }
    for (schema, item) in schemas.iter().zip(items) {
        outcome.valid &= run.apply(at, schema, item)?.valid;
    }
    Ok(())
}

fn rest<'s>(
    run: &Run<'_, 's>,
    at: At<'_, 's>,
    schema: &'s Value,
    items: &[Value],
    from: usize,
    outcome: &mut Outcome,
) -> Done {
    for item in items.get(from..).unwrap_or_default() {
        outcome.valid &= run.apply(at, schema, item)?.valid;
    }
    Ok(())
}

/// All items count as evaluated, whichever match.
fn contains<'s>(run: &Run<'_, 's>, at: At<'_, 's>, schema: &'s Value, items: &[Value], outcome: &mut Outcome) -> Done {
    let bound = |keyword: &str| at.schema.get(keyword).and_then(Value::as_f64).filter(|_| run.engine.is_modern());
    let (least, most) = (bound("minContains").unwrap_or(1.0), bound("maxContains"));
    match most {
        None if least == 0.0 => return Ok(()),
        Some(most) if least > most => {
            outcome.valid = false;
            return Ok(());
        }
        _ => {}
    }
    let mut matches = 0;
    for item in items {
        matches += usize::from(run.apply(at, schema, item)?.valid);
    }
    outcome.valid &= size(matches) >= least && most.is_none_or(|most| size(matches) <= most);
    if !run.engine.always_valid(schema)? {
        outcome.all_items();
    }
    Ok(())
}

/// Items of another type than `items` says are not compared, if that type is a simple one.
fn is_unique(at: At<'_, '_>, items: &[Value]) -> Result<bool, Refusal> {
    let types = match at.schema.get("items") {
        Some(Value::Object(items)) => schema_types(items)?,
        Some(_) | None => Vec::new(),
    };
    let simple = !types.is_empty() && !types.iter().any(|name| ["object", "array"].contains(name));
    let compared: Vec<&Value> =
        items.iter().filter(|item| !simple || types.iter().any(|name| is_type(item, name))).collect();
    Ok(!compared.iter().enumerate().any(|(index, item)| compared[..index].iter().any(|other| same(other, item))))
}

/// `unevaluatedItems` and `unevaluatedProperties`, which come last.
fn unevaluated<'s>(
    run: &Run<'_, 's>,
    at: At<'_, 's>,
    keyword: &str,
    argument: &'s Value,
    value: &Value,
    outcome: &mut Outcome,
) -> Done {
    match (keyword, value) {
        ("unevaluatedItems", Value::Array(items)) => {
            let from = match outcome.evaluated.items {
                Items::None => 0,
                Items::First(count) => count,
                Items::All | Items::Unset => items.len(),
            };
            rest(run, at, argument, items, from, outcome)?;
        }
        ("unevaluatedProperties", Value::Object(object)) => {
            let Evaluated { props, .. } = &outcome.evaluated;
            let rest: Vec<&Value> =
                object.iter().filter(|(name, _)| !props.has(name)).map(|(_, member)| member).collect();
            for member in rest {
                outcome.valid &= run.apply(at, argument, member)?.valid;
            }
        }
        _ => {}
    }
    Ok(())
}

fn fits_number(keyword: &str, argument: &Value, number: &Number) -> bool {
    let (Some(value), Some(bound)) = (number.as_f64(), argument.as_f64()) else { return true };
    match keyword {
        "minimum" => value >= bound,
        "maximum" => value <= bound,
        "exclusiveMinimum" => value > bound,
        "exclusiveMaximum" => value < bound,
        "multipleOf" => is_multiple(value, bound),
        _ => true,
    }
}

/// `parseInt` reads the digits of a quotient up to its exponent, so one that is written with an exponent is no integer.
fn is_multiple(value: f64, divisor: f64) -> bool {
    let quotient = value / divisor;
    divisor != 0.0 && quotient.fract() == 0.0 && quotient.abs() < 1e21
}

fn fits_text(run: &Run<'_, '_>, keyword: &str, argument: &Value, text: &str) -> Result<bool, Refusal> {
    Ok(match (keyword, argument) {
        ("minLength", _) => !less(length(text), argument),
        ("maxLength", _) => !more(length(text), argument),
        ("pattern", Value::String(pattern)) => run.patterns.matches(pattern, text)?,
        _ => true,
    })
}

fn less(size: f64, bound: &Value) -> bool {
    bound.as_f64().is_some_and(|bound| size < bound)
}

fn more(size: f64, bound: &Value) -> bool {
    bound.as_f64().is_some_and(|bound| size > bound)
}

fn list(argument: &Value) -> &[Value] {
    argument.as_array().map_or(&[], Vec::as_slice)
}

fn members(argument: &Value) -> impl Iterator<Item = (&String, &Value)> {
    argument.as_object().into_iter().flatten()
}
