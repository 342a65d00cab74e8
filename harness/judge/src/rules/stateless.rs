//! Requests without a session: their `_meta`, `server/discover`, refused revisions, and cache hints.

use mcp_compat_json::Json;
use mcp_compat_model::tool::ToolResult;
use mcp_compat_model::verdict::Party;
use mcp_compat_model::{Mode, Role};

use super::rule::{Affects, Check, Levels, RevisionRange, Rule, Scope, Violation};
use crate::facts::Facts;
use crate::wire::exchange::Answer;
use crate::wire::message::{Message, Shape};
use crate::wire::session::{META_CAPABILITIES, META_VERSION, MODERN_CODES, UNSUPPORTED_VERSION};

pub(super) static REQUEST_META: Rule = Rule {
    id: "request-meta",
    level: Levels::MUST,
    revisions: RevisionRange::MODERN,
    party: Party::Client,
    scope: Scope::Protocol,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/index#meta",
    title: "Every request has its revision and the client's capabilities in `_meta`.",
    violation: "requests without revision or capabilities in `_meta`",
    explanation: "No session stores them. A request without either is malformed, and a conforming server rejects it \
                  with -32602. Put both into every request, including `tools/call` and `subscriptions/listen`.",
    remedy: "put protocolVersion and clientCapabilities into the `_meta` of every request",
    fix: None,
    check: Check::Wire(request_meta),
};

pub(super) static MALFORMED_REQUEST_REFUSED: Rule = Rule {
    id: "malformed-request-refused",
    level: Levels::MUST,
    revisions: RevisionRange::MODERN,
    party: Party::Server,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/index#meta",
    title: "A server rejects a request without its revision or capabilities.",
    violation: "requests without revision or capabilities are answered",
    explanation: "A server that answers such a request has to assume a revision. The client may get a result that it \
                  cannot read, and the defect of the client stays hidden.",
    remedy: "reject a request that lacks protocolVersion or clientCapabilities with -32602",
    fix: None,
    check: Check::Wire(served_malformed),
};

pub(super) static DISCOVER_ANSWERED: Rule = Rule {
    id: "discover-answered",
    level: Levels::MUST,
    revisions: RevisionRange::MODERN,
    party: Party::Server,
    scope: Scope::Protocol,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/discover#response",
    title: "A modern server answers `server/discover` with the revisions that it supports.",
    violation: "`server/discover` answered without the supported revisions",
    explanation: "Over stdio, clients detect the era with `server/discover`. If a modern server rejects it, the client \
                  treats the server as a legacy one, and falls back to a handshake that the server does not have.",
    remedy: "answer `server/discover` with supportedVersions",
    fix: None,
    check: Check::Wire(discover),
};

pub(super) static REFUSED_VERSION_NAMES_OTHERS: Rule = Rule {
    id: "refused-version-names-others",
    level: Levels::MUST,
    revisions: RevisionRange::MODERN,
    party: Party::Server,
    scope: Scope::Protocol,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#protocol-version-negotiation",
    title: "A server that rejects a revision lists the revisions that it supports.",
    violation: "a revision is refused without naming the supported ones",
    explanation: "A client uses `data.supported` to choose another revision. Without it, the client cannot open a \
                  session, even if the two have a revision in common.",
    remedy: "list the supported revisions in `data.supported` of error -32022, and send other errors with other codes",
    fix: None,
    check: Check::Wire(refused_version),
};

pub(crate) static CLIENT_SPEAKS_A_LISTED_REVISION: Rule = Rule {
    id: "client-speaks-a-listed-revision",
    level: Levels::SHOULD,
    revisions: RevisionRange::MODERN,
    party: Party::Client,
    scope: Scope::Protocol,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/discover#discoverresult",
    title: "A client that got the server's revisions uses one of them.",
    violation: "a revision is used that the server did not list",
    explanation: "Servers of the legacy era may answer `server/discover` and list revisions that need a handshake. If \
                  a client treats every answer as that of a modern server, the server rejects all its requests, and \
                  its users see a server without tools.",
    remedy: "choose one of supportedVersions, and open with `initialize` if all of them use the handshake",
    fix: None,
    check: Check::Wire(unlisted_revision),
};

pub(super) static CACHE_HINTS: Rule = Rule {
    id: "cache-hints",
    level: Levels::MUST,
    revisions: RevisionRange::MODERN,
    party: Party::Server,
    scope: Scope::Protocol,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching#cacheable-results",
    title: "Results of `tools/list` and `server/discover` have `ttlMs` and `cacheScope`.",
    violation: "results of 2026-07-28 without `ttlMs` or `cacheScope`",
    explanation: "Both are required: `ttlMs` is an integer of 0 or more, `cacheScope` is `public` or `private`. \
                  Without them, clients with typed results reject the whole list, and their users get no tool of this \
                  server.",
    remedy: "give the result a `ttlMs` of 0 or more and a `cacheScope` of public or private",
    fix: None,
    check: Check::Wire(cache_hints),
};

pub(super) static PROBE_COMES_FIRST: Rule = Rule {
    id: "probe-comes-first",
    level: Levels::SHOULD,
    revisions: RevisionRange::MODERN,
    party: Party::Client,
    scope: Scope::Protocol,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio#backward-compatibility",
    title: "Over stdio, a client of both eras sends `server/discover` before any other request.",
    violation: "another request is sent before `server/discover`",
    explanation: "Some legacy servers answer `tools/call` without a handshake, by the rules of their own revision. The \
                  client assumes 2026-07-28, and reads an old result as a new one.",
    remedy: "over stdio, send `server/discover` first",
    fix: None,
    check: Check::Wire(probe_first),
};

pub(super) static ERROR_CODE_DEFINED: Rule = Rule {
    id: "error-code-defined",
    level: Levels::MUST,
    revisions: RevisionRange::MODERN,
    party: Party::Server,
    scope: Scope::Payload,
    affects: Affects::Message,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/index#error-codes",
    title: "From 2026-07-28 on, no error has a code that is reserved but not defined.",
    violation: "an error code that is reserved but not defined",
    explanation: "Of -32020 to -32099, only -32020, -32021 and -32022 are defined, and -32002 is no longer used. A \
                  client uses these codes to choose the era and the revision, so another code in this range misleads \
                  it.",
    remedy: "choose an error code outside -32099 to -32020, and not -32002",
    fix: None,
    check: Check::Wire(undefined_code),
};

fn probe_first(facts: &Facts<'_>) -> Vec<Violation> {
    if facts.over_http() || facts.cell.client.mode() != Some(Mode::Auto) {
        return Vec::new();
    }
    let first = facts.exchanges.all.first().map(|exchange| &facts.messages[exchange.request]);
    let Some(request) = first.filter(|request| request.method() != Some("server/discover")) else { return Vec::new() };
    let method = mcp_compat_model::excerpt::quoted(request.method().unwrap_or_default());
    vec![Violation::new(format!("the client opened with {method} instead of `server/discover`"), [request.seq])]
}

fn undefined_code(facts: &Facts<'_>) -> Vec<Violation> {
    let mut violations = Vec::new();
    for message in facts.messages.iter().filter(|message| message.from == Role::Server && message.shape == Shape::Error)
    {
        let Some(code) = message.error_code() else { continue };
        if matches!(code, -32099..=-32020 | -32002) && !MODERN_CODES.contains(&code) {
            violations.push(Violation::new(format!("an error has the reserved code {code}"), [message.seq]));
        }
    }
    violations
}

/// The member that every request must have and this one lacks.
fn missing(request: &Message<'_>) -> Option<&'static str> {
    if request.meta(META_VERSION).and_then(Json::as_str).is_none() {
        Some(META_VERSION)
    } else if request.meta(META_CAPABILITIES).and_then(Json::as_object).is_none() {
        Some(META_CAPABILITIES)
    } else {
        None
    }
}

fn served_malformed(facts: &Facts<'_>) -> Vec<Violation> {
    // After a handshake requests are of the other era, and lack nothing.
    if facts.exchanges_of("initialize").next().is_some() {
        return Vec::new();
    }
    let mut violations = Vec::new();
    for exchange in &facts.exchanges.all {
        let request = &facts.messages[exchange.request];
        let Some(missing) = missing(request) else { continue };
        // With which code it is refused is another matter: to a server of both eras it may be a request out of session.
        if let Answer::Result(at) = exchange.answer {
            let detail = format!("a request without {missing} was answered with a result");
            violations.push(Violation::new(detail, [facts.messages[at].seq]));
        }
    }
    violations
}

fn request_meta(facts: &Facts<'_>) -> Vec<Violation> {
    let mut violations = Vec::new();
    for exchange in &facts.exchanges.all {
        let request = &facts.messages[exchange.request];
        // The handshake is how a client tries the other era.
        let Some(method) = request.method().filter(|method| *method != "initialize") else { continue };
        let Some(missing) = missing(request) else { continue };
        let detail = format!("the request {} has no {missing} in its _meta", mcp_compat_model::excerpt::quoted(method));
        violations.push(Violation::new(detail, [request.seq]));
    }
    violations
}

fn discover(facts: &Facts<'_>) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (_, exchange) in facts.exchanges_of("server/discover") {
        let (message, detail) = match exchange.answer {
            Answer::Result(at) => {
                if facts.messages[at].result().is_some_and(|result| result.get("supportedVersions").is_some()) {
                    continue;
                }
                (at, "the result of `server/discover` lacks supportedVersions")
            }
            // A refused revision is an answer, and a malformed request deserves its refusal.
            Answer::Error(at) if facts.messages[at].error_code() == Some(-32601) => {
                (at, "the server does not know `server/discover`")
            }
            Answer::Error(_) | Answer::Unreadable(_) | Answer::Status { .. } | Answer::None => continue,
        };
        violations.push(Violation::new(detail, [facts.messages[message].seq]));
    }
    violations
}

fn refused_version(facts: &Facts<'_>) -> Vec<Violation> {
    let refusal = |exchange: &crate::wire::exchange::Exchange| {
        let Answer::Error(at) = exchange.answer else { return None };
        let message = &facts.messages[at];
        let named = message.json.pointer("/error/data/supported").and_then(Json::as_array);
        (message.error_code() == Some(UNSUPPORTED_VERSION) && named.is_none_or(<[Json]>::is_empty))
            .then(|| Violation::new("the server refused a revision and named none that it supports", [message.seq]))
    };
    facts.exchanges.all.iter().filter_map(refusal).collect()
}

fn unlisted_revision(facts: &Facts<'_>) -> Vec<Violation> {
    let discovered: Vec<u32> =
        facts.exchanges_of("server/discover").filter_map(|(_, found)| Some(facts.result_of(found)?.0.seq)).collect();
    let mut listed: Option<(&Message<'_>, Vec<&str>)> = None;
    for message in &facts.messages {
        let versions = if discovered.contains(&message.seq) {
            message.result().and_then(|result| result.get("supportedVersions"))
        } else if message.error_code() == Some(UNSUPPORTED_VERSION) {
            message.json.pointer("/error/data/supported")
        } else {
            None
        };
        if let Some(versions) = versions.and_then(Json::as_array) {
            listed = Some((message, versions.iter().filter_map(Json::as_str).collect()));
        }
        let (Some((list, names)), Shape::Request) = (&listed, message.shape) else { continue };
        let Some(spoken) = message.meta(META_VERSION).and_then(Json::as_str) else { continue };
        if !names.is_empty() && !names.contains(&spoken) {
            let listed = mcp_compat_model::excerpt::bounded(&names.join(", "), 80);
            let detail = format!(
                "the client speaks {} to a server that lists {listed}",
                mcp_compat_model::excerpt::quoted(spoken)
            );
            return vec![Violation::new(detail, [list.seq, message.seq])];
        }
    }
    Vec::new()
}

fn cache_hints(facts: &Facts<'_>) -> Vec<Violation> {
    let cacheable = facts.exchanges_of("tools/list").chain(facts.exchanges_of("server/discover"));
    let mut violations = Vec::new();
    for (request, exchange) in cacheable {
        let Some((message, result)) = facts.result_of(exchange) else { continue };
        // An interim result carries none.
        if result.as_object().is_none() || ToolResult::new(result).is_input_required() {
            continue;
        }
        let ttl = result.get("ttlMs").and_then(Json::as_number).filter(|ttl| ttl.is_integer());
        let scope = result.get("cacheScope").and_then(Json::as_str);
        let wrong = match (ttl, scope) {
            (None, _) => "has no integer `ttlMs`",
            (Some(ttl), _) if ttl.lexeme().starts_with('-') && ttl.as_i64() != Some(0) => "has a negative `ttlMs`",
            (Some(_), Some("public" | "private")) => continue,
            (Some(_), None) => "has no `cacheScope`",
            (Some(_), Some(_)) => "has a `cacheScope` that is neither public nor private",
        };
        let method = mcp_compat_model::excerpt::quoted(request.method().unwrap_or_default());
        violations.push(Violation::new(format!("the result of {method} {wrong}"), [message.seq]));
    }
    violations
}
