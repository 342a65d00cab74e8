//! The arguments of `run`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args as ClapArgs, ValueEnum};
use mcp_compat_run::environment::DEFAULT_PEER_MEMORY;
use mcp_compat_run::plan::{Coverage, Shard};
use mcp_compat_scenario::suite::spelled;
use mcp_compat_selfcheck::schema_suite::{DEFAULT_CLIENTS, DEFAULT_SERVERS};

use crate::client_command::CommandArgs;
use crate::values::{DEFAULT_OUT, duration, memory};

const RUN_EXAMPLES: &str = "\
Coverage; every peer is played with the reference mocks:
  smoke     the scenarios marked `smoke`, and your own: with the reference mocks,
            and of real peers with each other
  pairwise  every scenario with the reference mocks, and those of `smoke` with
            every pair
  full      every scenario with the reference mocks over every transport, unless
            that starts a real server for each; one of each class with every pair

Examples:
  mcp-compat run --server ./peer.toml --baseline known.toml --junit out.xml
  mcp-compat run --scenario 'root-type/*' --client 'rmcp@*' --server mock/dual
  mcp-compat run --scenarios my-corpus --no-corpus --no-peers --watch
  mcp-compat run --schema-suite ../JSON-Schema-Test-Suite --client 'rmcp@*'";

/// Play scenarios between clients and servers, and show which break
///
/// With no options: the embedded corpus, the mocks and a few real peers, over every transport.
#[derive(Debug, ClapArgs)]
#[command(after_help = RUN_EXAMPLES, next_help_heading = "What is played")]
pub(crate) struct RunArgs {
    /// Only these scenarios; `*` stands for anything
    #[arg(long, value_name = "GLOB")]
    pub(super) scenario: Vec<String>,
    /// Only these clients; the file is a peer.toml
    #[arg(long, value_name = "GLOB|FILE")]
    pub(super) client: Vec<String>,
    /// Only these servers; the file is a peer.toml
    #[arg(long, value_name = "GLOB|FILE")]
    pub(super) server: Vec<String>,
    #[command(flatten)]
    pub(super) command: CommandArgs,
    /// Only these: memory, stdio, http
    #[arg(long, value_name = "NAME", value_parser = ["memory", "stdio", "http"], hide_possible_values = true)]
    pub(super) transport: Vec<String>,
    /// Also the scenarios in this folder, or of this file
    #[arg(long, value_name = "DIR|FILE")]
    pub(super) scenarios: Vec<PathBuf>,
    /// Only those: without the embedded corpus
    #[arg(long, requires = "scenarios")]
    pub(super) no_corpus: bool,
    /// The JSON Schema Test Suite (a checkout) in place of scenarios
    #[arg(long, value_name = "DIR", conflicts_with_all = ["scenarios", "coverage"])]
    pub(super) schema_suite: Option<PathBuf>,
    /// The real peers [default: the folder `peers`, here or above]
    #[arg(long, value_name = "DIR", conflicts_with = "no_peers")]
    pub(super) peers: Option<PathBuf>,
    /// Also all of the fleet that are installed
    #[arg(long, conflicts_with = "no_peers")]
    pub(super) fleet: bool,
    /// Do without these: nothing is built
    #[arg(long)]
    pub(super) no_peers: bool,
    /// smoke, pairwise or full; see below
    #[arg(long, value_name = "HOW", value_enum, default_value_t, hide_possible_values = true)]
    pub(super) coverage: CoverageArg,
    /// Part K of N, for several machines; `merge` joins them
    #[arg(long, value_name = "K/N")]
    pub(super) shard: Option<Shard>,
    /// Stay, and play again what changes in --scenarios and in a peer.toml
    #[arg(long, help_heading = "How long it takes")]
    pub(super) watch: bool,
    /// How many cells side by side [default: two a core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..), help_heading = "How long it takes")]
    pub(super) jobs: Option<u16>,
    /// How long each step of a cell may take
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = duration, help_heading = "How long it takes")]
    pub(super) timeout: Duration,
    /// How long the whole run may take
    #[arg(long, value_name = "TIME", default_value = "60m", value_parser = duration, help_heading = "How long it takes")]
    pub(super) run_timeout: Duration,
    /// The most memory of a peer and all that it starts (Linux)
    #[arg(long, value_name = "SIZE", default_value = "2GB", value_parser = memory, help_heading = "How long it takes")]
    pub(super) peer_memory: u64,
    /// Known breaks (.toml or .yml), or `none` [default: those that ship]
    #[arg(long, value_name = "FILE", help_heading = "What comes of it")]
    pub(super) baseline: Option<PathBuf>,
    /// Where the record is kept
    #[arg(long, value_name = "DIR", default_value = DEFAULT_OUT, help_heading = "What comes of it")]
    pub(super) out: PathBuf,
    /// Also write a JUnit report
    #[arg(long, value_name = "FILE", help_heading = "What comes of it")]
    pub(super) junit: Option<PathBuf>,
    /// Also write a Markdown report
    #[arg(long, value_name = "FILE", help_heading = "What comes of it")]
    pub(super) markdown: Option<PathBuf>,
}

/// What `--coverage` takes; the help of `run` says which cells each plays.
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
    /// The arguments of a run of one client, which a `peer.toml` describes, with the mocks.
    pub(crate) fn of_client(manifest: &str) -> Self {
        Self { client: vec![manifest.to_owned()], no_peers: true, ..Self::default() }
    }

    /// Whether everything is played that a plain run plays, apart from real peers.
    pub(super) fn is_whole(&self) -> bool {
        let Self { scenario, client, server, transport, scenarios, .. } = self;
        let selections = [scenario, client, server, transport];
        let is_pairwise = matches!(self.coverage, CoverageArg::Pairwise);
        selections.iter().all(|names| names.is_empty())
            && scenarios.is_empty()
            && is_pairwise
            && !self.fleet
            && self.shard.is_none()
            && self.schema_suite.is_none()
            && !self.command.is_given()
    }

    /// With defaults for the JSON Schema Test Suite. It tests what schemas clients take, so unless peers are named the
    /// reference mock plays alone and in memory. Names of the suite in patterns get the spelling of ids.
    pub(super) fn for_schema_suite(self) -> Self {
        let or = |given: Vec<String>, defaults: &[&str]| {
            if given.is_empty() { defaults.iter().map(|id| (*id).to_owned()).collect() } else { given }
        };
        Self {
            no_peers: self.no_peers || (self.client.is_empty() && self.server.is_empty()),
            scenario: self.scenario.iter().map(|glob| spelled(glob)).collect(),
            client: or(self.client, &DEFAULT_CLIENTS),
            server: or(self.server, &DEFAULT_SERVERS),
            ..self
        }
    }
}

/// The arguments of `run` without options.
impl Default for RunArgs {
    fn default() -> Self {
        Self {
            scenario: Vec::new(),
            client: Vec::new(),
            server: Vec::new(),
            command: CommandArgs::default(),
            transport: Vec::new(),
            scenarios: Vec::new(),
            no_corpus: false,
            schema_suite: None,
            peers: None,
            fleet: false,
            no_peers: false,
            coverage: CoverageArg::default(),
            shard: None,
            watch: false,
            jobs: None,
            timeout: Duration::from_secs(5),
            run_timeout: Duration::from_secs(3600),
            peer_memory: DEFAULT_PEER_MEMORY,
            baseline: None,
            out: DEFAULT_OUT.into(),
            junit: None,
            markdown: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    #[derive(clap::Parser)]
    struct Typed {
        #[command(flatten)]
        run: RunArgs,
    }

    #[test]
    fn the_defaults_are_those_of_the_command_line() {
        let typed = Typed::try_parse_from(["run"]).unwrap().run;
        assert_eq!(format!("{typed:?}"), format!("{:?}", RunArgs::default()));
    }
}
