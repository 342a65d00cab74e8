//! The arguments of `diff`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::commands::run::CoverageArg;
use crate::values::duration;

const HOW: &str = "\
A run is the folder of a record, its run.json, or a compact run (.mcpc.gz).
Cells are compared with those of the same scenario, the same releases and the
same transport; the newest release of an SDK also with the newest one of the
other run. If the two runs were judged by different rules, both are judged
again first, from their evidence.

--base and --head play two peers with the same partners, scenarios and options,
and play what is worse once more: can HEAD be released?

Exit status: 0 nothing is worse, 1 something is worse that no baseline knows
of, 2 the runs cannot be compared or the input is wrong.

Examples:
  mcp-compat diff nightly/2026-11-21 nightly/2026-11-22
  mcp-compat diff main.mcpc.gz target/mcp-compat --markdown --quiet
  mcp-compat diff --base typescript@2.4.0 --head ./peer.toml
  mcp-compat show --where 'changed:worse since:nightly/2026-11-21'";

#[derive(Debug, Args)]
#[command(after_help = HOW)]
pub(crate) struct DiffArgs {
    /// The earlier run
    #[arg(value_name = "BEFORE", requires = "after")]
    pub(super) before: Option<PathBuf>,
    /// The later run
    #[arg(value_name = "AFTER")]
    pub(super) after: Option<PathBuf>,
    /// As Markdown, for one comment on a pull request; its first line marks it
    #[arg(long)]
    pub(super) markdown: bool,
    /// As JSON, for programs
    #[arg(long, conflicts_with = "markdown")]
    pub(super) json: bool,
    /// Print nothing if nothing changed
    #[arg(long)]
    pub(super) quiet: bool,
    /// What ends with status 1: worse, regression (worse and reproduced), never
    #[arg(long, value_name = "WHAT", value_enum, default_value_t, hide_possible_values = true)]
    pub(super) fail_on: FailOn,
    /// Play again what is worse; what then comes out otherwise is flaky
    #[arg(long, conflicts_with = "base")]
    pub(super) repeat: bool,
    /// Also the scenarios in this folder, or of this file
    #[arg(long, value_name = "DIR|FILE", help_heading = "What is played")]
    pub(super) scenarios: Vec<PathBuf>,
    /// Only those: without the embedded corpus
    #[arg(long, requires = "scenarios", help_heading = "What is played")]
    pub(super) no_corpus: bool,
    /// The peer to compare with; a file is a peer.toml
    #[arg(long, value_name = "ID|FILE", requires = "head", conflicts_with = "before", help_heading = "Two peers")]
    pub(super) base: Option<String>,
    /// The peer that is to be released; a file is a peer.toml
    #[arg(long, value_name = "ID|FILE", requires = "base", help_heading = "Two peers")]
    pub(super) head: Option<String>,
    /// With whom both play [default: the reference mocks]
    #[arg(long, value_name = "GLOB|FILE", requires = "base", help_heading = "Two peers")]
    pub(super) against: Vec<String>,
    /// Only these scenarios; `*` stands for anything
    #[arg(long, value_name = "GLOB", requires = "base", help_heading = "Two peers")]
    pub(super) scenario: Vec<String>,
    /// smoke, pairwise or full, as `run` has them
    #[arg(
        long,
        value_name = "HOW",
        value_enum,
        default_value = "smoke",
        hide_possible_values = true,
        help_heading = "Two peers"
    )]
    pub(super) coverage: CoverageArg,
    /// Where both records are kept, in DIR/base and DIR/head
    #[arg(long, value_name = "DIR", default_value = "target/mcp-compat/diff", help_heading = "Two peers")]
    pub(super) out: PathBuf,
    /// Only these: memory, stdio, http
    #[arg(
        long, value_name = "NAME", value_parser = ["memory", "stdio", "http"], hide_possible_values = true,
        help_heading = "How it is played"
    )]
    pub(super) transport: Vec<String>,
    /// The real peers [default: the folder `peers`, here or above]
    #[arg(long, value_name = "DIR", help_heading = "How it is played")]
    pub(super) peers: Option<PathBuf>,
    /// How many cells side by side [default: two a core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..), help_heading = "How it is played")]
    pub(super) jobs: Option<u16>,
    /// How long each step of a cell may take
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = duration, help_heading = "How it is played")]
    pub(super) timeout: Duration,
    /// How long a run may take
    #[arg(long, value_name = "TIME", default_value = "60m", value_parser = duration, help_heading = "How it is played")]
    pub(super) run_timeout: Duration,
}

/// What ends with status 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum FailOn {
    #[default]
    Worse,
    Regression,
    Never,
}
