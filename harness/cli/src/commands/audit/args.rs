//! The arguments of `audit`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};
use mcp_compat_model::audit::{Audit, Severity};

use crate::target::TargetArgs;

const EXAMPLES: &str = "\
Of a server a tool is called that says it is read-only, or that --call names;
never one that is marked destructive. Arguments are what its inputSchema offers
(examples, defaults, constants), or what --call gives. Each is called once at
each revision, and once more if it says that nothing changes by it.
--guess makes up the simplest value of the type where the schema offers none.

A client is run once for each of a handful of servers and scenarios, as the
official conformance suite runs it; {url} becomes the server's address, which
comes last where nothing says {url}. A peer.toml in its place is a client that
follows the peer contract, which `run --help` describes.

Exit status 1 where something is at least as bad as --fail-on, or the client
breaks what it must not or never calls its tool; 2 where nothing could be looked
at.

Examples:
  mcp-compat audit -- npx -y @modelcontextprotocol/server-everything
  mcp-compat audit --call read_file='{\"path\": \"/tmp/a\"}' -- npx -y my-server /tmp
  mcp-compat audit --calls calls.json --guess --fail-on loss -- npx -y my-server
  mcp-compat audit --fleet --against 'typescript@*' -- npx -y my-server
  mcp-compat audit --url https://example.org/mcp --header 'Authorization: Bearer …'
  mcp-compat audit --client -- npx tsx client.ts {url}";

/// Tell what is wrong with a server or a client that knows nothing of us, and who loses what
///
/// Lists a server's tools at every revision that it speaks, calls what may be called, and plays what it said to every client.
#[derive(Debug, ClapArgs)]
#[command(after_help = EXAMPLES)]
pub(crate) struct AuditArgs {
    /// Only these tools; `*` stands for anything
    #[arg(long, value_name = "GLOB")]
    pub(super) tool: Vec<String>,
    /// Also call this tool, with these arguments, or with what its inputSchema offers
    #[arg(long, value_name = "TOOL[=JSON]")]
    pub(super) call: Vec<String>,
    /// Also call the tools in this JSON file, {"TOOL": {…}, …}; null stands for what the inputSchema offers. With --client,
    /// the name of the tool that the client calls
    #[arg(long, value_name = "FILE|TOOL")]
    pub(super) calls: Option<String>,
    /// Make up arguments that an inputSchema does not offer; only for tools that say they are read-only or that --call names
    #[arg(long)]
    pub(super) guess: bool,
    /// Only these clients [default: every profile, and two that follow the specification; with --fleet, the real ones, too]
    #[arg(long, value_name = "GLOB")]
    pub(super) against: Vec<String>,
    /// Also play what the server said to the real clients of the SDK releases that are installed. Each replaces the profile
    /// of its line, and where the two differ, the report shows it
    #[arg(long)]
    pub(super) fleet: bool,
    /// The folder of the real peers [default: `peers`, here or above]
    #[arg(long, value_name = "DIR", requires = "fleet")]
    pub(super) peers: Option<PathBuf>,
    /// What ends with status 1: error (or a tool that most clients lose), loss
    /// (of any client), warning, note or never
    #[arg(long, value_name = "SEVERITY", value_enum, default_value_t, hide_possible_values = true)]
    pub(super) fail_on: FailOn,
    /// As JSON
    #[arg(long)]
    pub(super) json: bool,
    /// As a page in Markdown
    #[arg(long, conflicts_with = "json")]
    pub(super) markdown: bool,
    #[command(flatten)]
    pub(super) server: TargetArgs,
    /// The command is a client, started with a server's address
    #[arg(long, conflicts_with_all = SERVER_ONLY, help_heading = "A client instead")]
    pub(super) client: bool,
}

/// What is said of servers alone.
const SERVER_ONLY: [&str; 11] =
    ["tool", "call", "guess", "against", "fleet", "peers", "fail_on", "url", "header", "env", "start_timeout"];

/// From which severity on an audit fails.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(super) enum FailOn {
    #[default]
    Error,
    Loss,
    Warning,
    Note,
    Never,
}

impl FailOn {
    pub(super) fn fails(self, audit: &Audit) -> bool {
        let least = match self {
            Self::Error | Self::Loss => Severity::Error,
            Self::Warning => Severity::Warning,
            Self::Note => Severity::Note,
            Self::Never => return false,
        };
        let lost = match self {
            Self::Loss => audit.has_loss(),
            Self::Error | Self::Warning | Self::Note | Self::Never => audit.lost_to_most().next().is_some(),
        };
        lost || audit.worst().is_some_and(|worst| worst >= least)
    }
}
