//! The cargo-test API as an implementer uses it: one call, one assertion, and a text that says what to do.

use std::path::Path;

use libtest_mimic::{Arguments, Conclusion, Trial};
use mcp_compat::ClientPeer;
use mcp_compat::Suite;
use mcp_compat_model::Transport;
use mcp_compat_model::verdict::Rating;

use crate::support::failure_text;

#[test]
fn a_break_is_told_with_what_was_to_come_what_came_why_and_whose_turn_it_is() {
    let report = Suite::new().scenarios("root-type/array").transport(Transport::Memory).run().unwrap();
    insta::assert_snapshot!(failure_text(&report));
}

#[test]
fn breaks_of_one_cause_are_told_once_and_stale_entries_after_them() {
    let folder = tempfile::tempdir().unwrap();
    let known = folder.path().join("known.toml");
    let stale = "[[broken]]\ncells = \"root-type/object::mock/dual/skip+auto::*\"\nreason = \"fixed\"\n";
    std::fs::write(&known, stale).unwrap();
    let suite = Suite::new().peer(ClientPeer::mock("mock/dual/skip+auto").unwrap()).baseline(&known);
    let suite = suite.scenarios("root-type/object").scenarios("invalid-result/wrong-type");
    let report =
        suite.transport(Transport::Memory).transport(Transport::Http).transport(Transport::Stdio).run().unwrap();
    insta::assert_snapshot!(failure_text(&report));
}

#[test]
fn a_report_without_breaks_passes() {
    let report = Suite::new().scenarios("root-type/object").transport(Transport::Memory).run().unwrap();
    report.assert_no_breaks();
    assert_eq!(report.breaks().count(), 0);
    assert!(report.record().cells.iter().all(|cell| cell.rating == Rating::Works));
}

#[test]
fn a_report_that_proves_nothing_fails() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("peer.toml");
    let manifest = "id = \"absent@1.0.0\"\nlanguage = \"sh\"\nabout = \"supports nothing\"\nrevisions = [\"2025-11-25\"]\n\
                    [client]\ncommand = [\"sh\", \"-c\", \"exit 127\"]\n";
    std::fs::write(&path, manifest).unwrap();
    let suite = Suite::new().peers(mcp_compat::peers::from_manifest(&path).unwrap()).scenarios("root-type/object");
    let report = suite.transport(Transport::Http).run().unwrap();
    assert_eq!(report.breaks().count(), 0);
    let text = failure_text(&report);
    assert!(text.starts_with("nothing was judged: 1 check skipped") && text.contains("127"), "{text}");
}

/// Runs named tests without writing to the terminal.
pub(crate) fn as_tests(trials: Vec<Trial>) -> (Vec<String>, Conclusion) {
    let folder = tempfile::tempdir().unwrap();
    let logfile = folder.path().join("log").display().to_string();
    let names = trials.iter().map(|trial| trial.name().to_owned()).collect();
    let arguments = Arguments { logfile: Some(logfile), quiet: true, ..Arguments::default() };
    (names, libtest_mimic::run(&arguments, trials))
}

#[test]
fn each_cell_is_a_test_of_its_own() {
    let suite = || Suite::new().scenarios("root-type/array").scenarios("root-type/object").transport(Transport::Memory);
    let (names, conclusion) = as_tests(suite().trials().unwrap());
    assert_eq!(
        names,
        [
            "root-type::array::mock/2025-11-25::mock/dual::memory",
            "root-type::array::mock/dual+auto::mock/dual::memory",
            "root-type::object::mock/2025-11-25::mock/dual::memory",
            "root-type::object::mock/dual+auto::mock/dual::memory",
        ]
    );
    assert_eq!((conclusion.num_passed, conclusion.num_failed), (3, 1));
    let known = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/known.toml");
    let (_, conclusion) = as_tests(suite().baseline(known).trials().unwrap());
    assert_eq!((conclusion.num_passed, conclusion.num_failed), (4, 0));
}

#[test]
fn mistakes_of_the_implementer_are_told_with_their_place() {
    let nowhere = Path::new("there/is/no/known.toml");
    let error = Suite::new().baseline(nowhere).run().unwrap_err().to_string();
    assert!(error.contains("there/is/no/known.toml"), "{error}");
    let error = Suite::new().scenarios("root-type/arrray").run().unwrap_err().to_string();
    assert!(error.contains("root-type/array"), "the nearest: {error}");
    let error = mcp_compat::peers::from_manifest("there/is/no/peer.toml").unwrap_err().to_string();
    assert!(error.contains("there/is/no/peer.toml"), "{error}");
}
