//! Streamable HTTP: the heads of requests and responses.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mcp_compat_json::Json;
use mcp_compat_model::transcript::{Event, Head, Start};
use mcp_compat_model::verdict::Party;
use mcp_compat_model::{Revision, Role};

use super::header_params::asks_for_headers;
use super::rule::{Affects, Check, Levels, RevisionRange, Rule, Scope, Violation};
use crate::facts::Facts;
use crate::wire::exchange::{Answer, Exchange};
use crate::wire::message::{Message, Shape};
use crate::wire::session::{HEADER_MISMATCH, META_VERSION};
use mcp_compat_model::excerpt::quoted;

pub(super) static HTTP_ACCEPT: Rule = Rule {
    id: "http-accept",
    level: Levels::MUST,
    revisions: RevisionRange { from: Revision::V2025_03_26, to: Revision::NEWEST },
    party: Party::Client,
    scope: Scope::Protocol,
    affects: Affects::HttpHead,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#sending-messages",
    title: "A client accepts both JSON and event streams.",
    violation: "HTTP requests that do not accept JSON and event streams",
    explanation: "The server chooses the form of each answer, so a POST must accept both. Servers reject a POST that \
                  does not, usually with status 406 and without a JSON-RPC error.",
    remedy: "send an Accept header with application/json and text/event-stream",
    fix: None,
    check: Check::Wire(accept),
};

pub(super) static HTTP_VERSION_HEADER: Rule = Rule {
    id: "http-version-header",
    level: Levels::MUST,
    revisions: RevisionRange::OBJECTS,
    party: Party::Client,
    scope: Scope::Protocol,
    affects: Affects::HttpHead,
    source: "https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#protocol-version-header",
    title: "After the handshake, every HTTP request names the negotiated revision.",
    violation: "HTTP requests without the negotiated revision",
    explanation: "A server without sessions assumes 2025-03-26 for a request without MCP-Protocol-Version. That \
                  revision has no structured output, so results lose their structuredContent without an error.",
    remedy: "send the MCP-Protocol-Version header with every request after `initialize`",
    fix: None,
    check: Check::Wire(version_header),
};

pub(crate) static HTTP_VERSION_IS_NEGOTIATED: Rule = Rule {
    id: "http-version-is-negotiated",
    level: Levels::SHOULD,
    revisions: RevisionRange::OBJECTS,
    party: Party::Client,
    scope: Scope::Protocol,
    affects: Affects::HttpHead,
    source: "https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#protocol-version-header",
    title: "MCP-Protocol-Version names the negotiated revision.",
    violation: "`MCP-Protocol-Version` names another revision",
    explanation: "A server without sessions answers by the header alone. If the header names another revision, the \
                  server omits or adds members that the client does not expect.",
    remedy: "send the negotiated revision in the MCP-Protocol-Version header",
    fix: None,
    check: Check::Wire(negotiated_version),
};

pub(super) static HTTP_REQUEST_HEADERS: Rule = Rule {
    id: "http-request-headers",
    level: Levels::MUST,
    revisions: RevisionRange::MODERN,
    party: Party::Client,
    scope: Scope::Protocol,
    affects: Affects::HttpHead,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#standard-request-headers",
    title: "MCP-Protocol-Version, Mcp-Method and Mcp-Name match the request's body.",
    violation: "HTTP headers that do not match the body",
    explanation: "Intermediaries route by the headers. If a header is missing or does not match, a server must reject \
                  the request with status 400 and error -32020. A name outside printable ASCII is encoded in Base64 \
                  between `=?base64?` and `?=`.",
    remedy: "send MCP-Protocol-Version, Mcp-Method and Mcp-Name headers that match the body",
    fix: None,
    check: Check::Wire(request_headers),
};

pub(super) static HTTP_SESSION_ID: Rule = Rule {
    id: "http-session-id",
    level: Levels::MUST,
    revisions: RevisionRange { from: Revision::V2025_03_26, to: Revision::NEWEST_LEGACY },
    party: Party::Client,
    scope: Scope::Protocol,
    affects: Affects::HttpHead,
    source: "https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management",
    title: "A client sends back the session id that it got from the server.",
    violation: "HTTP requests without the session id",
    explanation: "A server with sessions rejects a request without the id with status 400. The handshake works, and \
                  every later request fails.",
    remedy: "send the Mcp-Session-Id of the handshake with every later request",
    fix: None,
    check: Check::Wire(session_id),
};

pub(super) static HTTP_ERROR_STATUS: Rule = Rule {
    id: "http-error-status",
    level: Levels::MUST,
    revisions: RevisionRange::MODERN,
    party: Party::Server,
    scope: Scope::Protocol,
    affects: Affects::HttpHead,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#protocol-version-header",
    title: "An unsupported revision or a wrong header is answered with HTTP 400, an unknown method with 404.",
    violation: "an error with the wrong HTTP status",
    explanation: "Clients that speak both eras detect the server's era from the status and the error together. \
                  Intermediaries, and clients that read the status first, miss a modern error with status 200.",
    remedy: "answer -32020, -32021 and -32022 with HTTP 400, and -32601 with 404",
    fix: None,
    check: Check::Wire(error_status),
};

/// Rule about headers that a server does not decode.
pub static HTTP_HEADERS_ARE_DECODED: Rule = Rule {
    id: "http-headers-are-decoded",
    level: Levels::MUST,
    revisions: RevisionRange::MODERN,
    party: Party::Server,
    scope: Scope::Protocol,
    affects: Affects::HttpHead,
    source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#value-encoding",
    title: "A server decodes the header `Mcp-Name` before it compares it with the body.",
    violation: "`Mcp-Name` is compared without decoding it",
    explanation: "A tool name outside plain ASCII is sent in Base64 between `=?base64?` and `?=`. A server that \
                  compares it before decoding rejects every call to such a tool, but only over HTTP.",
    remedy: "decode Mcp-Name before comparing it with the body",
    fix: None,
    check: Check::Wire(refused_headers),
};

/// The client's messages that came with a head, each with it.
fn posts<'f>(facts: &'f Facts<'_>) -> impl Iterator<Item = (&'f Message<'f>, &'f Head)> {
    let from_client = facts.messages.iter().filter(|message| message.from == Role::Client);
    from_client.filter_map(|message| Some((message, message.http?)))
}

fn accept(facts: &Facts<'_>) -> Vec<Violation> {
    let lacking = posts(facts).find(|(_, head)| {
        let accepted = head.header("accept").unwrap_or_default().to_ascii_lowercase();
        !["application/json", "text/event-stream"].iter().all(|form| accepted.contains(form))
    });
    let violation = |(message, head): (&Message<'_>, &Head)| {
        let accepted = quoted(head.header("accept").unwrap_or("nothing"));
        Violation::new(format!("a POST accepts {accepted} instead of JSON and event streams"), [message.seq])
    };
    lacking.map(violation).into_iter().collect()
}

fn version_header(facts: &Facts<'_>) -> Vec<Violation> {
    let mut lacking = after_handshake(facts).filter(|(message, head)| {
        // A modern request is how a client tries the other era; it has rules of its own.
        head.header("mcp-protocol-version").is_none() && message.meta(META_VERSION).is_none()
    });
    let violation = |(message, _): (&Message<'_>, &Head)| {
        Violation::new("a request has no MCP-Protocol-Version header", [message.seq])
    };
    lacking.next().map(violation).into_iter().collect()
}

fn negotiated_version(facts: &Facts<'_>) -> Vec<Violation> {
    let Some(revision) = facts.revision() else { return Vec::new() };
    let legacy = |(message, _): &(&Message<'_>, &Head)| message.meta(META_VERSION).is_none();
    let since = first_handshake(facts);
    let begins_anew = |message: &Message<'_>| message.method() == Some("initialize");
    let later = posts(facts).filter(|(message, _)| since.is_some_and(|at| message.seq > at) && !begins_anew(message));
    let later = later.filter(legacy).map(|(message, head)| (message.seq, head));
    let mut requests: Vec<(u32, &Head)> = later.chain(bare_requests(facts)).collect();
    requests.sort_by_key(|(seq, _)| *seq);
    let mut others = requests.into_iter().filter_map(|(seq, head)| {
        let named = head.header("mcp-protocol-version").filter(|named| *named != revision.as_str())?;
        let detail = format!("the MCP-Protocol-Version header is {}, but {revision} was negotiated", quoted(named));
        Some(Violation::new(detail, [seq]))
    });
    others.next().into_iter().collect()
}

/// The client's requests after its first handshake that carry no message, a GET or a DELETE.
fn bare_requests<'f>(facts: &'f Facts<'_>) -> impl Iterator<Item = (u32, &'f Head)> {
    let answered = first_handshake(facts);
    facts.transcript.entries.iter().filter_map(move |entry| {
        let Event::Head { http } = &entry.event else { return None };
        (matches!(http.start, Start::Request { .. }) && answered? < entry.seq).then_some((entry.seq, http))
    })
}

/// The client's messages after its last handshake.
fn after_handshake<'f>(facts: &'f Facts<'_>) -> impl Iterator<Item = (&'f Message<'f>, &'f Head)> {
    let answered = handshake(facts).map(|(_, answer)| facts.messages[answer].seq);
    let begins_anew = |message: &Message<'_>| message.method() == Some("initialize");
    posts(facts).filter(move |(message, _)| answered.is_some_and(|at| message.seq > at) && !begins_anew(message))
}

/// The place where the first `initialize` is answered with a result. A client that loses its session begins another,
/// and what lost the first one comes before that.
fn first_handshake(facts: &Facts<'_>) -> Option<u32> {
    handshakes(facts).next().map(|(_, answer)| facts.messages[answer].seq)
}

/// The last `initialize` that has a result, and where that stands.
fn handshake<'f>(facts: &'f Facts<'_>) -> Option<(&'f Message<'f>, usize)> {
    handshakes(facts).last()
}

/// Every `initialize` that has a result, and where that stands.
fn handshakes<'f>(facts: &'f Facts<'_>) -> impl Iterator<Item = (&'f Message<'f>, usize)> {
    let accepted = |(request, exchange): (&'f Message<'f>, Exchange)| match exchange.answer {
        Answer::Result(at) => Some((request, at)),
        Answer::Error(_) | Answer::Unreadable(_) | Answer::Status { .. } | Answer::None => None,
    };
    facts.exchanges_of("initialize").filter_map(accepted)
}

fn request_headers(facts: &Facts<'_>) -> Vec<Violation> {
    let wrong = |(message, head)| Some(Violation::new(wrong_header(message, head)?, [message.seq]));
    posts(facts).filter_map(wrong).collect()
}

/// Mistake in the headers of a request, compared with its body.
fn wrong_header(message: &Message<'_>, head: &Head) -> Option<String> {
    let (Shape::Request, Some(method)) = (message.shape, message.method()) else { return None };
    if method == "initialize" {
        return None;
    }
    let named = match method {
        "tools/call" | "prompts/get" => message.param("name").and_then(Json::as_str),
        "resources/read" => message.param("uri").and_then(Json::as_str),
        _ => None,
    };
    let version = message.meta(META_VERSION).and_then(Json::as_str);
    let wanted = [("mcp-protocol-version", version), ("mcp-method", Some(method)), ("mcp-name", named)];
    wanted.into_iter().find_map(|(header, body)| {
        let body = body?;
        match (head.header(header), decoded(header, head)) {
            (None, _) => Some(format!("the request {} has no {header} header", quoted(method))),
            (Some(_), Some(said)) if said == body => None,
            (Some(value), _) if value == body => {
                Some(format!("the {header} header is {}, which is not encoded", quoted(value)))
            }
            (Some(value), _) => {
                Some(format!("the {header} header is {}, but the body says {}", quoted(value), quoted(body)))
            }
        }
    })
}

/// The value of a header; `None` if it is not encoded correctly.
fn decoded(header: &str, head: &Head) -> Option<String> {
    let value = head.header(header)?;
    if header != "mcp-name" {
        return Some(value.to_owned());
    }
    match value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?=")) {
        Some(encoded) => STANDARD.decode(encoded).ok().and_then(|bytes| String::from_utf8(bytes).ok()),
        None => value.chars().all(|sign| matches!(sign, ' '..='~')).then(|| value.to_owned()),
    }
}

fn refused_headers(facts: &Facts<'_>) -> Vec<Violation> {
    let mut violations = Vec::new();
    for exchange in &facts.exchanges.all {
        let (Answer::Error(at), request) = (exchange.answer, &facts.messages[exchange.request]) else { continue };
        let answer = &facts.messages[at];
        let has_params = request.param("name").and_then(Json::as_str).is_some_and(|tool| asks_for_headers(facts, tool));
        let is_right = request.http.is_some_and(|head| wrong_header(request, head).is_none()) && !has_params;
        if answer.error_code() == Some(HEADER_MISMATCH) && is_right && request.method() != Some("initialize") {
            violations.push(Violation::new(refused_name(request), [answer.seq]));
        }
    }
    violations
}

/// Mistake of an error about headers that match the body of this request.
fn refused_name(request: &Message<'_>) -> String {
    let name = request.http.and_then(|head| head.header("mcp-name")).filter(|name| name.starts_with("=?"));
    match name.and(request.param("name")).and_then(Json::as_str) {
        Some(name) => {
            format!(
                "the server refused an Mcp-Name header that means {} once it is decoded, as the body says",
                quoted(name)
            )
        }
        None => {
            "the server answered with error -32020 (header mismatch), although the headers match the body".to_owned()
        }
    }
}

fn session_id(facts: &Facts<'_>) -> Vec<Violation> {
    let Some(given) = given_session_id(facts) else { return Vec::new() };
    let mut lacking = after_handshake(facts)
        .filter(|(message, head)| head.header("mcp-session-id") != Some(given) && message.meta(META_VERSION).is_none());
    let violation = |(message, head): (&Message<'_>, &Head)| {
        let detail = if head.header("mcp-session-id").is_some() {
            "a request has a different session id than the server gave"
        } else {
            "a request lacks the session id that the server gave"
        };
        Violation::new(detail, [message.seq])
    };
    lacking.next().map(violation).into_iter().collect()
}

/// The session id in the head of the handshake's answer, which an event stream sends before the message.
pub(super) fn given_session_id<'f>(facts: &'f Facts<'_>) -> Option<&'f str> {
    let (request, _) = handshake(facts)?;
    let exchange = request.http?.exchange;
    let responses =
        facts.heads().filter(|head| matches!(head.start, Start::Response { .. }) && head.exchange == exchange);
    responses.filter_map(|head| head.header("mcp-session-id")).next()
}

fn error_status(facts: &Facts<'_>) -> Vec<Violation> {
    let mut violations = Vec::new();
    for exchange in &facts.exchanges.all {
        let Answer::Error(at) = exchange.answer else { continue };
        let message = &facts.messages[at];
        // A legacy client's handshake is refused as the server likes.
        if facts.messages[exchange.request].method() == Some("initialize") {
            continue;
        }
        let wanted = match message.error_code() {
            Some(-32022..=-32020) => 400,
            Some(-32601) => 404,
            Some(_) | None => continue,
        };
        if let (Some(status), Some(code)) = (message.status().filter(|status| *status != wanted), message.error_code())
        {
            violations.push(Violation::new(
                format!("error {code} was sent with HTTP {status} instead of {wanted}"),
                [message.seq],
            ));
        }
    }
    violations
}
