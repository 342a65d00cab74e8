//! Results of tools: what the `content` array has, resources in it, and errors. The types of a block's members are in
//! `members.rs`, and whether a text repeats the value in `structured_content.rs`.

use mcp_compat_json::Json;
use mcp_compat_model::peer_contract::{BYSTANDER_TOOL, EVOLVE_TOOL};
use mcp_compat_model::tool::ToolResult;
use mcp_compat_model::verdict::Party;
use mcp_compat_scenario::scenario::Means;

use super::member_names::inner_result;
use super::rule::{Affects, Check, Fix, Levels, RevisionRange, Rule, Scope, Violation};
use crate::facts::{CallFacts, Facts};
use crate::wire::exchange::Answer;
use crate::wire::session::{INVALID_PARAMS, MODERN_CODES};
use mcp_compat_model::excerpt::{excerpt, tool_name};
use mcp_compat_schema::inclusion::Conformance;

/// Rule about the `content` array of a result.
pub static CONTENT_ARRAY: Rule = Rule {
    id: "content-array",
    level: Levels::MUST,
    revisions: RevisionRange::ALL,
    party: Party::Server,
    scope: Scope::Payload,
    affects: Affects::Content,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/schema#calltoolresult-content",
    title: "A tool's result has a `content` array, which may be empty.",
    violation: "result without a `content` array",
    explanation: "The schema of every revision requires the member, even beside structuredContent. Typed clients \
                  reject a result without it, and the value in structuredContent is lost.",
    remedy: "put a `content` array into every tool result, even an empty one",
    fix: Some(Fix::AddContent),
    check: Check::Wire(content_array),
};

pub(super) static UNKNOWN_TOOL_CODE: Rule = Rule {
    id: "unknown-tool-code",
    level: Levels::SHOULD,
    revisions: RevisionRange::ALL,
    party: Party::Server,
    scope: Scope::Protocol,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#error-handling",
    title: "A call to a tool that does not exist is answered with the JSON-RPC error -32602.",
    violation: "an unknown tool not answered with error -32602",
    explanation: "This error shows a client with an outdated list that it should list the tools again. A result, or an \
                  error with another code, looks like the failure of an existing tool.",
    remedy: "answer calls to unknown tools with error -32602",
    fix: None,
    check: Check::Wire(unknown_tool),
};

pub(super) static EMBEDDED_RESOURCE_CAPABILITY: Rule = Rule {
    id: "embedded-resource-capability",
    level: Levels::SHOULD,
    revisions: RevisionRange::STRUCTURED,
    party: Party::Server,
    scope: Scope::Payload,
    affects: Affects::Nothing,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#embedded-resources",
    title: "A server that embeds resources in results has the `resources` capability.",
    violation: "embedded resources without the `resources` capability",
    explanation: "A client that relies on capabilities does not expect resources from this server. It may drop an \
                  embedded resource.",
    remedy: "implement and declare the `resources` capability",
    fix: None,
    check: Check::Wire(embedded_resources),
};

/// Rule about JSON-RPC errors in the place of tool errors.
pub static TOOL_ERROR_IN_RESULT: Rule = Rule {
    id: "tool-error-in-result",
    level: Levels::SHOULD,
    revisions: RevisionRange::ALL,
    party: Party::Server,
    scope: Scope::Payload,
    affects: Affects::Nothing,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/schema#calltoolresult-iserror",
    title: "An error of a tool is returned in a result with `isError`, not as a JSON-RPC error.",
    violation: "a tool's error as a JSON-RPC error, not as a result",
    explanation: "Hosts show tool results to the model, but not JSON-RPC errors. The model does not learn what went \
                  wrong, and cannot try again with better arguments.",
    remedy: "return the tool's error as a result with `isError`",
    fix: None,
    check: Check::Wire(error_in_result),
};

fn error_in_result(facts: &Facts<'_>) -> Vec<Violation> {
    let mut violations = Vec::new();
    // Of a tool that is not there, and of arguments that it does not take, the protocol itself may speak.
    for call in facts.calls.iter().filter(|call| call.reply.is_some()) {
        let (Means::ToolError(_), Some(Answer::Error(at))) =
            (&call.call.means, call.exchange.map(|exchange| exchange.answer))
        else {
            continue;
        };
        let message = &facts.messages[at];
        if let Some(code) = message.error_code().filter(|code| !is_of_protocol(*code) && conforms(facts, call)) {
            let words = message.error_message().map_or_else(String::new, |words| format!(": {}", excerpt(words)));
            let detail =
                format!("the error of {} was sent as the JSON-RPC error {code}{words}", tool_name(&call.call.tool));
            violations.push(Violation::new(detail, [message.seq]).of_tool(&call.call.tool));
        }
    }
    violations
}

/// The codes of errors in a request, which the protocol answers itself: those of JSON-RPC but for -32603, those by which a
/// modern server refuses a request, and that of an address to open first, which 2025-11-25 defines. A server of several
/// revisions may use them at each.
fn is_of_protocol(code: i64) -> bool {
    const OF_JSON_RPC: [i64; 3] = [-32700, -32600, -32601];
    const URL_REQUIRED: i64 = -32042;
    OF_JSON_RPC.contains(&code) || MODERN_CODES.contains(&code) || [INVALID_PARAMS, URL_REQUIRED].contains(&code)
}

/// Returns true unless the arguments of a call violate the `inputSchema`.
fn conforms(facts: &Facts<'_>, call: &CallFacts<'_>) -> bool {
    let schema = call.listing.and_then(|listing| facts.definition(listing)?.input_schema());
    let arguments = call.exchange.and_then(|exchange| facts.messages[exchange.request].param("arguments"));
    let (Some(schema), Some(arguments)) = (schema, arguments) else { return true };
    !matches!(facts.schemas.check(schema, arguments), Conformance::Violates { .. })
}

fn embedded_resources(facts: &Facts<'_>) -> Vec<Violation> {
    if facts.declares("resources") != Some(false) {
        return Vec::new();
    }
    let embeds = |result: &Json| {
        let mut blocks = ToolResult::new(result).content().iter();
        blocks.any(|block| block.get("type").and_then(Json::as_str) == Some("resource"))
    };
    let results = facts.exchanges_of("tools/call").filter_map(|(_, exchange)| facts.result_of(exchange));
    let detail = "a result embeds a resource, but the server does not declare `resources`";
    results.filter(|(_, result)| embeds(result)).map(|(message, _)| Violation::new(detail, [message.seq])).collect()
}

const RETURN_INNER_RESULT: &str = "return the inner object as the result itself, so that `content` stands at its root";

fn content_array(facts: &Facts<'_>) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (_, exchange) in facts.exchanges_of("tools/call") {
        let Some((message, result)) = facts.result_of(exchange) else { continue };
        // An interim result asks for input and has no content yet.
        if facts.is_interim(result) {
            continue;
        }
        let inner = facts.revision().and_then(|revision| inner_result(result, revision));
        let wrong = match (ToolResult::new(result).raw_content(), inner) {
            (None, Some((name, _))) => {
                format!("has its `content` in `{}`, where most clients do not look for it", excerpt(name))
            }
            (None, None) => "has no `content`".to_owned(),
            (Some(Json::Array(_)), _) => continue,
            (Some(other), _) => format!("has a JSON {} as `content` instead of an array", other.kind()),
        };
        let violation = Violation::new(format!("the result of a tool {wrong}"), [message.seq]).at("/content");
        violations.push(if inner.is_some() { violation.mended_by(RETURN_INNER_RESULT) } else { violation });
    }
    violations
}

fn unknown_tool(facts: &Facts<'_>) -> Vec<Violation> {
    let mut violations = Vec::new();
    for call in facts.calls.iter().filter(|call| call.reply.is_none()) {
        if [BYSTANDER_TOOL, EVOLVE_TOOL].contains(&call.call.tool.as_str()) {
            continue;
        }
        let Some(exchange) = call.exchange else { continue };
        let (place, wrong) = match exchange.answer {
            Answer::Result(at) => (at, "a result".to_owned()),
            Answer::Error(at) => match facts.messages[at].error_code() {
                Some(INVALID_PARAMS) => continue,
                code => (at, code.map_or_else(|| "an error without a code".to_owned(), |code| format!("error {code}"))),
            },
            Answer::Unreadable(_) | Answer::Status { .. } | Answer::None => continue,
        };
        let tool = tool_name(&call.call.tool);
        let detail = format!("the call of {tool}, which does not exist, was answered with {wrong}");
        violations.push(Violation::new(detail, [facts.messages[place].seq]).of_tool(&call.call.tool));
    }
    violations
}
