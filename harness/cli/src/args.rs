//! The command line: one subcommand for each module of [`commands`](crate::commands), which owns its arguments.

use clap::{ArgAction, Parser, Subcommand};

use crate::commands::audit::AuditArgs;
use crate::commands::completions::CompletionsArgs;
use crate::commands::contract::ContractArgs;
use crate::commands::diff::DiffArgs;
use crate::commands::explain::ExplainArgs;
use crate::commands::history::HistoryArgs;
use crate::commands::init::InitArgs;
use crate::commands::lint::LintArgs;
use crate::commands::man::ManArgs;
use crate::commands::merge::MergeArgs;
use crate::commands::mock::MockArgs;
use crate::commands::new::NewArgs;
use crate::commands::peers::PeersArgs;
use crate::commands::record::RecordArgs;
use crate::commands::report::ReportArgs;
use crate::commands::run::RunArgs;
use crate::commands::schema::SchemaArgs;
use crate::commands::show::ShowArgs;
use crate::commands::shrink::ShrinkArgs;
use crate::commands::site::SiteArgs;
use crate::commands::support::SupportArgs;

/// Find which MCP clients and servers break each other on structured tool output, why, and who has to fix it
#[derive(Debug, Parser)]
#[command(name = "mcp-compat", version, max_term_width = 100, after_help = EXAMPLES_AND_STATUSES)]
#[command(disable_help_flag = true, disable_help_subcommand = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    /// Print help
    // One form of help for `-h` and `--help`: the long one would part every two options by a blank line.
    #[arg(short, long, global = true, action = ArgAction::HelpShort)]
    help: Option<bool>,
}

const EXAMPLES_AND_STATUSES: &str = "\
Examples:
  mcp-compat audit -- node my-server.js
  mcp-compat run --no-peers
  mcp-compat explain lost

Exit status (some commands list theirs in their own help):
    0  success: nothing new breaks
    1  a new break, a baseline entry that no longer breaks, a peer that could
       not be installed, or the time limit was reached
    2  the input is wrong, and nothing was run
    3  mcp-compat itself failed
  130  interrupted; what was measured until then is reported. --watch ends with
       0 if it is interrupted while it waits

MCP_COMPAT_LOG=debug prints what mcp-compat does.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write a test and a CI workflow for the server in this folder
    Init(InitArgs),
    /// Play scenarios between clients and servers, and report which pairs break
    Run(Box<RunArgs>),
    /// Report which clients your server breaks, and what to change; or audit a client
    Audit(Box<AuditArgs>),
    /// Show the messages of a scenario, one cell of the last run with its verdict, or a list
    Show(ShowArgs),
    /// Explain a rule, an outcome or another word of a report
    Explain(ExplainArgs),
    /// Install, list, check and remove real SDK releases, and find the one that changed an outcome
    Peers(PeersArgs),
    /// Print the report of a run again, or in another format
    Report(ReportArgs),
    /// Make a website of one or more runs
    Site(SiteArgs),
    /// Compare two runs, or two releases of an SDK
    Diff(Box<DiffArgs>),
    /// Join the records of several machines into one
    Merge(MergeArgs),
    /// Keep the results of many runs, list them, and remove old ones
    History(HistoryArgs),
    /// Check scenario files
    Lint(LintArgs),
    /// Write a scenario file, from the JSON of a bug report or as a template
    New(NewArgs),
    /// Write a scenario file from the traffic between your client and your server
    Record(RecordArgs),
    /// Reduce a scenario that breaks to a smaller one that breaks in the same way
    Shrink(ShrinkArgs),
    /// Show which releases of the SDKs work with a scenario
    Support(SupportArgs),
    /// Run a mock server or a mock client on its own
    Mock(MockArgs),
    /// Record the tool schemas of a server, and check later versions against them
    Contract(ContractArgs),
    /// Print the JSON Schema of a file or message format
    Schema(SchemaArgs),
    /// Print completions for a shell
    Completions(CompletionsArgs),
    /// Print the manual page, or write one for each command
    Man(ManArgs),
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

    /// What stands below the options in the help of each command.
    fn notes(of: &clap::Command) -> Vec<String> {
        let own = of.get_after_help().map(ToString::to_string);
        own.into_iter().chain(of.get_subcommands().flat_map(notes)).collect()
    }

    #[test]
    fn notes_fit_a_terminal_of_80_columns() {
        let notes = notes(&Args::command()).join("\n");
        let long: Vec<_> = notes.lines().filter(|line| line.chars().count() > 80).collect();
        assert!(long.is_empty(), "clap breaks these lines in the middle: {long:#?}");
    }

    #[test]
    fn examples_are_commands_of_this_program() {
        let notes = notes(&Args::command()).join("\n").replace(" \\\n                    ", " ");
        let examples: Vec<&str> = notes.lines().filter_map(|line| line.strip_prefix("  mcp-compat ")).collect();
        assert!(examples.len() > 50, "{examples:#?}");
        for example in examples {
            // What follows three blanks is a comment, and what follows a bar or an arrow is for the shell.
            let ends = ["   ", " | ", " > ", " >> "];
            let command = ends.iter().fold(example, |command, end| command.split(end).next().unwrap_or(command));
            let typed = shlex::split(&format!("mcp-compat {command}")).unwrap();
            Args::try_parse_from(&typed).unwrap_or_else(|error| panic!("{example}: {error}"));
        }
    }
}
