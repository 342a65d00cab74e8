//! What a cause is, in a sentence or two that name no peer: what users of the clients meet, and why.

use mcp_compat_judge::rules;
use mcp_compat_model::cause::Cause;
use mcp_compat_model::observation::Layer;
use mcp_compat_model::signature::{ErrorKind, Ground, NoSessionCause, Place, Signature};
use mcp_compat_model::unseen::neutralised;
use mcp_compat_model::verdict::{Fault, Outcome};

use crate::text::clipped;

/// A cause that the judge could not sign is named by its reason.
const LONGEST: usize = 400;

/// What a cause is. Names in it stand between backticks.
#[must_use]
pub fn of_cause(cause: &Cause<'_>) -> String {
    let Some(signature) = &cause.example.signature else {
        return clipped(&neutralised(&cause.example.reason), LONGEST);
    };
    let said = of_signature(signature);
    // Where no rule says what is wrong, causes of one signature are told apart by their scenarios.
    let classes = cause.distinct(|cell| cell.scenario.class());
    match (&signature.ground, classes.as_slice()) {
        (Ground::NoRule | Ground::SpecSilent | Ground::SpecConflict, [only]) => {
            format!("{said} It shows in the scenarios `{}/*`.", neutralised(only))
        }
        _ => said,
    }
}

/// What a signature says.
#[must_use]
pub fn of_signature(signature: &Signature) -> String {
    let met = met(signature);
    let why = match &signature.ground {
        Ground::Rule(id) => {
            let rule = rules::find(id).map_or_else(|| format!("`{}`", neutralised(id)), |rule| rule.title.to_owned());
            format!("{} violates a rule: {}", party(signature.fault), within(&rule))
        }
        Ground::NoSession(_) => return of_ground(&signature.ground).unwrap_or_default(),
        Ground::SpecSilent | Ground::SpecConflict => of_ground(&signature.ground).unwrap_or_default(),
        Ground::NoRule => format!("No rule covers this. To fix: {}.", crate::wording::to_fix(signature.fault)),
    };
    format!("{met}. {why}")
}

/// What the ground of a signature says, as a sentence; `None` if it is a rule.
#[must_use]
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
        Fault::Both => "Each of the two",
        Fault::Spec => "One of the two",
        Fault::Harness => "mcp-compat",
    }
}

/// What users of the clients meet.
fn met(signature: &Signature) -> String {
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
        Outcome::Lost => "Clients return no value and no error".to_owned(),
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

/// Whether the other side answered with an error.
fn is_answered(error: Option<ErrorKind>) -> bool {
    error.is_some_and(|error| error.layer == Layer::Protocol && error.code.is_some())
}

fn error(error: ErrorKind) -> String {
    let code = error.code.map(|code| format!(" {code}")).unwrap_or_default();
    format!(" ({} error{code})", error.layer.as_str())
}

/// A sentence, within another one: names and abbreviations keep their capitals.
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
    use super::*;

    fn said(signature: &str) -> String {
        of_signature(&signature.parse().unwrap())
    }

    #[test]
    fn a_cause_is_named_without_any_peer() {
        assert_eq!(
            said("server:rejected:tools/list:output-schema-object-root:decode:/outputSchema/type"),
            "Clients reject the list of tools (decode error). The server violates a rule: up to 2025-11-25, an \
             `outputSchema` has `type: object` at its root."
        );
        assert_eq!(
            said("client:uncaught:tools/call:client-validates"),
            "Clients accept an invalid result. The client violates a rule: a client validates structured results against \
             the declared `outputSchema`."
        );
        assert_eq!(
            said("server:rejected:tools/list:no-rule:protocol:-32603"),
            "Clients get an error in place of the list of tools (protocol error -32603). No rule covers this. To fix: server."
        );
        assert_eq!(
            said("client:unreachable:session:no-common-revision"),
            "No session is opened: the client and the server agree on no protocol revision."
        );
    }

    #[test]
    fn a_name_keeps_its_capitals_within_a_sentence() {
        assert_eq!(within("MCP-Protocol-Version names it."), "MCP-Protocol-Version names it.");
        assert_eq!(within("`a` is."), "`a` is.");
        assert_eq!(within("A tool is."), "a tool is.");
    }
}
