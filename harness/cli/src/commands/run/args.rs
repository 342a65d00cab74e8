//! The arguments of `run`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args as ClapArgs, Command, FromArgMatches as _, ValueEnum};
use mcp_compat_model::Revision;
use mcp_compat_run::plan::{Coverage, Shard};

use crate::inputs::quantities::{duration, memory};
use crate::values::CommandArgs;
use crate::values::{DEFAULT_OUT, records};

const RUN_EXAMPLES: &str = "\
Coverage. All peers play with the reference mocks:
  smoke     the scenarios marked `smoke`, and your own. Pairs of real peers play
            them too
  pairwise  every scenario with the reference mocks, the scenarios of `smoke`
            with every other pair
  full      as pairwise, over every transport (real servers over stdio: `smoke`
            only), and one scenario of each class with every other pair

Examples:
  mcp-compat run --server ./peer.toml --baseline known.toml --junit out.xml
  mcp-compat run --scenario 'root-type/*' --client 'rmcp@*' --server mock/dual
  mcp-compat run --scenarios my-corpus --no-corpus --no-peers --watch";

/// Play scenarios between clients and servers, and report which pairs break
///
/// Without options, it plays the corpus between the mocks and a few releases of rmcp: every scenario with the reference
/// mocks, and the smoke scenarios between all pairs.
#[derive(Debug, ClapArgs)]
#[command(after_help = RUN_EXAMPLES, next_help_heading = "What is played")]
pub(crate) struct RunArgs {
    /// Play only these scenarios; `*` stands for anything
    #[arg(long, value_name = "GLOB")]
    pub(super) scenario: Vec<String>,
    /// Play only these clients: ids, patterns or a peer.toml
    #[arg(long, value_name = "GLOB|FILE")]
    pub(super) client: Vec<String>,
    /// Play only these servers: ids, patterns or a peer.toml
    #[arg(long, value_name = "GLOB|FILE")]
    pub(super) server: Vec<String>,
    #[command(flatten)]
    pub(super) command: CommandArgs,
    /// Play only over these transports: memory, stdio, http
    #[arg(long, value_name = "NAME", value_parser = ["memory", "stdio", "http"], hide_possible_values = true)]
    pub(super) transport: Vec<String>,
    /// Test only pairs that negotiate this revision
    #[arg(long, value_name = "REVISION", visible_alias = "spec-version")]
    pub(super) revision: Vec<Revision>,
    /// Also play the scenarios of this folder or file
    #[arg(long, value_name = "DIR|FILE")]
    pub(super) scenarios: Vec<PathBuf>,
    /// Play only the scenarios of --scenarios, without the corpus
    #[arg(long, requires = "scenarios")]
    pub(super) no_corpus: bool,
    /// The folder of the real peers [default: `peers`, here or above]
    #[arg(long, value_name = "DIR", conflicts_with = "no_peers")]
    pub(super) peers: Option<PathBuf>,
    /// Also play all SDK releases of the fleet that are installed
    #[arg(long, conflicts_with = "no_peers")]
    pub(super) fleet: bool,
    /// Play only mocks; nothing is built or installed
    #[arg(long)]
    pub(super) no_peers: bool,
    /// How much is played: smoke, pairwise or full
    #[arg(long, value_name = "HOW", value_enum, default_value_t, hide_possible_values = true)]
    pub(super) coverage: CoverageArg,
    /// Play part K of N, for several machines; `merge` joins the records
    #[arg(long, value_name = "K/N")]
    pub(super) shard: Option<Shard>,
    /// Keep running, and play again what a changed file affects
    #[arg(long)]
    pub(super) watch: bool,
    /// How many cells are played at the same time [default: two per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..), help_heading = "Limits")]
    pub(super) jobs: Option<u16>,
    /// How long each step of a cell may take
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = duration, help_heading = "Limits")]
    pub(super) timeout: Duration,
    /// How long the whole run may take
    #[arg(long, value_name = "TIME", default_value = "60m", value_parser = duration, help_heading = "Limits")]
    pub(super) run_timeout: Duration,
    /// Memory limit of a peer and its processes (Linux)
    #[arg(long, value_name = "SIZE", default_value = "2GB", value_parser = memory, help_heading = "Limits")]
    pub(super) peer_memory: u64,
    /// The file of known breaks, or `none` [default: the list that ships]
    #[arg(long, value_name = "FILE", help_heading = "Results")]
    pub(super) baseline: Option<PathBuf>,
    /// The folder for the record [default: .mcp-compat or target/mcp-compat]
    #[arg(
        long, value_name = "DIR", default_value = DEFAULT_OUT, hide_default_value = true, value_parser = records(),
        help_heading = "Results"
    )]
    pub(super) out: PathBuf,
    /// Also write a JUnit report
    #[arg(long, value_name = "FILE", help_heading = "Results")]
    pub(super) junit: Option<PathBuf>,
    /// Also write a Markdown report
    #[arg(long, value_name = "FILE", help_heading = "Results")]
    pub(super) markdown: Option<PathBuf>,
}

/// Values of `--coverage`; the help of `run` lists the cells of each.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum CoverageArg {
    Smoke,
    #[default]
    Pairwise,
    Full,
}

impl From<CoverageArg> for Coverage {
    fn from(coverage: CoverageArg) -> Self {
        match coverage {
            CoverageArg::Smoke => Self::Smoke,
            CoverageArg::Pairwise => Self::Pairwise,
            CoverageArg::Full => Self::Full,
        }
    }
}

impl RunArgs {
    /// Returns the arguments of a run of the client in a `peer.toml` with the mocks.
    pub(crate) fn of_client(manifest: &str) -> Self {
        Self { client: vec![manifest.to_owned()], no_peers: true, ..Self::default() }
    }

    /// Returns whether everything is played that a run without options plays, apart from real peers.
    pub(super) fn is_whole(&self) -> bool {
        let Self { scenario, client, server, transport, revision, scenarios, .. } = self;
        let selections = [scenario, client, server, transport];
        let is_pairwise = matches!(self.coverage, CoverageArg::Pairwise);
        selections.iter().all(|names| names.is_empty())
            && revision.is_empty()
            && scenarios.is_empty()
            && is_pairwise
            && !self.fleet
            && self.shard.is_none()
            && !self.command.is_given()
    }
}

/// Returns the arguments of `run` without options.
impl Default for RunArgs {
    fn default() -> Self {
        let typed = Self::augment_args(Command::new("run")).get_matches_from(["run"]);
        Self::from_arg_matches(&typed).unwrap_or_else(|error| error.exit())
    }
}
