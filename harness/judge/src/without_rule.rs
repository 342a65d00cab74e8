//! What to fix where no rule says it: whole sentences, by what was on the wire and what became of it.

use mcp_compat_inclusion::{Conformance, Validity, check, check_with_formats};
use mcp_compat_json::{DifferenceKind, Json};
use mcp_compat_model::observation::End;
use mcp_compat_model::peer_contract::Reply;
use mcp_compat_model::signature::{NoSessionCause, Place};
use mcp_compat_model::tool_definition::{ToolDefinition, root_type};
use mcp_compat_model::tool_result::ToolResult;
use mcp_compat_model::verdict::Outcome;
use mcp_compat_model::{Revision, Role};
use mcp_compat_scenario::scenario::Means;

use crate::decision::{Decision, Subject};
use crate::ending::Ending;
use crate::facts::{CallFacts, Facts};
use crate::outcome::wraps;
use crate::proof::structured_on_wire;

/// What the server sent for the value of a tool as structured content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SentValue {
    Whole,
    /// Under the only key of an object.
    Wrapped,
    /// Another value.
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

/// Whether the value of a result meets its schema, and not the formats in it.
pub(crate) fn misses_a_format(facts: &Facts<'_>, call: &CallFacts<'_>) -> bool {
    let value = facts.result_of_call(call).and_then(|(_, result)| ToolResult::new(result).structured_content());
    let Some((schema, value)) = facts.declared_schema(call).zip(value) else { return false };
    check(schema, value) == Conformance::Conforms
        && matches!(check_with_formats(schema, value), Conformance::Violates { .. })
}

/// What the specification leaves to the peers, where nobody broke a rule.
pub(crate) fn not_covered(facts: &Facts<'_>, decision: &Decision<'_, '_>) -> &'static str {
    let of_list = decision.place() == Place::List || decision.is_lost_with_list;
    let sent = decision.call().map(|call| sent_value(facts, call));
    if decision.outcome == Outcome::Wrapped && sent == Some(SentValue::Wrapped) {
        "The specification allows a server to declare and send an object around a value."
    } else if matches!(decision.outcome, Outcome::Text | Outcome::Prose) && sent == Some(SentValue::Whole) {
        "The value was on the wire as structuredContent. The specification does not oblige a client to return it."
    } else if decision.outcome == Outcome::Lost {
        "The specification does not oblige a client to return all that a result holds."
    } else if decision.outcome == Outcome::Rejected && of_list {
        "The list violates no rule, and no rule obliges the client to accept it."
    } else if decision.outcome == Outcome::Rejected && decision.call().is_some_and(|call| call.is_stale) {
        "The server's tools had changed, and the client had not listed them again. The specification does not say how soon \
         it has to."
    } else if decision.outcome == Outcome::Rejected && decision.call().is_some_and(|call| misses_a_format(facts, call))
    {
        "The value conforms to its outputSchema but for a `format`, and JSON Schema leaves open whether a validator \
         checks formats."
    } else if decision.outcome == Outcome::Rejected {
        "The result violates no rule, and no rule obliges the client to accept it."
    } else {
        "The specification has no rule for this."
    }
}

pub(crate) const DANGLES: &str = "A reference in the outputSchema points to nothing, and the specification does not say what a \
                       client should do then. It would not matter if the server declared what is referred to.";
const SCHEMA_UNDECIDED: &str =
    "mcp-compat cannot decide whether the outputSchema is valid, so it names no party to fix it.";
const VALUE_UNDECIDED: &str =
    "mcp-compat cannot decide whether the value conforms to its outputSchema, so it names no party to fix it.";

/// Why nobody can be named for what comes of the schema that the step hangs on.
pub(crate) fn undecided(facts: &Facts<'_>, decision: &Decision<'_, '_>) -> Option<&'static str> {
    let of_schema = |schema: &Json| match facts.schemas.validity(schema) {
        Validity::Dangling { .. } => Some(DANGLES),
        // What an address outside of the schema leads to is open for everybody.
        Validity::Undecided { .. } => facts.schemas.outside(schema).is_none().then_some(SCHEMA_UNDECIDED),
        Validity::Valid | Validity::Invalid { .. } | Validity::ForeignPattern(_) => None,
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
    of_schema(schema).or_else(|| is_undecided().then_some(VALUE_UNDECIDED))
}

pub(crate) fn by_client(facts: &Facts<'_>, decision: &Decision<'_, '_>) -> &'static str {
    match (&decision.subject, decision.outcome) {
        (Subject::Call(_), Outcome::Altered | Outcome::Lost)
            if decision.missing_companion(facts).is_some_and(|missing| missing.is_fed()) =>
        {
            "To fix in the client: return values in a form that can be sent back unchanged."
        }
        (Subject::Call(_), _) if decision.missing_companion(facts).is_some_and(|missing| missing.is_of_block()) => {
            "It was on the wire. To fix in the client: keep every member that the revision defines for a content block."
        }
        (Subject::Call(_), Outcome::Masked) if decision.missing_companion(facts).is_some() => {
            "The whole error was on the wire. To fix in the client: return all of it."
        }
        (Subject::Call(call), Outcome::Altered) if structured_on_wire(facts, call) => altered_by_client(decision),
        (Subject::Call(_), Outcome::Masked | Outcome::Swallowed) => {
            "The error was on the wire. To fix in the client: report it as an error, with its text."
        }
        (Subject::Session(Ending { cause: Some(NoSessionCause::RefusalIgnored), .. }), _) => {
            "To fix in the client: report an error answer to `initialize` as an error, and do not wait for another answer."
        }
        (Subject::Call(call), Outcome::Hung) if !decision.is_lost_with_list && is_costly(facts, call) => {
            "The server had answered every request. To fix in the client: bound the work of a validation, and report an \
             error where it ends."
        }
        (_, Outcome::Hung) => {
            "The server had answered every request. To fix in the client: end the call with its answer or with an error."
        }
        (_, Outcome::Crashed) => {
            "To fix in the client: run until the end of the session, and give an answer that can be read."
        }
        (_, Outcome::Unreachable) if decision.is_lost_with_list && !facts.listings.is_empty() => {
            "The list was on the wire. To fix in the client: read it, or report an error and keep the session."
        }
        (Subject::Call(call), Outcome::Unreachable) if facts.result_of_call(call).is_some() => {
            "The result was on the wire. To fix in the client: read it, or report an error and keep the session."
        }
        _ if is_not_started(facts) => "Check the command that starts the client.",
        _ => "To fix in the client. Its log may say why.",
    }
}

fn is_not_started(facts: &Facts<'_>) -> bool {
    matches!(facts.observation.end, End::NotStarted { .. })
}

/// What a client has to fix that returned another value than the one on the wire.
fn altered_by_client(decision: &Decision<'_, '_>) -> &'static str {
    match decision.difference().map(|difference| difference.kind) {
        Some(DifferenceKind::Value { expected, found }) if is_rounded(&expected, &found) => {
            if expected.contains(['.', 'e', 'E']) {
                "The right value was on the wire. To fix in the client: read a decimal number as the nearest double, or \
                 keep its digits."
            } else {
                "The right value was on the wire. To fix in the client: keep all digits of an integer that no double holds."
            }
        }
        _ => "The right value was on the wire. To fix in the client: return it unchanged.",
    }
}

/// Whether two JSON texts are numbers that differ by no more than rounding.
fn is_rounded(sent: &str, came: &str) -> bool {
    let number = |text: &str| text.parse::<f64>().ok().filter(|number| number.is_finite());
    let near = |(sent, came): (f64, f64)| (sent - came).abs() <= sent.abs() * 4.0 * f64::EPSILON;
    number(sent).zip(number(came)).is_some_and(near)
}

/// Whether the validation of the result of a call has no end in sight.
fn is_costly(facts: &Facts<'_>, call: &CallFacts<'_>) -> bool {
    matches!(facts.conformance(call), Some(Conformance::Undecided { is_costly: true, .. }))
}

/// Whether structured output is an object at the revision.
fn only_objects(facts: &Facts<'_>) -> bool {
    facts.revision().is_some_and(|it| it.has_structured_output() && !it.has_any_value_output())
}

/// The structured content that the server was to send for a call.
fn scripted_value(call: &CallFacts<'_>) -> Option<Json> {
    let Some(Reply::Result(result)) = call.reply else { return None };
    let result = Json::parse(result.get()).ok()?;
    ToolResult::new(&result).structured_content().cloned()
}

/// Whether the scenario's tool has an outputSchema whose root is not an object.
fn declares_no_object(call: &CallFacts<'_>) -> bool {
    let definition = call.scripted.and_then(|tool| Json::parse(&tool.definition).ok());
    let schema = definition.as_ref().and_then(|definition| ToolDefinition::new(definition).output_schema());
    schema.is_some_and(|schema| root_type(schema) != Some("object"))
}

/// Whether the server refused a list, and the root of an outputSchema in it is what the revision does not allow.
pub(crate) fn is_refused_for_root(facts: &Facts<'_>, decision: &Decision<'_, '_>) -> bool {
    let is_older = !facts.revision().is_some_and(Revision::has_any_value_output);
    let is_refused = decision.place() == Place::List && facts.list_refused_by_server();
    is_refused && is_older && decision.call().is_some_and(declares_no_object)
}

/// The member of a result in which the server should have sent the value that got lost.
pub(crate) fn unsent_member(facts: &Facts<'_>, decision: &Decision<'_, '_>) -> Option<&'static str> {
    let call = decision.call().filter(|call| matches!(call.call.means, Means::Value(_)))?;
    let (_, result) = facts.result_of_call(call).filter(|_| decision.outcome == Outcome::Lost)?;
    if !facts.revision()?.has_structured_output() {
        return Some("/content");
    }
    ToolResult::new(result).structured_content().is_none().then_some("/structuredContent")
}

pub(crate) fn by_server(facts: &Facts<'_>, decision: &Decision<'_, '_>) -> String {
    let revision = facts.revision().map_or("the revision of the session", Revision::as_str);
    sentences_about_server(facts, decision).replace("{revision}", revision)
}

/// The same, with `{revision}` in place of the session's revision.
fn sentences_about_server(facts: &Facts<'_>, decision: &Decision<'_, '_>) -> &'static str {
    let result = match &decision.subject {
        Subject::Call(call) if matches!(call.call.means, Means::Value(_)) => facts.result_of_call(call),
        Subject::Call(_) | Subject::Session(_) | Subject::List(_) | Subject::Evolve(_) => None,
    };
    if decision.missing_companion(facts).is_some() {
        return "It was not on the wire. To fix in the server: send everything that the tool returned.";
    }
    let value = decision.call().map(|call| &call.call.means);
    if decision.place() == Place::List {
        return if is_refused_for_root(facts, decision) {
            "To fix in the server: answer tools/list with the tools; for clients of this revision, omit every outputSchema \
             whose root is not an object, and send the value in a text block."
        } else {
            "To fix in the server: answer tools/list with the tools."
        };
    }
    let is_object = decision.call().and_then(scripted_value).map_or_else(
        || !matches!(value, Some(Means::Value(value)) if value.as_object().is_none()),
        |scripted| scripted.as_object().is_some(),
    );
    match (&decision.subject, decision.outcome, result) {
        (Subject::Call(call), Outcome::Rejected, None)
            if only_objects(facts) && !is_object && declares_no_object(call) =>
        {
            "{revision} allows only objects as structuredContent. To fix in the \
             server: for clients of this revision, send the value in a text block or inside an object, and declare no \
             outputSchema of another type."
        }
        (Subject::Call(_), Outcome::Rejected, None) | (_, _, Some(_)) if only_objects(facts) && !is_object => {
            "{revision} allows only objects as structuredContent. To fix in the server: for clients of this revision, \
             send the value in a text block or inside an object."
        }
        (_, _, Some(_)) if !facts.revision().is_some_and(Revision::has_structured_output) => {
            "{revision} has no structuredContent, and no text block held the value. To fix in the server: send the \
             value in a text block."
        }
        // The server may leave out what it does not promise: no rule forbids it, and nobody else can fix it.
        (_, _, Some((_, result))) if ToolResult::new(result).structured_content().is_none() => {
            "The server omitted structuredContent, although {revision} supports it. To fix in the server: send it."
        }
        (_, _, Some(_)) => "To fix in the server: send what the tool returned.",
        (Subject::Session(Ending { cause: Some(NoSessionCause::StreamWithheld), .. }), ..) => {
            "To fix in the server: answer the GET with the headers of a stream at once, or with status 405."
        }
        (Subject::Session(Ending { cause: Some(NoSessionCause::RequestUnanswered), .. }), ..) => {
            "To fix in the server: answer every request. If the server only starts slowly, allow more time with --timeout."
        }
        (Subject::Session(_), Outcome::Hung, _) if facts.messages.is_empty() => {
            "Nothing was sent to the server yet. To fix in its adapter: take up every scenario, or answer `unsupported`."
        }
        (_, Outcome::Hung, _) => "The server did not answer the request. To fix in the server: answer it.",
        (Subject::Call(_), Outcome::Rejected, _) => "To fix in the server: send what the tool returned.",
        (Subject::Call(_), Outcome::Masked | Outcome::Swallowed, _) => {
            "The error on the wire is not the one that the tool returned. To fix in the server: send the tool's error."
        }
        (_, Outcome::Crashed, _) => {
            "To fix in the server: keep running until the client ends the session. Its log may say why it ended."
        }
        _ if is_not_started(facts) => "Check the command that starts the server.",
        _ => "To fix in the server. Its log may say why.",
    }
}

/// What a peer has to fix where no rule says it.
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
}
