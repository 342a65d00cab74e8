//! The arguments of `audit`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args as ClapArgs, ValueEnum};
use mcp_compat_model::audit::{Audit, Severity, TestResult};
use mcp_compat_reports::failure::Dialect;

use crate::inputs::quantities::duration;
use crate::values::TargetArgs;

const EXAMPLES: &str = "\
The audit calls the tools that are marked read-only and those that
--call names, at each revision; those that are read-only or idempotent twice at
the newest one. It never calls a tool that is marked destructive. Arguments come
from --call, or from the examples, defaults and constants of the inputSchema.

Exit status: 1 if the audit found something as bad as --fail-on, if tools were
named with --call or --calls and none of their calls returned a result; with
--tests, 1 if a test failed or the server as a whole has such a finding; 2 if
nothing could be audited.

Examples:
  mcp-compat audit -- npx -y @modelcontextprotocol/server-everything
  mcp-compat audit --call read_file='{\"path\": \"/tmp/a\"}' -- npx -y my-server
  mcp-compat audit --call '*' --guess -- node my-test-server.js
  mcp-compat audit --calls calls.json --guess --fail-on loss -- npx -y my-server
  mcp-compat audit --fleet --against 'typescript@*' -- npx -y my-server
  mcp-compat audit --url https://example.org/mcp --header 'X-Api-Key: …'";

/// Find which clients lose your server's results, and what to change
///
/// Lists the server's tools at every revision that it speaks, calls them, and plays the answers to every client.
#[derive(Debug, ClapArgs)]
#[command(after_help = EXAMPLES)]
pub(crate) struct AuditArgs {
    /// Only these tools; `*` stands for anything
    #[arg(long, value_name = "GLOB")]
    pub(super) tool: Vec<String>,
    /// Call this tool too, with these arguments or those that its inputSchema offers; '*' calls every tool that is not
    /// marked destructive
    #[arg(long, value_name = "TOOL[=JSON]")]
    pub(super) call: Vec<String>,
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
    /// The folder of the real peers [default: `peers`, here or above]
    #[arg(long, value_name = "DIR", requires = "fleet")]
    pub(super) peers: Option<PathBuf>,
    /// What ends with status 1: error (or a tool that most clients lose), loss (by any client), warning, note, never
    #[arg(long, value_name = "SEVERITY", value_enum, default_value_t, hide_possible_values = true)]
    pub(super) fail_on: FailOn,
    /// How long the whole audit may take; then it ends with what was measured, and with status 1
    #[arg(long, value_name = "TIME", default_value = "30m", value_parser = duration)]
    pub(super) audit_timeout: Duration,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
    /// Print Markdown
    #[arg(long, conflicts_with = "json")]
    pub(super) markdown: bool,
    #[command(flatten)]
    pub(super) tests: TestArgs,
    #[command(flatten)]
    pub(super) server: TargetArgs,
}

/// The audit as tests, for the helpers of test runners.
#[derive(Debug, ClapArgs)]
pub(super) struct TestArgs {
    /// Add a test for each tool with each client to the JSON, with the text of its failure. The language of the advice:
    /// rust, python, javascript or plain
    #[arg(long, value_name = "LANGUAGE", requires = "json", help_heading = "As tests (with --json --tests)")]
    pub(super) tests: Option<Dialect>,
    /// Call this tool with arguments that it must refuse
    #[arg(long, value_name = "TOOL[=JSON]", requires = "tests", help_heading = "As tests (with --json --tests)")]
    pub(super) expect_error: Vec<String>,
    /// Allow that these tools are not called; any other tool that is not called fails
    #[arg(long, value_name = "GLOB", requires = "tests", help_heading = "As tests (with --json --tests)")]
    pub(super) allow_uncalled: Vec<String>,
    /// The file of known breaks
    #[arg(long, value_name = "FILE", requires = "tests", help_heading = "As tests (with --json --tests)")]
    pub(super) baseline: Option<PathBuf>,
}

/// Lowest severity at which an audit fails.
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
    /// Returns whether the audit fails if none of the calls that the user asked for returned a result.
    pub(super) const fn wants_proof(self) -> bool {
        !matches!(self, Self::Never)
    }

    /// Returns whether the audit fails.
    pub(super) fn fails(self, audit: &Audit) -> bool {
        let lost = match self {
            Self::Loss => audit.has_loss(),
            Self::Error | Self::Warning | Self::Note => audit.lost_to_most().next().is_some(),
            Self::Never => return false,
        };
        lost || audit.cut_short.is_some() || audit.worst() >= self.least()
    }

    /// Returns whether an audit with tests fails. The tests take the baseline into account, so they decide about the
    /// tools. The findings about the server as a whole are in no test and count by their severity.
    pub(super) fn fails_with_tests(self, audit: &Audit) -> bool {
        let Some(least) = self.least() else { return false };
        let failed = audit.tests.iter().any(|test| test.result == TestResult::Failed);
        failed || audit.cut_short.is_some() || audit.findings.iter().any(|finding| finding.severity >= least)
    }

    /// Returns the reason why the audit fails, if it would pass without the option.
    pub(super) fn stricter(self, audit: &Audit) -> Option<String> {
        if Self::default().fails(audit) || !self.fails(audit) {
            return None;
        }
        let option = self.to_possible_value()?;
        let found = match (self, audit.worst()?) {
            (Self::Loss, _) => "a client loses something",
            (_, Severity::Note) => "the worst that it found is a note",
            (_, Severity::Warning) => "the worst that it found is a warning",
            (_, Severity::Error) => "it found an error",
        };
        Some(format!("the audit failed, as --fail-on {} asks: {found}", option.get_name()))
    }

    /// Returns the lowest severity that fails.
    const fn least(self) -> Option<Severity> {
        match self {
            Self::Error | Self::Loss => Some(Severity::Error),
            Self::Warning => Some(Severity::Warning),
            Self::Note => Some(Severity::Note),
            Self::Never => None,
        }
    }
}
