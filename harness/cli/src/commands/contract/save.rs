//! `contract save`: a server's tools into a lock file.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args as ClapArgs;
use mcp_compat_audit::schema_lock::{DEFAULT_LOCK, Lock, read, save};
use mcp_compat_model::count::counted;
use mcp_compat_model::unseen::neutralised;

use super::current::current_lock;
use crate::exit::Exit;
use crate::output::println;
use crate::target::TargetArgs;

const EXAMPLES: &str = "\
An existing lock file of the same server is replaced. A lock file that cannot be
read, or belongs to another server, is not changed, and the exit status is 2.

Examples:
  mcp-compat contract save -- npx -y my-server
  mcp-compat contract save --lock api.lock.json --url http://127.0.0.1:3000/mcp";

#[derive(Debug, ClapArgs)]
#[command(after_help = EXAMPLES)]
pub(super) struct SaveArgs {
    /// The lock file
    #[arg(long, value_name = "FILE", default_value = DEFAULT_LOCK)]
    lock: PathBuf,
    #[command(flatten)]
    server: TargetArgs,
}

pub(super) fn execute(args: &SaveArgs) -> Result<Exit> {
    // A file that cannot be replaced is reported before a server is started.
    let replaces = args.lock.exists();
    if replaces {
        read(&args.lock)?;
    }
    let Some(lock) = current_lock(&args.server)? else { return Ok(Exit::Interrupted) };
    if lock.tool_count() == 0 {
        bail!("the server lists no tools, so there is nothing to save");
    }
    let changed = save(&args.lock, &lock)?;
    let done = match (replaces, changed) {
        (true, true) => "was replaced and has",
        (true, false) => "is unchanged:",
        (false, _) => "has",
    };
    println!("{}", told(&args.lock, done, &lock));
    Ok(Exit::Success)
}

fn told(path: &Path, done: &str, lock: &Lock) -> String {
    let server = neutralised(format!("{} {}", lock.server.name, lock.server.version).trim());
    let tools = counted(lock.tool_count(), "tool");
    let revisions = counted(lock.revisions.len(), "revision");
    format!("{} {done} {tools} of {server}, at {revisions}", path.display())
}
