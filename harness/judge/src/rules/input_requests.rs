//! Requests of a server for input of the client: elicitation, sampling and roots. Up to 2025-11-25 they are messages; from
//! 2026-07-28 on, a result holds them.

use mcp_compat_json::{Json, Object};
use mcp_compat_model::excerpt::quoted;
use mcp_compat_model::verdict::{Level, Party};
use mcp_compat_model::{Revision, Role};

use super::interim::interim;
use super::rule::{Affects, Check, Levels, RevisionRange, Rule, Scope, Violation};
use crate::facts::Facts;
use crate::wire::message::{Message, Shape};
use crate::wire::session::META_CAPABILITIES;

/// Rule about requests that servers send as messages. A client can answer any request with an error, so that it explains no
/// outcome of a call.
pub static SERVER_REQUESTS_DECLARED: Rule = Rule {
    id: "server-requests-declared",
    level: Levels::MUST.since(Revision::V2025_06_18, Level::Should),
    revisions: RevisionRange::LEGACY,
    party: Party::Server,
    scope: Scope::Payload,
    affects: Affects::Nothing,
    source: "https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#operation",
    title: "A server sends only requests for input that the client has declared it can give.",
    violation: "a request that the client did not declare",
    explanation: "A client without sampling, elicitation or roots answers such a request with an error, or not at all. A \
                  tool that depends on the answer fails or waits without end, although it might have returned its value \
                  without it.",
    remedy: "send only requests that the client's capabilities declare, and do without them otherwise",
    fix: None,
    check: Check::Wire(sent_requests),
};

pub(super) static INPUT_REQUESTS_DECLARED: Rule = Rule {
    id: "input-requests-declared",
    level: Levels::MUST,
    revisions: RevisionRange::MODERN,
    party: Party::Server,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#server-requirements-basic-workflow",
    title: "A server asks only for input that the client has declared it can give.",
    violation: "input requests that the client did not declare",
    explanation: "A client without elicitation cannot ask its user. It must abandon the call, and loses the value that \
                  the tool might have returned without input.",
    remedy: "request only what the request's `clientCapabilities` declare",
    fix: None,
    check: Check::Wire(requests_in_results),
};

fn requests_in_results(facts: &Facts<'_>) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (request, answer, result) in interim(facts) {
        let capabilities = request.meta(META_CAPABILITIES);
        let inputs = result.get("inputRequests").and_then(Json::as_object);
        for (_, input) in inputs.into_iter().flat_map(Object::iter) {
            let Some(method) = input.get("method").and_then(Json::as_str) else { continue };
            if let Some(wanted) = undeclared(method, input.get("params"), capabilities) {
                let detail =
                    format!("the result asks for {}, but the client does not declare `{wanted}`", quoted(method));
                violations.push(Violation::new(detail, [answer.seq]));
            }
        }
    }
    violations
}

fn sent_requests(facts: &Facts<'_>) -> Vec<Violation> {
    let of_client = |message: &&Message<'_>| message.from == Role::Client && message.method() == Some("initialize");
    // A request that comes too early is sent to the client that opens the session all the same.
    let mut capabilities = facts.messages.iter().find(of_client).and_then(|first| first.param("capabilities"));
    let mut open = OpenCalls::default();
    let mut violations = Vec::new();
    for (place, message) in facts.messages.iter().enumerate() {
        open.read(facts, place);
        if of_client(&message) {
            capabilities = message.param("capabilities");
        }
        let (Role::Server, Shape::Request, Some(method)) = (message.from, message.shape, message.method()) else {
            continue;
        };
        let Some(wanted) = undeclared(method, message.json.get("params"), capabilities) else { continue };
        let detail =
            format!("the server sent the request {}, but the client does not declare `{wanted}`", quoted(method));
        let violation = Violation::new(detail, [message.seq]);
        violations.push(match open.only() {
            Some(tool) => violation.of_tool(tool),
            None => violation,
        });
    }
    violations
}

/// The calls that have no answer yet, as a session is read from its beginning.
#[derive(Default)]
struct OpenCalls<'f> {
    /// Tools, with the place of the answer if there is one.
    tools: Vec<(&'f str, Option<usize>)>,
}

impl<'f> OpenCalls<'f> {
    fn read(&mut self, facts: &'f Facts<'_>, place: usize) {
        self.tools.retain(|(_, answer)| *answer != Some(place));
        let call = facts.calls.iter().find(|call| call.exchange.is_some_and(|exchange| exchange.request == place));
        self.tools.extend(call.and_then(|call| Some((call.call.tool.as_str(), call.exchange?.answer.message()))));
    }

    /// The tool of the one open call; `None` if there is none, or if nobody can tell which of several it is.
    fn only(&self) -> Option<&'f str> {
        let [(tool, _)] = self.tools[..] else { return None };
        Some(tool)
    }
}

/// The capability that a request for input needs and that is not among those of the client.
fn undeclared(method: &str, params: Option<&Json>, capabilities: Option<&Json>) -> Option<&'static str> {
    let declared = |name: &str| capabilities.and_then(|declared| declared.get(name));
    let param = |name: &str| params.and_then(|params| params.get(name));
    match method {
        "elicitation/create" => {
            let Some(elicitation) = declared("elicitation") else { return Some("elicitation") };
            let by_address = param("mode").and_then(Json::as_str) == Some("url");
            let (takes_addresses, takes_forms) = (elicitation.get("url").is_some(), elicitation.get("form").is_some());
            // An empty capability stands for forms.
            if by_address && !takes_addresses {
                Some("elicitation.url")
            } else if !by_address && takes_addresses && !takes_forms {
                Some("elicitation.form")
            } else {
                None
            }
        }
        "sampling/createMessage" => match declared("sampling") {
            None => Some("sampling"),
            Some(sampling) if param("tools").is_some() && sampling.get("tools").is_none() => Some("sampling.tools"),
            Some(_) => None,
        },
        "roots/list" if declared("roots").is_none() => Some("roots"),
        _ => None,
    }
}
