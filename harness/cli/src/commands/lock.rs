//! `lock`: a server's tool schemas, recorded in a lock file and compared with a later version.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::{Args as ClapArgs, Subcommand};
use mcp_compat_audit::probe::ServerProbe;
use mcp_compat_audit::schema_lock::{DEFAULT_LOCK, Lock, compare, lock_of, read, save};
use mcp_compat_drive::shell_word;
use mcp_compat_model::comparison::{Comparison, Effect};
use mcp_compat_model::count::counted;
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_reports::schema_lock as report;
use mcp_compat_run::redact::redact_command_line;

use crate::exit::Exit;
use crate::output::{eprintln, json_text, println};
use crate::report_output::{Format, FormatOrFile, OutputArgs, ShortFormats};
use crate::runtime::interruptible;
use crate::terminal;
use crate::values::TargetArgs;

const EXAMPLES: &str = "\
Examples:
  mcp-compat lock save -- node server.js
  mcp-compat lock check -- node server.js";

#[derive(Debug, ClapArgs)]
#[command(after_help = EXAMPLES)]
pub(crate) struct LockArgs {
    #[command(subcommand)]
    command: LockCommand,
}

#[derive(Debug, Subcommand)]
enum LockCommand {
    /// Write the tools that a server lists, at every revision, to a lock file
    Save(SaveArgs),
    /// Compare a server with a lock file: which changes are safe, which break callers
    Check(CheckArgs),
}

pub(crate) fn execute(args: &LockArgs) -> Result<Exit> {
    match &args.command {
        LockCommand::Save(save) => execute_save(save),
        LockCommand::Check(check) => execute_check(check),
    }
}

const SAVE_EXAMPLES: &str = "\
An existing lock file of the same server is replaced. A lock file that cannot be
read, or belongs to another server, is not changed, and the exit status is 2.

Examples:
  mcp-compat lock save -- npx -y my-server
  mcp-compat lock save --lock api.lock.json --url http://127.0.0.1:3000/mcp";

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
  mcp-compat lock check -- npx -y my-server
  mcp-compat lock check --lock v1.lock.json --against v2.lock.json";

#[derive(Debug, ClapArgs)]
#[command(after_help = CHECK_EXAMPLES, mut_arg("format", |arg| arg.value_parser(FormatOrFile(&FORMATS))))]
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
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    short: ShortFormats,
    #[command(flatten)]
    server: TargetArgs,
}

/// Formats of `lock check`.
const FORMATS: [Format; 4] = [Format::Terminal, Format::Markdown, Format::Json, Format::Github];

fn execute_check(args: &CheckArgs) -> Result<Exit> {
    let inputs: Vec<PathBuf> = args.against.iter().chain([&args.lock]).cloned().collect();
    let reports = args.output.reports(args.short, &inputs)?;
    if !args.lock.exists()
        && let Some(server) = words_of(&args.server)
    {
        let lock = if args.lock == Path::new(DEFAULT_LOCK) { None } else { args.lock.to_str() };
        let words =
            ["mcp-compat", "lock", "save"].into_iter().chain(lock.into_iter().flat_map(|lock| ["--lock", lock]));
        let command = words.chain(server).map(shell_word).collect::<Vec<_>>().join(" ");
        let (path, command) = (neutralised(&args.lock.display().to_string()), redact_command_line(&command));
        bail!("there is no lock file {path}. Create it with `{command}`");
    }
    let old = read(&args.lock)?;
    let Some(new) = later(args)? else { return Ok(Exit::Interrupted) };
    let found = compare(&old, &new)?;
    reports.write(|format, style| {
        Ok(match format {
            Format::Json => json_text(&found)?,
            Format::Markdown => report::markdown(&found),
            Format::Github => report::github(&found),
            // The command has no other.
            Format::Terminal | Format::Junit | Format::Baseline | Format::Html | Format::Site => {
                report::terminal(&found, style)
            }
        })
    })?;
    Ok(exit(&found, args.allow_unknown))
}

/// Returns the words that name the server on the command line.
fn words_of(server: &TargetArgs) -> Option<Vec<&str>> {
    let command = || server.command.iter().map(String::as_str);
    match &server.url {
        Some(url) => Some(vec!["--url", url]),
        None => command().next().map(|_| ["--"].into_iter().chain(command()).collect()),
    }
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
