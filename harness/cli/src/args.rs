//! The command line: one subcommand for each module of [`commands`](crate::commands), which owns its arguments.

use clap::{ArgAction, Parser, Subcommand};

use crate::commands::audit::AuditArgs;
use crate::commands::audit_client::AuditClientArgs;
use crate::commands::completions::CompletionsArgs;
use crate::commands::diff::DiffArgs;
use crate::commands::explain::ExplainArgs;
use crate::commands::history::HistoryArgs;
use crate::commands::host_adapter::HostAdapterArgs;
use crate::commands::hosts::HostsArgs;
use crate::commands::init::InitArgs;
use crate::commands::lint::LintArgs;
use crate::commands::lock::LockArgs;
use crate::commands::man::ManArgs;
use crate::commands::mock::MockArgs;
use crate::commands::new::NewArgs;
use crate::commands::peers::PeersArgs;
use crate::commands::probe::ProbeArgs;
use crate::commands::record::RecordArgs;
use crate::commands::report::ReportArgs;
use crate::commands::run::RunArgs;
use crate::commands::schema::SchemaArgs;
use crate::commands::show::ShowArgs;
use crate::commands::shrink::ShrinkArgs;
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
  mcp-compat run
  mcp-compat explain lost

Exit status (some commands list theirs in their own help):
    0  success: nothing new breaks
    1  a new break, a baseline entry that no longer breaks, a release that could
       not be installed, or the time limit was reached
    2  the input is wrong, and nothing was run
    3  mcp-compat itself failed
  130  interrupted; what was measured until then is reported. --watch ends with
       0 if it is interrupted while it waits

MCP_COMPAT_LOG=debug prints what mcp-compat does.";

/// Commands in the order and under the headings of the help. The short help has those of the first heading.
pub(crate) const GROUPS: [(&str, &[&str]); 5] = [
    ("Commands", &["init", "audit", "run", "hosts", "show", "explain", "support", "new", "report", "lock"]),
    ("Test a client or a host", &["audit-client", "probe"]),
    ("Write scenarios", &["record", "lint", "shrink"]),
    ("Compare and keep results", &["diff", "history"]),
    ("Set up", &["peers", "completions"]),
];

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write a test and a CI workflow for the server in this folder
    Init(InitArgs),
    /// Find which clients lose your server's results, and the fix
    Audit(Box<AuditArgs>),
    /// Test clients and servers with each other, and report what breaks
    Run(Box<RunArgs>),
    /// Show what models read of results, in hosts such as Codex
    Hosts(HostsArgs),
    /// Show a scenario, a check of the last run, or a list
    Show(ShowArgs),
    /// Explain a rule, an outcome or another word of a report
    Explain(ExplainArgs),
    /// Show which SDK releases work with a scenario
    Support(SupportArgs),
    /// Write a scenario, from the JSON of a bug report or a template
    New(NewArgs),
    /// Print a run again, in another format or as a website
    Report(Box<ReportArgs>),
    /// Record a server's tool schemas, and check later versions
    Lock(LockArgs),
    /// Find what your client does wrong, with any client program
    AuditClient(AuditClientArgs),
    /// Measure a host that cannot be installed, such as Cursor
    Probe(ProbeArgs),
    /// Write a scenario from the traffic of a client and a server
    Record(RecordArgs),
    /// Check scenario files
    Lint(LintArgs),
    /// Reduce a scenario that breaks to a smaller one
    Shrink(ShrinkArgs),
    /// Compare two runs, or two releases of an SDK
    Diff(Box<DiffArgs>),
    /// Keep the results of many runs, list them, remove old ones
    History(HistoryArgs),
    /// Install, check and bisect real SDK releases
    Peers(PeersArgs),
    /// Print completions for a shell
    Completions(CompletionsArgs),
    /// Run a mock server or a mock client on its own
    #[command(hide = true)]
    Mock(MockArgs),
    /// Print the JSON Schema of a file or message format
    #[command(hide = true)]
    Schema(SchemaArgs),
    /// Print the manual page, or write one for each command
    #[command(hide = true)]
    Man(ManArgs),
    /// Start hosts with a scripted model, for jobs of the peer contract
    #[command(hide = true)]
    HostAdapter(HostAdapterArgs),
    /// Join standard streams with the harness; clients that start their server themselves start this
    #[command(hide = true)]
    Relay {
        /// Path of a socket, a token and a number of lines for the log, in place of the environment
        #[arg(num_args = 0..=3)]
        told: Vec<String>,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
    }

    #[test]
    fn each_command_of_the_help_is_in_one_group() {
        let program = Args::command();
        let visible = program.get_subcommands().filter(|command| !command.is_hide_set()).map(clap::Command::get_name);
        let grouped = GROUPS.iter().flat_map(|(_, names)| names.iter().copied());
        assert_eq!(visible.collect::<Vec<_>>(), grouped.collect::<Vec<_>>());
        assert!(GROUPS[0].1.len() <= 10, "the short help is one screen");
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
