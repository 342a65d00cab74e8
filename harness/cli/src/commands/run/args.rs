//! The arguments of `run`.

use std::path::PathBuf;
use std::str::FromStr as _;
use std::time::Duration;

use anyhow::Result;
use clap::{Args as ClapArgs, Command, FromArgMatches as _, ValueEnum};
use mcp_compat_model::Revision;
use mcp_compat_reports::terminal::Shown;
use mcp_compat_run::plan::{Coverage, Shard};
use mcp_compat_run::store::FILES;

use crate::inputs::peer_selection::BuiltInPeers;
use crate::inputs::quantities::{duration, memory};
use crate::report_output::{Format, FormatOrFile, Reports, WantedReport};
use crate::values::CommandArgs;
use crate::values::{DEFAULT_OUT, records};

const RUN_EXAMPLES: &str = "\
Coverage. All clients and servers are tested with the reference mocks:
  smoke     by the scenarios marked `smoke`, and your own
  pairwise  by every scenario; other pairs by the scenarios of `smoke`
  full      by every scenario over every transport; also mocks with mocks

Examples:
  mcp-compat run --server ./peer.toml --baseline known.toml --junit out.xml
  mcp-compat run --scenario 'root-type/*' --client 'rmcp@*' --server mock/dual
  mcp-compat run --scenarios my-corpus --no-corpus --no-peers --watch";

/// Formats of `run`.
const FORMATS: [Format; 5] = [Format::Terminal, Format::Markdown, Format::Json, Format::Junit, Format::Github];

/// Test clients against servers, and report which pairs break
///
/// Without options, it tests the SDKs: a real release of rmcp, and the others as profiles, which are models of released
/// versions. Each is tested with a reference client and server by all built-in scenarios.
#[derive(Debug, ClapArgs)]
#[command(after_help = RUN_EXAMPLES, next_help_heading = "What is tested")]
pub(crate) struct RunArgs {
    /// Test only these scenarios; `*` stands for anything
    #[arg(long, value_name = "GLOB")]
    pub(super) scenario: Vec<String>,
    /// Test only these clients: ids, patterns or a peer.toml
    #[arg(long, value_name = "GLOB|FILE")]
    pub(super) client: Vec<String>,
    /// Test only these servers: ids, patterns or a peer.toml
    #[arg(long, value_name = "GLOB|FILE")]
    pub(super) server: Vec<String>,
    #[command(flatten)]
    pub(super) command: CommandArgs,
    /// Test only over these transports: memory, stdio, http
    #[arg(long, value_name = "NAME", value_parser = ["memory", "stdio", "http"], hide_possible_values = true)]
    pub(super) transport: Vec<String>,
    /// Test only pairs whose newest common revision this is
    #[arg(long, alias = "spec-version", value_name = "DATE", value_parser = Revision::from_str)]
    pub(super) revision: Option<Revision>,
    /// Also use the scenarios of this folder or file
    #[arg(long, value_name = "DIR|FILE")]
    pub(super) scenarios: Vec<PathBuf>,
    /// Use only the scenarios of --scenarios, not the built-in ones
    #[arg(long, requires = "scenarios")]
    pub(super) no_corpus: bool,
    /// The folder of the SDK releases [default: `peers`, here or above]
    #[arg(long, value_name = "DIR", conflicts_with = "no_peers")]
    pub(super) peers: Option<PathBuf>,
    /// Also test all SDK releases of the fleet that are installed
    #[arg(long, conflicts_with = "no_peers")]
    pub(super) fleet: bool,
    /// Test no SDK releases; nothing is built or installed
    #[arg(long)]
    pub(super) no_peers: bool,
    /// Extent of the run: smoke, pairwise or full
    #[arg(long, value_name = "HOW", value_enum, default_value_t, hide_possible_values = true)]
    pub(super) coverage: CoverageArg,
    /// Run part K of N, for several machines; `report --merge` joins them
    #[arg(long, value_name = "K/N")]
    pub(super) shard: Option<Shard>,
    /// Keep running, and test again what a changed file affects
    #[arg(long)]
    pub(super) watch: bool,
    /// Number of checks at the same time [default: two per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..), help_heading = "Limits")]
    pub(super) jobs: Option<u16>,
    /// Time limit of each step of a check
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = duration, help_heading = "Limits")]
    pub(super) timeout: Duration,
    /// Time limit of the whole run
    #[arg(long, value_name = "TIME", default_value = "60m", value_parser = duration, help_heading = "Limits")]
    pub(super) run_timeout: Duration,
    /// Memory limit of a client or server (Linux)
    #[arg(long, value_name = "SIZE", default_value = "2GB", value_parser = memory, help_heading = "Limits")]
    pub(super) peer_memory: u64,
    /// The file of known breaks, or `none` [default: the list that ships]
    #[arg(long, value_name = "FILE", help_heading = "Results")]
    pub(super) baseline: Option<PathBuf>,
    /// Folder of the record [default: .mcp-compat, target/mcp-compat]
    #[arg(
        long, value_name = "DIR", default_value = DEFAULT_OUT, hide_default_value = true, value_parser = records(),
        help_heading = "Results"
    )]
    pub(super) out: PathBuf,
    /// Format: terminal, markdown, json, junit or github; or write FILE
    #[arg(
        long, value_name = "FORMAT[=FILE]", value_parser = FormatOrFile(&FORMATS), hide_possible_values = true,
        help_heading = "Results"
    )]
    format: Vec<WantedReport>,
    /// Also print the matrix of clients and servers
    #[arg(long, help_heading = "Results")]
    pub(super) matrix: bool,
    /// Also print degraded and unproven results, and what was not tested
    #[arg(long, short, help_heading = "Results")]
    pub(super) verbose: bool,
    /// Also write a JUnit report
    #[arg(long, value_name = "FILE", help_heading = "Results")]
    junit: Option<PathBuf>,
    /// Also write a Markdown report
    #[arg(long, value_name = "FILE", help_heading = "Results")]
    markdown: Option<PathBuf>,
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

    /// Returns the reports that are asked for. Their files differ from those that a run reads or keeps in its folder.
    ///
    /// # Errors
    /// If two of them would go to the same place, or a file cannot be written.
    pub(super) fn reports(&self) -> Result<Reports> {
        let files = [(Format::Junit, &self.junit), (Format::Markdown, &self.markdown)];
        let files = files.into_iter().filter(|(_, file)| file.is_some());
        let files = files.map(|(format, file)| WantedReport { format, file: file.clone() });
        let peers = self.client.iter().chain(&self.server).map(PathBuf::from);
        let inputs = self.baseline.iter().chain(&self.scenarios).cloned().chain(peers);
        let taken: Vec<PathBuf> = FILES.iter().map(|name| self.out.join(name)).chain(inputs).collect();
        Reports::checked(self.format.iter().cloned().chain(files).collect(), None, &taken)
    }

    /// Returns the parts of the report that are printed.
    pub(super) fn shown(&self) -> Shown {
        Shown { all_causes: false, matrix: self.matrix, details: self.verbose }
    }

    /// Returns the mocks and profiles that play if no peer is named.
    pub(super) fn built_in(&self) -> BuiltInPeers {
        match self.coverage {
            CoverageArg::Full => BuiltInPeers::All,
            CoverageArg::Smoke | CoverageArg::Pairwise => BuiltInPeers::Profiles,
        }
    }

    /// Returns whether everything is played that the known breaks that ship are about, apart from real peers.
    pub(super) fn is_whole(&self) -> bool {
        let Self { scenario, client, server, transport, scenarios, .. } = self;
        let selections = [scenario, client, server, transport];
        let is_full = matches!(self.coverage, CoverageArg::Full);
        selections.iter().all(|names| names.is_empty())
            && scenarios.is_empty()
            && is_full
            && self.shard.is_none()
            && self.revision.is_none()
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
