//! A validation: `iter_errors`, `descend` and `is_valid`.

use serde_json::{Map, Value};

use super::draft::Draft;
use super::registry::{Registry, Resolved, Scope};
use crate::limits::Limits;
use crate::patterns::Patterns;
use crate::refusal::{Refusal, Unknown};

/// The function of a keyword: whether it has no errors for a value.
pub(super) type Function<'s> =
    for<'a, 'b, 'c> fn(&'a Validator<'s>, At<'b, 's>, &'c str, &'s Value, &'c Value) -> Result<bool, Refusal>;

/// A validation by one document.
#[derive(Debug)]
pub(super) struct Validator<'s> {
    root: &'s Value,
    function: Function<'s>,
    draft: Draft,
    scope: Scope,
    pub(super) registry: Registry<'s>,
    pub(super) patterns: &'s Patterns,
    /// Whether `format` is checked, as it is in meta-schemas.
    pub(super) checks_format: bool,
    limits: Limits,
}

/// A schema that is being applied, with what it inherits.
#[derive(Clone, Copy, Debug)]
pub(super) struct At<'a, 's> {
    pub(super) draft: Draft,
    pub(super) scope: &'a Scope,
    pub(super) members: &'s Map<String, Value>,
    /// Whether the first error is enough.
    pub(super) first: bool,
}

impl<'s> Validator<'s> {
    pub(super) fn new(
        draft: Draft,
        root: &'s Value,
        patterns: &'s Patterns,
        function: Function<'s>,
        checks_format: bool,
    ) -> Result<Self, Refusal> {
        let (registry, scope) = Registry::new(draft, root)?;
        Ok(Self { root, function, draft, scope, registry, patterns, checks_format, limits: Limits::default() })
    }

    /// Whether there is no error, with all of them looked for.
    pub(super) fn has_no_errors(&self, value: &Value) -> Result<bool, Refusal> {
        self.limits.begin(value);
        self.apply(self.draft, self.draft, &self.scope, self.root, value, false)
    }

    /// Whether there is no error, with the first one looked for.
    pub(super) fn is_valid(&self, value: &Value) -> Result<bool, Refusal> {
        self.limits.begin(value);
        self.apply(self.draft, self.draft, &self.scope, self.root, value, true)
    }

    /// Applies a schema within another.
    pub(super) fn descend(&self, at: At<'_, 's>, schema: &'s Value, value: &Value) -> Result<bool, Refusal> {
        if let Value::Bool(all) = schema {
            return Ok(*all);
        }
        let scope = at.scope.of(at.draft, schema)?;
        self.apply(at.draft, Draft::of(schema, at.draft)?, &scope, schema, value, at.first)
    }

    /// Applies a schema within another for whether there is an error, without its id: `evolve(schema=…).is_valid`.
    pub(super) fn holds(&self, at: At<'_, 's>, schema: &'s Value, value: &Value) -> Result<bool, Refusal> {
        let draft = Draft::of(schema, at.draft)?;
        self.apply(draft, draft, at.scope, schema, value, true)
    }

    /// Applies what a reference led to.
    pub(super) fn refer(&self, at: At<'_, 's>, to: &Resolved<'s>, value: &Value) -> Result<bool, Refusal> {
        if let Value::Bool(all) = to.schema {
            return Ok(*all);
        }
        self.apply(at.draft, Draft::of(to.schema, at.draft)?, &to.scope, to.schema, value, at.first)
    }

    /// The keywords that apply are those of the class outside, their functions those of the class of the schema.
    fn apply(
        &self,
        outside: Draft,
        draft: Draft,
        scope: &Scope,
        schema: &'s Value,
        value: &Value,
        first: bool,
    ) -> Result<bool, Refusal> {
        let members = match schema {
            Value::Bool(all) => return Ok(*all),
            Value::Object(members) => members,
            Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                return Refusal::failure("what should be a schema has no members");
            }
        };
        self.limits.within(schema, value, || {
            let at = At { draft, scope, members, first };
            if outside.ignores_ref_siblings()
                && let Some(reference) = members.get("$ref").filter(|reference| !reference.is_null())
            {
                return (self.function)(self, at, "$ref", reference, value);
            }
            let (mut valid, mut unknown) = (true, Unknown::default());
            for (keyword, argument) in members.iter().filter(|(keyword, _)| draft.knows(keyword)) {
                valid &= unknown.unless((self.function)(self, at, keyword, argument, value))?.unwrap_or(true);
                if !valid && first {
                    return Ok(false);
                }
            }
            unknown.decide(valid, valid)
        })
    }
}
