//! `site`: turn records into a folder of pages.

mod folder;
mod meant;

use std::path::PathBuf;

use clap::Args;
use mcp_compat_model::count::{counted, thousands};
use mcp_compat_reports::site::{EvidenceBook, Input, Run, site};
use mcp_compat_run::history::OpenedRun;
use mcp_compat_run::store::transcripts::Transcripts;

use crate::exit::Exit;
use crate::inputs::issues;
use crate::inputs::quantities::size;
use crate::inputs::runs::Runs;
use crate::inputs::support_data;
use crate::output::{eprintln, println};
use crate::values::{DEFAULT_OUT, record_folder};

const HOW: &str = "\
The pages need no server: open DIR/index.html, or publish DIR under any address.
The same records give the same files. An existing site in DIR is replaced; any
other folder is refused.

The pages show the newest run, and what changed since the run before. If the
site would be larger than --max-size, messages are left out, those of cells that
work first.

Examples:
  mcp-compat site --out report
  mcp-compat site monday tuesday --out report --title 'Nightly'";

const RUN: &str = "The runs: folders, their run.json, or runs of a history (.mcpc.gz) [default: .mcp-compat or target/mcp-compat, unless \
     there is --history]";

/// What a site is called if nobody says otherwise.
pub(super) const TITLE: &str = "MCP structured output";

#[derive(Debug, Args)]
#[command(after_help = HOW)]
pub(crate) struct SiteArgs {
    #[arg(value_name = "RUN", help = RUN)]
    runs: Vec<PathBuf>,
    /// The folder that the site is written to
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// A history of runs, made by `mcp-compat history add`
    #[arg(long, value_name = "DIR")]
    history: Option<PathBuf>,
    /// The title of the site
    #[arg(long, value_name = "TEXT", default_value = TITLE)]
    title: String,
    /// The address at which the site is published; feeds and badges need it
    #[arg(long, value_name = "URL", value_parser = address)]
    base: Option<String>,
    /// Known issues that the pages link to [default: the list that ships]
    #[arg(long, value_name = "FILE")]
    issues: Option<PathBuf>,
    /// Support data, made by `mcp-compat sweep` [default: the data that ships]
    #[arg(long, value_name = "FILE")]
    support: Option<PathBuf>,
    /// Today's date; results that are more than two weeks older are called stale
    #[arg(long, value_name = "DATE", value_parser = date)]
    today: Option<String>,
    /// The largest size of the site, such as 25MB
    #[arg(long, value_name = "SIZE", default_value = "50MB", value_parser = size)]
    max_size: u64,
}

pub(crate) fn execute(args: &SiteArgs) -> anyhow::Result<Exit> {
    folder::check(&args.out)?;
    let mut runs = Runs::find(&named(args), args.history.as_deref())?;
    let OpenedRun { record, evidence } = runs.newest()?;
    let evidence = book(evidence)?;
    let earlier = runs.before(&record)?;
    let meant = meant::of_corpus()?;
    let input = Input {
        title: &args.title,
        base: args.base.as_deref(),
        newest: Run { record: &record, evidence: &evidence },
        earlier: &earlier,
        meant: &meant,
        issues: &issues::of_record(&record, args.issues.as_deref())?,
        support: &support_data::of(args.support.as_deref())?,
        today: args.today.as_deref(),
        max_bytes: args.max_size,
    };
    let files = site(&input)?;
    folder::write(&args.out, &files)?;
    let size: usize = files.values().map(Vec::len).sum();
    println!("{}", args.out.join("index.html").display());
    eprintln!("{}, {} KB", counted(files.len(), "file"), thousands(size as u64 / 1000));
    Ok(Exit::Success)
}

/// The runs that are named. The usual one is meant where nothing is named: beside a history it would be published, too.
fn named(args: &SiteArgs) -> Vec<PathBuf> {
    match (&args.runs[..], &args.history) {
        ([], None) => vec![record_folder(DEFAULT_OUT.into())],
        (named, _) => named.to_vec(),
    }
}

/// A day, such as `2026-11-23`.
fn date(text: &str) -> Result<String, String> {
    let day: jiff::civil::Date = text.parse().map_err(|_| format!("{text:?} is not a date: expected 2026-11-23"))?;
    Ok(day.to_string())
}

/// What happened in the cells of a run.
pub(super) fn book(evidence: Option<Transcripts>) -> anyhow::Result<EvidenceBook> {
    let Some(mut transcripts) = evidence else { return Ok(EvidenceBook::default()) };
    Ok(EvidenceBook::read(|| transcripts.next_cell())?)
}

/// An address of the web, which ends with a slash.
fn address(text: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_graphic() && !"<>\"'`\\".contains(c);
    let is_address = (text.starts_with("https://") || text.starts_with("http://")) && text.chars().all(is_plain);
    if !is_address {
        return Err(format!("{text:?} is not the address of a site: expected https://example.org/compat/"));
    }
    Ok(format!("{}/", text.trim_end_matches('/')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_ends_with_one_slash() {
        assert_eq!(address("https://example.org/a"), Ok("https://example.org/a/".to_owned()));
        assert!(["javascript:alert(1)", "https://a b", "example.org"].iter().all(|text| address(text).is_err()));
    }
}
