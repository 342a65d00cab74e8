//! One named test for each tool with each client: `cargo test --features named --test named -- list_items::profile/python`.

use std::process::ExitCode;

use mcp_compat::{ServerUnderTest, cargo_bin};

fn main() -> ExitCode {
    let program = cargo_bin("inventory-quick").unwrap_or_else(|error| panic!("{error}"));
    let server = ServerUnderTest::command(program).call("find_item", r#"{"sku": "A-1"}"#);
    server.baseline("tests/known-breaks.toml").main()
}
