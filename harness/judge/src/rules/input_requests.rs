//! Requests of a server for input of the client: elicitation, sampling and roots. Up to 2025-11-25 they are messages; from
//! 2026-07-28 on, a result holds them.

use mcp_compat_json::{Json, Object};
use mcp_compat_model::excerpt::quoted;
use mcp_compat_model::verdict::{Level, Party};
use mcp_compat_model::{Era, Revision, Role};

use super::interim::interim;
use super::rule::{Affects, Check, Levels, RevisionRange, Rule, Scope, Violation};
use crate::facts::{CallFacts, Facts};
use crate::wire::message::Shape;
use crate::wire::session::META_CAPABILITIES;

pub(super) static INPUT_REQUESTS_DECLARED: Rule = Rule {
    id: "input-requests-declared",
    level: Levels::MUST.since(Revision::V2025_06_18, Level::Should),
    revisions: RevisionRange::ALL,
    party: Party::Server,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#server-requirements-basic-workflow",
    title: "A server asks only for input that the client has declared it can give.",
    violation: "a request for input that the client did not declare",
    explanation: "A client without elicitation cannot ask its user. It answers such a request with an error, or not at all: \
                  the call fails or waits without end, and the value that the tool might have returned without input is \
                  lost.",
    remedy: "request only what the client's capabilities declare, and do without it otherwise",
    fix: None,
    check: Check::Wire(declared),
};

/// A request for input, and what the client declared before it.
struct InputRequest<'f> {
    method: &'f str,
    params: Option<&'f Json>,
    capabilities: Option<&'f Json>,
    /// The transcript entry.
    seq: u32,
}

fn declared(facts: &Facts<'_>) -> Vec<Violation> {
    match facts.era() {
        Some(Era::Modern) => in_results(facts).iter().filter_map(|it| it.violation("the result asks for")).collect(),
        Some(Era::Legacy) => sent(facts).iter().filter_map(|it| in_legacy_era(facts, it)).collect(),
        None => Vec::new(),
    }
}

/// The violation by a request, with the tool within whose call it came.
fn in_legacy_era(facts: &Facts<'_>, request: &InputRequest<'_>) -> Option<Violation> {
    let violation = request.violation("the server sent the request")?;
    let is_within = |call: &&CallFacts<'_>| {
        call.exchange.is_some_and(|exchange| facts.before_answer(exchange).contains(&request.seq))
    };
    match facts.calls.iter().find(is_within) {
        Some(call) => Some(violation.of_tool(&call.call.tool)),
        None => Some(violation),
    }
}

/// Requests for input in interim results.
fn in_results<'f>(facts: &'f Facts<'_>) -> Vec<InputRequest<'f>> {
    let mut asked = Vec::new();
    for (request, answer, result) in interim(facts) {
        let capabilities = request.meta(META_CAPABILITIES);
        let inputs = result.get("inputRequests").and_then(Json::as_object);
        for (_, input) in inputs.into_iter().flat_map(Object::iter) {
            if let Some(method) = input.get("method").and_then(Json::as_str) {
                asked.push(InputRequest { method, params: input.get("params"), capabilities, seq: answer.seq });
            }
        }
    }
    asked
}

/// Requests for input that the server sent as messages.
fn sent<'f>(facts: &'f Facts<'_>) -> Vec<InputRequest<'f>> {
    let mut capabilities = None;
    let mut sent = Vec::new();
    for message in facts.messages.iter().filter(|message| message.shape == Shape::Request) {
        match (message.from, message.method()) {
            (Role::Client, Some("initialize")) => capabilities = message.param("capabilities"),
            (Role::Server, Some(method)) => {
                sent.push(InputRequest { method, params: message.json.get("params"), capabilities, seq: message.seq });
            }
            (Role::Client | Role::Server, _) => {}
        }
    }
    sent
}

impl InputRequest<'_> {
    fn violation(&self, asks: &str) -> Option<Violation> {
        let wanted = self.undeclared()?;
        let detail = format!("{asks} {}, but the client does not declare `{wanted}`", quoted(self.method));
        Some(Violation::new(detail, [self.seq]))
    }

    /// The capability that the request needs and the client did not declare.
    fn undeclared(&self) -> Option<&'static str> {
        let has = |name: &str| self.capabilities.and_then(|declared| declared.get(name)).is_some();
        match self.method {
            "elicitation/create" if !has("elicitation") => Some("elicitation"),
            "elicitation/create" if self.by_address() && !self.takes_addresses() => Some("elicitation.url"),
            "sampling/createMessage" if !has("sampling") => Some("sampling"),
            "roots/list" if !has("roots") => Some("roots"),
            _ => None,
        }
    }

    /// Returns true if the user shall open an address: from 2025-11-25 on, clients declare this mode by itself.
    fn by_address(&self) -> bool {
        self.params.and_then(|params| params.get("mode")).and_then(Json::as_str) == Some("url")
    }

    fn takes_addresses(&self) -> bool {
        self.capabilities.and_then(|declared| declared.get("elicitation")?.get("url")).is_some()
    }
}
