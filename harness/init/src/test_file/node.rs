//! A test for `node --test` or vitest.

use super::parts::{TestFile, baseline, comment, literals};
use crate::new_file::NewFile;
use crate::workflow::audit;
use crate::{Found, NodePackages};

pub(super) fn of(found: &Found, packages: NodePackages, vitest: bool, folder: &str, version: &str) -> TestFile {
    let (file, known) = (format!("{folder}/mcp-compat.test.mjs"), format!("{folder}/known-breaks.toml"));
    let import = if vitest { "import { test } from \"vitest\";" } else { "import test from \"node:test\";" };
    let (audit, start) = (comment(&audit("mcp-compat", found)), literals(&found.start));
    let text = format!(
        "// Which clients lose what by this server: a test for each tool with each client. `mcp-compat docs typescript`\n\
         // explains it, and `{audit}` prints the same as a report.\n\
         {import}\n\
         import {{ auditServer }} from \"mcp-compat\";\n\
         \n\
         // Tools that are marked read-only are called. Another one needs `calls: {{ find: {{ id: 1 }} }}`, or\n\
         // `allowUncalled: [\"delete_*\"]`. A call that is to fail is `expectError: {{ find: {{ id: 0 }} }}`.\n\
         const audit = await auditServer([{start}], {{\n  baseline: \"{known}\",\n}});\n\
         audit.register(test);\n"
    );
    let (add, local) = match packages {
        NodePackages::Npm => ("npm install --save-dev", "npx "),
        NodePackages::Pnpm => ("pnpm add --save-dev", "pnpm exec "),
        NodePackages::Yarn => ("yarn add --dev", "yarn "),
    };
    let run = match (vitest, packages) {
        (true, _) => format!("{local}vitest run {file}"),
        // Yarn need not write a folder node_modules.
        (false, NodePackages::Yarn) => format!("yarn node --test {file}"),
        (false, NodePackages::Npm | NodePackages::Pnpm) => format!("node --test {file}"),
    };
    TestFile {
        file: NewFile { path: file, text },
        baseline: baseline(known, &run),
        add: format!("{add} mcp-compat@{version}"),
        in_workflow: vec![run.clone()],
        run,
    }
}
