//! Model of the `tests/compat.rs` of an SDK, here for rmcp: plays the corpus against its adapter, with a baseline.
//!
//! In a test, `main` is a `#[test]`. Run it here with `cargo run -p mcp-compat --example compat`.

use mcp_compat::peers;
use mcp_compat::{Suite, SuiteError};

fn main() -> Result<(), SuiteError> {
    let peer = concat!(env!("CARGO_MANIFEST_DIR"), "/../../peers/rust/rmcp-3/peer.toml");
    let known = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/real_sdk/rmcp-known.toml");
    let report = Suite::new().peers(peers::from_release(peer, "3.11.0")?).baseline(known).run()?;
    report.assert_no_breaks();
    Ok(())
}
