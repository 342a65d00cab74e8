//! The arguments of `audit`.

use clap::{Args as ClapArgs, ValueEnum};
use mcp_compat_model::audit::{Audit, Severity};
use mcp_compat_run::black_box::SUITE_TOOL;

use crate::target::TargetArgs;

const EXAMPLES: &str = "\
Of a server a tool is called that says it is read-only, or that --call names;
never one that is marked destructive. Arguments are what its inputSchema offers
(examples, defaults, constants), or what --call gives. Each is called once at
each revision, and once more if it says that nothing changes by it.

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
    /// Only these clients [default: every profile, and two that keep to the specification]
    #[arg(long, value_name = "GLOB")]
    pub(super) against: Vec<String>,
    /// What ends with status 1: error, warning, note or never
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
    /// The tool that the client calls
    #[arg(long, value_name = "TOOL", default_value = SUITE_TOOL, requires = "client", help_heading = "A client instead")]
    pub(super) calls: String,
}

/// What is said of servers alone.
const SERVER_ONLY: [&str; 8] = ["tool", "call", "against", "fail_on", "url", "header", "env", "start_timeout"];

/// From which severity on an audit fails.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(super) enum FailOn {
    #[default]
    Error,
    Warning,
    Note,
    Never,
}

impl FailOn {
    pub(super) fn fails(self, audit: &Audit) -> bool {
        let least = match self {
            Self::Error => Severity::Error,
            Self::Warning => Severity::Warning,
            Self::Note => Severity::Note,
            Self::Never => return false,
        };
        audit.worst().is_some_and(|worst| worst >= least)
    }
}
