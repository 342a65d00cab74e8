//! The program: checks of mcp-compat itself.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;
use mcp_compat_cli::exit::Exit;
use mcp_compat_lab::fidelity::{self, FidelityArgs};
use mcp_compat_lab::projection::{self, ProjectionArgs};
use mcp_compat_lab::rulebook;
use mcp_compat_lab::selftest::{self, SelftestArgs};
use mcp_compat_lab::sweep::{self, SweepArgs};

/// Checks of mcp-compat itself
#[derive(Parser)]
#[command(name = "mcp-compat-lab", max_term_width = 100)]
enum Command {
    Selftest(SelftestArgs),
    Fidelity(FidelityArgs),
    Sweep(SweepArgs),
    Projection(ProjectionArgs),
    /// Print the rule book: the scenarios that violate each rule, and the statements of the specification
    Rules,
    /// Commands of mcp-compat: what is played starts mocks as processes of this program
    #[command(external_subcommand)]
    Other(Vec<OsString>),
}

fn main() -> ExitCode {
    let command = Command::parse();
    if !matches!(command, Command::Other(_)) {
        mcp_compat_cli::log_if_asked();
    }
    let exit = match command {
        Command::Selftest(args) => selftest::execute(args),
        Command::Fidelity(args) => fidelity::execute(&args),
        Command::Sweep(args) => sweep::execute(&args),
        Command::Projection(args) => projection::execute(&args),
        Command::Rules => rulebook::execute(),
        Command::Other(words) => return mcp_compat_cli::run([OsString::from("mcp-compat")].into_iter().chain(words)),
    };
    exit.unwrap_or_else(Exit::from_error).if_printed().into()
}
