//! The party responsible for a broken step of a session, as a table: the first row that applies names it.
//!
//! In this order: an argument that the client did not pass on; a refusal for a revision; a step without an end; a rule that
//! decides the cell alone; a MUST that explains the break; what the specification leaves open; other rules; and at last the
//! wire. A break that nothing explains is a gap of the specification.

use crate::wire::exchange::{Answer, Exchange};
use mcp_compat_model::Revision;
use mcp_compat_model::observation::Layer;
use mcp_compat_model::peer_contract::Reply;
use mcp_compat_model::signature::Place;
use mcp_compat_model::verdict::{Fault, Level, Outcome, Party};
use mcp_compat_scenario::scenario::{Means, SpecStance};

use crate::companions::{MissingCompanion, on_wire};
use crate::decision::{Decision, Subject, took_stray};
use crate::ending::left_open;
use crate::facts::{CallFacts, Facts};
use crate::proof::{structured_on_wire, words_on_wire};
use crate::responsible_party::{ResponsibleParty, by_rules, garbled, is_wrong_revision};
use crate::rules::{
    Affects, CLIENT_LISTS_EVERY_PAGE, CLIENT_SPEAKS_A_LISTED_REVISION, CURSOR_ADVANCES, RESPONSE_MATCHES_REQUEST, Rule,
    RuleFinding, Scope,
};

/// The party responsible for a broken step.
pub(crate) fn of_step<'f>(
    facts: &Facts<'_>,
    found: &'f [RuleFinding],
    decision: &Decision<'_, '_>,
) -> ResponsibleParty<'f> {
    let step = Step {
        facts,
        found,
        decision,
        missing: decision.missing_companion(facts),
        entries: relevant(facts, decision),
        left_open: !matches!(facts.scenario.spec, SpecStance::Clear) && is_left_open(facts, decision),
    };
    let party = TABLE.iter().find_map(|row| match row.names {
        Names::Party(fault, applies) => applies(&step).then(|| ResponsibleParty::of(fault)),
        Names::Binds(rules) => by_rules(rules(&step).into_iter()),
        Names::Both(rules) => by_rules(rules(&step).into_iter()).map(ResponsibleParty::of_both),
    });
    party.unwrap_or(ResponsibleParty::of(Fault::Spec))
}

/// A row of the table.
struct Row {
    /// The condition in words.
    #[cfg_attr(not(test), expect(dead_code, reason = "for readers: a test prints it"))]
    when: &'static str,
    names: Names,
}

/// The condition of a row, and the party that it names.
enum Names {
    /// This party, where it is true.
    Party(Fault, fn(&Step<'_, '_>) -> bool),
    /// The party that these rules bind, where any is violated.
    Binds(for<'f> fn(&Step<'_, 'f>) -> Vec<&'f RuleFinding>),
    /// Both, where any of these rules is violated: the server broke it, and the client waited in place of reporting it.
    Both(for<'f> fn(&Step<'_, 'f>) -> Vec<&'f RuleFinding>),
}

const fn party(fault: Fault, when: &'static str, applies: fn(&Step<'_, '_>) -> bool) -> Row {
    Row { when, names: Names::Party(fault, applies) }
}

const fn binds(when: &'static str, rules: for<'f> fn(&Step<'_, 'f>) -> Vec<&'f RuleFinding>) -> Row {
    Row { when, names: Names::Binds(rules) }
}

static TABLE: [Row; 34] = [
    party(Fault::Client, "the client did not pass on an argument as the server had sent it", |step| {
        step.missing.as_ref().is_some_and(MissingCompanion::is_fed)
    }),
    binds("refused by the server after it named a revision without a handshake", |step| {
        step.where_true(step.is_refused_by_server(), is_wrong_revision)
    }),
    binds("refused by the server for a revision that it does not list", |step| {
        step.where_true(step.is_refused_by_server(), |found| *found.rule == CLIENT_SPEAKS_A_LISTED_REVISION)
    }),
    binds("left out of the client's list, which the client did not read to its end", |step| {
        step.where_true(step.is_on_unread_page(), |found| *found.rule == CLIENT_LISTS_EVERY_PAGE)
    }),
    // No client can end a list that has no end.
    binds("no end, and the server's list has none", |step| {
        step.where_true(step.has_no_end() && step.is_own_list(), |found| *found.rule == CURSOR_ADVANCES)
    }),
    // A client that fails on what must not come before an answer never sees that answer.
    binds("no end, and a MUST of the server broken before the answer or by its form", |step| {
        step.where_true(step.has_no_end(), |found| is_in_the_way(step.facts, found, step.decision))
    }),
    binds("no end, and an answer or another message of the server cannot be read", |step| {
        garbled(step.facts, step.found, step.decision).collect()
    }),
    // A client waits for the id that it sent.
    binds("no end, and the answer came under another id", |step| {
        step.where_true(step.has_no_end(), |found| *found.rule == RESPONSE_MATCHES_REQUEST && step.is_own_must(found))
    }),
    Row {
        when: "hung after an answer that breaks a MUST of the server",
        names: Names::Both(|step| step.where_true(step.is(&[Outcome::Hung]), |found| step.is_own_must(found))),
    },
    party(Fault::Client, "no end, and the client did not take the list", |step| {
        step.has_no_end() && step.decision.is_lost_with_list
    }),
    party(Fault::Server, "no end, and the server left a request open", |step| {
        step.has_no_end() && step.is_request_open()
    }),
    party(Fault::Client, "no end, and the server answered every request", |step| step.has_no_end()),
    binds("a rule decides the cell alone", |step| {
        step.found.iter().filter(|found| step.decision.overruled_by == Some(found.rule)).collect()
    }),
    party(Fault::Client, "a rule of clients decides the cell alone", |step| step.decision.overruled_by.is_some()),
    // A server may send what no request asked for by mistake; only the client can take it for an answer.
    party(Fault::Client, "the value of a response to no open request was returned", |step| {
        took_stray(step.facts, step.decision)
    }),
    binds("left open by the specification, and a MUST of the server explains it or stands in the way", |step| {
        let broken = step.explained_by(Level::Must);
        let broken = if broken.is_empty() {
            step.where_true(true, |found| is_in_the_way(step.facts, found, step.decision))
        } else {
            broken
        };
        let by_server = step.left_open && broken.iter().any(|found| found.rule.party == Party::Server);
        if by_server { broken } else { Vec::new() }
    }),
    // Whoever took an invalid result did not validate it, whatever else is left open.
    binds("left open by the specification, an invalid result accepted, and a SHOULD explains it", |step| {
        if step.left_open && step.is(&[Outcome::Uncaught]) { step.explained_by(Level::Should) } else { Vec::new() }
    }),
    party(Fault::Spec, "left open by the specification", |step| step.left_open),
    binds("a MUST explains it", |step| step.explained_by(Level::Must)),
    Row {
        when: "the client dropped a value that was on the wire, and a text that breaks a SHOULD of the server replaces it",
        names: Names::Both(|step| if step.is_dropped() { step.explained_by(Level::Should) } else { Vec::new() }),
    },
    binds("a SHOULD explains it", |step| step.explained_by(Level::Should)),
    party(Fault::Client, "left out of the client's list, and nothing is wrong with its definition", |step| {
        step.decision.is_left_out
    }),
    // Where no rule binds the client to catch it, it is the server's to send nothing invalid.
    binds("an invalid result accepted, and the answer breaks a MUST of the server", |step| {
        step.where_true(step.is(&[Outcome::Uncaught]), |found| step.is_own_must(found))
    }),
    party(Fault::Server, "the server refused the list", |step| {
        step.decision.place() == Place::List && step.facts.list_refused_by_server()
    }),
    party(Fault::Spec, "no call was sent, or it was lost with the list", |step| step.sent_call().is_none()),
    party(Fault::Server, "a companion of the value was not on the wire", |step| {
        step.missing.is_some() && step.sent_call().is_some_and(|call| !on_wire(step.facts, call))
    }),
    // What a block may hold is defined: annotations and links since 2025-06-18.
    party(Fault::Client, "a member of a content block was lost that the revision defines", |step| {
        step.has_structured_output() && step.missing.as_ref().is_some_and(MissingCompanion::is_of_block)
    }),
    // No rule says that a client has to pass on everything beside a value; it has to report an error.
    party(Fault::Spec, "a companion of the value was on the wire and was lost", |step| {
        step.is(&[Outcome::Lost]) && step.missing.is_some()
    }),
    // No rule forbids to withhold a value; but a value may not change on the way.
    party(Fault::Client, "the value was on the wire and was altered", |step| {
        step.is(&[Outcome::Altered]) && step.has_structured_on_wire()
    }),
    party(Fault::Client, "the tool's error was on the wire and was masked", |step| {
        step.is(&[Outcome::Masked])
            && step.is_failure_sent()
            && step.sent_call().is_some_and(|call| words_on_wire(step.facts, call))
    }),
    party(Fault::Client, "an error was on the wire and was swallowed", |step| {
        step.is(&[Outcome::Swallowed]) && step.is_failure_sent()
    }),
    party(Fault::Server, "another value, or another error or none, was on the wire", |step| {
        step.is(&[Outcome::Altered, Outcome::Masked, Outcome::Swallowed])
    }),
    party(Fault::Server, "rejected, and the server sent an error", |step| {
        step.is(&[Outcome::Rejected]) && step.is_failure_sent()
    }),
    // A client of a revision without structured content does not know the member: the value is only sent to it as text.
    party(Fault::Server, "the value was not on the wire as the revision defines it", |step| {
        let delivered = step.has_structured_on_wire() && step.has_structured_output();
        step.is(&[Outcome::Wrapped, Outcome::Text, Outcome::Prose, Outcome::Lost]) && !delivered
    }),
];

/// A broken step, as the rows of the table ask about it.
struct Step<'s, 'f> {
    facts: &'s Facts<'s>,
    found: &'f [RuleFinding],
    decision: &'s Decision<'s, 's>,
    missing: Option<MissingCompanion<'s>>,
    entries: Relevant,
    /// True if the specification leaves open what broke.
    left_open: bool,
}

impl<'s, 'f> Step<'s, 'f> {
    /// The findings that match, where the condition holds.
    fn where_true(&self, condition: bool, matches: impl Fn(&RuleFinding) -> bool) -> Vec<&'f RuleFinding> {
        if condition { self.found.iter().filter(|found| matches(found)).collect() } else { Vec::new() }
    }

    fn is(&self, outcomes: &[Outcome]) -> bool {
        outcomes.contains(&self.decision.outcome)
    }

    /// Returns true if the tool was left out because the client did not read the page that has it.
    fn is_on_unread_page(&self) -> bool {
        self.decision.is_left_out && self.decision.call().is_some_and(|call| call.listing.is_none())
    }

    /// Returns true if the step hangs on the list.
    fn is_own_list(&self) -> bool {
        self.decision.place() == Place::List || self.sent_call().is_none()
    }

    fn has_no_end(&self) -> bool {
        self.is(&[Outcome::Hung, Outcome::Unreachable])
    }

    fn has_structured_output(&self) -> bool {
        self.facts.revision().is_some_and(Revision::has_structured_output)
    }

    /// The call that broke, if it was sent and did not break because of the list.
    fn sent_call(&self) -> Option<&'s CallFacts<'s>> {
        self.decision.call().filter(|call| call.exchange.is_some() && self.decision.place() != Place::List)
    }

    /// Returns true if the value was on the wire as the revision defines it, and nothing of it reached the user.
    fn is_dropped(&self) -> bool {
        let is_gone = self.is(&[Outcome::Prose, Outcome::Lost]) && self.missing.is_none();
        let means_value = self.sent_call().is_some_and(|call| matches!(call.call.means, Means::Value(_)));
        is_gone && means_value && self.has_structured_output() && self.has_structured_on_wire()
    }

    fn is_failure_sent(&self) -> bool {
        self.sent_call().is_some_and(|call| self.facts.sent(call).is_failure())
    }

    fn has_structured_on_wire(&self) -> bool {
        self.sent_call().is_some_and(|call| structured_on_wire(self.facts, call))
    }

    /// Returns true if a finding is of a MUST that the server broke in what the step hangs on.
    fn is_own_must(&self, found: &RuleFinding) -> bool {
        found.may_excuse_client() && found.finding.messages.iter().any(|seq| self.entries.own.contains(seq))
    }

    /// Returns true if the server left a request unanswered that the scenario wants answered.
    fn is_request_open(&self) -> bool {
        match &self.decision.subject {
            Subject::Call(call) if self.is(&[Outcome::Hung]) => {
                let answer = call.exchange.map(|exchange| exchange.answer);
                !matches!(call.reply, Some(Reply::Hang {} | Reply::Exit { .. }))
                    && matches!(answer, Some(Answer::None | Answer::Unreadable(_)))
            }
            Subject::Call(_) | Subject::Session(_) | Subject::List(_) | Subject::Evolve(_) => {
                left_open(self.facts).is_some()
            }
        }
    }

    /// Returns true if the server answered with an error of its own what decides the cell.
    fn is_refused_by_server(&self) -> bool {
        match &self.decision.subject {
            Subject::Call(call) => match call.exchange.map(|exchange| exchange.answer) {
                Some(answer) => matches!(answer, Answer::Error(_) | Answer::Status { .. }),
                None => self.facts.list_refused_by_server(),
            },
            Subject::List(_) => self.facts.list_refused_by_server(),
            Subject::Session(_) | Subject::Evolve(_) => false,
        }
    }

    /// Returns true unless a finding is about another tool than the one that was left out.
    fn is_of_tool(&self, found: &RuleFinding) -> bool {
        let left_out = self.decision.call().filter(|_| self.decision.is_left_out);
        left_out.is_none_or(|call| found.finding.tool.as_ref().is_none_or(|tool| *tool == call.call.tool))
    }

    /// The findings of a level that can explain the outcome. Those of the message that was refused come first: they tell
    /// more than those of the others.
    fn explained_by(&self, level: Level) -> Vec<&'f RuleFinding> {
        let delivered = is_delivered(self.facts, self.decision);
        // Without the list or the tool in it, the client rejected whatever it got for it.
        let is_of_list = self.decision.call().is_some() && self.decision.place() == Place::List;
        let effect = if is_of_list { Outcome::Rejected } else { self.decision.outcome };
        let validated = self.decision.error(self.facts).is_some_and(|error| error.layer == Layer::Validate);
        let concerned = self.found.iter().filter(|found| {
            let bears = found.finding.messages.iter().any(|seq| self.entries.bear_on(*seq, found.rule.scope));
            let explains = explains(found.rule, effect, delivered, self.missing.is_some());
            found.finding.level == level && bears && self.is_of_tool(found) && !is_beside(found, validated) && explains
        });
        let (own, other): (Vec<_>, Vec<_>) =
            concerned.partition(|found| found.finding.messages.iter().any(|seq| self.entries.own.contains(seq)));
        own.into_iter().chain(other).collect()
    }
}

/// Returns true if what the specification leaves open can be why it broke. It is not where the client rejected the list in
/// a revision from before the scenario's, whose rules are clear about members that they do not define, and not where the
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

/// The transcript entries that the broken step hangs on.
struct Relevant {
    /// The step's own: its answer, what came before that, and what was asked where that was refused.
    own: Vec<u32>,
    /// The others: the lists that declare the tool of a call, or the answer of a call that failed because of the list.
    other: Vec<u32>,
    /// True if everything about the others counts; else only what they say of tools and results does.
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
            Some(_) if decision.is_left_out => (every_list(), Vec::new()),
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

/// Returns true if a finding is about what a validation by the outputSchema does not look at.
fn is_beside(found: &RuleFinding, validated: bool) -> bool {
    validated && found.pointer.as_deref().is_some_and(|pointer| pointer.starts_with("/_meta"))
}

/// Returns true if breaking a rule can lead to an outcome at all. `delivered` says that the value was on the wire as structured
/// content, `lacks_companion` that the value reached the user and one of its companions did not.
fn explains(rule: &Rule, outcome: Outcome, delivered: bool, lacks_companion: bool) -> bool {
    match rule.party {
        Party::Client => true,
        Party::Server | Party::Spec if lacks_companion => rule.affects == Affects::Content,
        Party::Server | Party::Spec => rule.affects.can_lead_to(outcome, delivered),
    }
}

/// Returns true if the value of the call was on the wire as structured content.
fn is_delivered(facts: &Facts<'_>, decision: &Decision<'_, '_>) -> bool {
    matches!(&decision.subject, Subject::Call(call)
        if matches!(call.call.means, Means::Value(_)) && structured_on_wire(facts, call))
}

/// Returns true if a finding is of a MUST that the server broke between the request and its answer, or by the form of the
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
    found.may_excuse_client() && found.finding.messages.iter().any(bears)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_in_order() {
        let party = |names: &Names| match names {
            Names::Party(fault, _) => fault.to_string(),
            Names::Binds(_) => "as the rule says".to_owned(),
            Names::Both(_) => Fault::Both.to_string(),
        };
        let rows: Vec<String> = TABLE.iter().map(|row| format!("{:16}  {}", party(&row.names), row.when)).collect();
        insta::with_settings!({ snapshot_path => "../tests/tables", prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!("responsible_party_of_a_step", rows.join("\n"));
        });
    }
}
