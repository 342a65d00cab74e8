//! The audit of servers that do not know mcp-compat: every defect is reported with its rule, a server without defects
//! has no findings, and what was not seen never counts as working.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use mcp_compat_audit::probe::ProbeTimeouts;
use mcp_compat_audit::server::{AskedCall, AuditError, AuditOptions, audit};
use mcp_compat_json::{MAX_DEPTH, MAX_VALUES};
use mcp_compat_model::audit::{Audit, AuditFinding, CallState, Loss, Severity};
use mcp_compat_model::verdict::{BlastRadius, Outcome, Rating};
use mcp_compat_model::{Era, Revision};
use rstest::rstest;

use crate::own_server::{Asked, OwnServer, Says};

pub(crate) const READS: &str = r#""annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"}"#;

pub(crate) const RIGHT: &str = r#"{"structuredContent":{"n":1},"content":[{"type":"text","text":"{\"n\":1}"}]}"#;

pub(crate) fn timeouts() -> ProbeTimeouts {
    ProbeTimeouts { start: Duration::from_secs(20), step: Duration::from_secs(20), ..ProbeTimeouts::default() }
}

async fn audited(server: &Arc<OwnServer>, options: &AuditOptions) -> Result<Audit, AuditError> {
    audit(server.target(), options, timeouts(), |_| {}, &mut |_, _, _| {}).await.map(|audited| audited.audit)
}

pub(crate) async fn of(server: &Arc<OwnServer>) -> Audit {
    audited(server, &AuditOptions::default()).await.unwrap()
}

/// One read-only tool, with these further members of its definition.
pub(crate) fn tool(rest: &str) -> String {
    format!(r#"{{"name":"look",{READS}{rest}}}"#)
}

pub(crate) fn findings(audit: &Audit) -> Vec<&AuditFinding> {
    audit.findings.iter().chain(audit.tools.iter().flat_map(|tool| &tool.findings)).collect()
}

pub(crate) fn finding<'a>(audit: &'a Audit, rule: &str) -> &'a AuditFinding {
    let found = findings(audit).into_iter().find(|finding| finding.rule == rule);
    found.unwrap_or_else(|| panic!("no {rule} in {:#?}", findings(audit)))
}

/// A pattern that is longer than a mock reads. What stands in for a client that validates cannot tell what the client
/// does.
#[tokio::test]
async fn what_a_mock_cannot_find_out_is_neither_fine_nor_lost() {
    let of_pattern = |length| {
        let pattern = "a".repeat(length);
        let schema = format!(r#","outputSchema":{{"type":"object","properties":{{"b":{{"pattern":"{pattern}"}}}}}}"#);
        OwnServer::with_tool(&tool(&schema), RIGHT)
    };
    let long = of(&of_pattern(21_000)).await;
    let look = &long.tools[0];
    assert_eq!((look.fine + look.not_known, look.losses.as_slice()), (long.clients.len(), &[][..]));
    assert!(look.not_known > 0 && look.fine > 0, "{look:?}");
    finding(&long, "schema-can-be-checked");
    let short = of(&of_pattern(1_000)).await;
    assert_eq!((short.tools[0].fine, short.tools[0].not_known), (short.clients.len(), 0));
}

#[tokio::test]
async fn a_server_with_which_nothing_is_wrong_is_told_so() {
    let server = OwnServer::with_tool(&tool(r#","outputSchema":{"type":"object","required":["n"]}"#), RIGHT);
    let audit = of(&server).await;
    assert_eq!(audit.spoken, Revision::ALL);
    let unknown: Vec<_> = findings(&audit).iter().map(|finding| finding.rule.as_str()).collect();
    assert_eq!(unknown, ["structured-output-known"], "2025-03-26 and before have no output schema");
    let look = &audit.tools[0];
    let called =
        CallState::Answered { arguments: "{}".to_owned(), at: Revision::ALL.to_vec(), again: true, failed: Vec::new() };
    assert_eq!((&look.call, look.fine), (&called, audit.clients.len()));
    assert_eq!(server.called().len(), Revision::ALL.len() + 1, "once at each, and again at the newest");
    assert_eq!((audit.changes.as_slice(), audit.shut_out.as_slice()), (&[][..], &[][..]));
    assert_eq!((audit.server.name.as_str(), audit.server.version.as_str()), ("own", "1.0.0"));
}

#[rstest]
#[case::violates_its_own_schema(
    r#","outputSchema":{"type":"object","required":["m"]}"#,
    RIGHT,
    "structured-content-conforms",
    Severity::Error
)]
#[case::leaves_structured_content_out(
    r#","outputSchema":{"type":"object"}"#,
    r#"{"content":[{"type":"text","text":"n"}]}"#,
    "structured-content-present",
    Severity::Error
)]
#[case::hides_it_in_text(
    "",
    r#"{"content":[{"type":"text","text":"{\"n\":1}"}]}"#,
    "value-is-structured",
    Severity::Note
)]
#[case::sends_an_array_on_a_legacy_session(
    "",
    r#"{"structuredContent":[1],"content":[{"type":"text","text":"[1]"}]}"#,
    "structured-content-object",
    Severity::Error
)]
#[case::leaves_the_text_out("", r#"{"structuredContent":{"n":1},"content":[]}"#, "text-fallback", Severity::Warning)]
#[case::advertises_an_invalid_schema(
    r#","outputSchema":{"type":"objekt"}"#,
    RIGHT,
    "output-schema-valid",
    Severity::Error
)]
#[case::advertises_a_reference_to_nowhere(
    r##","outputSchema":{"type":"object","properties":{"n":{"$ref":"#/$defs/n"}}}"##,
    RIGHT,
    "schema-can-be-used",
    Severity::Error
)]
#[case::advertises_a_number_beyond_what_is_held(
    r#","outputSchema":{"type":"object","properties":{"n":{"maximum":1e999}}}"#,
    RIGHT,
    "schema-can-be-checked",
    Severity::Note
)]
#[case::advertises_a_reference_into_the_network(
    r#","outputSchema":{"type":"object","properties":{"n":{"$ref":"https://example.org/n.json"}}}"#,
    RIGHT,
    "schema-stands-alone",
    Severity::Error
)]
#[case::says_another_value_in_the_text(
    "",
    r#"{"structuredContent":{"n":1},"content":[{"type":"text","text":"{\"n\":2}"}]}"#,
    "text-agrees",
    Severity::Error
)]
#[case::copies_a_list_into_an_object(
    "",
    r#"{"structuredContent":{"0":{"n":1},"1":2},"content":[{"type":"text","text":"[{\"n\":1},2]"}]}"#,
    "list-stays-a-list",
    Severity::Warning
)]
#[case::says_more_in_the_text(
    "",
    r#"{"structuredContent":{"n":1},"content":[{"type":"text","text":"{\"n\":1,\"created\":null}"}]}"#,
    "text-repeats-value",
    Severity::Warning
)]
#[case::wraps_a_plain_value(
    "",
    r#"{"structuredContent":{"result":"14"},"content":[{"type":"text","text":"14"}]}"#,
    "text-repeats-wrapper",
    Severity::Note
)]
#[case::violates_a_format(
    r#","outputSchema":{"type":"object","properties":{"at":{"type":"string","format":"date-time"}}}"#,
    r#"{"structuredContent":{"at":"now"},"content":[{"type":"text","text":"{\"at\":\"now\"}"}]}"#,
    "value-matches-format",
    Severity::Warning
)]
#[case::sends_a_number_beyond_a_double(
    "",
    r#"{"structuredContent":{"n":1e400},"content":[{"type":"text","text":"{\"n\":1e400}"}]}"#,
    "numbers-fit-a-double",
    Severity::Error
)]
#[case::sends_an_integer_that_no_double_is(
    "",
    r#"{"structuredContent":{"n":9007199254740993},"content":[{"type":"text","text":"{\"n\":9007199254740993}"}]}"#,
    "integers-fit-a-double",
    Severity::Warning
)]
#[case::sends_half_a_surrogate_pair(
    "",
    r#"{"structuredContent":{"s":"\ud800"},"content":[{"type":"text","text":"{\"s\":\"\\ud800\"}"}]}"#,
    "strings-are-unicode",
    Severity::Error
)]
#[case::sends_null_in_place_of_no_value(
    "",
    r#"{"structuredContent":null,"content":[{"type":"text","text":"done"}]}"#,
    "optional-members-not-null",
    Severity::Error
)]
#[case::sends_text_of_another_type(
    "",
    r#"{"structuredContent":{"n":3,"unit":"m"},"content":[{"type":"text","text":"3"}]}"#,
    "text-fallback",
    Severity::Warning
)]
#[case::fails_with_a_value_that_violates_the_schema(
    r#","outputSchema":{"type":"object","required":["n"]}"#,
    r#"{"structuredContent":{"why":1},"isError":true,"content":[{"type":"text","text":"no"}]}"#,
    "error-value-conforms",
    Severity::Warning
)]
#[case::refuses_its_own_result(
    r#","outputSchema":{"type":"object","required":["n"]}"#,
    r#"{"isError":true,"content":[{"type":"text","text":"Output validation error: 'n' is a required property"}]}"#,
    "own-result-accepted",
    Severity::Error
)]
#[case::gives_nulls_for_what_it_does_not_have(r#","title":null"#, RIGHT, "optional-members-not-null", Severity::Error)]
#[tokio::test]
async fn what_is_wrong_with_a_tool_is_told_with_its_rule(
    #[case] rest: &str,
    #[case] result: &str,
    #[case] rule: &str,
    #[case] severity: Severity,
) {
    let audit = of(&OwnServer::with_tool(&tool(rest), result)).await;
    let found = finding(&audit, rule);
    assert_eq!(found.severity, severity, "{found:#?}");
    assert!(!found.remedy.is_empty() && !found.at.is_empty(), "{found:#?}");
    // The same server without that is not told so.
    let right = of(&OwnServer::with_tool(&tool(r#","outputSchema":{"type":"object"}"#), RIGHT)).await;
    assert!(findings(&right).iter().all(|finding| finding.rule != rule));
}

#[tokio::test]
async fn an_array_costs_the_clients_of_earlier_revisions_the_whole_server_and_a_wrapper_frees_them() {
    let array = r#"{"structuredContent":[1],"content":[{"type":"text","text":"[1]"}]}"#;
    let server = OwnServer::with_tool(&tool(r#","outputSchema":{"type":"array"}"#), array);
    let audit = of(&server).await;
    let of = |client: &str| audit.tools[0].losses.iter().find(|loss| loss.client.as_str() == client);
    let typescript = of("profile/typescript@1").unwrap();
    assert_eq!((typescript.loses, typescript.outcome), (BlastRadius::Server, Outcome::Rejected));
    assert_eq!(typescript.negotiated, Some(Revision::V2025_11_25));
    assert_eq!(of("mock/dual+auto"), None, "who speaks 2026-07-28 takes any value");
    let change = &audit.changes[0];
    assert!(change.what.contains("under one key of an object") && change.tools == ["look"], "{change:#?}");
    assert_eq!(change.frees.len(), audit.tools[0].losses.len(), "all of them: {change:#?}");
    assert_eq!(audit.worst(), Some(Severity::Error));
}

#[tokio::test]
async fn a_server_of_one_era_shuts_out_the_clients_of_the_other() {
    let legacy: Vec<Revision> = Revision::ALL.into_iter().filter(|revision| revision.era() == Era::Legacy).collect();
    let list = format!(r#""tools":[{}]"#, tool(""));
    let says = move |asked: &Asked<'_>| match asked.tool {
        None => Says::Result(list.clone()),
        Some(_) => Says::Result(r#""content":[{"type":"text","text":"hello"}]"#.to_owned()),
    };
    let modern = OwnServer::new(&[Revision::V2026_07_28], says.clone());
    let server = OwnServer::new(&legacy, says);
    let audit = of(&server).await;
    assert_eq!(audit.refused.iter().map(|refused| refused.revision).collect::<Vec<_>>(), [Revision::V2026_07_28]);
    let out: Vec<&str> = audit.shut_out.iter().map(|loss| loss.client.as_str()).collect();
    assert_eq!(out, ["profile/python@2+modern", "profile/rmcp@3+modern", "profile/typescript@2+modern"]);
    assert_eq!((audit.worst(), audit.out_of_reach().count()), (None, 0), "no server has to speak 2026-07-28");
    assert!(audit.changes.iter().all(|change| !change.what.contains("text block")), "{:#?}", audit.changes);
    let audit = of(&modern).await;
    let [change] = &audit.changes[..] else { panic!("{:#?}", audit.changes) };
    assert_eq!((change.what.as_str(), change.frees.len()), ("speak 2025-11-25 too", audit.shut_out.len()));
    assert_eq!(audit.worst(), Some(Severity::Warning), "older clients have no session");
    assert_eq!(audit.out_of_reach().count(), audit.shut_out.len());
}

#[tokio::test]
async fn the_value_of_an_error_matters_where_clients_know_structured_output() {
    let result = r#"{"structuredContent":{"why":1},"isError":true,"content":[{"type":"text","text":"no"}]}"#;
    let audit = of(&OwnServer::with_tool(&tool(r#","outputSchema":{"type":"object","required":["n"]}"#), result)).await;
    let at = &finding(&audit, "error-value-conforms").at;
    assert_eq!(*at, [Revision::V2025_06_18, Revision::V2025_11_25, Revision::V2026_07_28]);
}

#[tokio::test]
async fn a_tool_that_comes_and_goes_is_named() {
    let names = |session: usize| if session.is_multiple_of(2) { &["look", "guest"][..] } else { &["look"] };
    let list = move |session: usize| {
        let tools: Vec<String> = names(session).iter().map(|name| format!(r#"{{"name":"{name}",{READS}}}"#)).collect();
        format!(r#""tools":[{}]"#, tools.join(","))
    };
    let server = OwnServer::new(&[Revision::V2025_11_25], move |asked| match asked.tool {
        None => Says::Result(list(asked.session)),
        Some(_) => Says::Result(r#""content":[]"#.to_owned()),
    });
    let audit = of(&server).await;
    let detail = &finding(&audit, "list-holds").detail;
    assert!(detail.ends_with("changes from start to start: not every start has `guest`"), "{detail}");
}

#[tokio::test]
async fn a_list_that_fails_is_told_as_that_and_not_as_an_empty_one() {
    let fails = |at: fn(&Asked<'_>) -> bool| {
        let server = OwnServer::new(&Revision::ALL, move |asked| match asked.tool {
            None if at(asked) => Says::Error(r#""code":-32000,"message":"too busy""#.to_owned()),
            None => Says::Result(format!(r#""tools":[{}]"#, tool(""))),
            Some(_) => Says::Result(r#""content":[]"#.to_owned()),
        });
        async move { of(&server).await }
    };
    // There are five sessions that list the tools only.
    let audit = fails(|asked| asked.session >= 5 && asked.revision == Revision::V2025_03_26).await;
    let told = findings(&audit);
    let of_lists = |rule: &str| ["list-holds", "tool-at-every-revision"].contains(&rule);
    assert!(told.iter().all(|finding| !of_lists(&finding.rule)), "{told:#?}");

    let audit = fails(|asked| asked.revision == Revision::V2025_03_26).await;
    assert!(findings(&audit).iter().all(|finding| finding.rule != "tool-at-every-revision"));
    let missing = finding(&audit, "offered-revision-is-served");
    assert_eq!((missing.severity, missing.at.as_slice()), (Severity::Error, &[Revision::V2025_03_26][..]));
    assert_eq!(
        missing.detail,
        "the server offers 2025-03-26, and does not list its tools at it: tools/list failed: too busy"
    );
}

#[tokio::test]
async fn what_differs_between_sessions_is_told() {
    let list = |revision: Revision, session: usize| {
        let only_modern =
            if revision.era() == Era::Modern { format!(r#",{{"name":"new",{READS}}}"#) } else { String::new() };
        let title = if session >= 5 { r#","title":"Other""# } else { "" };
        format!(r#""tools":[{{"name":"look",{READS}{title}}}{only_modern},{{"name":"ghost",{READS}}}]"#)
    };
    let server = OwnServer::new(&Revision::ALL, move |asked| match asked.tool {
        None => Says::Result(list(asked.revision, asked.session)),
        Some(tool) if !["look", "new"].contains(&tool) => {
            Says::Error(format!(r#""code":-32602,"message":"Unknown tool: {tool}""#))
        }
        // The last session is the one in which everything is called again.
        Some(_) if asked.session == 10 => Says::Result(r#""structuredContent":{"m":1},"content":[]"#.to_owned()),
        Some(_) => Says::Result(r#""structuredContent":{"n":1},"content":[]"#.to_owned()),
    });
    let audit = of(&server).await;
    let missing = finding(&audit, "tool-at-every-revision");
    assert_eq!(missing.at, [Revision::V2026_07_28]);
    assert!(missing.detail.starts_with("`new` is not listed at 2024-11-05, "), "{}", missing.detail);
    assert_eq!(finding(&audit, "list-holds").at, Revision::ALL);
    let detail = &finding(&audit, "list-holds").detail;
    assert!(detail.ends_with("changes from start to start: `look` differs at /title"), "{detail}");
    let ghost = finding(&audit, "listed-tool-is-known");
    assert_eq!((ghost.severity, ghost.at.len()), (Severity::Error, 5));
    let shape = finding(&audit, "answers-alike");
    assert!(shape.detail.contains("{n: number}, no content, then {m: number}, no content"), "{}", shape.detail);
    assert_eq!(shape.severity, Severity::Warning);
}

#[tokio::test]
async fn a_second_answer_that_violates_the_schema_is_an_error() {
    let schema = r#","outputSchema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}"#;
    let server = OwnServer::new(&Revision::ALL, move |asked| match asked.tool {
        None => Says::Result(format!(r#""tools":[{}]"#, tool(schema))),
        Some(_) if asked.session == 10 => Says::Result(r#""structuredContent":{"n":"1"},"content":[]"#.to_owned()),
        Some(_) => Says::Result(r#""structuredContent":{"n":1},"content":[]"#.to_owned()),
    });
    let audit = of(&server).await;
    let shape = finding(&audit, "answers-alike");
    assert_eq!(shape.severity, Severity::Error);
    assert!(shape.detail.contains("The second violates the outputSchema"), "{}", shape.detail);
}

#[tokio::test]
async fn a_call_that_fails_at_one_revision_is_lost_to_its_clients() {
    let audit = of(&fails_at_the_older_revision(READS, |_| true)).await;
    let tool = &audit.tools[0];
    let is_old = |loss: &Loss| loss.negotiated == Some(Revision::V2025_11_25) && loss.outcome == Outcome::Told;
    assert!(!tool.losses.is_empty() && tool.losses.iter().all(is_old), "{:#?}", tool.losses);
    assert_eq!(tool.fine + tool.losses.len(), audit.in_session());
    assert_eq!(finding(&audit, "call-works-at-every-revision").at, [Revision::V2025_11_25]);
    assert!(
        matches!(&tool.call, CallState::Answered { failed, again: true, .. } if *failed == [Revision::V2025_11_25])
    );
}

/// A server with one tool, which returns a result at the newest revision, and fails at an older one in the sessions of
/// which `fails` says so.
fn fails_at_the_older_revision(definition: &'static str, fails: fn(usize) -> bool) -> Arc<OwnServer> {
    OwnServer::new(&[Revision::V2025_11_25, Revision::NEWEST], move |asked| match (asked.tool, asked.revision) {
        (None, _) => Says::Result(format!(r#""tools":[{{"name":"look",{definition}}}]"#)),
        (Some(_), Revision::V2025_11_25) if fails(asked.session) => {
            Says::Error(r#""code":-32603,"message":"no""#.to_owned())
        }
        (Some(_), _) => Says::Result(r#""content":[{"type":"text","text":"ok"}]"#.to_owned()),
    })
}

#[tokio::test]
async fn a_call_that_need_not_fail_by_the_revision_is_no_loss_and_its_clients_are_not_fine() {
    // A second call of an idempotent tool may fail, and of one without a claim, too. Chance ends with the session.
    let idempotent = r#""annotations":{"idempotentHint":true},"inputSchema":{"type":"object"}"#;
    let unmarked = r#""inputSchema":{"type":"object"}"#;
    let [always, once]: [fn(usize) -> bool; 2] = [|_| true, |session| session < LAST_OF_CALLS];
    for (definition, fails) in [(idempotent, always), (unmarked, always), (READS, once)] {
        let options = AuditOptions { calls: vec![AskedCall::of_word("look")], ..AuditOptions::default() };
        let audit = audited(&fails_at_the_older_revision(definition, fails), &options).await.unwrap();
        let tool = &audit.tools[0];
        assert_eq!(tool.losses, [], "{definition}");
        assert!(tool.fine > 0 && tool.fine < audit.in_session(), "{}", tool.fine);
        assert_eq!(finding(&audit, "revisions-agree").at, [Revision::V2025_11_25]);
    }
}

/// The first session after those in which the tools are listed and called.
const LAST_OF_CALLS: usize = 8;

#[tokio::test]
async fn a_tool_that_refuses_its_arguments_is_known() {
    let server = OwnServer::new(&[Revision::V2025_11_25], |asked| match asked.tool {
        None => Says::Result(format!(r#""tools":[{}]"#, tool(""))),
        Some("look") => Says::Error(r#""code":-32602,"message":"/path of look not found""#.to_owned()),
        Some(tool) => Says::Error(format!(r#""code":-32602,"message":"Tool {tool} not found""#)),
    });
    let audit = of(&server).await;
    assert!(findings(&audit).iter().all(|finding| finding.rule != "listed-tool-is-known"), "{:#?}", findings(&audit));
    assert_eq!(server.called(), ["look", "look", "unlisted_tool"]);
}

#[tokio::test]
async fn what_differs_between_eras_is_told() {
    let server = OwnServer::new(&Revision::ALL, move |asked| match (asked.tool, asked.revision.era()) {
        (None, Era::Modern) => {
            Says::Result(format!(r#""tools":[{{"name":"look",{READS},"outputSchema":{{"type":"array"}}}}]"#))
        }
        (None, Era::Legacy) => Says::Result(format!(r#""tools":[{{"name":"look",{READS}}}]"#)),
        (Some(_), Era::Modern) => {
            Says::Result(r#""structuredContent":[1],"content":[{"type":"text","text":"[1]"}]"#.to_owned())
        }
        (Some(_), Era::Legacy) => Says::Result(r#""content":[{"type":"text","text":"[1]"}]"#.to_owned()),
    });
    let audit = of(&server).await;
    let differs = finding(&audit, "revisions-agree");
    assert_eq!(differs.severity, Severity::Note, "a server may adapt to its clients");
    assert!(
        differs
            .detail
            .contains("has another outputSchema, and answers in another shape, at 2025-06-18 than at 2026-07-28"),
        "{}",
        differs.detail
    );
    assert_eq!(audit.tools[0].losses, [], "and this is how it should: {:#?}", audit.tools[0].losses);
}

#[tokio::test]
async fn a_tool_that_is_marked_destructive_is_never_called_and_what_is_not_seen_is_said() {
    let list = format!(
        r#""tools":[{{"name":"look",{READS}}},{{"name":"make","inputSchema":{{"type":"object"}}}},
           {{"name":"drop","inputSchema":{{"type":"object"}},"annotations":{{"destructiveHint":true,"readOnlyHint":true}}}}]"#
    );
    let server = OwnServer::new(&Revision::ALL, move |asked| match asked.tool {
        None => Says::Result(list.replace('\n', " ")),
        Some(_) => Says::Result(r#""content":[{"type":"text","text":"no such file"}],"isError":true"#.to_owned()),
    });
    let audit = of(&server).await;
    assert!(server.called().iter().all(|tool| tool == "look"), "{:?}", server.called());
    let option = |at: usize| match &audit.tools[at].call {
        CallState::NotCalled { option, .. } => option.clone(),
        CallState::Failed { why, .. } => Some(why.clone()),
        CallState::Answered { .. } => unreachable!("nothing was seen: {:#?}", audit.tools),
    };
    let told = [0, 1, 2].map(option);
    assert_eq!(told[0].as_deref(), Some("the tool failed: no such file"));
    assert_eq!(told[1].as_deref(), Some("--call make"));
    assert_eq!(told[2], None);
}

#[tokio::test]
async fn every_tool_of_a_large_server_is_seen() {
    const MANY: usize = 250;
    let tools: Vec<String> = (0..MANY).map(|number| format!(r#"{{"name":"tool_{number}",{READS}}}"#)).collect();
    let list = format!(r#""tools":[{}]"#, tools.join(","));
    let server = OwnServer::new(&[Revision::V2025_11_25], move |asked| match asked.tool {
        None => Says::Result(list.clone()),
        Some(tool) => Says::Result(format!(r#""content":[{{"type":"text","text":"{tool}"}}]"#)),
    });
    let audit = of(&server).await;
    let seen = audit.tools.iter().filter(|tool| matches!(tool.call, CallState::Answered { .. })).count();
    assert_eq!(seen, MANY);
}

#[tokio::test]
async fn a_tool_that_never_answers_is_the_servers_fault_and_nobodys_success() {
    let list = format!(r#""tools":[{}]"#, tool(""));
    let server = OwnServer::new(&[Revision::V2025_11_25], move |asked| match asked.tool {
        None => Says::Result(list.clone()),
        Some(_) => Says::Nothing,
    });
    let timeouts = ProbeTimeouts { step: Duration::from_millis(300), ..timeouts() };
    let audited = audit(server.target(), &AuditOptions::default(), timeouts, |_| {}, &mut |_, _, _| {}).await.unwrap();
    let open = finding(&audited.audit, "call-is-answered");
    assert_eq!((open.severity, open.at.as_slice()), (Severity::Error, &[Revision::V2025_11_25][..]), "{open:#?}");
    assert!(matches!(audited.audit.tools[0].call, CallState::Failed { .. }), "{:#?}", audited.audit.tools[0]);
    let tool = &audited.audit.tools[0];
    assert_eq!((tool.losses.len(), tool.fine), (audited.audit.in_session(), 0), "every client loses it");
    assert!(tool.losses.iter().all(|loss| (loss.outcome, loss.loses) == (Outcome::Hung, BlastRadius::Call)));
    assert!(matches!(&tool.call, CallState::Failed { option: None, .. }), "other arguments bring no answer");
    assert!(audited.record.cells.iter().all(|cell| cell.rating != Rating::Works), "nothing of it was seen");
    assert_eq!(audited.audit.lost_to_most().count(), 1);
}

#[tokio::test]
async fn a_value_that_the_server_refuses_itself_is_lost_to_all() {
    let refused = r#"{"isError":true,"content":[{"type":"text","text":"Output validation error: no"}]}"#;
    let audit = of(&OwnServer::with_tool(&tool(r#","outputSchema":{"type":"object"}"#), refused)).await;
    assert_eq!((audit.tools[0].losses.len(), audit.tools[0].fine), (audit.clients.len(), 0));
    for (model, is_own) in [("lookOutput", true), ("lookDictOutput", true), ("lookArguments", false), ("Output", false)]
    {
        let text = format!(r"Error executing tool look: 1 validation error for {model}\nresult.0\n  no");
        let refused = format!(r#"{{"isError":true,"content":[{{"type":"text","text":"{text}"}}]}}"#);
        let audit = of(&OwnServer::with_tool(&tool(r#","outputSchema":{"type":"object"}"#), &refused)).await;
        assert_eq!(audit.tools[0].losses.is_empty(), !is_own, "{model}");
    }
    let failed = r#"{"isError":true,"content":[{"type":"text","text":"no such file"}]}"#;
    let audit = of(&OwnServer::with_tool(&tool(r#","outputSchema":{"type":"object"}"#), failed)).await;
    assert_eq!((audit.tools[0].losses.len(), audit.tools[0].fine), (0, audit.clients.len()), "a tool may fail");
}

#[tokio::test]
async fn a_schema_over_which_most_clients_lose_the_call_is_an_error() {
    let nowhere = r##","outputSchema":{"type":"object","properties":{"n":{"$ref":"#/$defs/n"}}}"##;
    let audit = of(&OwnServer::with_tool(&tool(nowhere), RIGHT)).await;
    assert_eq!(audit.lost_to_most().count(), 1, "{:#?}", audit.tools[0].losses);
    assert_eq!(finding(&audit, "schema-can-be-used").severity, Severity::Error);
}

#[tokio::test]
async fn every_loss_by_a_result_has_a_change_that_was_seen_to_end_it() {
    let with = |rest: &str, result: &str| OwnServer::with_tool(&tool(rest), result);
    let format = r#","outputSchema":{"type":"object","properties":{"at":{"type":"string","format":"date-time"}}}"#;
    let draft_04 = r##","outputSchema":{"$schema":"http://json-schema.org/draft-04/schema#","type":"object","properties":{"n":{"type":"number","minimum":0,"exclusiveMinimum":true}}}"##;
    let endless = r##","outputSchema":{"type":"object","allOf":[{"$ref":"#"}]}"##;
    for server in [
        with(format, r#"{"structuredContent":{"at":"now"},"content":[{"type":"text","text":"{\"at\":\"now\"}"}]}"#),
        with("", r#"{"structuredContent":{"n":1e400},"content":[{"type":"text","text":"{\"n\":1e400}"}]}"#),
        with(draft_04, RIGHT),
        with(endless, RIGHT),
    ] {
        let audit = of(&server).await;
        let losers: BTreeSet<_> = audit.tools[0].breaks().map(|loss| loss.client.clone()).collect();
        let freed: BTreeSet<_> = audit.changes.iter().flat_map(|change| change.frees.clone()).collect();
        assert!(!losers.is_empty() && losers.is_subset(&freed), "{losers:?} {:#?}", audit.changes);
        assert!(findings(&audit).iter().any(|finding| finding.severity > Severity::Note), "{:#?}", findings(&audit));
    }
}

#[tokio::test]
async fn a_value_that_is_missing_is_not_mended_by_leaving_the_schema_out() {
    let text = r#"{"content":[{"type":"text","text":"hello"}]}"#;
    let audit = of(&OwnServer::with_tool(&tool(r#","outputSchema":{"type":"object"}"#), text)).await;
    assert!(audit.changes.iter().all(|change| !change.what.contains("omit the outputSchema")), "{:#?}", audit.changes);
    assert!(audit.changes.iter().any(|change| change.what.contains("return structuredContent")));
}

#[tokio::test]
async fn a_text_block_that_is_there_is_not_asked_for() {
    let more = r#"{"structuredContent":{"n":1},"content":[{"type":"text","text":"{\"n\":1,\"created\":null}"}]}"#;
    let wrapped = r#"{"structuredContent":{"result":"14"},"content":[{"type":"text","text":"14"}]}"#;
    let of_text = |audit: &Audit| {
        audit.changes.iter().map(|change| change.what.clone()).filter(|what| what.contains("text")).collect::<Vec<_>>()
    };
    let audit = of(&OwnServer::with_tool(&tool(""), more)).await;
    assert_eq!(of_text(&audit), ["make the text block repeat the value of structuredContent, as serialised JSON"]);
    let detail = &finding(&audit, "text-repeats-value").detail;
    assert!(detail.ends_with("differs from its structuredContent: only the text has /created"), "{detail}");
    let audit = of(&OwnServer::with_tool(&tool(""), wrapped)).await;
    assert_eq!(of_text(&audit), [""; 0]);
    let prose = r#"{"structuredContent":{"n":1},"content":[{"type":"text","text":"one"}]}"#;
    let audit = of(&OwnServer::with_tool(&tool(""), prose)).await;
    assert_eq!(of_text(&audit), ["send the value in a text block too, as serialised JSON"]);
    let found = finding(&audit, "text-fallback");
    assert!(found.detail.starts_with("the text of `look` is not JSON"));
    let newest = found.at.last().unwrap().as_str();
    assert!(found.at.len() > 1 && found.source.as_ref().is_some_and(|source| source.contains(newest)), "{found:?}");
}

#[tokio::test]
async fn several_changes_say_what_they_free_together() {
    let array = format!(r#"{{"name":"list",{READS},"outputSchema":{{"type":"array"}}}}"#);
    let wrong = format!(r#"{{"name":"wrong",{READS},"outputSchema":{{"type":"object","required":["m"]}}}}"#);
    let list = format!(r#""tools":[{array},{wrong}]"#);
    let server = OwnServer::new(&Revision::ALL, move |asked| match asked.tool {
        None => Says::Result(list.clone()),
        Some("list") => Says::Result(r#""structuredContent":[1],"content":[{"type":"text","text":"[1]"}]"#.to_owned()),
        Some(_) => Says::Result(RIGHT[1..RIGHT.len() - 1].to_owned()),
    });
    let audit = of(&server).await;
    assert!(audit.changes.iter().all(|change| change.frees.len() < audit.together.len()), "{:#?}", audit.changes);
}

#[tokio::test]
async fn an_earlier_revision_frees_only_clients_that_lose_nothing_with_it() {
    let wrong = format!(r#"{{"name":"wrong",{READS},"outputSchema":{{"type":"object","required":["m"]}}}}"#);
    let list = format!(r#""tools":[{wrong}]"#);
    let server = OwnServer::new(&[Revision::V2026_07_28], move |asked| match asked.tool {
        None => Says::Result(list.clone()),
        Some(_) => Says::Result(RIGHT[1..RIGHT.len() - 1].to_owned()),
    });
    let audit = of(&server).await;
    assert!(audit.changes[0].severity == Severity::Error, "what ends an error is first: {:#?}", audit.changes);
    let speaks = audit.changes.iter().find(|change| change.what == "speak 2025-11-25 too");
    let frees = speaks.map_or(&[][..], |change| &change.frees);
    let out: Vec<_> = audit.shut_out.iter().map(|loss| &loss.client).collect();
    assert!(out.iter().any(|client| !frees.contains(client)), "some check the result: {:#?}", audit.changes);
    assert!(!frees.is_empty() && out.iter().all(|client| audit.together.contains(client)), "{:?}", audit.together);
}

#[tokio::test]
async fn an_earlier_revision_that_frees_nobody_by_itself_is_told_with_the_change_that_it_needs() {
    // No SDK reads this definition, so who has no session now would lose the list.
    let list = format!(r#""tools":[{}]"#, tool(r#","title":5"#));
    let server = OwnServer::new(&[Revision::V2026_07_28], move |asked| match asked.tool {
        None => Says::Result(list.clone()),
        Some(_) => Says::Result(r#""content":[{"type":"text","text":"hello"}]"#.to_owned()),
    });
    let audit = of(&server).await;
    let speaks = audit.changes.iter().find(|change| change.what.starts_with("speak 2025-11-25 too"));
    let corrects = &audit.changes[0];
    assert!(corrects.severity == Severity::Error && !corrects.frees.is_empty(), "{:#?}", audit.changes);
    let out: Vec<_> = audit.shut_out.iter().map(|loss| &loss.client).collect();
    assert!(speaks.is_some_and(|change| change.frees.len() < out.len()), "{:#?}", audit.changes);
    assert!(out.iter().all(|client| audit.together.contains(client)), "{:?}", audit.together);
}

#[tokio::test]
async fn a_client_that_is_not_told_of_a_tool_has_lost_it() {
    let old = format!(r#""tools":[{}]"#, tool(""));
    let new = format!(r#""tools":[{},{{"name":"new",{READS}}}]"#, tool(""));
    let server = OwnServer::new(&Revision::ALL, move |asked| match (asked.tool, asked.revision.era()) {
        (None, Era::Modern) => Says::Result(new.clone()),
        (None, Era::Legacy) => Says::Result(old.clone()),
        (Some(_), _) => Says::Result(r#""content":[{"type":"text","text":"hello"}]"#.to_owned()),
    });
    let audit = of(&server).await;
    let new = audit.tools.iter().find(|tool| tool.name == "new").unwrap();
    let typescript = new.losses.iter().find(|loss| loss.client.as_str() == "profile/typescript@1").unwrap();
    assert_eq!((typescript.loses, typescript.negotiated), (BlastRadius::Tool, Some(Revision::V2025_11_25)));
    assert_eq!(new.fine + new.losses.len(), audit.clients.len());
}

#[tokio::test]
async fn a_client_that_loses_the_server_by_one_tool_is_fine_by_none() {
    let array = format!(r#"{{"name":"list",{READS},"outputSchema":{{"type":"array"}}}}"#);
    let list = format!(r#""tools":[{},{array},{{"name":"none",{READS},"outputSchema":null}}]"#, tool(""));
    let server = OwnServer::new(&Revision::ALL, move |asked| match asked.tool {
        None => Says::Result(list.clone()),
        Some("list") => Says::Result(r#""structuredContent":[1],"content":[{"type":"text","text":"[1]"}]"#.to_owned()),
        Some(_) => Says::Result(r#""content":[{"type":"text","text":"hello"}]"#.to_owned()),
    });
    let audit = of(&server).await;
    let ruined = |loss: &&Loss| loss.loses >= BlastRadius::Server;
    let ruined: BTreeSet<_> =
        audit.tools.iter().flat_map(|tool| &tool.losses).filter(ruined).map(|loss| loss.client.clone()).collect();
    assert!(!ruined.is_empty());
    let look = audit.tools.iter().find(|tool| tool.name == "look").unwrap();
    assert_eq!((look.fine, look.losses.as_slice()), (audit.clients.len() - ruined.len(), &[][..]));
    for change in &audit.changes {
        assert!(!change.what.contains("under one key") || !change.tools.contains(&"none".to_owned()), "{change:#?}");
    }
}

#[tokio::test]
async fn a_server_that_dies_in_a_session_is_an_error_and_what_came_before_is_kept() {
    let list = format!(r#""tools":[{},{{"name":"bomb",{READS}}}]"#, tool(""));
    let server = OwnServer::new(&Revision::ALL, move |asked| match asked.tool {
        None => Says::Result(list.clone()),
        Some("bomb") => Says::Ends,
        Some(_) => Says::Result(r#""content":[{"type":"text","text":"hello"}]"#.to_owned()),
    });
    let audit = of(&server).await;
    assert!(matches!(audit.tools[0].call, CallState::Answered { .. }));
    assert!(!matches!(audit.tools[1].call, CallState::Answered { .. }), "{:#?}", audit.tools[1]);
}

#[rstest]
#[case::deeper("[".repeat(MAX_DEPTH) + &"]".repeat(MAX_DEPTH), "nesting-depth", "nests deeper")]
#[case::of_more_values(format!("[{}0]", "0,".repeat(MAX_VALUES)), "can-be-replayed", "has more than 1,000,000 values")]
#[tokio::test]
async fn a_value_larger_than_we_read_is_nobodys_crash_and_nobodys_loss(
    #[case] value: String,
    #[case] rule: &str,
    #[case] words: &str,
) {
    let list = format!(r#""tools":[{}]"#, tool(""));
    let server = OwnServer::new(&[Revision::V2025_11_25], move |asked| match asked.tool {
        None => Says::Result(list.clone()),
        Some(_) => Says::Result(format!(r#""content":[],"structuredContent":{{"a":{value}}}"#)),
    });
    let audit = of(&server).await;
    // The server's message, and the tool's answer.
    let rules: BTreeSet<&str> = findings(&audit).into_iter().map(|finding| finding.rule.as_str()).collect();
    assert_eq!(rules, BTreeSet::from([rule]));
    assert_eq!(audit.tools[0].losses, []);
    assert!(
        matches!(&audit.tools[0].call, CallState::Failed { why, .. } if why.contains(words)),
        "{:#?}",
        audit.tools[0].call
    );
}

#[tokio::test]
async fn a_list_larger_than_we_read_is_no_empty_list() {
    let many = format!("[{}0]", "0,".repeat(MAX_VALUES));
    let list = move |at: Revision, also: &[Revision]| {
        let rest = if also.contains(&at) {
            format!(r#","outputSchema":{{"type":"object","enum":{many}}}"#)
        } else {
            String::new()
        };
        Says::Result(format!(r#""tools":[{}]"#, tool(&rest)))
    };
    let list_of_one = list.clone();
    let server = OwnServer::new(&[Revision::V2025_06_18, Revision::V2025_11_25], move |asked| match asked.tool {
        None => list_of_one(asked.revision, &[Revision::V2025_06_18]),
        Some(_) => Says::Result(r#""content":[]"#.to_owned()),
    });
    let audit = of(&server).await;
    let told: BTreeSet<&str> = findings(&audit).into_iter().map(|finding| finding.rule.as_str()).collect();
    assert_eq!(told, BTreeSet::from(["can-be-replayed"]), "{:#?}", findings(&audit));
    assert_eq!(audit.tools[0].losses, [], "nobody knows what the list would have been");

    let server = OwnServer::new(&[Revision::V2025_11_25], move |asked| list(asked.revision, &[asked.revision]));
    let error = audited(&server, &AuditOptions::default()).await.unwrap_err().to_string();
    assert!(error.contains("a message of the server has more than 1,000,000 values"), "{error}");
}

#[tokio::test]
async fn where_nothing_can_be_looked_at_there_is_an_error_and_no_audit() {
    let mute = OwnServer::new(&[Revision::V2025_11_25], |_| Says::Ends);
    let error = audited(&mute, &AuditOptions::default()).await.map(|audit| audit.findings.len());
    assert!(error.is_ok(), "a server that ends at tools/list was reached: {error:?}");

    let server = OwnServer::with_tool(&tool(""), RIGHT);
    let filtered = AuditOptions { tools: vec!["lok".to_owned()], ..AuditOptions::default() };
    let error = audited(&server, &filtered).await.unwrap_err().to_string();
    assert!(error.starts_with("no tool matches \"lok\"; did you mean look?"), "{error}");
    let missing = AskedCall { tool: "gone".to_owned(), arguments: None };
    let error = audited(&server, &AuditOptions { calls: vec![missing], ..AuditOptions::default() })
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("no tool matches \"gone\""), "{error}");
    let nobody = AuditOptions { clients: vec!["nobody".to_owned()], ..AuditOptions::default() };
    let error = audited(&server, &nobody).await.unwrap_err().to_string();
    assert!(error.contains("no client matches \"nobody\""), "{error}");
}

#[rstest]
#[case::an_object_with_such_keys(r#"{"0":1,"1":2}"#, r#"{\"0\":1,\"1\":2}"#)]
#[case::another_list(r#"{"0":1,"1":2}"#, "[1]")]
#[case::a_list_within(r#"{"items":[1,2]}"#, "[1,2]")]
#[tokio::test]
async fn an_object_is_a_copied_list_only_where_the_text_is_the_list(#[case] value: &str, #[case] text: &str) {
    let result = format!(r#"{{"structuredContent":{value},"content":[{{"type":"text","text":"{text}"}}]}}"#);
    let audit = of(&OwnServer::with_tool(&tool(""), &result)).await;
    assert!(findings(&audit).iter().all(|finding| finding.rule != "list-stays-a-list"), "{:#?}", findings(&audit));
}

#[tokio::test]
async fn the_text_of_a_copied_list_is_not_told_to_be_wrong() {
    let result = r#"{"structuredContent":{"0":1,"1":2},"content":[{"type":"text","text":"[1,2]"}]}"#;
    let audit = of(&OwnServer::with_tool(&tool(""), result)).await;
    let told: Vec<&str> = findings(&audit).into_iter().map(|finding| finding.rule.as_str()).collect();
    assert!(told.contains(&"list-stays-a-list") && !told.contains(&"text-fallback"), "{told:?}");
    assert!(audit.changes.iter().all(|change| !change.what.contains("text block")), "{:#?}", audit.changes);
}

#[tokio::test]
async fn of_a_list_that_is_too_long_the_first_tools_are_audited_and_the_rest_is_told() {
    let server = OwnServer::new(&[Revision::V2025_06_18, Revision::NEWEST_LEGACY], |asked| match asked.tool {
        None => {
            let length = if asked.revision == Revision::NEWEST_LEGACY { 3 << 19 } else { 1 };
            let words = "x".repeat(length);
            let described = |name: &str| format!(r#"{{"name":"{name}","description":"{words}",{READS}}}"#);
            Says::Result(format!(r#""tools":[{}]"#, ["first", "second", "third"].map(described).join(",")))
        }
        Some(_) => Says::Result(r#""content":[]"#.to_owned()),
    });
    let audit = of(&server).await;
    let names: Vec<&str> = audit.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["first", "second", "third"]);
    // Nobody knows that the third is not listed where the list was cut.
    assert!(audit.tools.iter().all(|tool| tool.losses.is_empty()), "{:?}", audit.tools);
    let rules: Vec<&str> = findings(&audit).into_iter().map(|finding| finding.rule.as_str()).collect();
    assert!(!rules.contains(&"tool-at-every-revision"), "{rules:?}");
    let details: Vec<&str> =
        findings(&audit).iter().filter(|it| it.rule.as_str() == "list-ends").map(|it| it.detail.as_str()).collect();
    assert!(matches!(details[..], [detail] if detail.contains("3 MB")), "{details:?}");
}

#[tokio::test]
async fn a_tool_with_a_very_long_name_is_called_and_not_replayed() {
    for (bytes, is_replayed) in [(1_024, true), (1_025, false)] {
        let list = format!(r#""tools":[{{"name":"{}",{READS}}}]"#, "x".repeat(bytes));
        let server = OwnServer::new(&[Revision::NEWEST_LEGACY], move |asked| match asked.tool {
            None => Says::Result(list.clone()),
            Some(_) => Says::Result(r#""content":[]"#.to_owned()),
        });
        let audit = of(&server).await;
        let why = findings(&audit).into_iter().find(|finding| finding.rule.as_str() == "can-be-replayed");
        assert_eq!(why.is_none(), is_replayed, "{why:?}");
        assert!(why.is_none_or(|why| why.detail.contains("its name has 1025 bytes")), "{why:?}");
        assert_eq!(audit.tools[0].fine > 0, is_replayed);
    }
}

#[tokio::test]
async fn a_result_longer_than_we_read_is_no_broken_rule_of_the_protocol() {
    let list = format!(r#""tools":[{}]"#, tool(""));
    let server = OwnServer::new(&Revision::ALL, move |asked| match asked.tool {
        None => Says::Result(list.clone()),
        Some(_) => Says::Result(format!(r#""content":[],"structuredContent":{{"a":"{}"}}"#, "x".repeat(9 << 20))),
    });
    let audit = of(&server).await;
    let rules: Vec<&str> = findings(&audit).into_iter().map(|finding| finding.rule.as_str()).collect();
    assert_eq!(rules, ["can-be-replayed"]);
    assert_eq!(audit.tools[0].losses, []);
    assert!(matches!(&audit.tools[0].call, CallState::Failed { why, .. } if why.contains("longer than 8 MB")));
}

#[tokio::test]
async fn an_audit_covers_the_first_tools_of_a_long_list_or_those_that_are_selected() {
    let list: Vec<String> = (0..502).map(|at| format!(r#"{{"name":"look_{at}",{READS}}}"#)).collect();
    let list = format!(r#""tools":[{}]"#, list.join(","));
    let server = OwnServer::new(&[Revision::NEWEST_LEGACY], move |asked| match asked.tool {
        None => Says::Result(list.clone()),
        Some(_) => Says::Result(r#""content":[]"#.to_owned()),
    });
    let options = AuditOptions { clients: vec!["profile/typescript@1".to_owned()], ..AuditOptions::default() };
    let first = audited(&server, &options).await.unwrap();
    assert_eq!((first.tools.len(), first.tool_limit), (500, Some(500)));
    assert_eq!(first.passed_over, ["look_500", "look_501"]);
    let selected = AuditOptions { tools: vec!["look_50*".to_owned()], ..options };
    let selected = audited(&server, &selected).await.unwrap();
    let names: Vec<&str> = selected.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!((names, selected.tool_limit), (vec!["look_50", "look_500", "look_501"], None));
}

#[tokio::test]
async fn a_page_that_clients_cannot_read_does_not_end_the_list() {
    let bad = format!(r#"{{"name":"bad",{READS},"outputSchema":{{"type":"array"}}}}"#);
    let server = OwnServer::new(&[Revision::NEWEST_LEGACY], move |asked| match (asked.tool, asked.cursor) {
        (None, None) => Says::Result(format!(r#""tools":[{bad}],"nextCursor":"2""#)),
        (None, Some(_)) => Says::Result(format!(r#""tools":[{{"name":"good",{READS}}}]"#)),
        (Some(_), _) => Says::Result(r#""content":[{"type":"text","text":"a"}]"#.to_owned()),
    });
    let audit = of(&server).await;
    assert_eq!(audit.tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["bad", "good"]);
    assert_eq!(finding(&audit, "output-schema-object-root").severity, Severity::Error);
}
