//! The arguments of `diff`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

const HOW: &str = "\
A run is the folder of a record, its run.json, or a compact run (.mcpc.gz).
Cells are compared with those of the same scenario, the same releases and the
same transport; the newest release of an SDK also with the newest one of the
other run. If the two runs were judged by different rules, both are judged
again first, from their evidence.

Exit status: 0 nothing is worse, 1 something is worse that no baseline knows
of, 2 the runs cannot be compared or the input is wrong.

Examples:
  mcp-compat diff nightly/2026-11-21 nightly/2026-11-22
  mcp-compat diff main.mcpc.gz target/mcp-compat --markdown --quiet
  mcp-compat show --where 'changed:worse since:nightly/2026-11-21'";

#[derive(Debug, Args)]
#[command(after_help = HOW)]
pub(crate) struct DiffArgs {
    /// The earlier run
    #[arg(value_name = "BEFORE")]
    pub(super) before: PathBuf,
    /// The later run
    #[arg(value_name = "AFTER")]
    pub(super) after: PathBuf,
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
    /// Also the scenarios in this folder, or of this file
    #[arg(long, value_name = "DIR|FILE")]
    pub(super) scenarios: Vec<PathBuf>,
}

/// What ends with status 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum FailOn {
    #[default]
    Worse,
    Regression,
    Never,
}
