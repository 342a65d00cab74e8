//! The JSON Schema Test Suite, played.

use mcp_compat::SchemaSuite;
use std::path::Path;

#[tokio::test]
async fn the_real_suite() {
    let Some(folder) = std::env::var_os("MCP_COMPAT_SCHEMA_SUITE") else { return };
    let suite = SchemaSuite::read(Path::new(&folder)).unwrap();
    println!("{}", suite.tests().len());
    for t in suite.tests() {
        if let Some(r) = &t.remote {
            println!("REMOTE {} {} | {} -> {r}", t.keyword, t.group, t.test);
        }
        if let Some(r) = &t.dissent {
            println!("DISSENT {} {} | {} ({}) -> {r}", t.keyword, t.group, t.test, t.valid);
        }
    }
}
