//! A server of somebody's own as a test: each of its tools with each client.

use std::sync::Arc;
use std::time::{Duration, Instant};

use mcp_compat::in_process::AnyError;
use mcp_compat::{Report, ServerUnderTest};
use mcp_compat_model::Revision;

use crate::own_server::{OwnServer, Says};
use crate::suite::as_tests;
use crate::support::failure_text;

const READS: &str = r#""annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"}"#;

/// A server of these revisions that lists an array, and one value beside it.
fn server(spoken: &'static [Revision], listing: &'static str) -> ServerUnderTest {
    let array = listing.starts_with('[');
    let root = if array { "array" } else { "object" };
    ServerUnderTest::in_process(move |wire| async move {
        let list = format!(
            r#""tools":[{{"name":"list_users",{READS},"outputSchema":{{"type":"{root}"}}}},{{"name":"count",{READS}}}]"#
        );
        let own = OwnServer::new(spoken, move |asked| {
            Says::Result(match asked.tool {
                None => list.clone(),
                Some("list_users") => {
                    format!(r#""structuredContent":{listing},"content":[{{"type":"text","text":"{listing}"}}]"#)
                }
                Some(_) => r#""content":[{"type":"text","text":"two"}]"#.to_owned(),
            })
        });
        Arc::clone(&own).serve(wire).await;
        Ok(())
    })
}

fn breaks(report: &Report) -> Vec<String> {
    report.breaks().map(|cell| format!("{} {}", cell.scenario, cell.client)).collect()
}

#[test]
fn a_tool_that_breaks_old_clients_is_told_with_what_mends_it() {
    let report = server(&Revision::ALL, "[1,2]").against("mock/*").run().unwrap();
    assert_eq!(breaks(&report), ["tool/list-users mock/2025-11-25"], "the array, and the other tool is fine");
    insta::assert_snapshot!(failure_text(&report));
    assert_eq!(report.audit().unwrap().tools.len(), 2);
}

#[test]
fn fixed_it_passes() {
    let report = server(&Revision::ALL, "{}").run().unwrap();
    report.assert_no_breaks();
    let clients = report.audit().unwrap().clients.len();
    assert!(clients > 5 && report.record().cells.len() == 2 * clients, "each tool with each of {clients}");
}

#[test]
fn each_tool_with_each_client_is_a_test_of_its_own() {
    let (names, conclusion) = as_tests(server(&Revision::ALL, "[1,2]").against("mock/*").trials().unwrap());
    let expected = ["list_users::mock/2025-11-25", "list_users::mock/dual+auto", "count::mock/2025-11-25"];
    assert_eq!(names[..3], expected.map(str::to_owned));
    assert_eq!((names.len(), conclusion.num_passed, conclusion.num_failed), (4, 3, 1));
}

#[test]
fn a_client_without_a_common_revision_is_left_out_and_told() {
    let report = server(&[Revision::V2025_11_25], "{}").against("profile/*").run().unwrap();
    report.assert_no_breaks();
    let cells = &report.record().cells;
    assert!(cells.iter().all(|cell| !cell.client.as_str().ends_with("+modern")));
    let left =
        |name: &str| report.record().left_out.iter().any(|left| left.reason.starts_with(name) && left.cells == 2);
    assert!(left("profile/rmcp@3+modern"), "{:?}", report.record().left_out);
}

#[test]
fn what_is_known_to_break_passes_and_what_breaks_no_longer_fails() {
    let folder = tempfile::tempdir().unwrap();
    let known = folder.path().join("known.toml");
    let entry = "[[broken]]\ncells = \"tool/list-users::mock/2025-11-25::*\"\nreason = \"it sends an array\"\n";
    std::fs::write(&known, entry).unwrap();
    let run = |listing| server(&Revision::ALL, listing).against("mock/*").baseline(&known).run().unwrap();
    run("[1,2]").assert_no_breaks();
    assert!(failure_text(&run("{}")).contains("is stale"));
    let trials = server(&Revision::ALL, "[1,2]").against("mock/*").baseline(&known).trials().unwrap();
    assert_eq!(as_tests(trials).1.num_failed, 0);
    std::fs::write(&known, entry.replace("list-users", "list-usres")).unwrap();
    let error = server(&Revision::ALL, "{}").baseline(&known).run().unwrap_err().to_string();
    assert!(error.contains("list-usres"), "{error}");
}

/// A server with two tools that are not marked read-only: one fails, and one breaks old clients.
fn unmarked() -> ServerUnderTest {
    ServerUnderTest::in_process(|wire| async move {
        let list = r#""tools":[{"name":"find","inputSchema":{"type":"object"}},{"name":"list","inputSchema":{"type":"object"},"outputSchema":{"type":"array"}}]"#;
        let own = OwnServer::new(&Revision::ALL, move |asked| {
            Says::Result(match asked.tool {
                None => list.to_owned(),
                Some("find") => r#""content":[{"type":"text","text":"no such item"}],"isError":true"#.to_owned(),
                Some(_) => r#""structuredContent":[],"content":[{"type":"text","text":"[]"}]"#.to_owned(),
            })
        });
        Arc::clone(&own).serve(wire).await;
        Ok(())
    })
    .against("mock/dual+auto")
}

#[test]
fn a_tool_that_was_never_called_fails_unless_that_is_allowed() {
    let text = failure_text(&unmarked().call("list", "{}").run().unwrap());
    let expected = "`find` was never called: it is not marked read-only. Call it with .call(\"find\", …), or allow it \
                    with .allow_uncalled(\"find\")";
    assert!(text.contains(expected), "{text}");
    unmarked().call("list", "{}").allow_uncalled("f*").run().unwrap().assert_no_breaks();
    let (names, conclusion) = as_tests(unmarked().call("list", "{}").trials().unwrap());
    assert_eq!(names, ["find::mock/dual+auto", "list::mock/dual+auto", "find::called"]);
    assert_eq!((conclusion.num_passed, conclusion.num_ignored, conclusion.num_failed), (1, 1, 1));
    let error = unmarked().allow_uncalled("{a").run().unwrap_err().to_string();
    assert!(error.contains("{a"), "{error}");
}

#[test]
fn a_call_that_fails_proves_nothing_unless_that_is_expected() {
    let server = || unmarked().call("list", "{}");
    let text = failure_text(&server().call("find", "{}").run().unwrap());
    assert!(text.contains("the call of `find` with {} failed") && text.contains("no such item"), "{text}");
    server().expect_error("find", "{}").run().unwrap().assert_no_breaks();
    let text = failure_text(&unmarked().expect_error("find", "{}").expect_error("list", "{}").run().unwrap());
    assert!(text.contains("`list` returned a result, and .expect_error"), "{text}");
}

#[test]
fn tools_that_break_for_one_cause_are_one_block() {
    let report = ServerUnderTest::in_process(|wire| async move {
        let array = |name: &str| format!(r#"{{"name":"{name}",{READS},"outputSchema":{{"type":"array"}}}}"#);
        let list = format!(r#""tools":[{},{},{}]"#, array("one"), array("two"), array("three"));
        let own = OwnServer::new(&Revision::ALL, move |asked| {
            let value = r#""structuredContent":[],"content":[{"type":"text","text":"[]"}]"#;
            Says::Result(if asked.tool.is_none() { list.clone() } else { value.to_owned() })
        });
        Arc::clone(&own).serve(wire).await;
        Ok(())
    });
    let text = failure_text(&report.against("mock/2025-11-25").run().unwrap());
    assert!(text.starts_with("FAIL one, two, three: 1 of 1 client loses all tools\n"), "{text}");
    let breaks = "  breaks    one::mock/2025-11-25, three::mock/2025-11-25, two::mock/2025-11-25\n";
    assert!(text.contains(breaks) && text.ends_with("\n\n1 cause, 3 failures, 0 passed, 0 uncalled"), "{text}");
}

#[test]
fn a_server_that_blocks_its_thread_is_given_up_in_time() {
    let began = Instant::now();
    let blocked = ServerUnderTest::in_process(|wire| async move {
        let (_keep, never) = std::sync::mpsc::channel::<()>();
        let _ = never.recv();
        drop(wire);
        Ok(())
    });
    let error = blocked.start_timeout(Duration::from_millis(300)).run().unwrap_err().to_string();
    assert!(error.contains("the server opened no session at any revision"), "{error}");
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
}

#[test]
fn a_server_that_gives_nothing_is_an_error_that_says_so() {
    let none = ServerUnderTest::in_process(|wire| async move {
        drop(wire);
        Err(AnyError::from("it has a bad day"))
    });
    let error = none.run().unwrap_err().to_string();
    assert!(error.contains("the server opened no session at any revision"), "{error}");
    let error = server(&Revision::ALL, "{}").call("list_usrs", "{}").run().unwrap_err().to_string();
    assert!(error.contains("list_users"), "the nearest: {error}");
}
