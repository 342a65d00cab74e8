//! Sentences about a break that no rule explains, as tables: the first row that applies gives the sentence.

use mcp_compat_json::{DifferenceKind, Json};
use mcp_compat_model::observation::End;
use mcp_compat_model::peer_contract::Reply;
use mcp_compat_model::signature::{NoSessionCause, Place};
use mcp_compat_model::tool::{ToolDefinition, ToolResult, root_type};
use mcp_compat_model::verdict::Outcome;
use mcp_compat_model::{Revision, Role};
use mcp_compat_scenario::scenario::Means;
use mcp_compat_schema::inclusion::{Conformance, Validity, check, check_with_formats};

use crate::companions::MissingCompanion;
use crate::decision::{Decision, Subject, took_stray};
use crate::facts::{CallFacts, Facts};
use crate::outcome::wraps;
use crate::proof::structured_on_wire;

/// Form in which the server sent the value of a tool as structured content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SentValue {
    Whole,
    /// Under the only key of an object.
    Wrapped,
    Another,
    Absent,
}

pub(crate) fn sent_value(facts: &Facts<'_>, call: &CallFacts<'_>) -> SentValue {
    let Means::Value(value) = &call.call.means else { return SentValue::Absent };
    let sent = facts.result_of_call(call).and_then(|(_, result)| ToolResult::new(result).structured_content());
    match sent {
        None => SentValue::Absent,
        Some(sent) if value.is_kept_in(sent) => SentValue::Whole,
        Some(sent) if wraps(sent, value) => SentValue::Wrapped,
        Some(_) => SentValue::Another,
    }
}

/// Returns true if the value of a result meets its schema, and not the formats in it.
pub(crate) fn misses_a_format(facts: &Facts<'_>, call: &CallFacts<'_>) -> bool {
    let value = facts.result_of_call(call).and_then(|(_, result)| ToolResult::new(result).structured_content());
    let Some((schema, value)) = facts.declared_schema(call).zip(value) else { return false };
    check(schema, value) == Conformance::Conforms
        && matches!(check_with_formats(schema, value), Conformance::Violates { .. })
}

struct Case<'s> {
    facts: &'s Facts<'s>,
    decision: &'s Decision<'s, 's>,
}

/// A row of a table: a condition, in words too, and the sentence where it holds.
struct Row {
    #[cfg_attr(not(test), expect(dead_code, reason = "for readers: a test prints it"))]
    when: &'static str,
    applies: fn(&Case<'_>) -> bool,
    says: &'static str,
}

const fn row(when: &'static str, applies: fn(&Case<'_>) -> bool, says: &'static str) -> Row {
    Row { when, applies, says }
}

impl<'s> Case<'s> {
    /// The sentence of the first row that applies.
    fn said_by(&self, table: &'static [Row]) -> &'static str {
        table.iter().find(|row| (row.applies)(self)).map_or("", |row| row.says)
    }

    fn is(&self, outcome: Outcome) -> bool {
        self.decision.outcome == outcome
    }

    fn call_is(&self, holds: impl Fn(&'s CallFacts<'s>) -> bool) -> bool {
        self.decision.call().is_some_and(holds)
    }

    fn misses(&self, which: impl Fn(&MissingCompanion<'s>) -> bool) -> bool {
        self.decision.missing_companion(self.facts).is_some_and(|missing| which(&missing))
    }

    fn is_of_list(&self) -> bool {
        self.decision.place() == Place::List
    }

    fn ended_by(&self, cause: NoSessionCause) -> bool {
        matches!(&self.decision.subject, Subject::Session(ending) if ending.cause == Some(cause))
    }

    fn is_not_started(&self) -> bool {
        matches!(self.facts.observation.end, End::NotStarted { .. })
    }

    fn is_altered_on_the_way(&self) -> bool {
        self.is(Outcome::Altered) && self.call_is(|call| structured_on_wire(self.facts, call))
    }

    /// The number that was sent, as JSON, where the one that came differs by no more than rounding.
    fn rounded(&self) -> Option<String> {
        let DifferenceKind::Value { expected, found } = self.decision.difference()?.kind else { return None };
        is_rounded(&expected, &found).then_some(expected)
    }

    /// The result of a call that was to return a value.
    fn result(&self) -> Option<&Json> {
        let call = self.decision.call().filter(|call| matches!(call.call.means, Means::Value(_)))?;
        self.facts.result_of_call(call).map(|(_, result)| result)
    }

    fn is_refused_value(&self) -> bool {
        self.is(Outcome::Rejected) && self.decision.call().is_some() && self.result().is_none()
    }

    /// True if the value of the call is another one than an object, in a revision whose structured output is an object.
    fn is_of_other_type(&self) -> bool {
        let only_objects =
            self.facts.revision().is_some_and(|it| it.has_structured_output() && !it.has_any_value_output());
        let call = self.decision.call();
        let is_object = call.and_then(scripted_value).map_or_else(
            || !call.is_some_and(|call| matches!(&call.call.means, Means::Value(value) if value.as_object().is_none())),
            |scripted| scripted.as_object().is_some(),
        );
        only_objects && !is_object
    }
}

/// The specification's part, where nobody broke a rule.
pub(crate) fn not_covered(facts: &Facts<'_>, decision: &Decision<'_, '_>) -> &'static str {
    Case { facts, decision }.said_by(&NOT_COVERED)
}

static NOT_COVERED: [Row; 8] = [
    row(
        "wrapped by the server",
        |case| case.is(Outcome::Wrapped) && case.call_is(|call| sent_value(case.facts, call) == SentValue::Wrapped),
        "The specification allows a server to declare and send an object around a value.",
    ),
    row(
        "only text returned of a value on the wire",
        |case| {
            (case.is(Outcome::Text) || case.is(Outcome::Prose))
                && case.call_is(|call| sent_value(case.facts, call) == SentValue::Whole)
        },
        "The value was on the wire as structuredContent. The specification allows a client to leave it out.",
    ),
    row("lost", |case| case.is(Outcome::Lost), "This is allowed by the specification."),
    row(
        "list rejected",
        |case| case.is(Outcome::Rejected) && case.is_of_list(),
        "The list violates no rule, and no rule obliges the client to accept it.",
    ),
    row(
        "rejected by a list that had changed",
        |case| case.is(Outcome::Rejected) && case.call_is(|call| call.is_stale),
        "The server's tools had changed, and the client had not listed them again. The specification does not say how soon \
         it has to.",
    ),
    row(
        "rejected for a format",
        |case| case.is(Outcome::Rejected) && case.call_is(|call| misses_a_format(case.facts, call)),
        "The value conforms to its outputSchema but for a `format`, and JSON Schema leaves open whether a validator \
         checks formats.",
    ),
    row(
        "result rejected",
        |case| case.is(Outcome::Rejected),
        "The result violates no rule, and no rule obliges the client to accept it.",
    ),
    row("anything else", |_| true, "The specification has no rule for this."),
];

/// Reason why mcp-compat or the specification leaves a schema or a value open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Undecided {
    Dangles,
    Schema,
    Value,
}

impl Undecided {
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Dangles => {
                "A reference in the outputSchema points to nothing, and the specification does not say what a client \
                 should do then. The server has to declare what it refers to."
            }
            Self::Schema => {
                "mcp-compat cannot decide whether the outputSchema is valid, so it names no party to fix it."
            }
            Self::Value => {
                "mcp-compat cannot decide whether the value conforms to its outputSchema, so it names no party to fix it."
            }
        }
    }
}

/// Reason why nobody can be named for the schema that the step hangs on.
pub(crate) fn undecided(facts: &Facts<'_>, decision: &Decision<'_, '_>) -> Option<Undecided> {
    let of_schema = |schema: &Json| match facts.schemas.validity(schema) {
        Validity::Dangling { .. } => Some(Undecided::Dangles),
        // What an address outside of the schema leads to is open for everybody.
        Validity::Undecided { .. } => facts.schemas.outside(schema).is_none().then_some(Undecided::Schema),
        Validity::Valid | Validity::Invalid { .. } | Validity::ForeignPattern(_) | Validity::Endless { .. } => None,
    };
    let call = match &decision.subject {
        Subject::Call(call) if !decision.is_lost_with_list => call,
        Subject::Call(_) | Subject::List(_) => {
            return facts.listings.iter().find_map(|listing| of_schema(facts.definition(*listing)?.output_schema()?));
        }
        Subject::Session(_) | Subject::Evolve(_) => return None,
    };
    let schema = facts.declared_schema(call).filter(|schema| facts.schemas.outside(schema).is_none())?;
    let is_undecided = || matches!(facts.conformance(call), Some(Conformance::Undecided { .. }));
    of_schema(schema).or_else(|| is_undecided().then_some(Undecided::Value))
}

/// The client's part, where no rule says it.
pub(crate) fn by_client(facts: &Facts<'_>, decision: &Decision<'_, '_>) -> &'static str {
    Case { facts, decision }.said_by(&BY_CLIENT)
}

static BY_CLIENT: [Row; 18] = [
    row(
        "the value of another response was returned",
        |case| took_stray(case.facts, case.decision),
        "To fix in the client: match every response to its request by the id, and ignore those that match none.",
    ),
    row(
        "left out of the client's list",
        |case| case.decision.is_left_out,
        "The tool was on the wire, and nothing is wrong with its definition. To fix in the client: list every tool that \
         the server offers, or report why one is left out.",
    ),
    row(
        "a value was not sent back as it came",
        |case| (case.is(Outcome::Altered) || case.is(Outcome::Lost)) && case.misses(MissingCompanion::is_fed),
        "To fix in the client: return values in a form that can be sent back unchanged.",
    ),
    row(
        "a member of a content block was lost",
        |case| case.misses(MissingCompanion::is_of_block),
        "It was on the wire. To fix in the client: keep every member that the revision defines for a content block.",
    ),
    row(
        "a part of an error was lost",
        |case| case.is(Outcome::Masked) && case.misses(|_| true),
        "The whole error was on the wire. To fix in the client: return all of it.",
    ),
    row(
        "a decimal number was rounded",
        |case| case.is_altered_on_the_way() && case.rounded().is_some_and(|number| number.contains(['.', 'e', 'E'])),
        "The right value was on the wire. To fix in the client: read a decimal number as the nearest double, or keep its \
         digits.",
    ),
    row(
        "an integer was rounded",
        |case| case.is_altered_on_the_way() && case.rounded().is_some(),
        "The right value was on the wire. To fix in the client: keep all digits of an integer that no double holds.",
    ),
    row(
        "a value was altered",
        |case| case.is_altered_on_the_way(),
        "The right value was on the wire. To fix in the client: return it unchanged.",
    ),
    row(
        "an error was masked or swallowed",
        |case| (case.is(Outcome::Masked) || case.is(Outcome::Swallowed)) && case.decision.call().is_some(),
        "The error was on the wire. To fix in the client: report it as an error, with its text.",
    ),
    row(
        "waited after an error that answered `initialize`",
        |case| case.ended_by(NoSessionCause::RefusalIgnored),
        "To fix in the client: report an error answer to `initialize` as an error, and do not wait for another answer.",
    ),
    row(
        "a validation without an end",
        |case| case.is(Outcome::Hung) && !case.is_of_list() && case.call_is(|call| is_costly(case.facts, call)),
        "The server had answered every request. To fix in the client: bound the work of a validation, and report an error \
         where it ends.",
    ),
    row(
        "hung",
        |case| case.is(Outcome::Hung),
        "The server had answered every request. To fix in the client: end the call with its answer or with an error.",
    ),
    row(
        "crashed over a schema that takes too long",
        |case| case.is(Outcome::Crashed) && case.facts.calls.iter().any(|call| is_costly_schema(case.facts, call)),
        "The server had answered every request. To fix in the client: bound the work of a validation and of compiling a \
         schema, and report an error where it ends.",
    ),
    row(
        "crashed",
        |case| case.is(Outcome::Crashed),
        "To fix in the client: run until the end of the session, and give an answer that can be read.",
    ),
    row(
        "the connection was lost with a list",
        |case| case.is(Outcome::Unreachable) && case.decision.is_lost_with_list && !case.facts.listings.is_empty(),
        "The list was on the wire. To fix in the client: read it, or report an error and keep the session.",
    ),
    row(
        "the connection was lost with a result",
        |case| case.is(Outcome::Unreachable) && case.call_is(|call| case.facts.result_of_call(call).is_some()),
        "The result was on the wire. To fix in the client: read it, or report an error and keep the session.",
    ),
    row("could not be started", |case| case.is_not_started(), "Check the command that starts the client."),
    row("anything else", |_| true, "To fix in the client. Its log may say why."),
];

/// The server's part, where no rule says it.
pub(crate) fn by_server(facts: &Facts<'_>, decision: &Decision<'_, '_>) -> String {
    let revision = facts.revision().map_or("the revision of the session", Revision::as_str);
    Case { facts, decision }.said_by(&BY_SERVER).replace("{revision}", revision)
}

/// `{revision}` stands for the session's revision.
static BY_SERVER: [Row; 17] = [
    row(
        "a companion of the value was not sent",
        |case| case.misses(|_| true),
        "It was not on the wire. To fix in the server: send everything that the tool returned.",
    ),
    row(
        "list refused for the root of an outputSchema",
        |case| is_refused_for_root(case.facts, case.decision),
        "To fix in the server: answer tools/list with the tools; for clients of this revision, omit every outputSchema whose \
         root is not an object, and send the value in a text block.",
    ),
    row("list refused", |case| case.is_of_list(), "To fix in the server: answer tools/list with the tools."),
    row(
        "call refused, value and outputSchema of another type than object",
        |case| case.is_refused_value() && case.is_of_other_type() && case.call_is(declares_no_object),
        "{revision} allows only objects as structuredContent. To fix in the server: for clients of this revision, send the \
         value in a text block or inside an object, and declare no outputSchema of another type.",
    ),
    row(
        "value of another type than object",
        |case| (case.is_refused_value() || case.result().is_some()) && case.is_of_other_type(),
        "{revision} allows only objects as structuredContent. To fix in the server: for clients of this revision, send the \
         value in a text block or inside an object.",
    ),
    row(
        "no text block with the value, where nothing is structured",
        |case| case.result().is_some() && !case.facts.revision().is_some_and(Revision::has_structured_output),
        "{revision} has no structuredContent, and no text block held the value. To fix in the server: send the value in a \
         text block.",
    ),
    // The server may leave out what it does not promise: no rule forbids it, and nobody else can fix it.
    row(
        "no structuredContent",
        |case| case.result().is_some_and(|result| ToolResult::new(result).structured_content().is_none()),
        "The server omitted structuredContent, although {revision} supports it. To fix in the server: send it.",
    ),
    row("another result", |case| case.result().is_some(), "To fix in the server: send what the tool returned."),
    row(
        "stream withheld",
        |case| case.ended_by(NoSessionCause::StreamWithheld),
        "To fix in the server: answer the GET with the headers of a stream at once, or with status 405.",
    ),
    row(
        "request of the opening unanswered",
        |case| case.ended_by(NoSessionCause::RequestUnanswered),
        "To fix in the server: answer every request. If the server only starts slowly, allow more time with --timeout.",
    ),
    row(
        "hung before anything was sent",
        |case| {
            case.is(Outcome::Hung)
                && matches!(case.decision.subject, Subject::Session(_))
                && case.facts.messages.is_empty()
        },
        "Nothing was sent to the server yet. To fix in its adapter: take up every scenario, or answer `unsupported`.",
    ),
    row(
        "hung",
        |case| case.is(Outcome::Hung),
        "The server did not answer the request. To fix in the server: answer it.",
    ),
    row("call refused", |case| case.is_refused_value(), "To fix in the server: send what the tool returned."),
    row(
        "another error than the tool's, or none",
        |case| (case.is(Outcome::Masked) || case.is(Outcome::Swallowed)) && case.decision.call().is_some(),
        "The error on the wire is not the one that the tool returned. To fix in the server: send the tool's error.",
    ),
    row(
        "crashed",
        |case| case.is(Outcome::Crashed),
        "To fix in the server: keep running until the client ends the session. Its log may say why it ended.",
    ),
    row("could not be started", |case| case.is_not_started(), "Check the command that starts the server."),
    row("anything else", |_| true, "To fix in the server. Its log may say why."),
];

/// Returns true if two JSON texts are numbers that differ by no more than rounding.
fn is_rounded(sent: &str, came: &str) -> bool {
    let number = |text: &str| text.parse::<f64>().ok().filter(|number| number.is_finite());
    let near = |(sent, came): (f64, f64)| (sent - came).abs() <= sent.abs() * 4.0 * f64::EPSILON;
    number(sent).zip(number(came)).is_some_and(near)
}

/// Returns true if the validation of the result of a call has no end in sight.
fn is_costly(facts: &Facts<'_>, call: &CallFacts<'_>) -> bool {
    matches!(facts.conformance(call), Some(Conformance::Undecided { is_costly: true, .. }))
}

/// Returns true if the value that a tool was to send has no end in sight by the schema that the server had declared, sent
/// or not.
fn is_costly_schema(facts: &Facts<'_>, call: &CallFacts<'_>) -> bool {
    let listed = facts.listings.iter().filter_map(|listing| facts.definition(*listing));
    let mut named = listed.filter(|definition| definition.name() == Some(call.call.tool.as_str()));
    let schema = named.find_map(ToolDefinition::output_schema);
    let conformance = schema.zip(scripted_value(call)).map(|(schema, value)| facts.schemas.check(schema, &value));
    matches!(conformance, Some(Conformance::Undecided { is_costly: true, .. }))
}

/// The structured content that the server was to send for a call.
fn scripted_value(call: &CallFacts<'_>) -> Option<Json> {
    let Some(Reply::Result(result)) = call.reply else { return None };
    let result = Json::parse(result.get()).ok()?;
    ToolResult::new(&result).structured_content().cloned()
}

/// Returns true if the scenario's tool has an outputSchema whose root is not an object.
fn declares_no_object(call: &CallFacts<'_>) -> bool {
    let definition = call.scripted.and_then(|tool| Json::parse(&tool.definition).ok());
    let schema = definition.as_ref().and_then(|definition| ToolDefinition::new(definition).output_schema());
    schema.is_some_and(|schema| root_type(schema) != Some("object"))
}

/// Returns true if the server refused a list, and the root of an outputSchema in it is what the revision does not allow.
pub(crate) fn is_refused_for_root(facts: &Facts<'_>, decision: &Decision<'_, '_>) -> bool {
    let is_older = !facts.revision().is_some_and(Revision::has_any_value_output);
    let is_refused = decision.place() == Place::List && facts.list_refused_by_server();
    is_refused && is_older && decision.call().is_some_and(declares_no_object)
}

/// The member of a result in which the server should have sent the value that got lost.
pub(crate) fn unsent_member(facts: &Facts<'_>, decision: &Decision<'_, '_>) -> Option<&'static str> {
    let call = decision.call().filter(|call| matches!(call.call.means, Means::Value(_)))?;
    let (_, result) = facts.result_of_call(call)?;
    if decision.outcome != Outcome::Lost {
        return None;
    }
    if !facts.revision()?.has_structured_output() {
        return Some("/content");
    }
    ToolResult::new(result).structured_content().is_none().then_some("/structuredContent")
}

/// Remedy for a break that no rule explains.
pub(crate) const fn remedy_without_rule(role: Role, outcome: Outcome) -> &'static str {
    match (role, outcome) {
        (Role::Client, Outcome::Altered) => "return values unchanged",
        (Role::Server, Outcome::Altered) => "send what the tool returned",
        (Role::Client, Outcome::Masked | Outcome::Swallowed) => "report the error of a tool as an error, with its text",
        (Role::Server, Outcome::Masked | Outcome::Swallowed) => "send the error of the tool",
        (Role::Client, Outcome::Hung) => "end a call with its answer or with an error",
        (Role::Server, Outcome::Hung) => "answer every request",
        (Role::Client, Outcome::Unreachable) => "read the answer, or report an error and keep the session",
        (_, Outcome::Crashed) => "keep running until the session is ended",
        (Role::Server, Outcome::Rejected) => "answer the request with a result in place of an error",
        (Role::Server, Outcome::Wrapped | Outcome::Text | Outcome::Prose | Outcome::Lost) => {
            "send the value as structuredContent, or in a text block to clients that do not support that"
        }
        _ => "look in its log for the cause",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_differ_in_the_last_digits_are_rounded() {
        for (sent, came) in [
            ("21.400000000000002", "21.4"),
            ("9007199254740993", "9007199254740992"),
            ("-1e300", "-1.0000000000000002e300"),
        ] {
            assert!(is_rounded(sent, came), "{sent} {came}");
        }
        for (sent, came) in [("1", "2"), ("21.4", "21.5"), ("1e400", "1"), ("\"1\"", "1"), ("0", "1e-300"), ("1", "-1")]
        {
            assert!(!is_rounded(sent, came), "{sent} {came}");
        }
    }
    #[test]
    fn the_tables_in_order() {
        let mut text = String::new();
        for (name, table) in [
            ("Not covered", &NOT_COVERED[..]),
            ("To fix in the client", &BY_CLIENT),
            ("To fix in the server", &BY_SERVER),
        ] {
            let rows = table.iter().map(|row| format!("\n  {}\n    {}", row.when, row.says));
            text.push_str(&format!("{name}{}\n", rows.collect::<String>()));
        }
        insta::with_settings!({ snapshot_path => "../tests/tables", prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!("sentences_without_a_rule", text);
        });
    }
}
