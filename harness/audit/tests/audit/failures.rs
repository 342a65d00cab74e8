//! Calls that fail: in which form the server says so, what is advised, and whom it costs what.

use mcp_compat_model::Revision;
use mcp_compat_model::audit::{Audit, Severity};
use rstest::rstest;

use crate::own_server::{OwnServer, Says};
use crate::server_audit::{finding, findings, of, tool};

const SCHEMA: &str = r#","outputSchema":{"type":"object","required":["n"]}"#;

/// A server with one tool, whose calls are all answered with this error.
async fn failing_with(code: i32, message: &str) -> Audit {
    let (list, message) = (format!(r#""tools":[{}]"#, tool("")), message.to_owned());
    let server = OwnServer::new(&[Revision::NEWEST_LEGACY], move |asked| match asked.tool {
        None => Says::Result(list.clone()),
        Some(_) => Says::Error(format!(r#""code":{code},"message":"{message}""#)),
    });
    of(&server).await
}

fn rules(audit: &Audit) -> Vec<&str> {
    findings(audit).iter().map(|finding| finding.rule.as_str()).collect()
}

#[rstest]
#[case::internal(-32603, true)]
#[case::of_the_server(-32000, true)]
#[case::of_the_headers(-32020, false)]
#[case::of_the_arguments(-32602, false)]
#[tokio::test]
async fn a_failure_of_a_tool_belongs_in_a_result_and_one_of_the_protocol_does_not(
    #[case] code: i32,
    #[case] is_of_tool: bool,
) {
    let audit = failing_with(code, "fetch failed").await;
    assert_eq!(rules(&audit).contains(&"tool-error-in-result"), is_of_tool, "{:?}", findings(&audit));
    if is_of_tool {
        let found = finding(&audit, "tool-error-in-result");
        assert_eq!(found.severity, Severity::Warning);
        assert_eq!(found.remedy, "return the tool's error as a result with `isError`");
    }
}

#[tokio::test]
async fn a_call_that_fails_by_its_revision_is_not_mended_by_another_schema() {
    let list = format!(r#""tools":[{}]"#, tool(SCHEMA));
    let server = OwnServer::new(&Revision::ALL, move |asked| match (asked.tool, asked.revision) {
        (None, _) => Says::Result(list.clone()),
        (Some(_), Revision::V2026_07_28) => Says::Error(r#""code":-32603,"message":"no""#.to_owned()),
        (Some(_), _) => {
            Says::Result(r#""structuredContent":{"n":1},"content":[{"type":"text","text":"{\"n\":1}"}]"#.to_owned())
        }
    });
    let audit = of(&server).await;
    assert!(audit.tools[0].breaks().count() > 0, "its clients lose the call");
    let changes: Vec<(&str, usize)> =
        audit.changes.iter().map(|change| (change.what.as_str(), change.frees.len())).collect();
    assert_eq!(changes, [("return the result at every revision that the server speaks", 0)]);
    assert!(!rules(&audit).contains(&"tool-error-in-result"), "the revision is the reason");
}

#[tokio::test]
async fn a_failure_under_another_name_looks_like_a_success_to_every_client() {
    let result = r#"{"content":[{"type":"text","text":"No such file"}],"is_error":true}"#;
    let audit = of(&OwnServer::with_tool(&tool(""), result)).await;
    let found = finding(&audit, "member-names");
    assert_eq!(
        found.detail,
        "`is_error` of the result of `look` is not `isError`, which clients read, so the failure looks like a success"
    );
    assert_eq!(
        (found.severity, found.remedy.as_str()),
        (Severity::Error, "write the flag of a failed call as `isError`")
    );
    let clients = audit.clients.len();
    assert_eq!((audit.tools[0].losses.len(), audit.tools[0].fine), (clients, 0));
    assert!(audit.tools[0].losses.iter().all(|loss| loss.silent), "{:#?}", audit.tools[0].losses);
    assert_eq!(audit.changes[0].frees.len(), clients);
}

#[tokio::test]
async fn a_failure_in_words_alone_is_mended_by_the_flag_and_not_by_a_value() {
    let result = r#"{"content":[{"type":"text","text":"Error: no such timer"}]}"#;
    let audit = of(&OwnServer::with_tool(&tool(SCHEMA), result)).await;
    let advice = "set `isError: true` on the result of a call that failed";
    assert_eq!(finding(&audit, "structured-content-present").remedy, advice);
    assert_eq!(finding(&audit, "failed-call-is-marked").severity, Severity::Note);
    let [change] = &audit.changes[..] else { panic!("{:#?}", audit.changes) };
    assert_eq!(change.what, advice);
    assert!(!change.frees.is_empty());
}

#[tokio::test]
async fn an_endless_reference_is_the_servers_to_remove() {
    let schema = r##","outputSchema":{"properties":{"a":{"$ref":"#/$defs/l"}},"type":"object","$defs":{"l":{"$ref":"#/$defs/l"}}}"##;
    let result = r#"{"structuredContent":{"a":1},"content":[{"type":"text","text":"{\"a\":1}"}]}"#;
    let audit = of(&OwnServer::with_tool(&tool(schema), result)).await;
    let first = &audit.changes[0];
    assert_eq!(first.what, "remove the reference that leads back to itself");
    assert!(!first.frees.is_empty());
    for loss in &audit.tools[0].losses {
        assert!(!loss.reason.contains("To fix in the client"), "{}", loss.reason);
    }
}

#[tokio::test]
async fn a_reference_to_nowhere_in_an_input_schema_is_told() {
    let schema = r##"{"type":"object","properties":{"p":{"$ref":"#/definitions/P"}}}"##;
    let definition = format!(r#"{{"name":"look","annotations":{{"readOnlyHint":true}},"inputSchema":{schema}}}"#);
    let audit = of(&OwnServer::with_tool(&definition, r#"{"content":[{"type":"text","text":"a"}]}"#)).await;
    let found = finding(&audit, "schema-can-be-used");
    assert!(found.detail.starts_with("nobody can validate against the inputSchema of `look`"), "{}", found.detail);
    assert_eq!((found.severity, found.at.len()), (Severity::Warning, Revision::ALL.len()));
}
