//! The command line: one subcommand for each module of [`commands`](crate::commands), which owns its arguments.

use clap::{ArgAction, Parser, Subcommand};

use crate::commands::audit::AuditArgs;
use crate::commands::bisect::BisectArgs;
use crate::commands::contract::ContractArgs;
use crate::commands::diff::DiffArgs;
use crate::commands::explain::ExplainArgs;
use crate::commands::fidelity::FidelityArgs;
use crate::commands::history::HistoryArgs;
use crate::commands::lint::LintArgs;
use crate::commands::list::ListArgs;
use crate::commands::merge::MergeArgs;
use crate::commands::mock::MockArgs;
use crate::commands::new::NewArgs;
use crate::commands::peers::PeersArgs;
use crate::commands::record::RecordArgs;
use crate::commands::report::ReportArgs;
use crate::commands::run::RunArgs;
use crate::commands::schema::SchemaArgs;
use crate::commands::selftest::SelftestArgs;
use crate::commands::show::ShowArgs;
use crate::commands::shrink::ShrinkArgs;
use crate::commands::site::SiteArgs;
use crate::commands::support::SupportArgs;
use crate::commands::sweep::SweepArgs;

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
    1  a new break, a stale baseline entry, a peer that could not be installed,
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
    /// Turn records into pages that open from disk
    Site(SiteArgs),
    /// Show what changed between two runs, and which release is the cause
    Diff(Box<DiffArgs>),
    /// Join the records of shards into one
    Merge(MergeArgs),
    /// Keep runs over months, list them, and remove old ones
    History(HistoryArgs),
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
    /// Show which releases of the SDKs work with a scenario
    Support(SupportArgs),
    /// Measure which releases of an SDK work with the main scenarios, and write that to a file
    Sweep(SweepArgs),
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

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
    }
}
