//! Output schemas: compiled once in a process, and used to check values.
//!
//! Nothing is fetched: a `$ref` to another document makes the schema unusable, and so does an unknown dialect.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use crate::validators::{Compiled as Foreign, Library, Refusal};
use mcp_compat_schema::validator::{Division, Kept, Options, Validator, ViolationKind, is_too_large};
use serde_json::Value;
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};

use crate::client::client_error::shorten;
use crate::client::dialect::Dialect;
use crate::client::ref_cycles::{Entered, enters_ref_cycle};
use crate::client::value;

/// Memory for schemas that are kept compiled, in bytes: at most twice as much.
const SCHEMAS: usize = 16 << 20;

/// Error message for a value that enters a circle of references.
const ENDLESS_REFERENCES: &str = "the output schema refers to itself without an end";

/// Memory for digests of checked values, in bytes for each schema.
const VALUES: usize = 8 << 10;

/// A schema that values can be checked with.
pub(crate) struct Schema {
    reader: Reader,
    /// Results of values, by their digests: many clients of a run read the same value with the same schema.
    found: Kept<[u8; 32], Result<(), Violation>>,
}

/// Validator for values.
enum Reader {
    /// The validator of this project.
    Own(Own),
    /// The library of an SDK. Some take a schema only when there is a value.
    Foreign(Result<Foreign, Refusal>),
    /// Nothing: a limit of the validator of this project is in the way, which this text names. It is not known what a client
    /// of this kind finds.
    BeyondTheMock(String),
}

/// A schema for the validator of this project.
struct Own {
    validator: Validator,
    /// The schema itself, if its references are followed before a value is checked.
    followed: Option<Value>,
    dialect: Dialect,
}

/// Reason why a schema cannot be used.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the output schema cannot be used: {0}")]
pub(crate) struct Unusable(String);

/// Reason why a value does not conform to a schema.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum Violation {
    #[error("{0}")]
    Found(String),
    #[error("the check does not end")]
    Endless,
    #[error("{0}")]
    BeyondTheMock(String),
}

/// Documents that were fetched, by their address.
pub(crate) type Documents = HashMap<String, Value>;

type Compiled = Result<Arc<Schema>, Unusable>;

static COMPILED: LazyLock<Kept<(Dialect, String), Compiled>> = LazyLock::new(|| Kept::new(SCHEMAS));

/// Compiles a schema, or takes it from the cache.
///
/// # Errors
/// When no value can be checked with it.
pub(crate) fn compiled(text: &str, dialect: Dialect) -> Compiled {
    let compile = || compile(text, dialect, Documents::new()).map(Arc::new);
    let bytes = |compiled: &Compiled| compiled.as_ref().map_or(text.len(), |schema| schema.bytes(text));
    COMPILED.find_or((dialect, text.to_owned()), bytes, compile)
}

/// Compiles a schema whose references to the network have been fetched.
///
/// # Errors
/// When no value can be checked with it.
pub(crate) fn compile(text: &str, dialect: Dialect, documents: Documents) -> Result<Schema, Unusable> {
    let unusable = |reason: String| Unusable(shorten(&reason));
    if let Some(library) = dialect.library {
        let raw = RawValue::from_string(text.to_owned()).map_err(|error| unusable(error.to_string()))?;
        let source = value::readable(&raw).map_err(|problem| unusable(problem.to_string()))?;
        let compiled = library.compile(source);
        return match (library, compiled) {
            (_, Err(Refusal::BeyondTheMock(limit))) => Ok(beyond(limit)),
            (Library::Ajv(_), Err(refusal)) => Err(unusable(refusal.to_string())),
            (_, compiled) => Ok(Schema::of(Reader::Foreign(compiled))),
        };
    }
    let source: Value = serde_json::from_str(text).map_err(|error| unusable(error.to_string()))?;
    if !source.is_object() {
        return Err(unusable("it is no JSON object".to_owned()));
    }
    let source = dialect.read(source);
    let options = Options {
        draft: dialect.draft(),
        formats: dialect.asserts_format.then_some(true),
        patterns: Some(dialect.patterns),
        division: Division::Exact,
        retriever: Some(Box::new(move |address| {
            let refused = || format!("{address} is outside the schema, and this client fetches nothing");
            documents.get(address).cloned().ok_or_else(refused)
        })),
    };
    let validator = match options.compile(&source) {
        Ok(validator) => validator,
        Err(_) if is_too_large(&source) => {
            return Ok(beyond("would take more than 60 MB of memory"));
        }
        Err(error) if error.kind == ViolationKind::PatternUnsupported => {
            return Ok(beyond("has a pattern that the mock's engine cannot compile"));
        }
        Err(error) => return Err(unusable(error.message)),
    };
    let followed = dialect.fails_on_ref_cycles.then_some(source);
    Ok(Schema::of(Reader::Own(Own { validator, followed, dialect })))
}

/// A schema that only a mock cannot use, and why not.
fn beyond(limit: &str) -> Schema {
    Schema::of(Reader::BeyondTheMock(beyond_the_mock(limit)))
}

fn beyond_the_mock(limit: &str) -> String {
    format!("a mock cannot check values by this outputSchema, which {limit}")
}

impl Schema {
    fn of(reader: Reader) -> Self {
        Self { reader, found: Kept::new(VALUES) }
    }

    /// Returns the approximate memory in bytes.
    fn bytes(&self, text: &str) -> usize {
        match &self.reader {
            Reader::Own(own) => own.validator.bytes(),
            Reader::Foreign(Ok(compiled)) => compiled.bytes(),
            Reader::Foreign(Err(_)) | Reader::BeyondTheMock(_) => text.len(),
        }
    }

    /// Checks a value.
    ///
    /// # Errors
    /// When it violates the schema, or cannot be checked within bounds.
    pub(crate) fn check(&self, raw: &RawValue) -> Result<(), Violation> {
        self.found.find_or(Sha256::digest(raw.get()).into(), |_| 0, || self.reader.check(raw))
    }
}

impl Reader {
    fn check(&self, raw: &RawValue) -> Result<(), Violation> {
        let value = value::readable(raw).map_err(|problem| Violation::Found(problem.to_string()))?;
        match self {
            Self::Own(own) => own.check(&value),
            Self::Foreign(Ok(compiled)) => match enters_ref_cycle(compiled.schema(), &value) {
                Entered::Nothing => compiled.check(&value).map_err(violation),
                Entered::Cycle => Err(Violation::Found(ENDLESS_REFERENCES.to_owned())),
                Entered::TooMuch => Err(Violation::Endless),
            },
            Self::Foreign(Err(refusal)) => Err(violation(refusal.clone())),
            Self::BeyondTheMock(limit) => Err(Violation::BeyondTheMock(limit.clone())),
        }
    }
}

fn violation(refusal: Refusal) -> Violation {
    match refusal {
        Refusal::Endless => Violation::Endless,
        Refusal::BeyondTheMock(limit) => Violation::BeyondTheMock(beyond_the_mock(limit)),
        Refusal::Schema(_) | Refusal::Value(_) => Violation::Found(shorten(&refusal.to_string())),
    }
}

impl Own {
    fn check(&self, value: &Value) -> Result<(), Violation> {
        if let Some(schema) = &self.followed {
            match enters_ref_cycle(schema, value) {
                Entered::Nothing => {}
                Entered::Cycle => return Err(Violation::Found(ENDLESS_REFERENCES.to_owned())),
                Entered::TooMuch => return Err(self.too_costly("its references lead to too many others")),
            }
        }
        self.validator.validate(value).map_err(|error| {
            if error.kind == ViolationKind::TooCostly {
                return self.too_costly(&error.message);
            }
            let place = if error.instance_pointer.is_empty() { "the value" } else { &error.instance_pointer };
            Violation::Found(shorten(&format!("{place} violates the output schema: {error}")))
        })
    }

    /// A check that would take longer than anybody waits. A client with a bound gives up, one without never ends.
    fn too_costly(&self, why: &str) -> Violation {
        if self.dialect.validates_without_bound {
            Violation::Endless
        } else {
            Violation::Found(shorten(&format!("the value cannot be checked: {why}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use mcp_compat_schema::validator::PatternDialect;
    use rstest::rstest;

    use super::*;

    const DECLARED: Dialect = Dialect {
        library: None,
        draft_07_only: false,
        asserts_format: false,
        honors_nullable: false,
        ignores_unknown: false,
        fails_on_ref_cycles: false,
        validates_without_bound: false,
        patterns: PatternDialect::Ecma262,
    };
    const DRAFT_07: Dialect = Dialect { draft_07_only: true, ..DECLARED };
    const ASSERTING_FORMAT: Dialect = Dialect { asserts_format: true, ..DECLARED };

    fn check(schema: &str, dialect: Dialect, value: &str) -> Result<(), String> {
        let schema = compiled(schema, dialect).map_err(|error| error.to_string())?;
        schema.check(&RawValue::from_string(value.to_owned()).unwrap()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_schema_without_declaration_is_2020_12_and_a_declared_dialect_is_honoured() {
        let prefix = r#""prefixItems":[{"type":"string"}]"#;
        assert!(check(&format!("{{{prefix}}}"), DECLARED, "[1]").is_err());
        for old in ["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2019-09/schema"] {
            let schema = format!(r#"{{"$schema":"{old}",{prefix}}}"#);
            assert_eq!(check(&schema, DECLARED, "[1]"), Ok(()), "{old} has no prefixItems");
        }
        assert_eq!(check(&format!("{{{prefix}}}"), DRAFT_07, "[1]"), Ok(()));
        let draft_07 = r#"{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}]}"#;
        assert!(check(draft_07, DECLARED, "[1]").is_err());
    }

    #[rstest]
    #[case::dialect(r#"{"$schema":"https://example.com/my-dialect"}"#)]
    #[case::network(r#"{"$ref":"http://127.0.0.1:9/schema.json"}"#)]
    #[case::file(r#"{"$ref":"file:///etc/hostname"}"#)]
    #[case::dangling(r##"{"$ref":"#/$defs/none"}"##)]
    #[case::no_schema(r#"{"type":"objekt"}"#)]
    #[case::no_object("true")]
    #[case::null("null")]
    fn a_schema_that_cannot_be_used_is_an_error_and_not_permission(#[case] schema: &str) {
        let error = check(schema, DECLARED, "{}").unwrap_err();
        assert!(error.starts_with("the output schema cannot be used"), "{error}");
    }

    #[test]
    fn a_format_is_a_note_unless_it_is_taken_for_an_assertion() {
        let schema = r#"{"type":"string","format":"date-time"}"#;
        assert_eq!(check(schema, DECLARED, "\"tomorrow\""), Ok(()));
        assert!(check(schema, ASSERTING_FORMAT, "\"tomorrow\"").is_err());
        assert_eq!(check(schema, ASSERTING_FORMAT, "\"2026-07-28T00:00:00Z\""), Ok(()));
    }

    #[rstest]
    #[case::property(r"^\p{L}+$", "\"é\"", Some(true), None)]
    #[case::inline_flags("(?i)^a$", "\"A\"", None, Some(true))]
    #[case::digits_of_other_scripts(r"^\d+$", "\"\u{663}\"", Some(false), Some(true))]
    #[case::end_of_line("^a$", r#""a\n""#, Some(false), Some(true))]
    fn a_pattern_is_read_in_the_dialect_of_the_client(
        #[case] pattern: &str,
        #[case] value: &str,
        #[case] ecma: Option<bool>,
        #[case] python: Option<bool>,
    ) {
        let schema = serde_json::json!({"pattern": pattern}).to_string();
        let found = |patterns| match check(&schema, Dialect { patterns, ..DECLARED }, value) {
            Err(error) if error.contains("cannot be used") => None,
            found => Some(found.is_ok()),
        };
        assert_eq!((found(PatternDialect::Ecma262), found(PatternDialect::Python)), (ecma, python));
    }

    #[test]
    fn a_reference_to_nothing_may_matter_only_where_it_is_come_to() {
        let schema = r##"{"properties":{"a":{"type":"integer"},"b":{"$ref":"#/$defs/none"}}}"##;
        let late = Dialect { library: Some(Library::Jsonschema), ..DECLARED };
        assert!(check(schema, DECLARED, r#"{"a":1}"#).unwrap_err().contains("cannot be used"));
        assert_eq!(check(schema, late, r#"{"a":1}"#), Ok(()));
        assert!(check(schema, late, r#"{"a":"1"}"#).unwrap_err().contains("violates"));
        assert!(check(schema, late, r#"{"b":1}"#).unwrap_err().contains("violates"));
    }

    /// Played with Ajv 8.20 as the TypeScript SDKs 1.32.2 and 2.4.0 configure it, and with jsonschema 4.26.
    #[test]
    fn a_circle_of_references_is_refused_as_the_libraries_refuse_it() {
        use crate::validators::Class::{Declared, Default};
        let property = |circle: &str| format!(r##"{{"properties":{{"b":{{"$ref":"#/$defs/x"}}}},"$defs":{circle}}}"##);
        let bare = property(r##"{"x":{"$ref":"#/$defs/y"},"y":{"$ref":"#/$defs/x"}}"##);
        let with_more = property(r##"{"x":{"allOf":[{"$ref":"#/$defs/x"}]}}"##);
        let with = |library| Dialect { library: Some(library), ..DECLARED };
        for library in [Library::Ajv(Default), Library::Ajv(Declared)] {
            assert!(compiled(&bare, with(library)).is_err());
            assert!(compiled(&with_more, with(library)).is_ok());
            assert!(check(&with_more, with(library), r#"{"b":1}"#).is_err());
        }
        for schema in [bare, with_more] {
            assert!(compiled(&schema, with(Library::Jsonschema)).is_ok());
            assert!(check(&schema, with(Library::Jsonschema), r#"{"b":1}"#).is_err());
        }
    }

    #[test]
    fn a_violation_names_the_place() {
        let schema = r#"{"properties":{"a":{"items":{"type":"integer"}}}}"#;
        let error = check(schema, DECLARED, r#"{"a":[1,"2"]}"#).unwrap_err();
        assert!(error.starts_with("/a/1 violates"), "{error}");
        assert_eq!(check(schema, DECLARED, r#"{"a":[1,123456789012345678901234567890]}"#), Ok(()));
    }
}
