//! Which calls have been answered, for those whose answers wait for that.
//!
//! Requests come side by side, each with a response of its own. A call counts as answered when its response is written,
//! so that whoever reads both sees them in the order that the script asks for.

use std::collections::BTreeSet;
use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::watch;

/// The calls that were answered, in a session or at a path. Cloning shares it.
#[derive(Clone, Debug, Default)]
pub(super) struct AnsweredCalls {
    answered: watch::Sender<BTreeSet<String>>,
    stuck: Arc<AtomicBool>,
}

/// A response on its way. When it is written, or will never be, whoever waits for it goes on.
#[derive(Debug)]
pub(super) struct AnsweredOnDrop {
    answered_calls: AnsweredCalls,
    tool: String,
}

impl AnsweredCalls {
    /// Waits until a call of a tool has been answered. A client that is gone is not waited for.
    pub(super) async fn answered(&self, tool: &str) {
        // The sender lives as long as this borrow, so the wait ends in no other way.
        let _ = self.answered.subscribe().wait_for(|answered| answered.contains(tool)).await;
    }

    /// Whether a call of a tool has been answered.
    pub(super) fn is_answered(&self, tool: &str) -> bool {
        self.answered.borrow().contains(tool)
    }

    /// What is to be kept until a call of a tool has been answered.
    pub(super) fn given(&self, tool: &str) -> AnsweredOnDrop {
        AnsweredOnDrop { answered_calls: self.clone(), tool: tool.to_owned() }
    }

    /// Lets nothing else be answered from here on.
    pub(super) fn block(&self) {
        self.stuck.store(true, Ordering::Release);
    }

    /// Waits for the turn of a request, which never comes behind a call that blocks.
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
