//! What a server sends before its tools, where clients cannot read it: it costs them the session, or all tools.

use mcp_compat_model::Revision;
use mcp_compat_model::audit::{Audit, AuditedTool, Loss, Severity};
use mcp_compat_model::verdict::{BlastRadius, Fault, Outcome};

use crate::own_server::{OwnServer, Says};
use crate::server_audit::{READS, finding, of};

/// An audit of a server with two tools, whose results of `initialize`, `server/discover` and `tools/list` have these members
/// besides, each after a comma.
async fn audit_with(opening: &'static str, discovery: &'static str, list: &'static str, spoken: &[Revision]) -> Audit {
    let server = OwnServer::opening_with(opening, discovery, spoken, move |asked| match asked.tool {
        None => Says::Result(format!(r#""tools":[{{"name":"a",{READS}}},{{"name":"b",{READS}}}]{list}"#)),
        Some(_) => Says::Result(r#""content":[{"type":"text","text":"a"}]"#.to_owned()),
    });
    of(&server).await
}

fn losses(tool: &AuditedTool) -> Vec<(&str, BlastRadius)> {
    tool.breaks().map(|loss| (loss.client.as_str(), loss.loses)).collect()
}

/// Those that the change that leaves out nulls frees.
fn freed_by_omitting_nulls(audit: &Audit) -> Vec<&str> {
    let changes: Vec<_> = audit.changes.iter().filter(|change| change.what.contains("null")).collect();
    assert_eq!(changes.len(), 1, "{changes:?}");
    changes[0].frees.iter().map(|client| client.as_str()).collect()
}

/// The TypeScript SDK wants a text where the server sends null, and loses the list.
#[tokio::test]
async fn a_list_that_a_client_cannot_read_costs_it_every_tool() {
    for list in [r#","nextCursor":null"#, r#","_meta":null"#] {
        let audit = audit_with("", "", list, &[Revision::NEWEST_LEGACY]).await;
        let lost = losses(&audit.tools[0]);
        assert!(!lost.is_empty(), "{list}");
        assert_eq!(lost, losses(&audit.tools[1]));
        let is_meant = |(client, loses): &(&str, BlastRadius)| {
            client.starts_with("profile/typescript@") && *loses == BlastRadius::Server
        };
        assert!(lost.iter().all(is_meant), "{lost:?}");
        assert_eq!(freed_by_omitting_nulls(&audit).len(), lost.len());
    }
    let right = audit_with("", "", r#","_meta":{}"#, &[Revision::NEWEST_LEGACY]).await;
    assert!(right.tools.iter().all(|tool| tool.losses.is_empty()), "{right:?}");
}

#[tokio::test]
async fn a_list_with_a_member_of_a_wrong_type_is_played_without_it() {
    let audit = audit_with("", "", r#","_meta":[]"#, &[Revision::NEWEST_LEGACY]).await;
    assert_eq!(finding(&audit, "result-members").severity, Severity::Error);
    let lost = losses(&audit.tools[0]);
    assert!(lost.iter().any(|(client, _)| *client == "profile/python@1"), "{lost:?}");
    let change = audit.changes.iter().find(|change| change.what.contains("`_meta` as an object")).unwrap();
    assert_eq!(change.frees.len(), lost.len(), "{change:?}");
}

/// The TypeScript SDK wants a text where the server sends null, and opens no session.
#[tokio::test]
async fn a_result_of_initialize_that_a_client_cannot_read_costs_it_the_session() {
    let rejecting = |audit: &Audit| -> Vec<Loss> {
        let of_client = |loss: &&Loss| loss.client.as_str() == "profile/typescript@1";
        audit.tools[0].breaks().filter(of_client).cloned().collect()
    };
    let audit = audit_with(r#","instructions":null"#, "", "", &[Revision::NEWEST_LEGACY]).await;
    assert_eq!(finding(&audit, "optional-members-not-null").severity, Severity::Error);
    let loss = &rejecting(&audit)[0];
    assert_eq!((loss.outcome, loss.fault), (Outcome::Unreachable, Some(Fault::Server)));
    assert_eq!((loss.loses, loss.severity()), (BlastRadius::Session, Severity::Error));
    assert!(loss.reason.contains("`instructions` of the result of `initialize` is null"), "{}", loss.reason);
    assert!(audit.shut_out.iter().all(|out| out.client != loss.client), "{:?}", audit.shut_out);
    assert!(freed_by_omitting_nulls(&audit).contains(&loss.client.as_str()));
    let right = audit_with(r#","instructions":"""#, "", "", &[Revision::NEWEST_LEGACY]).await;
    assert_eq!(rejecting(&right), []);
}

/// The TypeScript SDK takes a server for a legacy one if it cannot read the result of `server/discover`.
#[tokio::test]
async fn a_result_of_discover_that_a_client_cannot_read_costs_it_the_modern_era() {
    let lost = |audit: &Audit| -> Vec<(String, BlastRadius)> {
        losses(&audit.tools[0]).into_iter().map(|(client, loses)| (client.to_owned(), loses)).collect()
    };
    let of_session = |client: &str| (client.to_owned(), BlastRadius::Session);
    let [auto, modern] = ["profile/typescript@2+auto", "profile/typescript@2+modern"].map(of_session);
    let null = r#","instructions":null"#;
    let audit = audit_with("", null, "", &[Revision::NEWEST]).await;
    assert_eq!(lost(&audit), [auto.clone(), modern.clone()]);
    let reason = &audit.tools[0].breaks().next().unwrap().reason;
    assert!(reason.contains("`instructions` of the result of `server/discover` is null"), "{reason}");
    assert_eq!(freed_by_omitting_nulls(&audit).len(), 2);
    // A server of both eras has the handshake, too.
    let audit = audit_with("", null, "", &[Revision::NEWEST_LEGACY, Revision::NEWEST]).await;
    assert_eq!(lost(&audit), [modern]);
    // Neither is any use if clients cannot read it.
    let audit = audit_with(null, null, "", &[Revision::NEWEST_LEGACY, Revision::NEWEST]).await;
    assert!(lost(&audit).contains(&auto), "{:?}", lost(&audit));
    assert_eq!(lost(&audit_with("", "", "", &[Revision::NEWEST]).await), []);
}

#[tokio::test]
async fn what_is_too_large_to_be_replayed_with_each_tool_is_told() {
    let many: &'static str = format!(r#","_meta":[{}0]"#, "0,".repeat(10_000)).leak();
    for (opening, list, method) in [(many, "", "initialize"), ("", many, "tools/list")] {
        let audit = audit_with(opening, "", list, &[Revision::NEWEST_LEGACY]).await;
        let told = finding(&audit, "can-be-replayed");
        assert!(told.detail.contains(&format!("`{method}`")), "{told:?}");
    }
}
