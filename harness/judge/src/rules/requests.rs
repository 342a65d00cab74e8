//! Members of a client's requests that hold what their revision does not allow. The shapes of the official schemas decide.

use mcp_compat_model::excerpt::excerpt;
use mcp_compat_model::shapes::{CALL_REQUEST, INITIALIZE_REQUEST, LIST_REQUEST, Official, Shape, mismatches};
use mcp_compat_model::verdict::Party;
use mcp_compat_model::{Era, Revision, Role};

use super::rule::{Affects, Check, Levels, RevisionRange, Rule, Scope, Violation};
use crate::facts::Facts;
use crate::wire::message::{Message, Shape as Kind};

/// Rule about the parameters of requests.
pub(super) static REQUEST_MEMBERS: Rule = Rule {
    id: "request-members",
    level: Levels::MUST,
    // A server may refuse `initialize` for its parameters: then no revision is negotiated.
    revisions: RevisionRange::ALL,
    party: Party::Client,
    scope: Scope::Protocol,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2025-11-25/schema#calltoolrequest",
    title: "The parameters of a client's requests have the types that the revision defines.",
    violation: "a request whose parameters have a wrong type",
    explanation: "Servers decode requests into types. Those that are built with the TypeScript SDK refuse null for `params`, \
                  `cursor`, `arguments` or `_meta`, and many others refuse `arguments` that are a string or an array: the \
                  list or the call fails, or is never answered.",
    remedy: "send parameters of the types that the schema defines, and omit optional members that have no value",
    fix: None,
    check: Check::Wire(parameters),
};

fn parameters(facts: &Facts<'_>) -> Vec<Violation> {
    let revision = facts.revision().unwrap_or(Revision::NEWEST_LEGACY);
    let requests =
        facts.messages.iter().filter(|message| message.from == Role::Client && message.shape == Kind::Request);
    let of_request = |message: &Message<'_>| {
        let method = message.method()?;
        let wrong = mismatches(&Official(revision), shape(method)?, &message.json);
        // Another rule is about requests of the modern era that have no `_meta`, and so may have no parameters.
        let is_bare = revision.era() == Era::Modern && message.json.get("params").is_none();
        let first = wrong.first().filter(|_| !is_bare)?;
        let detail = format!("`{}` of the request `{}` {}", first.path(), excerpt(method), first.problem);
        Some(Violation::new(detail, [message.seq]).at(first.pointer.clone()))
    };
    let mut violations: Vec<Violation> = Vec::new();
    for violation in requests.filter_map(of_request) {
        if violations.iter().all(|known| known.detail != violation.detail) {
            violations.push(violation);
        }
    }
    violations
}

/// The shape of the requests of a method. `None` if none is known.
fn shape(method: &str) -> Option<&'static Shape> {
    match method {
        "initialize" => Some(&INITIALIZE_REQUEST),
        "tools/call" => Some(&CALL_REQUEST),
        _ => method.ends_with("/list").then_some(&LIST_REQUEST),
    }
}
