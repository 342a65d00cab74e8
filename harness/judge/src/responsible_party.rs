//! The party responsible for the fix.
//!
//! In this order: our own mocks, which may never colour a peer; for a session, what its ending tells; for a broken step, the
//! table of `broken_step`. Rules that were violated name the party that they bind.

use mcp_compat_model::Role;
use mcp_compat_model::verdict::{Fault, Level, Outcome, Party};

use crate::broken_step::of_step;
use crate::decision::{Decision, Subject};
use crate::facts::Facts;
use crate::no_session::{NoSession, keeps_from_session, refused_for_header};
use crate::rules::{INITIALIZE_NAMES_A_HANDSHAKE_REVISION, RuleFinding, SERVER_SPEAKS_JSON_RPC, Scope};
use crate::wire::message::{Message, Shape};

/// The party responsible for the fix, and the finding that says so.
#[derive(Clone, Debug)]
pub(crate) struct ResponsibleParty<'f> {
    pub(crate) fault: Fault,
    pub(crate) finding: Option<&'f RuleFinding>,
    /// What else has to be fixed before the user gets what the tool meant: by the other party, where both are at fault,
    /// and other violations by the server in the list or in the result.
    pub(crate) also: Vec<&'f RuleFinding>,
    /// Reason why there was no session, where no rule says it.
    pub(crate) no_session: Option<NoSession>,
}

impl<'f> ResponsibleParty<'f> {
    pub(crate) const fn of(fault: Fault) -> Self {
        Self { fault, finding: None, also: Vec::new(), no_session: None }
    }

    pub(crate) const fn by(fault: Fault, finding: Option<&'f RuleFinding>) -> Self {
        Self { fault, finding, also: Vec::new(), no_session: None }
    }

    /// Where the server broke a rule, and the client waited in place of reporting it.
    pub(crate) fn of_both(self) -> Self {
        Self { fault: Fault::Both, ..self }
    }

    pub(crate) const fn without_session(no_session: NoSession) -> Self {
        Self { fault: no_session.fault(), finding: None, also: Vec::new(), no_session: Some(no_session) }
    }
}

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
    mock && found.rule.scope == Scope::Protocol && found.finding.level == Level::Must && !is_scripted(facts, found)
}

/// Returns true if what a finding is about was to be sent as the scenario has it.
fn is_scripted(facts: &Facts<'_>, found: &RuleFinding) -> bool {
    found.finding.messages.iter().any(|seq| facts.is_scripted(*seq))
}

/// Limit of the violations by the server that a reason names besides the first.
const ALSO: usize = 2;

/// The server's fault, where its answer to `initialize` names a revision that has no handshake: then the client cannot
/// know how to go on, and what it violates by going on is no fault of its own.
pub(crate) fn wrong_revision<'f>(found: &'f [RuleFinding]) -> Option<ResponsibleParty<'f>> {
    by_rules(found.iter().filter(|found| is_wrong_revision(found)))
}

/// Returns true for an answer to `initialize` that names a revision without a handshake.
pub(crate) fn is_wrong_revision(found: &RuleFinding) -> bool {
    *found.rule == INITIALIZE_NAMES_A_HANDSHAKE_REVISION
}

/// The MUSTs that the server broke by the very form of an answer, where the client waited or left: a client may end the
/// session at what it cannot read, and lose everything after it.
pub(crate) fn garbled<'f>(
    facts: &Facts<'_>,
    found: &'f [RuleFinding],
    decision: &Decision<'_, '_>,
) -> impl Iterator<Item = &'f RuleFinding> {
    let is_lost = matches!(decision.outcome, Outcome::Hung | Outcome::Unreachable);
    let answers = facts.exchanges.all.iter().filter_map(|exchange| exchange.answer.message());
    let answers = answers.map(|at| &facts.messages[at]).filter(|answer| is_lost && answer.defect.is_some());
    // A connection is also lost at what answers nothing.
    let is_noise = |message: &&Message<'_>| {
        decision.outcome == Outcome::Unreachable && message.from == Role::Server && message.shape == Shape::Unreadable
    };
    let noise = facts.messages.iter().filter(is_noise);
    let garbled: Vec<u32> = answers.chain(noise).map(|answer| answer.seq).collect();
    let broken = found.iter().filter(|found| found.may_excuse_client());
    let broken: Vec<_> =
        broken.filter(|found| found.finding.messages.iter().any(|seq| garbled.contains(seq))).collect();
    // What else is wrong with a message that is none does not matter.
    let is_form = |found: &&RuleFinding| *found.rule == SERVER_SPEAKS_JSON_RPC;
    let has_form = broken.iter().any(is_form);
    broken.into_iter().filter(move |found| !has_form || is_form(found))
}

/// The parties of some findings as one fault. The specification is only at fault where no peer is.
pub(crate) fn by_rules<'f>(found: impl Iterator<Item = &'f RuleFinding>) -> Option<ResponsibleParty<'f>> {
    let (mut client, mut server, mut spec) = (None, None, None);
    let mut more: Vec<&RuleFinding> = Vec::new();
    for found in found {
        match found.rule.party {
            Party::Client => client = client.or(Some(found)),
            Party::Server if server.is_none() => server = Some(found),
            Party::Server => {
                let is_known = server.into_iter().chain(more.iter().copied()).any(|known| known.rule == found.rule);
                more.extend((!is_known).then_some(found));
            }
            Party::Spec => spec = spec.or(Some(found)),
        }
    }
    more.truncate(ALSO);
    let fault = match (client, server) {
        (Some(_), Some(_)) => Fault::Both,
        (Some(_), None) => Fault::Client,
        (None, Some(_)) => Fault::Server,
        (None, None) => Fault::Spec,
    };
    let finding = server.or(client).or(spec)?;
    let other = client.filter(|client| client.rule != finding.rule);
    let also = more.into_iter().chain(other).collect();
    Some(ResponsibleParty { also, ..ResponsibleParty::by(fault, Some(finding)) })
}
