//! The thing that decides a cell: the worst of all that was done in it.

use mcp_compat_json::{Difference, Json};
use mcp_compat_model::observation::{Layer, PeerError, Seen};
use mcp_compat_model::peer_contract::{AnsweredMethod, Reply};
use mcp_compat_model::signature::Place;
use mcp_compat_model::tool::{ToolDefinition, ToolResult, texts};
use mcp_compat_model::verdict::{Fault, Outcome, Rating};
use mcp_compat_model::{Cell, Era, Revision};
use mcp_compat_scenario::scenario::{Means, Purpose, Step};
use mcp_compat_schema::inclusion::Conformance;

use crate::companions::MissingCompanion;
use crate::ending::{Ending, ending};
use crate::expectation::{expected, rating, severity};
use crate::facts::{CallFacts, Facts};
use crate::no_session::NoSession;
use crate::outcome::of_layer;
use crate::proof::proven;
use crate::rules::{
    CLIENT_LISTS_EVERY_PAGE, NETWORK_REFERENCES_NOT_FOLLOWED, REFERENCES_NOT_FETCHED, Rule, RuleFinding,
};
use crate::wire::exchange::Answer;
use crate::wire::message::first_not_read;
use crate::wire::session::{META_VERSION, ToolsCapability};
use mcp_compat_model::excerpt::tool_name;

/// One thing that was done in the cell, and its result.
#[derive(Clone, Debug)]
pub(crate) struct Decision<'f, 'a> {
    pub(crate) subject: Subject<'f, 'a>,
    pub(crate) outcome: Outcome,
    /// The least that was expected of it; `None` if the revision has nothing of the kind.
    pub(crate) expected: Option<Outcome>,
    pub(crate) rating: Rating,
    /// Words of the reason in place of the outcome: a sentence without its full stop.
    pub(crate) note: Option<String>,
    /// The rule whose violation alone makes the cell a break, whatever the user got.
    pub(crate) overruled_by: Option<&'static Rule>,
    /// True if it failed because the client did not take the list of tools.
    pub(crate) is_lost_with_list: bool,
    /// True if a call by name works, but the list that the client's user got does not have the tool.
    pub(crate) is_left_out: bool,
}

/// The thing that was done.
#[derive(Clone, Debug)]
pub(crate) enum Subject<'f, 'a> {
    Session(Ending),
    List(&'f PeerError),
    /// The step to the next stage.
    Evolve(&'f PeerError),
    Call(&'f CallFacts<'a>),
}

impl<'f, 'a> Decision<'f, 'a> {
    /// One thing that neither a rule alone nor the list of tools decides.
    const fn of(
        subject: Subject<'f, 'a>,
        outcome: Outcome,
        expected: Option<Outcome>,
        rating: Rating,
        note: Option<String>,
    ) -> Self {
        Self {
            subject,
            outcome,
            expected,
            rating,
            note,
            overruled_by: None,
            is_lost_with_list: false,
            is_left_out: false,
        }
    }

    /// The place of a break: the method whose answer was refused, or what stands for it.
    pub(crate) const fn place(&self) -> Place {
        match &self.subject {
            Subject::Session(_) => Place::Session,
            Subject::List(_) => Place::List,
            Subject::Evolve(_) => Place::Evolve,
            Subject::Call(_) if self.is_lost_with_list || self.is_left_out => Place::List,
            Subject::Call(_) => Place::Call,
        }
    }

    /// The call that it is about.
    pub(crate) const fn call(&self) -> Option<&'f CallFacts<'a>> {
        match &self.subject {
            Subject::Call(call) => Some(call),
            Subject::Session(_) | Subject::List(_) | Subject::Evolve(_) => None,
        }
    }

    /// The error that the user got.
    pub(crate) fn error(&self, facts: &'f Facts<'_>) -> Option<&'f PeerError> {
        match &self.subject {
            Subject::Session(_) => None,
            Subject::List(error) | Subject::Evolve(error) => Some(error),
            Subject::Call(call) => {
                let own = match call.seen {
                    Some(Seen::Failed(error)) => Some(error),
                    Some(Seen::Called(_) | Seen::Listed { .. } | Seen::Evolved { .. } | Seen::NotReported {})
                    | None => None,
                };
                let of_list = if self.is_lost_with_list { facts.list_error(call) } else { None };
                of_list.or(own)
            }
        }
    }

    /// The missing companion of the call that decides the cell.
    pub(crate) fn missing_companion(&self, facts: &'f Facts<'_>) -> Option<MissingCompanion<'f>> {
        match &self.subject {
            Subject::Call(call) if self.overruled_by.is_none() && !self.is_left_out => facts.deciding_companion(call),
            Subject::Call(_) | Subject::Session(_) | Subject::List(_) | Subject::Evolve(_) => None,
        }
    }

    /// The difference between the value that the tool meant and the one that the user saw.
    pub(crate) fn difference(&self) -> Option<Difference> {
        let (Outcome::Altered, Subject::Call(call)) = (self.outcome, &self.subject) else { return None };
        let (Means::Value(meant), Some(Seen::Called(result))) = (&call.call.means, call.seen) else { return None };
        meant.first_loss(result.structured.as_ref()?)
    }
}

/// Returns the thing that decides the cell.
pub(crate) fn decide<'f, 'a>(facts: &'f Facts<'a>, findings: &[RuleFinding]) -> Decision<'f, 'a> {
    let decision = worst_of_all(facts, findings);
    let is_lost_with_list = match &decision.subject {
        Subject::Call(call) if decision.overruled_by.is_none() && !decision.is_left_out => {
            is_lost_with_list(facts, findings, call, decision.outcome)
        }
        Subject::Call(_) | Subject::Session(_) | Subject::List(_) | Subject::Evolve(_) => false,
    };
    Decision { is_lost_with_list, ..decision }
}

/// Returns true if a call came to its outcome because the client did not take the list of tools: then every tool is lost,
/// and the list is what has to be fixed.
fn is_lost_with_list(facts: &Facts<'_>, findings: &[RuleFinding], call: &CallFacts<'_>, outcome: Outcome) -> bool {
    let Some(error) = facts.list_error(call) else {
        return outcome == Outcome::Rejected && is_lost_with_unasked_list(facts, findings, call);
    };
    let timed_out = error.layer == Layer::Timeout;
    let was_sent = call.exchange.is_some();
    if outcome == Outcome::Hung {
        timed_out
    } else if matches!(outcome, Outcome::Rejected | Outcome::Uncaught) {
        // A client without the list has no schema to validate with, even where the call is sent.
        !timed_out || !was_sent
    } else {
        !timed_out && !was_sent
    }
}

/// Returns true if the user asked for no list, the client asked for it behind the user's back, and only that list breaks a
/// MUST. A client may ask for it before the call, which then is never sent, or after its answer.
fn is_lost_with_unasked_list(facts: &Facts<'_>, findings: &[RuleFinding], call: &CallFacts<'_>) -> bool {
    let asked = facts.scenario.steps.iter().any(|step| matches!(step, Step::List));
    let answer = match call.exchange {
        None => None,
        Some(exchange) => match facts.result_of(exchange) {
            Some((message, _)) => Some(message.seq),
            None => return false,
        },
    };
    let lists: Vec<u32> = facts
        .exchanges_of("tools/list")
        .filter_map(|(_, exchange)| Some(facts.messages[exchange.answer.message()?].seq))
        .collect();
    let broken_in = |entries: &[u32]| {
        let mut musts = findings.iter().filter(|found| found.may_excuse_client());
        musts.any(|found| found.finding.messages.iter().any(|seq| entries.contains(seq)))
    };
    !asked && broken_in(&lists) && !answer.is_some_and(|answer| broken_in(&[answer]))
}

/// The thing with the worst result of all that was done.
fn worst_of_all<'f, 'a>(facts: &'f Facts<'a>, findings: &[RuleFinding]) -> Decision<'f, 'a> {
    if let Some((from, limit)) = first_not_read(&facts.messages) {
        return of_session(facts, Ending::of(Outcome::Incomplete, Some(Fault::Harness), limit.of(from)));
    }
    if let Some(ending) = ending(facts, findings) {
        return of_session(facts, ending);
    }
    let Some(revision) = facts.revision() else {
        let why = "no revision was negotiated on the wire".to_owned();
        return of_session(facts, Ending::of(Outcome::Incomplete, None, why));
    };
    let of = |purpose: Purpose| {
        let calls = facts.calls.iter().filter(move |call| call.call.purpose == purpose);
        calls.map(move |call| if_listed(facts, findings, of_call(facts, findings, call, revision)))
    };
    let worst = |one: &Decision<'_, '_>, other: &Decision<'_, '_>| {
        severity(one.rating, one.outcome).cmp(&severity(other.rating, other.outcome))
    };
    // Damage beside the subject: the list, the plain tool, the steps between.
    let collateral = || of_steps(facts).chain(of(Purpose::Bystander)).filter(|beside| beside.rating == Rating::Breaks);
    let subject = of(Purpose::Subject).max_by(worst).or_else(|| of(Purpose::Bystander).max_by(worst));
    match subject {
        Some(subject) if subject.rating == Rating::Breaks => subject,
        Some(subject) => match rule_about_a_fetch(findings) {
            Some(rule) => for_a_fetch(facts, subject, rule),
            None if facts.server_ends() || asks_for_no_tools(facts) => subject,
            None => collateral().max_by(worst).unwrap_or(subject),
        },
        None => collateral().max_by(worst).unwrap_or_else(|| {
            let why = "the scenario calls nothing".to_owned();
            of_session(facts, Ending::of(Outcome::Incomplete, None, why))
        }),
    }
}

/// A call that works is no use to a user whose list does not have the tool: then the tool is lost.
fn if_listed<'f, 'a>(facts: &Facts<'a>, findings: &[RuleFinding], decision: Decision<'f, 'a>) -> Decision<'f, 'a> {
    let (Subject::Call(call), Some(least)) = (&decision.subject, decision.expected) else { return decision };
    let has_come = matches!(decision.rating, Rating::Works | Rating::Degraded) && call.call.means != Means::Invalid;
    let reads_every_page = || !findings.iter().any(|found| *found.rule == CLIENT_LISTS_EVERY_PAGE);
    if !has_come || !facts.is_left_out(call, reads_every_page()) {
        return decision;
    }
    let rating = rating(Outcome::Lost, least);
    Decision { outcome: Outcome::Lost, rating, note: None, is_left_out: true, ..decision }
}

/// Returns true if the client asked for no tools because the server declares none: then its refusals are one and the
/// same.
fn asks_for_no_tools(facts: &Facts<'_>) -> bool {
    let mut asked = facts.exchanges_of("tools/list").chain(facts.exchanges_of("tools/call"));
    facts.session.tools == ToolsCapability::Absent && asked.next().is_none()
}

/// The rule that a fetch of the client violates.
fn rule_about_a_fetch(findings: &[RuleFinding]) -> Option<&'static Rule> {
    let rules = [&REFERENCES_NOT_FETCHED, &NETWORK_REFERENCES_NOT_FOLLOWED];
    findings.iter().map(|found| found.rule).find(|rule| rules.contains(rule))
}

/// The client fetched an address that a schema of the server names: no outcome makes up for that.
fn for_a_fetch<'f, 'a>(facts: &Facts<'_>, subject: Decision<'f, 'a>, rule: &'static Rule) -> Decision<'f, 'a> {
    Decision { rating: Rating::Breaks, note: Some(connected(facts)), overruled_by: Some(rule), ..subject }
}

/// Sentence about a client that fetched an address of a schema.
pub(crate) fn connected(facts: &Facts<'_>) -> String {
    format!("{} connected to an address only because a schema of the server names it", facts.cell.client)
}

/// Returns true if the client accepted a control, a result that violates the declared schema, although it delivered the
/// right one.
pub(crate) fn is_vacuous(facts: &Facts<'_>) -> bool {
    let outcomes = |purpose: Purpose| {
        let calls = facts.calls.iter().filter(move |call| call.call.purpose == purpose);
        calls.filter_map(|call| Some((call, facts.outcome_of(call, call.seen?))))
    };
    let delivered =
        |(_, outcome): (&CallFacts<'_>, Outcome)| matches!(outcome, Outcome::Intact | Outcome::Wrapped | Outcome::Text);
    let taken = |(call, outcome): (&CallFacts<'_>, Outcome)| outcome == Outcome::Uncaught && is_catchable(facts, call);
    facts.revision().is_some_and(Revision::has_structured_output)
        && outcomes(Purpose::Subject).any(delivered)
        && outcomes(Purpose::Control).any(taken)
}

/// Returns true if an invalid result came with a schema that shows that it is invalid.
fn is_catchable(facts: &Facts<'_>, call: &CallFacts<'_>) -> bool {
    let answered = call.exchange.is_some_and(|exchange| matches!(exchange.answer, Answer::Result(_)));
    let declared = facts.declared_schema(call).is_some();
    answered && (declared || !scenario_declares(facts, &call.call.tool))
}

/// Returns true if a result that was to be invalid is valid on the wire: the server changed the value or the schema.
fn has_nothing_to_catch(facts: &Facts<'_>, findings: &[RuleFinding], call: &CallFacts<'_>) -> bool {
    let Some((answer, _)) = facts.result_of_call(call) else { return false };
    let is_wrong = |found: &RuleFinding| found.may_excuse_client() && found.finding.messages.contains(&answer.seq);
    facts.conformance(call) == Some(&Conformance::Conforms) && !findings.iter().any(is_wrong)
}

/// Returns true if the scenario's tool has a schema, which the server then took away from an older client.
fn scenario_declares(facts: &Facts<'_>, tool: &str) -> bool {
    let tools = facts.scenario.stages.iter().flat_map(|stage| &stage.tools);
    let mut named = tools.filter(|candidate| candidate.name == tool);
    named.any(|tool| {
        Json::parse(&tool.definition).is_ok_and(|definition| ToolDefinition::new(&definition).output_schema().is_some())
    })
}

/// Returns true if the user got the value of a response that belongs to no open request, in place of the value of the call.
pub(crate) fn took_stray(facts: &Facts<'_>, decision: &Decision<'_, '_>) -> bool {
    let Some(Seen::Called(seen)) = decision.call().and_then(|call| call.seen) else { return false };
    let mut strays = facts.exchanges.strays.iter().filter_map(|place| facts.messages[*place].result());
    let is_taken = |value| seen.structured.as_ref() == Some(value);
    decision.outcome == Outcome::Altered
        && strays.any(|stray| ToolResult::new(stray).structured_content().is_some_and(is_taken))
}

fn of_session<'f, 'a>(facts: &Facts<'_>, ending: Ending) -> Decision<'f, 'a> {
    let subject = facts.calls.iter().find(|call| call.call.purpose == Purpose::Subject);
    let expected = subject.and_then(|subject| match facts.revision() {
        Some(revision) => expected(subject.call, revision),
        None => Some(subject.call.expect.in_era(asked_last(facts)?)),
    });
    let rating = match (ending.outcome, expected) {
        (Outcome::Unsupported, _) => Rating::Skipped,
        // That no session comes about can be what the scenario is about.
        (Outcome::Unreachable, Some(Outcome::Unreachable)) => Rating::Works,
        (Outcome::Unreachable, _) if are_expectedly_apart(facts, &ending) => Rating::Skipped,
        (_, _) => Rating::Breaks,
    };
    let note = (rating == Rating::Skipped && ending.outcome == Outcome::Unreachable).then(|| {
        let Cell { client, server, .. } = facts.cell;
        let apart = format!("{client} and {server} share no protocol revision, so no session was opened");
        if client.is_mock() {
            format!("{apart}, as expected of these mocks")
        } else {
            format!("{apart}. No client has to speak every revision")
        }
    });
    let expected = if facts.revision().is_some() || rating == Rating::Works { expected } else { None };
    let outcome = ending.outcome;
    Decision::of(Subject::Session(ending), outcome, expected, rating, note)
}

/// Returns true if a client opened no session with a mock because they share no revision, and nobody said that they
/// would: two mocks, or a client that is only a command and says nowhere what it speaks. Then the scenario is not the
/// reason.
fn are_expectedly_apart(facts: &Facts<'_>, ending: &Ending) -> bool {
    let shares_nothing = || matches!(NoSession::of(facts), NoSession::NoCommonRevision | NoSession::NoCommonEra(_));
    ending.fault.is_none()
        && facts.revision().is_none()
        && (facts.cell.client.is_mock() || facts.client_is_command())
        && facts.cell.server.is_mock()
        && !is_opening_scripted(facts)
        && shares_nothing()
}

/// Returns true if the scenario says what the server answers when a session is opened, so that the answer is not all
/// that the server speaks.
pub(crate) fn is_opening_scripted(facts: &Facts<'_>) -> bool {
    let openings = [AnsweredMethod::Initialize, AnsweredMethod::Discover];
    facts.scenario.answers.iter().any(|answer| openings.contains(&answer.to))
}

/// The era in which the client asked last, and so would have had its session.
fn asked_last(facts: &Facts<'_>) -> Option<Era> {
    facts.exchanges.all.iter().rev().find_map(|exchange| {
        let request = &facts.messages[exchange.request];
        match request.method() {
            Some("initialize") => Some(Era::Legacy),
            Some(_) | None => request.meta(META_VERSION).map(|_| Era::Modern),
        }
    })
}

fn of_call<'f, 'a>(
    facts: &Facts<'a>,
    findings: &[RuleFinding],
    call: &'f CallFacts<'a>,
    revision: Revision,
) -> Decision<'f, 'a> {
    let decision = |outcome, expected, rating, note| Decision::of(Subject::Call(call), outcome, expected, rating, note);
    let tool = || tool_name(&call.call.tool);
    let Some(seen) = call.seen else {
        let note = Some("The session ended before this call".to_owned());
        return decision(Outcome::Incomplete, None, Rating::Breaks, note);
    };
    let Some(least) = expected(call.call, revision) else {
        let note = format!("{revision} has no outputSchema, so a client need not validate the result of {}", tool());
        return decision(Outcome::Unsupported, None, Rating::Skipped, Some(note));
    };
    let outcome = facts.outcome_of(call, seen);
    if outcome == Outcome::Uncaught && !is_catchable(facts, call) && facts.result_of_call(call).is_some() {
        if asks_for_no_list(facts) {
            let note = format!("{} accepted an invalid result of {}: it {UNASKED}", facts.cell.client, tool());
            return decision(outcome, Some(least), rating(outcome, least), Some(note));
        }
        return decision(Outcome::Unsupported, Some(least), Rating::Skipped, Some(without_schema(facts, call)));
    }
    if outcome == Outcome::Uncaught && has_nothing_to_catch(facts, findings, call) {
        let note = format!(
            "{} sent a result of {} in which nothing is wrong at {revision}, so there was nothing to catch",
            facts.cell.server,
            tool()
        );
        return decision(Outcome::Unsupported, Some(least), Rating::Skipped, Some(note));
    }
    if outcome == Outcome::Masked && has_no_place_for_words(call, revision) {
        let note = format!(
            "{revision} has no structuredContent, and nothing else in the result of {} says why it failed",
            tool()
        );
        return decision(Outcome::Unsupported, Some(least), Rating::Skipped, Some(note));
    }
    if outcome == Outcome::Unsupported && matches!(seen, Seen::NotReported {}) {
        return decision(outcome, Some(least), Rating::Skipped, Some(not_reported(facts, call)));
    }
    match rating(outcome, least) {
        fares @ (Rating::Works | Rating::Degraded) => match proven(facts, call, outcome) {
            Ok(()) => decision(outcome, Some(least), fares, None),
            Err(missing) => {
                let note = format!("The client reported `{outcome}` for {}, but {missing}", tool());
                decision(Outcome::Incomplete, Some(least), Rating::Breaks, Some(note))
            }
        },
        fares @ (Rating::Breaks | Rating::Skipped) => decision(outcome, Some(least), fares, None),
    }
}

/// Words about a client that could have asked for the schema of a tool.
const UNASKED: &str = "did not request tools/list, so it had no outputSchema to validate with";

/// Returns true if neither the client's user nor the client asked for a list: then the client could have had the schema.
fn asks_for_no_list(facts: &Facts<'_>) -> bool {
    let mut lists = facts.scenario.steps.iter().filter(|step| matches!(step, Step::List));
    lists.next().is_none() && facts.exchanges_of("tools/list").next().is_none()
}

/// Reason why the client had no schema to validate a result with. What it did not ask for may well be declared.
fn without_schema(facts: &Facts<'_>, call: &CallFacts<'_>) -> String {
    let (client, tool) = (&facts.cell.client, tool_name(&call.call.tool));
    let mut lists = facts.exchanges_of("tools/list").peekable();
    if lists.peek().is_none() {
        format!("{client} {UNASKED}")
    } else if call.listing.is_some() {
        format!("The server declared no outputSchema for {tool}, so {client} could not validate its result")
    } else {
        format!("No result of tools/list has {tool}, so {client} had no outputSchema to validate its result with")
    }
}

/// Sentence about a call by a client that is only a command and does not report what its user got.
fn not_reported(facts: &Facts<'_>, call: &CallFacts<'_>) -> String {
    let (client, tool) = (&facts.cell.client, tool_name(&call.call.tool));
    match call.exchange {
        Some(_) => format!("{client} called {tool} and ended; a command does not report what its user got"),
        None => format!("{client} did not call {tool}, and ended without an error"),
    }
}

/// Returns true if the words of a tool error are only in a member that the revision does not have.
fn has_no_place_for_words(call: &CallFacts<'_>, revision: Revision) -> bool {
    let (Means::ToolError(words), Some(Reply::Result(result))) = (&call.call.means, call.reply) else { return false };
    let in_content = |result: &Json| {
        let content = ToolResult::new(result).content();
        words.is_empty() || texts(content).any(|block| block.contains(words))
    };
    !revision.has_structured_output() && Json::parse(result.get()).is_ok_and(|result| !in_content(&result))
}

/// Lists and evolutions that failed. The calls show whether the others succeeded.
fn of_steps<'f, 'a>(facts: &'f Facts<'a>) -> impl Iterator<Item = Decision<'f, 'a>> {
    facts.scenario.steps.iter().zip(&facts.observation.steps).filter_map(|(step, seen)| {
        let Seen::Failed(error) = seen else { return None };
        let subject = match step {
            Step::List => Subject::List(error),
            Step::Evolve { .. } => Subject::Evolve(error),
            Step::Call(_) => return None,
        };
        Some(Decision::of(subject, of_layer(error.layer), Some(Outcome::Intact), Rating::Breaks, None))
    })
}
