//! The reports of one audit.

use mcp_compat_judge::rules;
use mcp_compat_model::PeerId;
use mcp_compat_model::audit::{Audit, Loss, Severity};
use mcp_compat_model::verdict::BlastRadius;
use serde_json::{Value, json};

use super::cause::causes;
use super::{Options, markdown, terminal};
use crate::Style;

fn client(id: &str, mode: Option<&str>) -> Value {
    json!({"id": id, "role": "client", "language": null, "revisions": ["2025-11-25", "2026-07-28"],
        "mode": mode, "about": ""})
}

fn loss(client: &str, rule: &str) -> Value {
    json!({"client": client, "negotiated": "2025-11-25", "rating": "breaks", "outcome": "rejected",
        "silent": false, "loses": "call", "fault": "server", "signature": null, "rule": rule, "reason": "it lost it"})
}

fn finding(severity: &str, rule: &str, more: Value) -> Value {
    // Advice of its own comes before that of a change.
    let remedy = rules::find(rule).map_or("mend it", |rule| rule.remedy);
    let mut finding = json!({"severity": severity, "rule": rule, "detail": format!("the detail of {rule}"),
        "at": ["2025-11-25"], "remedy": remedy});
    finding.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    finding
}

fn tool(name: &str, findings: Value, losses: Value, fine: usize) -> Value {
    json!({"name": name, "scenario": format!("tool/{name}"), "listed": ["2025-11-25"], "declares_output": true,
        "call": {"answered": {"arguments": "{}", "at": ["2025-11-25"], "again": false}}, "findings": findings,
        "losses": losses, "fine": fine})
}

/// A server with two tools: one lacks members, and both have prose as text.
fn audit() -> Audit {
    let conforms = "structured-content-conforms";
    let lacks = json!({"returned": "{\"a\":1}", "required": "a, b", "lacks": ["b"]});
    let text = || finding("warning", "text-fallback", json!({"returned": "text \"one\"", "required": "text 1"}));
    let lost = json!([loss("mock/2025-11-25", conforms), loss("profile/typescript@1", conforms)]);
    let modern = json!({"client": "profile/rmcp@3+modern", "negotiated": null, "rating": "breaks",
        "outcome": "unreachable", "silent": false, "loses": "session", "fault": null, "signature": null,
        "reason": "it speaks 2026-07-28"});
    serde_json::from_value(json!({
        "audit_version": 2, "tool_version": "0", "server": {"id": "shop", "name": "shop", "version": "1",
        "transport": "stdio"}, "spoken": ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"],
        "refused": [{"revision": "2026-07-28", "why": "it is a legacy server"}],
        "clients": [client("mock/2025-11-25", None), client("profile/typescript@1", None),
            client("profile/go@1", None), client("profile/rmcp@3+modern", Some("modern"))],
        "shut_out": [modern], "findings": [finding("note", "revisions-agree", json!({}))],
        "tools": [tool("list", json!([finding("error", conforms, lacks), text()]), lost, 1),
            tool("find", json!([text()]), json!([]), 3)],
        "passed_over": [],
        "changes": [
            {"what": "return b, or make it optional", "tools": ["list"], "severity": "error", "rules": [conforms],
                "frees": ["mock/2025-11-25", "profile/typescript@1"]},
            {"what": "speak 2026-07-28 too", "tools": [], "severity": "warning", "frees": ["profile/rmcp@3+modern"]},
            {"what": "send the value as text", "tools": ["list", "find"], "severity": "warning", "frees": [],
                "rules": ["text-fallback"]}],
    }))
    .unwrap()
}

#[test]
fn a_cause_has_its_losses_and_its_change() {
    let audit = audit();
    let causes = causes(&audit);
    let [lacking, text, note] = &causes[..] else { panic!("{causes:?}") };
    assert_eq!((lacking.severity, lacking.tools.as_slice()), (Severity::Error, &["list"][..]));
    assert_eq!(lacking.lost_by().len(), 2);
    assert_eq!(lacking.change.map(|change| change.what.as_str()), Some("return b, or make it optional"));
    assert_eq!((text.severity, text.tools.as_slice()), (Severity::Warning, &["list", "find"][..]));
    assert_eq!((text.lost_by().len(), text.change.is_some()), (0, true));
    assert_eq!(note.severity, Severity::Note);
}

#[test]
fn a_loss_that_no_finding_explains_is_a_cause_of_its_own() {
    let mut audit = audit();
    audit.tools[0].findings.clear();
    let causes = causes(&audit);
    let own = causes.iter().find(|cause| cause.findings.is_empty()).unwrap();
    assert_eq!((own.title().as_str(), own.tools.as_slice(), own.lost_by().len()), ("it lost it", &["list"][..], 2));
    assert!(own.takes("list", own.losses[0].0.map(|_| &own.losses[0].1.client).unwrap()));
    assert!(own.change.is_some(), "the change fixes both clients");
}

#[test]
fn the_members_of_several_tools_are_named_together() {
    let mut audit = audit();
    for (tool, members) in audit.tools.iter_mut().zip([&["annotations.title"][..], &["annotations.title", "icons"]]) {
        let found = finding(
            "error",
            "optional-members-not-null",
            json!({"detail": format!("`title` of `{}` is null", tool.name)}),
        );
        tool.findings = vec![serde_json::from_value(found).unwrap()];
        tool.findings[0].members = members.iter().map(|name| (*name).to_owned()).collect();
    }
    let causes = causes(&audit);
    let cause = causes.iter().find(|cause| cause.tools.len() == 2).unwrap();
    assert_eq!(cause.title(), "an optional member that is null: `annotations.title`, `icons`");
}

#[test]
fn each_client_counts_with_its_largest_loss() {
    let mut audit = audit();
    let losses = audit.tools[0].losses.clone();
    audit.tools[0].losses.extend(losses);
    audit.tools[0].losses[0].loses = BlastRadius::Server;
    let causes = causes(&audit);
    assert_eq!(causes[0].losers(), [(BlastRadius::Server, 1), (BlastRadius::Call, 1)]);
    let words = crate::audit::view::losers_in_words(&causes[0].losers(), 3);
    assert_eq!(words, "1 of 3 clients loses all tools, 1 loses the call");
}

#[test]
fn a_client_that_lost_all_tools_keeps_nothing() {
    let mut audit = audit();
    let kept = |audit: &Audit| {
        let causes = causes(audit);
        let of_find = causes.iter().find(|cause| cause.tools.contains(&"find") && !cause.losses.is_empty()).unwrap();
        let rows = crate::audit::block::rows(of_find, audit);
        rows.into_iter().find(|row| row.label == "kept by").map(|row| row.text)
    };
    let lost = Loss { client: PeerId::new("profile/go@1").unwrap(), ..audit.tools[0].losses[0].clone() };
    audit.tools[1].losses.push(lost);
    assert_eq!(kept(&audit).as_deref(), Some("TypeScript SDK 1.x; 1 reference client"));
    audit.tools[0].losses[1].loses = BlastRadius::Server;
    assert_eq!(kept(&audit).as_deref(), Some("1 reference client"));
}

#[test]
fn a_client_that_another_cause_takes_does_not_count_as_fixed() {
    let mut audit = audit();
    let change = |audit: &Audit| {
        let rows = crate::audit::block::rows(&causes(audit)[0], audit);
        rows.into_iter().find(|row| row.label == "change").map(|row| row.text).unwrap()
    };
    assert!(change(&audit).ends_with(": then 3 of 3 (replayed)"), "{}", change(&audit));
    let other = Loss {
        client: PeerId::new("profile/go@1").unwrap(),
        rule: Some("text-fallback".to_owned()),
        ..audit.tools[0].losses[0].clone()
    };
    audit.tools[0].losses.push(other);
    assert!(change(&audit).ends_with(": then 2 of 3 (replayed)"), "{}", change(&audit));
}

#[test]
fn results_that_a_server_refused_are_one_cause_only_for_one_reason() {
    let mut audit = audit();
    let refused = |audit: &mut Audit, of_list: &str, of_find: &str| {
        audit.findings.clear();
        for (tool, message) in audit.tools.iter_mut().zip([of_list, of_find]) {
            let own = finding("error", "own-result-accepted", json!({"refused": message}));
            tool.findings = vec![serde_json::from_value(own).unwrap()];
            tool.losses.clear();
        }
        causes(audit).len()
    };
    assert_eq!(refused(&mut audit, "list: a is missing", "find: a is missing"), 1);
    assert_eq!(refused(&mut audit, "list: a is missing", "find: not an object"), 2);
}

#[test]
fn the_report_for_a_terminal() {
    insta::assert_snapshot!(terminal(&audit(), Style::plain(80), Options::default()));
}

#[test]
fn the_report_in_markdown_with_notes() {
    insta::assert_snapshot!(markdown(&audit(), Options { notes: true, ..Options::default() }));
}

/// The tests of the tool `list` with clients.
fn tests_of_list<const N: usize>(tests: [(&str, &str, &str, Option<&str>); N]) -> Value {
    let tests = tests.map(|(client, result, text, same_as)| {
        json!({"name": format!("list::{client}"), "tool": "list", "client": client, "result": result, "text": text,
            "same_as": same_as})
    });
    Value::from(tests.to_vec())
}

#[test]
fn what_the_baseline_lists_is_counted_and_the_others_are_named() {
    let mut audit = audit();
    let print = |audit: &Audit, failed: bool| {
        terminal(audit, Style::plain(100), Options { failed: Some(failed), ..Options::default() })
    };
    let of_typescript = |result| [("mock/2025-11-25", "passed", "", None), ("profile/typescript@1", result, "", None)];
    audit.tests = serde_json::from_value(tests_of_list(of_typescript("failed"))).unwrap();
    let text = print(&audit, true);
    assert!(text.contains("✗ list  1 of 3 clients get the value"), "{text}");
    assert!(text.contains("    new        TypeScript SDK 1.x; the baseline lists the others"), "{text}");
    assert!(text.contains("FAILED  1 error, 1 warning; 1 note"), "{text}");
    audit.tests = serde_json::from_value(tests_of_list(of_typescript("passed"))).unwrap();
    let text = print(&audit, false);
    assert!(text.contains("! list  1 of 3 clients get the value (known)"), "its text is a warning still: {text}");
    assert!(!text.contains("    missing ") && !text.contains("    new "), "{text}");
    assert!(text.contains("OK  1 warning; 1 known cause in the baseline; 1 note"), "{text}");
    assert!(
        !crate::annotations::of_audit("shop", &audit, false).contains("::error"),
        "a known cause has no annotation"
    );
}

#[test]
fn an_expectation_that_is_not_met_is_shown_once() {
    let mut audit = audit();
    audit.tools[0].losses.clear();
    audit.tools[0].findings.clear();
    let stale = "list: 2 clients no longer lose it, but the baseline lists this\n  change: remove the entry";
    let tests = [
        ("profile/go@1", "failed", stale, None),
        ("profile/typescript@1", "failed", "same entry of the baseline", Some("list::profile/go@1")),
    ];
    audit.tests = serde_json::from_value(tests_of_list(tests)).unwrap();
    let options = Options { failed: Some(true), ..Options::default() };
    let text = terminal(&audit, Style::plain(100), options);
    assert!(text.contains("✗ list: 2 clients no longer lose it, but the baseline lists this\n    change: "), "{text}");
    assert!(!text.contains("same entry") && text.contains("FAILED  1 warning; 1 expectation not met"), "{text}");
    let text = markdown(&audit, options);
    assert!(text.contains("\n- change: remove the entry\n") && !text.contains("same entry"), "{text}");
    assert_eq!(crate::annotations::of_audit("shop", &audit, true).matches("::error").count(), 1);
}

#[test]
fn calls_that_fail_for_one_reason_are_told_with_it() {
    let failed = |name: &str, why: &str| {
        let call = json!({"failed": {"arguments": "{}", "why": why}});
        json!({"name": name, "scenario": "tool/any", "listed": ["2025-11-25"], "declares_output": false, "call": call,
            "findings": [], "losses": [], "fine": 0})
    };
    let shown = |reasons: &[&str]| {
        let mut audit = serde_json::to_value(audit()).unwrap();
        let tools = reasons.iter().enumerate().map(|(number, why)| {
            let name = format!("tool_{number}");
            failed(&name, &why.replace("NAME", &name))
        });
        audit["tools"] = tools.collect();
        terminal(&serde_json::from_value(audit).unwrap(), Style::plain(120), Options::default())
    };
    let all = shown(&["the tool failed: NAME wants a key"; 9]);
    assert!(all.contains("9 tools failed, each: … wants a key\n"), "{all}");
    assert!(!all.contains("not called are not known"), "{all}");
    let most = [&["NAME wants a key"; 6][..], &["no answer"; 3]].concat();
    assert!(shown(&most).contains("9 tools failed, 6 of them: … wants a key\n"), "{}", shown(&most));
    let few = [&["NAME wants a key"; 4][..], &["no answer"; 4], &["a timeout"]].concat();
    assert!(shown(&few).contains("9 tools failed\n"), "{}", shown(&few));
}

#[test]
fn profiles_are_called_models() {
    let notes = |audit: &Audit| terminal(audit, Style::plain(200), Options { notes: true, ..Options::default() });
    let text = notes(&audit());
    assert!(text.contains("- tested with models of TypeScript SDK 1.x"), "{text}");
    let mut real = serde_json::to_value(audit()).unwrap();
    real["clients"].as_array_mut().unwrap().push(client("go@1.8.0", None));
    let text = notes(&serde_json::from_value(real).unwrap());
    assert!(text.contains("- tested with ") && !text.contains("models of"), "{text}");
}

#[test]
fn a_server_without_a_list_has_its_losses_and_its_cause() {
    let mut audit = audit();
    (audit.tools, audit.changes) = (Vec::new(), Vec::new());
    let rule = "tools-list-answered";
    let returned = json!({"returned": "\"error\": {\"code\":-32603}", "remedy": "mend it"});
    audit.findings = vec![serde_json::from_value(finding("error", rule, returned)).unwrap()];
    let lost = ["mock/2025-11-25", "profile/typescript@1"].map(|client| {
        let loss: Loss = serde_json::from_value(loss(client, rule)).unwrap();
        Loss { loses: BlastRadius::Server, ..loss }
    });
    audit.losses = lost.to_vec();
    let text = terminal(&audit, Style::plain(100), Options::default());
    for line in [
        "  ✗ 2 of 3 clients lose all tools",
        "✗ `tools/list` answered with an error",
        "    returned   \"error\": {\"code\":-32603}",
        "    lost by    TypeScript SDK 1.x; 1 reference client: all tools",
        "    kept by    Go SDK 1.x",
        "    change     mend it",
        "FAILED  1 error",
    ] {
        assert!(text.lines().any(|known| known == line), "{line:?} is not in\n{text}");
    }
    assert_eq!((audit.worst(), audit.has_loss()), (Some(Severity::Error), true));
    let junit = crate::junit::audits::of_audit("shop", &audit, true).unwrap();
    assert!(junit.contains("answered with an error; 2 of 3 clients lose all tools"), "{junit}");
    audit.spoken.clear();
    let text = terminal(&audit, Style::plain(100), Options::default());
    assert!(text.starts_with("shop 1, stdio, no session at any revision\n"), "{text}");
    let markdown = markdown(&audit, Options::default());
    assert!(markdown.contains("- ✗ 2 of 3 clients lose all tools"), "{markdown}");
}
