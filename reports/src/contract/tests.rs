//! What a maintainer reads, reviewed, and what a server may not do to it.

use mcp_compat_json::Json;
use mcp_compat_model::Revision;
use mcp_compat_model::comparison::ChangeKind;

use super::*;
use crate::Style;

fn change(part: Part, pointer: &str, kind: ChangeKind, what: &str, effect: Effect) -> Change {
    let (pointer, what) = (pointer.to_owned(), what.to_owned());
    Change { part, pointer, kind, what, effect, why: None, witness: None, unlisted: None }
}

fn comparison() -> Comparison {
    let mut widened = change(
        Part::Output,
        "/properties/id/type",
        ChangeKind::Type,
        r#"`type` changed from "string" to ["string","null"]"#,
        Effect::BreaksCallers,
    );
    let value = Json::parse(r#"{"id":null}"#).unwrap();
    widened.witness = Some(Witness { value, message: r#"null is not of type "string""#.to_owned() });
    let mut format = change(
        Part::Output,
        "/properties/at/format",
        ChangeKind::Format,
        "`format` removed",
        Effect::BreaksSomeClients,
    );
    format.why = Some("clients that check formats relied on it".to_owned());
    let words = change(Part::Tool, "/description", ChangeKind::Words, "`description` changed", Effect::Safe);
    let gone = change(
        Part::Server,
        "",
        ChangeKind::RevisionRemoved,
        "revision 2025-06-18 is no longer spoken",
        Effect::BreaksSomeClients,
    );
    let hostile = change(
        Part::Input,
        "/properties/\u{1b}[31m",
        ChangeKind::Keyword,
        "`x` added: <b>\u{202e}</b>",
        Effect::Unknown,
    );
    Comparison {
        tool_version: "0.1.0".to_owned(),
        server: "users".to_owned(),
        old: "1.2.0".to_owned(),
        new: "1.3.0".to_owned(),
        revisions: vec![Revision::V2025_11_25, Revision::V2026_07_28],
        changes: vec![gone],
        tools: vec![
            ToolComparison {
                tool: "list_users".to_owned(),
                revisions: vec![Revision::V2025_11_25, Revision::V2026_07_28],
                changes: vec![widened, format, words],
            },
            ToolComparison {
                tool: "\u{1b}]0;a|b".to_owned(),
                revisions: vec![Revision::V2026_07_28],
                changes: vec![hostile],
            },
        ],
        unchanged: 3,
    }
}

#[test]
fn a_person_sees_the_worst_first_and_the_verdict_last() {
    insta::assert_snapshot!(terminal(&comparison(), Style::plain(90)));
}

#[test]
fn a_page_has_the_same() {
    insta::assert_snapshot!(markdown(&comparison()));
}

#[test]
fn nothing_changed_is_one_line() {
    let comparison = Comparison { changes: Vec::new(), tools: Vec::new(), ..comparison() };
    insta::assert_snapshot!(terminal(&comparison, Style::plain(90)), @r"
    users: old 1.2.0, new 1.3.0

    safe: 3 tools, nothing changed
    ");
}

/// What all changes come to together is no further change. Those that are not listed are changes.
#[test]
fn only_changes_are_counted() {
    let limit = |keyword: &str| change(Part::Output, "/properties/a", ChangeKind::Limit, keyword, Effect::Safe);
    let together = |what: &str, effect| change(Part::Output, "", ChangeKind::Together, what, effect);
    let all = |effect| together("all changes together", effect);
    let of = |tools: &[&[Change]]| {
        let tool = |changes: &&[Change]| ToolComparison {
            tool: "t".to_owned(),
            revisions: vec![Revision::V2026_07_28],
            changes: changes.to_vec(),
        };
        verdict(&Comparison { changes: Vec::new(), tools: tools.iter().map(tool).collect(), ..comparison() })
    };
    let two = [limit("`maximum` removed"), limit("`exclusiveMaximum` removed")];
    assert_eq!(of(&[&two]), "safe: 2 changes (2 are safe)");
    let breaks = [&two[..], &[all(Effect::BreaksCallers)]].concat();
    let told = "breaks callers: 2 changes (2 are safe; together, the changes of 1 tool break callers)";
    assert_eq!(of(&[&breaks]), told);
    let told = "breaks callers: 4 changes (4 are safe; together, the changes of 2 tools break callers)";
    assert_eq!(of(&[&breaks, &breaks]), told);
    let unlisted = |number| Change { unlisted: Some(number), ..together("more changes", Effect::Unknown) };
    let more = [&two[..], &[unlisted(1_500)]].concat();
    assert_eq!(of(&[&more]), "unknown: 1,502 changes (1,500 are unknown, 2 are safe)");
    let more = [&two[..1], &[unlisted(1)]].concat();
    assert_eq!(of(&[&more]), "unknown: 2 changes (1 is unknown, 1 is safe)");
    assert_eq!(of(&[&[all(Effect::Unknown)]]), "unknown: together, the changes of 1 tool are unknown");
}
