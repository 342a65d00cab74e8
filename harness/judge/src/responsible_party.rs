//! The party responsible for the fix.
//!
//! In this order: what the ending of the session tells; our own mocks, which may never colour a peer; a MUST that the
//! server broke and that led to the break; what the specification leaves open; the other rules that the broken step
//! violates, MUST before SHOULD; and at last what the wire tells without a rule. A break that nothing explains is a gap
//! of the specification.

use mcp_compat_model::Role;
use mcp_compat_model::observation::Layer;
use mcp_compat_model::signature::Place;
use mcp_compat_model::verdict::{Fault, Level, Outcome, Party};
use mcp_compat_scenario::scenario::{Means, SpecStance};

use crate::by_wire::{by_wire, hung};
use crate::companions::MissingCompanion;
use crate::decision::{Decision, Subject};
use crate::ending::left_open;
use crate::facts::Facts;
use crate::no_session::{NoSession, keeps_from_session, refused_for_header};
use crate::proof::structured_on_wire;
use crate::rules::{
    Affects, CLIENT_SPEAKS_A_LISTED_REVISION, INITIALIZE_NAMES_A_HANDSHAKE_REVISION, Rule, RuleFinding,
    SERVER_SPEAKS_JSON_RPC, Scope,
};
use mcp_compat_wire::exchange::{Answer, Exchange};
use mcp_compat_wire::message::{Message, Shape};

/// The party responsible for the fix, and the finding that says so.
#[derive(Clone, Debug)]
pub(crate) struct ResponsibleParty<'f> {
    pub(crate) fault: Fault,
    pub(crate) finding: Option<&'f RuleFinding>,
    /// What else has to be fixed before the user gets what the tool meant: by the other party, where both are at fault,
    /// and other violations by the server in the list or in the result.
    pub(crate) also: Vec<&'f RuleFinding>,
    /// Why there was no session, where no rule says it.
    pub(crate) no_session: Option<NoSession>,
}

impl<'f> ResponsibleParty<'f> {
    const fn of(fault: Fault) -> Self {
        Self { fault, finding: None, also: Vec::new(), no_session: None }
    }

    const fn by(fault: Fault, finding: Option<&'f RuleFinding>) -> Self {
        Self { fault, finding, also: Vec::new(), no_session: None }
    }

    /// Where the server broke a rule, and the client waited in place of reporting it.
    fn of_both(self) -> Self {
        Self { fault: Fault::Both, ..self }
    }

    const fn without_session(no_session: NoSession) -> Self {
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

/// How many violations by the server a reason names besides the first.
const ALSO: usize = 2;

/// Whether a fault is that of one party alone.
const fn is_party(party: Party, fault: Fault) -> bool {
    matches!(
        (party, fault),
        (Party::Client, Fault::Client) | (Party::Server, Fault::Server) | (Party::Spec, Fault::Spec)
    )
}

/// Whether one of our mocks broke the protocol although no script asks for that.
fn is_ours(facts: &Facts<'_>, found: &RuleFinding) -> bool {
    let mock = match found.rule.party {
        Party::Client => facts.cell.client.is_mock(),
        Party::Server => facts.cell.server.is_mock(),
        Party::Spec => false,
    };
    mock && found.rule.scope == Scope::Protocol && found.rule.level == Level::Must && !is_scripted(facts, found)
}

/// Whether what a finding is about was to be sent as the scenario has it.
fn is_scripted(facts: &Facts<'_>, found: &RuleFinding) -> bool {
    found.finding.messages.iter().any(|seq| facts.is_scripted(*seq))
}

fn of_step<'f>(facts: &Facts<'_>, found: &'f [RuleFinding], decision: &Decision<'_, '_>) -> ResponsibleParty<'f> {
    let missing = decision.missing_companion(facts);
    if missing.as_ref().is_some_and(MissingCompanion::is_fed) {
        return ResponsibleParty::of(Fault::Client);
    }
    let revision = wrong_revision(found).or_else(|| by_rules(found.iter().filter(|found| is_unlisted_revision(found))));
    if let Some(party) = revision.filter(|_| is_refused_by_server(facts, decision)) {
        return party;
    }
    if matches!(decision.outcome, Outcome::Hung | Outcome::Unreachable) {
        let fault = if decision.is_lost_with_list {
            Fault::Client
        } else if decision.outcome == Outcome::Hung {
            hung(facts, decision)
        } else if left_open(facts).is_some() {
            Fault::Server
        } else {
            Fault::Client
        };
        // A client that fails on what must not come before an answer never sees that answer.
        let in_the_way = found.iter().filter(|found| is_in_the_way(facts, found, decision));
        return by_rules(in_the_way)
            .or_else(|| by_rules(garbled(facts, found, decision)))
            .or_else(|| unaccepted(facts, found, decision).map(ResponsibleParty::of_both))
            .unwrap_or(ResponsibleParty::of(fault));
    }
    if let Some(despite) = decision.overruled_by {
        let by = found.iter().filter(|found| found.rule.id == despite.id);
        return by_rules(by).unwrap_or_else(|| ResponsibleParty::of(Fault::Client));
    }
    let entries = relevant(facts, decision);
    let delivered = is_delivered(facts, decision);
    // Without the list the client rejected whatever it got for it.
    let effect = if decision.is_lost_with_list { Outcome::Rejected } else { decision.outcome };
    let validated = decision.error(facts).is_some_and(|error| error.layer == Layer::Validate);
    let at = |level: Level| {
        let concerned = found.iter().filter(move |found| found.rule.level == level).filter(|found| {
            let bears = found.finding.messages.iter().any(|seq| entries.bear_on(*seq, found.rule.scope));
            bears && !is_beside(found, validated) && explains(found.rule, effect, delivered, missing.is_some())
        });
        // What is wrong with the message that was refused tells more than what is wrong with the other.
        let (own, other): (Vec<_>, Vec<_>) =
            concerned.partition(|found| found.finding.messages.iter().any(|seq| entries.own.contains(seq)));
        by_rules(own.into_iter().chain(other))
    };
    let broken = at(Level::Must);
    match &facts.scenario.spec {
        SpecStance::Clear => {}
        // What is left open is how the other side takes it, not whether the server may send it.
        SpecStance::Silent { .. } | SpecStance::Conflict { .. } if !is_left_open(facts, decision) => {}
        SpecStance::Silent { .. } | SpecStance::Conflict { .. } => {
            let in_the_way = || by_rules(found.iter().filter(|found| is_in_the_way(facts, found, decision)));
            // Whoever took an invalid result did not validate it, whatever else is left open.
            let unvalidated = || at(Level::Should).filter(|_| decision.outcome == Outcome::Uncaught);
            return broken
                .or_else(in_the_way)
                .filter(|party| matches!(party.fault, Fault::Server | Fault::Both))
                .or_else(unvalidated)
                .unwrap_or_else(|| ResponsibleParty::of(Fault::Spec));
        }
    }
    // Where no rule binds the client to catch it, it is the server's to send nothing invalid.
    let invalid = || {
        let own = found.iter().filter(|found| found.is_must_of_server());
        let own = own.filter(|found| found.finding.messages.iter().any(|seq| entries.own.contains(seq)));
        by_rules(own.filter(|_| decision.outcome == Outcome::Uncaught))
    };
    let by_rule = broken.or_else(|| at(Level::Should)).or_else(invalid);
    by_rule.unwrap_or_else(|| ResponsibleParty::of(by_wire(facts, decision)))
}

/// Whether what the specification leaves open can be why it broke. It is not where the client rejected the list in a
/// revision from before the scenario's, whose rules are clear about members that they do not define, and not where the
/// server left the value out and sent it as text alone.
pub(crate) fn is_left_open(facts: &Facts<'_>, decision: &Decision<'_, '_>) -> bool {
    let is_older = facts.revision().is_some_and(|revision| revision < facts.scenario.since);
    // Where the two readings are about the text, they cannot be why a client returned the text and no more.
    let is_conflict = matches!(facts.scenario.spec, SpecStance::Conflict { .. });
    let is_text_alone = match &decision.subject {
        Subject::Call(call) => decision.outcome == Outcome::Text && (is_conflict || !structured_on_wire(facts, call)),
        Subject::Session(_) | Subject::List(_) | Subject::Evolve(_) => false,
    };
    let is_older_list = is_older && decision.place() == Place::List;
    !is_older_list && !is_text_alone
}

/// The server's fault, where its answer to `initialize` names a revision that has no handshake: then the client cannot
/// know how to go on, and what it violates by going on is no fault of its own.
fn wrong_revision<'f>(found: &'f [RuleFinding]) -> Option<ResponsibleParty<'f>> {
    by_rules(found.iter().filter(|found| *found.rule == INITIALIZE_NAMES_A_HANDSHAKE_REVISION))
}

/// Whether the client speaks a revision that the server does not list: the server refuses whatever it is asked then.
fn is_unlisted_revision(found: &RuleFinding) -> bool {
    *found.rule == CLIENT_SPEAKS_A_LISTED_REVISION
}

/// Whether the server answered with an error of its own what decides the cell.
fn is_refused_by_server(facts: &Facts<'_>, decision: &Decision<'_, '_>) -> bool {
    let refuses = |exchange: &Exchange| matches!(exchange.answer, Answer::Error(_) | Answer::Status { .. });
    match &decision.subject {
        Subject::Call(call) => match &call.exchange {
            Some(exchange) => refuses(exchange),
            None => facts.list_refused_by_server(),
        },
        Subject::List(_) => facts.list_refused_by_server(),
        Subject::Session(_) | Subject::Evolve(_) => false,
    }
}

/// The MUSTs that the server broke by the very form of an answer, where the client waited or left: a client may end the
/// session at what it cannot read, and lose everything after it.
fn garbled<'f>(
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

/// The MUSTs that the server broke in the answer after which the client waited: the client did not accept it, and reported
/// nothing.
fn unaccepted<'f>(
    facts: &Facts<'_>,
    found: &'f [RuleFinding],
    decision: &Decision<'_, '_>,
) -> Option<ResponsibleParty<'f>> {
    let own = relevant(facts, decision).own;
    let answers: Vec<u32> = own.into_iter().filter(|_| decision.outcome == Outcome::Hung).collect();
    let broken = found.iter().filter(|found| found.is_must_of_server());
    by_rules(broken.filter(|found| found.finding.messages.iter().any(|seq| answers.contains(seq))))
}

/// The parties of some findings as one fault. The specification is only at fault where no peer is.
fn by_rules<'f>(found: impl Iterator<Item = &'f RuleFinding>) -> Option<ResponsibleParty<'f>> {
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

/// The transcript entries that the broken step hangs on.
struct Relevant {
    /// The step's own: its answer, what came before that, and what was asked where that was refused.
    own: Vec<u32>,
    /// The others: the lists that declare the tool of a call, or the answer of a call that failed because of the list.
    other: Vec<u32>,
    /// Whether everything about the others counts; else only what they say of tools and results does.
    wholly: bool,
}

impl Relevant {
    fn bear_on(&self, seq: u32, scope: Scope) -> bool {
        self.own.contains(&seq) || (self.other.contains(&seq) && (self.wholly || scope == Scope::Payload))
    }
}

fn relevant(facts: &Facts<'_>, decision: &Decision<'_, '_>) -> Relevant {
    let entries = |exchange: Exchange| {
        let asked = facts.messages[exchange.request].seq;
        match exchange.answer {
            Answer::Result(at) | Answer::Unreadable(at) => vec![facts.messages[at].seq],
            Answer::Error(at) => vec![asked, facts.messages[at].seq],
            Answer::Status { seq, .. } => vec![asked, seq],
            Answer::None => vec![asked],
        }
    };
    let every_list = || facts.exchanges_of("tools/list").flat_map(|(_, exchange)| entries(exchange)).collect();
    let (own, other) = match &decision.subject {
        Subject::Session(_) | Subject::Evolve(_) => {
            (facts.exchanges.all.iter().copied().flat_map(entries).collect(), Vec::new())
        }
        Subject::List(_) => (every_list(), Vec::new()),
        Subject::Call(call) => match call.exchange {
            // A call that was never sent failed because of the list.
            None => (every_list(), Vec::new()),
            Some(exchange) if decision.is_lost_with_list => (every_list(), entries(exchange)),
            Some(exchange) => {
                let own = entries(exchange).into_iter().chain(facts.before_answer(exchange)).collect();
                let declaring = call.listing.map(|listing| facts.messages[listing.message].seq);
                (own, if facts.list_failed() { every_list() } else { declaring.into_iter().collect() })
            }
        },
    };
    Relevant { own, other, wholly: facts.list_failed() }
}

/// Whether a finding is about what a validation by the outputSchema does not look at.
fn is_beside(found: &RuleFinding, validated: bool) -> bool {
    validated && found.pointer.as_deref().is_some_and(|pointer| pointer.starts_with("/_meta"))
}

/// Whether breaking a rule can lead to an outcome at all. `delivered` says that the value was on the wire as structured
/// content, `lacks_companion` that the value reached the user and one of its companions did not.
fn explains(rule: &Rule, outcome: Outcome, delivered: bool, lacks_companion: bool) -> bool {
    match rule.party {
        Party::Client => true,
        Party::Server | Party::Spec if lacks_companion => rule.affects == Affects::Content,
        Party::Server | Party::Spec => rule.affects.can_lead_to(outcome, delivered),
    }
}

/// Whether the value of the call was on the wire as structured content.
fn is_delivered(facts: &Facts<'_>, decision: &Decision<'_, '_>) -> bool {
    matches!(&decision.subject, Subject::Call(call)
        if matches!(call.call.means, Means::Value(_)) && structured_on_wire(facts, call))
}

/// Whether a finding is of a MUST that the server broke between the request and its answer, or by the very form of the
/// answer. Where no answer came, only what the scenario has in its place stands in the way: the silence is worse.
fn is_in_the_way(facts: &Facts<'_>, found: &RuleFinding, decision: &Decision<'_, '_>) -> bool {
    let Subject::Call(call) = &decision.subject else { return false };
    let Some(exchange) = call.exchange else { return false };
    let answer = exchange.answer.message().map(|at| &facts.messages[at]);
    let garbled = answer.filter(|answer| answer.defect.is_some()).map(|answer| answer.seq);
    let before = facts.before_answer(exchange);
    let bears = |seq: &u32| match exchange.answer {
        Answer::None => before.contains(seq) && facts.is_scripted(*seq),
        Answer::Result(_) | Answer::Error(_) | Answer::Unreadable(_) | Answer::Status { .. } => {
            garbled == Some(*seq) || before.contains(seq)
        }
    };
    found.is_must_of_server() && found.finding.messages.iter().any(bears)
}
