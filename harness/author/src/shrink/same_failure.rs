//! Decides whether two cells break in the same way.

use std::collections::BTreeSet;

use mcp_compat_model::Revision;
use mcp_compat_model::signature::Signature;
use mcp_compat_model::verdict::{BlastRadius, Fault, Finding, Outcome, Party, Rating, Verdict};

/// A break, without what changes when the schema and the value get smaller: JSON Pointers, messages, transcript entries
/// and sentences.
///
/// Another verdict breaks the same way if
///
/// - the negotiated revision, the outcome, the rating, the blast radius and the fault are equal;
/// - the cause is equal: the signature without the pointer at its end, and so where it broke, the rule that decides,
///   and the layer and code of the error that the client raised;
/// - the party at fault violates the same rules;
/// - and nobody violates a rule that was not violated before. Fewer may be.
///
/// So a reduction can neither wander to another break of the same pair, nor win by making a message wrong that was
/// right. Whether a control is caught as well does not belong to the break.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breakage {
    negotiated: Option<Revision>,
    outcome: Outcome,
    rating: Rating,
    blast_radius: Option<BlastRadius>,
    fault: Option<Fault>,
    cause: Option<Signature>,
    by_culprit: BTreeSet<Violation>,
    by_anybody: BTreeSet<Violation>,
}

/// A rule, and who violated it.
type Violation = (Party, String);

impl Breakage {
    /// Returns the break of a cell; nothing, if it does not break.
    pub fn of(verdict: &Verdict) -> Option<Self> {
        match verdict.rating {
            Rating::Breaks | Rating::Degraded => {}
            Rating::Works | Rating::Skipped => return None,
        }
        let violations = |wanted: &dyn Fn(&Finding) -> bool| {
            let found = verdict.findings.iter().filter(|finding| wanted(finding));
            found.map(|finding| (finding.party, finding.rule.clone())).collect()
        };
        Some(Self {
            negotiated: verdict.negotiated,
            outcome: verdict.outcome,
            rating: verdict.rating,
            blast_radius: verdict.blast_radius,
            fault: verdict.fault,
            cause: verdict.signature.as_ref().map(Signature::without_pointer),
            by_culprit: violations(&|finding| is_at_fault(finding.party, verdict.fault)),
            by_anybody: violations(&|_| true),
        })
    }

    /// Returns true if a cell breaks the same way.
    pub fn is_kept_by(&self, verdict: &Verdict) -> bool {
        let Some(other) = Self::of(verdict) else { return false };
        let fewer = other.by_anybody.is_subset(&self.by_anybody);
        fewer && Self { by_anybody: self.by_anybody.clone(), ..other } == *self
    }

    pub fn outcome(&self) -> Outcome {
        self.outcome
    }
}

fn is_at_fault(party: Party, fault: Option<Fault>) -> bool {
    match fault {
        Some(Fault::Client) => party == Party::Client,
        Some(Fault::Server) => party == Party::Server,
        Some(Fault::Both) => matches!(party, Party::Client | Party::Server),
        Some(Fault::Spec) => party == Party::Spec,
        Some(Fault::Harness) | None => false,
    }
}

#[cfg(test)]
mod tests {
    use mcp_compat_model::verdict::Level;

    use super::*;

    fn finding(party: Party, rule: &str, detail: &str) -> Finding {
        Finding {
            rule: rule.to_owned(),
            level: Level::Must,
            party,
            revision: Some(Revision::V2026_07_28),
            source: String::new(),
            detail: detail.to_owned(),
            tool: None,
            messages: vec![3],
        }
    }

    fn verdict() -> Verdict {
        Verdict {
            negotiated: Some(Revision::V2026_07_28),
            outcome: Outcome::Rejected,
            rating: Rating::Breaks,
            silent: false,
            vacuous: false,
            blast_radius: Some(BlastRadius::Server),
            expected: Some(Outcome::Intact),
            findings: vec![
                finding(Party::Client, "client-takes-any-value", "refuses [1,2]"),
                finding(Party::Server, "text-fallback", "no text"),
            ],
            fault: Some(Fault::Client),
            signature: Some("client:rejected:tools/list:client-takes-any-value:decode:-32603:/a/b".parse().unwrap()),
            reason: "because".to_owned(),
        }
    }

    /// Returns true if the break is the same after a change of the verdict.
    fn kept(change: impl FnOnce(&mut Verdict)) -> bool {
        let mut changed = verdict();
        change(&mut changed);
        Breakage::of(&verdict()).unwrap().is_kept_by(&changed)
    }

    #[test]
    fn what_shrinks_with_the_schema_does_not_count() {
        assert!(kept(|_| {}));
        assert!(kept(|other| other.signature =
            Some("client:rejected:tools/list:client-takes-any-value:decode:-32603".parse().unwrap())));
        assert!(kept(|other| other.reason = "for another reason".to_owned()));
        assert!(kept(|other| other.findings[0] = finding(Party::Client, "client-takes-any-value", "refuses []")));
        assert!(kept(|other| other.vacuous = true));
    }

    #[test]
    fn what_makes_the_break_counts() {
        assert!(!kept(|other| other.negotiated = Some(Revision::V2025_11_25)));
        assert!(!kept(|other| other.outcome = Outcome::Lost));
        assert!(!kept(|other| other.rating = Rating::Degraded));
        assert!(!kept(|other| other.rating = Rating::Works));
        assert!(!kept(|other| other.blast_radius = Some(BlastRadius::Call)));
        assert!(!kept(|other| other.fault = Some(Fault::Both)));
        let layer = "client:rejected:tools/list:client-takes-any-value:validate:/a/b";
        assert!(!kept(|other| other.signature = Some(layer.parse().unwrap())));
        let place = "client:rejected:tools/call:client-takes-any-value:decode:-32603:/a/b";
        assert!(!kept(|other| other.signature = Some(place.parse().unwrap())));
    }

    #[test]
    fn a_rule_may_be_violated_no_more_but_only_by_those_who_are_not_at_fault() {
        assert!(kept(|other| drop(other.findings.pop())));
        assert!(!kept(|other| drop(other.findings.remove(0))));
    }

    #[test]
    fn no_rule_may_be_violated_that_was_not() {
        for party in [Party::Client, Party::Server] {
            assert!(!kept(|other| other.findings.push(finding(party, "content-array", ""))), "{party}");
        }
    }

    #[test]
    fn a_cell_that_works_or_is_skipped_has_no_break() {
        for rating in [Rating::Works, Rating::Skipped] {
            assert_eq!(Breakage::of(&Verdict { rating, ..verdict() }), None);
        }
        assert!(Breakage::of(&Verdict { rating: Rating::Degraded, ..verdict() }).is_some());
    }
}
