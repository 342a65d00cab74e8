//! The break is told in a text that says what to do; doing it mends the break.

use mcp_compat::{CargoBin, Report, ServerUnderTest};
use rstest::rstest;

/// The server with these features, with the clients that the glob selects.
fn report(features: &[&str], clients: &str) -> Report {
    let program = features.iter().fold(CargoBin::new("inventory-server"), |bin, feature| bin.feature(*feature));
    let server = ServerUnderTest::command(program.build().unwrap()).against(clients);
    server.call("find_item", r#"{"sku": "A-1"}"#).run().unwrap()
}

fn told(report: &Report) -> String {
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| report.assert_no_breaks())).unwrap_err();
    format!("{}\n", panic.downcast::<String>().unwrap())
}

#[test]
fn the_break_is_told_as_it_was_reviewed() {
    let told = told(&report(&[], "profile/python@1"));
    assert_eq!(told, include_str!("told.txt"), "the text of a failure is another one:\n{told}");
}

#[rstest]
fn once_fixed_no_client_loses_anything(#[values("mock/*", "profile/python@*", "profile/typescript@*")] clients: &str) {
    report(&["fixed"], clients).assert_no_breaks();
}
