//! Every rule both ways: a session that breaks it, and the nearest one that does not.

use std::collections::BTreeSet;

use mcp_compat_judge::rules;
use mcp_compat_model::Role;
use mcp_compat_model::observation::Layer;

use crate::play::{Play, called, failed};
use crate::{rules_of_clients, rules_of_http, rules_of_messages, rules_of_servers};

/// A rule, a session that breaks it, and the nearest that does not.
pub(crate) type Case = (&'static str, fn() -> Play, fn() -> Play);

fn cases() -> impl Iterator<Item = &'static Case> {
    let families = [rules_of_servers::CASES, rules_of_clients::CASES, rules_of_messages::CASES, rules_of_http::CASES];
    families.into_iter().flatten()
}

#[test]
fn a_rule_is_broken_by_what_breaks_it_and_by_nothing_near_to_it() {
    let mut wrong = Vec::new();
    for (place, (rule, breaks, keeps)) in cases().enumerate() {
        let (broken, kept) = (breaks().violated(), keeps().violated());
        if !broken.iter().any(|found| found == rule) {
            wrong.push(format!("case {place}: {rule} is not found where it is broken, but {broken:?}"));
        }
        if kept.iter().any(|found| found == rule) {
            wrong.push(format!("case {place}: {rule} is found where it is kept"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_rule_is_without_a_case() {
    let covered: BTreeSet<&str> = cases().map(|(rule, _, _)| *rule).collect();
    let all: BTreeSet<&str> = rules::all().iter().map(|rule| rule.id).collect();
    assert_eq!(covered, all);
}

#[test]
fn a_session_that_is_right_in_every_respect_violates_nothing() {
    for revision in ["2025-06-18", "2025-11-25", "2026-07-28"] {
        for play in [Play::at(revision), Play::at(revision).over_http()] {
            assert_eq!(play.violated(), [""; 0], "{revision}");
        }
    }
    let plain = r#"{"content":[{"type":"text","text":"hi"}]}"#;
    for revision in ["2024-11-05", "2025-03-26"] {
        assert_eq!(Play::at(revision).no_schema().result(plain).violated(), [""; 0], "{revision}");
    }
}

#[test]
fn a_finding_names_the_rule_the_revision_and_the_messages() {
    let verdict = Play::array_at("2025-11-25").verdict();
    let finding = verdict.findings.iter().find(|finding| finding.rule == "structured-content-object").unwrap();
    let rule = rules::find(&finding.rule).unwrap();
    assert_eq!(
        (finding.source.as_str(), finding.level, finding.party),
        (rule.source, rule.level.at(finding.revision), rule.party)
    );
    assert_eq!(finding.revision, verdict.negotiated);
    let (_, _, transcript, _) = Play::array_at("2025-11-25").parts();
    for seq in &finding.messages {
        assert!(usize::try_from(*seq).unwrap() < transcript.entries.len());
    }
    assert_eq!(finding.messages.len(), 1);
}

#[test]
fn what_a_control_is_made_of_is_no_finding_about_the_server() {
    let invalid = r#"{"structuredContent":{"name":1},"content":[]}"#;
    let play = |seen| Play::at("2026-07-28").control(invalid, seen);
    assert_eq!(play(failed(Layer::Validate, "no id")).violated(), [""; 0]);
    assert_eq!(play(called(Some("{}"), &[], false)).violated(), ["client-validates"]);
}

#[test]
fn what_repeats_itself_is_told_once() {
    let list = r#"{"jsonrpc":"2.0","id":9,"method":"tools/list"}"#;
    let twice = Play::array_at("2025-11-25").after("initialized", Role::Client, list).after(list, Role::Server, LISTED);
    let findings = twice.verdict().findings;
    let of_rule: Vec<_> = findings.iter().filter(|finding| finding.rule == "output-schema-object-root").collect();
    assert_eq!(of_rule.len(), 1, "{findings:?}");
    assert_eq!(of_rule[0].messages.len(), 2);
}

const LISTED: &str = r#"{"jsonrpc":"2.0","id":9,"result":{"tools":[{"name":"report","inputSchema":{"type":"object"},"outputSchema":{"type":"array"}}]}}"#;

#[test]
fn a_client_that_was_not_told_of_a_change_is_not_at_fault_for_judging_by_the_old_list() {
    let refused = || Play::at("2025-11-25").evolves(false).sees(failed(Layer::Validate, "no id"));
    assert!(refused().violated().contains(&"client-takes-conforming-result".to_owned()));
    // The same without the second list: it goes by what it knows.
    let stale = refused().without(r#""id":4,"#);
    assert!(!stale.violated().contains(&"client-takes-conforming-result".to_owned()), "{:?}", stale.violated());
}

#[test]
fn a_client_that_was_refused_the_new_list_is_not_at_fault_for_not_validating_by_it() {
    let wrong = || Play::at("2025-11-25").evolves(true).result(r#"{"structuredContent":{},"content":[]}"#);
    assert!(wrong().violated().contains(&"client-validates".to_owned()));
    let refused = wrong().sees_later_list(failed(Layer::Decode, "expected \"object\""));
    assert!(!refused.violated().contains(&"client-validates".to_owned()), "{:?}", refused.violated());
}
