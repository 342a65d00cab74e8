//! The functions of the keywords.

use std::cmp::Ordering;

use serde_json::{Map, Number, Value};

use super::draft::Draft;
use super::evaluated;
use super::types::{is_type, same};
use super::validator::{At, Validator};
use crate::json::{compare, length, size};
use crate::refusal::Refusal;

type Found = Result<bool, Refusal>;

/// Whether a keyword has no errors for a value.
///
/// # Errors
/// When the function of the keyword fails.
pub(super) fn apply<'s>(
    validator: &Validator<'s>,
    at: At<'_, 's>,
    keyword: &str,
    argument: &'s Value,
    value: &Value,
) -> Found {
    match value {
        Value::Object(object) => {
            if let Some(found) = of_object(validator, at, keyword, argument, value, object) {
                return found;
            }
        }
        Value::Array(items) => {
            if let Some(found) = of_array(validator, at, keyword, argument, value, items) {
                return found;
            }
        }
        Value::Number(number) => {
            if let Some(found) = of_number(at, keyword, argument, number) {
                return found;
            }
        }
        Value::String(text) => {
            if let Some(found) = of_string(validator, keyword, argument, text) {
                return found;
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
    of_any(validator, at, keyword, argument, value)
}

fn of_any<'s>(validator: &Validator<'s>, at: At<'_, 's>, keyword: &str, argument: &'s Value, value: &Value) -> Found {
    match keyword {
        "type" => is_any_of(at.draft, value, argument),
        "const" => Ok(same(argument, value)),
        "enum" => Ok(list(argument)?.iter().any(|choice| same(choice, value))),
        "$ref" | "$dynamicRef" => {
            let Value::String(reference) = argument else { return Refusal::failure("a reference is no string") };
            validator.refer(at, &validator.registry.lookup(at.scope, reference)?, value)
        }
        "$recursiveRef" => validator.refer(at, &validator.registry.lookup_recursive(at.scope)?, value),
        "allOf" => all(list(argument)?, at.first, |schema| validator.descend(at, schema, value)),
        "anyOf" => {
            let at = At { first: false, ..at };
            for schema in list(argument)? {
                if validator.descend(at, schema, value)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        "oneOf" => one_of(validator, at, list(argument)?, value),
        "not" => Ok(!validator.holds(at, argument, value)?),
        "if" => {
            let branch = if validator.holds(at, argument, value)? { "then" } else { "else" };
            at.members.get(branch).map_or(Ok(true), |schema| validator.descend(at, schema, value))
        }
        _ => Ok(true),
    }
}

fn one_of<'s>(validator: &Validator<'s>, at: At<'_, 's>, schemas: &'s [Value], value: &Value) -> Found {
    let mut rest = schemas.iter();
    let complete = At { first: false, ..at };
    let mut one = false;
    for schema in rest.by_ref() {
        if validator.descend(complete, schema, value)? {
            one = true;
            break;
        }
    }
    let mut more = false;
    for schema in rest {
        more |= validator.holds(at, schema, value)?;
    }
    Ok(one && !more)
}

fn of_object<'s>(
    validator: &Validator<'s>,
    at: At<'_, 's>,
    keyword: &str,
    argument: &'s Value,
    value: &Value,
    object: &Map<String, Value>,
) -> Option<Found> {
    let applied = |schema, member| validator.descend(at, schema, member);
    Some(match keyword {
        "properties" => members(argument).and_then(|schemas| {
            let present = schemas.iter().filter_map(|(name, schema)| Some((schema, object.get(name)?)));
            all(present, at.first, |(schema, member)| applied(schema, member))
        }),
        "patternProperties" => members(argument).and_then(|schemas| {
            let pairs = schemas.iter().flat_map(|pattern| object.iter().map(move |member| (pattern, member)));
            all(pairs, at.first, |((pattern, schema), (name, member))| {
                if validator.patterns.matches(pattern, name)? { applied(schema, member) } else { Ok(true) }
            })
        }),
        "propertyNames" => {
            all(object.keys(), at.first, |name| validator.descend(at, argument, &Value::String(name.clone())))
        }
        "additionalProperties" => additional(validator, at, object).and_then(|extras| match argument {
            Value::Object(_) => all(extras, at.first, |member| applied(argument, member)),
            argument @ Value::Null
            | argument @ Value::Bool(_)
            | argument @ Value::Number(_)
            | argument @ Value::String(_)
            | argument @ Value::Array(_) => Ok(extras.is_empty() || !is_false(argument)),
        }),
        "required" => list(argument).and_then(|names| {
            all(names, at.first, |name| Ok(name.as_str().is_some_and(|name| object.contains_key(name))))
        }),
        "minProperties" => Ok(!less(size(object.len()), argument)),
        "maxProperties" => Ok(!more(size(object.len()), argument)),
        "dependentRequired" => members(argument).and_then(|named| {
            all(named.iter().filter(|(name, _)| object.contains_key(*name)), at.first, |(_, needed)| {
                depends(object, needed)
            })
        }),
        "dependentSchemas" => members(argument).and_then(|named| {
            all(named.iter().filter(|(name, _)| object.contains_key(*name)), at.first, |(_, schema)| {
                applied(schema, value)
            })
        }),
        "dependencies" => members(argument).and_then(|named| {
            all(named.iter().filter(|(name, _)| object.contains_key(*name)), at.first, |(_, needed)| {
                if needed.is_array() { depends(object, needed) } else { applied(needed, value) }
            })
        }),
        "unevaluatedProperties" => {
            evaluated::properties(validator, at, value, object, at.members).and_then(|evaluated| {
                let rest = object.iter().filter(|(name, _)| !evaluated.contains(*name));
                all(rest, at.first, |(_, member)| applied(argument, member))
            })
        }
        _ => return None,
    })
}

fn of_array<'s>(
    validator: &Validator<'s>,
    at: At<'_, 's>,
    keyword: &str,
    argument: &'s Value,
    value: &Value,
    items: &[Value],
) -> Option<Found> {
    let applied = |schema, item| validator.descend(at, schema, item);
    let length_of = |keyword: &str| at.members.get(keyword).and_then(Value::as_array).map_or(0, Vec::len);
    Some(match (keyword, argument) {
        ("items", Value::Array(schemas)) if at.draft < Draft::D202012 => {
            all(items.iter().zip(schemas), at.first, |(item, schema)| applied(schema, item))
        }
        ("items", Value::Bool(_)) if at.draft == Draft::Four => Refusal::failure("items is a boolean"),
        ("items", _) => {
            let prefix = if at.draft == Draft::D202012 { length_of("prefixItems") } else { 0 };
            let rest = items.get(prefix..).unwrap_or_default();
            all(rest, at.first, |item| applied(argument, item))
        }
        ("prefixItems", _) => list(argument)
            .and_then(|schemas| all(items.iter().zip(schemas), at.first, |(item, schema)| applied(schema, item))),
        ("additionalItems", _) => match at.members.get("items") {
            None | Some(Value::Object(_)) => Ok(true),
            Some(Value::Array(schemas)) => {
                let rest = items.get(schemas.len()..).unwrap_or_default();
                match argument {
                    Value::Object(_) => all(rest, at.first, |item| applied(argument, item)),
                    argument @ Value::Null
                    | argument @ Value::Bool(_)
                    | argument @ Value::Number(_)
                    | argument @ Value::String(_)
                    | argument @ Value::Array(_) => Ok(rest.is_empty() || !is_false(argument)),
                }
            }
            Some(_) => Refusal::failure("items has no length"),
        },
        ("contains", _) => contains(validator, at, argument, items),
        ("minItems", _) => Ok(!less(size(items.len()), argument)),
        ("maxItems", _) => Ok(!more(size(items.len()), argument)),
        ("uniqueItems", _) => {
            let repeated =
                || items.iter().enumerate().any(|(index, item)| items[..index].iter().any(|it| same(it, item)));
            Ok(is_false(argument) || !repeated())
        }
        ("unevaluatedItems", _) => evaluated::items(validator, at, value, items, at.members)
            .map(|evaluated| evaluated.iter().all(|done| *done)),
        _ => return None,
    })
}

fn contains<'s>(validator: &Validator<'s>, at: At<'_, 's>, schema: &'s Value, items: &[Value]) -> Found {
    let bound = |keyword: &str| at.members.get(keyword).and_then(Value::as_f64).filter(|_| at.draft >= Draft::D201909);
    let least = bound("minContains").unwrap_or(1.0);
    let most = bound("maxContains").unwrap_or(f64::MAX);
    let mut matches = 0;
    for item in items {
        if validator.holds(at, schema, item)? {
            matches += 1;
            if size(matches) > most {
                return Ok(false);
            }
            if at.draft < Draft::D201909 {
                return Ok(true);
            }
        }
    }
    Ok(size(matches) >= least)
}

fn of_number(at: At<'_, '_>, keyword: &str, argument: &Value, number: &Number) -> Option<Found> {
    let bound = |ordering: fn(Ordering) -> bool| match argument {
        Value::Number(bound) => Ok(compare(number, bound).is_some_and(ordering)),
        Value::Null | Value::Bool(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
            Refusal::failure("a bound is no number")
        }
    };
    let exclusive = |keyword: &str| at.draft == Draft::Four && at.members.get(keyword).is_some_and(|it| !is_false(it));
    Some(match keyword {
        "minimum" if exclusive("exclusiveMinimum") => bound(Ordering::is_gt),
        "maximum" if exclusive("exclusiveMaximum") => bound(Ordering::is_lt),
        "minimum" => bound(Ordering::is_ge),
        "maximum" => bound(Ordering::is_le),
        "exclusiveMinimum" => bound(Ordering::is_gt),
        "exclusiveMaximum" => bound(Ordering::is_lt),
        "multipleOf" => match argument {
            Value::Number(divisor) => Ok(is_multiple(number, divisor)),
            Value::Null | Value::Bool(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
                Refusal::failure("a divisor is no number")
            }
        },
        _ => return None,
    })
}

/// Integers are divided exactly, and doubles as doubles.
fn is_multiple(number: &Number, divisor: &Number) -> bool {
    if let (Some(number), Some(divisor)) = (number.as_i64(), divisor.as_i64()) {
        return number.checked_rem(divisor).is_none_or(|rest| rest == 0);
    }
    let (Some(value), Some(by)) = (number.as_f64(), divisor.as_f64()) else { return false };
    let quotient = value / by;
    if divisor.is_f64() && quotient.is_finite() { quotient.fract() == 0.0 } else { value % by == 0.0 }
}

fn of_string(validator: &Validator<'_>, keyword: &str, argument: &Value, text: &str) -> Option<Found> {
    Some(match (keyword, argument) {
        ("minLength", _) => Ok(!less(length(text), argument)),
        ("maxLength", _) => Ok(!more(length(text), argument)),
        ("pattern", Value::String(pattern)) => validator.patterns.matches(pattern, text),
        ("pattern", _) => Refusal::failure("a pattern is no string"),
        ("format", Value::String(format)) if format == "regex" && validator.checks_format => {
            Ok(validator.patterns.require(text).is_ok())
        }
        _ => return None,
    })
}

/// The members that no property and no pattern names. The patterns are joined into one.
fn additional<'o>(
    validator: &Validator<'_>,
    at: At<'_, '_>,
    object: &'o Map<String, Value>,
) -> Result<Vec<&'o Value>, Refusal> {
    let named = at.members.get("properties").and_then(Value::as_object);
    let patterns = at.members.get("patternProperties").and_then(Value::as_object);
    let joined = patterns.map(|patterns| patterns.keys().map(String::as_str).collect::<Vec<_>>().join("|"));
    let mut extras = Vec::new();
    for (name, member) in object.iter().filter(|(name, _)| named.is_none_or(|named| !named.contains_key(*name))) {
        let matched = match joined.as_deref() {
            None | Some("") => false,
            Some(joined) => validator.patterns.matches(joined, name)?,
        };
        if !matched {
            extras.push(member);
        }
    }
    Ok(extras)
}

fn depends(object: &Map<String, Value>, needed: &Value) -> Found {
    Ok(list(needed)?.iter().all(|name| name.as_str().is_some_and(|name| object.contains_key(name))))
}

fn is_any_of(draft: Draft, value: &Value, types: &Value) -> Found {
    match types {
        Value::String(name) => is_type(draft, value, name),
        types @ Value::Null
        | types @ Value::Bool(_)
        | types @ Value::Number(_)
        | types @ Value::Array(_)
        | types @ Value::Object(_) => {
            for name in list(types)? {
                let Value::String(name) = name else { return Refusal::failure("a type is no string") };
                if is_type(draft, value, name)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
    }
}

/// Whether all hold. After the first that does not, the others are looked at only for what fails in them.
fn all<T>(each: impl IntoIterator<Item = T>, first: bool, mut holds: impl FnMut(T) -> Found) -> Found {
    let mut valid = true;
    for one in each {
        valid &= holds(one)?;
        if !valid && first {
            break;
        }
    }
    Ok(valid)
}

/// What Python takes for false.
fn is_false(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Bool(true) => false,
    }
}

fn less(size: f64, bound: &Value) -> bool {
    bound.as_f64().is_some_and(|bound| size < bound)
}

fn more(size: f64, bound: &Value) -> bool {
    bound.as_f64().is_some_and(|bound| size > bound)
}

fn list(argument: &Value) -> Result<&[Value], Refusal> {
    argument.as_array().map_or_else(|| Refusal::failure("an argument has no items"), |items| Ok(items.as_slice()))
}

fn members(argument: &Value) -> Result<&Map<String, Value>, Refusal> {
    argument.as_object().map_or_else(|| Refusal::failure("an argument has no members"), Ok)
}
