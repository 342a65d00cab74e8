//! Reviewed reports, and hostile text of a peer in them.

use std::collections::BTreeMap;

use mcp_compat_model::diff::{Bisection, Move, SCHEMA_VERSION};
use mcp_compat_model::verdict::{Fault, Outcome, Rating};
use mcp_compat_model::{ScenarioId, Transport};

use super::*;
use crate::Style;

fn peer(id: &str) -> PeerId {
    PeerId::new(id).unwrap()
}

fn fate(client: &str, outcome: Outcome, rating: Rating, reason: &str) -> Fate {
    let breaks = rating == Rating::Breaks;
    Fate {
        client: peer(client),
        server: peer("mock/dual"),
        negotiated: None,
        outcome,
        rating,
        silent: outcome == Outcome::Lost,
        blast_radius: None,
        fault: breaks.then_some(Fault::Client),
        cause: None,
        reason: reason.to_owned(),
        known: false,
        flaky: false,
    }
}

fn change(class: Class, scenario: &str, before: Option<Fate>, after: Option<Fate>) -> Change {
    let moves = match (&before, &after) {
        (Some(before), Some(after)) if before.client != after.client => {
            vec![Move { role: Role::Client, before: before.client.clone(), after: after.client.clone() }]
        }
        _ => Vec::new(),
    };
    let obstacles = if class == Class::NotComparable { vec![Obstacle::Scenario {}] } else { Vec::new() };
    Change {
        class,
        scenario: ScenarioId::new(scenario).unwrap(),
        transport: Transport::Http,
        before,
        after,
        moves,
        peers: Vec::new(),
        obstacles,
        reproduced: (class == Class::Worse).then_some(true),
        regression: class == Class::Worse,
    }
}

fn group(changes: &[Change], place: u32) -> Group {
    let change = &changes[place as usize];
    let peers = if change.class == Class::PeerAdded { vec![peer("go@1.7.0")] } else { Vec::new() };
    Group {
        class: change.class,
        cause: None,
        moves: change.moves.clone(),
        due_to: change.moves.first().map(|moved| moved.role),
        peers,
        obstacles: change.obstacles.clone(),
        changes: vec![place],
        example: place,
        bisection: (change.class == Class::Worse).then(|| Bisection {
            scenario: change.scenario.clone(),
            read_from: None,
            role: Role::Client,
            family: "typescript".to_owned(),
            good: "1.25.3".to_owned(),
            bad: "2.4.0+auto".to_owned(),
            against: peer("mock/dual"),
            transport: Transport::Http,
        }),
    }
}

fn side(name: &str, started: &str) -> Side {
    Side {
        name: name.to_owned(),
        started: started.to_owned(),
        tool_version: "0.1.0".to_owned(),
        judge: None,
        corpus: "c0".to_owned(),
        complete: true,
        cells: 417,
        judged_anew: 0,
    }
}

fn diff() -> Diff {
    let hostile = "typescript lost it: \u{1b}[31m<b>@everyone</b> \u{202e}x";
    let changes = vec![
        change(
            Class::Worse,
            "root-type/array",
            Some(fate("typescript@1.25.3", Outcome::Intact, Rating::Works, "it works")),
            Some(fate("typescript@2.4.0+auto", Outcome::Lost, Rating::Breaks, hostile)),
        ),
        change(
            Class::Better,
            "root-type/null",
            Some(fate(
                "typescript@1.25.3",
                Outcome::Rejected,
                Rating::Breaks,
                "typescript@1.25.3 rejected `list_users`.",
            )),
            Some(fate("typescript@2.4.0+auto", Outcome::Intact, Rating::Works, "it works")),
        ),
        change(Class::New, "ref/deep", None, Some(fate("typescript@2.4.0+auto", Outcome::Intact, Rating::Works, ""))),
        change(
            Class::NotComparable,
            "ref/loop",
            Some(fate("mock/dual", Outcome::Intact, Rating::Works, "")),
            Some(fate("mock/dual", Outcome::Lost, Rating::Breaks, "")),
        ),
        change(Class::PeerAdded, "ref/loop", None, Some(fate("go@1.7.0", Outcome::Intact, Rating::Works, ""))),
    ];
    let mut counts: BTreeMap<Class, u64> = changes.iter().map(|change| (change.class, 1)).collect();
    counts.insert(Class::Same, 1410);
    Diff {
        schema_version: SCHEMA_VERSION,
        before: Side { judged_anew: 417, ..side("nightly/old", "2026-11-21T02:00:00Z") },
        after: side("nightly/new", "2026-11-22T02:00:00Z"),
        same_harness: true,
        counts,
        groups: (0..5).map(|place| group(&changes, place)).collect(),
        changes,
        left_out: 0,
    }
}

#[test]
fn a_person_sees_the_worst_first_and_the_sum_last() {
    insta::assert_snapshot!(terminal(&diff(), Style::plain(80)));
}

#[test]
fn a_comment_has_the_same_below_its_marker() {
    let page = markdown(&diff());
    assert!(page.starts_with(MARKER));
    assert!(!page.contains('\u{1b}') && !page.contains('\u{202e}'));
    insta::assert_snapshot!(page);
}

#[test]
fn an_annotation_has_what_is_worse_on_one_line() {
    let lines = github(&diff());
    assert!(lines.starts_with("::error title=worse than before::typescript lost it"), "{lines}");
    assert!(lines.lines().count() == 1 && !lines.contains(['\u{1b}', '\u{202e}']), "{lines}");
}

#[test]
fn a_diff_without_changes_says_so() {
    let quiet = Diff { changes: Vec::new(), groups: Vec::new(), counts: [(Class::Same, 417)].into(), ..diff() };
    let quiet = Diff { before: side("a", "2026-11-21T02:00:00Z"), after: side("b", "2026-11-22T02:00:00Z"), ..quiet };
    insta::assert_snapshot!(terminal(&quiet, Style::plain(80)), @r#"
    before  a (2026-11-21T02:00:00Z)
    after   b (2026-11-22T02:00:00Z)

    nothing changed: 417 checks compared
    "#);
}

#[test]
fn no_line_is_wider_than_the_page() {
    for line in terminal(&diff(), Style::plain(80)).lines() {
        assert!(textwrap::core::display_width(line) <= 80, "{line}");
    }
}
