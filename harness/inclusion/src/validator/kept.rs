//! Schemas that are compiled once in a process, whoever asks: a schema is asked about by the judge for each cell, and by
//! the audit for each rule, and to compile it takes a thousand times as long as to look it up.

use std::sync::{Arc, LazyLock};

use mcp_compat_json::Json;
use mcp_compat_validator::Kept;

use super::compiled::Compiled;

/// How many bytes of schemas are kept compiled. A compiled schema takes many times the bytes of its text.
const BYTES: usize = 1 << 20;

/// By the text of the schema, and whether `format` is an assertion.
static KEPT: LazyLock<Kept<(bool, String), Arc<Compiled>>> = LazyLock::new(|| Kept::new(BYTES));

/// A schema made ready, if possible as it was made ready before.
pub(super) fn compiled(schema: &Json, formats: bool) -> Arc<Compiled> {
    let text = schema.to_compact();
    let bytes = text.len();
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
    }
}
