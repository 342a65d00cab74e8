//! The page of the rules: it is what playing shows, and it is current.

use std::fs;
use std::path::Path;

use crate::workshop::Workshop;

#[test]
fn the_page_of_the_rules_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../RULES.md");
    let page = Workshop::new().run(["show", "rules", "--markdown"]).ends_with(0).stdout;
    if std::env::var("UPDATE_GENERATED").is_ok_and(|value| value == "1") {
        fs::write(&path, &page).unwrap();
    }
    let published = fs::read_to_string(&path).unwrap_or_default();
    let difference = page.lines().zip(published.lines()).find(|(now, then)| now != then);
    assert!(page == published, "harness/RULES.md is not current: UPDATE_GENERATED=1 rewrites it\n{difference:#?}");
}

#[test]
fn only_the_rules_have_a_page() {
    let workshop = Workshop::new();
    let ran = workshop.run(["show", "scenarios", "--markdown"]).ends_with(2);
    ran.says(&["--markdown is a page about the rules", "mcp-compat show rules --markdown"]);
    workshop.run(["show", "rules", "--markdown", "--json"]).ends_with(2).says(&["cannot be used with"]);
}
