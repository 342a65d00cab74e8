//! Calls on a byte stream whose answers are held back until another call has been answered.

use std::collections::BTreeSet;

use mcp_compat_model::Era;
use serde_json::value::RawValue;

use crate::tool_behavior::{AnswerTiming, ToolBehavior};

/// The most answers that may be held back on one stream. A call beyond them is never answered.
const LIMIT: usize = 1024;

/// A call of a tool that has an answer timing.
pub(crate) struct HeldCall<'p> {
    pub(crate) id: Box<RawValue>,
    /// Its progress token, as JSON text.
    pub(crate) token: Option<String>,
    pub(crate) era: Era,
    pub(crate) behavior: &'p ToolBehavior,
    pub(crate) timing: &'p AnswerTiming,
}

/// The calls that wait, and the tools that have been answered.
#[derive(Default)]
pub(crate) struct HeldCalls<'p> {
    waiting: Vec<HeldCall<'p>>,
    answered: BTreeSet<&'p str>,
}

impl<'p> HeldCalls<'p> {
    /// Whether a call has to wait for another one.
    pub(crate) fn must_wait(&self, call: &HeldCall<'p>) -> bool {
        call.timing.after.as_deref().is_some_and(|tool| !self.answered.contains(tool))
    }

    /// Holds a call back until it is due.
    pub(crate) fn keep(&mut self, call: HeldCall<'p>) {
        if self.waiting.len() < LIMIT {
            self.waiting.push(call);
        }
    }

    /// Records that a call of a tool has been answered.
    pub(crate) fn answered(&mut self, tool: &'p str) {
        self.answered.insert(tool);
    }

    /// Takes the first call that is due.
    pub(crate) fn due(&mut self) -> Option<HeldCall<'p>> {
        let due = self.waiting.iter().position(|call| !self.must_wait(call))?;
        Some(self.waiting.remove(due))
    }

    /// Forgets a call that the client has cancelled.
    pub(crate) fn cancel(&mut self, id: &str) {
        self.waiting.retain(|call| call.id.get() != id);
    }
}
