//! Audits of servers from the registries, at pinned releases and with the clients of real SDKs: the reports are checked in,
//! and each finding in them was checked against the wire. `insta` shows what changed where a report does. README.md has one
//! line for each report.
//!
//! They take minutes, so `.ci/slow` runs them. What the registries do not give is skipped, with the reason.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::print_stderr, reason = "a test that is skipped says so, and why")]

#[path = "../../../compat/tests/integration/skip.rs"]
mod skip;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{LazyLock, Mutex, PoisonError};

use insta::Settings;
use skip::skipped;

/// The last line of a report: what it found.
fn headline(report: &str) -> Option<&str> {
    report.lines().find_map(|line| line.strip_prefix("**OK** ").or_else(|| line.strip_prefix("**FAILED** ")))
}

#[test]
fn the_page_has_a_line_for_each_report() {
    let page = fs::read_to_string(Path::new(WANTED).join("README.md")).unwrap();
    for report in fs::read_dir(Path::new(WANTED).join("reports")).unwrap() {
        let path = report.unwrap().path();
        let file = path.file_name().unwrap().to_str().unwrap().to_owned();
        // What a test that failed has left.
        if file.ends_with(".snap.new") {
            continue;
        }
        let row = page.lines().find(|line| line.contains(&format!("(reports/{file})")));
        let row = row.unwrap_or_else(|| panic!("README.md has no line for {file}"));
        let text = fs::read_to_string(&path).unwrap();
        let headline = headline(&text).unwrap().replace('`', "");
        assert!(row.contains(&headline), "{file}: {headline}\n{row}");
    }
}
