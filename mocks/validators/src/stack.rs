//! Room for recursion: schemas refer to themselves, and the threads of a runtime have small stacks.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use serde_json::Value;

use crate::refusal::Refusal;

/// Enough for the deepest recursion that [`crate::limits`] allows, in a build that is not optimised.
const BYTES: usize = 64 * 1024 * 1024;

/// How deep a schema may nest for the stack of any thread to be enough.
const SHALLOW: usize = 12;

/// Whether a schema takes no more stack than any thread has: it nests little, and refers to nothing.
pub(crate) fn is_shallow(schema: &Value) -> bool {
    is_within(schema, SHALLOW)
}

fn is_within(schema: &Value, levels: usize) -> bool {
    let below = |inner: &Value| levels > 0 && is_within(inner, levels - 1);
    match schema {
        Value::Object(members) => {
            let refers = |key: &String| key.starts_with('$') && key.ends_with("ef");
            members.iter().all(|(key, member)| !refers(key) && below(member))
        }
        Value::Array(elements) => elements.iter().all(below),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}

/// Runs a computation, on a stack of its own unless it needs none.
///
/// # Errors
/// Those of the computation, or when the system gives no thread.
pub(crate) fn with_room<T: Send>(
    is_shallow: bool,
    compute: impl FnOnce() -> Result<T, Refusal> + Send,
) -> Result<T, Refusal> {
    // A thread takes longer to start than most schemas take to check.
    if is_shallow {
        catch_unwind(AssertUnwindSafe(compute)).unwrap_or_else(|_| panicked())
    } else {
        on_a_thread(compute)
    }
}

fn panicked<T>() -> Result<T, Refusal> {
    Err(Refusal::BeyondTheMock("makes the mock's validator panic"))
}

fn on_a_thread<T: Send>(compute: impl FnOnce() -> Result<T, Refusal> + Send) -> Result<T, Refusal> {
    thread::scope(|scope| {
        let started = thread::Builder::new().stack_size(BYTES).spawn_scoped(scope, compute);
        match started.map(thread::ScopedJoinHandle::join) {
            Ok(Ok(found)) => found,
            Ok(Err(_)) => panicked(),
            Err(_) => Err(Refusal::BeyondTheMock("is nested deeper than the system gives the mock room for")),
        }
    })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    #[rstest]
    #[case::plain(json!({"type": "object", "properties": {"a": {"items": {"type": "integer"}}}}), true)]
    #[case::a_reference(json!({"properties": {"a": {"$ref": "#"}}}), false)]
    #[case::a_dynamic_reference(json!({"allOf": [{"$dynamicRef": "#a"}]}), false)]
    #[case::a_recursive_reference(json!({"items": {"$recursiveRef": "#"}}), false)]
    #[case::any(json!(true), true)]
    fn only_what_recurs_needs_room(#[case] schema: Value, #[case] shallow: bool) {
        assert_eq!(is_shallow(&schema), shallow);
    }

    #[test]
    fn what_nests_deep_needs_room() {
        let nested = |levels: usize| (0..levels).fold(json!({}), |inner, _| json!({"items": inner}));
        assert!(is_shallow(&nested(SHALLOW)));
        assert!(!is_shallow(&nested(SHALLOW + 1)));
    }
}
