//! Requests without a session: what each of them carries, and what a server says of itself and of how long that holds.

use mcp_compat_model::json::Json;
use mcp_compat_model::verdict::{Level, Party};

use super::{Hit, RevisionRange, Rule, Scope};
use crate::exchange::Answer;
use crate::facts::Facts;
use crate::session::{META_CAPABILITIES, META_VERSION, UNSUPPORTED_VERSION};

pub(super) static REQUEST_META: Rule = Rule {
    id: "request-meta",
    level: Level::Must,
    revisions: RevisionRange::MODERN,
    party: Party::Client,
    scope: Scope::Protocol,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/index#meta",
    title: "Every request carries its revision and the client's capabilities in `_meta`.",
    explanation: "There is no session to remember them: a request without either is malformed, and a conforming server \
                  refuses it with -32602. Put both into every request, `tools/call` and `subscriptions/listen` too.",
    remedy: "put protocolVersion and clientCapabilities into the `_meta` of every request",
    check: request_meta,
};

pub(super) static DISCOVER_ANSWERED: Rule = Rule {
    id: "discover-answered",
    level: Level::Must,
    revisions: RevisionRange::MODERN,
    party: Party::Server,
    scope: Scope::Protocol,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/discover#response",
    title: "A modern server answers `server/discover` with its revisions and capabilities.",
    explanation: "Over stdio `server/discover` is how a client tells the eras apart: a modern server that refuses it \
                  is taken for a legacy one, and the client falls back to a handshake that the server does not have.",
    remedy: "answer `server/discover` with supportedVersions and capabilities",
    check: discover,
};

pub(super) static REFUSED_VERSION_NAMES_OTHERS: Rule = Rule {
    id: "refused-version-names-others",
    level: Level::Must,
    revisions: RevisionRange::MODERN,
    party: Party::Server,
    scope: Scope::Protocol,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#protocol-version-negotiation",
    title: "A server that refuses a revision lists those that it supports.",
    explanation: "The list in `data.supported` is all that a client has to choose another revision by. Without it the \
                  two cannot talk, even if they have a revision in common.",
    remedy: "list the supported revisions in the `data.supported` of error -32022",
    check: refused_version,
};

pub(super) static CACHE_HINTS: Rule = Rule {
    id: "cache-hints",
    level: Level::Must,
    revisions: RevisionRange::MODERN,
    party: Party::Server,
    scope: Scope::Protocol,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching#cacheable-results",
    title: "Results of `tools/list` and `server/discover` say how long and for whom they hold.",
    explanation: "`ttlMs` (an integer, 0 or more) and `cacheScope` are required members. Clients with typed results \
                  refuse the whole list without them, and then have no tool of this server at all.",
    remedy: "give the result a `ttlMs` of 0 or more and a `cacheScope` of public or private",
    check: cache_hints,
};

fn request_meta(facts: &Facts<'_>) -> Vec<Hit> {
    let mut hits = Vec::new();
    for exchange in &facts.exchanges.all {
        let request = &facts.messages[exchange.request];
        // The handshake is how a client tries the other era.
        let Some(method) = request.method().filter(|method| *method != "initialize") else { continue };
        let missing = if request.meta(META_VERSION).and_then(Json::as_str).is_none() {
            META_VERSION
        } else if request.meta(META_CAPABILITIES).and_then(Json::as_object).is_none() {
            META_CAPABILITIES
        } else {
            continue;
        };
        let detail = format!("the request {} has no {missing} in its _meta", crate::excerpt::quoted(method));
        hits.push(Hit::new(detail, [request.seq]));
    }
    hits
}

fn discover(facts: &Facts<'_>) -> Vec<Hit> {
    let mut hits = Vec::new();
    for (_, exchange) in facts.exchanges_of("server/discover") {
        let (message, detail) = match exchange.answer {
            Answer::Result(at) => {
                let result = facts.messages[at].result();
                let versions = result.and_then(|result| result.get("supportedVersions")).and_then(Json::as_array);
                let capabilities = result.and_then(|result| result.get("capabilities")).and_then(Json::as_object);
                if versions.is_some() && capabilities.is_some() {
                    continue;
                }
                (at, "the result of `server/discover` lacks supportedVersions or capabilities")
            }
            // A refused revision is an answer, and a malformed request deserves its refusal.
            Answer::Error(at) if facts.messages[at].error_code() == Some(-32601) => {
                (at, "the server does not know `server/discover`")
            }
            Answer::Error(_) | Answer::Unreadable(_) | Answer::Status { .. } | Answer::None => continue,
        };
        hits.push(Hit::new(detail, [facts.messages[message].seq]));
    }
    hits
}

fn refused_version(facts: &Facts<'_>) -> Vec<Hit> {
    let refusal = |exchange: &crate::exchange::Exchange| {
        let Answer::Error(at) = exchange.answer else { return None };
        let message = &facts.messages[at];
        let named = message.json.pointer("/error/data/supported").and_then(Json::as_array);
        (message.error_code() == Some(UNSUPPORTED_VERSION) && named.is_none_or(<[Json]>::is_empty))
            .then(|| Hit::new("the server refused a revision and named none that it supports", [message.seq]))
    };
    facts.exchanges.all.iter().filter_map(refusal).collect()
}

fn cache_hints(facts: &Facts<'_>) -> Vec<Hit> {
    let cacheable = facts.exchanges_of("tools/list").chain(facts.exchanges_of("server/discover"));
    let mut hits = Vec::new();
    for (request, exchange) in cacheable {
        let Some((message, result)) = facts.result_of(exchange) else { continue };
        // An interim result carries none.
        if result.get("resultType").and_then(Json::as_str) == Some("input_required") {
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
        let method = crate::excerpt::quoted(request.method().unwrap_or_default());
        hits.push(Hit::new(format!("the result of {method} {wrong}"), [message.seq]));
    }
    hits
}
