//! Each class, both ways.

use mcp_compat_model::diff::{Class, Obstacle, Which};
use mcp_compat_model::division::Division;
use mcp_compat_model::record::Record;
use mcp_compat_model::{PeerId, Role};
use mcp_compat_reports::compare::{Incomparable, Options, Run, diff};

use crate::compare::records::{compare, record, told};

const OLD: &str = "a/one::ts@1.0.0::mock/dual::stdio";
const NEW: &str = "a/one::ts@1.1.0::mock/dual::stdio";

/// The class of the only change between two cells.
fn class(before: (&str, &str), after: (&str, &str)) -> Option<Class> {
    let diff = compare(&record(&[before]), &record(&[after]));
    assert!(diff.changes.len() <= 1);
    diff.changes.first().map(|change| change.class)
}

#[test]
fn ratings_go_up_and_down() {
    for (before, after, wanted) in [
        ("works", "works", None),
        ("works", "breaks", Some(Class::Worse)),
        ("works", "degraded", Some(Class::Worse)),
        ("degraded", "breaks", Some(Class::Worse)),
        ("breaks", "degraded", Some(Class::Better)),
        ("breaks", "works", Some(Class::Better)),
        ("breaks", "loud", Some(Class::Changed)),
        ("works", "skipped", Some(Class::Changed)),
        ("skipped", "breaks", Some(Class::Changed)),
        ("works", "harness", Some(Class::Spurious)),
        ("harness", "breaks", Some(Class::Spurious)),
        ("harness", "harness", None),
        ("works", "flaky", Some(Class::Flaky)),
        ("works", "known", Some(Class::Worse)),
    ] {
        assert_eq!(class((OLD, before), (NEW, after)), wanted, "{before} {after}");
        assert_eq!(class((OLD, before), (OLD, after)), wanted, "{before} {after}, the same release");
    }
}

#[test]
fn what_is_known_is_no_news() {
    assert!(compare(&record(&[(OLD, "works")]), &record(&[(NEW, "breaks")])).is_worse());
    assert!(!compare(&record(&[(OLD, "works")]), &record(&[(NEW, "known")])).is_worse());
}

#[test]
fn equal_releases_are_compared_first_and_then_the_newest() {
    let before = record(&[(OLD, "works"), ("a/one::ts@0.9.0::mock/dual::stdio", "works")]);
    let after = record(&[(OLD, "works"), (NEW, "breaks"), ("a/one::ts@1.0.5::mock/dual::stdio", "breaks")]);
    let expected = [
        (Class::PeerAdded, "- > ts@1.0.5 mock/dual"),
        (Class::PeerGone, "ts@0.9.0 mock/dual > -"),
        (Class::Worse, "ts@1.0.0 mock/dual > ts@1.1.0 mock/dual"),
    ];
    let mut found = told(&compare(&before, &after));
    found.sort_by(|one, other| one.1.cmp(&other.1));
    assert_eq!(found, expected.map(|(class, cells)| (class, cells.to_owned())));
}

#[test]
fn a_line_with_modes_continues_the_one_without() {
    let before = record(&[("a/one::py@1.28.1::mock/dual::stdio", "breaks")]);
    let after = record(&[
        ("a/one::py@2.3.0+auto::mock/dual::stdio", "works"),
        ("a/one::py@2.3.0+legacy::mock/dual::stdio", "breaks"),
    ]);
    assert_eq!(
        told(&compare(&before, &after)),
        [(Class::Better, "py@1.28.1 mock/dual > py@2.3.0+auto mock/dual".to_owned())]
    );
    let both = record(&[
        ("a/one::py@1.28.1::mock/dual::stdio", "breaks"),
        ("a/one::py@2.0.0+auto::mock/dual::stdio", "breaks"),
    ]);
    let found = told(&compare(&both, &after));
    assert!(
        found.contains(&(Class::Better, "py@2.0.0+auto mock/dual > py@2.3.0+auto mock/dual".to_owned())),
        "{found:?}"
    );
    assert!(found.iter().all(|(_, cells)| !cells.starts_with("py@1.28.1 mock/dual > py@2.3.0+auto")), "{found:?}");
}

#[test]
fn a_new_scenario_is_never_a_regression() {
    let before = record(&[(OLD, "works")]);
    let after = record(&[(OLD, "works"), ("a/two::ts@1.0.0::mock/dual::stdio", "breaks")]);
    let diff = compare(&before, &after);
    assert_eq!((diff.count(Class::New), diff.is_worse()), (1, false));
    assert_eq!(compare(&after, &before).count(Class::Gone), 1);
}

#[test]
fn a_scenario_that_was_rewritten_is_not_compared_and_one_that_was_renamed_is() {
    let (before, mut after) = (record(&[(OLD, "works")]), record(&[(OLD, "breaks")]));
    after.scenarios[0].digest = Some("another".to_owned());
    let rewritten = compare(&before, &after);
    assert_eq!(rewritten.changes[0].obstacles, [Obstacle::Scenario {}]);
    let mut renamed = record(&[("a/renamed::ts@1.0.0::mock/dual::stdio", "breaks")]);
    renamed.scenarios[0].digest = before.scenarios[0].digest.clone();
    assert_eq!(compare(&before, &renamed).count(Class::Worse), 1);
    // The digests of an earlier version have the name in them, so all of them are others.
    let two = |digests: [&str; 2], rating: &str| {
        let mut two = record(&[(OLD, rating), ("a/two::ts@1.0.0::mock/dual::stdio", "works")]);
        for (scenario, digest) in two.scenarios.iter_mut().zip(digests) {
            scenario.digest = Some(digest.to_owned());
        }
        two
    };
    let [with_names, without, one_rewritten] = [["n1", "n2"], ["d1", "d2"], ["d0", "d2"]];
    assert_eq!(compare(&two(with_names, "works"), &two(without, "breaks")).count(Class::Worse), 1);
    assert_eq!(compare(&two(one_rewritten, "works"), &two(without, "breaks")).count(Class::NotComparable), 1);
    // Records of an even earlier version have none.
    let (mut old, mut new) = (before.clone(), record(&[(OLD, "breaks")]));
    old.scenarios[0].digest = None;
    assert_eq!(compare(&old, &new).count(Class::Worse), 1);
    new.corpus = "c1".to_owned();
    assert_eq!(compare(&old, &new).count(Class::NotComparable), 1);
}

#[test]
fn a_change_of_ours_is_not_reported_as_theirs() {
    let (before, mut after) = (record(&[(OLD, "works")]), record(&[(OLD, "breaks")]));
    after.tool_version = "0.2.0".to_owned();
    let diff = compare(&before, &after);
    assert_eq!(diff.changes[0].obstacles, [Obstacle::Harness {}]);
    assert!(!diff.same_harness && !diff.is_worse());
    // Another release may have changed, and is compared.
    let mut moved = record(&[(NEW, "breaks")]);
    moved.tool_version = "0.2.0".to_owned();
    assert!(compare(&before, &moved).is_worse());
    moved.judge = Some("tomorrow".to_owned());
    assert_eq!(compare(&before, &moved).changes[0].obstacles, [Obstacle::Judge {}]);
}

#[test]
fn a_regression_is_worse_reproduced_and_not_known() {
    let (before, after) = (record(&[(OLD, "works")]), record(&[(NEW, "breaks")]));
    let with = |after: &Record, repeat: &Record| {
        let options = Options { repeat: Some(repeat), ..Options::default() };
        diff(&Run::new("A", &before), &Run::new("B", after), &options).unwrap()
    };
    assert!(with(&after, &after).has_regression());
    assert!(!compare(&before, &after).has_regression());
    let other = with(&after, &record(&[(NEW, "works")]));
    assert_eq!((other.count(Class::Flaky), other.has_regression(), other.is_worse()), (1, false, false));
    let known = record(&[(NEW, "known")]);
    assert!(!with(&known, &known).has_regression());
    let mut other_tool = after.clone();
    other_tool.tool_version = "0.2.0".to_owned();
    let worse = with(&other_tool, &other_tool);
    assert!(worse.is_worse() && !worse.has_regression());
}

#[test]
fn what_one_run_did_not_play_is_said() {
    let (two, one) = ("a/two::ts@1.0.0::mock/dual::stdio", (OLD, "works"));
    let mut before = record(&[one, (two, "works")]);
    before.cells.pop();
    let diff = compare(&before, &record(&[one, (two, "breaks")]));
    assert_eq!(diff.changes[0].obstacles, [Obstacle::NotPlayed { by: Which::Before }]);
}

#[test]
fn changes_are_grouped_by_cause_and_due_to_the_release_that_moved() {
    let cells = |client: &str, server: &str, fate: &'static str| -> Vec<(String, &'static str)> {
        let id = |scenario: &str| format!("a/{scenario}::{client}::{server}::stdio");
        ["one", "two"].map(|scenario| (id(scenario), fate)).to_vec()
    };
    fn of(cells: &[(String, &'static str)]) -> Record {
        record(&cells.iter().map(|(id, fate)| (id.as_str(), *fate)).collect::<Vec<_>>())
    }
    let before = of(&[cells("ts@1.0.0", "mock/dual", "works"), cells("mock/dual", "py@1.0.0/typed", "works")].concat());
    let after =
        of(&[cells("ts@1.1.0", "mock/dual", "breaks"), cells("mock/dual", "py@1.2.0/typed", "degraded")].concat());
    let diff = compare(&before, &after);
    let said: Vec<_> = diff.groups.iter().map(|group| (group.class, group.due_to, group.changes.len())).collect();
    assert_eq!(said, [(Class::Worse, Some(Role::Client), 2), (Class::Worse, Some(Role::Server), 2)]);
    let bisection = diff.groups[1].bisection.as_ref().unwrap();
    assert_eq!(
        (bisection.family.as_str(), bisection.good.as_str(), bisection.bad.as_str()),
        ("py/typed", "1.0.0", "1.2.0")
    );
    assert_eq!(bisection.against.as_str(), "mock/dual");
    let back = compare(&after, &before);
    let bisection = back.groups[0].bisection.as_ref().unwrap();
    assert_eq!((bisection.good.as_str(), bisection.bad.as_str()), ("1.0.0", "1.1.0"));
}

#[test]
fn peers_of_different_families_are_compared_where_that_is_asked_for() {
    let before = record(&[(OLD, "works")]);
    let after = record(&[("a/one::mine::mock/dual::stdio", "breaks")]);
    assert_eq!(told(&compare(&before, &after)).len(), 2);
    let partners = [(Role::Client, PeerId::new("ts@1.0.0").unwrap(), PeerId::new("mine").unwrap())];
    let options = Options { partners: &partners, ..Options::default() };
    let diff = diff(&Run::new("A", &before), &Run::new("B", &after), &options).unwrap();
    assert_eq!(told(&diff), [(Class::Worse, "ts@1.0.0 mock/dual > mine mock/dual".to_owned())]);
    assert!(diff.groups[0].bisection.is_none());
}

#[test]
fn runs_with_nothing_in_common_are_not_compared() {
    let one = record(&[(OLD, "works")]);
    let compared = |after: &Record| diff(&Run::new("A", &one), &Run::new("B", after), &Options::default());
    assert!(matches!(compared(&record(&[])), Err(Incomparable::Empty { name }) if name == "B"));
    let other = record(&[("b/other::ts@1.0.0::mock/dual::stdio", "works")]);
    assert!(matches!(compared(&other), Err(Incomparable::OtherCorpus { .. })));
    let part = |part| {
        let division = Division { of: 2, parts: vec![part], cells: 2, plan: "p".to_owned() };
        Record { division: Some(division), ..one.clone() }
    };
    let parts = diff(&Run::new("A", &part(1)), &Run::new("B", &part(2)), &Options::default());
    assert!(matches!(parts, Err(Incomparable::Parts { .. })));
}
