//! What can be typed.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, Args as ClapArgs, Parser, Subcommand, ValueEnum};
use mcp_compat::SUITE_TOOL;
use mcp_compat::plan::{Coverage, Shard};
use mcp_compat_model::Transport;

use crate::commands::audit::AuditArgs;
use crate::commands::bisect::BisectArgs;
use crate::commands::contract::ContractArgs;
use crate::commands::fidelity::FidelityArgs;
use crate::commands::lint::LintArgs;
use crate::commands::list::ListArgs;
use crate::commands::merge::MergeArgs;
use crate::commands::new::NewArgs;
use crate::commands::peers::PeersArgs;
use crate::commands::record::RecordArgs;
use crate::commands::show::ShowArgs;
use crate::commands::shrink::ShrinkArgs;

/// Which MCP client/server pairings break on structured tool output, how badly, why, and who has to fix it.
#[derive(Debug, Parser)]
#[command(name = "mcp-compat", version, max_term_width = 100, after_help = EXIT_STATUSES)]
#[command(disable_help_flag = true, disable_help_subcommand = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Print help
    // One form of help for `-h` and `--help`: the long one would part every two options by a blank line.
    #[arg(short, long, global = true, action = ArgAction::HelpShort)]
    help: Option<bool>,
}

const EXIT_STATUSES: &str = "\
Exit status:
    0  nothing unexpected
    1  a new break, a stale baseline entry, a peer that could not be set up,
       or time that ran out
    2  the input is wrong: nothing was run
    3  the harness failed
  130  interrupted: what was measured until then is reported; a watch that is
       interrupted while it waits ends with 0

MCP_COMPAT_LOG=debug shows what the harness does.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Play scenarios between clients and servers, and show which break
    Run(Box<RunArgs>),
    /// Tell what is wrong with a server or a client that knows nothing of us, and who loses what
    Audit(Box<AuditArgs>),
    /// Show a scenario on the wire, or a cell of the last run with its verdict
    Show(ShowArgs),
    /// Explain a rule or an outcome
    Explain(ExplainArgs),
    /// List the scenarios, the peers or the rules
    List(ListArgs),
    /// Set real peers up, and see what is there of them
    Peers(PeersArgs),
    /// Turn a record into a report
    Report(ReportArgs),
    /// Join the records of shards into one
    Merge(MergeArgs),
    /// Check scenario files: for mistakes, and for what no mock can meet or tell apart
    Lint(LintArgs),
    /// Make a scenario file, from a bug report's JSON or to be filled in
    New(NewArgs),
    /// Make a scenario file from the traffic between any client and any server
    Record(RecordArgs),
    /// Reduce a scenario that breaks to the smallest one that breaks the same way
    Shrink(ShrinkArgs),
    /// Find the release of an SDK that changed the outcome of a scenario
    Bisect(BisectArgs),
    /// Run one of the mocks alone, for any other tool to talk to
    Mock(MockArgs),
    /// Hold a profile against the real peer that it stands in for
    Fidelity(FidelityArgs),
    /// Show that the corpus catches every sabotaged mock
    Selftest(SelftestArgs),
    /// Keep what a server promises, and see what a later version of it breaks
    Contract(ContractArgs),
    /// Print the JSON Schema of one of the formats
    Schema(SchemaArgs),
    /// Join standard streams with the harness; clients that start their server themselves start this
    #[command(hide = true)]
    Relay,
}

const RUN_EXAMPLES: &str = "\
Coverage, where the reference mocks are those that everything is held against:
  smoke     the scenarios marked `smoke`, and your own: with the reference mocks,
            and of real peers with each other
  pairwise  every scenario with the reference mocks, and those of `smoke` with
            every pair
  full      every scenario with the reference mocks over every transport, unless
            that starts a real server for each; one of each class with every pair

Examples:
  mcp-compat run --no-peers --coverage smoke
  mcp-compat run --server ./peer.toml --baseline known.toml --junit out.xml
  mcp-compat run --scenario 'root-type/*' --client 'rmcp@*' --server mock/dual
  mcp-compat run --scenarios my-corpus --no-corpus --no-peers --watch
  mcp-compat run --schema-suite ../JSON-Schema-Test-Suite --client 'rmcp@*'";

/// Play scenarios between clients and servers, and show which break
///
/// With no options: the embedded corpus, the mocks and the real peers, over every transport.
#[derive(Debug, ClapArgs)]
#[command(after_help = RUN_EXAMPLES, next_help_heading = "What is played")]
pub(crate) struct RunArgs {
    /// Only these scenarios; `*` stands for anything
    #[arg(long, value_name = "GLOB")]
    pub(crate) scenario: Vec<String>,
    /// Only these clients; the file is a peer.toml
    #[arg(long, value_name = "GLOB|FILE")]
    pub(crate) client: Vec<String>,
    /// Only these servers; the file is a peer.toml
    #[arg(long, value_name = "GLOB|FILE")]
    pub(crate) server: Vec<String>,
    /// A client's command, run as the conformance suite does; {url} optional
    #[arg(long, value_name = "CMD")]
    pub(crate) client_command: Option<String>,
    /// What that client is called
    #[arg(long, value_name = "ID", default_value = "command", requires = "client_command")]
    pub(crate) client_name: String,
    /// The tool that it calls
    #[arg(long, value_name = "TOOL", default_value = SUITE_TOOL, requires = "client_command")]
    pub(crate) calls: String,
    /// Only these: memory, stdio, http
    #[arg(long, value_name = "NAME", value_parser = ["memory", "stdio", "http"], hide_possible_values = true)]
    pub(crate) transport: Vec<String>,
    /// Also the scenarios in this folder, or of this file
    #[arg(long, value_name = "DIR|FILE")]
    pub(crate) scenarios: Vec<PathBuf>,
    /// Only those: without the embedded corpus
    #[arg(long, requires = "scenarios")]
    pub(crate) no_corpus: bool,
    /// In place of scenarios, a checkout of the JSON Schema Test Suite: how clients validate
    #[arg(long, value_name = "DIR", conflicts_with_all = ["scenarios", "coverage"])]
    pub(crate) schema_suite: Option<PathBuf>,
    /// The real peers [default: the folder `peers`, here or above]
    #[arg(long, value_name = "DIR", conflicts_with = "no_peers")]
    pub(crate) peers: Option<PathBuf>,
    /// Do without these: nothing is built
    #[arg(long)]
    pub(crate) no_peers: bool,
    /// smoke, pairwise or full; see below
    #[arg(long, value_name = "HOW", value_enum, default_value_t, hide_possible_values = true)]
    pub(crate) coverage: CoverageArg,
    /// Part K of N, for several machines; `merge` joins them
    #[arg(long, value_name = "K/N")]
    pub(crate) shard: Option<Shard>,
    /// Stay, and play again what changes in --scenarios and in a peer.toml
    #[arg(long, help_heading = "How long it takes")]
    pub(crate) watch: bool,
    /// How many cells side by side [default: two a core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..), help_heading = "How long it takes")]
    pub(crate) jobs: Option<u16>,
    /// How long each step of a cell may take
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = duration, help_heading = "How long it takes")]
    pub(crate) timeout: Duration,
    /// How long the whole run may take
    #[arg(long, value_name = "TIME", default_value = "60m", value_parser = duration, help_heading = "How long it takes")]
    pub(crate) run_timeout: Duration,
    /// Known breaks: only new ones, and stale entries, fail (.toml or .yml)
    #[arg(long, value_name = "FILE", help_heading = "What comes of it")]
    pub(crate) baseline: Option<PathBuf>,
    /// Where the record is kept
    #[arg(long, value_name = "DIR", default_value = DEFAULT_OUT, help_heading = "What comes of it")]
    pub(crate) out: PathBuf,
    /// Also write a JUnit report
    #[arg(long, value_name = "FILE", help_heading = "What comes of it")]
    pub(crate) junit: Option<PathBuf>,
    /// Also write a Markdown report
    #[arg(long, value_name = "FILE", help_heading = "What comes of it")]
    pub(crate) markdown: Option<PathBuf>,
}

/// Where `run` keeps its record, and the other commands look for it.
pub(crate) const DEFAULT_OUT: &str = "target/mcp-compat";

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

#[derive(Debug, ClapArgs)]
pub(crate) struct ExplainArgs {
    /// A rule's id or an outcome
    #[arg(value_name = "RULE|OUTCOME")]
    pub(crate) name: String,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ReportArgs {
    /// The record: a folder of a run, or its run.json
    #[arg(value_name = "RECORD", default_value = DEFAULT_OUT)]
    pub(crate) record: PathBuf,
    /// The form of the report
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum Format {
    /// For a person, in a terminal
    #[default]
    Terminal,
    /// For a pull request or a page
    Markdown,
    /// For a CI system
    Junit,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MockArgs {
    #[command(subcommand)]
    pub(crate) role: MockRole,
}

#[derive(Debug, Subcommand)]
pub(crate) enum MockRole {
    /// Serve a scenario, over standard streams unless --http is given
    Server(MockServerArgs),
    /// Play a scenario against a server, and print what the user of the client sees
    Client(MockClientArgs),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MockServerArgs {
    /// Which mock, as `list peers` names them
    #[arg(long, value_name = "ID", default_value = "mock/dual")]
    pub(crate) id: String,
    /// The scenario: an id of the corpus, or a file; `FILE[CASE]` for one of a family
    #[arg(long, value_name = "ID|FILE", conflicts_with_all = ["script", "adapter"])]
    pub(crate) scenario: Option<String>,
    /// A script as JSON, in place of a scenario
    #[arg(long, value_name = "FILE", conflicts_with = "adapter")]
    pub(crate) script: Option<PathBuf>,
    /// Serve streamable HTTP on a free port of 127.0.0.1; the address is the first line printed
    #[arg(long)]
    pub(crate) http: bool,
    /// Follow the peer contract: scripts come from the harness
    #[arg(long)]
    pub(crate) adapter: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MockClientArgs {
    /// Which mock, as `list peers` names them
    #[arg(long, value_name = "ID", default_value = "mock/dual+auto")]
    pub(crate) id: String,
    /// The server's endpoint
    #[arg(long, value_name = "URL", conflicts_with_all = ["command", "adapter"])]
    pub(crate) url: Option<String>,
    /// Follow the peer contract: jobs come from the harness
    #[arg(long, conflicts_with = "command")]
    pub(crate) adapter: bool,
    /// Tools to call, each with `{}`, after listing; `name={"json": 1}` gives arguments
    #[arg(long, value_name = "TOOL[=JSON]")]
    pub(crate) call: Vec<String>,
    /// How long one step may take; the first includes the start of the server
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = duration)]
    pub(crate) timeout: Duration,
    /// The server's command
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct SelftestArgs {
    /// Name every scenario that catches a sabotage, not only the first few
    #[arg(long)]
    pub(crate) verbose: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct SchemaArgs {
    /// The format
    #[arg(value_enum)]
    pub(crate) format: SchemaOf,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum SchemaOf {
    /// Scenario files
    Scenario,
    /// What `audit --json` prints
    Audit,
    /// run.json
    Record,
    /// A line of transcripts.jsonl
    Transcript,
    /// What a client adapter reads
    Job,
    /// What a client adapter writes
    Answer,
    /// What a server adapter serves
    Script,
    /// What an HTTP server adapter reads
    Hosting,
    /// What an HTTP server adapter writes
    Hosted,
    /// peer.toml
    Peer,
    /// mcp-compat.lock.json
    Lock,
    /// What `contract check --json` prints
    Comparison,
}

/// The transports as types; clap has checked the names.
pub(crate) fn transports(names: &[String]) -> Vec<Transport> {
    Transport::ALL.into_iter().filter(|transport| names.iter().any(|name| name == transport.as_str())).collect()
}

/// `500ms`, `5s`, `10m` or `2h`.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number: u64 =
        digits.parse().map_err(|_| format!("{text:?} is not a duration: expected 500ms, 5s, 10m or 2h"))?;
    let duration = match &text[digits.len()..] {
        "ms" => Duration::from_millis(number),
        "s" => Duration::from_secs(number),
        "m" => Duration::from_secs(number.saturating_mul(60)),
        "h" => Duration::from_secs(number.saturating_mul(3600)),
        "" => return Err(format!("{number} of what? expected a unit, as in 500ms, 5s, 10m or 2h")),
        unit => return Err(format!("{unit:?} is not a unit of time: expected ms, s, m or h")),
    };
    if duration.is_zero() {
        return Err("a duration must be longer than nothing".to_owned());
    }
    if duration > LONGEST {
        return Err("a duration must not be longer than a week".to_owned());
    }
    Ok(duration)
}

/// What adds up over the steps of a cell without leaving the range of a duration.
const LONGEST: Duration = Duration::from_secs(7 * 24 * 3600);

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
    }

    #[test]
    fn durations_have_a_unit() {
        assert_eq!(duration("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(duration("2h"), Ok(Duration::from_secs(7200)));
        for text in ["5", "s", "0s", "5 s", "-1s", "5d", "999h", "99999999999999999999s"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
