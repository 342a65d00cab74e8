//! The party that violated rules bind, as one fault.

use crate::wire::message::{Message, Shape};
use mcp_compat_model::Role;
use mcp_compat_model::verdict::{Fault, Outcome, Party};

use crate::decision::Decision;
use crate::facts::Facts;
use crate::no_session::NoSession;
use crate::rules::{INITIALIZE_NAMES_A_HANDSHAKE_REVISION, RuleFinding, SERVER_SPEAKS_JSON_RPC};

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
    let broken = found.iter().filter(|found| found.is_must_of_server());
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
