//! Calls on a byte stream whose answers wait until another call has been answered.

use std::collections::BTreeSet;

use mcp_compat_model::Era;
use serde_json::value::RawValue;

use super::part::{Cue, Part};

/// The most answers that may wait on one stream. A call beyond them is never answered.
const LIMIT: usize = 1024;

/// A call of a tool with a cue.
pub(super) struct CuedCall<'p> {
    pub(super) id: Box<RawValue>,
    /// Its progress token, as JSON text.
    pub(super) token: Option<String>,
    pub(super) era: Era,
    pub(super) part: &'p Part,
    pub(super) cue: &'p Cue,
}

/// What waits, and what need not.
#[derive(Default)]
pub(super) struct Holds<'p> {
    waiting: Vec<CuedCall<'p>>,
    answered: BTreeSet<&'p str>,
}

impl<'p> Holds<'p> {
    /// Whether a call has to wait for another one.
    pub(super) fn must_wait(&self, call: &CuedCall<'p>) -> bool {
        call.cue.after.as_deref().is_some_and(|tool| !self.answered.contains(tool))
    }

    /// Keeps a call until its time has come.
    pub(super) fn keep(&mut self, call: CuedCall<'p>) {
        if self.waiting.len() < LIMIT {
            self.waiting.push(call);
        }
    }

    /// Notes that a call of a tool has been answered.
    pub(super) fn answered(&mut self, tool: &'p str) {
        self.answered.insert(tool);
    }

    /// Takes the first call whose time has come.
    pub(super) fn due(&mut self) -> Option<CuedCall<'p>> {
        let due = self.waiting.iter().position(|call| !self.must_wait(call))?;
        Some(self.waiting.remove(due))
    }

    /// Forgets a call that the client has cancelled.
    pub(super) fn cancel(&mut self, id: &str) {
        self.waiting.retain(|call| call.id.get() != id);
    }
}
