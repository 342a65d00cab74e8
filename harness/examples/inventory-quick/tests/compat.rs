//! Which clients lose what by this server: one call, one assertion.

use mcp_compat::{ServerUnderTest, SuiteError, cargo_bin};

#[test]
fn no_client_loses_more_than_is_known() -> Result<(), SuiteError> {
    let server = ServerUnderTest::command(cargo_bin("inventory-quick")?).call("find_item", r#"{"sku": "A-1"}"#);
    server.baseline("tests/known-breaks.toml").run()?.assert_no_breaks();
    Ok(())
}
