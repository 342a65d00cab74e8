//! A small file that is right, and the two things that can become of a change to it.

use mcp_compat_scenario::{Scenario, load};

pub(crate) const PATH: &str = "root-type/count.toml";

/// The top of a file that is right.
pub(crate) const HEAD: &str = r#"title = "A number at the root"
why = "Zero is easily taken for nothing."
sources = ["https://example.org/issues/1"]
"#;

/// A tool that is right.
pub(crate) const TOOL: &str = r#"
[[tool]]
definition = '{"name": "count", "inputSchema": {}, "outputSchema": {"type": "integer"}}'
returns = '{"structuredContent": 3, "content": []}'
"#;

/// A whole file that is right.
pub(crate) fn plain() -> String {
    format!("{HEAD}{TOOL}")
}

/// The file with one change, which must be one.
pub(crate) fn plain_but(before: &str, after: &str) -> String {
    let plain = plain();
    assert!(plain.contains(before), "{before:?} is not in the file");
    plain.replacen(before, after, 1)
}

/// The scenarios of a file that is right.
pub(crate) fn accepted(text: &str) -> Vec<Scenario> {
    load(PATH, text, &beside).unwrap_or_else(|mistakes| panic!("{text}\n{mistakes}"))
}

/// The scenario of a file that has one.
pub(crate) fn only(text: &str) -> Scenario {
    let [scenario] = <[Scenario; 1]>::try_from(accepted(text)).expect("one scenario");
    scenario
}

/// What the author of a file that is wrong gets to read.
pub(crate) fn refused(text: &str) -> String {
    load(PATH, text, &beside).expect_err("this file is wrong").render(false)
}

fn beside(path: &str) -> Option<Vec<u8>> {
    (path == "root-type/bom.bin").then(|| b"\xef\xbb\xbf{\"id\":{{id}}}\xff".to_vec())
}
