//! The cargo-test API against a real SDK. It takes longest, so its name has it begin first.

use std::time::Duration;

use mcp_compat::Suite;
use mcp_compat_model::Transport;

use crate::real::{RELEASE, manifest, rmcp};
use crate::suite::told;

const KNOWN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/integration/rmcp-known.toml");

#[tokio::test]
async fn rmcp_breaks_nothing_but_what_its_baseline_knows_of() {
    if rmcp().await.is_none() {
        return;
    }
    // From here on it is what an implementer writes, on a machine that has other tests to run.
    let suite = Suite::new().peers(mcp_compat::peers::from_release(manifest(), RELEASE).unwrap()).baseline(KNOWN);
    let report = suite.step_timeout(Duration::from_secs(15)).run().unwrap();
    report.assert_no_breaks();

    let cells = &report.record().cells;
    let known = cells.iter().filter(|cell| cell.known.is_some()).count();
    assert!(known > 0 && cells.len() > 2 * known, "{known} of {} cells are known to break", cells.len());
    assert!(cells.iter().all(|cell| cell.client.is_mock() != cell.server.is_mock()), "each against a reference");
}

#[tokio::test]
async fn without_its_baseline_rmcp_fails_and_the_text_names_the_break() {
    if rmcp().await.is_none() {
        return;
    }
    let suite = Suite::new()
        .peers(mcp_compat::peers::from_release(manifest(), RELEASE).unwrap())
        .scenarios("invalid-result/wrong-type");
    let text = told(&suite.transport(Transport::Http).run().unwrap());
    assert!(text.starts_with("3 cells break, for 1 cause\n"), "{text}");
    assert!(text.contains("invalid-result/wrong-type::rmcp@3.9.0+auto::mock/dual::http breaks, silently"), "{text}");
    assert!(text.contains("to fix    client"), "{text}");
}
