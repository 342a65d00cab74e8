//! Servers over HTTP that refuse what released clients send in headers, or forget their sessions.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use mcp_compat_audit::probe::Target;
use mcp_compat_audit::server::{AuditOptions, audit};
use mcp_compat_json::Json;
use mcp_compat_model::audit::{Audit, AuditFinding, Severity};
use mcp_compat_model::verdict::BlastRadius;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::server_audit::timeouts;

/// A request of HTTP.
struct Asked {
    /// Number of requests before it.
    number: usize,
    verb: String,
    head: String,
    message: Json,
}

impl Asked {
    fn header(&self, name: &str) -> Option<&str> {
        let named = |line: &'_ str| line.split_once(':').is_some_and(|(key, _)| key.eq_ignore_ascii_case(name));
        let line = self.head.lines().find(|line| named(line))?;
        line.split_once(':').map(|(_, value)| value.trim())
    }

    fn method(&self) -> &str {
        self.message.get("method").and_then(Json::as_str).unwrap_or_default()
    }
}

/// A status, headers and a body.
type Answer = (u16, &'static str, String);

/// The answer of a legacy server that speaks nothing newer than this, and has no sessions.
fn usual(asked: &Asked, newest: &str) -> Answer {
    let Some(id) = asked.message.get("id").map(Json::to_compact) else {
        return (if asked.verb == "POST" { 202 } else { 405 }, "", String::new());
    };
    let body = match asked.method() {
        "initialize" => {
            let wanted = asked.message.pointer("/params/protocolVersion").and_then(Json::as_str).unwrap();
            let chosen = if wanted > newest { newest } else { wanted };
            format!(
                r#""result":{{"protocolVersion":"{chosen}","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"own","version":"1"}}}}"#
            )
        }
        "ping" => r#""result":{}"#.to_owned(),
        "tools/list" => r#""result":{"tools":[{"name":"say","inputSchema":{"type":"object"}}]}"#.to_owned(),
        "tools/call" => r#""error":{"code":-32602,"message":"Unknown tool"}"#.to_owned(),
        _ => r#""error":{"code":-32601,"message":"Method not found"}"#.to_owned(),
    };
    (200, "content-type: application/json\r\n", format!(r#"{{"jsonrpc":"2.0","id":{id},{body}}}"#))
}

async fn read(stream: &mut TcpStream, number: usize) -> Option<Asked> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break end + 4;
        }
        (stream.read_buf(&mut bytes).await.ok()? > 0).then_some(())?;
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let verb = head.split(' ').next()?.to_owned();
    let mut asked = Asked { number, verb, head, message: Json::Null };
    let length = asked.header("content-length").map_or(0, |length| length.parse().unwrap());
    while bytes.len() < end + length {
        (stream.read_buf(&mut bytes).await.ok()? > 0).then_some(())?;
    }
    asked.message = Json::parse_bytes(&bytes[end..]).unwrap_or(Json::Null);
    Some(asked)
}

/// The address of a server that answers so.
async fn served(answer: fn(&Asked) -> Answer) -> Target {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let requests = Arc::new(AtomicUsize::new(0));
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let requests = Arc::clone(&requests);
            tokio::spawn(async move {
                let Some(asked) = read(&mut stream, requests.fetch_add(1, Ordering::Relaxed)).await else { return };
                let (status, headers, body) = answer(&asked);
                let length = body.len();
                let response = format!(
                    "HTTP/1.1 {status} X\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n{body}"
                );
                let _ = stream.write_all(response.as_bytes()).await;
            });
        }
    });
    Target::Url { url: format!("http://127.0.0.1:{port}/mcp"), headers: Vec::new() }
}

async fn audited(answer: fn(&Asked) -> Answer) -> Audit {
    let target = served(answer).await;
    let audited = audit(target, &AuditOptions::default(), timeouts(), |_| {}, &mut |_, _, _| {}).await;
    audited.unwrap().audit
}

/// The findings above a note about the server as a whole.
fn told(audit: &Audit) -> Vec<(&str, &str)> {
    let counted = audit.findings.iter().filter(|finding| finding.severity > Severity::Note);
    counted.map(|finding| (finding.rule.as_str(), finding.detail.as_str())).collect()
}

#[tokio::test]
async fn a_server_that_checks_the_header_of_initialize_loses_clients_that_send_it() {
    let audit = audited(|asked| match asked.header("mcp-protocol-version") {
        Some(named) if named > "2025-06-18" => (400, "", "Unsupported MCP-Protocol-Version".to_owned()),
        _ => usual(asked, "2025-06-18"),
    })
    .await;
    assert_eq!(
        told(&audit),
        [(
            "initialize-is-negotiated-by-its-body",
            "`initialize` for 2025-11-25 with the header `MCP-Protocol-Version: 2025-11-25` is refused, and without the \
             header it is answered: HTTP status 400: Unsupported MCP-Protocol-Version"
        )]
    );
    let lost: Vec<_> = audit.tools[0].breaks().map(|loss| (loss.client.as_str(), loss.loses)).collect();
    assert_eq!(lost, [("profile/java@2", BlastRadius::Session)]);
}

#[tokio::test]
async fn a_server_that_checks_the_header_later_or_knows_the_revision_is_right() {
    let later: fn(&Asked) -> Answer = |asked| match asked.header("mcp-protocol-version") {
        Some(named) if named > "2025-06-18" && asked.method() != "initialize" => (400, "", String::new()),
        _ => usual(asked, "2025-06-18"),
    };
    let known: fn(&Asked) -> Answer = |asked| match asked.header("mcp-protocol-version") {
        Some(named) if named > "2025-11-25" => (400, "", String::new()),
        _ => usual(asked, "2025-11-25"),
    };
    for answer in [later, known] {
        let audit = audited(answer).await;
        assert_eq!(told(&audit), []);
        assert_eq!(audit.tools[0].breaks().count(), 0);
    }
}

/// Two instances that take turns, each with sessions of its own.
fn by_turns(asked: &Asked, newest: &str, refused: u16) -> Answer {
    let own = ["a", "b"][asked.number % 2];
    if asked.header("mcp-session-id").is_some_and(|id| id != own) {
        return (refused, "", String::new());
    }
    let (status, headers, body) = usual(asked, newest);
    match (asked.method(), own) {
        ("initialize", "a") => (status, "content-type: application/json\r\nmcp-session-id: a\r\n", body),
        ("initialize", _) => (status, "content-type: application/json\r\nmcp-session-id: b\r\n", body),
        _ => (status, headers, body),
    }
}

#[tokio::test]
async fn a_server_that_forgets_its_session_at_every_second_request_is_told_of_the_session() {
    let audit = audited(|asked| by_turns(asked, "2025-11-25", 500)).await;
    let [AuditFinding { rule, detail, .. }] = &audit.findings[..] else { panic!("{:?}", audit.findings) };
    assert_eq!(
        (rule.as_str(), detail.as_str()),
        (
            "own-session-is-known",
            "of 6 equal requests with the `Mcp-Session-Id` that the server itself gave, 3 are answered with HTTP status 500, and \
             3 with a result: probably the instance that answers does not always know the session"
        )
    );
    assert!(
        !audit.losses.is_empty()
            && audit.losses.iter().all(|loss| loss.rule.as_deref() == Some("own-session-is-known"))
    );
}

#[tokio::test]
async fn a_server_that_opens_one_session_at_a_time_is_told() {
    static IS_OPEN: AtomicBool = AtomicBool::new(false);
    let audit = audited(|asked| {
        let (status, headers, body) = usual(asked, "2025-11-25");
        match (asked.method(), asked.verb.as_str()) {
            ("initialize", _) if IS_OPEN.swap(true, Ordering::SeqCst) => (500, "", String::new()),
            ("initialize", _) => (status, "content-type: application/json\r\nmcp-session-id: a\r\n", body),
            (_, "DELETE") => {
                IS_OPEN.store(false, Ordering::SeqCst);
                (200, "", String::new())
            }
            _ if asked.header("mcp-session-id") != Some("a") || !IS_OPEN.load(Ordering::SeqCst) => {
                (404, "", String::new())
            }
            _ => (status, headers, body),
        }
    })
    .await;
    let detail = "while a session is open, `initialize` of another client is answered with HTTP status 500";
    assert_eq!(told(&audit), [("sessions-are-independent", detail)]);
}

#[tokio::test]
async fn a_server_that_keeps_its_sessions_is_not() {
    let audit = audited(|asked| {
        let (status, headers, body) = usual(asked, "2025-11-25");
        match (asked.method(), asked.header("mcp-session-id")) {
            ("initialize", _) => (status, "content-type: application/json\r\nmcp-session-id: a\r\n", body),
            (_, Some("a")) => (status, headers, body),
            (_, Some(_)) => (404, "", String::new()),
            (_, None) => (400, "", String::new()),
        }
    })
    .await;
    assert_eq!(told(&audit), []);
}

#[tokio::test]
async fn a_result_of_initialize_without_a_content_type_is_told_as_such() {
    let audit = audited(|asked| {
        let (status, _, body) = usual(asked, "2025-11-25");
        (status, "", body)
    })
    .await;
    assert_eq!(told(&audit), [("http-answer-type", "`initialize` is answered with no Content-Type")]);
    assert!(
        !audit.losses.is_empty() && audit.losses.iter().all(|loss| loss.rule.as_deref() == Some("http-answer-type"))
    );
}

#[tokio::test]
async fn a_server_that_parses_nothing_is_told_to_read_the_body() {
    let unread = audited(|_| (400, "content-type: application/json\r\n", PARSE_ERROR.to_owned())).await;
    let remedy = |audit: &Audit| {
        audit.findings.iter().find(|it| it.rule == "initialize-is-answered").map(|it| it.remedy.clone())
    };
    assert!(remedy(&unread).is_some_and(|remedy| remedy.starts_with("read the body of each POST")), "{unread:#?}");
    let refused = audited(|_| (400, "content-type: application/json\r\n", INVALID.to_owned())).await;
    assert!(remedy(&refused).is_some_and(|remedy| remedy.starts_with("answer initialize at every")), "{refused:#?}");
}

const PARSE_ERROR: &str = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#;

/// As the TypeScript SDK answers a second `initialize` on one transport.
const INVALID: &str = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Server already initialized"}}"#;
