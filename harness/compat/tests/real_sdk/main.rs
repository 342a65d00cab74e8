//! The library against a real SDK, as an implementer uses it, with the whole corpus. `.ci/slow` runs it.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::print_stderr, reason = "a test that is skipped says so, and why")]

#[path = "../integration/real.rs"]
mod real;
#[path = "../integration/skip.rs"]
mod skip;

use std::time::Duration;

use mcp_compat::Suite;

use crate::real::{RELEASE, manifest, rmcp};

const KNOWN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/real_sdk/rmcp-known.toml");

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
