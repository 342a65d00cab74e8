//! `audit`: what is wrong with a server that knows nothing of us, and which clients lose what by it.

use anstream::{eprintln, print};
use anyhow::{Context as _, Result};
use clap::{Args as ClapArgs, ValueEnum};
use mcp_compat::HostError;
use mcp_compat::audit::{AskedCall, Audited, Progress, Wishes, audit};
use mcp_compat_model::audit::{Audit, Severity};
use mcp_compat_reports::audit as report;

use crate::exit::{Exit, HarnessFailed};
use crate::interrupt::{Interrupts, LAST_MOMENTS};
use crate::target::TargetArgs;
use crate::terminal;

const EXAMPLES: &str = "\
A tool is called that says it is read-only, or that --call names; never one that
is marked destructive. Arguments are what its inputSchema offers (examples,
defaults, constants), or what --call gives. Each is called once at each revision,
and once more if it says that nothing changes by it.

Exit status 1 where something is at least as bad as --fail-on, 2 where nothing
could be looked at.

Examples:
  mcp-compat audit -- npx -y @modelcontextprotocol/server-everything
  mcp-compat audit --call read_file='{\"path\": \"/tmp/a\"}' -- npx -y my-server /tmp
  mcp-compat audit --url http://127.0.0.1:3000/mcp --header 'Authorization: Bearer …'";

/// Tell which clients lose what by a server that knows nothing of us
///
/// Lists its tools at every revision that it speaks, calls what may be called, and plays what it said to every client.
#[derive(Debug, ClapArgs)]
#[command(after_help = EXAMPLES)]
pub(crate) struct AuditArgs {
    /// Only these tools; `*` stands for anything
    #[arg(long, value_name = "GLOB")]
    tool: Vec<String>,
    /// Also call this tool, with these arguments, or with what its inputSchema offers
    #[arg(long, value_name = "TOOL[=JSON]")]
    call: Vec<String>,
    /// Only these clients [default: every profile, and two that keep to the specification]
    #[arg(long, value_name = "GLOB")]
    against: Vec<String>,
    /// What ends with status 1: error, warning, note or never
    #[arg(long, value_name = "SEVERITY", value_enum, default_value_t, hide_possible_values = true)]
    fail_on: FailOn,
    /// As JSON
    #[arg(long)]
    json: bool,
    /// As a page in Markdown
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    #[command(flatten)]
    server: TargetArgs,
}

/// From which severity on an audit fails.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum FailOn {
    #[default]
    Error,
    Warning,
    Note,
    Never,
}

impl FailOn {
    fn fails(self, audit: &Audit) -> bool {
        let least = match self {
            Self::Error => Severity::Error,
            Self::Warning => Severity::Warning,
            Self::Note => Severity::Note,
            Self::Never => return false,
        };
        audit.worst().is_some_and(|worst| worst >= least)
    }
}

pub(crate) fn execute(args: &AuditArgs) -> Result<Exit> {
    let target = args.server.target()?;
    let wishes = Wishes {
        tools: args.tool.clone(),
        calls: args.call.iter().map(|call| asked_call(call)).collect(),
        clients: args.against.clone(),
    };
    let runtime = tokio::runtime::Runtime::new().map_err(|error| HostError::System { what: "threads", error })?;
    let audited = runtime.block_on(async {
        let mut interrupts = Interrupts::listen()?;
        tokio::select! {
            audited = audit(target, &wishes, args.server.patience(), tell) => Ok(Some(audited?)),
            () = interrupts.next() => anyhow::Ok(None),
        }
    });
    runtime.shutdown_timeout(LAST_MOMENTS);
    let Some(Audited { audit, .. }) = audited? else { return Ok(Exit::Interrupted) };
    let text = if args.json {
        format!("{}\n", serde_json::to_string_pretty(&audit).context(HarnessFailed("writing JSON"))?)
    } else if args.markdown {
        report::markdown(&audit)
    } else {
        report::terminal(&audit, terminal::style())
    };
    print!("{text}");
    Ok(if args.fail_on.fails(&audit) { Exit::Breaks } else { Exit::Success })
}

/// `tool`, or `tool={"json": 1}`.
fn asked_call(call: &str) -> AskedCall {
    match call.split_once('=') {
        Some((tool, arguments)) => AskedCall { tool: tool.to_owned(), arguments: Some(arguments.to_owned()) },
        None => AskedCall { tool: call.to_owned(), arguments: None },
    }
}

/// Says what is being done: starting a server may take a while.
fn tell(progress: Progress) {
    if !terminal::draws_progress() {
        return;
    }
    match progress {
        Progress::Listing(revision) => eprintln!("asking for the tools at {revision}"),
        Progress::Calling(revision, tools) => eprintln!("calling {tools} at {revision}"),
        Progress::Replaying(tools, clients) => eprintln!("playing {tools} tools to {clients} clients"),
    }
}
