//! Caches of a process: compiled schemas, the validity of schemas, and checked values.
//!
//! The judge checks a schema for each cell, and the audit for each rule. To compile it takes a thousand times as long as to
//! look it up. Answers are kept apart from compiled schemas, because they are small: there is room for very many of them.

use std::sync::{Arc, LazyLock, OnceLock};

use crate::validator::{Kept, PatternDialect, RefusedPattern, refused_pattern};
use mcp_compat_json::Json;
use sha2::{Digest as _, Sha256};

use super::compiled::Compiled;
use super::{Conformance, Validity};
use crate::inclusion::endless_reference;

/// Bytes of compiled schemas, in each of two generations.
const BYTES: usize = 24 << 20;

/// Bytes of what is known about schemas, in each of two generations.
const KNOWN_BYTES: usize = 16 << 20;

/// Bytes of checked values, in each of two generations.
const FOUND_BYTES: usize = 8 << 20;

/// By the text of the schema, and whether `format` is an assertion.
static KEPT: LazyLock<Kept<(bool, String), Arc<Compiled>>> = LazyLock::new(|| Kept::new(BYTES));

/// Returns the compiled schema, from the cache if possible. For a schema without `format` it does not matter whether
/// that is an assertion.
pub(super) fn compiled(schema: &Json, formats: bool) -> Arc<Compiled> {
    let text = schema.to_compact();
    let formats = formats && text.contains(r#""format""#);
    let length = text.len();
    let bytes = |compiled: &Arc<Compiled>| {
        if let Compiled::Ready(validator) = &**compiled { validator.bytes() } else { length }
    };
    let make = || {
        let compiled = Arc::new(Compiled::with(schema, formats));
        if !formats {
            // Whoever asks next may find that the compiled schema is kept no longer.
            remember(schema, || Arc::clone(&compiled));
        }
        compiled
    };
    KEPT.find_or((formats, text), bytes, make)
}

/// Answers about a schema without a value.
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

/// Returns the answers about a schema, from the cache if possible.
pub(super) fn known(schema: &Json) -> Arc<Known> {
    remember(schema, || compiled(schema, false))
}

fn remember(schema: &Json, compiled: impl FnOnce() -> Arc<Compiled>) -> Arc<Known> {
    let text = schema.to_compact();
    let refers = text.contains(r#""$ref""#);
    // The text stands in the key, and may be quoted in two answers.
    let bytes = 3 * text.len();
    let find = || {
        let compiled = compiled();
        let (mut validity, elsewhere) = (compiled.validity(), compiled.elsewhere());
        if refers
            && validity == Validity::Valid
            && let Some(reference) = endless_reference(schema)
        {
            validity = Validity::Endless { reference };
        }
        Arc::new(Known { validity, elsewhere, refused_by_python: OnceLock::new() })
    };
    KNOWN.find_or(text, |_| bytes, find)
}

/// By the digest of a schema and a value, and whether `format` is an assertion.
static FOUND: LazyLock<Kept<[u8; 32], Conformance>> = LazyLock::new(|| Kept::new(FOUND_BYTES));

/// Checks a value by a schema, from the cache if possible.
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
