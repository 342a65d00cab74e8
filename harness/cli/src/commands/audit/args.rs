//! The arguments of `audit`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args as ClapArgs;
use mcp_compat_reports::failure::Dialect;

use crate::fail_on::FailOn;
use crate::inputs::quantities::duration;
use crate::report_output::{Format, FormatOrFile, OutputArgs, ShortFormats};
use crate::values::TargetArgs;

const EXAMPLES: &str = "\
The audit calls the tools that are marked read-only and those that
--call names, at each revision; those that are read-only or idempotent twice at
the newest one. It never calls a tool that is marked destructive. Arguments come
from --call, or from the examples, defaults and constants of the inputSchema.

Exit status: 1 if the audit found something as bad as --fail-on, or if tools
were named with --call or --calls and none of their calls returned a result;
with --baseline, --tests, --expect-error or --allow-uncalled, 1 if anything else
is lost than they say, or the server as a whole has such a finding; 2 if nothing
could be audited. With a file of servers: 1 if one of them fails or cannot be
audited.

A file of servers is read as clients read it: ${NAME}, ${NAME:-default} and
${env:NAME} stand for variables. Of a client's configuration, only those tools
are called that --call, --calls or --call-read-only asks for.

Examples:
  mcp-compat audit -- npx -y @modelcontextprotocol/server-everything
  mcp-compat audit --call read_file='{\"path\": \"/tmp/a\"}' -- npx -y my-server
  mcp-compat audit --call '*' --guess -- node my-test-server.js
  mcp-compat audit --calls calls.json --guess --fail-on loss -- npx -y my-server
  mcp-compat audit --fleet --against 'typescript@*' -- npx -y my-server
  mcp-compat audit --hosts=codex -- npx -y my-server
  mcp-compat audit https://example.org/mcp --header 'X-Api-Key: $KEY'
  mcp-compat audit .mcp.json
  mcp-compat audit .mcp.json --server books --call '*'";

/// Formats of `audit`.
const FORMATS: [Format; 5] = [Format::Terminal, Format::Markdown, Format::Json, Format::Junit, Format::Github];

/// Find which clients lose your server's results, and what to change
///
/// Lists the server's tools at every revision that it speaks, calls them, and plays the answers to every client.
#[derive(Debug, ClapArgs)]
#[command(after_help = EXAMPLES, mut_arg("format", |arg| arg.value_parser(FormatOrFile(&FORMATS))))]
pub(crate) struct AuditArgs {
    /// The address of a server over HTTP, or a file that lists servers: .mcp.json, .vscode/mcp.json, server.json,
    /// mcp-compat.toml [default: the mcp-compat.toml here or above, or the .mcp.json here]
    #[arg(value_name = "URL|FILE")]
    pub(super) subject: Vec<String>,
    /// Only this server of the file, with the full report
    #[arg(long = "server", value_name = "NAME")]
    pub(super) only: Option<String>,
    /// Only these tools; `*` stands for anything
    #[arg(long, value_name = "GLOB")]
    pub(super) tool: Vec<String>,
    /// Call this tool too, with these arguments or those that its inputSchema offers; '*' calls every tool that is not
    /// marked destructive
    #[arg(long, value_name = "TOOL[=JSON]")]
    pub(super) call: Vec<String>,
    /// Call the tools that are marked read-only, also those of the configuration of a client
    #[arg(long)]
    pub(super) call_read_only: bool,
    /// Call the tools in this JSON file too, as in {"TOOL": {…}}; null stands for the arguments that the inputSchema
    /// offers
    #[arg(long, value_name = "FILE")]
    pub(super) calls: Option<String>,
    /// Use the simplest value of its type for a required argument without an example, default or constant
    #[arg(long)]
    pub(super) guess: bool,
    /// Only these clients [default: every profile and two mocks; with --fleet, real clients too]
    #[arg(long, value_name = "GLOB")]
    pub(super) against: Vec<String>,
    /// Also play the recorded answers to the real clients of the SDK releases that are installed. Each replaces its
    /// profile; the report shows where the two differ
    #[arg(long)]
    pub(super) fleet: bool,
    /// Also play the recorded answers to the hosts that are installed, such as Codex, and show what their models are
    /// offered and read; with names, to these hosts
    #[arg(long, value_name = "HOST,…", num_args = 0..=1, require_equals = true, value_delimiter = ',')]
    pub(super) hosts: Option<Vec<String>>,
    /// The folder of the SDK releases and hosts [default: `peers`, here or above]
    #[arg(long, value_name = "DIR")]
    pub(super) peers: Option<PathBuf>,
    /// What ends with status 1: error (or a tool that most clients lose), loss (by any client), warning, note, never
    /// [default: error]
    #[arg(long, value_name = "SEVERITY", value_enum, hide_possible_values = true)]
    pub(super) fail_on: Option<FailOn>,
    /// How long the whole audit may take; then it ends with what was measured, and with status 1
    #[arg(long, value_name = "TIME", default_value = "30m", value_parser = duration)]
    pub(super) audit_timeout: Duration,
    /// Write a file for --calls with arguments for each tool to this path, and audit nothing
    #[arg(long, value_name = "FILE", conflicts_with_all = ["calls", "tests"])]
    pub(super) write_calls: Option<PathBuf>,
    /// Show notes, too; without it, they are counted
    #[arg(long)]
    pub(super) notes: bool,
    #[command(flatten)]
    pub(super) output: OutputArgs,
    #[command(flatten)]
    pub(super) short: ShortFormats,
    #[command(flatten)]
    pub(super) tests: TestArgs,
    #[command(flatten)]
    pub(super) server: TargetArgs,
}

const TESTS: &str = "What is expected (with one of these, an unknown loss fails)";

/// Expectations of the server, and the audit as tests for the helpers of test runners.
#[derive(Debug, ClapArgs)]
pub(super) struct TestArgs {
    /// Add a test for each tool with each client to the JSON, with the text of its failure. The language of the advice:
    /// rust, python, javascript or plain
    #[arg(long, value_name = "LANGUAGE", help_heading = TESTS)]
    pub(super) tests: Option<Dialect>,
    /// Call this tool with arguments that it must refuse
    #[arg(long, value_name = "TOOL[=JSON]", help_heading = TESTS)]
    pub(super) expect_error: Vec<String>,
    /// Allow that these tools are not called; any other tool that is not called fails
    #[arg(long, value_name = "GLOB", help_heading = TESTS)]
    pub(super) allow_uncalled: Vec<String>,
    /// The file of known breaks; MCP_COMPAT_BASELINE=update rewrites it
    #[arg(long, value_name = "FILE", help_heading = TESTS)]
    pub(super) baseline: Option<PathBuf>,
}
