//! Bounds of a validation: how much is computed, and how deep.

use std::cell::{Cell, RefCell};

use serde_json::Value;

use crate::refusal::Refusal;

/// After so many schemas were applied, the validation of a small value counts as endless. The libraries have no such bound,
/// and take seconds for so many.
const STEPS: usize = 200_000;

/// How many may be applied for each value within a large one.
const STEPS_PER_VALUE: usize = 16;

/// After so many, the validation of any value counts as endless.
const MOST_STEPS: usize = 4_000_000;

/// How many schemas may be applied within each other. The libraries overflow their stack at some hundreds or thousands.
const DEPTH: usize = 512;

/// What a validation may still do.
#[derive(Debug)]
pub(crate) struct Limits {
    /// How many schemas may still be applied.
    left: Cell<usize>,
    /// The schemas that are being applied, each with its value, by address.
    entered: RefCell<Vec<(usize, usize)>>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { left: Cell::new(STEPS), entered: RefCell::default() }
    }
}

impl Limits {
    /// Begins the validation of a value.
    pub(crate) fn begin(&self, value: &Value) {
        self.left.set(STEPS.max(STEPS_PER_VALUE.saturating_mul(size(value))).min(MOST_STEPS));
    }

    /// Applies a schema to a value within the bounds.
    ///
    /// # Errors
    /// When the same schema is being applied to the same value already: the library recurses until its stack is full.
    pub(crate) fn within<T>(
        &self,
        schema: &Value,
        value: &Value,
        apply: impl FnOnce() -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let left = self.left.get().checked_sub(1).ok_or(Refusal::Endless)?;
        self.left.set(left);
        let place = (std::ptr::from_ref(schema).addr(), std::ptr::from_ref(value).addr());
        let mut entered = self.entered.borrow_mut();
        if entered.len() > DEPTH || entered.contains(&place) {
            return Refusal::failure("the stack is full");
        }
        entered.push(place);
        drop(entered);
        let found = apply();
        self.entered.borrow_mut().pop();
        found
    }
}

/// How many values there are in a value, itself among them.
fn size(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(size).sum::<usize>(),
        Value::Object(members) => members.values().map(size).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}
