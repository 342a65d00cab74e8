//! Record of answered calls, for answers that wait for them.
//!
//! Requests arrive concurrently, each with a response of its own. A call counts as answered when its response is written, so
//! that a client sees the responses in the order of the script.

use std::collections::BTreeSet;
use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::watch;

/// The calls that were answered, in a session or at a path. Clones share them.
#[derive(Clone, Debug, Default)]
pub(super) struct AnsweredCalls {
    answered: watch::Sender<BTreeSet<String>>,
    stuck: Arc<AtomicBool>,
}

/// Marks a call as answered when it is dropped: when its response is written, or never will be.
#[derive(Debug)]
pub(super) struct AnsweredOnDrop {
    answered_calls: AnsweredCalls,
    tool: String,
}

impl AnsweredCalls {
    /// Waits until a call of a tool has been answered.
    pub(super) async fn answered(&self, tool: &str) {
        // The sender lives as long as this borrow, so the wait ends in no other way.
        let _ = self.answered.subscribe().wait_for(|answered| answered.contains(tool)).await;
    }

    /// Returns whether a call of a tool has been answered.
    pub(super) fn is_answered(&self, tool: &str) -> bool {
        self.answered.borrow().contains(tool)
    }

    /// A guard to keep until a call of a tool has been answered.
    pub(super) fn answered_on_drop(&self, tool: &str) -> AnsweredOnDrop {
        AnsweredOnDrop { answered_calls: self.clone(), tool: tool.to_owned() }
    }

    /// Blocks all further answers.
    pub(super) fn block(&self) {
        self.stuck.store(true, Ordering::Release);
    }

    /// Waits until a request may be answered: for ever, after a call that blocks.
    pub(super) async fn turn(&self) {
        if self.stuck.load(Ordering::Acquire) {
            pending::<()>().await;
        }
    }
}

impl Drop for AnsweredOnDrop {
    fn drop(&mut self) {
        let tool = std::mem::take(&mut self.tool);
        self.answered_calls.answered.send_modify(|answered| {
            answered.insert(tool);
        });
    }
}
