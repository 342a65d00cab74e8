//! `report`: turn a record into a report, several into a site, or those of shards into one.

mod merge;
mod site;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::inputs::issues;
use crate::inputs::support_data;
use anyhow::bail;
use clap::Args as ClapArgs;
use mcp_compat_model::count::{counted, thousands};
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::query::Query;
use mcp_compat_model::record::Record;
use mcp_compat_reports::site::{Earlier, Input, Run, one_file};
use mcp_compat_reports::terminal::Shown;
use mcp_compat_reports::view::View;
use mcp_compat_run::history::{OpenedRun, open};
use mcp_compat_run::store::transcripts::Transcripts;

use super::show::Selected;
use crate::exit::Exit;
use crate::report_output::{Format, FormatOrFile, OutputArgs, Reports, ShortFormats, WantedReport};
use crate::run_report;
use crate::values::{DEFAULT_OUT, files_of_run, named_run, record_folder, records};
use site::SiteArgs;

const HOW: &str = "\
--format site writes a folder of pages that need no server: open DIR/index.html,
or publish DIR under any address. The same records give the same files. An
existing site in DIR is replaced; any other folder is refused. The pages show
the newest run, and what changed since the run before. If the site would be
larger than --max-size, messages are left out, those of checks that work first.

--merge joins the records of `run --shard K/N`. All parts must be of
one version of mcp-compat, with the same scenarios and the same releases. The
result is the record of the whole run; it started with the first part and took
as long as the longest. A joined record can be joined with further parts. The
logs of the clients and servers are in DIR/logs/K-of-N. Exit status: 0 the
record is complete; 1 something is missing (the record is written and marked as
incomplete), or --baseline finds a new break or an entry that no longer breaks;
2 the records are not parts of one run, and nothing is written.

Examples:
  mcp-compat report
  mcp-compat report nightly --format junit --out junit.xml
  mcp-compat report --where 'rating:breaks fault:client'
  mcp-compat report --format site --out site monday tuesday --title Nightly
  mcp-compat report --merge shard-1 shard-2 shard-3 --out nightly";

const RECORDS: &str = "The run: its folder, its run.json, or a compact run of a history (.mcpc.gz); several for --merge and \
    --format site [default: .mcp-compat or target/mcp-compat]";

/// Formats of `report`.
const FORMATS: [Format; 8] = [
    Format::Terminal,
    Format::Markdown,
    Format::Json,
    Format::Junit,
    Format::Github,
    Format::Baseline,
    Format::Html,
    Format::Site,
];

#[derive(Debug, ClapArgs)]
#[command(after_help = HOW)]
#[command(mut_arg("format", |arg| arg.value_parser(FormatOrFile(&FORMATS))))]
#[command(mut_arg("out", |arg| arg.value_name("FILE|DIR").help(OUT)))]
pub(crate) struct ReportArgs {
    #[arg(value_name = "RECORD", help = RECORDS, value_parser = records())]
    records: Vec<PathBuf>,
    #[command(flatten)]
    output: OutputArgs,
    /// Report only the checks that a filter selects; `mcp-compat show --help` explains filters
    #[arg(long = "where", value_name = "FILTER", allow_hyphen_values = true, help_heading = "The report")]
    filter: Option<String>,
    /// Compare with this earlier run, for the key `changed:` of the filter
    #[arg(long, value_name = "RUN", requires = "filter", help_heading = "The report")]
    since: Option<PathBuf>,
    /// Also print the matrix of clients and servers (terminal only)
    #[arg(long, help_heading = "The report")]
    matrix: bool,
    #[command(flatten)]
    site: SiteArgs,
    /// Join the records of `run --shard` into one, in the folder --out
    #[arg(long, requires_all = ["records", "out"], conflicts_with_all = ["format", "filter"], help_heading = "Join records")]
    merge: bool,
    /// The file of known breaks, in place of those of the parts; none: no break is known
    #[arg(long, value_name = "FILE", requires = "merge", help_heading = "Join records")]
    baseline: Option<PathBuf>,
}

const OUT: &str = "Write the report to this file, or the site or the joined record to this folder";

pub(crate) fn execute(args: &ReportArgs) -> anyhow::Result<Exit> {
    let (site, out) = (args.output.named(Format::Site), args.output.out.as_deref());
    if let (Some(option), true) = (args.site.given(), site.is_none() || args.merge) {
        bail!("{option} is for a site: add --format site");
    }
    if let (true, Some(out)) = (args.merge, out) {
        let baseline = args.baseline.as_deref();
        return merge::execute(&merge::Parts { records: &args.records, out, baseline });
    }
    if let Some(WantedReport { file: folder, .. }) = site {
        if args.filter.is_some() {
            bail!("a site has filters of its own: leave out --where, or choose another format");
        }
        if args.output.format.len() > 1 || (folder.is_some() && out.is_some()) {
            bail!(
                "a site is written alone: leave out the other formats and files, and run `mcp-compat report` again for them"
            );
        }
        let Some(out) = folder.as_deref().or(out) else { bail!("name the folder for the site: --out DIR") };
        return site::execute(&args.records, out, &args.site);
    }
    let path = match &args.records[..] {
        [] => &record_folder(DEFAULT_OUT.into()),
        [path] => path,
        [..] => bail!("a report is of one run: name one record, or join shards with --merge, or add --format site"),
    };
    let inputs: Vec<PathBuf> = [path].into_iter().chain(&args.since).flat_map(|run| files_of_run(run)).collect();
    report(path, args, &args.output.reports(ShortFormats::default(), &inputs)?)
}

/// Reports one run.
fn report(path: &Path, args: &ReportArgs, reports: &Reports) -> anyhow::Result<Exit> {
    let query = args.filter.as_deref().map(Query::parse).transpose()?;
    let OpenedRun { mut record, evidence } = open(path)?;
    let mut whole = None;
    if let Some(query) = query {
        let selected = Selected::of(path, query, args.since.as_deref())?.cells;
        whole = Some(std::mem::replace(&mut record.cells, selected));
    }
    let part = args.filter.as_deref().zip(whole.as_ref()).map(|(filter, whole)| {
        format!("{} of {} match", thousands(record.cells.len() as u64), counted(whole.len(), "check"))
            + " "
            + &quoted(filter)
    });
    let part = part.as_deref();
    let page = if reports.include(Format::Html) { html(&record, evidence, part)? } else { String::new() };
    let shown = Shown { all_causes: true, matrix: args.matrix, details: true };
    let path = named_run(path);
    let view = whole.as_ref().map_or_else(|| View::of(&record), |whole| View::of_part(&record, whole));
    let view = view.at(path.as_deref());
    reports.write(|format, style| {
        Ok(match format {
            Format::Html => page.clone(),
            Format::Terminal if part.is_some() && record.cells.is_empty() => {
                "No check of this run meets the filter.\n".to_owned()
            }
            Format::Terminal | Format::Markdown => above(part, run_report::text(&view, format, shown, style)?),
            Format::Json | Format::Junit | Format::Github | Format::Baseline | Format::Site => {
                run_report::text(&view, format, shown, style)?
            }
        })
    })?;
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

/// Returns the page, with the messages of the run.
fn html(record: &Record, evidence: Option<Transcripts>, part: Option<&str>) -> anyhow::Result<String> {
    let evidence = &site::book(evidence)?;
    let (earlier, definitions) = (Earlier::than(record), BTreeMap::new());
    let title = part.map_or(site::TITLE.to_owned(), |part| format!("{}: {part}", site::TITLE));
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
        hosts: None,
        today: None,
        max_bytes: u64::MAX,
    };
    Ok(String::from_utf8_lossy(&one_file(&input)?).into_owned())
}
