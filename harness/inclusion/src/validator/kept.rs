//! Schemas that are compiled once in a process, whoever asks: a schema is asked about by the judge for each cell, and by
//! the audit for each rule, and to compile it takes a thousand times as long as to look it up.

use std::sync::{Arc, LazyLock};

use mcp_compat_json::Json;
use mcp_compat_validator::Kept;

use super::compiled::Compiled;

/// How much memory the schemas take that are kept compiled, in bytes, and as much again. Those of 5,000 tools with a few
/// properties fit: each rule asks about all schemas of a list, so that with less room each rule would compile all of them.
const BYTES: usize = 48 << 20;

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
    KEPT.find_or((formats, text), bytes, || Arc::new(Compiled::with(schema, formats)))
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
    fn the_schemas_of_a_long_list_are_compiled_once() {
        let schema = |at: usize| Json::parse(&format!(r#"{{"title":"{at} of a long list","minimum":{at}}}"#)).unwrap();
        let first: Vec<_> = (0..5_000).map(|at| compiled(&schema(at), false)).collect();
        for (at, first) in first.iter().enumerate() {
            assert!(Arc::ptr_eq(first, &compiled(&schema(at), false)), "{at}");
        }
    }
}
