//! Bounds of a validation: how much is computed, and how deep.

use std::cell::{Cell, RefCell};

use serde_json::Value;

use crate::refusal::Refusal;

/// After so many schemas applied to values, the validation counts as endless. The libraries have no such bound, and take
/// seconds for so many.
const STEPS: u32 = 200_000;

/// How many schemas may be applied within each other. The libraries overflow their stack at some hundreds or thousands.
const DEPTH: usize = 512;

/// What a validation may still do.
#[derive(Debug, Default)]
pub(crate) struct Limits {
    steps: Cell<u32>,
    /// The schemas that are being applied, each with its value, by address.
    entered: RefCell<Vec<(usize, usize)>>,
}

impl Limits {
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
        self.steps.set(self.steps.get() + 1);
        if self.steps.get() > STEPS {
            return Err(Refusal::Endless);
        }
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
