//! A test for `cargo test`. The installed program does the work, so the test compiles in seconds.

use super::parts::{TestFile, baseline, comment};
use crate::Found;
use crate::new_file::NewFile;
use crate::workflow::audit;

const FILE: &str = "tests/mcp_compat.rs";
const BASELINE: &str = "tests/known-breaks.toml";

pub(super) fn of(found: &Found, binary: Option<&str>, version: &str) -> TestFile {
    let (launch, program) = match (binary, &found.start[..]) {
        (Some(binary), _) => ("", format!("cargo_bin({binary:?})?")),
        (None, [program]) => ("Launch, ", format!("Launch::new({program:?})")),
        (None, [program, rest @ ..]) => ("Launch, ", format!("Launch::new({program:?}).args({rest:?})")),
        (None, []) => ("Launch, ", "Launch::new(\"\")".to_owned()),
    };
    let cargo_bin = if binary.is_some() { ", cargo_bin" } else { "" };
    let audit = comment(&audit("mcp-compat", found));
    let text = format!(
        "//! Which clients lose what by this server. `mcp-compat docs rust` explains the test, and\n\
         //! `{audit}` prints the same as a report.\n\
         \n\
         use mcp_compat::{{{launch}ServerUnderTest, SuiteError{cargo_bin}}};\n\
         \n\
         #[test]\n\
         fn no_client_loses_more_than_is_known() -> Result<(), SuiteError> {{\n    \
             // Tools that are marked read-only are called. Another one needs `.call(\"find\", r#\"{{\"id\": 1}}\"#)`, or\n    \
             // `.allow_uncalled(\"delete_*\")`. A call that is to fail is `.expect_error(\"find\", r#\"{{\"id\": 0}}\"#)`.\n    \
             let server = ServerUnderTest::command({program});\n    \
             server.baseline(\"{BASELINE}\").run()?.assert_no_breaks();\n    \
             Ok(())\n\
         }}\n"
    );
    let run = "cargo test --test mcp_compat".to_owned();
    TestFile {
        file: NewFile { path: FILE.to_owned(), text },
        baseline: baseline(BASELINE.to_owned(), &run),
        add: format!("cargo add --dev mcp-compat@{version} --no-default-features"),
        in_workflow: vec![format!("npm install --global mcp-compat@{version}"), run.clone()],
        run,
    }
}
