//! Whose turn it is.
//!
//! In this order: what the ending of the session tells; our own mocks, which may never colour a peer; a MUST that the
//! server broke and that led to the break; what the specification leaves open; the other rules that the broken step
//! violates, MUST before SHOULD; and at last what the wire tells without a rule. A break that nothing explains is a gap
//! of the specification.

use mcp_compat_model::contract::Reply;
use mcp_compat_model::verdict::{Fault, Level, Outcome, Party};
use mcp_compat_scenario::scenario::{Means, SpecStance};

use crate::beside::{Besides, on_wire};
use crate::ending::left_open;
use crate::evidence::{structured_on_wire, words_on_wire};
use crate::exchange::{Answer, Exchange};
use crate::facts::{CallFacts, Facts};
use crate::parting::Parting;
use crate::rules::{Found, Rule, Scope};
use crate::signature::decided_besides;
use crate::weigh::{Matter, Weighed};

/// Who has to move, and the finding that says so.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blame<'f> {
    pub(crate) fault: Fault,
    pub(crate) finding: Option<&'f Found>,
    /// Why there was no session, where no rule says it.
    pub(crate) parting: Option<Parting>,
}

impl<'f> Blame<'f> {
    const fn of(fault: Fault) -> Self {
        Self { fault, finding: None, parting: None }
    }

    const fn by(fault: Fault, finding: Option<&'f Found>) -> Self {
        Self { fault, finding, parting: None }
    }

    const fn parted(parting: Parting) -> Self {
        Self { fault: parting.fault(), finding: None, parting: Some(parting) }
    }
}

/// Who has to move about what decides a cell that does not work.
pub(crate) fn blame<'f>(facts: &Facts<'_>, found: &'f [Found], weighed: &Weighed<'_, '_>) -> Blame<'f> {
    if weighed.outcome == Outcome::Incomplete {
        return Blame::of(Fault::Harness);
    }
    if let Some(ours) = found.iter().find(|found| is_ours(facts, found)) {
        return Blame::by(Fault::Harness, Some(ours));
    }
    let blame = match &weighed.matter {
        Matter::Session(ending) => match (ending.fault, ending.rule) {
            (Some(fault), Some(rule)) => Blame::by(fault, found.iter().find(|found| found.rule.id == rule.id)),
            // What the other party broke meanwhile is not why this one is gone, nor is a payload: the scenario has those.
            (Some(fault), None) => {
                let own = |found: &&Found| is_party(found.rule.party, fault) && found.rule.scope == Scope::Protocol;
                Blame::by(fault, by_rules(found.iter().filter(own)).and_then(|by| by.finding))
            }
            (None, _) => by_rules(found.iter().filter(|found| found.rule.level == Level::Must))
                .unwrap_or_else(|| Blame::parted(Parting::of(facts))),
        },
        Matter::List(_) | Matter::Evolve(_) | Matter::Call(_) => of_step(facts, found, weighed),
    };
    // What a mock does beyond its script is our fault.
    let mocked = match blame.fault {
        Fault::Client => facts.cell.client.is_mock(),
        Fault::Server => facts.cell.server.is_mock(),
        Fault::Both | Fault::Spec | Fault::Harness => false,
    };
    let scripted = || blame.finding.is_some_and(|found| is_scripted(facts, found));
    if mocked && matches!(weighed.outcome, Outcome::Hung | Outcome::Crashed) && !scripted() {
        return Blame { fault: Fault::Harness, ..blame };
    }
    blame
}

/// Whether a fault is that of one party alone.
const fn is_party(party: Party, fault: Fault) -> bool {
    matches!(
        (party, fault),
        (Party::Client, Fault::Client) | (Party::Server, Fault::Server) | (Party::Spec, Fault::Spec)
    )
}

/// Whether a mock of ours broke the protocol where no script told it to.
fn is_ours(facts: &Facts<'_>, found: &Found) -> bool {
    let mock = match found.rule.party {
        Party::Client => facts.cell.client.is_mock(),
        Party::Server => facts.cell.server.is_mock(),
        Party::Spec => false,
    };
    mock && found.rule.scope == Scope::Protocol && found.rule.level == Level::Must && !is_scripted(facts, found)
}

/// Whether what a finding is about was to be sent as the scenario has it.
fn is_scripted(facts: &Facts<'_>, found: &Found) -> bool {
    found.finding.messages.iter().any(|seq| facts.is_scripted(*seq))
}

fn of_step<'f>(facts: &Facts<'_>, found: &'f [Found], weighed: &Weighed<'_, '_>) -> Blame<'f> {
    let besides = decided_besides(facts, weighed);
    if besides.as_ref().is_some_and(Besides::is_fed) {
        return Blame::of(Fault::Client);
    }
    if matches!(weighed.outcome, Outcome::Hung | Outcome::Unreachable) {
        let fault = if weighed.outcome == Outcome::Hung {
            hung(facts, weighed)
        } else if left_open(facts).is_some() {
            Fault::Server
        } else {
            Fault::Client
        };
        // Who stumbles over what must not come before an answer, or in its place, waits for that answer in vain.
        let in_the_way = found.iter().filter(|found| is_in_the_way(facts, found, weighed));
        return by_rules(in_the_way).unwrap_or(Blame::of(fault));
    }
    if let Some(despite) = weighed.despite {
        let by = found.iter().filter(|found| found.rule.id == despite.id);
        return by_rules(by).unwrap_or_else(|| Blame::of(Fault::Client));
    }
    let entries = relevant(facts, weighed);
    let delivered = is_delivered(facts, weighed);
    let at = |level: Level| {
        let concerned = found.iter().filter(move |found| found.rule.level == level).filter(|found| {
            let bears = found.finding.messages.iter().any(|seq| entries.bear_on(*seq, found.rule.scope));
            bears && explains(found.rule, weighed.outcome, delivered, besides.is_some())
        });
        // What is wrong with the answer itself tells more than what is wrong with the list.
        let (own, declaring): (Vec<_>, Vec<_>) =
            concerned.partition(|found| found.finding.messages.iter().any(|seq| entries.own.contains(seq)));
        by_rules(own.into_iter().chain(declaring))
    };
    let broken = at(Level::Must);
    match &facts.scenario.spec {
        SpecStance::Clear => {}
        // What is left open is how the other side takes it, not whether the server may send it.
        SpecStance::Silent { .. } | SpecStance::Conflict { .. } => {
            return broken
                .filter(|blame| matches!(blame.fault, Fault::Server | Fault::Both))
                .unwrap_or_else(|| Blame::of(Fault::Spec));
        }
    }
    broken.or_else(|| at(Level::Should)).unwrap_or_else(|| Blame::of(by_wire(facts, weighed)))
}

/// The parties of some findings as one fault. The specification is only at fault where no peer is.
fn by_rules<'f>(found: impl Iterator<Item = &'f Found>) -> Option<Blame<'f>> {
    let (mut client, mut server, mut spec) = (None, None, None);
    for found in found {
        match found.rule.party {
            Party::Client => client = client.or(Some(found)),
            Party::Server => server = server.or(Some(found)),
            Party::Spec => spec = spec.or(Some(found)),
        }
    }
    let fault = match (client, server) {
        (Some(_), Some(_)) => Fault::Both,
        (Some(_), None) => Fault::Client,
        (None, Some(_)) => Fault::Server,
        (None, None) => Fault::Spec,
    };
    server.or(client).or(spec).map(|finding| Blame::by(fault, Some(finding)))
}

/// The transcript entries that the broken step hangs on.
struct Relevant {
    /// The step's own: its answer, what came before that, and what was asked where that was refused.
    own: Vec<u32>,
    /// The lists that declare its tool.
    lists: Vec<u32>,
    /// Whether a list was refused, so that everything about it counts; else only what it says of tools does.
    list_failed: bool,
}

impl Relevant {
    fn bear_on(&self, seq: u32, scope: Scope) -> bool {
        self.own.contains(&seq) || (self.lists.contains(&seq) && (self.list_failed || scope == Scope::Payload))
    }
}

fn relevant(facts: &Facts<'_>, weighed: &Weighed<'_, '_>) -> Relevant {
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
    let (own, lists) = match &weighed.matter {
        Matter::Session(_) | Matter::Evolve(_) => {
            (facts.exchanges.all.iter().copied().flat_map(entries).collect(), Vec::new())
        }
        Matter::List(_) => (every_list(), Vec::new()),
        Matter::Call(call) => match call.exchange {
            // A call that never went out fell with the list, or with what it says of the tool.
            None => (every_list(), Vec::new()),
            Some(exchange) => {
                let own = entries(exchange).into_iter().chain(facts.before_answer(exchange)).collect();
                let declaring = call.listing.map(|listing| facts.messages[listing.message].seq);
                (own, if facts.list_failed() { every_list() } else { declaring.into_iter().collect() })
            }
        },
    };
    Relevant { own, lists, list_failed: facts.list_failed() }
}

/// Whether breaking a rule can lead to an outcome at all. `delivered` says that the value was on the wire as it should
/// be: then only the client, or what is wrong with the blocks beside the value, can have kept it from the user. Where
/// it was not, the server may have broken a rule about the value itself. `besides` says that the value came, and what
/// had to come besides did not.
fn explains(rule: &Rule, outcome: Outcome, delivered: bool, besides: bool) -> bool {
    const FALLBACKS: [&str; 2] = ["text-fallback", "text-fallback-for-non-objects"];
    const BESIDE: [&str; 2] = ["content-array", "content-blocks"];
    const VALUE: [&str; 3] = ["structured-content-present", "structured-content-object", "structured-content-conforms"];
    // What a tool is called can keep a client from offering it, and changes nothing about its value.
    const NAMES: [&str; 2] = ["tool-names-unique", "tool-names-plain"];
    // Nobody refuses a result for what the server does not declare beside it, or may hide an error for its form.
    const ASIDE: [&str; 2] = ["embedded-resource-capability", "tool-error-in-result"];
    let by_client = rule.party == Party::Client;
    let gone = matches!(outcome, Outcome::Prose | Outcome::Lost);
    if besides {
        return by_client || BESIDE.contains(&rule.id);
    }
    if FALLBACKS.contains(&rule.id) {
        return gone;
    }
    if NAMES.contains(&rule.id) || ASIDE.contains(&rule.id) {
        return NAMES.contains(&rule.id) && outcome == Outcome::Rejected;
    }
    match outcome {
        // The server's violation is what the scenario plays: the question is whether the client catches it.
        Outcome::Uncaught => by_client,
        Outcome::Altered | Outcome::Wrapped | Outcome::Text | Outcome::Prose | Outcome::Lost => {
            let beside = gone && BESIDE.contains(&rule.id);
            by_client || beside || (!delivered && VALUE.contains(&rule.id))
        }
        Outcome::Intact
        | Outcome::Rejected
        | Outcome::Told
        | Outcome::Masked
        | Outcome::Swallowed
        | Outcome::Caught
        | Outcome::Unreachable
        | Outcome::Hung
        | Outcome::Crashed
        | Outcome::Incomplete
        | Outcome::Unsupported => true,
    }
}

/// Whether the value of the call was on the wire as structured content.
fn is_delivered(facts: &Facts<'_>, weighed: &Weighed<'_, '_>) -> bool {
    matches!(&weighed.matter, Matter::Call(call)
        if matches!(call.call.means, Means::Value(_)) && structured_on_wire(facts, call))
}

/// Whether a finding is of a MUST that the server broke between the request and its answer, or by the very form of the
/// answer. Where no answer came, only what the scenario has in its place stands in the way: the silence is worse.
fn is_in_the_way(facts: &Facts<'_>, found: &Found, weighed: &Weighed<'_, '_>) -> bool {
    let Matter::Call(call) = &weighed.matter else { return false };
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
    found.rule.party == Party::Server && found.rule.level == Level::Must && found.finding.messages.iter().any(bears)
}

fn hung(facts: &Facts<'_>, weighed: &Weighed<'_, '_>) -> Fault {
    let open = match &weighed.matter {
        Matter::Call(call) => {
            let silent = matches!(call.reply, Some(Reply::Hang {} | Reply::Exit { .. }));
            !silent
                && call.exchange.is_some_and(|exchange| matches!(exchange.answer, Answer::None | Answer::Unreadable(_)))
        }
        Matter::Session(_) | Matter::List(_) | Matter::Evolve(_) => left_open(facts).is_some(),
    };
    if open { Fault::Server } else { Fault::Client }
}

/// What the wire tells where no rule was broken.
fn by_wire(facts: &Facts<'_>, weighed: &Weighed<'_, '_>) -> Fault {
    let call: &CallFacts<'_> = match &weighed.matter {
        Matter::Call(call) => call,
        Matter::Session(_) | Matter::List(_) | Matter::Evolve(_) => return Fault::Spec,
    };
    if call.exchange.is_none() {
        return Fault::Spec;
    }
    let sent = facts.sent(call);
    let besides = decided_besides(facts, weighed).is_some();
    if besides && !on_wire(facts, call) {
        return Fault::Server;
    }
    match weighed.outcome {
        // No rule says that a client has to hand on all that stands beside a value; an error has to be told.
        Outcome::Lost if besides => Fault::Spec,
        // A value may be kept from the user, no rule forbids it; but it may not become another on the way.
        Outcome::Altered if structured_on_wire(facts, call) => Fault::Client,
        Outcome::Altered => Fault::Server,
        Outcome::Masked if sent.is_failure() && words_on_wire(facts, call) => Fault::Client,
        Outcome::Swallowed if sent.is_failure() => Fault::Client,
        Outcome::Masked | Outcome::Swallowed => Fault::Server,
        Outcome::Rejected if sent.is_failure() => Fault::Server,
        Outcome::Wrapped | Outcome::Text | Outcome::Prose | Outcome::Lost if !structured_on_wire(facts, call) => {
            Fault::Server
        }
        Outcome::Intact
        | Outcome::Wrapped
        | Outcome::Text
        | Outcome::Prose
        | Outcome::Rejected
        | Outcome::Lost
        | Outcome::Told
        | Outcome::Caught
        | Outcome::Uncaught
        | Outcome::Unreachable
        | Outcome::Hung
        | Outcome::Crashed
        | Outcome::Incomplete
        | Outcome::Unsupported => Fault::Spec,
    }
}
