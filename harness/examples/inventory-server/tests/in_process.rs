//! The same without a process: quicker, and measured with the features of the test.

use inventory_server::Inventory;
use mcp_compat::in_process::Wire;
use mcp_compat::{ServerUnderTest, SuiteError};
use rmcp::ServiceExt as _;

#[test]
fn no_client_loses_more_than_is_known() -> Result<(), SuiteError> {
    let server = ServerUnderTest::in_process(|wire: Wire| async move {
        Inventory.serve(wire).await?.waiting().await?;
        Ok(())
    });
    let server = server.call("find_item", r#"{"sku": "A-1"}"#).baseline("tests/known-breaks.toml");
    server.run()?.assert_no_breaks();
    Ok(())
}
