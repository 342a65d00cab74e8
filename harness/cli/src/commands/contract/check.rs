//! `contract check`: a lock compared with the server as it is now, or with another lock.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args as ClapArgs;
use mcp_compat_audit::schema_lock::{DEFAULT_LOCK, Lock, compare, read};
use mcp_compat_model::comparison::{Comparison, Effect};
use mcp_compat_reports::contract as report;

use super::current::current_lock;
use crate::exit::Exit;
use crate::json_text::json_text;
use crate::output::print;
use crate::target::TargetArgs;
use crate::terminal;

const EXAMPLES: &str = "\
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
#[command(after_help = EXAMPLES)]
pub(super) struct CheckArgs {
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

pub(super) fn execute(args: &CheckArgs) -> Result<Exit> {
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

/// The later version: as another lock has it, or as the server says itself.
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
