//! Parts of schemas that the validator is asked about many times, compiled once.

use std::collections::HashMap;
use std::sync::Arc;

use mcp_compat_json::Json;

use crate::budget::{CHECKED, compiling, parts};
use crate::validator::{Compiled, Schemas};

/// What the validator is asked about a part of a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Asked {
    /// All of it.
    Whole,
    /// The keywords that say nothing of a value but what stands in them.
    Plain,
}

/// Parts by their address. None of them is dropped while proofs are made. `None` if a part has nothing to ask about.
pub(crate) type Parts = HashMap<(usize, Asked), Option<Part>>;

/// A part of a schema.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    compiled: Arc<Compiled>,
    steps: u64,
}

impl Part {
    pub(crate) fn of(schema: &Json, schemas: &Schemas) -> Self {
        schemas.budget.take(compiling(schema));
        Self { compiled: schemas.compiled(schema), steps: 1 + parts(schema) / CHECKED }
    }

    /// What a check of a value costs.
    pub(crate) const fn steps(&self) -> u64 {
        self.steps
    }

    /// Whether a value conforms, if that can be said.
    pub(crate) fn takes(&self, value: &Json) -> Option<bool> {
        self.compiled.takes(value)
    }
}
