//! The time that an audit has, and what there was no time for.

use std::time::{Duration, Instant};

use mcp_compat_audit::probe::ProbeTimeouts;
use mcp_compat_audit::server::{AuditOptions, Progress, audit};
use mcp_compat_model::Revision;
use mcp_compat_model::audit::CallState;

use crate::own_server::{OwnServer, Says};
use crate::server_audit::{RIGHT, finding, findings, of, timeouts, tool};

#[tokio::test]
async fn an_audit_ends_when_its_time_is_over_with_what_was_measured() {
    let names: Vec<String> = (0..40).map(|at| format!("t{at}")).collect();
    let tool = |name: &String| {
        format!(r#"{{"name":"{name}","inputSchema":{{"type":"object"}},"annotations":{{"readOnlyHint":true}}}}"#)
    };
    let list = format!(r#""tools":[{}]"#, names.iter().map(tool).collect::<Vec<_>>().join(","));
    let server = OwnServer::new(&[Revision::V2025_11_25], move |asked| match asked.tool {
        None => Says::Result(list.clone()),
        Some("t0") => Says::Result(r#""content":[]"#.to_owned()),
        Some(_) => Says::Nothing,
    });
    let within = |audit| ProbeTimeouts { step: Duration::from_millis(200), audit, ..timeouts() };
    let began = Instant::now();
    let audited =
        audit(server.target(), &AuditOptions::default(), within(Duration::from_secs(3)), |_| {}, &mut |_, _, _| {})
            .await;
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    let audit_of_all = audited.unwrap().audit;
    let lacking = audit_of_all.cut_short.unwrap();
    let of = |is: fn(&CallState) -> bool| audit_of_all.tools.iter().filter(|tool| is(&tool.call)).count();
    let (answered, failed, left) = (
        of(|call| matches!(call, CallState::Answered { .. })),
        of(|call| matches!(call, CallState::Failed { .. })),
        of(|call| matches!(call, CallState::NotCalled { why, .. } if why == "the time of the audit was over")),
    );
    assert_eq!((lacking.after_ms, lacking.not_called, answered + failed + left), (Some(3_000), left, 40));
    assert!(answered == 1 && failed > 0 && left > 0, "{answered} {failed} {left}");
    let open = audit_of_all.tools.iter().filter(|tool| tool.findings.iter().any(|it| it.rule == "call-is-answered"));
    assert_eq!(open.count(), failed, "only calls that were made can lack an answer");
    let nothing = audit(server.target(), &AuditOptions::default(), within(Duration::ZERO), |_| {}, &mut |_, _, _| {})
        .await
        .unwrap_err();
    assert!(nothing.to_string().contains("the time of the audit was over before tools/list was sent"), "{nothing}");
}

/// The rules stop within a session, and a finding that they made of a part of it is worth nothing.
#[tokio::test]
async fn what_there_is_no_time_to_judge_has_no_findings_and_is_told() {
    let server = OwnServer::with_tool(&tool(r#","outputSchema":{"type":"object","required":["m"]}"#), RIGHT);
    let whole = of(&server).await;
    finding(&whole, "structured-content-conforms");
    let time = Duration::from_secs(3);
    let until_it_is_over = |progress| {
        if matches!(progress, Progress::Replaying(..)) {
            std::thread::sleep(time);
        }
    };
    let within = ProbeTimeouts { audit: time, ..timeouts() };
    let audit = audit(server.target(), &AuditOptions::default(), within, until_it_is_over, &mut |_, _, _| {})
        .await
        .unwrap()
        .audit;
    let cut = audit.cut_short.unwrap();
    assert_eq!((cut.after_ms, cut.not_called, cut.not_checked), (Some(3_000), 0, 1));
    // Though none of its cells was planned.
    assert_eq!((cut.not_played, audit.tools[0].not_played), (audit.clients.len(), audit.clients.len()));
    assert_eq!((whole.tools[0].unchecked, audit.tools[0].unchecked), (false, true));
    assert_eq!((findings(&audit), audit.changes.len(), audit.tools[0].fine), (Vec::new(), 0, 0));
}
