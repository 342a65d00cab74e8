//! Budget of proofs and samples.

use std::sync::atomic::{AtomicU64, Ordering};

use mcp_compat_json::{Json, Object};

/// Work that is left, in steps. It is counted and not timed, so that the same questions always get the same answers.
#[derive(Debug)]
pub(crate) struct Budget(AtomicU64);

impl Default for Budget {
    fn default() -> Self {
        Self::of(u64::MAX)
    }
}

impl Budget {
    pub(crate) const fn of(steps: u64) -> Self {
        Self(AtomicU64::new(steps))
    }

    /// Takes steps, if so many are left. Otherwise none are left afterwards.
    pub(crate) fn take(&self, steps: u64) -> bool {
        let taken = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| Some(left.saturating_sub(steps)));
        taken.is_ok_and(|left| left > steps)
    }

    pub(crate) fn is_spent(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }
}

/// Approximate number of parts of a schema that a check of one value passes in one step.
pub(crate) const CHECKED: u64 = 4;

/// Counts the values in a value, with itself.
pub(crate) fn size(value: &Json) -> u64 {
    match value {
        Json::Object(members) => members.iter().map(|(_, member)| size(member)).sum::<u64>() + 1,
        Json::Array(elements) => elements.iter().map(size).sum::<u64>() + 1,
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => 1,
    }
}

/// Counts the parts of a schema by which a value is checked. Lists of strings are looked up, so they count as one.
pub(crate) fn parts(schema: &Json) -> u64 {
    match schema {
        Json::Object(members) => members.iter().map(|(_, member)| parts(member)).sum::<u64>() + 1,
        Json::Array(elements) => {
            elements.iter().filter(|element| element.as_str().is_none()).map(parts).sum::<u64>() + 1
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => 1,
    }
}

/// Estimates the steps to compile a schema. Patterns take most of them.
pub(crate) fn compiling(schema: &Json) -> u64 {
    const VALUE: u64 = 4;
    const PATTERN: u64 = 200;
    match schema {
        Json::Object(members) => members.iter().fold(VALUE, |all, (key, member)| {
            let patterns = match key.as_str() {
                Some("pattern") => 1,
                Some("patternProperties") => member.as_object().map_or(0, Object::len) as u64,
                Some(_) | None => 0,
            };
            all + patterns * PATTERN + compiling(member)
        }),
        Json::Array(elements) => elements.iter().map(compiling).sum::<u64>() + VALUE,
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => VALUE,
    }
}
