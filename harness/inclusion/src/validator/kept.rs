//! Schemas that are compiled once in a process, whoever asks: a schema is asked about by the judge for each cell, and by
//! the audit for each rule, and to compile it takes a thousand times as long as to look it up.
//!
//! What was found with a compiled schema is kept apart. It is small, so there is room for that of very many schemas: an
//! audit asks again about all schemas of a list, for each rule and each client.

use std::sync::{Arc, LazyLock, OnceLock};

use mcp_compat_json::Json;
use mcp_compat_validator::{Kept, PatternDialect, RefusedPattern, refused_pattern};
use sha2::{Digest as _, Sha256};

use super::answer::{Conformance, Validity};
use super::compiled::Compiled;

/// How much memory the schemas take that are kept compiled, in bytes, and as much again.
const BYTES: usize = 24 << 20;

/// How much memory that takes which is known of schemas, in bytes, and as much again.
const KNOWN_BYTES: usize = 16 << 20;

/// The same of what is known of values.
const FOUND_BYTES: usize = 8 << 20;

/// By the text of the schema, and whether `format` is an assertion.
static KEPT: LazyLock<Kept<(bool, String), Arc<Compiled>>> = LazyLock::new(|| Kept::new(BYTES));

/// A schema made ready, if possible as it was made ready before. For a schema without `format` it does not matter whether
/// that is an assertion.
pub(super) fn compiled(schema: &Json, formats: bool) -> Arc<Compiled> {
    let text = schema.to_compact();
    let formats = formats && text.contains(r#""format""#);
    let length = text.len();
    let bytes = |compiled: &Arc<Compiled>| match &**compiled {
        Compiled::Ready(validator) => validator.bytes(),
        Compiled::Invalid { .. }
        | Compiled::ForeignPattern(_)
        | Compiled::Undecided { .. }
        | Compiled::Dangling { .. }
        | Compiled::Elsewhere { .. } => length,
    };
    let make = || {
        let compiled = Arc::new(Compiled::with(schema, formats));
        if !formats {
            // Whoever asks next may find that the compiled schema is kept no longer.
            remember(schema.to_compact(), || Arc::clone(&compiled));
        }
        compiled
    };
    KEPT.find_or((formats, text), bytes, make)
}

/// What is known of a schema without a value.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) validity: Validity,
    /// The address of another schema that it refers to.
    pub(super) elsewhere: Option<String>,
    /// The first pattern that Python refuses, once somebody asked.
    refused_by_python: OnceLock<Option<RefusedPattern>>,
}

impl Known {
    /// The first pattern of the schema, of which this is known, that Python refuses.
    pub(super) fn refused_by_python(&self, schema: &Json) -> Option<RefusedPattern> {
        let find = || refused_pattern(&schema.to_value().ok()?, PatternDialect::Python);
        self.refused_by_python.get_or_init(find).clone()
    }
}

/// By the text of the schema.
static KNOWN: LazyLock<Kept<String, Arc<Known>>> = LazyLock::new(|| Kept::new(KNOWN_BYTES));

/// What is known of a schema, if possible from an earlier time.
pub(super) fn known(schema: &Json) -> Arc<Known> {
    remember(schema.to_compact(), || compiled(schema, false))
}

fn remember(text: String, compiled: impl FnOnce() -> Arc<Compiled>) -> Arc<Known> {
    // The text stands in the key, and may be quoted in two answers.
    let bytes = 3 * text.len();
    let find = || {
        let compiled = compiled();
        let (validity, elsewhere) = (compiled.validity(), compiled.elsewhere());
        Arc::new(Known { validity, elsewhere, refused_by_python: OnceLock::new() })
    };
    KNOWN.find_or(text, |_| bytes, find)
}

/// By the digest of a schema and a value, and whether `format` is an assertion.
static FOUND: LazyLock<Kept<[u8; 32], Conformance>> = LazyLock::new(|| Kept::new(FOUND_BYTES));

/// Whether a value conforms to a schema, if possible as it was found at an earlier time.
pub(super) fn checked(schema: &Json, value: &Json, formats: bool) -> Conformance {
    let mut digest = Sha256::new();
    // Compact JSON has no line end, so that separates the parts.
    for part in [schema.to_compact(), value.to_compact()] {
        digest.update(part);
        digest.update(b"\n");
    }
    digest.update([u8::from(formats)]);
    let bytes = |found: &Conformance| match found {
        Conformance::Conforms => 0,
        Conformance::Violates { instance_pointer, schema_pointer, keyword, message } => {
            instance_pointer.len() + schema_pointer.len() + keyword.len() + message.len()
        }
        Conformance::Undecided { reason, .. } => reason.len(),
    };
    FOUND.find_or(digest.finalize().into(), bytes, || compiled(schema, formats).check(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_is_compiled_once_and_apart_for_formats() {
        let schema = Json::parse(r#"{"title":"asked about twice","format":"email"}"#).unwrap();
        let (first, second) = (compiled(&schema, false), compiled(&schema, false));
        assert!(Arc::ptr_eq(&first, &second));
        assert!(!Arc::ptr_eq(&first, &compiled(&schema, true)));
        let plain = Json::parse(r#"{"title":"without formats"}"#).unwrap();
        assert!(Arc::ptr_eq(&compiled(&plain, false), &compiled(&plain, true)));
    }

    #[test]
    fn what_is_known_of_the_schemas_of_a_long_list_is_found_out_once() {
        // Together they take more memory than there is for compiled ones.
        let schema = |at: usize| {
            let pattern = |name: &str| format!(r#""{name}":{{"pattern":"^[a-z]{{1,60}}-{at}-{name}$"}}"#);
            let properties: Vec<_> = ["a", "b", "c", "d"].iter().map(|name| pattern(name)).collect();
            Json::parse(&format!(r#"{{"properties":{{{}}}}}"#, properties.join(","))).unwrap()
        };
        let ready = compiled(&schema(0), false);
        let first: Vec<_> = (0..3_000).map(|at| known(&schema(at))).collect();
        assert!(!Arc::ptr_eq(&ready, &compiled(&schema(0), false)), "it is kept no longer");
        for (at, first) in first.iter().enumerate() {
            assert!(Arc::ptr_eq(first, &known(&schema(at))), "{at}");
        }
    }

    #[test]
    fn what_is_found_is_of_a_schema_a_value_and_how_formats_are_read() {
        let json = |text: &str| Json::parse(text).unwrap();
        let schema = json(r#"{"type":"string","format":"email"}"#);
        for _ in 0..2 {
            assert_eq!(checked(&schema, &json("\"a\""), false), Conformance::Conforms);
            assert!(matches!(checked(&schema, &json("\"a\""), true), Conformance::Violates { .. }));
            assert!(matches!(checked(&schema, &json("1"), false), Conformance::Violates { .. }));
            assert_eq!(checked(&json("{}"), &json("1"), false), Conformance::Conforms);
        }
    }
}
