//! Validators of SDKs: Ajv, and `jsonschema` for Python, as deviations from the validator of this project.
//!
//! A real client passes a schema to a library, and the library decides whether the user gets the value. A schema is rewritten
//! here into one that means to our validator what the original means to the library.
//!
//! ```text
//! schema ─ Library::compile ─> rewritten schema ─> Compiled ─ check(value) ─> valid, or a Refusal
//! ```
//!
//! | | `ajv`: Ajv 8.20 with ajv-formats 3.0, with the options of the TypeScript SDK | `python`: jsonschema 4.26 with referencing 0.37 |
//! |---|---|---|
//! | dialect | draft-07 (`Ajv`), or the declared one of 2020-12, 2019-09, draft-07, draft-06 | draft-04 to 2020-12 (`validators.py`: `validator_for`) |
//! | unknown `$schema` | not looked at by `Ajv`, otherwise the schema is refused | read as 2020-12 |
//! | meta-schema | not asked (`validateSchema: false`); the JSON types of keywords are (`vocabularies/`: `schemaType`) | asked when there is a value (`check_schema`) |
//! | a schema that nothing refers to | not read (`compile/validate/index.ts`) | checked by the meta-schema |
//! | `$ref` | resolved when the schema is compiled (`compile/index.ts`: `resolveRef`) | resolved when a value comes to it (`_keywords.py`: `ref`) |
//! | `$ref` beside other keywords | both count, in draft-07 too | draft-07 and older: the others are ignored (`_legacy_keywords.py`) |
//! | unknown keywords | ignored; `nullable` and `dependencies` are known in all dialects, `id` is refused | ignored |
//! | formats | those of ajv-formats are asserted | none is asserted |
//! | patterns | ECMA-262 with the flag `u` | `re` of Python |
//! | numbers | doubles, integers too | exact integers |
//! | `multipleOf` | the quotient of doubles, read by `parseInt` | the same for a fraction, else exact (`_keywords.py`: `multipleOf`) |
//! | inherited names | `toString` and others count as present | – |
//!
//! Differences that remain, because no scenario has them (`mocks/tests/mocks/validators.rs`: `known_to_differ`): `unevaluatedItems` and `unevaluatedProperties` after a condition or a
//! branch that does not hold, which Ajv counts; patterns that Python joins into one; a `$ref` to nothing within `not` and
//! `anyOf`, where Python raises an exception.

mod addresses;
mod ajv;
mod python;

use std::borrow::Cow;
use std::convert::Infallible;

use mcp_compat_schema::validator::{
    Division, Draft, Options, PatternDialect, Validator, Violation, ViolationKind, each_schema, is_too_large,
};
use serde_json::{Map, Value, json};

pub use self::ajv::Class;

/// Pattern that matches no text.
const NOTHING: &str = "(?!)";

/// A library that validates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Library {
    /// Ajv, in JavaScript.
    Ajv(Class),
    /// `jsonschema`, in Python.
    Jsonschema,
}

/// A schema that the library has accepted.
#[derive(Debug)]
pub struct Compiled {
    library: Library,
    schema: Value,
    validator: Validator,
    /// Set if the engine here cannot run a pattern of the schema. `validator` reads it as one that matches no text, this one
    /// as one that matches every text: where both agree, the pattern does not matter.
    lenient: Option<Validator>,
}

impl Library {
    /// Hands a schema to the library, as an SDK does before it has a value.
    ///
    /// # Errors
    /// When the library refuses the schema at that moment.
    pub fn compile(self, schema: Value) -> Result<Compiled, Refusal> {
        if is_too_large(&schema) {
            return Err(Refusal::BeyondTheMock("would take more than 60 MB of memory"));
        }
        let (schema, draft) = self.read(schema)?;
        let (validator, lenient) = match self.options(draft).compile(&schema) {
            Err(violation) if violation.kind == ViolationKind::PatternUnsupported => {
                let compile = |matches| self.options(draft).compile(&self.without_patterns(&schema, matches));
                (compile(false).map_err(Refusal::of_schema)?, Some(compile(true).map_err(Refusal::of_schema)?))
            }
            compiled => (compiled.map_err(Refusal::of_schema)?, None),
        };
        Ok(Compiled { library: self, schema, validator, lenient })
    }

    const fn patterns(self) -> PatternDialect {
        match self {
            Self::Ajv(_) => PatternDialect::Ecma262,
            Self::Jsonschema => PatternDialect::Python,
        }
    }

    fn options(self, draft: Draft) -> Options {
        let (formats, division) = match self {
            Self::Ajv(_) => (true, Division::ParsedQuotient),
            Self::Jsonschema => (false, Division::FloatQuotient),
        };
        let patterns = Some(self.patterns());
        Options { draft: Some(draft), formats: Some(formats), patterns, division, retriever: None }
    }

    /// Replaces patterns that the engine here cannot run by ones that match every text, or none.
    fn without_patterns(self, schema: &Value, matches: bool) -> Value {
        let is_run = |pattern: &str| {
            let options = Options { patterns: Some(self.patterns()), ..Options::default() };
            let compiled = options.compile(&json!({ "pattern": pattern }));
            !compiled.is_err_and(|violation| violation.kind == ViolationKind::PatternUnsupported)
        };
        let mut schema = schema.clone();
        let _: Result<(), Infallible> = each_schema(&mut schema, &mut |_, members| {
            if let Some(Value::String(pattern)) = members.get_mut("pattern")
                && !is_run(pattern)
            {
                *pattern = if matches { String::new() } else { NOTHING.to_owned() };
            }
            if let Some(Value::Object(named)) = members.get_mut("patternProperties") {
                let (run, not_run): (Map<_, _>, Map<_, _>) =
                    std::mem::take(named).into_iter().partition(|(pattern, _)| is_run(pattern));
                *named = run;
                if matches && !not_run.is_empty() {
                    let of_any_name = named.remove("").into_iter().chain(not_run.into_iter().map(|(_, schema)| schema));
                    named.insert(String::new(), json!({ "allOf": of_any_name.collect::<Vec<_>>() }));
                }
            }
            Ok(())
        });
        schema
    }

    /// Rewrites a schema for the validator of this project.
    fn read(self, mut schema: Value) -> Result<(Value, Draft), Refusal> {
        match self {
            Self::Ajv(class) => {
                ajv::round(&mut schema);
                ajv::read(class, &schema)
            }
            Self::Jsonschema => python::read(schema),
        }
    }
}

impl Compiled {
    /// Validates a value. A circle of references is not found here: follow [`Compiled::schema`].
    ///
    /// # Errors
    /// When the library refuses the value, or does not end.
    pub fn check(&self, value: &Value) -> Result<(), Refusal> {
        let mut value = Cow::Borrowed(value);
        if matches!(self.library, Library::Ajv(_)) {
            ajv::round(value.to_mut());
        }
        let found = self.validator.validate(&value).map_err(Refusal::of_value);
        match &self.lenient {
            Some(lenient) if lenient.validate(&value).is_ok() != found.is_ok() => {
                Err(Refusal::BeyondTheMock(NOT_COMPILED))
            }
            Some(_) | None => found,
        }
    }

    /// The schema as it was rewritten.
    pub const fn schema(&self) -> &Value {
        &self.schema
    }

    /// Returns the approximate memory in bytes.
    pub fn bytes(&self) -> usize {
        self.validator.bytes()
    }
}

/// Limit of a schema whose pattern the engine here cannot run.
pub(crate) const NOT_COMPILED: &str = "has a pattern that the mock's engine cannot compile";

/// Reason for which a library refuses a schema or a value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("the schema cannot be used: {0}")]
    Schema(String),
    #[error("the value violates the schema: {0}")]
    Value(String),
    #[error("it is not known what the validator does: the schema {0}")]
    BeyondTheMock(&'static str),
    #[error("the validation does not end")]
    Endless,
}

impl Refusal {
    pub(crate) fn schema<T>(reason: impl Into<String>) -> Result<T, Self> {
        Err(Self::Schema(reason.into()))
    }

    /// Refusal of a schema that the validator here does not compile.
    pub(crate) fn of_schema(violation: Violation) -> Self {
        match violation.kind {
            ViolationKind::PatternUnsupported | ViolationKind::PatternTooSlow => Self::BeyondTheMock(NOT_COMPILED),
            ViolationKind::TooCostly => Self::BeyondTheMock("takes the mock too much memory or work to compile"),
            ViolationKind::Keyword | ViolationKind::Pattern | ViolationKind::Reference => {
                Self::Schema(violation.message)
            }
        }
    }

    /// Refusal of a value that the validator here does not accept.
    pub(crate) fn of_value(violation: Violation) -> Self {
        match violation.kind {
            ViolationKind::PatternUnsupported | ViolationKind::PatternTooSlow => {
                Self::BeyondTheMock("has a pattern that takes the mock's engine too much work with this value")
            }
            ViolationKind::TooCostly => Self::Endless,
            ViolationKind::Keyword | ViolationKind::Pattern | ViolationKind::Reference => {
                Self::Value(violation.message)
            }
        }
    }
}
