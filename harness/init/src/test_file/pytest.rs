//! A test for pytest.

use super::parts::{TestFile, baseline, comment, literal, literals};
use crate::Found;
use crate::new_file::NewFile;
use crate::workflow::audit;

pub(super) fn of(found: &Found, uv: bool, folder: &str, version: &str) -> TestFile {
    let at = |name: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
    let file = at("test_mcp_compat.py");
    let command = match &found.start[..] {
        [python, rest @ ..] if python == "python3" || python == "python" => {
            let rest = literals(rest);
            if rest.is_empty() { "sys.executable".to_owned() } else { format!("sys.executable, {rest}") }
        }
        words => literals(words),
    };
    let imports =
        if command.starts_with("sys.") { "import sys\nfrom pathlib import Path" } else { "from pathlib import Path" };
    let above = if folder.is_empty() { "HERE".to_owned() } else { "HERE.parent".to_owned() };
    let audit = literal(&comment(&audit("mcp-compat", found)));
    let audit = audit.trim_matches('"');
    let text = format!(
        "\"\"\"Which clients lose what by this server: a test for each tool with each client.\n\
         \n\
         `mcp-compat docs python` explains it, and `{audit}` prints the same as a report.\n\
         \"\"\"\n\
         \n\
         {imports}\n\
         \n\
         import mcp_compat\n\
         \n\
         HERE = Path(__file__).resolve().parent\n\
         \n\
         # Tools that are marked read-only are called. Another one needs calls={{\"find\": {{\"id\": 1}}}}, or\n\
         # allow_uncalled=[\"delete_*\"]. A call that is to fail is expect_error={{\"find\": {{\"id\": 0}}}}.\n\
         test_server = mcp_compat.audit_server(\n    \
             [{command}],\n    \
             cwd={above},\n    \
             baseline=HERE / \"known-breaks.toml\",\n\
         )\n"
    );
    let (add, install, run) = match uv {
        true => (format!("uv add --dev mcp-compat-cli=={version} pytest"), None, format!("uv run pytest {file}")),
        false => {
            let install = format!("python3 -m pip install mcp-compat-cli=={version} pytest");
            (install.clone(), Some(install), format!("python3 -m pytest {file}"))
        }
    };
    TestFile {
        file: NewFile { path: file, text },
        baseline: baseline(at("known-breaks.toml"), &run),
        add,
        in_workflow: install.into_iter().chain([run.clone()]).collect(),
        run,
    }
}
