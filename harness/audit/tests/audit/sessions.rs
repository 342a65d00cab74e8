//! Servers with which no session opens, or no list comes, and sessions as real clients open them.

use std::sync::Arc;

use mcp_compat_audit::probe::{ProbeError, Target};
use mcp_compat_audit::server::{AuditError, AuditOptions, audit};
use mcp_compat_json::Json;
use mcp_compat_model::audit::{Audit, AuditFinding, Loss, Severity};
use mcp_compat_model::verdict::{BlastRadius, Fault};
use mcp_compat_model::{Era, Revision};
use mcp_compat_run::in_process::Streams;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, duplex};

use crate::own_server::{Asked, OwnServer, Says};
use crate::server_audit::{READS, finding, findings, of, timeouts, tool};

/// A legacy server that answers each request by a function: with the id and the members of a response.
pub(crate) fn answering(answer: fn(&Json, &str) -> (String, String)) -> Target {
    Target::Connect(Arc::new(move || {
        let (client, own) = duplex(1 << 16);
        tokio::spawn(async move {
            let (reader, mut writer) = tokio::io::split(own);
            let mut lines = BufReader::new(reader).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                let message = Json::parse(&line).unwrap();
                let (Some(id), Some(method)) = (message.get("id"), message.get("method").and_then(Json::as_str)) else {
                    continue;
                };
                let usual = match method {
                    "initialize" => {
                        let asked = message.pointer("/params/protocolVersion").and_then(Json::as_str).unwrap();
                        let chosen = if asked > "2025-11-25" { "2025-11-25" } else { asked };
                        format!(
                            r#""result":{{"protocolVersion":"{chosen}","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"own","version":"1"}}}}"#
                        )
                    }
                    "tools/list" => format!(r#""result":{{"tools":[{{"name":"look",{READS}}}]}}"#),
                    "ping" => r#""result":{}"#.to_owned(),
                    "tools/call" if message.pointer("/params/name").and_then(Json::as_str) != Some("look") => {
                        r#""error":{"code":-32602,"message":"Unknown tool"}"#.to_owned()
                    }
                    "tools/call" => r#""result":{"content":[{"type":"text","text":"a"}]}"#.to_owned(),
                    _ => r#""error":{"code":-32601,"message":"Method not found"}"#.to_owned(),
                };
                let (id, members) = match answer(&message, &usual) {
                    (own, members) if own.is_empty() => (id.to_compact(), members),
                    other => other,
                };
                let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},{members}}}\n");
                if writer.write_all(line.as_bytes()).await.is_err() {
                    return;
                }
            }
        });
        let (reader, writer) = tokio::io::split(client);
        Streams { reader: Box::new(reader), writer: Box::new(writer) }
    }))
}

pub(crate) async fn audited(target: Target) -> Result<Audit, AuditError> {
    let audited = audit(target, &AuditOptions::default(), timeouts(), |_| {}, &mut |_, _, _| {}).await;
    audited.map(|audited| audited.audit)
}

fn errors(audit: &Audit) -> Vec<&str> {
    let is_error = |finding: &&&AuditFinding| finding.severity == Severity::Error;
    findings(audit).iter().filter(is_error).map(|finding| finding.rule.as_str()).collect()
}

/// The common form of all losses, if they are alike.
fn alike(losses: &[Loss]) -> Option<(BlastRadius, Option<Fault>, Option<&str>)> {
    let of = |loss: &Loss| (loss.loses, loss.fault);
    let first = losses.first()?;
    losses.iter().all(|loss| of(loss) == of(first) && loss.rule == first.rule).then_some((
        first.loses,
        first.fault,
        first.rule.as_deref(),
    ))
}

#[tokio::test]
async fn a_server_whose_answers_have_another_id_costs_everybody_the_session() {
    for id in ["0", "1.0"] {
        let target = match id {
            "0" => answering(|_, usual| ("0".to_owned(), usual.to_owned())),
            _ => answering(|asked, usual| (format!("{}.0", asked.get("id").unwrap().to_compact()), usual.to_owned())),
        };
        let audit = audited(target).await.unwrap();
        assert_eq!((audit.spoken.len(), audit.tools.len()), (0, 0));
        assert_eq!(errors(&audit), ["response-matches-request"]);
        assert_eq!(audit.losses.len() + audit.shut_out.len(), audit.clients.len());
        let rule = Some("response-matches-request");
        assert_eq!(alike(&audit.losses), Some((BlastRadius::Session, Some(Fault::Server), rule)));
        assert_eq!(audit.worst(), Some(Severity::Error));
    }
}

#[tokio::test]
async fn a_list_that_fails_as_a_whole_costs_everybody_all_tools() {
    let error = r#""code":-32603,"message":"Cannot read properties of undefined""#;
    let server = OwnServer::new(&Revision::ALL, move |_| Says::Error(error.to_owned()));
    let audit = of(&server).await;
    assert_eq!(errors(&audit), ["tools-list-answered"]);
    let list = finding(&audit, "tools-list-answered");
    assert_eq!(list.at, Revision::ALL);
    assert_eq!(list.returned.as_deref(), Some(format!(r#""error": {{{error}}}"#).as_str()));
    let rule = Some("tools-list-answered");
    assert_eq!(alike(&audit.losses), Some((BlastRadius::Server, Some(Fault::Server), rule)));
    assert_eq!(audit.losses.len(), audit.clients.len());
    // Only the modern era has a sentence about it.
    let server = OwnServer::new(&[Revision::V2025_11_25], move |_| Says::Error(error.to_owned()));
    let audit = of(&server).await;
    let list = finding(&audit, "list-is-answered");
    assert_eq!(list.detail, "no tools are listed: tools/list failed: Cannot read properties of undefined");
    assert_eq!(audit.losses.len() + audit.shut_out.len(), audit.clients.len());
}

#[tokio::test]
async fn a_server_that_opens_no_session_is_told_so_and_one_that_says_nothing_is_not_reached() {
    let refuses = OwnServer::new(&[], |_| Says::Ends);
    let audit = of(&refuses).await;
    let opening = finding(&audit, "initialize-is-answered");
    assert_eq!((opening.severity, opening.at.len()), (Severity::Error, 4));
    assert!(opening.detail.starts_with("no session opens: "), "{}", opening.detail);
    assert_eq!(alike(&audit.losses).map(|(loses, ..)| loses), Some(BlastRadius::Session));
    let dead = Target::Connect(Arc::new(|| {
        let (client, _) = duplex(1);
        let (reader, writer) = tokio::io::split(client);
        Streams { reader: Box::new(reader), writer: Box::new(writer) }
    }));
    let error = audited(dead).await.unwrap_err();
    assert!(matches!(error, AuditError::Probe(ProbeError::NoSession { .. })), "{error}");
}

#[tokio::test]
async fn a_server_that_declares_tools_and_lists_none_loses_every_client_in_silence() {
    let empty = OwnServer::new(&Revision::ALL, |_| Says::Result(r#""tools":[]"#.to_owned()));
    let audit = of(&empty).await;
    assert_eq!(errors(&audit), ["declared-tools-are-listed"]);
    assert_eq!(finding(&audit, "declared-tools-are-listed").at, Revision::ALL);
    let rule = Some("declared-tools-are-listed");
    assert_eq!(alike(&audit.losses), Some((BlastRadius::Server, Some(Fault::Server), rule)));
    assert!(audit.losses.iter().all(|loss| loss.silent));
    // A server of prompts, and one whose tools come later, have none to list.
    for capabilities in
        [r#","capabilities":{"tools":{},"prompts":{}}"#, r#","capabilities":{"tools":{"listChanged":true}}"#]
    {
        let list = |_: &Asked<'_>| Says::Result(r#""tools":[]"#.to_owned());
        let server = OwnServer::handshake_with(capabilities, "", &[Revision::NEWEST_LEGACY], list);
        let error = audited(server.target()).await.unwrap_err().to_string();
        assert!(
            error.starts_with("the server listed no tools at 2025-11-25: tools/list returned an empty list"),
            "{error}"
        );
    }
    // One revision with a tool is a list.
    let at_one = OwnServer::new(&Revision::ALL, |asked: &Asked<'_>| match (asked.tool, asked.revision.era()) {
        (None, Era::Legacy) => Says::Result(format!(r#""tools":[{}]"#, tool(""))),
        (None, Era::Modern) => Says::Result(r#""tools":[]"#.to_owned()),
        _ => Says::Result(r#""content":[]"#.to_owned()),
    });
    let audit = of(&at_one).await;
    assert!(findings(&audit).iter().all(|finding| finding.rule != "declared-tools-are-listed"));
}

#[tokio::test]
async fn a_revision_that_is_offered_and_not_served_costs_its_clients_all_tools() {
    let offered = |code: &'static str| {
        OwnServer::new(&Revision::ALL, move |asked: &Asked<'_>| match (asked.tool, asked.revision.era()) {
            (None, Era::Modern) => Says::Error(format!(r#""code":{code},"message":"no""#)),
            (None, Era::Legacy) => Says::Result(format!(r#""tools":[{}]"#, tool(""))),
            (Some(_), _) => Says::Result(r#""content":[]"#.to_owned()),
        })
    };
    let audit = of(&offered("-32601")).await;
    assert_eq!(errors(&audit), ["offered-revision-is-served"]);
    let lost: Vec<&Loss> = audit.tools[0].breaks().collect();
    assert!(!lost.is_empty());
    for loss in lost {
        assert_eq!((loss.negotiated, loss.loses), (Some(Revision::NEWEST), BlastRadius::Server));
        assert_eq!((loss.fault, loss.rule.as_deref()), (Some(Fault::Server), Some("offered-revision-is-served")));
    }
    // The list itself is what fails.
    assert_eq!(errors(&of(&offered("-32603")).await), ["tools-list-answered"]);
}

#[tokio::test]
async fn ids_that_are_strings_are_asked_for() {
    let target = answering(|asked, usual| {
        let is_number = asked.get("id").is_some_and(|id| id.as_number().is_some());
        (if is_number { String::new() } else { "null".to_owned() }, usual.to_owned())
    });
    let audit = audited(target).await.unwrap();
    assert_eq!(errors(&audit), ["string-ids-are-returned"]);
    let lost: Vec<&str> = audit.tools[0].breaks().map(|loss| loss.client.as_str()).collect();
    assert!(!lost.is_empty() && lost.iter().all(|client| client.starts_with("profile/java@")), "{lost:?}");
    assert!(audit.tools[0].breaks().all(|loss| loss.loses == BlastRadius::Session));
}

#[tokio::test]
async fn capabilities_are_declared_alone_where_they_are_refused_together() {
    let target = answering(|asked, usual| {
        let refused = asked.pointer("/params/capabilities/elicitation/form").is_some();
        let error = r#""error":{"code":-32602,"message":"Unrecognized field form"}"#;
        (String::new(), if refused { error.to_owned() } else { usual.to_owned() })
    });
    let audit = audited(target).await.unwrap();
    assert_eq!(errors(&audit), ["client-capabilities-are-accepted"]);
    let detail = &finding(&audit, "client-capabilities-are-accepted").detail;
    assert!(
        detail.contains("`elicitation` with `form` and `url`") && detail.contains("Unrecognized field"),
        "{detail}"
    );
    assert_eq!(audit.tools[0].breaks().count(), 0);
}

#[tokio::test]
async fn initialize_is_asked_for_the_newest_revision() {
    let agrees = answering(|asked, usual| {
        let newest = asked.pointer("/params/protocolVersion").and_then(Json::as_str) == Some("2026-07-28");
        (String::new(), if newest { usual.replace("2025-11-25", "2026-07-28") } else { usual.to_owned() })
    });
    let audit = audited(agrees).await.unwrap();
    assert_eq!(errors(&audit), ["initialize-names-a-handshake-revision"]);
    let refuses = answering(|asked, usual| {
        let newest = asked.pointer("/params/protocolVersion").and_then(Json::as_str) == Some("2026-07-28");
        let error = r#""error":{"code":-32602,"message":"Unsupported protocol version"}"#;
        (String::new(), if newest { error.to_owned() } else { usual.to_owned() })
    });
    let audit = audited(refuses).await.unwrap();
    assert_eq!(errors(&audit), ["initialize-negotiates-the-revision"]);
    let lost: Vec<&str> = audit.tools[0].breaks().map(|loss| loss.client.as_str()).collect();
    assert!(!lost.is_empty() && lost.iter().all(|client| client.starts_with("profile/rmcp@3")), "{lost:?}");
}

#[tokio::test]
async fn a_server_that_takes_what_clients_send_has_no_findings() {
    let audit = audited(answering(|_, usual| (String::new(), usual.to_owned()))).await.unwrap();
    assert_eq!(errors(&audit), [""; 0]);
    assert_eq!(audit.count(Severity::Warning), 0, "{:?}", findings(&audit));
    let both = of(&OwnServer::with_tool(&tool(""), r#"{"content":[{"type":"text","text":"a"}]}"#)).await;
    assert_eq!((errors(&both), both.count(Severity::Warning)), (Vec::new(), 0), "{:?}", findings(&both));
}

#[tokio::test]
async fn a_list_that_leads_back_has_no_other_findings() {
    let pages = |next: fn(Option<&str>) -> &'static str| {
        let server = OwnServer::new(&[Revision::V2025_11_25], move |asked| match asked.tool {
            None => Says::Result(format!(r#""tools":[{}],"nextCursor":"{}""#, tool(""), next(asked.cursor))),
            Some(_) => Says::Result(r#""content":[]"#.to_owned()),
        });
        async move { of(&server).await }
    };
    let itself = pages(|_| "2").await;
    let around = pages(|cursor| if cursor == Some("2") { "3" } else { "2" }).await;
    for audit in [itself, around] {
        assert_eq!(errors(&audit), ["cursor-advances"], "{:?}", findings(&audit));
        assert_eq!(audit.count(Severity::Warning), 0, "{:?}", findings(&audit));
        assert!(audit.tools[0].breaks().all(|loss| loss.loses == BlastRadius::Server), "{:?}", audit.tools[0]);
    }
}

#[tokio::test]
async fn a_call_that_is_answered_with_another_id_is_lost_to_everybody() {
    let target = answering(|asked, usual| {
        let is_call = asked.get("method").and_then(Json::as_str) == Some("tools/call");
        (if is_call { "99".to_owned() } else { String::new() }, usual.to_owned())
    });
    let audit = audited(target).await.unwrap();
    assert_eq!(errors(&audit), ["response-matches-request"]);
    let losses = &audit.tools[0].losses;
    let rule = Some("response-matches-request");
    assert_eq!(alike(losses), Some((BlastRadius::Call, Some(Fault::Server), rule)));
    assert_eq!((losses.len(), audit.tools[0].fine), (audit.in_session(), 0));
}

#[tokio::test]
async fn a_server_that_agrees_to_any_revision_is_told_of_all_of_them() {
    let echoes = answering(|asked, usual| {
        let wanted = asked.pointer("/params/protocolVersion").and_then(Json::as_str).unwrap_or_default();
        let members = if wanted > "2025-11-25" { usual.replacen("2025-11-25", wanted, 1) } else { usual.to_owned() };
        (String::new(), members)
    });
    let audit = audited(echoes).await.unwrap();
    let of_revisions = finding(&audit, "initialize-names-a-handshake-revision");
    assert_eq!(
        of_revisions.detail,
        "`initialize` is answered with whatever revision it asks for: with 2026-07-28, which has no `initialize`, and with \
         2099-01-01, which does not exist"
    );
    assert!(of_revisions.remedy.starts_with("compare the revision"), "{}", of_revisions.remedy);
    assert_eq!(errors(&audit), ["initialize-names-a-handshake-revision"]);
    // One that agrees to the newest alone knows what it does not speak.
    let agrees = answering(|asked, usual| {
        let wanted = asked.pointer("/params/protocolVersion").and_then(Json::as_str).unwrap_or_default();
        let members = if wanted == "2026-07-28" { usual.replacen("2025-11-25", wanted, 1) } else { usual.to_owned() };
        (String::new(), members)
    });
    let audit = audited(agrees).await.unwrap();
    let of_revisions = finding(&audit, "initialize-names-a-handshake-revision");
    assert!(of_revisions.detail.starts_with("asked for 2026-07-28 in `initialize`"), "{}", of_revisions.detail);
}

#[tokio::test]
async fn a_name_that_is_no_revision_and_a_response_that_is_two_are_told_as_such() {
    let unknown = answering(|asked, usual| {
        let wanted = asked.pointer("/params/protocolVersion").and_then(Json::as_str).unwrap_or("none");
        (String::new(), usual.replacen(&format!("\"{wanted}\""), "\"1.0\"", 1).replacen("\"2025-11-25\"", "\"1.0\"", 1))
    });
    let audit = audited(unknown).await.unwrap();
    assert_eq!(errors(&audit), ["initialize-negotiates-the-revision"]);
    assert_eq!(audit.findings[0].detail, "`initialize` is answered with `1.0`, which is no revision of the protocol");
    let both = answering(|_, usual| (String::new(), format!(r#"{usual},"error":null"#)));
    let audit = audited(both).await.unwrap();
    assert_eq!(errors(&audit), ["server-speaks-json-rpc"]);
    assert!(audit.findings[0].remedy.starts_with("omit `error` from the response"), "{}", audit.findings[0].remedy);
    assert!(
        !audit.losses.is_empty()
            && audit.losses.iter().all(|loss| loss.rule.as_deref() == Some("server-speaks-json-rpc"))
    );
}
