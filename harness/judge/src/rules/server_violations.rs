//! Where the server broke a MUST: a client may refuse what breaks a rule.

use crate::facts::{CallFacts, Facts};

/// Where the server broke a MUST.
#[derive(Clone, Debug, Default)]
pub struct ServerViolations(Vec<Entry>);

/// A transcript entry that violates a rule.
#[derive(Clone, Copy, Debug)]
struct Entry {
    seq: u32,
    rule: &'static str,
    /// Whether the rule is about what the scenario varies, or else about the protocol around it.
    is_payload: bool,
}

impl ServerViolations {
    pub(super) fn add(&mut self, rule: &'static str, is_payload: bool, messages: &[u32]) {
        self.0.extend(messages.iter().map(|seq| Entry { seq: *seq, rule, is_payload }));
    }

    /// Whether the server broke a MUST in one of these transcript entries.
    pub(super) fn any_in(&self, entries: &[u32]) -> bool {
        self.0.iter().any(|entry| entries.contains(&entry.seq))
    }

    /// Whether what the server sent for a call breaks no MUST, but for these rules: its answer, what came before it, and
    /// its tool's definition. What else is wrong with a list cannot excuse how a client takes a result, if it took the
    /// list.
    pub(super) fn conforms_but_for(&self, facts: &Facts<'_>, call: &CallFacts<'_>, rules: &[&str]) -> bool {
        let seq = |place: Option<usize>| place.map(|place| facts.messages[place].seq);
        let answer = seq(call.exchange.and_then(|exchange| exchange.answer.message()));
        let listing = seq(call.listing.map(|listing| listing.message));
        let list_failed = facts.list_failed();
        let before = call.exchange.map(|exchange| facts.before_answer(exchange)).unwrap_or_default();
        !self.0.iter().filter(|entry| !rules.contains(&entry.rule)).any(|entry| {
            answer == Some(entry.seq)
                || before.contains(&entry.seq)
                || (listing == Some(entry.seq) && (list_failed || entry.is_payload))
        })
    }
}
