//! The page of the book about what servers send to older clients.

use std::fs;
use std::path::Path;

use mcp_compat_cli::inputs::projection_data;
use mcp_compat_reports::projection;

const BEGIN: &str = "<!-- generated: UPDATE_GENERATED=1 cargo test -p mcp-compat-lab projection -->\n";
const END: &str = "<!-- end -->\n";

#[test]
fn the_page_about_older_clients_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/projection.md");
    let page = fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(BEGIN).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    let current = format!("{before}{BEGIN}\n{}\n{END}{after}", projection::markdown(&projection_data::shipped()));
    if std::env::var("UPDATE_GENERATED").is_ok_and(|value| value == "1") {
        fs::write(&path, &current).unwrap();
        return;
    }
    assert!(page == current, "docs/src/projection.md is not current: UPDATE_GENERATED=1 rewrites it");
}
