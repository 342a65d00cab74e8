//! `init`: write the files that test the server in this folder, and print the command to run.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use crate::init::{NewFile, plan};
use anyhow::{Context as _, Result};
use clap::Args as ClapArgs;

use crate::exit::Exit;
use crate::output::{eprintln, print, println};

const HOW: &str = "\
The file Cargo.toml, package.json, pyproject.toml, requirements.txt, go.mod,
pom.xml or build.gradle shows the language. For a server in Rust, JavaScript,
TypeScript or Python, init writes a test with a baseline, and a workflow that
runs the test. For others, it writes mcp-compat.toml, and a workflow that audits
the server. It starts nothing and changes no existing file.

The command of the server is the one that you give, `scripts.start` of
package.json, the only entry of [project.scripts] in pyproject.toml, a file with
a usual name, such as server.js or main.py, or the only entry of .mcp.json,
.vscode/mcp.json or mcp.json, the first of these files that is there. Values of
`env` and arguments that may be secret become variables.

Examples:
  mcp-compat init
  mcp-compat init --dry-run
  mcp-compat init -- node dist/server.js --stdio";

/// Address of the repository; empty until the first release is published.
const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

#[derive(Debug, ClapArgs)]
#[command(after_help = HOW)]
pub(crate) struct InitArgs {
    /// Only print what would be written
    #[arg(long)]
    dry_run: bool,
    /// The server's command, if it is not started by a file with a usual name
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
}

pub(crate) fn execute(args: &InitArgs) -> Result<Exit> {
    let plan = plan(Path::new("."), &args.command, env!("CARGO_PKG_VERSION"))?;
    eprintln!("{}", plan.found);
    for NewFile { path, text } in &plan.files {
        match fs::read(path) {
            _ if args.dry_run => {
                eprintln!("\n{path} would be:\n");
                print!("{text}");
            }
            Ok(there) if there == text.as_bytes() => eprintln!("{path} is there already."),
            _ if Path::new(path).symlink_metadata().is_ok() => {
                eprintln!("{path} is there and stays as it is. `mcp-compat init --dry-run` prints what it would be.");
            }
            _ => {
                write(Path::new(path), text).with_context(|| format!("cannot write {path}"))?;
                eprintln!("Wrote {path}.");
            }
        }
    }
    if let Some(sentence) = &plan.to_fill_in {
        eprintln!("\n{sentence}");
    }
    let is_published = !REPOSITORY.is_empty();
    if !is_published {
        eprintln!("\nmcp-compat is in no package registry yet: do not push the workflow before the first release.");
    }
    eprintln!("\nRun this now:");
    if plan.takes_package && !is_published {
        println!("{}", plan.audit);
        eprintln!("\nAfter the first release:");
    }
    println!("{}", plan.command);
    Ok(Exit::Success)
}

/// Writes a new file. An existing file is not replaced.
fn write(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::File::create_new(path)?.write_all(text.as_bytes())
}
