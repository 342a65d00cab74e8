//! `show`: one cell of the last run.

use anstream::print;
use anyhow::anyhow;
use mcp_compat::glob::nothing;
use mcp_compat::store::{read_evidence, read_record};
use mcp_compat_reports::cell;

use crate::args::ShowArgs;
use crate::exit::Exit;
use crate::terminal;

pub(crate) fn execute(args: &ShowArgs) -> anyhow::Result<Exit> {
    let record = read_record(&args.out)?;
    let Some(found) = record.cells.iter().find(|cell| cell.id.as_str() == args.cell) else {
        let mut error = nothing("cell", &args.cell, record.cells.iter().map(|cell| cell.id.as_str()));
        // All ids of a run are too many to help.
        error.known.clear();
        return Err(anyhow!(error));
    };
    let evidence = read_evidence(&args.out, &found.id)?;
    let scenario = record.scenarios.iter().find(|scenario| scenario.id == found.scenario);
    print!("{}", cell::render(found, scenario, &evidence, terminal::style()));
    Ok(Exit::Success)
}
