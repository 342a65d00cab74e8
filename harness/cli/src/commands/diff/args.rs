//! The arguments of `diff`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::commands::run::CoverageArg;
use crate::inputs::quantities::duration;
use crate::report_output::{Format, FormatOrFile, OutputArgs, ShortFormats};

/// Formats of `diff`.
const FORMATS: [Format; 4] = [Format::Terminal, Format::Markdown, Format::Json, Format::Github];

const HOW: &str = "\
A run is the folder of a record, its run.json, or a compact run (.mcpc.gz).
Checks with the same scenario, releases and transport are compared. The newest
release of an SDK is also compared with the newest one of the other run. If the
two runs were judged by different rules, both are judged again from their
messages.

With --base and --head, diff tests two clients or servers with the same
partners, scenarios and options, and repeats what is worse with HEAD.

Exit status: 0 nothing is worse; 1 something is worse and no baseline lists it;
2 the runs cannot be compared, or the input is wrong.

Examples:
  mcp-compat diff nightly/2026-11-21 nightly/2026-11-22
  mcp-compat diff main.mcpc.gz .mcp-compat --format markdown --out changes.md
  mcp-compat diff --base typescript@2.4.0 --head ./peer.toml
  mcp-compat show --where changed:worse --since nightly/2026-11-21";

#[derive(Debug, Args)]
#[command(mut_arg("format", |arg| arg.value_parser(FormatOrFile(&FORMATS))))]
#[command(after_help = HOW, group = clap::ArgGroup::new("plays").args(["base", "repeat"]))]
pub(crate) struct DiffArgs {
    /// The earlier run
    #[arg(value_name = "BEFORE", requires = "after")]
    pub(super) before: Option<PathBuf>,
    /// The later run
    #[arg(value_name = "AFTER")]
    pub(super) after: Option<PathBuf>,
    #[command(flatten)]
    pub(super) output: OutputArgs,
    #[command(flatten)]
    pub(super) short: ShortFormats,
    /// Print nothing if nothing changed
    #[arg(long, help_heading = "The report")]
    pub(super) quiet: bool,
    /// What ends with status 1: worse, regression (worse and reproduced), never
    #[arg(long, value_name = "WHAT", value_enum, default_value_t, hide_possible_values = true)]
    pub(super) fail_on: FailOn,
    /// Repeat what is worse; a check that then differs is flaky
    #[arg(long, conflicts_with = "base")]
    pub(super) repeat: bool,
    /// Also use the scenarios of this folder or file
    #[arg(long, value_name = "DIR|FILE", help_heading = "What is tested")]
    pub(super) scenarios: Vec<PathBuf>,
    /// Use only the scenarios of --scenarios, without the built-in scenarios
    #[arg(long, requires_all = ["scenarios", "plays"], help_heading = "What is tested")]
    pub(super) no_corpus: bool,
    /// The client or server to compare with: an id or a peer.toml
    #[arg(long, value_name = "ID|FILE", requires = "head", conflicts_with = "before", help_heading = "Two releases")]
    pub(super) base: Option<String>,
    /// The client or server to release: an id or a peer.toml
    #[arg(long, value_name = "ID|FILE", requires = "base", help_heading = "Two releases")]
    pub(super) head: Option<String>,
    /// Partners of both [default: the reference mocks]
    #[arg(long, value_name = "GLOB|FILE", requires = "base", help_heading = "Two releases")]
    pub(super) against: Vec<String>,
    /// Test only these scenarios; `*` stands for anything
    #[arg(long, value_name = "GLOB", requires = "base", help_heading = "Two releases")]
    pub(super) scenario: Vec<String>,
    /// Extent of the test: smoke, pairwise or full, as for `run` [default: smoke; with --scenario,
    /// pairwise]
    #[arg(
        long,
        value_name = "HOW",
        value_enum,
        hide_possible_values = true,
        requires = "base",
        help_heading = "Two releases"
    )]
    pub(super) coverage: Option<CoverageArg>,
    /// The folder for both records, DIR/base and DIR/head [default: `diff` in the folder of records]
    #[arg(long, value_name = "DIR", requires = "base", help_heading = "Two releases")]
    pub(super) records: Option<PathBuf>,
    /// Test only over these transports: memory, stdio, http
    #[arg(
        long, value_name = "NAME", value_parser = ["memory", "stdio", "http"], hide_possible_values = true,
        requires = "base", help_heading = "Two releases"
    )]
    pub(super) transport: Vec<String>,
    /// The folder of the SDK releases [default: `peers`, here or above]
    #[arg(long, value_name = "DIR", requires = "plays", help_heading = "How it is tested")]
    pub(super) peers: Option<PathBuf>,
    /// Number of checks at the same time [default: two per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..), requires = "plays", help_heading = "How it is tested")]
    pub(super) jobs: Option<u16>,
    /// Time limit of each step of a check
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = duration, requires = "plays", help_heading = "How it is tested")]
    pub(super) timeout: Duration,
    /// How long a run may take
    #[arg(long, value_name = "TIME", default_value = "60m", value_parser = duration, requires = "plays", help_heading = "How it is tested")]
    pub(super) run_timeout: Duration,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum FailOn {
    #[default]
    Worse,
    Regression,
    Never,
}
