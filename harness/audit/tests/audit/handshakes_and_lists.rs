//! Results that a server sends before its tools and that clients cannot read: they lose the session, or all tools.

use mcp_compat_model::Revision;
use mcp_compat_model::audit::{Audit, AuditedTool, Loss, Severity};
use mcp_compat_model::verdict::{BlastRadius, Fault, Outcome};

use crate::own_server::{OwnServer, Says};
use crate::server_audit::{READS, finding, of};

/// Words of the change to the results that open sessions.
const OPENING: &str = "every member that the schema requires";

/// An audit of a server with two tools, whose results of `initialize`, `server/discover` and `tools/list` have these
/// members besides, each after a comma.
async fn audit_with(
    handshake: &'static str,
    discovery: &'static str,
    list: &'static str,
    spoken: &[Revision],
) -> Audit {
    let server = OwnServer::handshake_with(handshake, discovery, spoken, move |asked| match asked.tool {
        None => Says::Result(format!(r#""tools":[{{"name":"a",{READS}}},{{"name":"b",{READS}}}]{list}"#)),
        Some(_) => Says::Result(r#""content":[{"type":"text","text":"a"}]"#.to_owned()),
    });
    of(&server).await
}

fn losses(tool: &AuditedTool) -> Vec<(&str, BlastRadius)> {
    tool.breaks().map(|loss| (loss.client.as_str(), loss.loses)).collect()
}

/// Clients that a change frees, found by some of its words.
fn freed<'a>(audit: &'a Audit, words: &str) -> Vec<&'a str> {
    let changes: Vec<_> = audit.changes.iter().filter(|change| change.what.contains(words)).collect();
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
        assert_eq!(freed(&audit, "instead of sending null").len(), lost.len());
    }
    let right = audit_with("", "", r#","_meta":{}"#, &[Revision::NEWEST_LEGACY]).await;
    assert!(right.tools.iter().all(|tool| tool.losses.is_empty()), "{right:?}");
}

#[tokio::test]
async fn a_list_with_a_member_of_a_wrong_type_is_played_without_it() {
    let audit = audit_with("", "", r#","_meta":[]"#, &[Revision::NEWEST_LEGACY]).await;
    assert_eq!(finding(&audit, "list-members").severity, Severity::Error);
    let lost = losses(&audit.tools[0]);
    assert!(lost.iter().any(|(client, _)| *client == "profile/python@1"), "{lost:?}");
    assert_eq!(freed(&audit, "`_meta` of a list as an object").len(), lost.len());
}

/// The TypeScript SDK wants a text where the server sends null, and opens no session.
#[tokio::test]
async fn a_result_of_initialize_that_a_client_cannot_read_costs_it_the_session() {
    let rejecting = |audit: &Audit| -> Vec<Loss> {
        let of_client = |loss: &&Loss| loss.client.as_str() == "profile/typescript@1";
        audit.tools[0].breaks().filter(of_client).cloned().collect()
    };
    let audit = audit_with(r#","instructions":null"#, "", "", &[Revision::NEWEST_LEGACY]).await;
    assert_eq!(finding(&audit, "initialize-members").severity, Severity::Error);
    let loss = &rejecting(&audit)[0];
    assert_eq!((loss.outcome, loss.fault), (Outcome::Unreachable, Some(Fault::Server)));
    assert_eq!((loss.loses, loss.severity()), (BlastRadius::Session, Severity::Error));
    assert!(loss.reason.contains("`instructions` of the result of `initialize` is null"), "{}", loss.reason);
    assert!(audit.shut_out.iter().all(|out| out.client != loss.client), "{:?}", audit.shut_out);
    assert!(freed(&audit, OPENING).contains(&loss.client.as_str()));
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
    assert_eq!(freed(&audit, OPENING).len(), 2);
    // A server of both eras has the handshake, too.
    let audit = audit_with("", null, "", &[Revision::NEWEST_LEGACY, Revision::NEWEST]).await;
    assert_eq!(lost(&audit), [modern]);
    // Neither is any use if clients cannot read it.
    let audit = audit_with(null, null, "", &[Revision::NEWEST_LEGACY, Revision::NEWEST]).await;
    assert!(lost(&audit).contains(&auto), "{:?}", lost(&audit));
    assert_eq!(lost(&audit_with("", "", "", &[Revision::NEWEST]).await), []);
}

/// Such a client has the list of another revision.
#[tokio::test]
async fn a_client_that_goes_on_in_the_other_era_has_the_tools_of_that_era() {
    let both = [Revision::NEWEST_LEGACY, Revision::NEWEST];
    let server = OwnServer::handshake_with("", r#","instructions":null"#, &both, move |asked| match asked.tool {
        None => {
            let new = format!(r#",{{"name":"new",{READS}}}"#);
            let new = if asked.revision == Revision::NEWEST { new.as_str() } else { "" };
            Says::Result(format!(r#""tools":[{{"name":"old",{READS}}}{new}]"#))
        }
        Some(_) => Says::Result(r#""content":[{"type":"text","text":"a"}]"#.to_owned()),
    });
    let audit = of(&server).await;
    let tool = |name: &str| audit.tools.iter().find(|tool| tool.name == name).unwrap();
    let loses = |name: &str, client: &str| tool(name).breaks().any(|loss| loss.client.as_str() == client);
    assert!(!loses("old", "profile/typescript@2+auto"));
    assert!(loses("new", "profile/typescript@2+auto") && !loses("new", "profile/python@2+auto"));
    assert_eq!(tool("new").fine + tool("new").breaks().count(), audit.in_session());
}

/// A server of both eras is not told to speak the era that it speaks.
#[tokio::test]
async fn an_answer_to_discover_that_nobody_can_read_is_told_in_place_of_a_missing_era() {
    let both = [Revision::NEWEST_LEGACY, Revision::NEWEST];
    let audit = audit_with("", r#","supportedVersions":["2026-07-28",null]"#, "", &both).await;
    assert_eq!(audit.spoken, [Revision::NEWEST_LEGACY]);
    let told = finding(&audit, "discover-members");
    assert_eq!((told.severity, &*told.at), (Severity::Error, &[Revision::NEWEST][..]));
    assert_eq!(told.detail, "`supportedVersions[1]` of the result of `server/discover` is null");
    assert_eq!(freed(&audit, OPENING).len(), 3);
    assert!(audit.changes.iter().all(|change| !change.what.starts_with("speak ")), "{:?}", audit.changes);
}

#[tokio::test]
async fn two_faults_of_one_list_are_mended_together() {
    let audit = audit_with("", "", r#","_meta":5,"nextCursor":null"#, &[Revision::NEWEST_LEGACY]).await;
    let lost = losses(&audit.tools[0]);
    let typescript = lost.iter().filter(|(client, _)| client.starts_with("profile/typescript@")).count();
    assert!(typescript > 0 && freed(&audit, "`_meta` of a list").len() == lost.len() - typescript, "{lost:?}");
    assert_eq!(freed(&audit, "instead of sending null"), [""; 0]);
    let is_freed = |client: &str| audit.together.iter().any(|freed| freed.as_str() == client);
    assert!(lost.iter().all(|(client, _)| is_freed(client)), "{:?}", audit.together);
}

/// A member that the revision does not define may hold anything; most clients decode it all the same.
#[tokio::test]
async fn a_member_of_later_revisions_is_told_and_mended() {
    let handshake = r#","capabilities":{"tools":{},"extensions":true}"#;
    let audit = audit_with(handshake, "", "", &[Revision::NEWEST_LEGACY]).await;
    let told = finding(&audit, "members-of-later-revisions");
    let expected = "`capabilities.extensions` of the result of `initialize` is a JSON boolean instead of an object, and \
                    2025-11-25 does not define it";
    assert_eq!((told.severity, told.detail.as_str()), (Severity::Warning, expected));
    let loss = audit.tools[0].breaks().find(|loss| loss.client.as_str() == "profile/typescript@1").unwrap();
    assert_eq!(loss.fault, Some(Fault::Client));
    assert!(loss.reason.contains("`capabilities.extensions` of the result of `initialize`"), "{}", loss.reason);
    assert_eq!(freed(&audit, OPENING).len(), losses(&audit.tools[0]).len());
}

#[tokio::test]
async fn what_is_too_large_to_be_replayed_is_told_once_and_the_tools_are_replayed() {
    let icon = format!(r#"{{"src":"https://a.example/{}"}}"#, "a".repeat(20_000));
    let handshake: &'static str = format!(r#","serverInfo":{{"name":"s","icons":[{icon}]}}"#).leak();
    let audit = audit_with(handshake, "", "", &[Revision::NEWEST_LEGACY]).await;
    let told = finding(&audit, "opening-is-replayed");
    assert!(told.detail.starts_with("the result of `initialize` is not replayed to clients"), "{told:?}");
    assert!(audit.tools.iter().all(|tool| tool.fine > 0), "{audit:?}");
}

#[tokio::test]
async fn a_long_list_member_costs_no_more_than_a_short_one() {
    let many: &'static str = format!(r#","_meta":[{}0]"#, "0,".repeat(10_000)).leak();
    let [long, short] = [many, r#","_meta":[0]"#];
    let lost = async |list| {
        let audit = audit_with("", "", list, &[Revision::NEWEST_LEGACY]).await;
        losses(&audit.tools[0]).into_iter().map(|(client, _)| client.to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(lost(long).await, lost(short).await);
}
