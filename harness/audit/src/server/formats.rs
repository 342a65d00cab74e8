//! Values that lack the `format` that their schema declares, and nothing else. JSON Schema leaves it open whether a validator
//! checks formats.

use mcp_compat_inclusion::{Conformance, check, check_with_formats};
use mcp_compat_json::Json;

/// Whether a value conforms to a schema but for a `format`. Gives the place and what is wrong there.
pub(super) fn violated_format(schema: &Json, value: &Json) -> Option<(String, String)> {
    if check(schema, value) != Conformance::Conforms {
        return None;
    }
    match check_with_formats(schema, value) {
        Conformance::Violates { instance_pointer, message, .. } => Some((instance_pointer, message)),
        Conformance::Conforms | Conformance::Undecided { .. } => None,
    }
}

/// Whether a value conforms to a schema but for a `format`.
pub(super) fn violates_a_format(schema: &Json, value: &Json) -> bool {
    violated_format(schema, value).is_some()
}
