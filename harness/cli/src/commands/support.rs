//! `support`: print the releases of the SDKs that work with a scenario, from data that ships with the program.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::inputs::support_data;
use anyhow::{Context as _, Result};
use clap::Args;
use mcp_compat_reports::support as report;
use mcp_compat_run::glob::nothing;
use mcp_compat_scenario::corpus;

use crate::exit::{Exit, HarnessFailed};
use crate::output::print;
use crate::terminal;

const HOW: &str = "\
The data ships with the program, so nothing is installed or played.

Examples:
  mcp-compat support
  mcp-compat support root-type/array
  mcp-compat support root-type/array --json --data support.json";

#[derive(Debug, Args)]
#[command(after_help = HOW)]
pub(crate) struct SupportArgs {
    /// The scenario; without it, the scenarios that have data are listed
    #[arg(value_name = "SCENARIO")]
    scenario: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Print a Markdown table
    #[arg(long, conflicts_with = "json", requires = "scenario")]
    markdown: bool,
    /// A file of support data [default: the data that ships]
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,
}

pub(crate) fn execute(args: &SupportArgs) -> Result<Exit> {
    let mut data = support_data::of(args.data.as_deref())?;
    if let Some(id) = &args.scenario {
        let known: Vec<&str> = data.scenarios().into_iter().map(|known| known.as_str()).collect();
        if !known.contains(&id.as_str()) {
            return Err(nothing("scenario with support data", id, known.into_iter()).into());
        }
        data.statements.retain(|statement| statement.scenario.as_str() == id);
        let about: Vec<String> = data.statements.iter().map(|statement| statement.family.clone()).collect();
        data.sweeps.retain(|sweep| about.contains(&sweep.family));
    }
    let files: BTreeSet<&str> = data.statements.iter().map(|statement| statement.scenario.file()).collect();
    let scenarios = corpus::load_of(|file| files.contains(file)).context(HarnessFailed("reading the corpus"))?;
    let title = |id: &str| {
        let found = scenarios.iter().find(|scenario| scenario.id.as_str() == id);
        found.map_or("", |scenario| scenario.title.as_str())
    };
    match &args.scenario {
        _ if args.json => print!("{}", data.to_text().context(HarnessFailed("printing the support data"))?),
        Some(id) if args.markdown => print!("{}", report::markdown(id, title(id), &data)),
        Some(id) => print!("{}", report::scenario(id, title(id), &data, terminal::style())),
        None => {
            let known = data.scenarios();
            let titles: Vec<(&str, &str)> = known.iter().map(|id| (id.as_str(), title(id.as_str()))).collect();
            print!("{}", report::list(&data, &titles, terminal::style()));
        }
    }
    Ok(Exit::Success)
}
