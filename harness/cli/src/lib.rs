//! The command line of mcp-compat: arguments become a request to the engine, and its record becomes a report.
//!
//! No other crate handles colours, terminals or exit statuses. Results go to stdout, everything else to stderr.

mod args;
mod commands;
pub mod exit;
pub mod fail_on;
pub mod init;
pub mod inputs;
pub mod install_progress;
mod known_breaks;
pub mod output;
mod overview;
mod parse;
pub mod progress;
pub mod report_output;
mod run_report;
pub mod runtime;
mod signals;
pub mod terminal;
pub mod values;

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::CommandFactory as _;
use mcp_compat_drive::relay::relay_as_told;

use crate::args::{Args, Command};
pub use crate::commands::schema::SchemaFormat;
use crate::exit::Exit;

/// Text that is printed without a command.
const WELCOME: &str = "\
mcp-compat finds which MCP clients and servers break each other on structured
tool output, and says why and who has to fix it.

  mcp-compat audit -- node my-server.js   which clients lose its results?
  mcp-compat audit .mcp.json              which of my client's servers break?
  mcp-compat init                         test the server in this folder
  mcp-compat run                          what breaks between the SDKs?

More: `mcp-compat --help` lists the commands.";

/// Runs a command line: the name of the program, and its arguments.
pub fn run(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    let words: Vec<OsString> = words.into_iter().collect();
    // The first word names the command; others may be secrets.
    let name = words.get(1).cloned().unwrap_or_default();
    let args = parse::parsed(words);
    log_if_asked();
    tracing::debug!(command = %name.display(), version = env!("CARGO_PKG_VERSION"), "begins");
    let Some(command) = args.command else {
        return print_welcome().if_printed().into();
    };
    let exit = match command {
        Command::Audit(audit) => commands::audit::execute(&audit),
        Command::AuditClient(audit) => commands::audit_client::execute(&audit),
        Command::Run(run) => commands::run::execute(*run),
        Command::Show(show) => commands::show::execute(&show),
        Command::Explain(explain) => commands::explain::execute(&explain),
        Command::History(history) => commands::history::execute(&history),
        Command::Init(init) => commands::init::execute(&init),
        Command::Lint(lint) => commands::lint::execute(&lint),
        Command::New(new) => commands::new::execute(new),
        Command::Record(record) => commands::record::execute(record),
        Command::Diff(diff) => commands::diff::execute(&diff),
        Command::Report(report) => commands::report::execute(&report),
        Command::Mock(mock) => commands::mock::execute(mock),
        Command::Shrink(shrink) => commands::shrink::execute(shrink),
        Command::Support(support) => commands::support::execute(&support),
        Command::Peers(peers) => commands::peers::execute(&peers),
        Command::Lock(lock) => commands::lock::execute(&lock),
        Command::Schema(schema) => commands::schema::execute(schema),
        Command::Completions(completions) => commands::completions::execute(&completions, Args::command()),
        Command::Man(man) => commands::man::execute(&man, Args::command()),
        Command::Hosts(hosts) => commands::hosts::execute(&hosts),
        Command::Probe(probe) => commands::probe::execute(&probe),
        Command::HostAdapter(adapter) => commands::host_adapter::execute(&adapter),
        Command::Relay { told } => relay(&told),
    }
    .unwrap_or_else(Exit::from_error);
    exit.if_printed().into()
}

/// Turns on logging if `MCP_COMPAT_LOG` is set.
///
/// A run starts hundreds of mock servers as processes of this program. Parsing a filter would cost each of them as much
/// time as playing its cell.
pub fn log_if_asked() {
    if let Ok(filter) = tracing_subscriber::EnvFilter::try_from_env("MCP_COMPAT_LOG") {
        tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
    }
}

/// Stands in for the server of a client that starts its server itself.
fn relay(told: &[String]) -> anyhow::Result<Exit> {
    relay_as_told(told).context("cannot join standard streams with the harness")?;
    Ok(Exit::Success)
}

fn print_welcome() -> Exit {
    println!("{WELCOME}");
    Exit::Success
}
