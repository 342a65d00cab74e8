//! `report`: turn a record into a report.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::inputs::issues;
use crate::inputs::support_data;
use anyhow::anyhow;
use clap::{Args as ClapArgs, ValueEnum};
use mcp_compat_model::count::{counted, thousands};
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::query::Query;
use mcp_compat_model::record::Record;
use mcp_compat_model::verdict::Rating;
use mcp_compat_reports::site::{Earlier, Input, Run, one_file};
use mcp_compat_reports::terminal::{self as terminal_report, Shown};
use mcp_compat_reports::{baseline, junit, markdown};
use mcp_compat_run::history::{OpenedRun, open};
use mcp_compat_run::store::transcripts::Transcripts;

use super::show::Selected;
use crate::exit::Exit;
use crate::output::{print, println};
use crate::terminal;
use crate::values::{DEFAULT_OUT, print_out_option, records};

const EXAMPLES: &str = "\
Examples:
  mcp-compat report
  mcp-compat report nightly --format junit > junit.xml
  mcp-compat report --where 'rating:breaks fault:client'";

#[derive(Debug, ClapArgs)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ReportArgs {
    /// The run: its folder, its run.json, or a compact run of a history (.mcpc.gz) [default: .mcp-compat or
    /// target/mcp-compat]
    #[arg(value_name = "RECORD", default_value = DEFAULT_OUT, hide_default_value = true, value_parser = records())]
    record: PathBuf,
    /// The format of the report
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Report only the cells that a filter selects; `mcp-compat show --help` explains filters
    #[arg(long = "where", value_name = "FILTER", allow_hyphen_values = true)]
    filter: Option<String>,
    /// Compare with this earlier run, for the key `changed:` of the filter
    #[arg(long, value_name = "RUN", requires = "filter")]
    since: Option<PathBuf>,
    /// Also print the matrix of clients and servers (terminal only)
    #[arg(long)]
    matrix: bool,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Format {
    /// For a person, in a terminal
    #[default]
    Terminal,
    /// For a pull request or a page
    Markdown,
    /// For a CI system
    Junit,
    /// The new breaks, as a baseline with an entry for each cause
    Baseline,
    /// One page that holds everything, with the messages of cells that do not work
    Html,
}

pub(crate) fn execute(args: &ReportArgs) -> anyhow::Result<Exit> {
    let query = args.filter.as_deref().map(Query::parse).transpose()?;
    let OpenedRun { mut record, evidence } = open(&args.record)?;
    let played = record.cells.len();
    if let Some(query) = query {
        record.cells = Selected::of(&args.record, query, args.since.as_deref())?.cells;
    }
    if args.filter.is_some() && record.cells.is_empty() && matches!(args.format, Format::Terminal) {
        println!("No cell of this run meets the filter.");
        return Ok(Exit::Success);
    }
    let part = args.filter.as_deref().map(|filter| {
        format!("{} of {} match", thousands(record.cells.len() as u64), counted(played, "cell")) + " " + &quoted(filter)
    });
    let shown = Shown { all_causes: true, matrix: args.matrix, details: true };
    let text = match args.format {
        Format::Html => return html(&record, evidence, part.as_deref()),
        Format::Terminal => above(part.as_deref(), terminal_report::render(&record, shown, terminal::style())),
        Format::Markdown => above(part.as_deref(), markdown::render(&record)),
        Format::Junit => junit::render(&record).map_err(|error| anyhow!("writing JUnit: {error}"))?,
        Format::Baseline => baseline::render(&record.cells),
    };
    print!("{text}");
    if matches!(args.format, Format::Terminal) && record.cells.iter().any(|cell| cell.rating == Rating::Breaks) {
        print_out_option(&args.record);
    }
    Ok(Exit::Success)
}

/// Returns the report, below a line about the selected part of the run.
fn above(part: Option<&str>, report: String) -> String {
    match part {
        Some(part) => format!("{part}\n\n{report}"),
        None => report,
    }
}

/// Returns the filter on one line, in backticks.
fn quoted(filter: &str) -> String {
    format!("`{}`", neutralised(filter).replace('`', "'"))
}

/// Prints the page, with the messages of the run.
fn html(record: &Record, evidence: Option<Transcripts>, part: Option<&str>) -> anyhow::Result<Exit> {
    let evidence = &super::site::book(evidence)?;
    let (earlier, definitions) = (Earlier::than(record), BTreeMap::new());
    let title = part.map_or(super::site::TITLE.to_owned(), |part| format!("{}: {part}", super::site::TITLE));
    let (title, newest) = (title.as_str(), Run { record, evidence });
    let (issues, support) = (issues::of_record(record, None)?, support_data::shipped());
    let input = Input {
        title,
        base: None,
        newest,
        earlier: &earlier,
        definitions: &definitions,
        issues: &issues,
        support: &support,
        today: None,
        max_bytes: u64::MAX,
    };
    print!("{}", String::from_utf8_lossy(&one_file(&input)?));
    Ok(Exit::Success)
}
