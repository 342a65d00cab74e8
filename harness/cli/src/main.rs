//! The command line of mcp-compat: arguments become a request to the engine, and its record becomes a report.
//!
//! This is the only place that knows of colours, terminals and exit statuses. Results go to stdout, everything else
//! to stderr.

mod args;
mod commands;
mod corpus;
mod exit;
mod progress;
mod terminal;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Args, Command};
use crate::exit::Exit;

fn main() -> ExitCode {
    let args = Args::parse();
    let filter = tracing_subscriber::EnvFilter::try_from_env("MCP_COMPAT_LOG").unwrap_or_else(|_| "off".into());
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
    match args.command {
        Command::Run(run) => commands::run::execute(*run),
        Command::List(list) => commands::list::execute(list),
        Command::Show(show) => commands::show::execute(&show),
        Command::Explain(explain) => commands::explain::execute(&explain),
        Command::Lint(lint) => commands::lint::execute(&lint),
        Command::Report(report) => commands::report::execute(&report),
        Command::Mock(mock) => commands::mock::execute(mock),
        Command::Selftest(selftest) => commands::selftest::execute(selftest),
        Command::Schema(schema) => commands::schema::execute(schema),
        Command::Relay => commands::relay::execute(),
    }
    .unwrap_or_else(Exit::from_error)
    .into()
}
