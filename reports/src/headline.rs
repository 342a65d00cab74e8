//! Title of a cause, and its description in one or two sentences: the effect for users of the clients, and the reason.
//! Neither names a peer.

use mcp_compat_judge::rules;
use mcp_compat_model::cause::Cause;
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::observation::Layer;
use mcp_compat_model::signature::{ErrorKind, Ground, NoSessionCause, Place, Signature};
use mcp_compat_model::verdict::{Fault, Outcome, Party};

use crate::text::clipped;
use crate::wording;

/// Number of characters of the reason of a cause without a signature that are shown.
const LONGEST: usize = 400;

/// Title of a cause in a line: what violates a rule, or else the effect for users of the clients. Names in the text stand
/// between backticks.
pub fn title(cause: &Cause<'_>) -> String {
    let Some(signature) = &cause.example.signature else {
        return clipped(&neutralised(&cause.example.reason), LONGEST);
    };
    let title = title_of(signature);
    match &signature.ground {
        Ground::Rule(_) | Ground::NoSession(_) => title,
        // Without a rule, causes of one signature differ by their scenarios.
        Ground::NoRule | Ground::SpecSilent | Ground::SpecConflict => match scenarios(cause) {
            Some(scenarios) => format!("{title} (`{scenarios}`)"),
            None => title,
        },
    }
}

/// Title of the causes with a signature.
pub fn title_of(signature: &Signature) -> String {
    match &signature.ground {
        Ground::Rule(id) => match rules::find(id) {
            Some(rule) => rule.violation.to_owned(),
            None => format!("a violation of `{}`", neutralised(id)),
        },
        Ground::NoSession(cause) => format!("no session: {}", no_session(*cause)),
        Ground::NoRule | Ground::SpecSilent | Ground::SpecConflict => within(&effect(signature)),
    }
}

/// The narrowest name that all scenarios of a cause have in common: one scenario, the cases of a file, or a class.
fn scenarios(cause: &Cause<'_>) -> Option<String> {
    if let [only] = cause.distinct(|cell| &cell.scenario).as_slice() {
        return Some(neutralised(only.as_str()));
    }
    if let [only] = cause.distinct(|cell| cell.scenario.file()).as_slice() {
        return Some(format!("{}[*]", neutralised(only)));
    }
    match cause.distinct(|cell| cell.scenario.class()).as_slice() {
        [only] => Some(format!("{}/*", neutralised(only))),
        _ => None,
    }
}

/// Describes a signature.
pub fn of_signature(signature: &Signature) -> String {
    let effect = effect(signature);
    let why = match &signature.ground {
        Ground::Rule(id) => by_rule(signature, id),
        Ground::NoSession(_) => return of_ground(&signature.ground).unwrap_or_default(),
        Ground::SpecSilent | Ground::SpecConflict => of_ground(&signature.ground).unwrap_or_default(),
        Ground::NoRule => format!("No rule covers this. To fix: {}.", wording::to_fix(signature.fault)),
    };
    format!("{effect}. {why}")
}

/// Sentence about the rule: the party that violates it, and the other party if both are at fault.
fn by_rule(signature: &Signature, id: &str) -> String {
    let rule = rules::find(id);
    let title = rule.map_or_else(|| format!("`{}`.", neutralised(id)), |rule| within(rule.title));
    match (signature.fault, rule.map(|rule| rule.party)) {
        (Fault::Both, Some(bound @ (Party::Client | Party::Server))) => {
            let waits = bound == Party::Server && signature.outcome == Outcome::Hung;
            let then = if waits { " The client waits in vain in place of reporting an error." } else { "" };
            format!("The {bound} violates a rule: {title}{then}")
        }
        (fault, _) => format!("{} violates a rule: {title}", party(fault)),
    }
}

/// Sentence about the ground of a signature; `None` if it is a rule.
pub fn of_ground(ground: &Ground) -> Option<String> {
    Some(match ground {
        Ground::Rule(_) => return None,
        Ground::NoSession(cause) => format!("No session is opened: {}.", no_session(*cause)),
        Ground::SpecSilent => "The specification does not say what has to happen.".to_owned(),
        Ground::SpecConflict => "The specification contradicts itself here.".to_owned(),
        Ground::NoRule => "No rule covers this. The messages show who has to fix it.".to_owned(),
    })
}

fn party(fault: Fault) -> &'static str {
    match fault {
        Fault::Client => "The client",
        Fault::Server => "The server",
        // A rule binds one party; of an unknown rule, a record of another version does not say which.
        Fault::Both => "One of the two",
        Fault::Spec => "One of the two",
        Fault::Harness => "mcp-compat",
    }
}

/// Effect for users of the clients.
fn effect(signature: &Signature) -> String {
    let what = match signature.place {
        Place::Session => "the session",
        Place::List => "the list of tools",
        Place::Evolve => "the next tools",
        Place::Call => "the result of a call",
    };
    let error = signature.error.map(error).unwrap_or_default();
    match signature.outcome {
        Outcome::Intact => format!("Clients return {what} unchanged"),
        Outcome::Wrapped => "Clients return the value inside another object".to_owned(),
        Outcome::Text => "Clients return only text, from which the value can be parsed".to_owned(),
        Outcome::Prose => "Clients return only text, from which the value cannot be parsed".to_owned(),
        Outcome::Rejected => match signature.error.and_then(answered) {
            Some(code) => format!("Clients get error {code} in place of {what}"),
            None => format!("Clients reject {what}{error}"),
        },
        Outcome::Altered => "Clients return another value, and no error".to_owned(),
        Outcome::Lost => lost(signature).to_owned(),
        Outcome::Told => "Clients report the error of the tool".to_owned(),
        Outcome::Masked => format!("Clients report another error than that of the tool{error}"),
        Outcome::Swallowed => "Clients report the error of a tool as a success".to_owned(),
        Outcome::Caught => format!("Clients reject an invalid result{error}"),
        Outcome::Uncaught => "Clients accept an invalid result".to_owned(),
        Outcome::Unreachable => format!("Clients lose {what}{error}"),
        Outcome::Hung => format!("Clients wait in vain for {what}"),
        Outcome::Crashed if signature.place == Place::Session => "A process ends, and the session with it".to_owned(),
        Outcome::Crashed => format!("A process ends before {what} is there"),
        Outcome::Incomplete => "The session ends before the end of the scenario".to_owned(),
        Outcome::Unsupported => "A client or server does not support it".to_owned(),
    }
}

/// Effect of a loss without an error, by the pointer of the signature.
fn lost(signature: &Signature) -> &'static str {
    let place = signature.pointer.as_deref().unwrap_or_default();
    match place.strip_prefix("/content").map(|rest| rest.matches('/').count()) {
        Some(0) if signature.fault == Fault::Server => {
            "The value is sent only as structuredContent, which the revision lacks"
        }
        Some(1) => "Clients return the value without all of its content blocks",
        Some(2..) => "Clients return content blocks without all of their members",
        _ if signature.fault == Fault::Server && place == "/structuredContent" => {
            "The server omits structuredContent, and clients return nothing"
        }
        _ if signature.place == Place::List => "Clients leave a tool out of their list, and report no error",
        _ => "Clients return no value and no error",
    }
}

/// Code of the error with which the other side answered.
fn answered(error: ErrorKind) -> Option<i64> {
    error.code.filter(|_| error.layer == Layer::Protocol)
}

fn error(error: ErrorKind) -> String {
    let code = error.code.map(|code| format!(" {code}")).unwrap_or_default();
    format!(" ({} error{code})", error.layer.as_str())
}

/// Sentence as a part of another one, in lower case: names and abbreviations keep their capitals.
fn within(sentence: &str) -> String {
    let mut letters = sentence.chars();
    match (letters.next(), letters.clone().next()) {
        (Some(first), Some(second)) if !second.is_uppercase() => first.to_lowercase().chain(letters).collect(),
        _ => sentence.to_owned(),
    }
}

const fn no_session(cause: NoSessionCause) -> &'static str {
    match cause {
        NoSessionCause::NeverAsked => "the client does not ask for one",
        NoSessionCause::BrokenOff => "the client ends it after the handshake",
        NoSessionCause::RevisionDeclined => "the client leaves although the server agreed to its revision",
        NoSessionCause::NoCommonRevision => "the client and the server agree on no protocol revision",
        NoSessionCause::EveryEraRefused => "the server refuses the handshake and the requests without one",
        NoSessionCause::ProbeUnanswered => "the server does not answer the first request of 2026-07-28",
        NoSessionCause::NoFallback => "the client does not fall back to `initialize`",
        NoSessionCause::RequestUnanswered => "the server does not answer a request",
        NoSessionCause::StreamWithheld => "the server does not answer the request for its stream",
        NoSessionCause::RefusalIgnored => "the client ignores the error that answers `initialize`",
    }
}

#[cfg(test)]
mod tests {
    use mcp_compat_model::record::CellRecord;
    use mcp_compat_model::verdict::Rating;

    use super::*;

    fn text(signature: &str) -> String {
        of_signature(&signature.parse().unwrap())
    }

    #[test]
    fn a_cause_is_named_without_any_peer() {
        assert_eq!(
            text("server:rejected:tools/list:output-schema-object-root:decode:/outputSchema/type"),
            "Clients reject the list of tools (decode error). The server violates a rule: up to 2025-11-25, an \
             `outputSchema` has `type: object` at its root."
        );
        assert_eq!(
            text("client:uncaught:tools/call:client-validates"),
            "Clients accept an invalid result. The client violates a rule: a client validates structured results against \
             the declared `outputSchema`."
        );
        assert_eq!(
            text("server:rejected:tools/list:no-rule:protocol:-32603"),
            "Clients get error -32603 in place of the list of tools. No rule covers this. To fix: server."
        );
        assert_eq!(
            text("client:unreachable:session:no-common-revision"),
            "No session is opened: the client and the server agree on no protocol revision."
        );
    }

    #[test]
    fn a_loss_is_described_by_its_place() {
        for (signature, beginning) in [
            (
                "spec:lost:tools/call:no-rule:/content/image",
                "Clients return the value without all of its content blocks.",
            ),
            (
                "client:lost:tools/call:no-rule:/content/text/annotations",
                "Clients return content blocks without all of their",
            ),
            ("server:lost:tools/call:no-rule:/content", "The value is sent only as structuredContent, which"),
            (
                "server:lost:tools/call:no-rule:/structuredContent",
                "The server omits structuredContent, and clients return",
            ),
            ("client:lost:tools/call:no-rule:/arguments/cursor", "Clients return no value and no error."),
            ("server:lost:tools/call:no-rule", "Clients return no value and no error."),
        ] {
            assert!(text(signature).starts_with(beginning), "{}", text(signature));
        }
    }

    #[test]
    fn where_both_are_at_fault_it_says_who_violates_what() {
        assert_eq!(
            text("both:hung:tools/call:structured-content-object:timeout:/structuredContent"),
            "Clients wait in vain for the result of a call. The server violates a rule: up to \
             2025-11-25, `structuredContent` is a JSON object. The client waits in vain in place of reporting an error."
        );
    }

    #[test]
    fn a_cause_has_the_title_of_what_violates_its_rule_or_else_of_its_effect() {
        for (signature, title) in [
            (
                "server:rejected:tools/list:output-schema-object-root:decode:/outputSchema/type",
                "outputSchema without `type: object`, to clients up to 2025-11-25",
            ),
            ("client:uncaught:tools/call:client-validates", "results that violate their schema are accepted"),
            ("client:altered:tools/call:no-rule", "clients return another value, and no error"),
            ("client:lost:tools/call:a-rule-of-another-version", "a violation of `a-rule-of-another-version`"),
            (
                "client:unreachable:session:no-common-revision",
                "no session: the client and the server agree on no protocol revision",
            ),
        ] {
            assert_eq!(title_of(&signature.parse().unwrap()), title);
        }
    }

    #[test]
    fn scenarios_are_named_as_narrowly_as_they_can_be() {
        let place = |ids: &[&str]| {
            let mut cells: Vec<CellRecord> = Vec::new();
            for id in ids {
                let id = format!("{id}::c@1::d@1::http");
                let mut cell = crate::specimen::cell(&id, Outcome::Altered, Rating::Breaks, "");
                cell.signature = "spec:altered:tools/call:no-rule".parse().ok();
                cells.push(cell);
            }
            let cause = Cause { number: 1, name: String::new(), example: &cells[0], cells: cells.iter().collect() };
            title(&cause).trim_start_matches("clients return another value, and no error").to_owned()
        };
        assert_eq!(place(&["number/decimal[a]", "number/decimal[a]"]), " (`number/decimal[a]`)");
        assert_eq!(place(&["number/decimal[a]", "number/decimal[b]"]), " (`number/decimal[*]`)");
        assert_eq!(place(&["number/decimal[a]", "number/exact"]), " (`number/*`)");
        assert_eq!(place(&["number/exact", "ref/loop"]), "");
    }

    #[test]
    fn a_name_keeps_its_capitals_within_a_sentence() {
        assert_eq!(within("MCP-Protocol-Version names it."), "MCP-Protocol-Version names it.");
        assert_eq!(within("`a` is."), "`a` is.");
        assert_eq!(within("A tool is."), "a tool is.");
    }
}
