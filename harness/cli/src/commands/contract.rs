//! `contract`: a server's tool schemas, recorded in a lock file and compared with a later version.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::{Args as ClapArgs, Subcommand};
use mcp_compat_audit::probe::ServerProbe;
use mcp_compat_audit::schema_lock::{DEFAULT_LOCK, Lock, compare, lock_of, read, save};
use mcp_compat_model::comparison::{Comparison, Effect};
use mcp_compat_model::count::counted;
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_reports::contract as report;

use crate::exit::Exit;
use crate::output::{eprintln, json_text, print, println};
use crate::runtime::interruptible;
use crate::terminal;
use crate::values::TargetArgs;

const EXAMPLES: &str = "\
Examples:
  mcp-compat contract save -- node server.js
  mcp-compat contract check -- node server.js";

#[derive(Debug, ClapArgs)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ContractArgs {
    #[command(subcommand)]
    command: ContractCommand,
}

#[derive(Debug, Subcommand)]
enum ContractCommand {
    /// Write the tools that a server lists, at every revision, to a lock file
    Save(SaveArgs),
    /// Compare a server with a lock file: which changes are safe, which break callers
    Check(CheckArgs),
}

pub(crate) fn execute(args: &ContractArgs) -> Result<Exit> {
    match &args.command {
        ContractCommand::Save(save) => execute_save(save),
        ContractCommand::Check(check) => execute_check(check),
    }
}

const SAVE_EXAMPLES: &str = "\
An existing lock file of the same server is replaced. A lock file that cannot be
read, or belongs to another server, is not changed, and the exit status is 2.

Examples:
  mcp-compat contract save -- npx -y my-server
  mcp-compat contract save --lock api.lock.json --url http://127.0.0.1:3000/mcp";

#[derive(Debug, ClapArgs)]
#[command(after_help = SAVE_EXAMPLES)]
struct SaveArgs {
    /// The lock file
    #[arg(long, value_name = "FILE", default_value = DEFAULT_LOCK)]
    lock: PathBuf,
    #[command(flatten)]
    server: TargetArgs,
}

fn execute_save(args: &SaveArgs) -> Result<Exit> {
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
    println!("{}", summary(&args.lock, done, &lock));
    Ok(Exit::Success)
}

fn summary(path: &Path, done: &str, lock: &Lock) -> String {
    let server = neutralised(format!("{} {}", lock.server.name, lock.server.version).trim());
    let tools = counted(lock.tool_count(), "tool");
    let revisions = counted(lock.revisions.len(), "revision");
    format!("{} {done} {tools} of {server}, at {revisions}", path.display())
}

const CHECK_EXAMPLES: &str = "\
Each change gets a verdict:
  safe                 proven: every value that was allowed is still handled
  unknown              neither a proof nor a counterexample was found
  breaks some clients  clients that do more than is required may break, or a
                       revision is gone
  breaks callers       a value shows the break, or a tool is gone

What a server returns must stay within its old outputSchema. What callers may
send must stay within its new inputSchema.

Exit status: 0 every change is safe, 1 any other verdict, 2 the lock file cannot
be used or belongs to another server.

Examples:
  mcp-compat contract check -- npx -y my-server
  mcp-compat contract check --lock v1.lock.json --against v2.lock.json";

#[derive(Debug, ClapArgs)]
#[command(after_help = CHECK_EXAMPLES)]
struct CheckArgs {
    /// The lock file
    #[arg(long, value_name = "FILE", default_value = DEFAULT_LOCK)]
    lock: PathBuf,
    /// The lock file of the later version, in place of a server
    #[arg(long, value_name = "FILE", conflicts_with_all = ["command", "url"])]
    against: Option<PathBuf>,
    /// End with status 0 if every change is safe or unknown
    #[arg(long)]
    allow_unknown: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Print Markdown
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    #[command(flatten)]
    server: TargetArgs,
}

fn execute_check(args: &CheckArgs) -> Result<Exit> {
    let old = read(&args.lock)?;
    let Some(new) = later(args)? else { return Ok(Exit::Interrupted) };
    let found = compare(&old, &new)?;
    let text = if args.json {
        json_text(&found)?
    } else if args.markdown {
        report::markdown(&found)
    } else {
        report::terminal(&found, terminal::style())
    };
    print!("{text}");
    Ok(exit(&found, args.allow_unknown))
}

/// Returns the lock of the later version, from a file or from the server.
fn later(args: &CheckArgs) -> Result<Option<Lock>> {
    match &args.against {
        Some(path) => Ok(Some(read(path)?)),
        None => current_lock(&args.server),
    }
}

fn exit(found: &Comparison, allow_unknown: bool) -> Exit {
    match found.effect() {
        Effect::Safe => Exit::Success,
        Effect::Unknown if allow_unknown => Exit::Success,
        Effect::Unknown | Effect::BreaksSomeClients | Effect::BreaksCallers => Exit::Breaks,
    }
}

/// Asks a server for its tools. Returns `None` if interrupted.
fn current_lock(server: &TargetArgs) -> Result<Option<Lock>> {
    let target = server.target()?;
    let probed = async {
        let probe = ServerProbe::open(target, server.timeouts()).await?;
        let announce = |revision| {
            if terminal::draws_progress() {
                eprintln!("asking for the tools at {revision}");
            }
        };
        Ok(probe.list(announce).await?)
    };
    Ok(interruptible(|| {}, probed)?.map(|probed| lock_of(&probed)).transpose()?)
}
