//! The code that Ajv writes for a schema, run.

use std::cell::RefCell;
use std::collections::HashMap;

use serde_json::{Map, Value};

use super::class::{Engine, is_truthy};
use super::evaluated::{Evaluated, Items};
use super::references::{Env, References, rebased, text};
use super::types::{is_type, schema_types};
use crate::limits::Limits;
use crate::patterns::Patterns;
use crate::refusal::{Refusal, Unknown};

/// The code of a keyword. It changes the outcome of its schema.
pub(super) type Code<'s> =
    for<'a, 'b, 'c> fn(&Run<'a, 's>, At<'b, 's>, &'c str, &'s Value, &'c Value, &'c mut Outcome) -> Result<(), Refusal>;

/// A validation.
pub(super) struct Run<'a, 's> {
    pub(super) engine: Engine,
    pub(super) references: &'a References<'s>,
    pub(super) patterns: &'a Patterns,
    code: Code<'s>,
    limits: Limits,
    /// The functions of the dynamic anchors that were come by, the first of each name.
    dynamic: RefCell<HashMap<String, Env<'s>>>,
}

/// What the code of a schema comes to.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub(super) valid: bool,
    pub(super) evaluated: Evaluated,
}

/// Where code is written: in which function, and by which address references are resolved.
#[derive(Clone, Copy)]
pub(super) struct At<'a, 's> {
    pub(super) schema: &'s Map<String, Value>,
    function: &'a Env<'s>,
    base: &'a str,
}

impl Outcome {
    pub(super) fn of(valid: bool) -> Self {
        Self { valid, evaluated: Evaluated::default() }
    }
}

impl<'a, 's> Run<'a, 's> {
    pub(super) fn new(engine: Engine, references: &'a References<'s>, patterns: &'a Patterns, code: Code<'s>) -> Self {
        Self { engine, references, patterns, code, limits: Limits::default(), dynamic: RefCell::default() }
    }

    /// Whether a value is valid.
    ///
    /// # Errors
    /// When the code overflows the stack, or does not end.
    pub(super) fn root(&self, value: &Value) -> Result<bool, Refusal> {
        self.limits.begin(value);
        Ok(self.call(self.references.root(), value)?.valid)
    }

    /// Calls the function of a schema.
    fn call(&self, function: &Env<'s>, value: &Value) -> Result<Outcome, Refusal> {
        self.schema(function.schema, function, &function.base, value)
    }

    /// Runs the code of a schema within another.
    pub(super) fn apply(&self, at: At<'_, 's>, schema: &'s Value, value: &Value) -> Result<Outcome, Refusal> {
        match schema.get("$id").filter(|id| is_truthy(id)) {
            Some(id) => self.schema(schema, at.function, &rebased(at.base, id)?, value),
            None => self.schema(schema, at.function, at.base, value),
        }
    }

    fn schema(&self, schema: &'s Value, function: &Env<'s>, base: &str, value: &Value) -> Result<Outcome, Refusal> {
        let members = match schema {
            Value::Bool(all) => return Ok(Outcome::of(*all)),
            Value::Object(members) if self.engine.has_rules(members) => members,
            Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
                return Ok(Outcome::of(true));
            }
        };
        self.limits.within(schema, value, || {
            let at = At { schema: members, function, base };
            if self.engine.is_mere_reference(members) {
                return self.refer(at, &members["$ref"], value);
            }
            let types = schema_types(members)?;
            let mut outcome = Outcome::of(types.is_empty() || types.iter().any(|name| is_type(value, name)));
            let mut unknown = Unknown::default();
            for (keyword, argument) in members.iter().filter(|(keyword, _)| self.engine.has_rule(keyword)) {
                if !keyword.starts_with("unevaluated") {
                    unknown.unless(self.keyword(at, keyword, argument, value, &mut outcome))?;
                }
            }
            // What is not known may evaluate what these refuse.
            let is_read = self.engine.is_modern() && unknown.is_nothing();
            for keyword in ["unevaluatedItems", "unevaluatedProperties"] {
                if let Some(argument) = members.get(keyword).filter(|_| is_read) {
                    self.keyword(at, keyword, argument, value, &mut outcome)?;
                }
            }
            unknown.decide(outcome.valid, outcome)
        })
    }

    fn keyword(
        &self,
        at: At<'_, 's>,
        keyword: &str,
        argument: &'s Value,
        value: &Value,
        outcome: &mut Outcome,
    ) -> Result<(), Refusal> {
        match keyword {
            "$ref" => outcome.include(self.refer(at, argument, value)?),
            "$dynamicAnchor" => self.anchor(at, text(argument)?),
            "$recursiveAnchor" if is_truthy(argument) => self.anchor(at, ""),
            "$dynamicRef" | "$recursiveRef" => {
                let anchor = text(argument)?.trim_start_matches('#');
                let known = self.dynamic.borrow().get(anchor).cloned();
                outcome.include(self.call(known.as_ref().unwrap_or(at.function), value)?);
            }
            keyword => (self.code)(self, at, keyword, argument, value, outcome)?,
        }
        Ok(())
    }

    fn refer(&self, at: At<'_, 's>, reference: &Value, value: &Value) -> Result<Outcome, Refusal> {
        let to = self.references.resolve(at.base, text(reference)?)?;
        self.call(&to, value)
    }

    fn anchor(&self, at: At<'_, 's>, name: &str) {
        let is_root = std::ptr::eq(at.schema, self.references.root().schema.as_object().unwrap_or(at.schema));
        let function = if is_root { self.references.root().clone() } else { at.function.clone() };
        self.dynamic.borrow_mut().entry(name.to_owned()).or_insert(function);
    }
}

impl Outcome {
    /// Adds what must hold, too.
    pub(super) fn include(&mut self, other: Self) {
        self.valid &= other.valid;
        self.evaluated.add(other.evaluated);
    }

    pub(super) fn all_items(&mut self) {
        self.evaluated.items = Items::All;
    }
}
