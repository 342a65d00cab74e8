//! The party responsible for the fix.
//!
//! In this order: our own mocks, which may never colour a peer; for a session, what its ending tells; for a broken step, the
//! table of `broken_step`.

use mcp_compat_model::verdict::{Fault, Level, Outcome, Party};

use crate::broken_step::of_step;
use crate::by_rules::{ResponsibleParty, by_rules, garbled, wrong_revision};
use crate::decision::{Decision, Subject};
use crate::facts::Facts;
use crate::no_session::{NoSession, keeps_from_session, refused_for_header};
use crate::rules::{RuleFinding, Scope};

/// The party responsible for what decides a cell that does not work.
pub(crate) fn responsible_party<'f>(
    facts: &Facts<'_>,
    found: &'f [RuleFinding],
    decision: &Decision<'_, '_>,
) -> ResponsibleParty<'f> {
    if decision.outcome == Outcome::Incomplete {
        return ResponsibleParty::of(Fault::Harness);
    }
    if let Some(ours) = found.iter().find(|found| is_ours(facts, found)) {
        return ResponsibleParty::by(Fault::Harness, Some(ours));
    }
    let party = match &decision.subject {
        Subject::Session(ending) => match (ending.fault, ending.rule) {
            (Some(fault), Some(rule)) => ResponsibleParty::by(fault, found.iter().find(|found| *found.rule == *rule)),
            // A client that is lost at a message that cannot be read was lost by the server.
            (Some(Fault::Client), None) if garbled(facts, found, decision).next().is_some() => {
                by_rules(garbled(facts, found, decision)).unwrap_or(ResponsibleParty::of(Fault::Client))
            }
            // A client that waits after it was told of no revision waits for what the server owes.
            (Some(Fault::Client), None) if decision.outcome == Outcome::Hung && wrong_revision(found).is_some() => {
                wrong_revision(found).map_or(ResponsibleParty::of(Fault::Client), ResponsibleParty::of_both)
            }
            // A violation by the other party is not why this one is gone, and neither is a payload of the scenario.
            (Some(fault), None) => {
                let own =
                    |found: &&RuleFinding| is_party(found.rule.party, fault) && found.rule.scope == Scope::Protocol;
                // What comes first on the wire led to the rest.
                let first = |found: &&RuleFinding| found.finding.messages.iter().min().copied();
                ResponsibleParty::by(fault, found.iter().filter(own).min_by_key(first))
            }
            (None, _) => wrong_revision(found)
                .or_else(|| by_rules(found.iter().filter(|found| keeps_from_session(facts, found))))
                .or_else(|| by_rules(refused_for_header(facts, found)))
                .unwrap_or_else(|| ResponsibleParty::without_session(NoSession::of(facts))),
        },
        Subject::List(_) | Subject::Evolve(_) | Subject::Call(_) => of_step(facts, found, decision),
    };
    // A mock that hangs or crashes without a script is our fault.
    let mocked = match party.fault {
        Fault::Client => facts.cell.client.is_mock(),
        Fault::Server => facts.cell.server.is_mock(),
        Fault::Both | Fault::Spec | Fault::Harness => false,
    };
    let scripted = || party.finding.is_some_and(|found| is_scripted(facts, found));
    if mocked && matches!(decision.outcome, Outcome::Hung | Outcome::Crashed) && !scripted() {
        return ResponsibleParty { fault: Fault::Harness, ..party };
    }
    party
}

/// Returns true if a fault is that of one party alone.
const fn is_party(party: Party, fault: Fault) -> bool {
    matches!(
        (party, fault),
        (Party::Client, Fault::Client) | (Party::Server, Fault::Server) | (Party::Spec, Fault::Spec)
    )
}

/// Returns true if one of our mocks broke the protocol although no script asks for that.
fn is_ours(facts: &Facts<'_>, found: &RuleFinding) -> bool {
    let mock = match found.rule.party {
        Party::Client => facts.cell.client.is_mock(),
        Party::Server => facts.cell.server.is_mock(),
        Party::Spec => false,
    };
    mock && found.rule.scope == Scope::Protocol && found.rule.level == Level::Must && !is_scripted(facts, found)
}

/// Returns true if what a finding is about was to be sent as the scenario has it.
fn is_scripted(facts: &Facts<'_>, found: &RuleFinding) -> bool {
    found.finding.messages.iter().any(|seq| facts.is_scripted(*seq))
}
