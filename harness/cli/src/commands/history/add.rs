//! `history add`: keep a run.

use std::path::PathBuf;

use clap::Args;
use mcp_compat_model::count::kilobytes;
use mcp_compat_run::history::{Added, Adding, History};

use crate::exit::Exit;
use crate::output::println;
use crate::values::{DEFAULT_OUT, records};

const HOW: &str = "\
The run is written to DIR/runs/TIME.mcpc.gz, with all verdicts and reasons. The
messages of the cells that break are written to DIR/evidence, unless
--no-evidence is given. The files are small enough for a branch of a repository.
Adding a run again changes nothing.

Exit status: 0 the history has the run; 2 the run cannot be read, is a shard,
played another corpus, or began at the same time as another run, or the disk is
full (the history is not changed).

Examples:
  mcp-compat history add --into history
  mcp-compat history add nightly --into history
  mcp-compat report history/runs/2026-11-22T030000Z.mcpc.gz";

#[derive(Debug, Args)]
#[command(after_help = HOW)]
pub(crate) struct AddArgs {
    /// The run: its folder, its run.json, or a compact run (.mcpc.gz) [default: .mcp-compat or target/mcp-compat]
    #[arg(value_name = "RUN", default_value = DEFAULT_OUT, hide_default_value = true, value_parser = records())]
    run: PathBuf,
    /// The folder of the history; it is created if it does not exist
    #[arg(long, value_name = "DIR")]
    into: PathBuf,
    /// Accept that the scenarios changed since the run before
    #[arg(long)]
    new_corpus: bool,
    /// Do not write the messages of the cells that break
    #[arg(long)]
    no_evidence: bool,
}

pub(super) fn execute(args: &AddArgs) -> anyhow::Result<Exit> {
    let how = Adding { new_corpus: args.new_corpus, without_evidence: args.no_evidence };
    match History::at(&args.into).add(&args.run, how)? {
        Added::New { path, bytes, evidence } => {
            let evidence = evidence.map(|bytes| format!(", and {} of evidence", kilobytes(bytes))).unwrap_or_default();
            println!("added {}: {}{evidence}", path.display(), kilobytes(bytes));
        }
        Added::Known { path } => println!("nothing to do: the history has this run, {}", path.display()),
    }
    Ok(Exit::Success)
}
