//! Description of a cause in one or two sentences without names of peers: the effect for users of the clients, and the
//! reason.

use mcp_compat_judge::rules;
use mcp_compat_model::cause::Cause;
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::observation::Layer;
use mcp_compat_model::record::CellRecord;
use mcp_compat_model::signature::{ErrorKind, Ground, NoSessionCause, Place, Signature};
use mcp_compat_model::verdict::{Fault, Finding, Outcome, Party};

use crate::text::clipped;
use crate::wording;

/// Number of characters of the reason of a cause without a signature that are shown.
const LONGEST: usize = 400;

/// Describes a cause. Names in the text stand between backticks.
pub fn of_cause(cause: &Cause<'_>) -> String {
    let Some(signature) = &cause.example.signature else {
        return clipped(&neutralised(&cause.example.reason), LONGEST);
    };
    let text = of_signature(signature);
    match &signature.ground {
        Ground::Rule(id) if signature.fault == Fault::Both && signature.outcome != Outcome::Hung => {
            other_rule(cause.example, id).map_or_else(|| text.clone(), |other| format!("{text} {other}"))
        }
        // Without a rule, causes of one signature differ by their scenarios.
        Ground::NoRule | Ground::SpecSilent | Ground::SpecConflict => match scenarios(cause) {
            Some(scenarios) => format!("{text} It shows in {scenarios}."),
            None => text,
        },
        Ground::Rule(_) | Ground::NoSession(_) => text,
    }
}

/// Title of a cause in a line: the rule that is violated, or else the effect for users of the clients.
pub fn title(cause: &Cause<'_>) -> String {
    let Some(signature) = &cause.example.signature else {
        return clipped(&neutralised(&cause.example.reason), LONGEST);
    };
    let rule = if let Ground::Rule(id) = &signature.ground { rules::find(id) } else { None };
    match (rule, &signature.ground) {
        (Some(rule), _) => rule.title.trim_end_matches('.').to_owned(),
        (None, Ground::NoSession(cause)) => format!("No session is opened: {}", no_session(*cause)),
        (None, _) => match scenarios(cause) {
            Some(scenarios) => format!("{} ({scenarios})", effect(signature)),
            None => effect(signature),
        },
    }
}

/// Rule that the other party violates if both are at fault: the rule of its first finding.
fn other_rule(example: &CellRecord, id: &str) -> Option<String> {
    let party = rules::find(id)?.party;
    let is_other =
        |finding: &&Finding| finding.party != party && finding.party != Party::Spec && wording::is_violation(finding);
    let other = rules::find(&example.findings.iter().find(is_other)?.rule)?;
    Some(format!("The {} violates another: {}", other.party, within(other.title)))
}

/// The narrowest name that all scenarios of a cause have in common: one scenario, the cases of a file, or a class.
fn scenarios(cause: &Cause<'_>) -> Option<String> {
    if let [only] = cause.distinct(|cell| &cell.scenario).as_slice() {
        return Some(format!("the scenario `{}`", neutralised(only.as_str())));
    }
    if let [only] = cause.distinct(|cell| cell.scenario.file()).as_slice() {
        return Some(format!("the scenarios `{}[*]`", neutralised(only)));
    }
    match cause.distinct(|cell| cell.scenario.class()).as_slice() {
        [only] => Some(format!("the scenarios `{}/*`", neutralised(only))),
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
        Outcome::Rejected if is_answered(signature.error) => format!("Clients get an error in place of {what}{error}"),
        Outcome::Rejected => format!("Clients reject {what}{error}"),
        Outcome::Altered => "Clients return another value than the tool sent, and no error".to_owned(),
        Outcome::Lost => lost(signature).to_owned(),
        Outcome::Told => "Clients report the error of the tool".to_owned(),
        Outcome::Masked => format!("Clients report another error than that of the tool{error}"),
        Outcome::Swallowed => "Clients report the error of a tool as a success".to_owned(),
        Outcome::Caught => format!("Clients reject an invalid result{error}"),
        Outcome::Uncaught => "Clients accept an invalid result".to_owned(),
        Outcome::Unreachable => format!("Clients lose {what}{error}"),
        Outcome::Hung => format!("Clients get no answer in time when they ask for {what}"),
        Outcome::Crashed => format!("A process ends before {what} is there"),
        Outcome::Incomplete => "The session ends before all of the scenario is played".to_owned(),
        Outcome::Unsupported => "A peer does not support it".to_owned(),
    }
}

/// Effect of a loss without an error, by the pointer of the signature.
fn lost(signature: &Signature) -> &'static str {
    let place = signature.pointer.as_deref().unwrap_or_default();
    match place.strip_prefix("/content").map(|rest| rest.matches('/').count()) {
        Some(0) if signature.fault == Fault::Server => {
            "The server sends the value only as structuredContent, which the revision does not have, and clients return \
             nothing"
        }
        Some(1) => "Clients return the value without all of its content blocks",
        Some(2..) => "Clients return content blocks without all of their members",
        _ if signature.fault == Fault::Server && place == "/structuredContent" => {
            "The server omits structuredContent, and clients return nothing"
        }
        _ => "Clients return no value and no error",
    }
}

/// Returns whether the other side answered with an error.
fn is_answered(error: Option<ErrorKind>) -> bool {
    error.is_some_and(|error| error.layer == Layer::Protocol && error.code.is_some())
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
            "Clients get an error in place of the list of tools (protocol error -32603). No rule covers this. To fix: server."
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
            ("server:lost:tools/call:no-rule:/content", "The server sends the value only as structuredContent, which"),
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
            "Clients get no answer in time when they ask for the result of a call. The server violates a rule: up to \
             2025-11-25, `structuredContent` is a JSON object. The client waits in vain in place of reporting an error."
        );
        let mut cell = crate::specimen::cell("a/b::c@1::d@1::http", Outcome::Rejected, Rating::Breaks, "");
        cell.signature = "both:rejected:tools/call:result-type-present:decode".parse().ok();
        let of_rule = |id: &str| {
            let rule = rules::find(id).unwrap();
            let (source, detail) = (String::new(), String::new());
            let (level, party) = (rule.level, rule.party);
            Finding { rule: id.to_owned(), level, party, revision: None, source, detail, tool: None, messages: vec![] }
        };
        cell.findings = ["structured-output-known", "result-type-present"].map(of_rule).to_vec();
        let text = |cell: &CellRecord| of_cause(&Cause { name: String::new(), example: cell, cells: vec![cell] });
        let server = "Clients reject the result of a call (decode error). The server violates a rule: ";
        assert!(text(&cell).starts_with(server) && !text(&cell).contains("another"), "{}", text(&cell));
        cell.findings.push(of_rule("client-takes-absent-result-type"));
        assert!(text(&cell).contains(". The client violates another: "), "{}", text(&cell));
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
            let text = of_cause(&Cause { name: String::new(), example: &cells[0], cells: cells.iter().collect() });
            text.rsplit_once("unclear in the spec. ").map(|(_, where_it_shows)| where_it_shows.to_owned())
        };
        let one = place(&["number/decimal[a]", "number/decimal[a]"]);
        assert_eq!(one.as_deref(), Some("It shows in the scenario `number/decimal[a]`."));
        let cases = place(&["number/decimal[a]", "number/decimal[b]"]);
        assert_eq!(cases.as_deref(), Some("It shows in the scenarios `number/decimal[*]`."));
        let class = place(&["number/decimal[a]", "number/exact"]);
        assert_eq!(class.as_deref(), Some("It shows in the scenarios `number/*`."));
        assert_eq!(place(&["number/exact", "ref/loop"]), None);
    }

    #[test]
    fn a_name_keeps_its_capitals_within_a_sentence() {
        assert_eq!(within("MCP-Protocol-Version names it."), "MCP-Protocol-Version names it.");
        assert_eq!(within("`a` is."), "`a` is.");
        assert_eq!(within("A tool is."), "a tool is.");
    }
}
