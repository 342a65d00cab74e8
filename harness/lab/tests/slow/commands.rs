//! The rule book is current, and the self-test prints what scenarios catch.

use std::fs;
use std::path::Path;

use crate::workshop::Workshop;

#[test]
fn the_page_of_the_rules_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../RULES.md");
    let page = Workshop::new().run(["rules"]).ends_with(0).stdout;
    if std::env::var("UPDATE_GENERATED").is_ok_and(|value| value == "1") {
        fs::write(&path, &page).unwrap();
    }
    let published = fs::read_to_string(&path).unwrap_or_default();
    let difference = page.lines().zip(published.lines()).find(|(now, then)| now != then);
    assert!(page == published, "harness/RULES.md is not current: UPDATE_GENERATED=1 rewrites it\n{difference:#?}");
}

/// The whole self-test is a step of `.ci/run`.
#[test]
fn the_selftest_of_some_scenarios_says_what_they_catch() {
    let workshop = Workshop::new();
    let ran = workshop.run(["selftest", "--scenario=invalid-result/wrong-type", "--scenario=root-type/null"]);
    let ran = ran.ends_with(0);
    let ran = ran.shows(&[
        "caught by",
        "skips-validation",
        "every scenario",
        "2 scenarios catch ",
        " sabotaged mocks; 0 idle",
    ]);
    assert!(!ran.stdout.contains("SURVIVES"), "others catch the rest: {}", ran.stdout);
    workshop.run(["selftest", "--scenario=root-typ/null"]).ends_with(2).says(&["root-type/null"]);
}
