//! What a schema has evaluated of a value, for `unevaluatedItems` and `unevaluatedProperties`. The library looks that up
//! after the fact, and not as the specification has it in all cases.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::draft::Draft;
use super::registry::Scope;
use super::validator::{At, Validator};
use crate::refusal::Refusal;

/// How often references are followed in a row. The library follows them until the stack is full.
const DEPTH: u16 = 128;

type Names = BTreeSet<String>;

/// The names of the properties that are evaluated.
///
/// # Errors
/// When a validation on the way fails.
pub(super) fn properties<'s>(
    validator: &Validator<'s>,
    at: At<'_, 's>,
    value: &Value,
    object: &Map<String, Value>,
    schema: &'s Map<String, Value>,
) -> Result<Names, Refusal> {
    let mut search = Search { validator, value, depth: 0, found: Names::new() };
    let collect = &mut |search: &mut Search<'_, 's, Names>, at: At<'_, 's>, schema: &'s Map<String, Value>| {
        named(search, at, object, schema)
    };
    search.walk(At { first: true, ..at }, schema, collect, PROPERTIES)?;
    Ok(search.found)
}

/// Which items are evaluated.
///
/// # Errors
/// When a validation on the way fails.
pub(super) fn items<'s>(
    validator: &Validator<'s>,
    at: At<'_, 's>,
    value: &Value,
    items: &[Value],
    schema: &'s Map<String, Value>,
) -> Result<Vec<bool>, Refusal> {
    let mut search = Search { validator, value, depth: 0, found: vec![false; items.len()] };
    let collect = &mut |search: &mut Search<'_, 's, Vec<bool>>, at: At<'_, 's>, schema: &'s Map<String, Value>| {
        placed(search, at, items, schema)
    };
    search.walk(At { first: true, ..at }, schema, collect, ITEMS)?;
    Ok(search.found)
}

/// Whether dependent schemas count.
const PROPERTIES: bool = true;
const ITEMS: bool = false;

struct Search<'a, 's, F> {
    validator: &'a Validator<'s>,
    value: &'a Value,
    depth: u16,
    found: F,
}

/// Adds what the keywords of one schema evaluate. Whether the schemas in it are to be looked at, too.
type Collect<'c, 'a, 's, F> =
    &'c mut dyn FnMut(&mut Search<'a, 's, F>, At<'_, 's>, &'s Map<String, Value>) -> Result<bool, Refusal>;

impl<'a, 's, F> Search<'a, 's, F> {
    fn walk(
        &mut self,
        at: At<'_, 's>,
        schema: &'s Map<String, Value>,
        collect: Collect<'_, 'a, 's, F>,
        dependent: bool,
    ) -> Result<(), Refusal> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Refusal::failure("the stack is full");
        }
        if collect(self, at, schema)? {
            self.inner(at, schema, collect, dependent)?;
        }
        self.depth -= 1;
        Ok(())
    }

    fn inner(
        &mut self,
        at: At<'_, 's>,
        schema: &'s Map<String, Value>,
        collect: Collect<'_, 'a, 's, F>,
        dependent: bool,
    ) -> Result<(), Refusal> {
        let (validator, value) = (self.validator, self.value);
        let dynamic = if at.draft == Draft::D202012 { "$dynamicRef" } else { "" };
        for keyword in ["$ref", dynamic] {
            if let Some(reference) = schema.get(keyword).filter(|reference| !reference.is_null()) {
                let Value::String(reference) = reference else { return Refusal::failure("a reference is no string") };
                let to = validator.registry.lookup(at.scope, reference)?;
                self.schema(at, &to.scope, to.schema, collect, dependent)?;
            }
        }
        if at.draft == Draft::D201909 && schema.contains_key("$recursiveRef") {
            let to = validator.registry.lookup_recursive(at.scope)?;
            self.schema(at, &to.scope, to.schema, collect, dependent)?;
        }
        let scope = at.scope;
        if let Some(named) = schema.get("dependentSchemas").and_then(Value::as_object).filter(|_| dependent) {
            for (_, schema) in named.iter().filter(|(name, _)| value.get(name.as_str()).is_some()) {
                self.schema(at, scope, schema, collect, dependent)?;
            }
        }
        for keyword in ["allOf", "oneOf", "anyOf"] {
            for schema in schema.get(keyword).and_then(Value::as_array).into_iter().flatten() {
                if validator.descend(at, schema, value)? {
                    self.schema(at, scope, schema, collect, dependent)?;
                }
            }
        }
        if let Some(condition) = schema.get("if") {
            let holds = validator.holds(at, condition, value)?;
            if holds {
                self.schema(at, scope, condition, collect, dependent)?;
            }
            if let Some(branch) = schema.get(if holds { "then" } else { "else" }) {
                self.schema(at, scope, branch, collect, dependent)?;
            }
        }
        Ok(())
    }

    fn schema(
        &mut self,
        at: At<'_, 's>,
        scope: &Scope,
        schema: &'s Value,
        collect: Collect<'_, 'a, 's, F>,
        dependent: bool,
    ) -> Result<(), Refusal> {
        match schema {
            Value::Object(members) => self.walk(At { scope, members, ..at }, members, collect, dependent),
            Value::Bool(_) => Ok(()),
            Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                Refusal::failure("what should be a schema has no members")
            }
        }
    }
}

fn named<'s>(
    search: &mut Search<'_, 's, Names>,
    at: At<'_, 's>,
    object: &Map<String, Value>,
    schema: &'s Map<String, Value>,
) -> Result<bool, Refusal> {
    let old = at.draft == Draft::D201909;
    if let Some(named) = schema.get("properties").and_then(Value::as_object) {
        search.found.extend(named.keys().filter(|name| object.contains_key(*name)).cloned());
    }
    for keyword in ["additionalProperties", "unevaluatedProperties"] {
        match schema.get(keyword) {
            None | Some(Value::Null) => {}
            Some(Value::Bool(true)) if old => search.found.extend(object.keys().cloned()),
            // The class of 2019-09 takes the keywords of that schema for names of properties.
            Some(Value::Object(members)) if old => {
                search.found.extend(members.keys().filter(|name| object.contains_key(*name)).cloned());
            }
            Some(_) if old => {}
            Some(subschema) => {
                for (name, member) in object {
                    if search.validator.descend(at, subschema, member)? {
                        search.found.insert(name.clone());
                    }
                }
            }
        }
    }
    if let Some(patterns) = schema.get("patternProperties").and_then(Value::as_object) {
        for name in object.keys() {
            for pattern in patterns.keys() {
                if search.validator.patterns.matches(pattern, name)? {
                    search.found.insert(name.clone());
                }
            }
        }
    }
    Ok(true)
}

fn placed<'s>(
    search: &mut Search<'_, 's, Vec<bool>>,
    at: At<'_, 's>,
    items: &[Value],
    schema: &'s Map<String, Value>,
) -> Result<bool, Refusal> {
    let old = at.draft == Draft::D201909;
    match schema.get("items") {
        Some(_) if !old || schema.contains_key("additionalItems") => {
            search.found.fill(true);
            return Ok(false);
        }
        Some(Value::Object(_)) => {
            search.found.fill(true);
            return Ok(false);
        }
        Some(Value::Array(schemas)) => search.found.iter_mut().take(schemas.len()).for_each(|done| *done = true),
        Some(_) => return Refusal::failure("items has no length"),
        None => {}
    }
    if let Some(schemas) = schema.get("prefixItems").and_then(Value::as_array).filter(|_| !old) {
        search.found.iter_mut().take(schemas.len()).for_each(|done| *done = true);
    }
    for keyword in ["contains", "unevaluatedItems"] {
        if let Some(subschema) = schema.get(keyword) {
            for (index, item) in items.iter().enumerate() {
                if search.validator.holds(at, subschema, item)? {
                    search.found[index] = true;
                }
            }
        }
    }
    Ok(true)
}
